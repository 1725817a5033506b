"""What a transaction makes outside of tables: kept when it is published, else taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from icemelt.catalog.database import Database
from icemelt.catalog.publishing import settled
from icemelt.errors import CatalogError
from icemelt.observe.emitting import tolerate

__all__ = ["Outside", "kept_if_published"]


class Outside(Protocol):
    """Something that a statement made which no table's metadata names; neither method fails."""

    def keep(self) -> None:
        """Do what is left to do once the transaction is published."""

    def take_back(self) -> None:
        """Undo it: the transaction was not published, and never will be."""


@contextmanager
def kept_if_published(
    database: Database, transaction_id: str, made: Sequence[Outside]
) -> Iterator[None]:
    """Publish in the block. Where it fails, the registry says whether it was published even so.

    If it cannot be asked, what was made stays: rather files of no transaction than a transaction
    without its files.
    """
    try:
        yield
    except BaseException:
        # Ctrl-C may come between the commit and its answer
        published = _is_published(database, transaction_id) if made else None
        for each in made:
            if published is True:
                each.keep()
            elif published is False:
                each.take_back()
        raise
    for each in made:
        each.keep()


def _is_published(database: Database, transaction_id: str) -> bool | None:
    """Tell whether a transaction was published; None where that cannot be known now."""
    with tolerate(CatalogError, to=f"tell whether transaction {transaction_id} was published"):
        return settled(database, transaction_id) is not None
    return None
