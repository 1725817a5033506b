"""The rows of a view as SQL for Spark: the view's query, with a relation for every source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.errors import AnalysisException

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.identity import make_deterministic
from icemelt.algebra.nodes import BothEndsScan, Delta, Scan, Shared
from icemelt.catalog.records import TableRecord
from icemelt.engine.kept_rows import keep_rows
from icemelt.engine.resources import StatementResources
from icemelt.errors import UnsupportedError
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.schema import Column, spark_type
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.divided_queries import bind_in_parts
from icemelt.session.runtime.kinds import find_external_table
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.views.algebra import algebra_of, leaves_choice
from icemelt.session.views.expanded_views import (
    ExpandedSource,
    ExpandedView,
    find_objects_read,
    may_be_narrower,
    needs_barrier,
)
from icemelt.session.views.plan_frames import frame_of_relation
from icemelt.session.views.shared_views import SharedViews
from icemelt.spark_sql.barriers import add_barrier
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS
from icemelt.sql.effort import check_cancellation
from icemelt.sql.statements import TableReference

__all__ = ["ViewRenderer"]


@dataclass(frozen=True, slots=True)
class ViewRenderer:
    """Renders an outermost view, and the views under it, as SQL for Spark.

    Args:
        core: the session's parts.
        resources: what the statement holds until the statement ends.
        relation: gives the relation of a table or a stream that a view reads.
        identified_rows: gives the relation of a table's rows with their identity; None if rows have
            no identity. Without the function, Spark makes choices among equal rows.
        inlined_size: the inlined size of the query around the outermost view.
        shared: the relations of views that are read several times, so far. The renderers of one
            statement have them in common where they read the same moment.
    """

    core: Core
    resources: StatementResources
    relation: Callable[[ExpandedSource, TableReference], str]
    identified_rows: Callable[[TableRecord], str | None] | None = None
    inlined_size: int = 1
    shared: SharedViews = field(default_factory=SharedViews)

    def rows(self, expanded: ExpandedView, around: ExpandedView | None = None) -> str:
        """Return the relation of a view's rows, with the view's columns.

        Args:
            expanded: the view.
            around: the view that reads the view; None for the outermost view.
        """
        view = expanded.view
        if around is None:
            self.shared.count_readings(expanded)
        size = self.inlined_size if around is None else around.query.inlined_size
        zone = self.core.settings.timezone if around is None else around.view.time_zone
        is_barred = needs_barrier(expanded, size)
        if not self.shared.is_repeated(expanded):
            return self._rows(expanded, zone, is_barred=is_barred)
        key = (view.object_id, zone, is_barred)
        if key not in self.shared.relations:
            relation = self._rows(expanded, zone, is_barred=is_barred)
            self.shared.relations[key] = self._share(expanded, zone, relation)
        return self.shared.relations[key]

    def _rows(self, expanded: ExpandedView, zone: str, *, is_barred: bool) -> str:
        """Return the relation of a view's rows for a query in a time zone."""
        chosen = self._make_choices(expanded)
        if chosen is not None:
            return chosen
        view = expanded.view
        names = ", ".join(quote(column.name) for column in view.columns)
        show = _barred_column if is_barred else _declared_column
        shown = ", ".join(map(show, view.columns))
        relation = f"(SELECT {shown} FROM ({self.text(expanded)}) AS `icemelt_view`({names}))"
        if view.time_zone == zone:
            return relation
        with self.core.in_zone(view.time_zone):
            return self.resources.create_view(run_sql(self.core, relation))

    def _share(self, expanded: ExpandedView, zone: str, relation: str) -> str:
        """Return the relation of a view that is read several times, as a temporary view."""
        with self.core.in_zone(zone):
            frame = run_sql(self.core, f"SELECT * FROM {relation}")
            if self.shared.keeps_rows(expanded):
                frame = keep_rows(frame, self.resources)
            return self.resources.create_view(frame)

    def text(self, expanded: ExpandedView) -> str:
        """Return a view's query for Spark."""
        check_cancellation()
        if not self.shared.readings:
            self.shared.count_readings(expanded)
        relations = {}
        for reference in expanded.query.references:
            source = expanded.find_source(reference.name)
            if source.view is None:
                relation = self.relation(source, reference)
            else:
                relation = self.rows(source.view, expanded)
            relations[reference.slot] = _adapt_relation(source, reference, relation)
        query, resources = expanded.query, self.resources
        if query.divided is None:
            return query.bind(relations)
        with self.core.in_zone(expanded.view.time_zone):
            return bind_in_parts(self.core, query, relations, resources)

    def _make_choices(self, expanded: ExpandedView) -> str | None:
        """Return the rows of a view whose query makes choices, made as in the view's changes.

        None where there is no choice, or there are no changes, or Spark cannot order such rows.
        """
        view, identified_rows = expanded.view, self.identified_rows
        if identified_rows is None or any(each.files for each in expanded.query.references):
            return None
        if not leaves_choice(view):
            return None
        objects = find_objects_read(expanded)
        tables = {key: each for key, each in objects.items() if isinstance(each, TableRecord)}
        if len(tables) < len(objects):
            return None
        try:
            relation = algebra_of(self.core, expanded)
        except UnsupportedError:
            return None
        rows = {object_id: identified_rows(table) for object_id, table in tables.items()}
        if None in rows.values():
            return None

        def read(leaf: Scan | Delta | BothEndsScan | Shared) -> str:
            assert isinstance(leaf, Scan)  # noqa: S101 - a query has no other leaf
            return rows[leaf.source] or ""

        names = [column.name for column in view.columns]
        with self.core.in_zone(view.time_zone):
            try:
                chosen = prune_columns(make_deterministic(relation))
                frame = frame_of_relation(self.core, chosen, read, self.resources)
            except AnalysisException:
                # Spark cannot order such rows
                return None
        return self.resources.create_view(frame.toDF(*names))


def _adapt_relation(source: ExpandedSource, reference: TableReference, relation: str) -> str:
    """Return a relation with the columns that the source had when the view was made.

    A column that is gone is NULL, and so is a column of files that the query does not name: the
    relation lacks the column. The pseudo columns that the query names stay.
    """
    there = [each.column.name for each in source.columns if each.position is not None]
    if there == list(source.names) or reference.files is not None:
        return relation
    has_all = find_external_table(source.record) is None
    values = []
    for each in source.columns:
        name = quote(each.column.name)
        is_there = has_all or reference.may_mean(fold(each.column.name))
        value = name if is_there and each.position is not None else each.null
        values.append(f"{value} AS {name}")
    values += map(quote, sorted(FILE_METADATA_COLUMNS.keys() & (reference.columns or ())))
    return f"(SELECT {', '.join(values) or '1'} FROM {relation})"


def _declared_column(column: Column) -> str:
    """Return a column, cast to its declared type if Spark may have inferred a narrower one."""
    name = quote(column.name)
    if may_be_narrower(column):
        return f"CAST({name} AS {spark_type(column.type)}) AS {name}"
    return name


def _barred_column(column: Column) -> str:
    """Return a column in its type, behind a barrier."""
    name = quote(column.name)
    return f"{add_barrier(f'CAST({name} AS {spark_type(column.type)})')} AS {name}"
