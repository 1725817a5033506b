"""Expanded views as plain data: a view's query, and all that the query reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from icemelt.catalog.defined_records import FileFormatRecord, FunctionRecord, StageRecord
from icemelt.catalog.records import ReadableObject, SchemaObject, ViewRecord
from icemelt.names import ObjectName, QualifiedName
from icemelt.schema import Column, Primitive, spark_type
from icemelt.spark_sql.barriers import is_too_large
from icemelt.sql.statements import Query

__all__ = [
    "ExpandedSource",
    "ExpandedView",
    "SourceColumn",
    "find_objects_read",
    "may_be_narrower",
    "needs_barrier",
    "views_read",
    "views_under",
]


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column that a source had when CREATE VIEW ran.

    Args:
        column: the column as it was then.
        position: the column's position among the source's columns now; None for a column that is
            gone or has another type, which the view does not use.
    """

    column: Column
    position: int | None

    @property
    def null(self) -> str:
        """A NULL of the column's type, as SQL."""
        return f"CAST(NULL AS {spark_type(self.column.type)})"


@dataclass(frozen=True, slots=True)
class ExpandedSource:
    """An object that a view reads.

    Args:
        name: the full name in the view's query.
        record: the object of that name.
        view: the expanded view; None for any other object.
        names: the names of the object's columns now.
        columns: the columns that the object had when CREATE VIEW ran.
    """

    name: QualifiedName
    record: ReadableObject | StageRecord | FileFormatRecord | FunctionRecord
    view: ExpandedView | None
    names: tuple[str, ...]
    columns: tuple[SourceColumn, ...]


@dataclass(frozen=True, slots=True)
class ExpandedView:
    """A view whose query can be read: all objects under the view are there and fit.

    Args:
        view: the view.
        query: the view's query, with the statement's clock and the session's values filled in.
        sources: the objects that the query reads, by full name.
        reads: how many tables and streams the query reads, nested views expanded.
        inlined_size: the inlined size of the view's largest column, where a column of a table
            counts as one. A nested view that needs a barrier counts as one, too.
    """

    view: ViewRecord
    query: Query
    sources: Mapping[QualifiedName, ExpandedSource]
    reads: int
    inlined_size: int

    def find_source(self, name: ObjectName) -> ExpandedSource:
        """Return the source of a name in the query; short names belong to the view's schema."""
        return self.sources[name.within(self.view.name.database, self.view.name.schema)]


def find_objects_read(expanded: ExpandedView) -> dict[str, SchemaObject]:
    """Return all that has rows or files under an expanded view, but the views, by object id."""
    return {
        source.record.object_id: source.record
        for view in views_under(expanded)
        for source in view.sources.values()
        if not isinstance(source.record, ViewRecord | FunctionRecord)
    }


def views_under(expanded: ExpandedView) -> Iterator[ExpandedView]:
    """Yield a view and all views under it, each once, and after those that it reads."""
    done: set[str] = set()
    pending = [expanded]
    while pending:
        view = pending[-1]
        below = [each for each in views_read(view) if each.view.object_id not in done]
        if below:
            pending += below
            continue
        pending.pop()
        if view.view.object_id not in done:
            done.add(view.view.object_id)
            yield view


def views_read(expanded: ExpandedView) -> list[ExpandedView]:
    """Return the view of each place in a view's query that reads one."""
    sources = (expanded.find_source(each.name).view for each in expanded.query.references)
    return [each for each in sources if each is not None]


def needs_barrier(nested: ExpandedView, inlined_size: int) -> bool:
    """Return whether a nested view's columns stand behind a barrier.

    Args:
        nested: the nested view.
        inlined_size: the inlined size of the query around the nested view.
    """
    return is_too_large(nested.inlined_size * inlined_size, inlined_size, nested.inlined_size)


def may_be_narrower(column: Column) -> bool:
    """Return whether Spark may compute a view's column in a narrower type than the stored type.

    >>> may_be_narrower(Column("id", Primitive("long")))
    True
    """
    return isinstance(column.type, Primitive) and column.type.name in {"long", "double", "string"}
