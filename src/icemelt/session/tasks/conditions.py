"""The condition of a task: whether it is true now, and which streams it asks."""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.catalog.records import StreamRecord
from icemelt.catalog.task_records import TaskRecord
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.cores import make_core_in_schema
from icemelt.session.runtime.settings import Settings
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.tasks.evaluation import evaluate
from icemelt.session.timeline.stream_state import refuse_broken, refuse_stale
from icemelt.session.timeline.system_functions import ask
from icemelt.session.timeline.task_functions import answer_task_function
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.parse import parse_condition
from icemelt.sql.statements.task_conditions import find_streams

__all__ = ["WatchedStream", "evaluate_condition", "find_watched_streams"]


@dataclass(frozen=True, slots=True)
class WatchedStream:
    """A stream of a task's condition, and what can give it rows.

    Attributes:
        stream_id: the object id of the stream.
        source_ids: the object ids of the tables, the stage or the external table under it, and of
            the views between: what is published about another object gives the stream no rows.
    """

    stream_id: str
    source_ids: frozenset[str]

    @property
    def object_ids(self) -> frozenset[str]:
        """The ids of all objects whose publications can matter to the stream, its own included."""
        return self.source_ids | {self.stream_id}


def evaluate_condition(core: Core, context: TaskContext) -> bool:
    """Tell whether the condition of a task is true now; a task without one may always run.

    The registry alone is asked: no Spark job starts. A file is opened only for a stream that was
    not consumed in time.

    Args:
        core: the parts of the session that asks, which may be in a transaction of its own.
        context: the run of the task.

    Raises:
        ObjectNotFound: a stream of the condition does not exist.
        StreamBroken: the source of a stream was dropped or replaced.
        StreamStale: a version that a stream has not read has expired.
        QueryError: a predecessor is named that there is not.
        ValueRefused: a text is taken for a number, and is none.
    """
    task = context.task
    if task.condition is None:
        return True
    return evaluate(parse_condition(task.condition), _Facts(_core_of(core, task), context))


def find_watched_streams(core: Core, task: TaskRecord) -> tuple[WatchedStream, ...]:
    """Return the streams of a task's condition, each with the objects that can give it rows.

    A stream that does not exist is left out: evaluating the condition tells.
    """
    if task.condition is None:
        return ()
    own = _core_of(core, task)
    streams = dict.fromkeys(find_streams(parse_condition(task.condition)))
    names = [own.full(written_name(stream)) for stream in streams]
    found = own.find(names).objects if names else {}
    records = (found.get(name) for name in names)
    watched = (_watch(record) for record in records if isinstance(record, StreamRecord))
    return tuple(dict.fromkeys(watched))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the registry says of streams, and the run of its predecessors."""

    core: Core
    context: TaskContext

    def has_data(self, stream: str) -> bool:
        """Tell whether a stream has rows; a stream that cannot be read is an error."""
        record, moment = self.core.object_now(StreamRecord, written_name(stream))
        refuse_broken(record)
        refuse_stale(self.core, record, moment.commit_number)
        return bool(ask(self.core, "SYSTEM$STREAM_HAS_DATA", stream))

    def answer(self, function: str, argument: str | None) -> str | None:
        """Answer a function about the run."""
        return answer_task_function(self.context, function, argument, self.core.settings.timezone)


def _core_of(core: Core, task: TaskRecord) -> Core:
    """Return the parts of a session in the task's schema."""
    zone = task.options.get("TIMEZONE", Settings().timezone)
    return make_core_in_schema(core, task.name, zone)


def _watch(stream: StreamRecord) -> WatchedStream:
    sources = {source.record.object_id for source in stream.sources}
    return WatchedStream(stream.object_id, frozenset(sources | {stream.source.object_id}))
