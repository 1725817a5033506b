"""CREATE STREAM and ALTER STREAM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.catalog.defined_records import ExternalTableRecord, FunctionRecord, StageRecord
from icemelt.catalog.edits import (
    Edit,
    MakeStream,
    Options,
    SetObjectOptions,
    SetOnMissing,
    SetTracking,
    StreamPosition,
)
from icemelt.catalog.queries.reading import tracking_spans
from icemelt.catalog.records import (
    ERROR,
    INSERT_ONLY,
    SINGDATA,
    SNOWFLAKE,
    CatalogState,
    FileOwner,
    StreamRecord,
    StreamSource,
    StreamSourceRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.errors import (
    DefinitionRefused,
    NotYet,
    StartAfterEnd,
    WrongObjectKind,
)
from icemelt.names import ObjectName, QualifiedName
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_comment,
    alter_object,
    create_object,
    plan_alteration,
    plan_rename,
)
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.kinds import KINDS
from icemelt.session.runtime.stream_columns import own_columns, refuse_taken
from icemelt.session.sources.cursors import cursor_of, positions_of
from icemelt.session.sources.directories import require_existed
from icemelt.session.timeline.points import TimedSource, Timeline
from icemelt.session.timeline.stream_state import refuse_broken
from icemelt.session.views.algebra import algebra_of
from icemelt.session.views.changes import (
    name_view_in_errors,
    require_append_only,
    require_source_states,
)
from icemelt.session.views.expansion import expand
from icemelt.session.views.reading import names_under
from icemelt.sql import statements as s
from icemelt.transactions.expiry import keep_history_of
from icemelt.transactions.pending import Attempt

__all__ = ["alter_stream", "create_stream"]

_KINDS = {
    "TABLE": "table",
    "VIEW": "view",
    "STAGE": "stage",
    "EXTERNAL TABLE": "external table",
}


def create_stream(core: Core, statement: s.CreateStream, history: History) -> str:
    """Run CREATE STREAM; switch change tracking on for all tables of the stream.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no such table, view or stage.
        NotYet: the source is neither a table, a view nor a stage, or the mode is not built yet for
            the source.
        WrongObjectKind: the table is temporary, or the view reads a stream.
        PointError: the point is before change tracking, past retention, or in the future.
    """
    _require_built(statement)

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        return CreatePlan(_creation_edits(core, statement, place.name, place.schema_id))

    def alter(_attempt: Attempt, stream: StreamRecord) -> AlterPlan:
        return _plan_alteration(core, statement, stream)

    return create_object(core, statement, history, StreamRecord, make, alter)


def alter_stream(core: Core, statement: s.AlterStream, history: History) -> str:
    """Run ALTER STREAM: change the stream's name, comment or frontier.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such stream.
        ObjectExists: the new name is taken.
        StartAfterEnd: ADVANCE names a point before the frontier.
    """

    def alter(_attempt: Attempt, stream: StreamRecord) -> AlterPlan:
        match statement.action:
            case s.RenameTable(to):
                return plan_rename(core, stream, to)
            case s.SetOptions() | s.UnsetOptions():
                return alter_comment(stream, statement.action)
            case s.SetOnMissing(on_missing):
                if stream.mode != INSERT_ONLY:
                    raise _other_mode_error()
                return AlterPlan(DONE, (SetOnMissing(stream.object_id, on_missing),))
            case s.AdvanceStream() | s.ResetStream():
                return AlterPlan(DONE, (_frontier_edit(core, stream, statement.action),))

    return alter_object(core, statement, history, StreamRecord, alter)


def _plan_alteration(core: Core, statement: s.CreateStream, stream: StreamRecord) -> AlterPlan:
    """Return the plan to give a stream another comment and ON_MISSING; the frontier stays.

    Raises:
        DefinitionRefused: the statement has another source, mode or dialect.
        StreamBroken: the stream's source was dropped, replaced or altered.
    """
    refuse_broken(stream)
    source = None if statement.source is None else core.full(statement.source)
    record = None if source is None else core.resolve([source]).objects[source]
    wanted = (statement.mode.value, _dialect(statement), statement.source_kind.lower())
    is_same = record is not None and record.object_id == stream.source.object_id
    if not is_same or wanted != (stream.mode, stream.dialect, stream.source_kind):
        raise DefinitionRefused(
            f"Stream {str(stream.name)!r} reads {stream.source_kind} {str(stream.source.name)!r} "
            f"in mode {stream.mode}; source and mode are chosen when it is made.",
            hint=f"CREATE OR REPLACE STREAM {stream.name} … makes another, from now on.",
        )
    edits: list[Edit] = []
    if statement.comment != stream.comment:
        edits.append(SetObjectOptions(stream.object_id, Options(comment=statement.comment)))
    on_missing = statement.on_missing or ERROR
    if on_missing != stream.on_missing:
        edits.append(SetOnMissing(stream.object_id, on_missing))
    return plan_alteration(stream, tuple(edits))


def _require_built(statement: s.CreateStream) -> None:
    kind = statement.source_kind
    if statement.clone is None and kind not in _KINDS:
        raise NotYet(
            f"Streams on a {kind.lower()} are not built yet.",
            hint="CREATE STREAM name ON TABLE …, ON VIEW …, ON STAGE …, or ON EXTERNAL TABLE ….",
        )
    is_insert_only = statement.mode is s.ChangeFormat.INSERT_ONLY
    if kind == "EXTERNAL TABLE" and not is_insert_only:
        raise DefinitionRefused(
            "A stream on an external table gives inserted rows only: of a file that was written "
            "again nobody knows what it was.",
            hint=f"CREATE STREAM {statement.name} ON EXTERNAL TABLE … INSERT_ONLY = TRUE",
        )
    if is_insert_only and kind != "EXTERNAL TABLE":
        raise DefinitionRefused(
            f"INSERT_ONLY is for streams on external tables, and this one is on a {kind.lower()}.",
            hint="APPEND_ONLY = TRUE gives inserted rows only.",
        )
    if statement.on_missing and not is_insert_only:
        raise _other_mode_error()


def _other_mode_error() -> DefinitionRefused:
    return DefinitionRefused(
        "ON_MISSING is for insert-only streams: they alone read files.",
        hint="CREATE STREAM s ON EXTERNAL TABLE t INSERT_ONLY = TRUE ON_MISSING = SKIP",
    )


def _creation_edits(
    core: Core, statement: s.CreateStream, name: QualifiedName, schema_id: str
) -> tuple[Edit, ...]:
    options = Options(comment=statement.comment)
    if statement.clone is not None:
        return (_clone_edit(core.stream(statement.clone), name, schema_id, options),)
    written = statement.source
    if written is None:
        raise DefinitionRefused("A stream needs a source.", hint="CREATE STREAM s ON TABLE t")
    full = core.full(written)
    has_rows = statement.source_kind in {"TABLE", "VIEW"}
    state = core.resolve([full]) if has_rows else core.find([full])
    source, sources = _find_sources(core, state, statement, written)
    edits: list[Edit] = []
    for table in _tables(sources):
        _require_row_ids(core, table)
        keep_history_of(core.newest, core.author, table)
        edits += _tracking_edits(core, table, state.moment.commit_number)
    with name_view_in_errors(state.views.get(full)):
        timeline = Timeline(core, state, of_view=statement.source_kind == "VIEW")
        place = _find_position(
            timeline, sources, statement.point, shows_initial_rows=statement.show_initial_rows
        )
    mode, kind = statement.mode.value, _KINDS[statement.source_kind]
    made = MakeStream(
        new_id(),
        schema_id,
        name.name,
        source.object_id,
        kind,
        mode,
        place,
        options,
        _dialect(statement),
        source.version if isinstance(source, ViewRecord) else 0,
        statement.on_missing or ERROR,
    )
    return (*edits, made)


def _find_sources(
    core: Core, state: CatalogState, statement: s.CreateStream, written: ObjectName
) -> tuple[StreamSource, list[StreamSourceRecord]]:
    """Return what a stream is on, and all that it reads.

    Raises:
        DefinitionRefused: the source has a column with the name of one of the stream's own.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    full, mode = core.full(written), statement.mode
    match statement.source_kind:
        case "VIEW":
            view = state.views.get(full) or core.view(written)
            sources = _find_view_sources(core, state, view)
            refuse_taken(view, view.columns, own_columns(_dialect(statement), mode.value))
            if mode is s.ChangeFormat.APPEND_ONLY:
                require_append_only(view, algebra_of(core, expand(core, state, view)))
            return view, sources
        case "EXTERNAL TABLE":
            external = core.object_of(ExternalTableRecord, written)
            refuse_taken(external, external.columns, own_columns(SNOWFLAKE, INSERT_ONLY))
            return external, [StreamSourceRecord(external)]
        case "STAGE":
            stage = _find_stage(core, state, written)
            return stage, [StreamSourceRecord(stage)]
        case _:
            table = _find_table(core, state, statement, full)
            return table, [StreamSourceRecord(table)]


