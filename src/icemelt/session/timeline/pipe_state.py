"""State of a pipe from the registry alone: does the pipe run, and how many files wait."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from icemelt.catalog.defined_records import FileFormatRecord, PipeRecord, StageRecord
from icemelt.catalog.queries.bound_objects import BoundObject, find_bound_objects
from icemelt.catalog.queries.pipes import read_pipe_state
from icemelt.errors import PipeBroken
from icemelt.names import QualifiedName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.hiding import shown_error, shown_location
from icemelt.sql.dialect.written_names import full_name, string_literal, written_name
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import CopyInto
from icemelt.times import as_datetime

__all__ = [
    "PipeBreak",
    "find_breaks",
    "pipe_status",
    "refuse_broken_pipe",
    "shown_statement",
]

_RUNNING, _PAUSED, _FAILED = "RUNNING", "PAUSED", "STALLED_EXECUTION_ERROR"
_NO_TABLE, _NO_STAGE = "STOPPED_MISSING_TABLE", "STOPPED_STAGE_DROPPED"
_OTHER_URL, _NO_FORMAT = "STOPPED_STAGE_ALTERED", "STOPPED_FILE_FORMAT_DROPPED"


@dataclass(frozen=True, slots=True)
class PipeBreak:
    """Why a pipe cannot run.

    Attributes:
        state: the execution state, as Snowflake names it.
        reason: a clause that says what happened.
        remedy: the statement that mends the pipe.
    """

    state: str
    reason: str
    remedy: str


def find_breaks(core: Core, pipes: Iterable[PipeRecord]) -> dict[str, PipeBreak]:
    """Return why pipes cannot run, by object id; a pipe that can run is left out."""
    pipes = list(pipes)
    ids = {each for pipe in pipes for each in (pipe.table_id, pipe.stage_id) if each is not None}
    with core.database.read() as connection:
        bound = find_bound_objects(connection, ids)
    formats = {pipe.object_id: _format_name(pipe, bound) for pipe in pipes}
    names = [name for name in formats.values() if name is not None]
    found = core.find(names).objects if names else {}
    breaks = {pipe.object_id: _find_break(pipe, bound) for pipe in pipes}
    for pipe in pipes:
        name = formats[pipe.object_id]
        if name is None or breaks[pipe.object_id] is not None:
            continue
        if not isinstance(found.get(name), FileFormatRecord):
            reason = f"file format {str(name)!r} was dropped or renamed"
            remedy = f"UNDROP FILE FORMAT {full_name(name)}; or {_recreate(pipe)}"
            breaks[pipe.object_id] = PipeBreak(_NO_FORMAT, reason, remedy)
    return {pipe_id: found for pipe_id, found in breaks.items() if found is not None}


def refuse_broken_pipe(core: Core, pipe: PipeRecord) -> None:
    """Require that a pipe can run.

    Raises:
        PipeBroken: the table, the stage or the file format is not as when the pipe was made.
    """
    broken = find_breaks(core, [pipe]).get(pipe.object_id)
    if broken is not None:
        raise PipeBroken(
            f"Pipe {str(pipe.name)!r} cannot run: {broken.reason}.", hint=broken.remedy
        )


def shown_statement(core: Core, pipe: PipeRecord) -> str:
    """Return the COPY INTO of a pipe as a session sees it.

    A guest sees no path that it may not name.
    """
    if core.reach.locations is None or pipe.stage is not None:
        return pipe.statement
    statement = parse_statement(pipe.statement)
    assert isinstance(statement, CopyInto)  # noqa: S101 - as CREATE PIPE requires
    path = statement.path
    assert isinstance(path, str)  # noqa: S101 - a pipe without a stage has a path
    shown = shown_location(core, path)
    if shown == path:
        return pipe.statement
    for literal in (string_literal(path), f"'{path}'"):
        if literal in pipe.statement:
            return pipe.statement.replace(literal, string_literal(shown))
    return shown


def pipe_status(core: Core, name: str) -> str:
    """Answer SYSTEM$PIPE_STATUS: a JSON document with Snowflake's keys.

    Keys without a value are left out, as in Snowflake. Times are in UTC.

    Raises:
        ObjectNotFound: there is no such pipe.
    """
    pipe = core.object_of(PipeRecord, written_name(name))
    broken = find_breaks(core, [pipe]).get(pipe.object_id)
    with core.database.read() as connection:
        state = read_pipe_state(connection, pipe.object_id)
    execution = _RUNNING if state.error is None else _FAILED
    if pipe.is_paused:
        execution = _PAUSED
    error = shown_error(core, state.error)
    if broken is not None:
        execution, error = broken.state, f"{broken.reason}. {broken.remedy}"
    values: dict[str, Any] = {
        "executionState": execution,
        "oldestPendingFilePath": state.oldest_name,
        "oldestFileTimestamp": _shown(state.oldest_at),
        "pendingFileCount": state.pending,
        "lastPipeErrorTimestamp": _shown(state.error_at),
        "lastIngestedTimestamp": _shown(state.ingested_at),
        "lastIngestedFilePath": state.ingested_name,
        "error": error,
    }
    return json.dumps(
        {key: value for key, value in values.items() if value is not None}, ensure_ascii=False
    )


def _shown(time: int | None) -> str | None:
    """Return a time as `2024-01-31T10:00:00.000Z`."""
    if time is None:
        return None
    return f"{as_datetime(time).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _find_break(pipe: PipeRecord, bound: Mapping[str, BoundObject]) -> PipeBreak | None:
    """Return why a pipe cannot run, as far as its table and its stage are the reason."""
    table = _find_lost(pipe, "table", pipe.table, bound.get(pipe.table_id))
    if table is not None:
        return PipeBreak(_NO_TABLE, *table)
    if pipe.stage is None or pipe.stage_id is None:
        return None
    record = bound.get(pipe.stage_id)
    stage = _find_lost(pipe, "stage", pipe.stage, record)
    if stage is not None:
        return PipeBreak(_NO_STAGE, *stage)
    definition = None if record is None else record.stage
    if definition is not None and definition.url != pipe.stage_url:
        reason = f"stage {str(definition.name)!r} has another URL than when the pipe was made"
        back = f"ALTER STAGE {full_name(definition.name)} SET URL = …"
        return PipeBreak(_OTHER_URL, reason, f"{back}; or {_recreate(pipe)}")
    return None


def _find_lost(
    pipe: PipeRecord, kind: str, parts: tuple[str, ...], record: BoundObject | None
) -> tuple[str, str] | None:
    """Return a reason and a remedy where an object of a pipe is not there under its name.

    Args:
        pipe: the pipe.
        kind: the kind of the object.
        parts: the parts of the name under which the pipe knows the object.
        record: the object, None where maintenance has removed it.
    """
    name = QualifiedName(*parts)
    if record is None or record.dropped_at is not None:
        undrop = f"UNDROP {kind.upper()} {full_name(name)}; or "
        reason = f"{kind} {str(name)!r} was dropped or replaced"
        return reason, f"{'' if record is None else undrop}{_recreate(pipe)}"
    if record.name.folded != name.folded:
        reason = f"{kind} {str(name)!r} is {str(record.name)!r} now"
        back = f"ALTER {kind.upper()} {full_name(record.name)} RENAME TO {full_name(name)}"
        return reason, f"{back}; or {_recreate(pipe)}"
    return None


def _format_name(pipe: PipeRecord, bound: Mapping[str, BoundObject]) -> QualifiedName | None:
    """Return the name of the file format of a pipe's statement, or of its stage; None without."""
    if pipe.file_format is not None:
        return QualifiedName(*pipe.file_format)
    record = None if pipe.stage_id is None else bound.get(pipe.stage_id)
    stage: StageRecord | None = None if record is None else record.stage
    if stage is None or stage.format_name is None or pipe.has_format:
        return None
    return QualifiedName(*stage.format_name)


def _recreate(pipe: PipeRecord) -> str:
    return f"CREATE OR REPLACE PIPE {full_name(pipe.name)} AS …"
