"""Write the queues of pipes: in the SQL transaction of a publication, and the error of a run."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.database import Database
from icemelt.catalog.edits import AddLoads, LoadQueuedFiles, QueueFiles
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.load_writer import add_loads
from icemelt.catalog.model import objects, pipes, queued_files
from icemelt.catalog.outcomes import NotPublishedError, QueueOvertaken
from icemelt.catalog.queries.loads import load_history
from icemelt.catalog.queries.pipes import read_queue
from icemelt.catalog.records import Moment

__all__ = ["load_queued_files", "note_pipe_error", "queue_files"]


def queue_files(connection: sa.Connection, moment: Moment, edit: QueueFiles) -> None:
    """Add files to the queue of a pipe, and take out those that are gone or have changed.

    Args:
        connection: a connection in a write transaction.
        moment: the commit number and the time.
        edit: the files.

    Raises:
        NotPublishedError: the pipe was dropped meanwhile.
    """
    _require_live(connection, edit.pipe_id)
    _remove(connection, edit.pipe_id, [*edit.removed, *(file.path for file in edit.files)])
    rows = [
        {
            "pipe_id": edit.pipe_id,
            "path": file.path,
            "name": file.name,
            "size": file.size,
            "modified_at": file.modified_at,
            "queued_at": moment.time,
        }
        for file in edit.files
    ]
    if rows:
        connection.execute(queued_files.insert(), rows)


def load_queued_files(
    connection: sa.Connection, moment: Moment, statement_id: str, edit: LoadQueuedFiles
) -> None:
    """Take a batch of files out of the queue of a pipe, and record what became of them.

    Args:
        connection: a connection in a write transaction.
        moment: the commit number and the time.
        statement_id: the id of the statement, empty for a run in the background.
        edit: the batch.

    Raises:
        NotPublishedError: the pipe was dropped, the queue has other files, or another transaction
            has loaded a file of the batch into the table.
    """
    _require_live(connection, edit.pipe_id)
    paths = [file.path for file in edit.files]
    queued = {file.path: file for file in read_queue(connection, edit.pipe_id, paths)}
    if any(queued.get(file.path) != file for file in edit.files):
        raise NotPublishedError(QueueOvertaken())
    _require_not_loaded(connection, edit.table_id, edit.loads)
    _remove(connection, edit.pipe_id, paths)
    add_loads(connection, moment, statement_id, AddLoads(edit.table_id, edit.loads))
    loaded = [load.path for load in edit.loads if load.is_loaded]
    if loaded:
        name = queued[loaded[-1]].name
        _change(connection, edit.pipe_id, {"ingested_at": moment.time, "ingested_name": name})


def note_pipe_error(database: Database, pipe_id: str, error: str | None) -> None:
    """Note why the last run of a pipe has left files, None where it has left none.

    Args:
        database: the catalog's database.
        pipe_id: the pipe's object id.
        error: the message.
    """
    with database.read() as connection:
        noted = connection.scalar(sa.select(pipes.c.error).where(pipes.c.pipe_id == pipe_id))
    if noted == error:
        return
    with database.write() as connection:
        if _is_live(connection, pipe_id):
            error_at = None if error is None else database.clock(connection)
            _change(connection, pipe_id, {"error": error, "error_at": error_at})


def _require_not_loaded(
    connection: sa.Connection, table_id: str, loads: Sequence[LoadRecord]
) -> None:
    """End the attempt if the table has a file of the batch already."""
    known = load_history(connection, table_id, [load.path for load in loads])
    for load in loads:
        record = known.get(load.path)
        if record is not None and record.is_loaded and record.is_of(load.size, load.modified_at):
            raise NotPublishedError(QueueOvertaken())


def _require_live(connection: sa.Connection, pipe_id: str) -> None:
    if not _is_live(connection, pipe_id):
        raise NotPublishedError(QueueOvertaken())


def _is_live(connection: sa.Connection, pipe_id: str) -> bool:
    live = objects.c.object_id == pipe_id, objects.c.dropped_at.is_(None)
    return connection.scalar(sa.select(objects.c.object_id).where(*live)) is not None


def _remove(connection: sa.Connection, pipe_id: str, paths: Sequence[str]) -> None:
    for part in split_values(paths):
        these = queued_files.c.pipe_id == pipe_id, queued_files.c.path.in_(part)
        connection.execute(queued_files.delete().where(*these))


def _change(connection: sa.Connection, pipe_id: str, values: dict[str, object]) -> None:
    """Change the state of a pipe, which has a row from the first change on."""
    this = pipes.c.pipe_id == pipe_id
    if connection.execute(pipes.update().where(this).values(values)).rowcount == 0:
        connection.execute(pipes.insert().values(pipe_id=pipe_id, **values))
