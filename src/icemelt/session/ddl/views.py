"""CREATE VIEW and ALTER VIEW."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql.types import StructField

from icemelt.catalog.defined_records import FunctionRecord, StageRecord
from icemelt.catalog.edits import MakeView, Options, RedefineView
from icemelt.catalog.records import CatalogState, TableRecord, ViewRecord, ViewSourceRecord
from icemelt.engine.resources import StatementResources
from icemelt.engine.spark_types import stored_kind, type_of
from icemelt.errors import (
    DefinitionRefused,
    IcemeltError,
    NotYet,
    WrongObjectKind,
)
from icemelt.names import ObjectName, QualifiedName, fold, fold_column, validate_name
from icemelt.observe.emitting import tolerate
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.session.ddl.lifecycle import (
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_comment,
    alter_object,
    create_object,
    describe_alteration,
    rename_object,
)
from icemelt.session.ddl.tables import table_location
from icemelt.session.queries.binding import BoundQuery, frame, view_renderer
from icemelt.session.runtime.analysing import analyse
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.kinds import find_external_table
from icemelt.session.runtime.spark_words import shown_type
from icemelt.session.runtime.user_functions import function_source
from icemelt.session.views.expansion import expand
from icemelt.session.views.file_sources import (
    FIRST_COLUMN,
    columns_of_files,
    find_typed_names,
    refuse_unreadable,
)
from icemelt.session.views.reading import names_read, view_query
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS, METADATA_COLUMNS
from icemelt.sql import statements as s
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import NextValue, Query, TableReference
from icemelt.tables.metadata.document import LAKE_PROPERTY
from icemelt.tables.metadata.locations import first_metadata_file, folder_of
from icemelt.tables.writes.view_files import view_document
from icemelt.transactions.pending import Attempt

__all__ = ["alter_view", "create_view", "view_edit", "write_view_file"]


def create_view(core: Core, statement: s.CreateView, history: History) -> str:
    """Run CREATE VIEW: analyse the query, and keep the current columns of all sources.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: an object that the query reads does not exist.
        DefinitionRefused: the view reads the past or itself, or has a column without a name or
            type.
        WrongObjectKind: the view reads a temporary table.
    """

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        definition = _define_view(core, statement, place.name, new_id())
        location = write_view_metadata(core, definition.view, definition.query, definition.state)
        return CreatePlan(
            (view_edit(replace(definition.view, location=location), place.schema_id),)
        )

    def alter(_attempt: Attempt, view: ViewRecord) -> AlterPlan:
        return _plan_alteration(core, statement, view)

    return create_object(core, statement, history, ViewRecord, make, alter)


def alter_view(core: Core, statement: s.AlterView, history: History) -> str:
    """Run ALTER VIEW: change the view's name or comment.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such view.
        ObjectExists: the new name is taken.
    """

    def alter(_attempt: Attempt, view: ViewRecord) -> AlterPlan:
        if isinstance(statement.action, s.RenameTable):
            return _plan_rename(core, view, statement.action.to)
        return alter_comment(view, statement.action)

    return alter_object(core, statement, history, ViewRecord, alter)


def _plan_rename(core: Core, view: ViewRecord, to: ObjectName) -> AlterPlan:
    """Return the plan to rename a view within its schema, where the query's names are looked up."""
    name = to.within(view.name.database, view.name.schema)
    edit, said = rename_object(core, view, name)
    if (fold(name.database), fold(name.schema)) != (
        fold(view.name.database),
        fold(view.name.schema),
    ):
        raise NotYet(
            "A view is not moved to another schema.",
            hint=f"CREATE VIEW {name} AS …; SHOW VIEWS has its text.",
        )
    state = core.newest.resolve([view.name])
    if name.folded in names_read(state, frozenset([view.name])) - {view.name.folded}:
        raise DefinitionRefused(
            f"View {str(name)!r} would read itself.", hint="Choose another name."
        )
    return AlterPlan(said, (edit,))


@dataclass(frozen=True, slots=True)
class _ViewDefinition:
    """The definition of a view: the record, the parsed query, and the state of the analysis."""

    view: ViewRecord
    query: Query
    state: CatalogState


