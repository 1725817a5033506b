"""Read the queues of pipes, and what the pipes have done last."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.model import pipes, queued_files
from icemelt.catalog.pipe_records import PipeState, QueuedFile

__all__ = ["pipes_with_files", "read_pipe_state", "read_queue"]

_QUEUE = sa.select(queued_files).order_by(queued_files.c.queued_at, queued_files.c.path)


def read_queue(
    connection: sa.Connection, pipe_id: str, paths: Sequence[str] | None = None
) -> list[QueuedFile]:
    """Return the files in the queue of a pipe, first those that wait longest.

    Args:
        connection: a connection to the catalog's database.
        pipe_id: the pipe's object id.
        paths: the paths of the files to return; None for all files.
    """
    query = _QUEUE.where(queued_files.c.pipe_id == pipe_id)
    if paths is None:
        return _files(connection, query)
    found = []
    for part in split_values(paths):
        found += _files(connection, query.where(queued_files.c.path.in_(part)))
    return found


def read_pipe_state(connection: sa.Connection, pipe_id: str) -> PipeState:
    """Return what a pipe has done last, and how many files wait."""
    this = queued_files.c.pipe_id == pipe_id
    pending = connection.scalar(sa.select(sa.func.count()).select_from(queued_files).where(this))
    oldest = connection.execute(_QUEUE.where(this).limit(1)).first()
    row = connection.execute(sa.select(pipes).where(pipes.c.pipe_id == pipe_id)).first()
    return PipeState(
        pending or 0,
        None if oldest is None else oldest.name,
        None if oldest is None else oldest.queued_at,
        None if row is None else row.ingested_name,
        None if row is None else row.ingested_at,
        None if row is None else row.error,
        None if row is None else row.error_at,
    )


def pipes_with_files(connection: sa.Connection) -> set[str]:
    """Return the object ids of the pipes whose queue has files."""
    return set(connection.scalars(sa.select(queued_files.c.pipe_id).distinct()))


def _files(connection: sa.Connection, query: sa.Select[tuple[object, ...]]) -> list[QueuedFile]:
    return [
        QueuedFile(row.path, row.name, row.size, row.modified_at)
        for row in connection.execute(query)
    ]
