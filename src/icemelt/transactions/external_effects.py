"""Effects of a transaction outside of tables: committed with the publication, else rolled back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from icemelt.catalog.database import Database
from icemelt.catalog.publishing import find_publication
from icemelt.errors import CatalogError
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate

__all__ = ["ExternalEffect", "commit_if_published"]


class ExternalEffect(Protocol):
    """An effect of a statement outside of tables, such as files of COPY INTO a location.

    No table's metadata names the effect. Neither method fails.
    """

    @property
    def takes_files(self) -> bool:
        """Whether the commit removes files that the statement has read."""

    @property
    def temporary_stage(self) -> QualifiedName | None:
        """The temporary stage that has the effect's files; None for files that last."""

    def commit(self) -> None:
        """Finish the effect once the transaction is published."""

    def rollback(self) -> None:
        """Undo the effect: the transaction was not published, and never will be."""


@contextmanager
def commit_if_published(
    database: Database, transaction_id: str, effects: Sequence[ExternalEffect]
) -> Iterator[None]:
    """Commit effects if the block publishes the transaction, else roll the effects back.

    Where the block fails the registry is asked whether the transaction was published. Where the
    registry does not answer, the effects stay: files without a transaction do less harm than a
    transaction without its files.

    Args:
        database: the catalog's database.
        transaction_id: the transaction published by the block.
        effects: the effects.
    """
    try:
        yield
    except BaseException:
        # Ctrl-C may come between the commit and its answer
        published = _is_published(database, transaction_id) if effects else None
        for effect in effects:
            if published is True:
                effect.commit()
            elif published is False:
                effect.rollback()
        raise
    for effect in effects:
        effect.commit()


def _is_published(database: Database, transaction_id: str) -> bool | None:
    """Return whether a transaction was published; None where the registry does not answer."""
    with tolerate(CatalogError, to=f"tell whether transaction {transaction_id} was published"):
        return find_publication(database, transaction_id) is not None
    return None
