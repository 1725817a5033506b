"""System calls answered by the session without Spark: SELECT SYSTEM$…('…') alone, and CALL."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sqlglot import exp

from icemelt.errors import SqlSyntaxError
from icemelt.sql.analysis.system_calls import (
    ABORT,
    ANSWERED,
    CANCEL_RUNS,
    DDL,
    ENABLE_TASKS,
    OF_TASKS,
    PYTHON_TASK,
    SET_RETURN_VALUE,
    is_text,
    read_task_argument,
    text_argument,
    text_arguments,
)
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.grammar.refusals import refuse_statement
from icemelt.sql.grammar.variables import validate_variable
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    Ask,
    CancelRuns,
    EnableTasks,
    ObjectKind,
    Query,
    SetReturnValue,
    SetVariables,
)

__all__ = ["find_system_call", "read_call"]

_SETTER = "SETVARIABLE"
_ASKED = (ABORT, CANCEL_RUNS, ENABLE_TASKS, PYTHON_TASK, SET_RETURN_VALUE, *OF_TASKS, *ANSWERED)


def find_system_call(
    node: exp.Expr, compose: Callable[[exp.Expr], Query]
) -> Ask | EnableTasks | CancelRuns | SetReturnValue | SetVariables | None:
    """Return the system call of a query, if the call is the query's only part; else None.

    Args:
        node: the query.
        compose: returns a query as plain data.

    >>> call = exp.Anonymous(this=ABORT, expressions=[exp.Literal.string("a")])
    >>> find_system_call(exp.select(exp.alias_(call, "X")), lambda node: Query(node.sql()))
    Ask(function='SYSTEM$ABORT_TRANSACTION', argument='a', column='x', kind=None)
    """
    if not isinstance(node, exp.Select) or len(node.expressions) != 1:
        return None
    if any(value for part, value in node.args.items() if part != "expressions"):
        return None
    (projection,) = node.expressions
    is_named = isinstance(projection, exp.Alias)
    call = projection.this if is_named else projection
    if not isinstance(call, exp.Anonymous) or call.name.upper() not in (*_ASKED, DDL, _SETTER):
        return None
    function = call.name.upper()
    if function == _SETTER:
        return _read_setter(call, projection, compose)
    column = fold_identifier(projection.args["alias"]) if is_named else projection.meta["written"]
    if function == DDL:
        return _read_get_ddl(tuple(call.expressions), column)
    return _make_call(function, tuple(call.expressions), column, compose)


def _read_setter(
    call: exp.Expr, projection: exp.Expr, compose: Callable[[exp.Expr], Query]
) -> SetVariables:
    """Read `SETVARIABLE('name', value)`.

    Args:
        call: the call.
        projection: the column of the SELECT with the call.
        compose: returns a query as plain data.
    """
    if len(call.expressions) != 2 or not is_text(call.expressions[0]):  # noqa: PLR2004 - name, value
        raise SqlSyntaxError(
            f"{_SETTER} takes the name of a variable, a constant text, and its value.",
            hint="SELECT SETVARIABLE('name', 5)",
        )
    written, value = call.expressions
    is_named = isinstance(projection, exp.Alias)
    column = fold_identifier(projection.args["alias"]) if is_named else projection.meta["written"]
    query = compose(exp.Select(expressions=[exp.alias_(value, "value")]))
    return SetVariables((validate_variable(str(written.name)),), query, column)


def _make_call(
    function: str,
    arguments: tuple[exp.Expr, ...],
    column: str,
    compose: Callable[[exp.Expr], Query],
) -> Ask | EnableTasks | CancelRuns | SetReturnValue:
    """Return the statement of a system call.

    Args:
        function: the function's name, in upper case.
        arguments: the arguments: constant texts, but for a return value.
        column: the name of the answer's column.
        compose: returns a query as plain data.
    """
    if function == SET_RETURN_VALUE and len(arguments) == 1 and not is_text(arguments[0]):
        value = exp.alias_(exp.cast(arguments[0], exp.DType.VARCHAR), "value")
        return SetReturnValue(compose(exp.Select(expressions=[value])), column)
    if function in OF_TASKS:
        return Ask(function, read_task_argument(function, arguments), column)
    argument = text_argument(function, arguments)
    if function == ENABLE_TASKS:
        return EnableTasks(argument, column)
    if function == CANCEL_RUNS:
        return CancelRuns(argument, column)
    return Ask(function, argument, column)


def _read_get_ddl(arguments: tuple[exp.Expr, ...], column: str) -> Ask:
    word, name = text_arguments(
        DDL, arguments, "the kind and the name of an object, two constant texts", 2
    )
    kind = ObjectKind.__members__.get(word.strip().upper().replace(" ", "_"))
    if kind is None:
        raise SqlSyntaxError(f"GET_DDL knows no kind {word!r}.", hint="GET_DDL('VIEW', 'v')")
    return Ask(DDL, name, column, kind)


def _read_argument(reader: StatementReader, function: str) -> exp.Expr:
    """Read an argument: a text, but for the value of a task's run, which may be computed."""
    if function == SET_RETURN_VALUE:
        return reader.read_expression("the argument")
    return exp.Literal.string(reader.read_string("the argument"))


def read_call(reader: StatementReader) -> Ask | EnableTasks | CancelRuns | SetReturnValue:
    """Read `CALL SYSTEM$…('argument')`; procedures of users do not exist."""
    start = reader.mark()
    reader.need("CALL")
    function = reader.take_one(*_ASKED)
    if function is None:
        reader.back(start)
        refuse_statement(reader)
    reader.need("(")
    arguments: list[exp.Expr] = []
    if not reader.is_at(")"):
        arguments = reader.read_list(partial(_read_argument, reader, function))
    reader.need(")")
    return _make_call(function, tuple(arguments), function, reader.composer.compose_query)
