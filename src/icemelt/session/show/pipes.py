"""SHOW PIPES and DESCRIBE PIPE."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.catalog.defined_records import PipeRecord
from icemelt.names import ObjectName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import find_defined, list_tersely
from icemelt.session.timeline.pipe_state import PipeBreak, find_breaks, shown_statement
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["PIPE_COLUMNS", "describe_pipe", "pipe_row", "show_pipes"]

PIPE_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "definition",
    "owner",
    "notification_channel",
    "comment",
    "integration",
    "pattern",
    "error_integration",
    "owner_role_type",
    "invalid_reason",
    "kind",
)
# as often as sessions with maintenance do (`background_maintenance.py`)
_POLLING = "polling, every 60 seconds"


def show_pipes(core: Core, statement: Show) -> LocalRows:
    """Run SHOW PIPES: Snowflake's columns; those of clouds are empty."""
    listed = find_defined(core, statement, PipeRecord)
    if statement.terse:
        return list_tersely(listed)
    breaks = find_breaks(core, listed)
    return LocalRows(PIPE_COLUMNS, tuple(pipe_row(core, pipe, breaks) for pipe in listed))


def describe_pipe(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE PIPE: the pipe's row of SHOW PIPES."""
    pipe = core.object_of(PipeRecord, name)
    return LocalRows(PIPE_COLUMNS, (pipe_row(core, pipe, find_breaks(core, [pipe])),))


def pipe_row(core: Core, pipe: PipeRecord, breaks: Mapping[str, PipeBreak]) -> tuple[object, ...]:
    """Return a pipe's row of SHOW PIPES.

    Args:
        core: the session's parts.
        pipe: the pipe.
        breaks: why pipes cannot run, by object id.
    """
    broken = breaks.get(pipe.object_id)
    return (
        as_datetime(pipe.created_at),
        pipe.name.name,
        pipe.name.database,
        pipe.name.schema,
        shown_statement(core, pipe),
        pipe.owner,
        _POLLING if pipe.ingests_itself else None,
        pipe.comment or "",
        None,
        pipe.pattern,
        None,
        "ROLE",
        None if broken is None else broken.reason,
        "STAGE",
    )
