"""The session that executes the body of a task, with the rights of who wrote the body."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace

from icemelt.errors import IcemeltError
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.cores import make_core, make_guest_core, open_spark_session
from icemelt.session.runtime.current import use_namespace
from icemelt.session.runtime.guest_places import narrow_kept
from icemelt.session.runtime.session_parameters import find_parameter_setter
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.task_context import RunningTask
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.authors import find_revocation

__all__ = ["BodyStop", "open_task_session"]

# the options of a task that are parameters of its session
_PARAMETERS = ("TIMEZONE", "LOCK_TIMEOUT", "VIEW_CHANGES", "MERGE_STRATEGY", "LEARN_COSTS")


class BodyStop:
    """Stops the body of a task from another thread: for a timeout, a cancel or a lost lease.

    The running statement is cancelled with its Spark jobs, and no later one begins. A statement
    that is being published already is left alone: its publication succeeds or is refused by the
    fence that it carries.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._is_stopped = False
        self.error: IcemeltError | None = None

    def stop(self, error: IcemeltError | None = None) -> None:
        """Stop the body; one that has not begun ends at its beginning.

        Args:
            error: why, where that is the error of the run; None where the registry has the reason.
        """
        with self._lock:
            self._is_stopped = True
            self.error = self.error or error
            session = self._session
        if session is not None:
            session.cancel(for_good=True)

    @contextlib.contextmanager
    def of(self, session: Session) -> Iterator[None]:
        """Let the session of a block be stopped."""
        with self._lock:
            self._session, is_stopped = session, self._is_stopped
        if is_stopped:
            session.cancel(for_good=True)
        try:
            yield
        finally:
            with self._lock:
                self._session = None


@contextlib.contextmanager
def open_task_session(core: Core, running: RunningTask) -> Iterator[Session]:
    """Give a session of who wrote the body, in the task's schema, and close it at the end.

    The parameters are the default ones, and those of the task's options. A task whose body a
    server's guest wrote may name the guest's files alone, and call harmless functions alone.

    Args:
        core: the parts of the session that executes tasks.
        running: the run of the task.

    Raises:
        ObjectNotFound: the schema of the task was dropped.
        KeyRevoked: the key of the client who wrote the body was revoked.
    """
    task = running.context.task
    if revocation := find_revocation(core.database, task):
        raise revocation
    with translated(core.spark):
        if task.run_within is None:
            own = make_core(
                open_spark_session(core.spark),
                core.database,
                task.author,
                core.information,
                core.relations.scratch.place,
                core.jobs.pool,
            )
        else:
            within = narrow_kept(core, task.run_within).locations
            own = make_guest_core(core, task.author, within or (), core.jobs.pool)
    own = replace(own, suspects=core.suspects, guest_limit=core.guest_limit, plans=core.plans)
    session = Session(own, owns_catalog=False)
    try:
        _set_up(core_of(session), running)
        yield session
    finally:
        session.close()


def _set_up(own: Core, running: RunningTask) -> None:
    task = running.context.task
    use_namespace(own, task.name.database, task.name.schema, None)
    for name in _PARAMETERS:
        if name in task.options:
            find_parameter_setter(name, task.options[name])(own)
    own.settings.running_task = running
