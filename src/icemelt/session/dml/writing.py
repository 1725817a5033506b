"""Write tables: INSERT, TRUNCATE, OPTIMIZE, and the steps shared by all writing statements.

A statement writes a private copy of the table. The copy is published as one version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.catalog.edits import Edit, ForgetLoads
from icemelt.catalog.records import TableRecord
from icemelt.engine.spark_types import type_of
from icemelt.errors import ValueRefused
from icemelt.names import ObjectName, fold
from icemelt.observe.emitting import emit
from icemelt.observe.events import TableCompacted
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.session.dml.few_rows import append_few
from icemelt.session.queries.binding import (
    bind_query,
    consumed,
    frame,
    lock_streams,
    reads,
    resolve_all,
)
from icemelt.session.runtime.columns import require_column
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.next_values import default_numbers, default_value, is_generated
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import select, where
from icemelt.spark_sql.writing import partitioning_value, stored_value
from icemelt.sql.statements import Branch, Effect, Insert, InsertAll
from icemelt.tables.maintenance.compacting import compact_files
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.partition_bounds import PartitionBound, find_partition_bounds
from icemelt.transactions.pending import OPTIMIZE, Attempt, Pending, TableWrite
from icemelt.transactions.stats import version_stats

__all__ = [
    "RowCounts",
    "WriteTarget",
    "compact",
    "delete_all",
    "finish_write",
    "insert",
    "insert_all",
    "open_target",
    "optimize",
    "pending_change",
    "shape_rows",
    "truncate",
    "within_bounds",
]


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows a statement inserted, updated and deleted, None where unknown."""

    inserted: int | None = 0
    updated: int | None = 0
    deleted: int | None = 0

    @property
    def total(self) -> int | None:
        """The number of changed rows, None where unknown."""
        counts = (self.inserted, self.updated, self.deleted)
        known_counts = [count for count in counts if count is not None]
        return sum(known_counts) if len(known_counts) == len(counts) else None


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """A table to write: record, definition, and relation in the workspace."""

    table: TableRecord
    base: TableMetadata
    relation: str


def open_target(core: Core, attempt: Attempt, table: TableRecord) -> WriteTarget:
    """Add a table's private copy to the workspace of an attempt; return the copy.

    Args:
        core: the session's parts.
        attempt: the attempt.
        table: the table. A statement that reads further tables takes all from one state: a commit
            between two states would be neither read nor a conflict.
    """
    relation = attempt.workspace.add(table.object_id, table.known_location)
    return WriteTarget(table, core.iceberg.metadata(table.known_location), relation)


def pending_change(
    history: History, writes: Sequence[TableWrite], edits: Sequence[Edit] = ()
) -> Pending[RowCounts]:
    """Return the plan of a writing statement; the outcome counts the rows.

    Args:
        history: makes the statement's record in the history.
        writes: the writes, one for each table.
        edits: further edits, as moves of the streams that the statement consumed.
    """
    change = _sum_counts([_count_rows(write) for write in writes])
    return Pending(change, lambda: history(change.total), tuple(writes), tuple(edits))


def finish_write(
    attempt: Attempt,
    target: WriteTarget,
    operation: str,
    *,
    needs_phantom_check: bool = False,
    requires_whole_table: bool = False,
    effects: tuple[Effect, ...] = (),
) -> TableWrite:
    """Return the write of a table, from the state of the private copy.

    Args:
        attempt: the attempt.
        target: the table in the workspace.
        operation: the name of the operation in the table's history.
        needs_phantom_check: whether the statement depends on rows that it did not find.
        requires_whole_table: whether the statement depends on all rows of the table.
        effects: the kinds of changes that a MERGE may make.
    """
    mine = attempt.workspace.current(target.table.object_id)
    if _is_unchanged(target.base, mine):
        mine = target.base
    effect_names = frozenset(effect.value for effect in effects)
    flags = (needs_phantom_check, requires_whole_table)
    return TableWrite(target.table, target.base, mine, operation, *flags, effects=effect_names)


