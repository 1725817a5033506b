"""The COPY INTO of a pipe: analysed anew for each use, and the files that it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from icemelt.catalog.defined_records import PipeRecord, StageRecord
from icemelt.catalog.pipe_records import QueuedFile
from icemelt.errors import InternalError, PipeBroken
from icemelt.session.files.file_places import FilePlace, find_place, find_place_in, open_files
from icemelt.session.files.source_files import SourceFile, distinct_files, find_files, path_below
from icemelt.session.files.stage_rows import relative_paths
from icemelt.session.runtime.analysing import run_analysed
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.lookup import Lookup
from icemelt.session.timeline.context import in_context
from icemelt.sql.analysis.scopes import ColumnsOf
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import CopyInto, StagePath
from icemelt.storage.store import NothingThere

__all__ = ["PipeChoice", "PipeFile", "find_pipe_files", "is_still_there", "run_pipe_copy"]

Outcome = TypeVar("Outcome")
_UNWRITTEN, _DEFAULT = "ABORT_STATEMENT", "SKIP_FILE"


@dataclass(frozen=True, slots=True)
class PipeFile:
    """A file of a pipe's place.

    Attributes:
        file: the file as found.
        name: the path below the stage, or below the location of a pipe without a stage.
        below: the path after the location in the pipe's statement.
    """

    file: SourceFile
    name: str
    below: str

    @property
    def queued(self) -> QueuedFile:
        """The file as the queue has it."""
        return QueuedFile(self.file.key, self.name, self.file.size, self.file.modified_at)


@dataclass(frozen=True, slots=True)
class PipeChoice:
    """Which new files a run queues.

    Attributes:
        is_any: whether new files are queued at all, or only the queue is loaded.
        prefix: how the paths begin, after the pipe's location.
        modified_after: the files were modified later than this, in milliseconds since 1970.
    """

    is_any: bool = True
    prefix: str = ""
    modified_after: int | None = None

    def has(self, found: PipeFile) -> bool:
        """Tell whether a file is chosen."""
        if self.modified_after is not None and found.file.modified_at <= self.modified_after:
            return False
        return self.is_any and found.below.startswith(self.prefix)


def run_pipe_copy(
    core: Core, pipe: PipeRecord, use: Callable[[Core, CopyInto], Outcome]
) -> Outcome:
    """Analyse the COPY INTO of a pipe, and use the statement on the objects of that moment.

    Args:
        core: the parts of the session, in the schema of the pipe.
        pipe: the pipe.
        use: takes the parts of the session for one statement, and the statement.
    """
    now = core.now()

    def parse(columns_of: ColumnsOf) -> CopyInto:
        statement = in_context(core, parse_statement(pipe.statement, None, columns_of), now)
        if not isinstance(statement, CopyInto):
            raise InternalError(
                f"Pipe {str(pipe.name)!r} has no COPY INTO a table.", hint="Please report this bug."
            )
        # a pipe with this value written was refused
        is_unwritten = statement.on_error == _UNWRITTEN
        return replace(statement, on_error=_DEFAULT) if is_unwritten else statement

    def run(statement: CopyInto, lookup: Lookup) -> Outcome:
        with core.statement(lookup=lookup) as own:
            return use(own, statement)

    return run_analysed(core, pipe.statement, parse, run)


def find_pipe_files(pipe: PipeRecord, core: Core, statement: CopyInto) -> list[PipeFile]:
    """Return the files of the place of a pipe, in the order of their paths.

    Args:
        pipe: the pipe.
        core: the parts of the session for the statement.
        statement: the pipe's COPY INTO.

    Raises:
        LoadFailed: the place does not exist, or cannot be listed.
        FileRefused: who made the pipe may not read the place.
        PipeBroken: the stage is another one, or elsewhere, than when the pipe was made.
    """
    where = _find_place(pipe, core, statement)
    check = core.jobs.raise_if_cancelled
    files = distinct_files(find_files(core.iceberg, where, (), statement.pattern, check))
    if isinstance(statement.path, StagePath):
        names, start = relative_paths(core, statement.path, files), statement.path.path
        below = {path: name.removeprefix(start).lstrip("/") for path, name in names.items()}
    else:
        place = where.resolve(core.iceberg)
        base = place.given if place.is_guarded else place.path
        names = below = {file.path: path_below(file.name, base) for file in files}
    return [PipeFile(file, names[file.path], below[file.path]) for file in files]


def is_still_there(pipe: PipeRecord, file: SourceFile, core: Core, statement: CopyInto) -> bool:
    """Tell whether a file of a pipe's place is there, with the size and the time that it had.

    Args:
        pipe: the pipe.
        file: the file as found before.
        core: the parts of the session for the statement.
        statement: the pipe's COPY INTO.
    """
    where = _find_place(pipe, core, statement)
    _, files = open_files(core.iceberg, where, core.jobs.raise_if_cancelled)
    try:
        found = files.find_file(file.path)
    except NothingThere:
        return False
    return (found.size, found.modified_at) == (file.size, file.modified_at)


def _find_place(pipe: PipeRecord, core: Core, statement: CopyInto) -> FilePlace:
    """Return the place of a pipe: of the very stage, at the location, that the pipe is bound to.

    Raises:
        PipeBroken: another stage has taken the name, or the stage has moved.
    """
    reader = f"pipe {str(pipe.name)!r}"
    if not isinstance(statement.path, StagePath):
        return replace(find_place(core, statement.path), named=f"The path of {reader}")
    stage = core.object_of(StageRecord, statement.path.stage)
    if (stage.object_id, stage.url) != (pipe.stage_id, pipe.stage_url):
        raise PipeBroken(
            f"Pipe {str(pipe.name)!r} cannot run: its stage was altered.",
            hint=f"SELECT SYSTEM$PIPE_STATUS('{pipe.name}') tells how.",
        )
    return find_place_in(core, stage, statement.path, reader=reader)
