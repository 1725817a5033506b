"""Statements that define streams: CREATE and ALTER STREAM."""

from __future__ import annotations

from dataclasses import replace

from icemelt.catalog.edits import (
    DropObject,
    Edit,
    MakeStream,
    MoveFrontier,
    Options,
    Place,
    SetOptions,
    SetTracking,
)
from icemelt.catalog.reading import tracking_spans
from icemelt.catalog.records import (
    ReadState,
    StreamRecord,
    TableRecord,
    VersionRecord,
    ViewRecord,
)
from icemelt.errors import (
    DefinitionRefused,
    NotYet,
    ObjectExists,
    StartAfterEnd,
    WrongObjectKind,
)
from icemelt.names import TableName, refuse_bad
from icemelt.session.core import Core, History, new_id
from icemelt.session.points import Timeline
from icemelt.session.stream_reading import APPEND_ONLY
from icemelt.sql import statements as s
from icemelt.sql.dialect import METADATA_COLUMNS
from icemelt.transactions.expiry import keep_history_of
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["alter_stream", "create_stream"]

_DEFAULT = "DEFAULT"
_ROW_IDS_FROM = 3


def create_stream(core: Core, statement: s.CreateStream, history: History) -> str:
    """Run CREATE STREAM; change tracking of the table is switched on where it is off.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no such table.
        NotYet: the source is no table, or INSERT_ONLY is asked for.
        WrongObjectKind: the table is temporary.
        PointError: the point is before change tracking, past retention, or in the future.
    """
    _refuse_unbuilt(statement)
    name = core.full(statement.name)
    refuse_bad("stream", name.name)
    schema = core.schema_of(name.database, name.schema)
    name = TableName(schema.database_name or name.database, schema.name, name.name)
    said: list[str] = []

    def work(_attempt: Attempt) -> Pending:
        edits: list[Edit] = []
        existing = core.occupant(name)
        if existing is not None:
            if statement.if_not_exists and isinstance(existing, StreamRecord):
                said[:] = [f"Stream {str(name)!r} already exists, statement succeeded."]
                return Pending((), lambda: history(0))
            edits.append(_replaced(core, statement, name, existing))
        edits += _made(core, statement, name, schema.object_id)
        said[:] = [f"Stream {str(name)!r} successfully created."]
        return Pending((), lambda: history(0), tuple(edits))

    if core.run(work).did_nothing:
        core.record(history(0))
    return said[0]


def alter_stream(core: Core, statement: s.AlterStream, history: History) -> str:
    """Run ALTER STREAM: its comment, or its frontier.

    Raises:
        ObjectNotFound: there is no such stream.
        StartAfterEnd: ADVANCE names a point before the frontier.
    """
    full = core.full(statement.name)
    if statement.if_exists and full not in core.resolver.resolve([full]).streams:
        core.record(history(0))
        return f"Stream {str(full)!r} does not exist; nothing to do."

    def work(_attempt: Attempt) -> Pending:
        stream = core.stream(statement.name)
        edit = _alteration(core, stream, statement)
        return Pending((), lambda: history(0), (edit,))

    core.run(work)
    return "Statement executed successfully."


def _refuse_unbuilt(statement: s.CreateStream) -> None:
    if statement.clone is None and statement.source_kind != "TABLE":
        kind = statement.source_kind
        raise NotYet(
            f"Streams on a {kind.lower()} are not built yet.",
            hint="CREATE STREAM name ON TABLE …; streams on views are planned.",
        )
    if statement.insert_only:
        raise NotYet(
            "INSERT_ONLY is for external tables, which are not built yet.",
            hint="APPEND_ONLY = TRUE gives inserted rows only.",
        )


def _replaced(
    core: Core,
    statement: s.CreateStream,
    name: TableName,
    existing: StreamRecord | TableRecord | ViewRecord,
) -> Edit:
    """Return the edit that makes room for the new stream."""
    if not isinstance(existing, StreamRecord):
        kind = "table" if isinstance(existing, TableRecord) else "view"
        raise ObjectExists(
            f"{str(name)!r} is a {kind}; streams share the names of {kind}s.",
            hint="Choose another name for the stream.",
        )
    core.refuse_clash("Stream", name.name, existing.name.name)
    if not statement.replace:
        raise ObjectExists(
            f"Stream {str(name)!r} already exists.",
            hint="CREATE OR REPLACE STREAM replaces it, IF NOT EXISTS keeps it.",
        )
    return DropObject(existing.object_id)