def _dialect(statement: s.CreateStream) -> str:
    return SINGDATA if statement.is_table_stream else SNOWFLAKE


def _clone_edit(
    model: StreamRecord, name: QualifiedName, schema_id: str, options: Options
) -> MakeStream:
    frontier = model.frontier
    read = {source.record.object_id: source.version for source in model.sources}
    positions = positions_of(model.sources, read)
    place = StreamPosition(
        positions, frontier.commit_number, frontier.shows_initial_rows, frontier.moved_at
    )
    if options.comment is None:
        options = replace(options, comment=model.comment)
    kind, source_id, mode = model.source_kind, model.source.object_id, model.mode
    made = MakeStream(
        new_id(), schema_id, name.name, source_id, kind, mode, place, options, model.dialect
    )
    return replace(made, source_version=model.source_version, on_missing=model.on_missing)


def _find_table(
    core: Core, state: CatalogState, statement: s.CreateStream, name: QualifiedName
) -> TableRecord:
    """Return the table that a stream can read."""
    if name in state.views:
        raise WrongObjectKind(
            f"{str(name)!r} is a view.", hint=f"CREATE STREAM {statement.name} ON VIEW {name}"
        )
    found = state.objects.get(name)
    if isinstance(found, FileOwner):
        mode = "" if isinstance(found, StageRecord) else " INSERT_ONLY = TRUE"
        raise WrongObjectKind(
            f"{str(name)!r} is {KINDS[found.kind].with_article}.",
            hint=f"CREATE STREAM {statement.name} ON {found.kind.upper()} {name}{mode}",
        )
    table = core.table_in(state, name.as_written)
    if table.session_id is not None:
        raise WrongObjectKind(
            f"Table {str(table.name)!r} is temporary: it ends with its session, a stream does not.",
            hint="Make the stream on a permanent table.",
        )
    own = own_columns(_dialect(statement), statement.mode.value)
    refuse_taken(table, core.metadata(table).columns, own)
    return table


