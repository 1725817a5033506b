"""Reading a view: the parsed query, and the names of all objects under the view."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace

from icemelt.catalog.records import (
    CatalogState,
    FileOwner,
    TableRecord,
    ViewRecord,
    ViewSourceRecord,
)
from icemelt.errors import QueryError
from icemelt.names import QualifiedName
from icemelt.schema import DataType
from icemelt.session.runtime.user_functions import is_builtin, overloads_of
from icemelt.session.views.file_sources import (
    name_files_in_full,
    refuse_unreadable,
    type_giver,
)
from icemelt.spark_sql.own_columns import DIRECTORY_COLUMNS, FILE_METADATA_COLUMNS
from icemelt.sql.analysis.scopes import EntryName, FileColumns
from icemelt.sql.analysis.user_functions import FunctionName, Overloads
from icemelt.sql.parse import ColumnsOf, parse_statement
from icemelt.sql.statements import (
    PivotValues,
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
    sources = tuple(sources)
    columns_of = {source.name: _types(source) for source in sources}

    functions = tuple(source.function for source in sources if source.function is not None)
    # a call in the query means what it meant as the view was made, in a function what it means now
    called_by_query = tuple(
        source.function for source in sources if source.function is not None and source.used
    )

    def types(name: EntryName) -> Mapping[str, DataType] | None:
        if isinstance(name, FunctionName):
            home = name.home or (place.database, place.schema)
            is_own = len(name.name.parts) > 1 or not is_builtin(name.name.last)
            if not is_own:
                return None
            known = called_by_query if name.home is None else functions
            found = overloads_of(known, name.name.within(*home))
            return Overloads(()) if found is None and name.home is not None else found
        if isinstance(name, StageDirectory):
            return DIRECTORY_COLUMNS
        if isinstance(name, PivotValues):
            return None
        if isinstance(name, ResultScan):
            refuse_unreadable(name)
        named = type_giver(name) if isinstance(name, StageFiles) else name
        return columns_of.get(named.within(place.database, place.schema))

    return types


def view_query(text: str, sources: Iterable[ViewSourceRecord], place: QualifiedName) -> Query:
    """Return a parsed query of a view; short names belong to the schema of the view."""
    statement = parse_statement(text, None, types_within(place, sources))
    if not isinstance(statement, Select):
        raise QueryError("A view is a query that reads.", hint="CREATE VIEW v AS SELECT …")
    query = statement.query
    references = tuple(name_files_in_full(each, place) for each in query.references)
    return replace(query, references=references)


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
