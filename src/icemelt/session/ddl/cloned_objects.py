"""The clones of all objects but tables in the clone of a schema or database."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from icemelt.catalog.defined_records import (
    DefinedRecord,
    ExternalTableRecord,
    FunctionRecord,
    PipeRecord,
    SequenceRecord,
    StageRecord,
    TaskRecord,
)
from icemelt.catalog.edits import (
    THIS_COMMIT,
    Edit,
    MakeStream,
    Options,
    SourcePosition,
    StreamPosition,
)
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.queries.definitions import defined_by_id
from icemelt.catalog.queries.listings import listed_files_at
from icemelt.catalog.records import (
    ListedStream,
    StreamRecord,
    StreamSourceRecord,
    ViewRecord,
    ViewSourceRecord,
)
from icemelt.errors import FunctionNotFound, NotYet
from icemelt.names import QualifiedName, fold
from icemelt.session.ddl.lifecycle import make_defined
from icemelt.session.ddl.views import view_edit, write_view_file
from icemelt.session.runtime.core import Core, new_id
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.session.runtime.task_webhooks import leave_out_webhooks
from icemelt.session.runtime.user_functions import find_called, function_source, is_function
from icemelt.session.sources.cursors import positions_of
from icemelt.session.timeline.stream_state import count_unread_rows
from icemelt.session.views.file_sources import find_typed_names
from icemelt.session.views.reading import view_query
from icemelt.sql.mentioned_names import find_mentioned_names
from icemelt.sql.parse import rebind

__all__ = [
    "CloneScope",
    "clone_defined",
    "clone_stream",
    "clone_view",
    "describe_unread",
    "names_cloned_schema",
]


# before an expression it makes a query, whose names are found
_SELECT = "SELECT "


@dataclass(slots=True)
class CloneScope:
    """What is cloned, and as what: names of the scope mean the clone's objects in the clone.

    Attributes:
        source: the names of the cloned database, and of the cloned schema; None for all schemas.
        target: the names of the clone's database and schema, likewise.
        ids: of each object cloned so far, the object id of its clone.
        tasks: the folded full names of the tasks that are cloned.
    """

    source: tuple[str, str | None]
    target: tuple[str, str | None]
    ids: dict[str, str] = field(default_factory=dict)
    tasks: frozenset[QualifiedName] = frozenset()

    def map_schema(self, database: str, schema: str) -> tuple[str, str]:
        """Return the database and schema that a database and schema become.

        >>> scope = CloneScope(("main", "sales"), ("main", "test"))
        >>> scope.map_schema("main", "Sales"), scope.map_schema("main", "other")
        (('main', 'test'), ('main', 'other'))
        """
        cloned_database, cloned_schema = self.source
        is_inside = fold(database) == fold(cloned_database) and (
            cloned_schema is None or fold(schema) == fold(cloned_schema)
        )
        if not is_inside:
            return database, schema
        target_database, target_schema = self.target
        return target_database, schema if target_schema is None else target_schema

    def map_name(self, name: QualifiedName) -> QualifiedName:
        """Return the full name that a full name becomes."""
        database, schema = self.map_schema(name.database, name.schema)
        return replace(name, database=database, schema=schema)

    def add(self, object_id: str) -> str:
        """Return the object id of the clone of an object."""
        return self.ids.setdefault(object_id, new_id())


def clone_view(core: Core, scope: CloneScope, view: ViewRecord, schema_id: str, now: int) -> Edit:
    """Return the edit that clones a view; qualified names of the scope become the clone's.

    Args:
        core: the session's parts.
        scope: what is cloned.
        view: the view.
        schema_id: the id of the clone's schema.
        now: in milliseconds since 1970.
    """
    name = scope.map_name(view.name)
    text = rebind(view.query, view.name, scope.map_schema, name.database)
    functions = _find_functions(core, scope, view)
    sources = tuple(replace(each, name=scope.map_name(each.name)) for each in view.sources)
    clone = replace(
        view, object_id=scope.add(view.object_id), name=name, query=text, sources=sources
    )
    clone = replace(clone, location=None, version=0)
    try:
        query = view_query(text, (*sources, *functions), name)
    except FunctionNotFound:
        # the clone is as broken as the view
        return view_edit(clone, schema_id)
    read = {each.name.within(name.database, name.schema).folded for each in query.references}
    read |= {each.folded for each in find_typed_names(query.references, name)}
    has_rows = {each.name.folded for each in sources if not is_function(each)}
    # the text reads what the record says: each form of a name is among those that are rebound
    if not has_rows <= read <= {each.name.folded for each in sources}:
        raise NotYet(
            f"View {str(view.name)!r} has a name that is not found in its text.",
            hint="Clone the tables, and create the view anew in the clone.",
        )
    if view.location is not None:
        clone = replace(clone, location=write_view_file(core, clone, query, now))
    return view_edit(clone, schema_id)


def _find_functions(
    core: Core, scope: CloneScope, view: ViewRecord
) -> tuple[ViewSourceRecord, ...]:
    """Return the functions of users that the clone of a view may call, as its sources.

    Those that the clone has are not made yet: they are those of the source under other names.

    Args:
        core: the session's parts.
        scope: what is cloned.
        view: the view.
    """
    names = [each.name for each in view.sources if is_function(each)]
    if not names:
        return ()
    objects = core.find(names).objects.values()
    called_by_query = [each for each in objects if isinstance(each, FunctionRecord)]
    every = (*called_by_query, *find_called(core, called_by_query))
    clones = [_clone_function(scope, each) for each in every]
    # what is no part of the clone goes on calling the functions of the source
    sources = {
        each.name.folded: replace(function_source(each), used=frozenset())
        for each in (*every, *clones)
    }
    for function in clones[: len(called_by_query)]:
        sources[function.name.folded] = function_source(function)
    return tuple(sources.values())


def clone_stream(scope: CloneScope, stream: StreamRecord, schema_id: str) -> Edit:
    """Return the edit that clones a stream.

    A stream whose source is cloned along reads the clone of the source, from the clone on. Another
    stream keeps its source and its offset.

    Args:
        scope: what is cloned, with all tables, views and stages.
        stream: the stream.
        schema_id: the id of the clone's schema.
    """
    frontier, source_id = stream.frontier, stream.source.object_id
    read = {source.record.object_id: source.version for source in stream.sources}
    positions = positions_of(stream.sources, read)
    position = StreamPosition(
        positions, frontier.commit_number, frontier.shows_initial_rows, frontier.moved_at
    )
    source_version = stream.source_version
    if source_id in scope.ids:
        cloned = tuple(
            _map_position(scope, *pair) for pair in zip(positions, stream.sources, strict=True)
        )
        position = StreamPosition(cloned, THIS_COMMIT, frontier.shows_initial_rows)
        source_id, source_version = scope.ids[source_id], 0
    return MakeStream(
        scope.add(stream.object_id),
        schema_id,
        stream.name.name,
        source_id,
        stream.source_kind,
        stream.mode,
        position,
        Options(comment=stream.comment),
        stream.dialect,
        source_version,
        stream.on_missing,
    )


def describe_unread(scope: CloneScope, listed: ListedStream) -> str:
    """Return a sentence about the rows that the clone of a stream does not give; empty for none.

    Args:
        scope: what is cloned, with all tables, views and stages.
        listed: the stream, with its unread versions.
    """
    stream = listed.stream
    if stream.source.object_id not in scope.ids or stream.frontier.shows_initial_rows:
        return ""
    count = count_unread_rows(stream, listed.unread)
    if count == 0:
        return ""
    rows = "Unread rows" if count is None else f"{count} unread row{'' if count == 1 else 's'}"
    name = str(scope.map_name(stream.name))
    of = "the tables under stream" if isinstance(stream.source, ViewRecord) else "stream"
    verb = "is" if count == 1 else "are"
    said = f"{rows} of {of} {str(stream.name)!r} {verb} not in {name!r}"
    return f"{said}, which begins with the clone."


def clone_defined(
    core: Core, scope: CloneScope, record: DefinedRecord, schema_id: str, commit: int
) -> tuple[Edit, ...]:
    """Return the edits that clone an object with a definition, and the files registered for it.

    Args:
        core: the session's parts.
        scope: what is cloned; stages are in it before what reads them.
        record: the object.
        schema_id: the id of the clone's schema.
        commit: the commit whose listing the clone has.
    """
    clone_id = scope.add(record.object_id)
    match record:
        case StageRecord():
            record = _clone_stage(core, scope, record)
            is_listed = record.has_directory and record.url is not None
        case ExternalTableRecord():
            record, is_listed = _clone_external_table(core, scope, record), True
        case PipeRecord():
            record, is_listed = _clone_pipe(core, scope, record), False
        case TaskRecord():
            record, is_listed = _clone_task(core, scope, record), False
        case FunctionRecord():
            record, is_listed = replace(_clone_function(scope, record), name=record.name), False
        case _:
            is_listed = False
    made = make_defined(replace(record, object_id=clone_id), schema_id)
    if isinstance(record, SequenceRecord):
        return (replace(made, source_id=record.object_id),)
    if not is_listed:
        return (made,)
    with core.database.read() as connection:
        listed = listed_files_at(connection, record.object_id, commit)
    files = RegisterFiles(clone_id, 0, added=tuple(replace(file, added_in=0) for file in listed))
    return (made,) if files.is_empty else (made, files)


def _narrow(core: Core, places: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return where a clone may read: where its source may, and also who clones it."""
    if not core.is_guest:
        return places
    return core.reach.narrow(places, hadoop_locations(core.iceberg)).locations


