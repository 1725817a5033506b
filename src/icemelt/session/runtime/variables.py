"""The variables of a session: what SET keeps by name for `$name` in later statements."""

from __future__ import annotations

from typing import Any

from icemelt.errors import QueryError, ValueRefused
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import Result
from icemelt.sql.statements import SetVariables, UnsetVariables, Variable
from icemelt.values import as_text

__all__ = ["set_variables", "unset_variables", "variable_kind", "variable_text"]

_MOST_BYTES = 256
# the types of DESCRIBE that a variable has, and how SHOW VARIABLES names them
_KINDS = {
    "BIGINT": "fixed",
    "BINARY": "binary",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "real",
    "FLOAT": "real",
    "INT": "fixed",
    "NUMBER": "fixed",
    "TIMESTAMP_LTZ": "timestamp_ltz",
    "TIMESTAMP_NTZ": "timestamp_ntz",
    "VARCHAR": "text",
}


def set_variables(core: Core, statement: SetVariables, result: Result, now: int) -> Any:
    """Keep the values of SET; all are checked before the first is kept. Return the last value.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        result: the values: one row, with a column for each variable; no row stands for NULLs.
        now: the time of the statement, in milliseconds since 1970.

    Raises:
        QueryError: the query gives several rows.
        ValueRefused: a value is too long, or of a type that variables do not have.
    """
    if len(result.columns) != len(statement.names):
        raise QueryError(
            f"There are {len(statement.names)} variables, and the query gives "
            f"{len(result.columns)} columns.",
            hint="Write one column for each variable.",
        )
    rows = result.fetchmany(2)
    if len(rows) > 1:
        raise QueryError(
            "SET takes one row, and the query gives several.", hint="Add LIMIT 1, or aggregate."
        )
    values = rows[0] if rows else (None,) * len(statement.names)
    kept = {
        name: _make_variable(core, name, value, type_, now)
        for name, value, type_ in zip(statement.names, values, result.types, strict=True)
    }
    core.settings.variables.update(kept)
    return values[-1]


def unset_variables(core: Core, statement: UnsetVariables) -> str:
    """Forget variables; return a sentence. A variable that is not set stays so."""
    for name in statement.names:
        core.settings.variables.pop(name, None)
    return "Statement executed successfully."


def variable_text(variable: Variable) -> str | None:
    """Return the value of a variable as text, None for NULL.

    >>> variable_text(Variable("linz", "VARCHAR")), variable_text(Variable(True, "BOOLEAN"))
    ('linz', 'true')
    """
    value = variable.value
    return value if value is None or isinstance(value, str) else as_text(value)


def variable_kind(variable: Variable) -> str:
    """Return the type of a variable as SHOW VARIABLES names it.

    >>> variable_kind(Variable(1, "NUMBER(3,2)"))
    'fixed'
    """
    return _KINDS[_base(variable.type)]


def _make_variable(core: Core, name: str, value: object, type_: str, now: int) -> Variable:
    """Return a variable with a checked value.

    Args:
        core: the session's parts.
        name: the folded name.
        value: the value in Python.
        type_: the type of the value, as DESCRIBE shows it.
        now: the time of the statement, in milliseconds since 1970.
    """
    if value is None and _base(type_) not in _KINDS:
        type_ = "VARCHAR"
    if _base(type_) not in _KINDS:
        raise ValueRefused(
            f"Session variable '${name}' cannot have the type {type_}.",
            hint=f"Keep a text: SET {name} = TO_JSON(…); or keep the value in a table.",
        )
    size = _size(value)
    if size > _MOST_BYTES:
        raise ValueRefused(
            f"The value of session variable '${name}' has {size:,} bytes, {_MOST_BYTES} are as "
            "many as may be.",
            hint="Keep a long value in a table: CREATE TEMPORARY TABLE t AS SELECT ….",
        )
    before = core.settings.variables.get(name)
    return Variable(value, type_, now if before is None else before.created_at, now)


def _size(value: object) -> int:
    match value:
        case str():
            return len(value.encode())
        case bytes():
            return len(value)
        case _:
            return 0


def _base(type_: str) -> str:
    return type_.partition("(")[0]