def _find_stage(core: Core, state: CatalogState, name: ObjectName) -> StageRecord:
    """Return the stage whose directory table a stream can read.

    Raises:
        ObjectNotFound: there is no such stage.
        WrongObjectKind: the stage is temporary, or has no directory table.
    """
    stage = state.of(StageRecord).get(core.full(name)) or core.object_of(StageRecord, name)
    if stage.session_id is not None:
        raise WrongObjectKind(
            f"Stage {str(stage.name)!r} is temporary: it ends with its session, a stream does not.",
            hint="Make the stream on a permanent stage.",
        )
    if not stage.has_directory:
        raise WrongObjectKind(
            f"Stage {str(stage.name)!r} has no directory table, which a stream reads.",
            hint=f"ALTER STAGE {name} SET DIRECTORY = (ENABLE = TRUE)",
        )
    return stage


def _find_view_sources(
    core: Core, state: CatalogState, view: ViewRecord
) -> list[StreamSourceRecord]:
    """Return the tables and views that a view reads, for a stream on the view.

    Raises:
        ObjectNotFound: an object that the view reads is gone.
        WrongObjectKind: the view reads a stream, or a temporary table hides an object that it
            reads.
        DefinitionRefused: the view reads no table.
        UnsupportedError: the changes of the view's query cannot be computed.
    """
    require_source_states(state, view)
    algebra_of(core, expand(core, state, view))
    sources: dict[str, StreamSourceRecord] = {}
    for name in names_under(state, view):
        if isinstance(state.objects.get(name), FunctionRecord):
            continue
        record = state.tables.get(name) or state.views[name]
        sources[record.object_id] = StreamSourceRecord(record, record.version, name)
    if not _tables(list(sources.values())):
        raise DefinitionRefused(
            f"View {str(view.name)!r} reads no table: it never changes.",
            hint="Make the stream on a view that reads one.",
        )
    return list(sources.values())


