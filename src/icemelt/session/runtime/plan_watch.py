"""Hear how long statements take that read the changes of views, for the session's `PlanMemory`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock

from icemelt.changes.plan_memory import PlanMemory
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import CURRENT_STATEMENT, Event, RowsFetched, StatementEnded

__all__ = ["PlanWatch"]

# so many statements may wait for a fetch of their rows
_MOST = 100
# the statements that run when their rows are fetched, and those that write what they read: of a
# MERGE most of the time may go into its target, or into waiting
_FETCHED, _WRITING = frozenset({"SELECT", "WITH", "VALUES"}), frozenset({"INSERT", "CREATE"})


@dataclass(slots=True)
class _Statement:
    """A statement under way.

    Args:
        expected: the seconds expected of each view and way.
        took: the seconds that it has taken until now.
        has_ended: whether what is left is the fetch of its rows.
        is_void: whether a plan has failed, and another one ran in its place.
    """

    expected: dict[tuple[str, str], float] = field(default_factory=dict)
    took: float = 0.0
    has_ended: bool = False
    is_void: bool = False


@dataclass(slots=True)
class PlanWatch:
    """Tells `memory` what the plans of statements have taken, from planning to the last row.

    A statement that reads the changes of several views counts for each of them. One that fails, or
    whose rows nobody fetches, or not all at once, counts for none.

    Args:
        memory: what is remembered.
    """

    memory: PlanMemory = field(default_factory=PlanMemory)
    _statements: OrderedDict[str, _Statement] = field(default_factory=OrderedDict)
    _unsubscribe: Callable[[], None] | None = None
    # a scheduler's sessions have one watch
    _lock: RLock = field(default_factory=RLock)

    def expect(self, view: str, way: str, seconds: float) -> None:
        """Note what is expected of a plan of the running statement.

        Args:
            view: the object id of the view.
            way: how its changes are read, a value of VIEW_CHANGES.
            seconds: the seconds that the model of costs expects.
        """
        with self._lock:
            statement = self._running()
            if statement is not None:
                expected = statement.expected
                expected[view, way] = expected.get((view, way), 0.0) + seconds

    def forget(self) -> None:
        """Learn nothing of the running statement: a plan has failed, and another one runs."""
        with self._lock:
            statement = self._running()
            if statement is not None:
                statement.is_void = True

    def close(self) -> None:
        """Hear nothing any longer."""
        with self._lock:
            if self._unsubscribe is not None:
                self._unsubscribe()
                self._unsubscribe = None

    def _running(self) -> _Statement | None:
        statement_id = CURRENT_STATEMENT.get()
        if statement_id is None:
            return None
        if self._unsubscribe is None:
            self._unsubscribe = subscribe(self._hear, StatementEnded, RowsFetched)
        statement = self._statements.setdefault(statement_id, _Statement())
        while len(self._statements) > _MOST:
            self._statements.popitem(last=False)
        return statement

    def _hear(self, event: Event) -> None:
        with self._lock:
            if isinstance(event, StatementEnded):
                self._end(event)
            elif isinstance(event, RowsFetched):
                self._fetch(event)
            if not self._statements:
                self.close()

    def _end(self, event: StatementEnded) -> None:
        statement = self._statements.get(event.statement_id)
        if statement is None:
            return
        statement.took += event.seconds
        statement.has_ended = True
        if event.error_code is None and event.kind in _FETCHED:
            return
        del self._statements[event.statement_id]
        if event.error_code is None and event.kind in _WRITING:
            self._remember(statement)

    def _fetch(self, event: RowsFetched) -> None:
        statement = self._statements.get(event.statement_id)
        # within the statement itself its end tells all
        if statement is None or not statement.has_ended:
            return
        del self._statements[event.statement_id]
        statement.took += event.seconds
        if event.error_code is None and event.is_whole:
            self._remember(statement)

    def _remember(self, statement: _Statement) -> None:
        expected = sum(statement.expected.values())
        if statement.is_void or not expected:
            return
        for (view, way), seconds in statement.expected.items():
            # of what the statement took, a plan's part is as it was expected
            self.memory.note(view, way, seconds, statement.took * seconds / expected)
