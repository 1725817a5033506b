"""Expanding a view: what every name in the view's query means now, down to tables and streams.

A view keeps the names and the columns that its query meant when CREATE VIEW ran. All checks that
the objects under a view are still there and still fit are in this module. An expanded view has
two renderings: SQL for Spark (`rows.py`) and algebra (`algebra.py`).

For example, after ALTER TABLE t DROP COLUMN note, which `a` does not use:

    CREATE TABLE t (id INT, v INT, note VARCHAR)
    CREATE VIEW a AS SELECT id, v FROM t
    CREATE VIEW b AS SELECT a.id FROM a JOIN t ON a.id = t.v

    expand(…, b)       reads = 2
      source a         id at 0, v at 1
        source t       id at 0, v at 1, note gone
      source t         id at 0, v at 1, note gone
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from icemelt.catalog.defined_records import FileFormatRecord, FunctionRecord, StageRecord
from icemelt.catalog.records import (
    CatalogState,
    ReadableObject,
    TableRecord,
    ViewRecord,
    ViewSourceRecord,
)
from icemelt.errors import (
    ColumnNotFound,
    ColumnRetyped,
    DefinitionRefused,
    IcemeltError,
    NotYet,
    ObjectNotFound,
    WrongObjectKind,
)
from icemelt.names import fold
from icemelt.schema import Column, DataType, Primitive, sql_type
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.kinds import require_rows
from icemelt.session.runtime.user_functions import (
    find_called,
    function_source,
    is_function,
    result_column,
)
from icemelt.session.timeline.context import in_context
from icemelt.session.views.expanded_views import (
    ExpandedSource,
    ExpandedView,
    SourceColumn,
    needs_barrier,
)
from icemelt.session.views.file_sources import columns_of_files
from icemelt.session.views.reading import query_of
from icemelt.session.views.shared_views import count_planned_tables
from icemelt.sql.effort import check_cancellation
from icemelt.sql.statements import Query, Select

__all__ = [
    "expand",
]

# as many as a FROM has at most
_MOST_READS = 1_000


def expand(
    core: Core,
    state: CatalogState,
    view: ViewRecord,
    query: Query | None = None,
    known: dict[str, ExpandedView] | None = None,
) -> ExpandedView:
    """Return an expanded view; every view under the view is expanded once.

    Args:
        core: the session's parts.
        state: the objects that the names in the queries of views mean.
        view: the view.
        query: the parsed query of a view that is being made; None for the view's own text.
        known: the views of the state that the statement has expanded, by object id; the views that
            are expanded here are added.

    Raises:
        DefinitionRefused: a view came to read itself.
        ObjectNotFound: an object under the view does not exist.
        WrongObjectKind: a temporary table hides an object under the view.
        ColumnNotFound: a column that a view uses is gone.
        ColumnRetyped: a column that a view uses has another type.
        NotYet: the view reads more tables than Spark can plan, nested views expanded.
    """
    expander = _Expander(core, state, {} if known is None else known)
    expanded = expander.expand(view) if query is None else expander.expand_query(view, query)
    # nested views can double the tables to read from level to level
    if expanded.reads > _MOST_READS and count_planned_tables(expanded) > _MOST_READS:
        raise NotYet(
            f"View {str(view.name)!r} reads {expanded.reads:,} tables, with those that its views "
            f"read: {_MOST_READS:,} are as many as may be.",
            hint="Store the rows of one that is read several times in a table.",
        )
    return expanded


@dataclass(frozen=True, slots=True)
class _Expander:
    """Expands the views of a state; `inside` are the views being expanded, outermost first."""

    core: Core
    state: CatalogState
    known: dict[str, ExpandedView]
    inside: tuple[ViewRecord, ...] = ()

    def expand(self, view: ViewRecord) -> ExpandedView:
        """Return an expanded view, which may be known."""
        expanded = self.known.get(view.object_id)
        if expanded is None:
            self._refuse_cycle(view)
            found = self._find_functions(view)
            expanded = self.expand_query(found, query_of(found))
            self.known[view.object_id] = expanded
        return expanded

    def expand_query(self, view: ViewRecord, query: Query) -> ExpandedView:
        """Return a view expanded with its parsed query."""
        check_cancellation()
        statement = in_context(self.core, Select(query), self.state.now)
        query = statement.query if isinstance(statement, Select) else query
        self._require_functions(view, query)
        around = replace(self, inside=(*self.inside, view))
        # no comprehension: in Python 3.11 it is a frame more for each level of views
        sources = {}
        for source in view.sources:
            sources[source.name] = around.expand_source(view, source)
        expanded = ExpandedView(view, query, sources, 0, 1)
        nested = [expanded.find_source(each.name).view for each in query.references]
        reads = sum(1 if each is None else each.reads for each in nested)
        sizes = (
            each.inlined_size
            for each in nested
            if each is not None and not needs_barrier(each, query.inlined_size)
        )
        inlined_size = query.inlined_size * max(sizes, default=1)
        return replace(expanded, reads=reads, inlined_size=inlined_size)

    def expand_source(self, view: ViewRecord, source: ViewSourceRecord) -> ExpandedSource:
        """Return a source of a view, expanded and compared with the source of CREATE VIEW."""
        columns, record = self._find(view, source)
        nested = self.expand(record) if isinstance(record, ViewRecord) else None
        names = tuple(column.name for column in columns)
        compared = tuple(_compare_columns(view, source, columns))
        return ExpandedSource(source.name, record, nested, names, compared)

    def _require_functions(self, view: ViewRecord, query: Query) -> None:
        """Require the functions of users among a view's sources.

        Without its function a call would mean one of Spark's, which who made the view may not call.

        Raises:
            ObjectNotFound: a function is gone, or the name is another object's.
        """
        place = (view.name.database, view.name.schema)
        read = {each.name.within(*place).folded for each in query.references}
        for source in view.sources:
            if (
                is_function(source)
                and source.function is None
                and source.name.folded not in read
                and not isinstance(self.state.objects.get(source.name), FunctionRecord)
            ):
                raise ObjectNotFound(
                    f"View {str(view.name)!r} reads {str(source.name)!r}, which does not exist.",
                    hint=_remedy(view),
                )

    def _find_functions(self, view: ViewRecord) -> ViewRecord:
        """Return a view with the functions of users that the names among its sources mean.

        What the functions may call is among the sources, too, but not used by the query itself:
        since the view was made a function may have come to call others.
        """
        objects = self.state.objects
        sources = tuple(
            replace(source, function=found)
            if isinstance(found := objects.get(source.name), FunctionRecord)
            else source
            for source in view.sources
        )
        functions = [source.function for source in sources if source.function is not None]
        if not functions:
            return view
        called = map(function_source, find_called(self.core, functions))
        further = (replace(source, used=frozenset()) for source in called)
        return replace(view, sources=(*sources, *further))

    def _find(
        self, view: ViewRecord, source: ViewSourceRecord
    ) -> tuple[Sequence[Column], ReadableObject | StageRecord | FileFormatRecord | FunctionRecord]:
        """Return the object that a view reads, and the object's columns.

        Raises:
            ObjectNotFound: the object does not exist.
            WrongObjectKind: a temporary table hides the object, or the object has no rows.
        """
        name = source.name
        found = source.function or self.state.objects.get(name)
        if isinstance(found, FunctionRecord):
            return (result_column(found),), found
        if isinstance(found, StageRecord | FileFormatRecord):
            return columns_of_files(self.core, found), found
        columns = self.core.columns_in(self.state, name)
        if columns is None:
            raise ObjectNotFound(
                f"View {str(view.name)!r} reads {str(name)!r}, which does not exist.",
                hint=_remedy(view),
            )
        record = require_rows(self.state.objects[name])
        if isinstance(record, TableRecord) and record.session_id is not None:
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads table {str(name)!r}, which a temporary table of "
                "this session hides.",
                hint=f"Drop the temporary one: DROP TABLE {name}",
            )
        return columns, record

    def _refuse_cycle(self, view: ViewRecord) -> None:
        """Refuse to expand a view inside itself.

        Raises:
            DefinitionRefused: the view reads itself.
        """
        if any(each.object_id == view.object_id for each in self.inside):
            reader = self.inside[-1].name
            raise DefinitionRefused(
                f"View {str(view.name)!r} reads itself, through {str(reader)!r}.",
                hint=f"CREATE OR REPLACE VIEW {reader} AS … with another query, or rename it.",
            )


def _compare_columns(
    view: ViewRecord, source: ViewSourceRecord, columns: Sequence[Column]
) -> Iterator[SourceColumn]:
    """Give the columns of a source at CREATE VIEW, each with its position now.

    Args:
        view: the view.
        source: the source as the view keeps it.
        columns: the columns of the source now.

    Raises:
        ColumnNotFound: a column that the view uses is gone.
        ColumnRetyped: a column that the view uses has another type.
    """
    names = [fold(column.name) for column in columns]
    columns_now = dict(zip(names, enumerate(columns), strict=True))
    for column in source.columns:
        position, now = columns_now.get(fold(column.name), (None, None))
        if now is not None and _without_length(now.type) == _without_length(column.type):
            yield SourceColumn(column, position)
        elif fold(column.name) not in source.used:
            yield SourceColumn(column, None)
        else:
            raise _altered_column_error(view, source, column, now)


def _altered_column_error(
    view: ViewRecord, source: ViewSourceRecord, column: Column, now: Column | None
) -> IcemeltError:
    """Return the error for a used column that is gone, or has another type."""
    if now is None:
        return ColumnNotFound(
            f"View {str(view.name)!r} reads column {column.name!r} of {str(source.name)!r}, "
            "which is not there any more.",
            hint=_remedy(view),
        )
    return ColumnRetyped(
        f"Column {column.name!r} of {str(source.name)!r} was {sql_type(column.type)} when view "
        f"{str(view.name)!r} was made, and is {sql_type(now.type)} now.",
        hint=_remedy(view),
    )


def _without_length(data_type: DataType) -> DataType:
    return Primitive(data_type.name) if isinstance(data_type, Primitive) else data_type


def _remedy(view: ViewRecord) -> str:
    return f"Bring it back, or CREATE OR REPLACE VIEW {view.name} AS …; SHOW VIEWS has its text."
