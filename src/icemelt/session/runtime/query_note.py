"""Record a query in the history, though the rows may be fetched long after the planning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.catalog.activity_records import StatementRecord
from icemelt.errors import IcemeltError
from icemelt.session.runtime.core import History
from icemelt.session.runtime.hiding import hide_places

__all__ = ["QueryNote"]


@dataclass(slots=True)
class QueryNote:
    """The history's record of one query on the state of a commit.

    Unless the `history` waits for the rows, the query is recorded as succeeded when it is planned.
    A later fetch changes the record if the fetch fails, or succeeds after a failure.
    """

    history: History
    commit_number: int
    _noted: str = ""

    def note_planned(self) -> None:
        """Record that the query was planned."""
        if not self.history.waits:
            self.history.core.record(self.history.read(self.commit_number))
            self._noted = "succeeded"

    def note_handed_over(self) -> None:
        """Record the query as succeeded: somebody else runs it, with an outcome unknown here."""
        if not self._noted:
            self.note_success()

    def note_success(self) -> None:
        """Record that the rows were fetched."""
        self._tell(self.history.read(self.commit_number))

    def note_failure(self, error: IcemeltError) -> None:
        """Record that the query failed; take the server's folders out of a guest's error."""
        hide_places(self.history.core, error)
        self._tell(replace(self.history.failed(error), commit_number=self.commit_number))

    def _tell(self, record: StatementRecord) -> None:
        if self._noted != record.status:
            self.history.core.amend(record)
            self._noted = record.status
