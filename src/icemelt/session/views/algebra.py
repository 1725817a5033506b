"""A view as algebra: its query, with the queries of the views that it reads in their places."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.identity import is_nondeterministic
from icemelt.algebra.nodes import Project, Relation, Scan
from icemelt.algebra.uniqueness import IsKey, is_unique
from icemelt.catalog.records import TableRecord, ViewRecord
from icemelt.changes.pin import replace_scans
from icemelt.engine.relations import rely_key
from icemelt.engine.start.compatibility import builtin_functions
from icemelt.errors import IcemeltError, NotYet, StatementCancelled, UnsupportedError
from icemelt.names import fold
from icemelt.observe.emitting import emit
from icemelt.observe.events import ErrorTolerated
from icemelt.schema import spark_type
from icemelt.session.runtime.core import Core
from icemelt.session.views.expanded_views import (
    ExpandedSource,
    ExpandedView,
    SourceColumn,
    may_be_narrower,
)
from icemelt.session.views.reading import types_within
from icemelt.sql.lowering.limits import require_total_orders
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.parse import LoweredQuery, lower

__all__ = ["algebra_of", "leaves_choice"]

_LOWERED = 1_000


def algebra_of(core: Core, expanded: ExpandedView) -> Relation:
    """Return a view's rows over its tables, which are named by their ids.

    The rows have the view's columns, in their declared types. A table or view that is read several
    times is one node.

    Raises:
        UnsupportedError: the changes of such a query cannot be told.
    """
    return _algebra_of(core, expanded, {})


def _algebra_of(core: Core, expanded: ExpandedView, known: dict[str, Relation]) -> Relation:
    """Return a view as algebra; `known` has the views that were read before, by object id."""
    view = expanded.view
    lowered = _lower_view_query(view)
    if not lowered.query.functions <= builtin_functions(core.spark):
        raise unsupported_error("function")
    sources = _sources_by_slot(expanded, lowered)
    picked: dict[int, Relation] = {}

    def read(scan: Scan) -> Relation:
        source = sources[scan.source]
        if id(source) not in picked:
            picked[id(source)] = _pick_columns(rows_of(source), source.columns)
        return picked[id(source)]

    def rows_of(source: ExpandedSource) -> Relation:
        if source.view is None:
            return Scan(source.record.object_id, source.names)
        _refuse_zone(view, source.view.view)
        nested_id = source.view.view.object_id
        if nested_id not in known:
            known[nested_id] = _algebra_of(core, source.view, known)
        return known[nested_id]

    relation = _cast_to_declared_types(replace_scans(lowered.relation, read), view)
    _refuse_orders(core, expanded, lowered)
    return relation


@functools.lru_cache(_LOWERED)
def leaves_choice(view: ViewRecord) -> bool:
    """Tell whether SQL leaves a view's own query a choice among equal rows, as far as is known."""
    try:
        return is_nondeterministic(_lower_view_query(view).relation)
    except StatementCancelled:
        # it is to be read again
        raise
    except IcemeltError as error:
        told = f"tell whether view {view.name} leaves a choice"
        emit(ErrorTolerated(told, error.code, error.message, is_usual=True))
        # it has no changes that a choice could differ from, or is refused when it is read
        return False


@functools.lru_cache(_LOWERED)
def _lower_view_query(view: ViewRecord) -> LoweredQuery:
    """Lower a view's query, with the columns of its sources at CREATE VIEW."""
    try:
        return lower(view.query, types_within(view.name, view.sources))
    except UnsupportedError as error:
        raise _of_view(view, error) from error


def _of_view(view: ViewRecord, error: UnsupportedError) -> UnsupportedError:
    """Return why a query has no changes as why a view has none."""
    message = f"View {str(view.name)!r} has no changes: {error.message}"
    refused = type(error)(message, hint=error.hint)
    refused.reason = error.reason
    return refused


def _sources_by_slot(expanded: ExpandedView, lowered: LoweredQuery) -> dict[str, ExpandedSource]:
    return {each.slot: expanded.find_source(each.name) for each in lowered.query.references}


def _refuse_orders(core: Core, expanded: ExpandedView, lowered: LoweredQuery) -> None:
    try:
        require_total_orders(lowered.orderings, _key_test(core, expanded, lowered))
    except UnsupportedError as error:
        raise _of_view(expanded.view, error) from error


def _key_test(core: Core, expanded: ExpandedView, lowered: LoweredQuery) -> IsKey:
    """Return the predicate whether columns of a slot of a view's query are a declared key."""
    sources = _sources_by_slot(expanded, lowered)
    return lambda slot, names: _is_key(core, sources[slot], names)


def _is_key(core: Core, source: ExpandedSource, names: frozenset[str]) -> bool:
    """Tell whether columns of a table or view tell its rows apart, by declared keys."""
    wanted = {fold(name) for name in names}
    nested = source.view
    if nested is None:
        table = source.record
        key = rely_key(core.metadata(table)) if isinstance(table, TableRecord) else ()
        return bool(key) and wanted.issuperset(fold(column.name) for column in key)
    places = {at for at, each in enumerate(nested.view.columns) if fold(each.name) in wanted}
    lowered = _lower_view_query(nested.view)
    return is_unique(lowered.relation, places, _key_test(core, nested, lowered))


def _refuse_zone(view: ViewRecord, nested: ViewRecord) -> None:
    if nested.time_zone != view.time_zone:
        error = NotYet(
            f"View {str(view.name)!r} has no changes: it computes in {view.time_zone}, and "
            f"{str(nested.name)!r}, which it reads, in {nested.time_zone} (time-zone).",
            hint=f"ALTER SESSION SET TIMEZONE = '{view.time_zone}'; then CREATE OR REPLACE VIEW "
            f"{nested.name} AS …",
        )
        error.reason = "time-zone"
        raise error


def _pick_columns(relation: Relation, columns_as_made: Sequence[SourceColumn]) -> Relation:
    """Return a relation with the columns that the source had when the view was made.

    A column that is gone is NULL.
    """
    values = [
        text(each.null) if each.position is None else column(each.position)
        for each in columns_as_made
    ]
    if values == list(columns(0, relation.width)):
        return relation
    return Project(relation, tuple(values))


def _cast_to_declared_types(relation: Relation, view: ViewRecord) -> Relation:
    """Cast each column to its declared type if Spark may have inferred a narrower one."""
    values = [
        Expression(("CAST(", at, f" AS {spark_type(each.type)})"))
        if may_be_narrower(each)
        else column(at)
        for at, each in enumerate(view.columns)
    ]
    return Project(relation, tuple(values))
