"""Where a scheduler executes bodies: a session on a Spark, which may die and be started again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Protocol

from icemelt.engine.start.compatibility import is_alive
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.errors import IcemeltError, SparkDied
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.cores import make_core_on_new_spark
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.spark_errors import spark_died_error, translated
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.execution import ClaimedRun, RunExecution
from icemelt.session.tasks.facts import SessionTaskFacts, TaskFacts

__all__ = ["Execution", "Place", "PooledHost", "Pools", "SessionHost", "TaskHost"]


class Execution(Protocol):
    """One claimed run on its way."""

    @property
    def run(self) -> ClaimedRun:
        """The run."""
        ...

    def execute(self) -> bool:
        """Execute the run up to its end in the registry.

        Returns:
            whether the end is that of the execution; else the run was cancelled, has timed out, or
            is lost.
        """
        ...

    def stop(self) -> None:
        """Stop the body, from another thread."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Room for one run in a Spark.

    Attributes:
        prepare: returns the execution of a claimed run, whose claim lasts for a time after each
            renewal.
        leave: gives the room back; called once, at the end of the run.
    """

    prepare: Callable[[ClaimedRun, timedelta], Execution]
    leave: Callable[[], object] = lambda: None


class TaskHost(Protocol):
    """Gives the runs of a scheduler their places."""

    @property
    def facts(self) -> TaskFacts:
        """What the scheduler asks about tasks, whether or not Spark lives."""
        ...

    def may_run(self, client: str | None) -> bool:
        """Tell whether a run may ask for a place now.

        Args:
            client: the client of a server who wrote the body; None for who runs the process.
        """
        ...

    def take_place(self, client: str | None) -> Place | None:
        """Return room for one run; None where there is none yet: ask again, or call `keep`.

        Args:
            client: the client of a server who wrote the body; None for who runs the process.

        Raises:
            SparkDied: Spark is gone, and not started again yet.
            SetupError: Spark did not start again.
        """
        ...

    def keep(self, clients: Collection[str | None]) -> None:
        """Wait for the places of some clients alone: no run of another one needs a place."""
        ...

    def close(self) -> None:
        """Close what was opened for the runs."""
        ...


@dataclass(slots=True)
class SessionHost:
    """Executes runs beside the statements of a session, and starts Spark again after Spark died.

    Attributes:
        first: the session, which stays open.
        options: how Spark starts again; None where Spark was started elsewhere.
    """

    first: Session
    options: LaunchOptions | None = None
    facts: SessionTaskFacts = field(init=False)
    _present: Session = field(init=False)

    def __post_init__(self) -> None:
        self._present = self.first
        self.facts = SessionTaskFacts(core_of(self.first), lambda: core_of(self._present))

    def may_run(self, _client: str | None) -> bool:
        """Tell that any run may: a process of its own has no other clients to keep from harm."""
        return True

    def take_place(self, _client: str | None) -> Place:
        """Return room for one run, after a new start of Spark where Spark has died.

        Raises:
            SparkDied: Spark is gone, and was not started by icemelt.
            SetupError: Spark did not start again.
        """
        if not is_alive(self._present.spark):
            if self.options is None:
                raise SparkDied(
                    "Spark is gone, and was not started by icemelt.",
                    hint="Start this process again: no task runs here meanwhile.",
                )
            core = make_core_on_new_spark(core_of(self._present), self.options)
            before, self._present = self._present, Session(core, owns_catalog=False)
            self._close(before)
        return _place_on(core_of(self._present))

    def keep(self, _clients: Collection[str | None]) -> None:
        """Do nothing: a session has room for all runs."""

    def close(self) -> None:
        """Close the session on the last Spark, but not the first session."""
        self._close(self._present)

    def _close(self, session: Session) -> None:
        if session is not self.first:
            with tolerate(IcemeltError, to="close a session of a scheduler", is_usual=True):
                session.close()


class Pools(Protocol):
    """Pools of Spark's fair scheduler, in which the runs of tasks take turns with other work."""

    def may_run(self, client: str | None) -> bool:
        """Tell whether a run of a client's task may wait for its turn."""
        ...

    def take_pool(self, client: str | None) -> str | None:
        """Return a free pool for a run of a client's task; None where there is none yet."""
        ...

    def give_back(self, pool: str, *, has_spark: bool) -> None:
        """Take a pool back at the end of a run, and hear whether the run's Spark lives."""
        ...

    def keep(self, clients: Collection[str | None]) -> None:
        """Hear for the runs of which clients alone a pool is waited for."""
        ...


@dataclass(frozen=True, slots=True)
class PooledHost:
    """Executes runs in pools of Spark's fair scheduler, beside the statements of other sessions.

    Attributes:
        first: a session of the lake.
        find_host: returns the session on the present Spark; raises SparkDied where there is none.
        pools: where the runs execute.
    """

    first: Session
    find_host: Callable[[], Session]
    pools: Pools
    facts: SessionTaskFacts = field(init=False)

    def __post_init__(self) -> None:
        facts = SessionTaskFacts(core_of(self.first), lambda: core_of(self.find_host()))
        object.__setattr__(self, "facts", facts)

    def may_run(self, client: str | None) -> bool:
        """Tell whether a run may wait for its turn; not where its client ends Spark too often."""
        return self.pools.may_run(client)

    def take_place(self, client: str | None) -> Place | None:
        """Return room for one run, as a pool of its own; None where no pool is free.

        Raises:
            SparkDied: Spark is gone, and being started anew.
        """
        host = core_of(self.find_host())
        if not is_alive(host.spark):
            raise spark_died_error()
        pool = self.pools.take_pool(client)
        if pool is None:
            return None
        try:
            with translated(host.spark):
                core = replace(host, jobs=Jobs(host.spark, host.session_id, pool))
        except BaseException:
            self.pools.give_back(pool, has_spark=True)
            raise

        def leave() -> None:
            self.pools.give_back(pool, has_spark=is_alive(core.spark))

        return _place_on(core, leave)

    def keep(self, clients: Collection[str | None]) -> None:
        """Ask for the pools of some clients alone."""
        self.pools.keep(clients)

    def close(self) -> None:
        """Ask for no pool any longer: the sessions are the caller's."""
        self.pools.keep(())


def _place_on(core: Core, leave: Callable[[], object] = lambda: None) -> Place:
    """Return room for a run in the session of some parts.

    Args:
        core: the parts.
        leave: gives the room back.
    """
    return Place(partial(RunExecution, core), leave)
