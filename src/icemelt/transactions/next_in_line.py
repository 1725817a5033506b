"""The place of a channel's rows before the next statement that reserves their table."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from icemelt.catalog.database import Database
from icemelt.catalog.reserving import become_next, end_being_next
from icemelt.errors import CatalogError
from icemelt.observe.emitting import tolerate

__all__ = ["NextInLine"]


@dataclass(slots=True)
class NextInLine:
    """Keeps others from reserving a table from the first wait for the table until the publication.

    A publication that gives up waiting, and comes again as another transaction, is still next. The
    place ends by itself half a minute after the last wait.
    """

    database: Database
    next_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    _is_next: bool = False

    def take(self, table_ids: Sequence[str]) -> None:
        """Be next at the tables, if nobody else is."""
        with tolerate(CatalogError, to="be the next to publish to a table"):
            self._is_next = become_next(self.database, table_ids, self.next_id) or self._is_next

    def leave(self) -> None:
        """Let others reserve the tables; where the database is away, the place ends by itself."""
        if self._is_next:
            with tolerate(CatalogError, to="let others reserve a table"):
                end_being_next(self.database, self.next_id)
                self._is_next = False
