"""Run a pipe: find the files of its place, queue the new ones, and load the queue in batches.

Three commits of a run that finds 1,500 new files:

    queue   1,500 files of the place, of which the load history knows none as they are now
    load    1,000 of them: rows, load history and queue change at once
    load    500, and the queue is empty

A run that is killed leaves the rest in the queue, and the next run goes on there. Two runs at once
load no file twice: a batch is published only if the queue and the load history have its files as
the batch has read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from icemelt.catalog.defined_records import PipeRecord
from icemelt.catalog.edits import QueueFiles
from icemelt.catalog.pipe_records import QueuedFile
from icemelt.catalog.queries.loads import load_history
from icemelt.catalog.queries.pipes import read_queue
from icemelt.session.copy.file_loads import FileLoad, match_records, paths_in_history
from icemelt.session.copy.pipe_batches import PipeBatches, PipeRun, is_read
from icemelt.session.copy.pipe_statements import (
    PipeChoice,
    PipeFile,
    find_pipe_files,
    run_pipe_copy,
)
from icemelt.session.runtime.core import Core, History
from icemelt.session.timeline.pipe_state import refuse_broken_pipe
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["run_pipe"]

# the most files, and about the most bytes, that one commit loads
_BATCH_FILES, _BATCH_BYTES = 1_000, 1 << 30
_QUEUED = "QUEUED"


def run_pipe(
    core: Core, pipe: PipeRecord, choice: PipeChoice, history: History | None = None
) -> PipeRun:
    """Queue the new files of a pipe's place, and load the queue unless the pipe is paused.

    A file is new if the load history of the table does not have it as it is: with its size and its
    time. A file that was skipped for its errors is not new either, until it changes.

    Args:
        core: the parts of the session, as `open_pipe_core` gives them.
        pipe: the pipe.
        choice: which new files are queued.
        history: makes the statement's record, which is published with the last batch; None in the
            background.

    Returns:
        what became of the files, and why some were left.

    Raises:
        PipeBroken: the table, the stage or the file format is not as when the pipe was made.
        LoadFailed: the place cannot be listed.
        FileRefused: who made the pipe may not read the place.
    """
    refuse_broken_pipe(core, pipe)
    files = run_pipe_copy(core, pipe, partial(find_pipe_files, pipe))
    queue = _queue_new(core, pipe, files, choice)
    by_path = {found.file.key: found for found in files}
    waiting = [by_path[queued.path] for queued in queue]
    run = PipeRun()
    batches = PipeBatches(core, pipe, run)
    for batch, is_last in _split(waiting):
        if batches.is_paused():
            break
        batches.load(batch, history if is_last else None)
    if batches.is_paused():
        loaded = {load.file.key for load in run.loads}
        run.loads += [
            FileLoad(found.file, _QUEUED) for found in waiting if found.file.key not in loaded
        ]
    return run


def _queue_new(
    core: Core, pipe: PipeRecord, files: Sequence[PipeFile], choice: PipeChoice
) -> list[QueuedFile]:
    """Bring the queue of a pipe up to date with its place; return the queue.

    A queued file that has changed is queued as it is now; one that is gone, or was loaded by COPY
    INTO meanwhile, leaves the queue.
    """

    def work(_attempt: Attempt) -> Pending[list[QueuedFile]]:
        with core.database.read() as connection:
            before = {file.path: file for file in read_queue(connection, pipe.object_id)}
            chosen = [found for found in files if _waits(found, before) or choice.has(found)]
            chosen_files = [found.file for found in chosen]
            records = load_history(connection, pipe.table_id, paths_in_history(chosen_files))
            known = match_records(chosen_files, records)
        after = {
            found.file.key: found.queued
            for found in chosen
            if not is_read(found.file, known.get(found.file.key))
        }
        added = tuple(file for path, file in after.items() if before.get(path) != file)
        removed = tuple(path for path in before if path not in after)
        # first those that wait longest
        order = [*(path for path in before if path in after), *(file.path for file in added)]
        queue = [after[path] for path in dict.fromkeys(order)]
        edit = QueueFiles(pipe.object_id, added, removed)
        return Pending(queue, None, edits=(edit,) if added or removed else ())

    return core.run(work).outcome


def _waits(found: PipeFile, queue: Mapping[str, QueuedFile]) -> bool:
    """Tell whether a file is in a queue, where an older icemelt has put it by another path."""
    return found.file.key in queue or found.file.path in queue


def _split(files: Sequence[PipeFile]) -> Iterator[tuple[list[PipeFile], bool]]:
    """Yield batches of files, each with whether it is the last."""
    batch: list[PipeFile] = []
    size = 0
    for found in files:
        if batch and (len(batch) == _BATCH_FILES or size + found.file.size > _BATCH_BYTES):
            yield batch, False
            batch, size = [], 0
        batch.append(found)
        size += found.file.size
    if batch:
        yield batch, True
