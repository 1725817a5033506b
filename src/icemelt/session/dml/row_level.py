"""UPDATE, DELETE and MERGE: run Spark's row-level statements on a private copy of the table."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from icemelt.engine.resources import StatementResources
from icemelt.errors import DuplicateMatch, QueryError
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.session.dml.merging import run_statement
from icemelt.session.dml.repeated_keys import require_distinct_keys
from icemelt.session.dml.writing import (
    RowCounts,
    WriteTarget,
    finish_write,
    open_target,
    pending_change,
    within_bounds,
)
from icemelt.session.queries.binding import (
    BoundQuery,
    consumed,
    lock_streams,
    reads,
    relations_of,
    resolve_all,
)
from icemelt.session.runtime.columns import require_column
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.next_values import default_value
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.spark_sql.writing import stored_value
from icemelt.sql.statements import Effect, RowLevel
from icemelt.tables.writes.partition_bounds import find_partition_bounds
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["bind_row_level", "run_row_level"]

# the most columns that a condition may have once a view's columns are inlined
_MAX_INLINED_COLUMNS = 16


def run_row_level(core: Core, statement: RowLevel, history: History) -> RowCounts:
    """Run UPDATE, DELETE or MERGE.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        DuplicateMatch: two source rows match one target row.
    """
    own = core.full(statement.target.name)
    inserts_unmatched = Effect.INSERTED in statement.effects

    def work(attempt: Attempt) -> Pending[RowCounts]:
        lock_streams(core, statement.references)
        state = resolve_all(core, statement.references, [statement.target.name])
        target = open_target(core, attempt, core.table_in(state, statement.target.name))
        _require_known_columns(statement)
        bound = BoundQuery(
            "", state, StatementResources(core.iceberg), inlined_size=_MAX_INLINED_COLUMNS
        )
        try:
            with translated(core.spark):
                relations = dict(relations_of(core, statement.references, bound))
                moves = consumed(core, attempt, bound)
            relations[statement.target.slot] = target.relation
            _carry_out(core, statement, target, bound, relations)
            bound.resources.validate_read()
        finally:
            bound.resources.release()
        written = finish_write(
            attempt,
            target,
            statement.kind.value,
            needs_phantom_check=inserts_unmatched
            or own.folded in reads(core, state, statement.references),
            effects=statement.effects,
        )
        return pending_change(history, [written], moves)

    return core.outcome(work, history)


def _carry_out(
    core: Core,
    statement: RowLevel,
    target: WriteTarget,
    bound: BoundQuery,
    relations: Mapping[str, str],
) -> None:
    """Run the statement in the workspace.

    Spark may find two source rows for a target row. Then the statement runs in the exact form, in
    which only clauses that really take both rows are an error.
    """
    try:
        with translated(core.spark):
            text = bind_row_level(core, statement, target, relations)
            run_statement(core, text, target.base, bound)
    except DuplicateMatch:
        require_distinct_keys(core, statement, bound, relations)
        if statement.exact is None:
            raise
        with (
            _materialize_changes(core, statement, bound, relations) as stored,
            translated(core.spark),
        ):
            text = bind_row_level(core, statement.in_exact_form(), target, stored)
            run_statement(core, text, target.base, bound)


def bind_row_level(
    core: Core, statement: RowLevel, target: WriteTarget, relations: Mapping[str, str]
) -> str:
    """Return the Spark SQL of a statement.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        target: the table that is written.
        relations: the relation for each slot, the target's as well.
    """
    return statement.bind(relations, _assigned_values(core, target, statement, relations))


@contextmanager
def _materialize_changes(
    core: Core, statement: RowLevel, bound: BoundQuery, relations: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Give relations whose changes are read once, and kept by the executors during the block.

    The exact form reads the source twice, and Spark's rewriting of MERGE confuses the columns of
    two change queries in one statement.
    """
    checkpointed = dict(relations)
    views = []
    streams = {name.folded for name in bound.state.streams}
    try:
        for reference in statement.references:
            read = reads(core, bound.state, [reference])
            if reference.changes is None and streams.isdisjoint(read):
                continue
            with translated(core.spark):
                rows = run_sql(core, f"SELECT * FROM {relations[reference.slot]}")
                view = f"icemelt_changes_{uuid.uuid4().hex}"
                rows.localCheckpoint().createOrReplaceTempView(view)
            views.append(view)
            checkpointed[reference.slot] = quote(view)
        yield checkpointed
    finally:
        for view in views:
            core.spark.catalog.dropTempView(view)


def _require_known_columns(statement: RowLevel) -> None:
    for column in statement.unsettled:
        raise QueryError(
            f"Column {column!r} may be of table {str(statement.target.name)!r} or of what it is "
            "compared with, whose columns are not all known.",
            hint=f"Write the table before it, as in {statement.target.name.last}.{column}.",
        )


def _assigned_values(
    core: Core, target: WriteTarget, statement: RowLevel, relations: Mapping[str, str]
) -> dict[str, str]:
    """Return the SQL of every assigned value by slot; slots in a DEFAULT's text are ignored."""
    values, bounds = {}, find_partition_bounds(target.base)
    columns = target.base.columns
    for assignment in statement.assignments:
        if assignment.column.startswith("#"):
            column = columns[int(assignment.column[1:])]
        else:
            column = require_column(columns, assignment.column, str(target.table.name))
        expression = statement.value_of(assignment, relations)
        expression = expression or default_value(core, target.table, column)
        stored = stored_value(column, f"({expression})", assignment.kind)
        values[assignment.slot] = within_bounds(bounds, column, stored)
        if assignment.name_slot:
            values[assignment.name_slot] = quote(column.name)
    for unnamed in statement.unnamed:
        named = {fold(name) for name in unnamed.named}
        unnamed_columns = [column for column in columns if fold(column.name) not in named]
        if unnamed.named[0].startswith("#"):
            unnamed_columns = list(columns[len(unnamed.named) :])
        values[unnamed.names_slot] = "".join(
            f", {quote(column.name)}" for column in unnamed_columns
        )
        stored_defaults = (
            (column, stored_value(column, default_value(core, target.table, column)))
            for column in unnamed_columns
        )
        values[unnamed.values_slot] = "".join(
            f", {within_bounds(bounds, column, stored)}" for column, stored in stored_defaults
        )
    return values
