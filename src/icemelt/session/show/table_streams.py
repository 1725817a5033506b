"""SHOW TABLE STREAMS and DESC TABLE STREAM: streams in Singdata's form."""

from __future__ import annotations

from typing import Any

from icemelt.catalog.queries.finding import find_streams
from icemelt.catalog.queries.versions import version_at
from icemelt.catalog.records import StreamRecord, TableRecord
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import frame_of_rows
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import where
from icemelt.session.show.show_scope import choose_records, find_scope
from icemelt.session.timeline.stream_state import find_unread_versions, is_stale, singdatas_mode
from icemelt.sql.statements import Describe, Show
from icemelt.times import as_datetime, format_time

__all__ = ["describe_table_stream", "show_table_streams"]

_COLUMN_TYPES = {
    "create_time": "timestamp",
    "schema_name": "string",
    "name": "string",
    "table_name": "string",
    "mode": "string",
    "comment": "string",
}


def show_table_streams(core: Core, statement: Show) -> LocalRows:
    """Run SHOW TABLE STREAMS: every stream on a table."""
    within = find_scope(core, statement).within
    with core.database.read() as connection:
        streams = find_streams(connection, core.database, within=within)
    on_tables = [stream for stream in streams if isinstance(stream.source, TableRecord)]
    if statement.where is None:
        listed = choose_records(on_tables, statement, lambda stream: stream.name.name)
        return LocalRows(tuple(_COLUMN_TYPES), tuple(map(_row, listed)))
    rows = _where(core, list(map(_row, on_tables)), statement.where.text)
    return LocalRows(tuple(_COLUMN_TYPES), tuple(rows[: statement.limit]))


def describe_table_stream(core: Core, statement: Describe) -> LocalRows:
    """Run DESC TABLE STREAM: a row for each property.

    `offset` is -1 until the first consumption.
    """
    stream = core.stream(statement.name)
    state = core.newest.resolve([stream.name])
    behind = find_unread_versions(core, stream, state.moment.commit_number)
    frontier = stream.frontier
    with core.database.read() as connection:
        read = version_at(connection, stream.source.object_id, frontier.commit_number)
    version = None if read is None else str(read.version)
    initial = "TRUE" if frontier.shows_initial_rows else "FALSE"
    properties: dict[str, str | None] = {
        "name": stream.name.name,
        "creator": stream.owner,
        "created_time": format_time(stream.created_at),
        "last_modified_time": format_time(max(stream.created_at, frontier.moved_at)),
        "comment": stream.comment or "",
        "properties": f"TABLE_STREAM_MODE={singdatas_mode(stream)}, SHOW_INITIAL_ROWS={initial}",
        "workspace": stream.name.database,
        "base_tables": ", ".join(sorted(str(table.name) for table in stream.tables)),
        "stale": "true" if is_stale(core, state.now, stream, behind) else "false",
        "offset": "-1" if frontier.move_count == 0 else version,
        "current_offset_time": None if read is None else format_time(read.moment.time),
        "current_offset_version": version,
    }
    return LocalRows(("info_name", "info_value"), tuple(properties.items()))


def _row(stream: StreamRecord) -> tuple[Any, ...]:
    return (
        as_datetime(stream.created_at),
        stream.name.schema,
        stream.name.name,
        stream.source.name.name,
        singdatas_mode(stream),
        stream.comment or "",
    )


def _where(core: Core, rows: list[tuple[Any, ...]], condition: str) -> list[tuple[Any, ...]]:
    """Return the rows for which a condition of Spark SQL is true."""
    schema = ", ".join(f"{name} {kind}" for name, kind in _COLUMN_TYPES.items())
    numbered = [(*row, place) for place, row in enumerate(rows)]
    with translated(core.spark):
        frame = frame_of_rows(core.spark, f"{schema}, `icemelt$place` int", numbered)
        kept = where(core, frame, condition).select("`icemelt$place`")
        places = {row[0] for row in kept.collect()}
    return [row for place, row in enumerate(rows) if place in places]