def insert(core: Core, statement: Insert, history: History) -> RowCounts:
    """Run INSERT [OVERWRITE].

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.
    """
    own = core.full(statement.target)

    def work(attempt: Attempt) -> Pending[RowCounts]:
        lock_streams(core, statement.query.references)
        state = resolve_all(core, statement.query.references, [statement.target])
        target = open_target(core, attempt, core.table_in(state, statement.target))
        columns = _find_columns(target, statement.columns)
        query = statement.query
        defaults = _default_values(core, target, columns, statement.defaults)
        bound = bind_query(core, query, state, values=defaults)
        try:
            moves = consumed(core, attempt, bound)
            given = frame(core, bound)
            if statement.from_values and any(is_generated(c.default) for c in target.base.columns):
                # in one task the rows have numbers in their order
                given = given.coalesce(1)
            rows = shape_rows(core, given, target, columns)
            if statement.overwrite or not append_few(
                core, attempt, target.table, target.base, rows
            ):
                append(core, rows, target, overwrite=statement.overwrite)
            bound.resources.validate_read()
        finally:
            bound.resources.release()
        operation = "INSERT OVERWRITE" if statement.overwrite else "INSERT"
        written = finish_write(
            attempt,
            target,
            operation,
            needs_phantom_check=own.folded in reads(core, state, statement.query.references),
            requires_whole_table=statement.overwrite,
        )
        return pending_change(history, [written], moves)

    return core.outcome(work, history)


def append(core: Core, rows: DataFrame, target: WriteTarget, *, overwrite: bool = False) -> None:
    """Write rows into a table of the workspace.

    Args:
        core: the session's parts.
        rows: the rows, as `shape_rows` returns them.
        target: the table in the workspace.
        overwrite: whether the rows replace all rows of the table.
    """
    writer = rows.writeTo(target.relation)
    with translated(core.spark):
        if overwrite:
            writer.overwrite(F.expr("true"))
        else:
            writer.append()


def shape_rows(
    core: Core, rows: DataFrame, target: WriteTarget, columns: Sequence[Column]
) -> DataFrame:
    """Return rows in the form that a table stores: all columns in order, with converted values.

    Args:
        core: the session's parts.
        rows: the rows of a query or data frame.
        target: the table in the workspace.
        columns: the table's columns that the rows fill, in the order of the rows' columns.

    Raises:
        ValueRefused: the rows have another number of columns.
    """
    if len(rows.columns) != len(columns):
        raise ValueRefused(
            f"Table {str(target.table.name)!r} takes {_values(len(columns))} here, "
            f"found {len(rows.columns)}.",
            hint=f"Name the columns: INSERT INTO {target.table.name} (a, b) …",
        )
    types = [type_of(field.dataType) for field in rows.schema.fields]
    names = rows.columns
    if len({fold(name) for name in names}) < len(names):
        names = [f"c{index}" for index in range(len(types))]
        rows = rows.toDF(*names)
    given = {column.name: index for index, column in enumerate(columns)}
    values, bounds = [], find_partition_bounds(target.base)
    for column in target.base.columns:
        index = given.get(column.name)
        if index is not None:
            value = stored_value(column, quote(names[index]), types[index])
        else:
            value = stored_value(column, default_value(core, target.table, column))
        value = within_bounds(bounds, column, value)
        values.append(f"{value} AS {quote(column.name)}")
    with translated(core.spark):
        return select(core, rows, values)


def within_bounds(bounds: Mapping[str, PartitionBound], column: Column, stored: str) -> str:
    """Return the SQL of a stored value, an error where no partition can hold it.

    Args:
        bounds: the bounds of the table's columns.
        column: the column.
        stored: the SQL of the value, as `stored_value` returns it.
    """
    bound = bounds.get(column.name)
    if bound is None:
        return stored
    return partitioning_value(column.name, stored, bound.width, bound.least)