def _clone_function(scope: CloneScope, function: FunctionRecord) -> FunctionRecord:
    """Return the clone of a function, which calls the clones of functions of the scope.

    A function outside of the scope is returned as it is.
    """
    name = scope.map_name(function.name)
    if name == function.name:
        return function

    def clone_expression(text: str) -> str:
        if text[:6].upper() == _SELECT.strip():
            return rebind(text, function.name, scope.map_schema, name.database)
        query = rebind(_SELECT + text, function.name, scope.map_schema, name.database)
        return query.removeprefix(_SELECT)

    arguments = tuple(
        (argument, kind, None if default is None else clone_expression(default))
        for argument, kind, default in function.arguments
    )
    return replace(function, name=name, arguments=arguments, body=clone_expression(function.body))


def _clone_stage(core: Core, scope: CloneScope, stage: StageRecord) -> StageRecord:
    """Return a stage as its clone is defined."""
    stage = replace(stage, format_name=_map_parts(scope, stage.format_name))
    return replace(stage, refresh_within=_narrow(core, stage.refresh_within))


def _clone_external_table(
    core: Core, scope: CloneScope, table: ExternalTableRecord
) -> ExternalTableRecord:
    """Return an external table as its clone is defined.

    The files of a stage in the warehouse are not cloned: the clone reads those of the source.
    """
    with core.database.read() as connection:
        stage = defined_by_id(connection, table.stage_id)
    table = replace(table, format_name=_map_parts(scope, table.format_name))
    table = replace(table, refresh_within=_narrow(core, table.refresh_within))
    if not isinstance(stage, StageRecord) or stage.url is None:
        return table
    stage_id = scope.ids.get(table.stage_id, table.stage_id)
    name = _map_parts(scope, table.stage_name) or table.stage_name
    return replace(table, stage_id=stage_id, stage_name=name)


