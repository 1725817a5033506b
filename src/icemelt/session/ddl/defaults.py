"""Evaluate a column's DEFAULT, check the value, and write the value in Iceberg's JSON."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

from icemelt.errors import ColumnNotFound, DefinitionRefused, ValueRefused
from icemelt.schema import Column, DataType, DecimalType, Primitive, sql_type
from icemelt.session.ddl.generated_columns import refuse_rows
from icemelt.session.ddl.sizes import validate_default_length
from icemelt.session.runtime.column_defaults import find_constants
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.next_values import is_generated
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.spark_sql.writing import stored_value

__all__ = ["evaluate_default", "evaluate_new_default"]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def evaluate_new_default(core: Core, column: Column, *, has_rows: bool) -> Any:
    """Return the default of a new column in Iceberg's single-value JSON, None for NULL.

    Args:
        core: the session's parts.
        column: the new column, with its default.
        has_rows: whether the table has rows, which would read the default.

    Raises:
        DefinitionRefused: the default is too long. Or rows would read the default, and it is not
            constant or has a type for which Iceberg stores no default.
        ValueRefused: the value does not fit the column.
    """
    if column.default is None:
        return None
    if is_generated(column.default):
        if has_rows:
            raise refuse_rows(column)
        return None
    value, is_constant = _evaluate(core, column, column.default)
    if not has_rows and (not is_constant or not _has_json(column.type)):
        return None
    if not is_constant:
        raise DefinitionRefused(
            f"The DEFAULT of new column {column.name!r} is not constant: {column.default}.",
            hint="Add the column without it, UPDATE the rows, then ALTER COLUMN … SET DEFAULT.",
        )
    if value is not None and not _has_json(column.type):
        raise DefinitionRefused(
            f"New column {column.name!r} is of a type whose DEFAULT old rows cannot read.",
            hint="Add the column without it, UPDATE the rows, then ALTER COLUMN … SET DEFAULT.",
        )
    return None if value is None else _json(column.type, value)


def evaluate_default(core: Core, column: Column, expression: str) -> Any:
    """Return a default for new rows in Iceberg's JSON, None if Iceberg cannot store the default.

    Args:
        core: the session's parts.
        column: the column.
        expression: the SQL of the default.

    Raises:
        DefinitionRefused: the default names a column, or is too long.
        ValueRefused: the value does not fit the column.
    """
    if is_generated(expression):
        return None
    value, is_constant = _evaluate(core, column, expression)
    if value is None or not is_constant or not _has_json(column.type):
        return None
    return _json(column.type, value)


def _evaluate(core: Core, column: Column, expression: str) -> tuple[Any, bool]:
    """Return the stored value of a default, and whether every evaluation gives this value."""
    validate_default_length(column.name, len(expression))
    stored = stored_value(column, f"({expression})")
    if column.type == Primitive("timestamptz"):
        stored = f"unix_micros({stored})"
    if column.type == Primitive("variant"):
        stored = f"to_json({stored})"
    try:
        with translated(core.spark):
            frame = run_sql(core, f"SELECT {stored} AS value")
            value = frame.collect()[0][0]
            [is_constant] = find_constants(frame, [expression])
    except ColumnNotFound as error:
        raise DefinitionRefused(
            f"The DEFAULT of column {column.name!r} names a column: {expression}.",
            hint="Use a constant or a function without columns.",
        ) from error
    except ValueRefused as error:
        raise ValueRefused(
            f"The DEFAULT of column {column.name!r} does not fit its type: {error.message}",
            hint=f"Give a value that is {sql_type(column.type)}.",
        ) from error
    if isinstance(value, str | bytes | bytearray):
        validate_default_length(column.name, len(value))
    return value, is_constant


def _has_json(data_type: DataType) -> bool:
    match data_type:
        case DecimalType():
            return True
        case Primitive(name):
            return name != "variant"
        case _:
            return False


def _json(data_type: DataType, value: Any) -> Any:
    """Return a value in Iceberg's single-value JSON (spec, *Appendix D*).

    >>> (
    ...     _json(Primitive("binary"), bytearray(b"a")),
    ...     _json(DecimalType(4, 2), decimal.Decimal("1.5")),
    ... )
    ('61', '1.50')
    """
    match data_type:
        case DecimalType(_, scale):
            return f"{decimal.Decimal(value):.{scale}f}"
        case Primitive("binary"):
            return bytes(value).hex()
        case Primitive("date"):
            return value.isoformat()
        case Primitive("timestamp"):
            return value.isoformat(timespec="microseconds")
        case Primitive("timestamptz"):
            moment = _EPOCH + datetime.timedelta(microseconds=value)
            return moment.isoformat(timespec="microseconds")
        case Primitive("float" | "double") if not math.isfinite(value):
            raise DefinitionRefused(
                f"A DEFAULT for old rows is a finite number, found {value}.",
                hint="Add the column without it, then UPDATE the rows.",
            )
        case _:
            return value
