"""Functions of FROM whose rows the session makes: a slot stands for the call.

These are the functions of INFORMATION_SCHEMA, SYSTEM$STREAM_BACKLOG, INFER_SCHEMA and RESULT_SCAN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.schema import DataType
from icemelt.sql.analysis.information_functions import (
    COPY_HISTORY,
    COPY_HISTORY_COLUMNS,
    QUERY_HISTORY_COLUMNS,
    STREAM_BACKLOG,
    TASK_DEPENDENTS,
    TASK_DEPENDENTS_COLUMNS,
    TASK_RUN_COLUMNS,
    InformationCall,
    find_information_call,
    read_backlog_stream,
    read_copy_history,
    read_query_history,
    read_task_dependents,
    read_task_runs,
)
from icemelt.sql.analysis.points import Points
from icemelt.sql.analysis.scopes import ColumnsOf
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.stage_places import SCHEMA_COLUMNS, find_file_schema
from icemelt.sql.analysis.table_functions import find_backlog_stream, unwrap_call
from icemelt.sql.statements import ResultScan
from icemelt.values import is_whole_number

__all__ = ["FunctionRows", "add_function", "find_result_scan"]

_RESULT_SCAN, _LAST_QUERY_ID = "RESULT_SCAN", "LAST_QUERY_ID"
_RESULT_EXAMPLE = "SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))"


@dataclass(frozen=True, slots=True)
class FunctionRows:
    """The slot of a function call, and the columns of its rows; None for unknown columns."""

    slot: str
    columns: Mapping[str, DataType | None] | None


def add_function(
    node: exp.Expr, slots: StatementSlots, points: Points, columns_of: ColumnsOf | None
) -> FunctionRows | None:
    """Add a slot for a function call of FROM; return None for a function without a slot.

    Args:
        node: the entry of FROM.
        slots: the slots of the statement.
        points: the reader of the statement's points.
        columns_of: returns the columns of a result; None where the caller knows none.
    """
    stream = find_backlog_stream(node)
    if stream is not None:
        return FunctionRows(slots.add_backlog(stream), None)
    call = find_information_call(node)
    if call is not None:
        return _add_information(call, slots, points)
    schema = find_file_schema(node)
    if schema is not None:
        return FunctionRows(slots.add_files(schema), SCHEMA_COLUMNS)
    result = find_result_scan(node)
    if result is not None:
        columns = None if columns_of is None else columns_of(result)
        return FunctionRows(slots.add_result(result), columns)
    return None


def find_result_scan(node: exp.Expr) -> ResultScan | None:
    """Return the result of a call of RESULT_SCAN in FROM, or None for another function.

    Raises:
        NotYet: the call has AT or CHANGES.
        SqlSyntaxError: the argument is no id of a statement.

    >>> call = exp.Anonymous(this="RESULT_SCAN", expressions=[exp.Literal.string("an id")])
    >>> find_result_scan(exp.Table(this=call)).statement_id
    'an id'
    """
    call = unwrap_call(node)
    if call.name.upper() != _RESULT_SCAN:
        return None
    if node.args.get("when") or node.args.get("changes"):
        raise NotYet("A result has no history.", hint="Leave AT and CHANGES out.")
    argument = call.expressions[0] if len(call.expressions) == 1 else None
    if isinstance(argument, exp.RawString) or (argument is not None and argument.is_string):
        return ResultScan(argument.name)
    if isinstance(argument, exp.Anonymous) and argument.name.upper() == _LAST_QUERY_ID:
        position = _read_position(argument)
        if position is not None:
            return ResultScan(None, position)
    raise SqlSyntaxError("RESULT_SCAN takes the id of a statement.", hint=_RESULT_EXAMPLE)


def _read_position(call: exp.Anonymous) -> int | None:
    """Return the argument of LAST_QUERY_ID, -1 where there is none, None for no whole number."""
    if not call.expressions:
        return -1
    written = call.expressions[0].sql().replace(" ", "")
    digits = written.removeprefix("-")
    if len(call.expressions) > 1 or not is_whole_number(digits):
        return None
    return int(written)


def _add_information(call: InformationCall, slots: StatementSlots, points: Points) -> FunctionRows:
    match call.function:
        case name if name == STREAM_BACKLOG:
            return FunctionRows(slots.add_backlog(read_backlog_stream(call)), None)
        case name if name == COPY_HISTORY:
            loads = read_copy_history(call, points)
            return FunctionRows(slots.add_loads(*loads), COPY_HISTORY_COLUMNS)
        case name if name == TASK_DEPENDENTS:
            tasks = read_task_dependents(call)
            return FunctionRows(slots.add_tasks(*tasks), TASK_DEPENDENTS_COLUMNS)
        case name if name in TASK_RUN_COLUMNS:
            slot = slots.add_runs(call.database, read_task_runs(call, points))
            return FunctionRows(slot, TASK_RUN_COLUMNS[name])
        case _:
            statements = read_query_history(call, points)
            slot = slots.add_statements(call.database, statements)
            return FunctionRows(slot, QUERY_HISTORY_COLUMNS)
