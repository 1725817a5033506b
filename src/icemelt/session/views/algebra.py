"""A view as algebra: its query, with the queries of the views that it reads in their places."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.identity import is_nondeterministic
from icemelt.algebra.nodes import Project, Relation, Scan
from icemelt.algebra.uniqueness import IsKey, is_unique
from icemelt.catalog.records import ReadState, ViewRecord
from icemelt.changes.pin import replace_scans
from icemelt.engine.relations import rely_key
from icemelt.engine.start.compatibility import builtin_functions
from icemelt.errors import IcemeltError, NotYet, StatementCancelled, UnsupportedError
from icemelt.names import ObjectName, TableName, fold
from icemelt.observe.emitting import emit
from icemelt.observe.events import ErrorTolerated
from icemelt.schema import DataType, Primitive, spark_type
from icemelt.session.runtime.core import Core
from icemelt.session.views.reading import (
    columns_as_made,
    null,
    query_of,
    refuse_cycle,
    refuse_many_reads,
    refuse_missing,
)
from icemelt.sql.lowering.limits import require_total_orders
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.parse import LoweredQuery, lower

__all__ = ["algebra_of", "leaves_choice"]

_LOWERED = 1_000
_IsKeyOf = Callable[[TableName, frozenset[str]], bool]


@dataclass(frozen=True, slots=True)
class _Views:
    """Expands views over the tables of a state."""

    core: Core
    state: ReadState
    inside: tuple[ViewRecord, ...] = ()

    def rows(self, view: ViewRecord) -> Relation:
        """Return a view's rows, in its columns and their types."""
        refuse_cycle(view, self.inside)
        around = replace(self, inside=(*self.inside, view))
        if not self.inside:
            refuse_many_reads(self.state, view, query_of(view))
        lowered = _lower_view_query(view)
        if not lowered.query.functions <= builtin_functions(self.core.spark):
            raise unsupported_error("function")
        named = {each.slot: each.name for each in lowered.query.references}
        sources = {source.name: source for source in view.sources}

        def read(scan: Scan) -> Relation:
            full = named[scan.source].within(view.name.database, view.name.schema)
            refuse_missing(self.core, self.state, view, full)
            columns_of_then = columns_as_made(self.core, self.state, view, sources[full])
            nested = self.state.views.get(full)
            if nested is not None:
                _refuse_zone(view, nested)
                inner, names = around.rows(nested), [each.name for each in nested.columns]
            else:
                table = self.state.tables[full]
                names = [each.name for each in self.core.columns_in(self.state, full) or ()]
                inner = Scan(table.object_id, tuple(names))
            folded = [fold(name) for name in names]
            values = [
                column(folded.index(fold(old.name))) if is_there else text(null(old))
                for old, is_there in columns_of_then
            ]
            return _pick_columns(inner, values)

        relation = _cast_to_stored_types(replace_scans(lowered.relation, read), view)
        # after the views under it are expanded, none of which reads itself
        _refuse_orders(view, lowered, self._is_key)
        return relation

    def _is_key(self, name: TableName, columns_of: frozenset[str]) -> bool:
        """Tell whether columns of a table or view tell its rows apart, by declared keys."""
        wanted = {fold(each) for each in columns_of}
        nested = self.state.views.get(name)
        if nested is None:
            table = self.state.tables.get(name)
            key = () if table is None else rely_key(self.core.metadata(table))
            return bool(key) and wanted.issuperset(fold(column.name) for column in key)
        places = {at for at, column in enumerate(nested.columns) if fold(column.name) in wanted}
        lowered = _lower_view_query(nested)
        return is_unique(lowered.relation, places, _by_slots(nested, lowered, self._is_key))


def _by_slots(view: ViewRecord, lowered: LoweredQuery, is_key: _IsKeyOf) -> IsKey:
    """Return what tells by the slots of a view's query whether columns are a key."""
    named = {each.slot: each.name for each in lowered.query.references}

    def is_key_of(slot: str, names: frozenset[str]) -> bool:
        return is_key(named[slot].within(view.name.database, view.name.schema), names)

    return is_key_of


def _refuse_orders(view: ViewRecord, lowered: LoweredQuery, is_key: _IsKeyOf) -> None:
    try:
        require_total_orders(lowered.orderings, _by_slots(view, lowered, is_key))
    except UnsupportedError as error:
        raise _of_view(view, error) from error


def algebra_of(core: Core, state: ReadState, view: ViewRecord) -> Relation:
    """Return a view's rows over its tables, which are named by their ids.

    Raises:
        UnsupportedError: the changes of such a query cannot be told.
        ColumnNotFound: a column that it reads is gone.
        ColumnRetyped: a column that it reads has another type.
    """
    return _Views(core, state).rows(view)


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
    """Lower a view's query; names in it that are not full are of the view's schema."""
    known = {source.name: source.columns for source in view.sources}

    def types(name: ObjectName) -> Mapping[str, DataType] | None:
        found = known.get(name.within(view.name.database, view.name.schema))
        return None if found is None else {column.name: column.type for column in found}

    try:
        return lower(view.query, types)
    except UnsupportedError as error:
        raise _of_view(view, error) from error


def _of_view(view: ViewRecord, error: UnsupportedError) -> UnsupportedError:
    """Return why a query has no changes as why a view has none."""
    message = f"View {str(view.name)!r} has no changes: {error.message}"
    refused = type(error)(message, hint=error.hint)
    refused.reason = error.reason
    return refused


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


def _pick_columns(relation: Relation, values: list[Expression]) -> Relation:
    if values == list(columns(0, relation.width)):
        return relation
    return Project(relation, tuple(values))


def _cast_to_stored_types(relation: Relation, view: ViewRecord) -> Relation:
    """Give the columns the types as which they are stored, where Spark's may be narrower ones."""
    values = [
        Expression(("CAST(", at, f" AS {spark_type(each.type)})"))
        if isinstance(each.type, Primitive) and each.type.name in {"long", "double", "string"}
        else column(at)
        for at, each in enumerate(view.columns)
    ]
    return Project(relation, tuple(values))
