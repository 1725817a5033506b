"""SHOW USER FUNCTIONS and DESCRIBE FUNCTION."""

from __future__ import annotations

from typing import Any

from icemelt.catalog.defined_records import FunctionRecord
from icemelt.names import ObjectName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import find_defined, list_tersely
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["FUNCTION_COLUMNS", "describe_function", "function_row", "show_functions"]

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


def show_functions(core: Core, statement: Show) -> LocalRows:
    """Run SHOW USER FUNCTIONS: Snowflake's columns."""
    listed = find_defined(core, statement, FunctionRecord, lambda each: each.own_name)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(FUNCTION_COLUMNS, tuple(map(function_row, listed)))


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