def _clone_pipe(core: Core, scope: CloneScope, pipe: PipeRecord) -> PipeRecord:
    """Return a pipe as its clone is defined: paused, and with the rights of who clones it."""
    pipe = replace(pipe, load_within=_narrow(core, pipe.load_within))
    stage_id = None if pipe.stage_id is None else scope.ids.get(pipe.stage_id, pipe.stage_id)
    home = scope.map_name(pipe.name).database
    return replace(
        pipe,
        statement=rebind(pipe.statement, pipe.name, scope.map_schema, home),
        table=_map_parts(scope, pipe.table) or pipe.table,
        table_id=scope.ids.get(pipe.table_id, pipe.table_id),
        stage=_map_parts(scope, pipe.stage),
        stage_id=stage_id,
        file_format=_map_parts(scope, pipe.file_format),
        is_paused=True,
    )


def _clone_task(core: Core, scope: CloneScope, task: TaskRecord) -> TaskRecord:
    """Return a task as its clone is defined: suspended, after those tasks that are cloned."""

    def is_cloned(name: str) -> bool:
        return replace(task.name, name=name).folded in scope.tasks

    is_last = task.finalizes is not None and is_cloned(task.finalizes)
    author = core.user if core.is_guest else task.author
    return replace(
        leave_out_webhooks(core, task).as_new(_narrow(core, task.run_within), author),
        after=tuple(filter(is_cloned, task.after)),
        finalizes=task.finalizes if is_last else None,
    )


def names_cloned_schema(scope: CloneScope, task: TaskRecord) -> bool:
    """Tell whether the body of a task names an object of the cloned scope with its schema.

    Such a name is the source's in the clone, too.
    """
    names = find_mentioned_names(task.body)
    full = [name.within(task.name.database, task.name.schema) for name in names]
    return any(
        len(name.parts) > 1 and scope.map_name(place) != place
        for name, place in zip(names, full, strict=True)
    )


def _map_parts(scope: CloneScope, parts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the parts of a full name as the clone of what it belongs to is named."""
    if parts is None:
        return None
    name = scope.map_name(QualifiedName(*parts))
    return name.database, name.schema, name.name


def _map_position(
    scope: CloneScope, position: SourcePosition, source: StreamSourceRecord
) -> SourcePosition:
    """Return the position in the clone of a source, or in the source itself if it is not cloned."""
    name = None if position.name is None else scope.map_name(position.name)
    clone_id = scope.ids.get(position.source_id)
    if clone_id is None:
        return replace(position, name=name)
    is_view = isinstance(source.record, ViewRecord)
    return replace(
        position, source_id=clone_id, name=name, version=0 if is_view else position.version
    )
