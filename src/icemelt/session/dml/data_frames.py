"""Transactions in PySpark: read data frames from streams, write data frames to tables.

A data frame in a statement is a temporary view of Spark with a name of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from pyspark.sql import DataFrame

from icemelt.engine.spark_types import type_of
from icemelt.errors import QueryError, ValueRefused
from icemelt.names import ObjectName, fold
from icemelt.observe.statements import watch_statement
from icemelt.quoting import quote
from icemelt.schema import Column, DataType
from icemelt.session.dml.row_level import run_row_level
from icemelt.session.dml.writing import (
    RowCounts,
    append,
    finish_write,
    open_target,
    pending_change,
    shape_rows,
)
from icemelt.session.queries.binding import BoundQuery, bind_query, consumed, frame, lock_streams
from icemelt.session.runtime.analysing import run_analysed
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.lookup import Lookup
from icemelt.spark_sql.own_columns import METADATA_COLUMNS, TABLE_STREAM_COLUMNS
from icemelt.sql.analysis.scopes import ColumnsOf, EntryName
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import Query, RowLevel, Statement, TableReference
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["Clause", "append_frame", "consume", "merge_frame"]

_STREAM_COLUMNS = frozenset((*METADATA_COLUMNS, *TABLE_STREAM_COLUMNS))
_STREAM_SLOT = "__icemelt_stream__"
_FRAME_NAME = ObjectName(("icemelt$frame",))


def consume(core: Core, name: ObjectName) -> tuple[DataFrame, BoundQuery]:
    """Return a stream's rows; the rows count as consumed in the open transaction.

    Raises:
        WrongObjectKind: the name belongs to a table.
    """
    stream = core.stream(name)
    query = Query(f"SELECT * FROM {_STREAM_SLOT}", (TableReference(_STREAM_SLOT, name),))
    history = _history(core, f"consume({str(stream.name)!r})", "CONSUME")

    def work(attempt: Attempt) -> Pending[BoundQuery]:
        lock_streams(core, query.references)
        bound = bind_query(core, query)
        return Pending(bound, lambda: history(0), edits=consumed(core, attempt, bound))

    with _watch(history):
        bound = core.outcome(work, history)
        return frame(core, bound), bound


def append_frame(
    core: Core, rows: DataFrame, name: ObjectName, *, overwrite: bool = False
) -> RowCounts:
    """Insert a data frame into a table, matching columns by name.

    Args:
        core: the session's parts.
        rows: the data frame.
        name: the table's name.
        overwrite: whether the rows replace all rows of the table.

    Raises:
        ValueRefused: the table lacks a column of the data frame.
    """
    operation = "INSERT OVERWRITE" if overwrite else "INSERT"
    history = _history(core, f"{operation.lower()} a data frame into {name}", operation)

    def work(attempt: Attempt) -> Pending[RowCounts]:
        target = open_target(core, attempt, core.table(name))
        columns = _match_columns(rows, target.base.columns, str(target.table.name))
        with core.statement() as own:
            append(own, shape_rows(own, rows, target, columns), target, overwrite=overwrite)
        written = finish_write(attempt, target, operation, requires_whole_table=overwrite)
        return pending_change(history, [written])

    with _watch(history):
        return core.outcome(work, history)


Action = str | Mapping[str, str]
Clause = Action | Sequence[tuple[str | None, Action]] | None


def merge_frame(
    core: Core,
    rows: DataFrame,
    name: ObjectName,
    on: str | Sequence[str],
    clauses: tuple[Clause, Clause],
) -> RowCounts:
    """Merge a data frame into a table.

    Args:
        core: the session's parts.
        rows: the data frame.
        name: the table's name.
        on: a column of both, several columns, or a condition over `target` and `source`.
        clauses: the clause for rows that match, and the clause for rows that do not.

    Raises:
        QueryError: a clause is no clause, or `on` names no column.
        DuplicateMatch: two rows of the data frame match one row of the table.
    """
    matched = _clauses("MATCHED", rows, clauses[0])
    not_matched = _clauses("NOT MATCHED", rows, clauses[1])
    text = f"MERGE INTO {name} AS target USING {_FRAME_NAME} AS source ON {_condition(rows, on)}"
    history = _history(core, " ".join((text, *matched, *not_matched)), "MERGE")
    fields = {field.name: type_of(field.dataType) for field in rows.schema.fields}
    types = {column: kind for column, kind in fields.items() if kind is not None}

    view = f"icemelt_frame_{uuid.uuid4().hex}"

    def parse(columns_of: ColumnsOf) -> Statement:
        def columns_or_fields(table: EntryName) -> Mapping[str, DataType] | None:
            return types if table == _FRAME_NAME else columns_of(table)

        return parse_statement(history.text, None, columns_or_fields)

    def run(statement: Statement, lookup: Lookup) -> RowCounts:
        assert isinstance(statement, RowLevel)  # noqa: S101 - the text is a MERGE
        with core.statement(lookup=lookup) as run_core:
            return run_row_level(
                run_core, statement.with_relation(_FRAME_NAME, quote(view)), history
            )

    rows.createOrReplaceTempView(view)
    try:
        with _watch(history):
            return run_analysed(core, history.text, parse, run)
    finally:
        core.spark.catalog.dropTempView(view)


def _condition(rows: DataFrame, on: str | Sequence[str]) -> str:
    names = [on] if isinstance(on, str) else list(on)
    columns = {fold(column) for column in rows.columns}
    if isinstance(on, str) and fold(on) not in columns:
        return f"({on})"
    for name in names:
        if fold(name) not in columns:
            raise QueryError(
                f"The data frame has no column {name!r}.",
                hint=f"Its columns are {', '.join(rows.columns)}.",
            )
    return " AND ".join(
        f"target.{_quote_name(name)} = source.{_quote_name(name)}" for name in names
    )


def _clauses(kind: str, rows: DataFrame, clause: Clause) -> list[str]:
    if clause is None:
        return []
    pairs = [(None, clause)] if isinstance(clause, str | Mapping) else list(clause)
    return [
        f"WHEN {kind}{'' if condition is None else f' AND ({condition})'} "
        f"THEN {_action(kind, rows, action)}"
        for condition, action in pairs
    ]


def _action(kind: str, rows: DataFrame, action: Action) -> str:
    if action == "delete" and kind == "MATCHED":
        return "DELETE"
    word = "update" if kind == "MATCHED" else "insert"
    if isinstance(action, str) and action != word:
        raise QueryError(
            f"{action!r} is no action for rows that are {kind.lower()}.",
            hint=f"Give {word!r}{', delete' if word == 'update' else ''}, or a mapping of columns "
            "to expressions over target and source.",
        )
    values = action
    if isinstance(values, str):
        columns = [column for column in rows.columns if column not in _STREAM_COLUMNS]
        values = {column: f"source.{_quote_name(column)}" for column in columns}
    if word == "update":
        return "UPDATE SET " + ", ".join(
            f"{_quote_name(c)} = {value}" for c, value in values.items()
        )
    names = ", ".join(_quote_name(column) for column in values)
    return f"INSERT ({names}) VALUES ({', '.join(values.values())})"


def _quote_name(name: str) -> str:
    """Return a column's name in quotes for a statement, whatever the characters."""
    return '"' + name.replace('"', '""') + '"'


def _match_columns(rows: DataFrame, columns: Sequence[Column], table: str) -> list[Column]:
    """Return the table's columns in the order of the data frame's columns."""
    by_name = {fold(column.name): column for column in columns}
    matched = []
    for name in rows.columns:
        column = by_name.get(fold(name))
        if column is None:
            hint = (
                f"The table's columns are {', '.join(column_name.name for column_name in columns)}."
            )
            if name in _STREAM_COLUMNS:
                names = ", ".join(
                    repr(column_name)
                    for column_name in rows.columns
                    if column_name in _STREAM_COLUMNS
                )
                hint = f"Leave a stream's own columns out: .drop({names})"
            raise ValueRefused(f"Table {table!r} has no column {name!r}.", hint=hint)
        matched.append(column)
    return matched


def _history(core: Core, text: str, kind: str) -> History:
    return History(core, new_id(), text, kind, core.begin_statement())


def _watch(history: History) -> AbstractContextManager[None]:
    return watch_statement(history.statement_id, history.core.session_id, history.kind)