def _plan_alteration(core: Core, statement: s.CreateView, view: ViewRecord) -> AlterPlan:
    """Return the plan to give a view another definition; the view keeps its id.

    Raises:
        DefinitionRefused: columns that stay would change places.
    """
    definition = _define_view(core, statement, view.name, view.object_id)
    wanted = replace(definition.view, location=view.location)
    is_other = _meaning(wanted) != _meaning(view)
    if not is_other and (wanted.comment, wanted.columns) == (view.comment, view.columns):
        return AlterPlan(describe_alteration(view.name, view.kind, is_altered=False))
    _validate_column_order(view, wanted)
    if is_other:
        wanted = replace(
            wanted, location=write_view_metadata(core, wanted, definition.query, definition.state)
        )
    edit = RedefineView(view.version, view_edit(wanted, ""), is_other)
    return AlterPlan(describe_alteration(view.name, view.kind, is_altered=True), (edit,))


def _meaning(view: ViewRecord) -> tuple[object, ...]:
    """Return everything that decides a view's rows: no comment, and no unused column."""
    columns = [(column.name, column.type) for column in view.columns]
    used = [
        [(c.name, c.type) for c in source.columns if fold(c.name) in source.used]
        for source in view.sources
    ]
    names = [source.name.folded for source in view.sources]
    return view.query, view.time_zone, columns, names, used


def _validate_column_order(view: ViewRecord, wanted: ViewRecord) -> None:
    """Refuse to change the order of kept columns, as Snowflake does."""
    names = [fold_column(column.name) for column in wanted.columns]
    kept_columns = [column for column in view.columns if fold_column(column.name) in names]
    for before, after in itertools.pairwise(kept_columns):
        if names.index(fold_column(before.name)) > names.index(fold_column(after.name)):
            raise DefinitionRefused(
                f"Column {before.name!r} of view {str(view.name)!r} stands before {after.name!r}; "
                "CREATE OR ALTER VIEW does not reorder columns.",
                hint=f"CREATE OR REPLACE VIEW {view.name} … makes another view of that name.",
            )


def view_edit(view: ViewRecord, schema_id: str) -> MakeView:
    """Return the edit that makes a view in a schema."""
    return MakeView(
        view.object_id,
        schema_id,
        view.name.name,
        view.name.namespace,
        view.query,
        view.columns,
        view.sources,
        view.time_zone,
        view.location,
        Options(view.comment),
    )


def _define_view(
    core: Core, statement: s.CreateView, name: QualifiedName, object_id: str
) -> _ViewDefinition:
    """Return the definition of a view: look up the sources, and analyse the query."""
    zone = core.settings.timezone
    references, functions = _find_references(core, statement.query, name)
    typed = find_typed_names(references, name)
    names = [each.name.within(name.database, name.schema) for each in references]
    of_files = {full for full, each in zip(names, references, strict=True) if each.files} | typed
    names = list(dict.fromkeys((*names, *typed, *functions)))
    state = core.find(names)
    # a stage may have the view's name
    if name.folded in names_read(state, frozenset(names) - of_files):
        raise DefinitionRefused(
            f"View {str(name)!r} would read itself.", hint="Give the new view another name."
        )
    sources = tuple(
        _find_source(core, state, read, of_files=read in of_files, is_typed=read in typed)
        for read in names
    )
    query = view_query(statement.query, sources, name)
    if any(source.point or source.changes or source.backlog for source in query.references):
        raise DefinitionRefused(
            f"View {str(name)!r} reads the past: its rows would not be those of one moment.",
            hint="Write AT or CHANGES where the view is read: SELECT … FROM v AT (…).",
        )
    if any(NextValue.of_context(source.name) for source in query.context):
        raise DefinitionRefused(
            f"View {str(name)!r} takes numbers of a sequence, which a query does once.",
            hint="Write s.NEXTVAL where the rows are written: INSERT INTO t SELECT s.NEXTVAL, ….",
        )
    session_functions = sorted(source.name for source in query.context if "$" in source.name)
    if session_functions:
        raise DefinitionRefused(
            f"View {str(name)!r} asks {session_functions[0]}, which is about who reads it.",
            hint="Ask it in the query that reads the view.",
        )
    view = ViewRecord(
        object_id, name, core.user, statement.comment, 0, statement.query, (), sources, zone
    )
    fields = _analyse_columns(core, view, query, state)
    view = replace(view, columns=_view_columns(statement, name, fields))
    view = replace(view, sources=_find_used_columns(core, view, query, state, fields))
    return _ViewDefinition(view, query, state)