def _require_row_ids(core: Core, table: TableRecord) -> None:
    metadata = core.metadata(table)
    if not metadata.has_row_ids:
        raise DefinitionRefused(
            f"Table {str(table.name)!r} has format version {metadata.format_version}; "
            "its rows have no ids.",
            hint=f"ALTER TABLE {table.name} SET CHANGE_TRACKING = TRUE upgrades it.",
        )


def _tables(sources: Sequence[StreamSourceRecord]) -> list[TableRecord]:
    return [source.record for source in sources if isinstance(source.record, TableRecord)]


def _tracking_edits(core: Core, table: TableRecord, since: int) -> tuple[Edit, ...]:
    """Return the edits to switch change tracking on from a commit number on, empty if it is on."""
    with core.database.read() as connection:
        spans = tracking_spans(connection, table.object_id)
    if any(span.until_commit is None for span in spans):
        return ()
    return (SetTracking(table.object_id, on=True, since_commit=since),)


def _find_position(
    timeline: Timeline,
    sources: Sequence[StreamSourceRecord],
    point: s.Point | None,
    *,
    shows_initial_rows: bool = False,
) -> StreamPosition:
    """Return the position of a point in all sources; the changes since can be read.

    Args:
        timeline: resolves points and intervals of the sources.
        sources: the tables and views that the stream reads.
        point: the point, None for now.
        shows_initial_rows: whether the first read of the stream gives the rows of the point.
    """
    last = timeline.state.moment.commit_number
    listed = [each.record for each in sources if isinstance(each.record, FileOwner)]
    if point is None:
        now = {table.object_id: table.version for table in _tables(sources)}
        now |= {owner.object_id: last for owner in listed}
        return StreamPosition(positions_of(sources, now), last, shows_initial_rows)
    timed: list[TimedSource] = [*_tables(sources), *listed]
    commit, time = timeline.place(timed, point)
    for owner in listed:
        require_existed(owner, time)
    then = {owner.object_id: commit for owner in listed}
    then |= {
        table.object_id: timeline.since(table, timeline.core.metadata(table), commit).start.version
        for table in _tables(sources)
    }
    return StreamPosition(positions_of(sources, then), commit, shows_initial_rows, time)


def _frontier_edit(
    core: Core, stream: StreamRecord, action: s.AdvanceStream | s.ResetStream
) -> Edit:
    """Return the edit that moves a stream's frontier to a point.

    Raises:
        StreamBroken: the source was dropped or replaced, or the view was altered.
    """
    state = core.resolve([stream.name])
    now = state.streams[stream.name]
    refuse_broken(now)
    timeline = Timeline(core, state, of_view=isinstance(now.source, ViewRecord))
    place = _find_position(timeline, now.sources, action.point)
    backwards = place.commit_number < now.frontier.commit_number
    if backwards and isinstance(action, s.AdvanceStream):
        raise StartAfterEnd(
            f"The point is before the frontier of stream {str(stream.name)!r}.",
            hint=f"ALTER STREAM {stream.name} RESET TO AT (…) goes back.",
        )
    return cursor_of(now).moved_to_place(place)
