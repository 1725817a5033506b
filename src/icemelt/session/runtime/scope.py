"""The state of one run of a statement: how changes of views are read, and what to release."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from icemelt.errors import IcemeltError
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.lookup import Lookup

__all__ = ["StatementScope"]


@dataclass(slots=True)
class StatementScope:
    """A run of a statement, from the planning to the end of the execution.

    A statement that reads changes of a view may fail on a value in one plan and succeed in the
    other:

    * The derivative joins rows of before with rows of after. An expression may fail on a pair of
      rows that was in no state of the tables, though the pair would cancel out. Then the comparison
      of both ends gives the answer.
    * The comparison of both ends reads all rows. An expression may fail on an unchanged row. Then
      the derivative gives the answer.

    The planner writes the other plan down as `fallback_strategy`, and the statement runs again.

    Args:
        strategy: how the changes of views are read, a value of VIEW_CHANGES.
        lookup: what the statement's names meant when its text was analysed.
        fallback_strategy: the strategy of another run, where this run fails on a value; empty where
            the statement reads no changes of a view, or both strategies failed.
        disable_aqe: whether Spark plans the statement's query once, and not anew after each stage.
        resources: what is released at the end of the run.
        locators: each finds the place in a file that an error is about, and adds it to the message.
        notices: what the result says beside its rows, by the object that it is about.
        skipped: the paths of the files that the statement leaves out, by the object that has them.
    """

    strategy: str = "AUTO"
    lookup: Lookup = field(default_factory=Lookup)
    fallback_strategy: str = ""
    disable_aqe: bool = False
    resources: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    locators: list[Callable[[IcemeltError], None]] = field(default_factory=list)
    notices: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, set[str]] = field(default_factory=dict)

    @property
    def files_skipped(self) -> int:
        """How many files the statement leaves out."""
        return sum(map(len, self.skipped.values()))

    def skip_files(self, object_id: str, paths: Iterable[str], notice: str) -> None:
        """Note that the statement leaves out files of an object, for the result and the history."""
        self.notices[object_id] = notice
        self.skipped.setdefault(object_id, set()).update(paths)

    def forget_attempt(self) -> None:
        """Forget what an attempt at the statement has noted, as another attempt begins."""
        self.lookup.state = None
        self.notices.clear()
        self.skipped.clear()

    def locate(self, error: IcemeltError) -> None:
        """Add to an error the place in a file that it is about, where the run has read one."""
        while self.locators:
            with tolerate(IcemeltError, to="find the line of a record that is refused"):
                self.locators.pop()(error)