def _values(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"


def insert_all(core: Core, statement: InsertAll, history: History) -> RowCounts:
    """Run INSERT ALL or FIRST: read the source once, write every row to the matching branches.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.
    """
    operation = "INSERT OVERWRITE" if statement.overwrite else "INSERT"

    def work(attempt: Attempt) -> Pending[RowCounts]:
        lock_streams(core, statement.query.references)
        into = [branch.target for branch in statement.branches]
        state = resolve_all(core, statement.query.references, into)
        read = reads(core, state, statement.query.references)
        bound = bind_query(core, statement.query, state)
        moves = consumed(core, attempt, bound)
        source = frame(core, bound).persist()
        try:
            targets: dict[str, WriteTarget] = {}
            for branch, rows in _route_rows(core, statement, source):
                table = core.table_in(state, branch.target)
                first = table.object_id not in targets
                if first:
                    targets[table.object_id] = open_target(core, attempt, table)
                target = targets[table.object_id]
                columns = _find_columns(target, branch.columns)
                shown = shape_rows(
                    core, _select_branch_values(core, rows, branch, target), target, columns
                )
                append(core, shown, target, overwrite=statement.overwrite and first)
            bound.resources.validate_read()
        finally:
            source.unpersist()
            bound.resources.release()
        writes = [
            finish_write(
                attempt,
                target,
                operation,
                needs_phantom_check=target.table.name.folded in read,
                requires_whole_table=statement.overwrite,
            )
            for target in targets.values()
        ]
        return pending_change(history, writes, moves)

    return core.outcome(work, history)


def _route_rows(
    core: Core, statement: InsertAll, source: DataFrame
) -> list[tuple[Branch, DataFrame]]:
    """Return each branch with the rows that it takes."""
    conditions: dict[int, str] = {}
    for branch in statement.branches:
        if branch.group is not None and branch.condition is not None:
            conditions[branch.group] = f"coalesce({branch.condition}, false)"
    routed = []
    for branch in statement.branches:
        if branch.group is None:
            routed.append((branch, source))
            continue
        before = [c for group, c in conditions.items() if group < branch.group]
        terms = [conditions[branch.group]] if branch.group in conditions else []
        if statement.first or branch.condition is None:
            terms += [f"NOT ({condition})" for condition in before]
        with translated(core.spark):
            routed.append((branch, where(core, source, " AND ".join(terms) or "true")))
    return routed


def _select_branch_values(
    core: Core, rows: DataFrame, branch: Branch, target: WriteTarget
) -> DataFrame:
    if branch.values is None:
        return rows
    columns = _find_columns(target, branch.columns)
    values = [
        f"{_default_value(core, target, columns, index) if value is None else value} AS c{index}"
        for index, value in enumerate(branch.values)
    ]
    with translated(core.spark):
        return select(core, rows, values)


def truncate(core: Core, name: ObjectName, history: History) -> RowCounts:
    """Run TRUNCATE: remove every row, from metadata alone.

    The table's load history is forgotten too, as in Snowflake: the files can be loaded again.

    Args:
        core: the session's parts.
        name: the table's name.
        history: makes the statement's record in the history.
    """

    def work(attempt: Attempt) -> Pending[RowCounts]:
        target = open_target(core, attempt, core.table(name))
        if target.base.current is not None:
            delete_all(core, attempt, target)
        written = finish_write(attempt, target, "TRUNCATE", requires_whole_table=True)
        return pending_change(history, [written], [ForgetLoads(target.table.object_id)])

    return core.outcome(work, history)


def delete_all(core: Core, attempt: Attempt, target: WriteTarget) -> None:
    """Remove every row of a table in the workspace, from metadata alone.

    Args:
        core: the session's parts.
        attempt: the attempt.
        target: the table in the workspace.
    """
    java = core.iceberg.table(attempt.workspace.namespace, target.table.object_id)
    always = core.iceberg.java_class("expressions.Expressions").alwaysTrue()
    java.newDelete().deleteFromRowFilter(always).commit()


def optimize(core: Core, name: ObjectName, history: History) -> tuple[int, int]:
    """Run OPTIMIZE: compact small files and deletion vectors; no row changes.

    Args:
        core: the session's parts.
        name: the table's name.
        history: makes the statement's record in the history.

    Returns:
        How many files were removed, and how many were added.
    """

    def work(attempt: Attempt) -> Pending[tuple[int, int]]:
        target = open_target(core, attempt, core.table(name))
        counts = compact(core, attempt, target)
        change = pending_change(history, [finish_write(attempt, target, OPTIMIZE)])
        return Pending(counts, change.statement, change.writes)

    counts = core.outcome(work, history)
    if any(counts):
        emit(TableCompacted(str(core.full(name)), *counts))
    return counts


def compact(core: Core, attempt: Attempt, target: WriteTarget) -> tuple[int, int]:
    """Compact a table in the workspace; return how many files were removed, and how many added.

    Args:
        core: the session's parts.
        attempt: the attempt.
        target: the table in the workspace.
    """
    java = core.iceberg.table(attempt.workspace.namespace, target.table.object_id)
    with translated(core.spark):
        return compact_files(core.iceberg, java, target.base)


def _count_rows(write: TableWrite) -> RowCounts:
    if write.mine.location == write.base.location:
        return RowCounts()
    stats = version_stats(write.base, write.mine, write.operation, write.effects)
    return RowCounts(stats.inserted, stats.updated, stats.deleted)


def _sum_counts(changes: Sequence[RowCounts]) -> RowCounts:
    def total(counts: Sequence[int | None]) -> int | None:
        known_counts = [count for count in counts if count is not None]
        return sum(known_counts) if len(known_counts) == len(counts) else None

    return RowCounts(
        total([change.inserted for change in changes]),
        total([change.updated for change in changes]),
        total([change.deleted for change in changes]),
    )


def _is_unchanged(base: TableMetadata, mine: TableMetadata) -> bool:
    """Tell whether all snapshots since are empty: then there is no version and no conflict."""
    chain = mine.chain(base.current_snapshot_id, mine.current_snapshot_id)
    return bool(chain) and all(
        snapshot.summary.get("changed-partition-count") == "0"
        and not snapshot.count("added-records")
        for snapshot in chain or ()
    )


def _find_columns(target: WriteTarget, names: Sequence[str] | None) -> tuple[Column, ...]:
    columns = target.base.columns
    if names is None:
        return columns
    return tuple(require_column(columns, name, str(target.table.name)) for name in names)


def _default_values(
    core: Core,
    target: WriteTarget,
    columns: Sequence[Column],
    slots: Sequence[tuple[str, int]],
) -> dict[str, str]:
    """Return the stored values of the words DEFAULT in the rows of VALUES, by slot.

    Args:
        core: the session's parts.
        target: the table in the workspace.
        columns: the columns that the rows fill.
        slots: the slots, with the positions of their columns, in the order of the text.
    """
    values: dict[str, str] = {}
    for position in {position for _, position in slots}:
        own = [slot for slot, at in slots if at == position]
        if position < len(columns) and is_generated(columns[position].default):
            column = columns[position]
            numbers = default_numbers(core, target.table, column, len(own))
            values |= {slot: stored_value(column, n) for slot, n in zip(own, numbers, strict=True)}
        else:
            values |= dict.fromkeys(own, _default_value(core, target, columns, position))
    return values


def _default_value(
    core: Core, target: WriteTarget, columns: Sequence[Column], position: int
) -> str:
    if position >= len(columns):
        return "NULL"
    column = columns[position]
    return stored_value(column, default_value(core, target.table, column))
