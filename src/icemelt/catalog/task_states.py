"""The states of roots in the registry, and the versions of their graphs.

A state is one JSON document, which every event of the root's runs replaces. A version is written
once, and read once by each process: a graph may have a thousand tasks. `digest` tells what tasks a
version has, so that a version whose writing was rolled back is never taken for a later one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import objects, task_graph_versions, task_graphs
from icemelt.errors import CatalogError, IcemeltError, InternalError
from icemelt.tasks.documents import (
    decode_graph,
    decode_state,
    digest_tasks,
    encode_state,
    encode_tasks,
    list_versions,
)
from icemelt.tasks.errors import GraphUnreadable
from icemelt.tasks.graph import GraphVersion
from icemelt.tasks.records import RootState
from icemelt.tasks.runs import next_scheduled_time, next_wake, wants_look

__all__ = [
    "RootRow",
    "add_root_state",
    "graphs_of",
    "moment_of",
    "read_root_state",
    "remove_root_state",
    "take_root",
    "time_of",
    "write_root_state",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MOST_CACHED_TASKS = 20_000
# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_THIS_ROOT = task_graphs.c.root_id == sa.bindparam("of_root")
_READ = sa.select(task_graphs).where(_THIS_ROOT)
_TAKE = _READ.with_for_update()
_NAME = sa.select(objects.c.name).where(objects.c.object_id == sa.bindparam("of_root"))
_ADD = task_graphs.insert()
_WRITE = (
    task_graphs.update()
    .where(_THIS_ROOT, task_graphs.c.revision == sa.bindparam("of_revision"))
    .values(
        {
            column.name: sa.bindparam(f"new_{column.name}", type_=column.type)
            for column in task_graphs.columns
            if column.name not in {"root_id", "schema_id"}
        }
    )
)
_REMOVE = task_graphs.delete().where(_THIS_ROOT)
_VERSIONS_OF_ROOT = task_graph_versions.c.root_id == sa.bindparam("of_root")
_DIGESTS = sa.select(task_graph_versions.c.number, task_graph_versions.c.digest).where(
    _VERSIONS_OF_ROOT
)
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("of_numbers", expanding=True)
_TASKS = sa.select(task_graph_versions.c.number, task_graph_versions.c.tasks).where(
    _VERSIONS_OF_ROOT, task_graph_versions.c.number.in_(_NUMBERS)
)
_ADD_VERSION = task_graph_versions.insert()
_REMOVE_VERSIONS = task_graph_versions.delete().where(
    _VERSIONS_OF_ROOT, task_graph_versions.c.number.in_(_NUMBERS)
)
_REMOVE_ALL_VERSIONS = task_graph_versions.delete().where(_VERSIONS_OF_ROOT)


@dataclass(frozen=True, slots=True)
class RootRow:
    """The state of a root, as read from the registry.

    Args:
        root_id: the object id of the root.
        revision: the number of the state, compared when the next one is written.
        seen_at: the time of the last event, in milliseconds since 1970.
        state: the state.
        digests: the digest of each version in the registry, by number.
    """

    root_id: str
    revision: int
    seen_at: int
    state: RootState
    digests: Mapping[int, str] = field(hash=False)


def time_of(milliseconds: int) -> datetime:
    """Return the moment of a time of the registry, in UTC.

    >>> time_of(1_500).isoformat()
    '1970-01-01T00:00:01.500000+00:00'
    """
    return _EPOCH + timedelta(milliseconds=milliseconds)


def moment_of(moment: datetime) -> int:
    """Return the time of a moment in milliseconds since 1970, rounded up.

    >>> moment_of(time_of(1_500) + timedelta(microseconds=1))
    1501
    """
    return -((_EPOCH - moment) // _MILLISECOND)


def graphs_of(*states: RootState) -> dict[int, GraphVersion]:
    """Return the versions of graphs that states need, by number."""
    found = {}
    for state in states:
        optional = [run for run in (state.queued, state.last_ended) if run is not None]
        for graph in (state.graph, *(run.version for run in (*state.active, *optional))):
            found[graph.number] = graph
    return found


def take_root(connection: sa.Connection, root_id: str) -> RootRow | None:
    """Return the state of a root, which no other transaction changes before the commit.

    Args:
        connection: a connection in a write transaction.
        root_id: the object id of the root.

    Raises:
        GraphUnreadable: the state, or a version that it needs, cannot be read here.
    """
    return _read_root(connection, root_id, _TAKE)


def read_root_state(connection: sa.Connection, root_id: str) -> RootState | None:
    """Return the state of a root; None where the task is no live root, or its graph is none.

    Raises:
        GraphUnreadable: the state, or a version that it needs, cannot be read here.
    """
    row = _read_root(connection, root_id, _READ)
    return None if row is None else row.state


def add_root_state(
    connection: sa.Connection, schema_id: str, root_id: str, state: RootState, now: int
) -> None:
    """Add the state of a root that has none.

    Args:
        connection: a connection in a write transaction.
        schema_id: the object id of the root's schema.
        root_id: the object id of the root.
        state: the state.
        now: the time, in milliseconds since 1970.
    """
    digest = _add_version(connection, root_id, state.graph)
    values = _values(state, digest, 1, now)
    connection.execute(_ADD, {"root_id": root_id, "schema_id": schema_id, **values})


def write_root_state(connection: sa.Connection, row: RootRow, state: RootState, now: int) -> None:
    """Write the next state of a root, with the new versions; remove those that no run needs.

    Args:
        connection: a connection in the write transaction that has taken the root.
        row: the state before.
        state: the next state.
        now: the time, in milliseconds since 1970.

    Raises:
        InternalError: the root has another state than before, although it was taken.
    """
    graphs = graphs_of(state)
    digests = dict(row.digests)
    for number in sorted(graphs.keys() - row.digests.keys()):
        digests[number] = _add_version(connection, row.root_id, graphs[number])
    if unneeded := row.digests.keys() - graphs.keys():
        these = {"of_root": row.root_id, "of_numbers": sorted(unneeded)}
        connection.execute(_REMOVE_VERSIONS, these)
    values = _values(state, digests[state.graph.number], row.revision + 1, now)
    changed = {f"new_{name}": value for name, value in values.items()}
    before = {"of_root": row.root_id, "of_revision": row.revision}
    if connection.execute(_WRITE, before | changed).rowcount != 1:
        raise InternalError(
            f"The runs of root task {row.root_id} changed while they were taken.",
            hint="Report this, with the log: nothing was changed.",
        )


def remove_root_state(connection: sa.Connection, root_id: str) -> None:
    """Remove the state of a root, and all versions of its graph."""
    connection.execute(_REMOVE, {"of_root": root_id})
    connection.execute(_REMOVE_ALL_VERSIONS, {"of_root": root_id})


def _values(state: RootState, digest: str, revision: int, now: int) -> dict[str, Any]:
    wake, scheduled = next_wake(state), next_scheduled_time(state)
    return {
        "revision": revision,
        "seen_at": now,
        "next_wake": None if wake is None else moment_of(wake),
        "next_scheduled_at": None if scheduled is None else moment_of(scheduled),
        "wants_look": wants_look(state),
        "queued_run_id": None if state.queued is None else state.queued.id,
        "graph_version": state.graph.number,
        "digest": digest,
        "state": encode_state(state),
    }


def _read_root(connection: sa.Connection, root_id: str, query: sa.Select[Any]) -> RootRow | None:
    """Return the state of a root by a query of its row; None where it has none.

    Raises:
        GraphUnreadable: a document is not what this icemelt writes, or names what this machine has
            not, as a time zone.
    """
    try:
        row = connection.execute(query, {"of_root": root_id}).first()
        return None if row is None else _read_row(connection, row)
    except CatalogError:
        raise
    except IcemeltError as error:
        raise _unreadable(connection, root_id, error.message) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _unreadable(connection, root_id, repr(error)) from error


def _unreadable(connection: sa.Connection, root_id: str, problem: str) -> GraphUnreadable:
    name = connection.scalar(_NAME, {"of_root": root_id}) or root_id
    return GraphUnreadable(
        f"The graph of root task {name!r} cannot be read on this machine: {problem}",
        hint=f"ALTER TASK {name} SET SCHEDULE = '1 HOUR', or DROP TASK {name}",
    )


def _read_row(connection: sa.Connection, row: Any) -> RootRow:
    digests = {
        version.number: version.digest
        for version in connection.execute(_DIGESTS, {"of_root": row.root_id})
    }
    needed = {number: digests[number] for number in list_versions(row.state)}
    graphs = _read_graphs(connection, row.root_id, needed)
    state = decode_state(row.state, graphs.__getitem__)
    return RootRow(row.root_id, row.revision, row.seen_at, state, digests)


# --------------------------------------------------------------------------------------- versions


class _Graphs:
    """The graphs that were read last, up to a number of tasks; for all threads of the process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._graphs: OrderedDict[tuple[int, str], GraphVersion] = OrderedDict()
        self._tasks = 0

    def find(self, number: int, digest: str) -> GraphVersion | None:
        with self._lock:
            found = self._graphs.get((number, digest))
            if found is not None:
                self._graphs.move_to_end((number, digest))
            return found

    def keep(self, digest: str, graph: GraphVersion) -> None:
        with self._lock:
            if (graph.number, digest) in self._graphs:
                return
            self._graphs[graph.number, digest] = graph
            self._tasks += len(graph.tasks)
            while self._tasks > _MOST_CACHED_TASKS:
                self._tasks -= len(self._graphs.popitem(last=False)[1].tasks)


_CACHE = _Graphs()


def _read_graphs(
    connection: sa.Connection, root_id: str, digests: dict[int, str]
) -> dict[int, GraphVersion]:
    """Return versions by number, out of the cache or the registry."""
    cached = {number: _CACHE.find(number, digest) for number, digest in digests.items()}
    graphs = {number: graph for number, graph in cached.items() if graph is not None}
    if missing := digests.keys() - graphs.keys():
        values = {"of_root": root_id, "of_numbers": sorted(missing)}
        for row in connection.execute(_TASKS, values):
            graphs[row.number] = decode_graph(row.number, row.tasks)
            _CACHE.keep(digests[row.number], graphs[row.number])
    return graphs


def _add_version(connection: sa.Connection, root_id: str, graph: GraphVersion) -> str:
    """Add a version of a root's graph; return its digest."""
    tasks = encode_tasks(graph)
    digest = digest_tasks(tasks)
    values = {"root_id": root_id, "number": graph.number, "digest": digest, "tasks": tasks}
    connection.execute(_ADD_VERSION, values)
    _CACHE.keep(digest, graph)
    return digest
