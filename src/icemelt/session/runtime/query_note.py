"""What the history is told of a query, whose rows may be fetched long after it was planned."""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.catalog.records import StatementRecord
from icemelt.errors import IcemeltError
from icemelt.session.runtime.core import History
from icemelt.session.runtime.hiding import hide_places

__all__ = ["QueryNote"]


@dataclass(slots=True)
class QueryNote:
    """The record of a query on the state of a commit, and how it ended last.

    Before its rows are fetched it is noted as succeeded, for it was planned, unless its `history`
    waits for the rows; a fetch that fails, or that succeeds after all, is noted then.
    """

    history: History
    commit_number: int
    _noted: str = ""

    def planned(self) -> None:
        """Take note that the query was planned."""
        if not self.history.waits:
            self.history.core.record(self.history.read(self.commit_number))
            self._noted = "succeeded"

    def handed_over(self) -> None:
        """Take note that somebody else runs the query, whose rows are not waited for."""
        if not self._noted:
            self.succeeded()

    def succeeded(self) -> None:
        """Take note that all is well."""
        self._tell(self.history.read(self.commit_number))

    def failed(self, error: IcemeltError) -> None:
        """Take note that the query failed, of which a guest is not told the server's places."""
        hide_places(self.history.core, error)
        self._tell(replace(self.history.failed(error), commit_number=self.commit_number))

    def _tell(self, record: StatementRecord) -> None:
        if self._noted != record.status:
            self.history.core.amend(record)
            self._noted = record.status