def _find_references(
    core: Core, query: str, place: QualifiedName
) -> tuple[Sequence[TableReference], Sequence[QualifiedName]]:
    """Return the places of a view's query that read an object, and the functions of users in it.

    Raises:
        Never: the query reads a result, or the columns of files.
        NotYet: the query reads a history of INFORMATION_SCHEMA.
    """

    def full(name: ObjectName) -> QualifiedName:
        return name.within(place.database, place.schema)

    parsed, _ = analyse(core, query, partial(parse_statement, query, None), full)
    references = parsed.query.references if isinstance(parsed, s.Select) else ()
    for reference in references:
        read = reference.files or reference.result
        if isinstance(read, s.FileSchema | s.ResultScan):
            refuse_unreadable(read)
        if reference.loads is not None or reference.statements is not None:
            raise NotYet(
                f"View {str(place)!r} reads a history: views over the table functions of "
                "INFORMATION_SCHEMA are planned.",
                hint="Call it in the query itself, or keep its rows: CREATE TABLE t AS SELECT ….",
            )
    return references, parsed.query.user_functions if isinstance(parsed, s.Select) else ()


def _find_source(
    core: Core, state: CatalogState, read: QualifiedName, *, of_files: bool, is_typed: bool
) -> ViewSourceRecord:
    """Return an object that a view reads, with all its columns.

    The columns that may be used are the pseudo columns, as long as the query is not parsed.

    Args:
        core: the session's parts.
        state: the objects that the view reads.
        read: the object's name.
        of_files: whether the query reads files of the object, or its directory table.
        is_typed: whether the object gives the files their type.
    """
    found = state.objects.get(read)
    if of_files:
        record = found or core.object_of(StageRecord, read.as_written)
        columns_now = columns_of_files(core, record)
        return ViewSourceRecord(read, columns_now if is_typed else ())
    if isinstance(found, FunctionRecord):
        return replace(function_source(found), name=read)
    columns = core.columns_in(state, read)
    if columns is None or found is None:
        raise core.not_found("Table", read)
    if isinstance(found, TableRecord) and found.session_id is not None:
        raise WrongObjectKind(
            f"Table {str(read)!r} is temporary: it ends with its session, a view does not.",
            hint="Make the view over permanent tables.",
        )
    source_columns = (Column(column.name, column.type, column.nullable) for column in columns)
    pseudo = () if find_external_table(found) is None else FILE_METADATA_COLUMNS
    return ViewSourceRecord(read, tuple(source_columns), frozenset(pseudo))


def _analyse_columns(
    core: Core, view: ViewRecord, query: s.Query, state: CatalogState
) -> Sequence[StructField]:
    """Return the columns that Spark finds in a view's query."""
    resources = StatementResources(core.iceberg)
    bound = BoundQuery("", state, resources, is_analysed_only=True)
    try:
        expanded = expand(core, state, view, query)
        bound.text = view_renderer(core, bound, view).text(expanded)
        return frame(core, bound).schema.fields
    finally:
        bound.resources.release()


def _find_used_columns(
    core: Core,
    view: ViewRecord,
    query: s.Query,
    state: CatalogState,
    fields: Sequence[StructField],
) -> tuple[ViewSourceRecord, ...]:
    """Return a view's sources with the used columns.

    The view is analysed once more without the other columns. If the result differs, the query uses
    columns in a way that the text does not tell, and all columns count as used.
    """
    used: dict[QualifiedName, frozenset[str]] = {}
    for reference in query.references:
        full = reference.name.within(view.name.database, view.name.schema)
        used[full] = used.get(full, frozenset()) | (reference.columns or frozenset())
    # a file format is in the text, and in no place that reads
    of_files = frozenset({FIRST_COLUMN})
    sources = [
        each if each.function is not None else replace(each, used=used.get(each.name, of_files))
        for each in view.sources
    ]
    cut = [
        replace(source, columns=tuple(c for c in source.columns if fold(c.name) in source.used))
        for source in sources
    ]
    # the query may use a column in a way that its text does not tell
    with tolerate(IcemeltError, to=f"find the columns that view {view.name} uses", is_usual=True):
        if _analyse_columns(core, replace(view, sources=tuple(cut)), query, state) == fields:
            return tuple(sources)
    return tuple(
        replace(source, used=source.used | {fold(column.name) for column in source.columns})
        for source in sources
    )


