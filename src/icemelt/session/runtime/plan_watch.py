"""Hear how long statements take that read the changes of views, for the session's `PlanMemory`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from icemelt.changes.plan_memory import PlanMemory
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import CURRENT_STATEMENT, Event, RowsFetched, StatementEnded

__all__ = ["PlanWatch"]

# so many statements may wait for a fetch of their rows
_MOST = 100
# the statements that run when their rows are fetched
_FETCHED = frozenset({"SELECT", "WITH", "VALUES"})


class _Expectation(NamedTuple):
    view: str
    way: str
    seconds: float


@dataclass(slots=True)
class _Statement:
    """A statement under way: what was expected of its plans, and what it has taken so far."""

    expected: list[_Expectation] = field(default_factory=list)
    took: float = 0.0


@dataclass(slots=True)
class PlanWatch:
    """Tells `memory` what the plans of a session's statements have taken.

    A statement that reads the changes of several views counts for each of them. One that fails, or
    whose rows nobody fetches, counts for none.

    Args:
        memory: what is remembered.
    """

    memory: PlanMemory = field(default_factory=PlanMemory)
    _statements: OrderedDict[str, _Statement] = field(default_factory=OrderedDict)
    _unsubscribe: Callable[[], None] | None = None

    def expect(self, view: str, way: str, seconds: float) -> None:
        """Note what is expected of a plan of the running statement.

        Args:
            view: the object id of the view.
            way: how its changes are read, a value of VIEW_CHANGES.
            seconds: the seconds that the model of costs expects.
        """
        statement_id = CURRENT_STATEMENT.get()
        if statement_id is None:
            return
        if self._unsubscribe is None:
            self._unsubscribe = subscribe(self._hear, StatementEnded, RowsFetched)
        statement = self._statements.setdefault(statement_id, _Statement())
        statement.expected.append(_Expectation(view, way, seconds))
        while len(self._statements) > _MOST:
            self._statements.popitem(last=False)

    def close(self) -> None:
        """Hear nothing any longer."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def _hear(self, event: Event) -> None:
        assert isinstance(event, StatementEnded | RowsFetched)  # noqa: S101 - as subscribed
        statement = self._statements.get(event.statement_id)
        if statement is None:
            return
        statement.took += event.seconds
        is_fetched_later = isinstance(event, StatementEnded) and event.kind in _FETCHED
        if event.error_code is None and is_fetched_later:
            return
        del self._statements[event.statement_id]
        if event.error_code is None:
            self._remember(statement)
        if not self._statements:
            self.close()

    def _remember(self, statement: _Statement) -> None:
        expected = sum(each.seconds for each in statement.expected)
        for view, way, seconds in statement.expected:
            # of what the statement took, a plan's part is as it was expected
            self.memory.note(view, way, seconds, statement.took * seconds / (expected or 1.0))
