"""Load files of a pipe's queue, one commit for a batch; a file at fault costs no other file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.defined_records import PipeRecord
from icemelt.catalog.edits import LoadQueuedFiles
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.queries.pipes import read_queue
from icemelt.errors import (
    DataError,
    FileRefused,
    IcemeltError,
    Never,
    NotYet,
    ObjectNotFound,
    PipeBroken,
    QueryError,
)
from icemelt.session.copy.file_loads import (
    FileLoad,
    LoadOptions,
    fail_file,
    find_load_records,
    find_safe_count,
    load_files,
    read_load_options,
    rows_loaded,
    to_load_record,
)
from icemelt.session.copy.pipe_statements import PipeFile, is_still_there, run_pipe_copy
from icemelt.session.dml.writing import WriteTarget, finish_write, open_target
from icemelt.session.files.dividing import divide
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.spark_errors import is_about_memory, is_about_value
from icemelt.session.timeline.pipe_state import refuse_broken_pipe
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import CopyInto
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["PipeBatches", "PipeRun", "is_read"]

# a run ends after so many files that it cannot open: the reason is of the machine, not of a file
_MOST_LEFT = 10


class _FileFault(Exception):
    """A file of a batch cannot be loaded, and the batch has written nothing."""

    def __init__(self, error: IcemeltError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(slots=True)
class PipeRun:
    """What a run of a pipe has done.

    Attributes:
        loads: what became of each file that was found, in the order of loading.
        left: the files that stay in the queue, as they cannot be opened or have changed meanwhile.
        error: why the last of these was left, None where none was.
        is_noted: whether the statement's record was published.
    """

    loads: list[FileLoad] = field(default_factory=list)
    left: list[PipeFile] = field(default_factory=list)
    error: IcemeltError | None = None
    is_noted: bool = False


def is_read(file: SourceFile, record: LoadRecord | None) -> bool:
    """Tell whether a file was loaded or skipped, and has not changed since.

    Args:
        file: the file.
        record: what the load history has of the file, None for nothing.
    """
    return record is not None and record.is_of(file.size, file.modified_at)


@dataclass(frozen=True, slots=True)
class PipeBatches:
    """Loads the batches of one run of a pipe.

    Attributes:
        core: the parts of the session, as `open_pipe_core` gives them.
        pipe: the pipe as the run has found it.
        run: takes what was done.
    """

    core: Core
    pipe: PipeRecord
    run: PipeRun

    def is_paused(self) -> bool:
        """Tell whether the pipe is paused by now.

        Raises:
            ObjectNotFound: the pipe was dropped or replaced.
        """
        name = self.pipe.name
        found = self.core.object_of(PipeRecord, name.as_written)
        if (found.object_id, found.statement) != (self.pipe.object_id, self.pipe.statement):
            raise ObjectNotFound(
                f"Pipe {str(name)!r} was replaced while it ran.",
                hint=f"ALTER PIPE {full_name(name)} REFRESH",
            )
        return found.is_paused

    def load(self, batch: Sequence[PipeFile], history: History | None) -> None:
        """Load a batch in one commit; where a file is at fault, or too large, its halves.

        Args:
            batch: files of the queue.
            history: makes the statement's record, to be published with the batch; None for none.

        Raises:
            FileRefused: many files cannot be opened, or the disk is full.
            QueryError: the statement fails for many files, for a reason of no value.
        """
        count = find_safe_count(self.core, [found.file for found in batch])
        if count < len(batch):
            for start in range(0, len(batch), count):
                is_last = start + count >= len(batch)
                self.load(batch[start : start + count], history if is_last else None)
            return
        last = batch[-1]

        def history_of(part: Sequence[PipeFile]) -> History | None:
            return history if part[-1] is last else None

        divide(
            batch,
            lambda part: self._try(part, history_of(part)),
            lambda found, error: self._load_alone(found, error, history_of([found])),
        )

    def _try(self, batch: Sequence[PipeFile], history: History | None) -> IcemeltError | None:
        """Load a batch in one commit; return why a file is at fault, None where none is."""
        try:
            run_pipe_copy(self.core, self.pipe, partial(self._load, batch, history))
        except _FileFault as fault:
            return fault.error
        return None

    def _load_alone(self, found: PipeFile, error: IcemeltError, history: History | None) -> None:
        """Load a file that has failed alone once more, where the failure may pass; or skip it.

        A file is skipped for ever. So memory that others had is not taken for a fault of the file.
        """
        last: IcemeltError | None = error
        if is_about_memory(error):
            last = self._try([found], history)
        if last is not None:
            self._skip(found, last, history)

    def _load(
        self, batch: Sequence[PipeFile], history: History | None, core: Core, copy: CopyInto
    ) -> None:
        options = read_load_options(core, copy)

        def work(attempt: Attempt) -> Pending[list[FileLoad]]:
            if attempt.number > 1:
                refuse_broken_pipe(core, self.pipe)
            waiting = self._find_waiting(batch)
            if not waiting:
                return Pending([], None)
            table = core.table(copy.target)
            if table.object_id != self.pipe.table_id:
                raise PipeBroken(
                    f"Pipe {str(self.pipe.name)!r} cannot run: its table was replaced.",
                    hint=f"SELECT SYSTEM$PIPE_STATUS('{self.pipe.name}') tells how.",
                )
            target = open_target(core, attempt, table)
            loads = _load_fresh(core, target, copy, options, [found.file for found in waiting])
            written = finish_write(attempt, target, "COPY")
            edits = (self._edit(waiting, loads),)
            return Pending(loads, self._record(history, loads), (written,), edits)

        self._publish(core, work, history)

    def _skip(self, found: PipeFile, error: IcemeltError, history: History | None) -> None:
        """Record that a file cannot be loaded; leave one that is gone, has changed or is no cause.

        A file is no cause where the storage does not give it now, or the statement fails for a
        reason of no value.

        Raises:
            FileRefused, QueryError: many files were left already.
        """
        is_there = partial(is_still_there, self.pipe, found.file)
        is_no_cause = isinstance(error, FileRefused) or (
            isinstance(error, QueryError)
            and not is_about_value(error)
            and not is_about_memory(error)
        )
        if is_no_cause or not run_pipe_copy(self.core, self.pipe, is_there):
            self.run.left.append(found)
            said = f"File {found.file.name!r} is left for the next run: {error.message}"
            self.run.error = type(error)(said, hint=error.hint)
            if is_no_cause and len(self.run.left) >= _MOST_LEFT:
                raise self.run.error
            return
        load = fail_file(found.file, error)

        def work(_attempt: Attempt) -> Pending[list[FileLoad]]:
            waiting = self._find_waiting([found])
            if not waiting:
                return Pending([], None)
            edits = (self._edit(waiting, [load]),)
            return Pending([load], self._record(history, []), edits=edits)

        self._publish(self.core, work, history)

    def _publish(
        self,
        core: Core,
        work: Callable[[Attempt], Pending[list[FileLoad]]],
        history: History | None,
    ) -> None:
        finished = core.run(work)
        self.run.loads += finished.outcome
        if history is not None and not finished.did_nothing:
            self.run.is_noted = True

    def _find_waiting(self, batch: Sequence[PipeFile]) -> list[PipeFile]:
        """Return the files that still wait in the queue as the run has found them."""
        with self.core.database.read() as connection:
            paths = [found.file.key for found in batch]
            queue = set(read_queue(connection, self.pipe.object_id, paths))
        return [found for found in batch if found.queued in queue]

    def _edit(self, waiting: Sequence[PipeFile], loads: Sequence[FileLoad]) -> LoadQueuedFiles:
        records = tuple(to_load_record(load, self.pipe.object_id) for load in loads)
        files = tuple(found.queued for found in waiting)
        return LoadQueuedFiles(self.pipe.object_id, self.pipe.table_id, files, records)

    def _record(
        self, history: History | None, loads: Sequence[FileLoad]
    ) -> Callable[[], StatementRecord] | None:
        if history is None:
            return None
        return partial(history, rows_loaded([*self.run.loads, *loads]))


def _load_fresh(
    core: Core,
    target: WriteTarget,
    copy: CopyInto,
    options: LoadOptions,
    files: Sequence[SourceFile],
) -> list[FileLoad]:
    """Write the rows of the files that the table does not have; return what became of them.

    Raises:
        _FileFault: a file has changed, cannot be opened or computed with, or takes too much memory.
    """
    records = find_load_records(core, target.table, files)
    fresh = [file for file in files if not is_read(file, records.get(file.key))]
    if not fresh:
        return []
    try:
        return load_files(core, target, copy, options, fresh)
    except (DataError, Never, NotYet, QueryError) as error:
        # of a QueryError: the statement's query cannot compute with a record, or lacks memory
        if len(fresh) == 1:
            core.scope.locate(error)
        raise _FileFault(error) from error