def _view_columns(
    statement: s.CreateView, view: QualifiedName, fields: Sequence[StructField]
) -> tuple[Column, ...]:
    """Return a view's columns: the statement's names or the query's, and types that tables have."""
    given = statement.columns
    if given and len(given) != len(fields):
        raise DefinitionRefused(
            f"View {str(view)!r} names {len(given)} columns, its query has {len(fields)}.",
            hint="Name each column once, or none.",
        )
    names = [column.name for column in given] or [field.name for field in fields]
    _validate_names(view, names)
    comments: Mapping[int, str | None] = {i: each.comment for i, each in enumerate(given)}
    columns = []
    for index, (column, field) in enumerate(zip(names, fields, strict=True)):
        kind = stored_kind(field.dataType)
        if kind is None:
            shown = shown_type(field.dataType.simpleString().upper())
            target = "VARCHAR" if type_of(field.dataType) is None else "VARIANT"
            raise DefinitionRefused(
                f"Column {column!r} of view {str(view)!r} has type {shown}, which no table can "
                "have.",
                hint=f"CAST(… AS {target}) AS {column}",
            )
        columns.append(Column(column, kind, comment=comments.get(index)))
    return tuple(columns)


def _validate_names(view: QualifiedName, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name not in METADATA_COLUMNS:
            validate_name("column", name)
        if fold_column(name) in seen:
            raise DefinitionRefused(
                f"View {str(view)!r} has two columns {name!r}.",
                hint=f"Rename one in the query, or write CREATE VIEW {view.name} (a, b, …) AS ….",
            )
        seen.add(fold_column(name))


def write_view_metadata(
    core: Core, view: ViewRecord, query: Query, state: CatalogState
) -> str | None:
    """Write a view's metadata file for other engines, and return the file's location.

    None is returned if only icemelt can read the view: the query reads a stream, or asks for
    something of the session. The new file stands beside an earlier file.

    Args:
        core: the session's parts.
        view: the view's record.
        query: the parsed query.
        state: the state on which the query was analysed.
    """
    if query.context or not all(_is_readable_by_engines(state, source) for source in view.sources):
        return None
    return write_view_file(core, view, query, state.now)


def write_view_file(core: Core, view: ViewRecord, query: Query, now: int) -> str:
    """Write the metadata file of a view that other engines can read; return its location.

    Args:
        core: the session's parts.
        view: the view's record.
        query: the parsed query.
        now: in milliseconds since 1970.
    """
    sources = {source.name: source for source in view.sources}
    relations = {}
    for reference in query.references:
        full = reference.name.within(view.name.database, view.name.schema)
        relations[reference.slot] = _source_relation(sources[full])
    names = ", ".join(quote(column.name) for column in view.columns)
    text = f"SELECT * FROM ({query.bind(relations)}) AS `icemelt_view`({names})"
    if view.location is None:
        folder = table_location(core, view.name, view.object_id)
    else:
        folder = folder_of(view.location)
    properties = {LAKE_PROPERTY: core.database.lake_id, "icemelt.timezone": view.time_zone}
    if view.comment is not None:
        properties["comment"] = view.comment
    namespace = view.name.namespace.split(".")
    document = view_document(folder, view.columns, text, namespace, properties, now)
    # the same uuid after ALTER: for other engines, too, it is the same view
    document["view-uuid"] = view.object_id
    location = first_metadata_file(folder)
    core.iceberg.files.write(location, json.dumps(document).encode())
    return location


def _is_readable_by_engines(state: CatalogState, source: ViewSourceRecord) -> bool:
    if source.name in state.views:
        return state.views[source.name].location is not None
    return source.name in state.tables


def _source_relation(source: ViewSourceRecord) -> str:
    """Return SQL for a source with the columns that the view uses; later columns are left out."""
    parts = (*source.name.namespace.split("."), source.name.name)
    name = ".".join(quote(part) for part in parts)
    used = [column.name for column in source.columns if fold(column.name) in source.used]
    columns = ", ".join(map(quote, used)) or "1"
    return f"(SELECT {columns} FROM {name})"
