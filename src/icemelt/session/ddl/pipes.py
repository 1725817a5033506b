"""CREATE PIPE and ALTER PIPE, and the runs of pipes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from icemelt.catalog.database import Database
from icemelt.catalog.defined_records import PipeRecord, StageRecord
from icemelt.catalog.pipe_writer import note_pipe_error
from icemelt.catalog.queries.finding import find_defined
from icemelt.catalog.queries.pipes import pipes_with_files
from icemelt.catalog.records import is_temporary
from icemelt.catalog.reserving import reserve_tables
from icemelt.errors import (
    CatalogReadOnly,
    CatalogUnavailable,
    Conflict,
    DataError,
    DefinitionRefused,
    IcemeltError,
    ObjectError,
    ObjectNotFound,
    PipeBroken,
    SparkDied,
    SqlError,
)
from icemelt.names import QualifiedName
from icemelt.observe.emitting import tolerate
from icemelt.patterns import compile_matcher
from icemelt.quoting import text_literal
from icemelt.session.copy.file_loads import (
    load_result,
    read_load_options,
    rows_loaded,
    validate_load,
)
from icemelt.session.copy.pipe_batches import PipeRun
from icemelt.session.copy.pipe_cores import in_schema_of, open_pipe_core
from icemelt.session.copy.pipe_runs import run_pipe
from icemelt.session.copy.pipe_statements import PipeChoice, run_pipe_copy
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_object,
    create_object,
    make_defined,
    plan_alteration,
    redefine_object,
)
from icemelt.session.dml.writing import WriteTarget
from icemelt.session.files.file_places import find_place
from icemelt.session.files.named_formats import find_file_format
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.scope import StatementScope
from icemelt.session.timeline.constants import evaluate_time
from icemelt.sql import statements as s
from icemelt.sql.mentioned_names import find_mentioned_names
from icemelt.storage.locations import local_form
from icemelt.transactions.pending import Attempt
from icemelt.transactions.transaction import hold_reservation

__all__ = ["alter_pipe", "create_pipe", "find_due_pipes", "refresh_pipe", "run_pipes"]

# the errors of one pipe, after which the next pipe runs
_LEFT_FOR_LATER = (Conflict, DataError, ObjectError, SqlError)


def create_pipe(core: Core, statement: s.CreatePipe, history: History) -> str:
    """Run CREATE PIPE. No file is listed or read.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no table, no stage or no file format with a name of the COPY INTO.
        FileRefused: the session may not read the location, or the location is none.
        DefinitionRefused: an option of the COPY INTO is unknown or has a bad value, the query has
            more or fewer columns than are to be filled, or the table or the stage is temporary.
    """
    full = core.full(statement.name)
    _, place = core.place_of(full)
    new = PipeRecord(
        "",
        place,
        core.user,
        statement.comment,
        0,
        statement.statement,
        (),
        "",
        timezone=core.settings.timezone,
        ingests_itself=statement.ingests_itself,
        load_within=core.reach.locations,
    )

    def make(_attempt: Attempt, at: CreatePlace) -> CreatePlan:
        pipe = replace(_bind(core, new), object_id=new_id())
        edit = make_defined(pipe, at.schema_id)
        return CreatePlan((edit,))

    def alter(_attempt: Attempt, found: PipeRecord) -> AlterPlan:
        wanted = replace(_bind(core, new), is_paused=found.is_paused)
        edits = redefine_object(found, wanted)
        return plan_alteration(found, edits)

    return create_object(core, statement, history, PipeRecord, make, alter)


def alter_pipe(core: Core, statement: s.AlterPipe, history: History) -> str:
    """Run ALTER PIPE … SET and UNSET: pause the pipe or let it run again, and the comment.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such pipe.
    """

    def alter(_attempt: Attempt, found: PipeRecord) -> AlterPlan:
        wanted = found
        if statement.is_paused is not None:
            wanted = replace(wanted, is_paused=statement.is_paused)
        if statement.comment is not None:
            wanted = replace(wanted, comment=statement.comment or None)
        return AlterPlan(DONE, redefine_object(found, wanted))

    return alter_object(core, statement, history, PipeRecord, alter)


def refresh_pipe(core: Core, statement: s.RefreshPipe, history: History) -> LocalRows:
    """Run ALTER PIPE … REFRESH: load the new files, and return when they are loaded.

    The rows are the files that were loaded, or that failed; of a paused pipe the files that wait.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such pipe.
        PipeBroken: the table, the stage or the file format is not as when the pipe was made.
        LoadFailed: the place cannot be listed.
        FileRefused: the session, or who made the pipe, may not read the place or a file.
    """
    full = core.full(statement.name)
    if statement.if_exists and full not in core.find([full]).objects:
        core.record(history(0))
        return load_result(())
    after = None
    if statement.modified_after is not None:
        after = evaluate_time(core, text_literal(statement.modified_after))
    pipe_id = core.object_of(PipeRecord, statement.name).object_id
    choice = PipeChoice(prefix=statement.prefix, modified_after=after)
    with hold_reservation(core.database, [pipe_id], new_id(), core.author):
        # as the pipe is after the wait for another session's run
        pipe = replace(core, scope=StatementScope()).object_of(PipeRecord, statement.name)
        run = _run_and_note(core, pipe, choice, history)
    if not run.is_noted:
        core.record(history(rows_loaded(run.loads)))
    if run.error is not None:
        raise run.error
    return load_result(run.loads)


def run_pipes(core: Core) -> dict[str, int]:
    """Run the pipes with AUTO_INGEST, and load what other pipes have in their queues.

    The history gets no statements. A pipe that another session runs now is left out. A pipe that
    cannot run is left for the next time, and an event tells why.

    Returns:
        how many files were loaded, by the name of the pipe.
    """
    counts = {}
    for pipe, choice in find_due_pipes(core.database):
        turn = _take_turn(core, pipe)
        if turn is None:
            continue
        with turn, tolerate(*_LEFT_FOR_LATER, to=f"run pipe {pipe.name}"):
            run = _run_and_note(replace(core, user=pipe.owner), pipe, choice)
            counts[str(pipe.name)] = sum(load.is_loaded for load in run.loads)
            if run.error is not None:
                raise run.error
    return counts


def find_due_pipes(database: Database) -> list[tuple[PipeRecord, PipeChoice]]:
    """Return the pipes that run in the background now, each with the files that it queues."""
    with database.read() as connection:
        pipes = find_defined(connection, PipeRecord)
        waiting = pipes_with_files(connection) if pipes else set()
    return [
        (pipe, PipeChoice(is_any=pipe.ingests_itself))
        for pipe in pipes
        if not pipe.is_paused and (pipe.ingests_itself or pipe.object_id in waiting)
    ]


def _take_turn(core: Core, pipe: PipeRecord) -> AbstractContextManager[None] | None:
    """Return what keeps others from running a pipe; None where another session runs the pipe."""
    holder = new_id()
    if not reserve_tables(core.database, [pipe.object_id], holder):
        return None
    return hold_reservation(core.database, [pipe.object_id], holder, core.author)


def _run_and_note(
    core: Core, pipe: PipeRecord, choice: PipeChoice, history: History | None = None
) -> PipeRun:
    """Run a pipe, and note in the registry why files were left, or that none were."""
    try:
        with open_pipe_core(core, pipe) as own:
            run = run_pipe(own, pipe, choice, history)
    except PipeBroken:
        # what is broken now is told by itself, and no more once it is mended
        raise
    except (DataError, ObjectError, SqlError, SparkDied) as error:
        _note(core, pipe, error)
        raise
    _note(core, pipe, run.error)
    return run


def _note(core: Core, pipe: PipeRecord, error: IcemeltError | None) -> None:
    text = None if error is None else f"{error.message} {error.hint}"
    with tolerate(CatalogReadOnly, CatalogUnavailable, to=f"note how pipe {pipe.name} ran"):
        note_pipe_error(core.database, pipe.object_id, text)


def _bind(core: Core, pipe: PipeRecord) -> PipeRecord:
    """Return a pipe, bound to the table and the stage of its COPY INTO.

    Raises:
        DefinitionRefused: the COPY INTO is not one that a pipe can run.
    """

    def bind(own: Core, copy: s.CopyInto) -> PipeRecord:
        table = own.table(copy.target)
        stage = None
        if isinstance(copy.path, s.StagePath):
            stage = own.object_of(StageRecord, copy.path.stage)
        else:
            _require_whole_path(copy.path)
        find_place(own, copy.path).resolve(own.iceberg)
        options = read_load_options(own, copy)
        if copy.pattern is not None:
            compile_matcher(copy.pattern)
        validate_load(own, WriteTarget(table, own.metadata(table), ""), copy, options)
        named = None if copy.format_name is None else find_file_format(own, copy.format_name).name
        return replace(
            pipe,
            table=_parts(table.name),
            table_id=table.object_id,
            stage=None if stage is None else _parts(stage.name),
            stage_id=None if stage is None else stage.object_id,
            stage_url=None if stage is None else stage.url,
            file_format=None if named is None else _parts(named),
            has_format=copy.has_format,
            pattern=copy.pattern,
        )

    own = in_schema_of(core, pipe)
    with core.in_zone(pipe.timezone):
        try:
            return run_pipe_copy(own, pipe, bind)
        except ObjectNotFound as error:
            _refuse_temporary(core, pipe, error)
            raise


def _refuse_temporary(core: Core, pipe: PipeRecord, error: ObjectNotFound) -> None:
    """Say of an object that was not found that it is a temporary one, if it is.

    Raises:
        DefinitionRefused: the session has a temporary table or stage of a name in the COPY INTO.
    """
    place = in_schema_of(core, pipe)
    names = map(place.full, find_mentioned_names(pipe.statement))
    for name, found in core.find(names).objects.items():
        if is_temporary(found):
            raise DefinitionRefused(
                f"{found.kind.capitalize()} {str(name)!r} is temporary, and a pipe outlives the "
                "session.",
                hint=f"CREATE {found.kind.upper()} {name} … makes one that stays.",
            ) from error


def _require_whole_path(path: str) -> None:
    """Refuse a path that starts at the working directory: a pipe may run in any process.

    Raises:
        DefinitionRefused: the path is relative.
    """
    local = local_form(path)
    if local is not None and not Path(local).is_absolute():
        raise DefinitionRefused(
            f"Path {path!r} starts at the working directory, and a pipe may run in any process.",
            hint="Write the whole path: FROM '/path/of/folder'.",
        )


def _parts(name: QualifiedName) -> tuple[str, ...]:
    return (name.database, name.schema, name.name)
