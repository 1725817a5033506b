"""Reading a view: the parsed query, and the names of all objects under the view."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import NoReturn

from icemelt.catalog.records import (
    CatalogState,
    FileOwner,
    TableRecord,
    ViewRecord,
    ViewSourceRecord,
)
from icemelt.errors import Never, NotYet, QueryError
from icemelt.names import ObjectName, QualifiedName
from icemelt.schema import DataType
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS
from icemelt.sql.analysis.scopes import EntryName, FileColumns
from icemelt.sql.parse import ColumnsOf, parse_statement
from icemelt.sql.statements import (
    FileSchema,
    Query,
    ResultScan,
    Select,
    StageDirectory,
    StageFiles,
)

__all__ = [
    "names_read",
    "names_under",
    "query_of",
    "refuse_files",
    "tables_under",
    "timed_sources_under",
    "types_within",
    "view_query",
]

_PARSED = 1_000


def types_within(place: QualifiedName, sources: Iterable[ViewSourceRecord]) -> ColumnsOf:
    """Return the types of columns by the names in a view's query.

    Args:
        place: the view's name; short names in the query belong to the view's schema.
        sources: the sources, with the columns of when the view was made.
    """
    columns_of = {source.name: _types(source) for source in sources}

    def types(name: EntryName) -> Mapping[str, DataType] | None:
        if not isinstance(name, ObjectName):
            refuse_files(name)
        return columns_of.get(name.within(place.database, place.schema))

    return types


def refuse_files(files: StageFiles | StageDirectory | FileSchema | ResultScan) -> NoReturn:
    """Refuse files, and results, in the query of a view.

    Raises:
        Never: a result is its session's, and ends with it.
        NotYet: the view would read files.
    """
    if isinstance(files, ResultScan):
        raise Never(
            "A view cannot read a result: it is of one session, and ends with it.",
            hint="CREATE TABLE t AS SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))",
        )
    if isinstance(files, StageDirectory):
        raise NotYet(
            "A view over a directory table is planned.",
            hint="CREATE TABLE t AS SELECT * FROM DIRECTORY(@stage); a stream ON STAGE keeps it.",
        )
    raise NotYet(
        "A view over files of a stage is planned.",
        hint="Load the files with COPY INTO, and make the view over the table.",
    )


def view_query(text: str, sources: Iterable[ViewSourceRecord], place: QualifiedName) -> Query:
    """Return a parsed query of a view; short names belong to the schema of the view."""
    statement = parse_statement(text, None, types_within(place, sources))
    if not isinstance(statement, Select):
        raise QueryError("A view is a query that reads.", hint="CREATE VIEW v AS SELECT …")
    return statement.query


@functools.lru_cache(_PARSED)
def query_of(view: ViewRecord) -> Query:
    """Return the parsed query of a view; CREATE VIEW has parsed the same text."""
    return view_query(view.query, view.sources, view.name)


def names_read(state: CatalogState, names: frozenset[QualifiedName]) -> frozenset[QualifiedName]:
    """Return the folded names of some objects and of everything under the views among them."""
    found: set[QualifiedName] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name.folded in found:
            continue
        found.add(name.folded)
        view = state.views.get(name)
        pending += [] if view is None else [source.name for source in view.sources]
    return frozenset(found)


def names_under(state: CatalogState, view: ViewRecord) -> list[QualifiedName]:
    """Return the names of all objects under a view, nested views and their sources included."""
    found = [source.name for source in view.sources]
    for name in found:
        nested = state.views.get(name)
        if nested is not None:
            found += [each.name for each in nested.sources if each.name not in found]
    return list(dict.fromkeys(found))


def timed_sources_under(state: CatalogState, view: ViewRecord) -> list[TableRecord | FileOwner]:
    """Return what has states of its own under a view and its nested views, without duplicates."""
    found = (state.objects.get(name) for name in names_under(state, view))
    timed = (each for each in found if isinstance(each, TableRecord | FileOwner))
    return list({record.object_id: record for record in timed}.values())


def tables_under(state: CatalogState, view: ViewRecord) -> list[TableRecord]:
    """Return the tables under a view and under its nested views, without duplicates."""
    named = (state.tables.get(name) for name in names_under(state, view))
    return list({table.object_id: table for table in named if table is not None}.values())


def _types(source: ViewSourceRecord) -> Mapping[str, DataType]:
    """Return the types of a source's columns by name, pseudo columns of an external table too."""
    types = {column.name: column.type for column in source.columns}
    named = FILE_METADATA_COLUMNS.keys() & source.used
    if not named:
        return types
    return FileColumns(types, pseudo={name: FILE_METADATA_COLUMNS[name] for name in named})
