"""SHOW FUNCTIONS, SHOW USER FUNCTIONS, SHOW BUILTIN FUNCTIONS and DESCRIBE FUNCTION."""

from __future__ import annotations

import datetime
from typing import Any

from icemelt.catalog.defined_records import FunctionRecord
from icemelt.engine.functions import HARMLESS
from icemelt.names import ObjectName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, find_defined, flag, list_tersely
from icemelt.sql.spark.builtin_functions import BuiltinFunction, list_builtin_functions
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = [
    "FUNCTION_COLUMNS",
    "describe_function",
    "function_row",
    "show_all_functions",
    "show_builtin_functions",
    "show_functions",
]

FUNCTION_COLUMNS = (
    "created_on",
    "name",
    "schema_name",
    "is_builtin",
    "is_aggregate",
    "is_ansi",
    "min_num_arguments",
    "max_num_arguments",
    "arguments",
    "description",
    "catalog_name",
    "is_table_function",
    "valid_for_clustering",
    "is_secure",
    "language",
)
_DEFAULT_COMMENT = "user-defined function"
_BUILTIN_COMMENT = "built-in function"
# as Snowflake has it
_BEFORE_ALL = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def show_functions(core: Core, statement: Show) -> LocalRows:
    """Run SHOW USER FUNCTIONS: Snowflake's columns."""
    listed = find_defined(core, statement, FunctionRecord, lambda each: each.own_name)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(FUNCTION_COLUMNS, tuple(map(function_row, listed)))


def show_builtin_functions(core: Core, statement: Show) -> LocalRows:
    """Run SHOW BUILTIN FUNCTIONS: the columns of SHOW USER FUNCTIONS.

    The numbers of arguments and their types are NULL: docs/functions.md has the forms.
    """
    del core
    listed = choose_records(list_builtin_functions(HARMLESS), statement, lambda each: each.name)
    return LocalRows(FUNCTION_COLUMNS, tuple(map(_builtin_row, listed)))


def show_all_functions(core: Core, statement: Show) -> LocalRows:
    """Run SHOW FUNCTIONS: the built-in ones and those of users, or those of users in one place."""
    of_users = show_functions(core, statement)
    if statement.terse or statement.scope is not None or statement.scope_kind is not None:
        return of_users
    builtin = show_builtin_functions(core, statement)
    return LocalRows(FUNCTION_COLUMNS, (*builtin.rows, *of_users.rows)[: statement.limit])


def _builtin_row(function: BuiltinFunction) -> tuple[Any, ...]:
    return (
        _BEFORE_ALL,
        function.name,
        "",
        "Y",
        flag(function.is_aggregate),
        "N",
        None,
        None,
        None,
        _BUILTIN_COMMENT,
        "",
        flag(function.is_of_rows),
        "N",
        "N",
        None,
    )


def function_row(function: FunctionRecord) -> tuple[Any, ...]:
    """Return a function's row of SHOW USER FUNCTIONS."""
    required = sum(default is None for _, _, default in function.arguments)
    return (
        as_datetime(function.created_at),
        function.own_name,
        function.name.schema,
        "N",
        "N",
        "N",
        required,
        len(function.arguments),
        _signature(function),
        function.comment or _DEFAULT_COMMENT,
        function.name.database,
        "N",
        "N",
        "N",
        "SQL",
    )


def describe_function(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE FUNCTION: a row for each property."""
    found = core.object_of(FunctionRecord, name)
    arguments = ", ".join(f"{argument} {kind}" for argument, kind, _ in found.arguments)
    rows = (
        ("signature", f"({arguments})"),
        ("returns", found.returns),
        ("language", "SQL"),
        ("null handling", "STRICT" if found.is_strict else "CALLED ON NULL INPUT"),
        ("volatility", "IMMUTABLE" if found.is_immutable else "VOLATILE"),
        ("body", found.body),
    )
    return LocalRows(("property", "value"), rows)


def _signature(function: FunctionRecord) -> str:
    """Return name, types and result: `AREA(NUMBER, DEFAULT NUMBER) RETURN NUMBER(38,0)`."""
    types = function.name.name.removeprefix(function.own_name)[1:-1].upper().split(", ")
    written = [
        kind if default is None else f"DEFAULT {kind}"
        for kind, (_, _, default) in zip(types, function.arguments, strict=False)
    ]
    return f"{function.own_name.upper()}({', '.join(written)}) RETURN {function.returns}"