def _made(
    core: Core, statement: s.CreateStream, name: TableName, schema_id: str
) -> tuple[Edit, ...]:
    options = Options(comment=statement.comment)
    if statement.clone is not None:
        model = core.stream(statement.clone)
        frontier = model.frontier
        place = Place(frontier.version, frontier.commit_number, frontier.initial, frontier.moved_at)
        comment = statement.comment if statement.comment is not None else model.comment
        return (_edit(name, schema_id, model, place, replace(options, comment=comment)),)
    source = statement.source
    if source is None:
        raise DefinitionRefused("A stream needs a source.", hint="CREATE STREAM s ON TABLE t")
    state = core.resolve([core.full(source)])
    table = core.table(source)
    if table.session_id is not None:
        raise WrongObjectKind(
            f"Table {str(table.name)!r} is temporary: it ends with its session, a stream does not.",
            hint="Make the stream on a permanent table.",
        )
    metadata = core.metadata(table)
    taken = [each.name for each in metadata.columns if each.name in METADATA_COLUMNS]
    if taken:
        raise DefinitionRefused(
            f"Table {str(table.name)!r} has a column {taken[0]!r}, as a stream has of its own.",
            hint=f'ALTER TABLE {table.name} RENAME COLUMN "{taken[0]}" TO another_name',
        )
    if metadata.format_version < _ROW_IDS_FROM:
        raise DefinitionRefused(
            f"Table {str(table.name)!r} has format version {metadata.format_version}; its rows "
            "have no ids.",
            hint=f"ALTER TABLE {table.name} SET CHANGE_TRACKING = TRUE upgrades it.",
        )
    keep_history_of(core.newest, core.author, table)
    tracking = _tracking(core, table, state.moment.commit_number)
    place = _place(core, state, table, statement)
    mode = APPEND_ONLY if statement.append_only else _DEFAULT
    made = MakeStream(
        new_id(), schema_id, name.name, table.object_id, "table", mode, place, options
    )
    return (*tracking, made)


def _edit(
    name: TableName, schema_id: str, model: StreamRecord, place: Place, options: Options
) -> MakeStream:
    source_id = model.source.object_id
    return MakeStream(
        new_id(), schema_id, name.name, source_id, model.source_kind, model.mode, place, options
    )


def _tracking(core: Core, table: TableRecord, since: int) -> tuple[Edit, ...]:
    """Return what switches tracking on where it is off, from where the stream begins."""
    with core.database.read() as connection:
        spans = tracking_spans(connection, table.object_id)
    if any(span.until is None for span in spans):
        return ()
    return (SetTracking(table.object_id, on=True, since=since),)


def _place(core: Core, state: ReadState, table: TableRecord, statement: s.CreateStream) -> Place:
    initial = statement.show_initial_rows
    if statement.point is None:
        return Place(table.version, state.moment.commit_number, initial)
    version, commit_number, time = _readable(core, state, table, statement.point)
    return Place(version.version, commit_number, initial, time)


def _readable(
    core: Core, state: ReadState, table: TableRecord, point: s.Point
) -> tuple[VersionRecord, int, int]:
    """Return a point's version, commit number and time; from there the changes can be read."""
    timeline = Timeline(core, state)
    place = timeline.place(table, point)
    timeline.since(table, core.metadata(table), place[1])
    return place


def _alteration(core: Core, stream: StreamRecord, statement: s.AlterStream) -> Edit:
    match statement.action:
        case s.SetOptions(options):
            return SetOptions(stream.object_id, Options(comment=options.get("COMMENT")))
        case s.UnsetOptions():
            return SetOptions(stream.object_id, Options())
        case s.AdvanceStream(point) | s.ResetStream(point):
            state = core.resolve([stream.name])
            move = _moved(core, state, stream, point)
            frontier = stream.frontier
            backwards = move.place.commit_number < frontier.commit_number
            if backwards and isinstance(statement.action, s.AdvanceStream):
                raise StartAfterEnd(
                    f"The point is before the frontier of stream {str(stream.name)!r}.",
                    hint=f"ALTER STREAM {stream.name} RESET TO AT (…) goes back.",
                )
            return move


def _moved(
    core: Core, state: ReadState, stream: StreamRecord, point: s.Point | None
) -> MoveFrontier:
    table, move = stream.source, stream.frontier.move
    if point is None:
        place = Place(table.version, state.moment.commit_number)
    else:
        version, commit_number, time = _readable(core, state, table, point)
        place = Place(version.version, commit_number, time=time)
    return MoveFrontier(stream.object_id, table.object_id, stream.source_kind, move, place)
