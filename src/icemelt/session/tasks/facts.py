"""What a scheduler asks about tasks before it claims their runs: news, conditions, functions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from icemelt.catalog.database import Database
from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import SparkDied
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.tasks.conditions import evaluate_condition
from icemelt.session.tasks.python_bodies import is_runnable_here
from icemelt.session.tasks.watching import PublicationWatch

__all__ = ["SessionTaskFacts", "TaskFacts"]


class TaskFacts(Protocol):
    """Answers a scheduler's questions about tasks; nothing of them runs."""

    @property
    def database(self) -> Database:
        """The catalog's database, whose clock is the scheduler's."""
        ...

    def find_news(self) -> set[str]:
        """Return the object ids of the triggered roots whose conditions may be true by now."""
        ...

    def is_condition_true(self, context: TaskContext) -> bool:
        """Tell whether the condition of a task is true now.

        Raises:
            IcemeltError: the condition has no value, as where its stream does not exist.
        """
        ...

    def is_runnable_here(self, task: TaskRecord) -> bool:
        """Tell whether this process has what the body of a task needs.

        Raises:
            IcemeltError: the body does not parse.
        """
        ...


@dataclass(slots=True)
class SessionTaskFacts:
    """Answers by the statements' own code, out of the registry.

    Attributes:
        core: the parts of the session that asks, whether or not its Spark lives.
        find_present: returns the parts of a session on the present Spark; raises SparkDied where
            there is none.
        foreign_seconds: how long it waits between two looks at what other engines have committed to
            the tables of conditions.
    """

    core: Core
    find_present: Callable[[], Core]
    foreign_seconds: float = 10.0
    _watch: PublicationWatch = field(init=False)
    _looked_elsewhere_at: float = float("-inf")

    def __post_init__(self) -> None:
        self._watch = PublicationWatch(self.core)

    @property
    def database(self) -> Database:
        """The catalog's database."""
        return self.core.database

    def find_news(self) -> set[str]:
        """Return what `PublicationWatch.find_news` does; now and then look elsewhere before."""
        now = time.monotonic()
        if now - self._looked_elsewhere_at >= self.foreign_seconds:
            self._looked_elsewhere_at = now
            with tolerate(SparkDied, to="look for commits of other engines"):
                self._watch.adopt_foreign_commits(self.find_present())
        return self._watch.find_news()

    def is_condition_true(self, context: TaskContext) -> bool:
        """Return what `evaluate_condition` does."""
        return evaluate_condition(self.core, context)

    def is_runnable_here(self, task: TaskRecord) -> bool:
        """Return what `is_runnable_here` of functions of Python does."""
        return is_runnable_here(self.core, task)
