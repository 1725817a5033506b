"""Defaults of columns: which of them are constants, and their values for the rows of channels.

A default is Spark SQL, evaluated by every INSERT. A channel evaluates a constant once, and knows
two further kinds of defaults: the clock, and a random UUID for each row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from icemelt.errors import IcemeltError
from icemelt.ingest.conversion.dispatch import convert_array
from icemelt.ingest.errors import TableRefused
from icemelt.ingest.left_out import has_default
from icemelt.ingest.writer.defaults import (
    ClockDefault,
    ColumnDefault,
    ConstantDefault,
    RandomUuidDefault,
)
from icemelt.names import QualifiedName
from icemelt.schema import Column, Primitive
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.next_values import is_generated
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.spark_java import java_frame
from icemelt.spark_sql.clock_expressions import read_clock_expression
from icemelt.spark_sql.writing import stored_value

__all__ = ["evaluate_defaults", "find_constants"]

# Functions whose value is fixed for a statement: Spark takes them for constants.
_STATEMENT_CONSTANTS = re.compile(
    r"\b(current_\w+|now|localtimestamp|curdate|user|session_user)\b|__\w+__", re.IGNORECASE
)
_LITERAL = re.compile(r"'(?:[^'\\]|''|\\.)*'|`[^`]*`")
_UUID, _USER = "uuid()", "current_user()"
_VARIANT = Primitive("variant")
_TIMES = frozenset(map(Primitive, ("date", "timestamp", "timestamptz")))


def find_constants(frame: DataFrame, expressions: Sequence[str]) -> list[bool]:
    """Tell for each default whether every evaluation gives the same value.

    Args:
        frame: a query of one column for each default.
        expressions: the Spark SQL of the defaults.
    """
    projection = java_frame(frame).queryExecution().analyzed().expressions()
    return [
        projection.apply(index).deterministic()
        and _STATEMENT_CONSTANTS.search(_LITERAL.sub("", expression)) is None
        for index, expression in enumerate(expressions)
    ]


def evaluate_defaults(
    core: Core, table: QualifiedName, columns: Sequence[Column]
) -> Mapping[str, ColumnDefault]:
    """Return the defaults of a table's columns for the rows of channels, by the column's name.

    Args:
        core: the session's parts. Clocks and days are those of the session's time zone.
        table: the table's name.
        columns: the columns of the table.

    Raises:
        TableRefused: a default numbers rows, or is an expression that channels do not evaluate.
    """
    defaulted = [column for column in columns if has_default(column)]
    for column in defaulted:
        if is_generated(column.default):
            raise TableRefused(
                f"Column {column.name!r} of table {str(table)!r} numbers rows, and channels have "
                "no numbers for them.",
                hint="Ingest into a table without the column, and number the rows by INSERT … "
                "SELECT.",
            )
    known = {column.name: _without_spark(core, column) for column in defaulted}
    constants = [column for column in defaulted if known[column.name] is None]
    defaults = {name: default for name, default in known.items() if default is not None}
    return defaults | _evaluate_constants(core, table, constants)


def _without_spark(core: Core, column: Column) -> ColumnDefault | None:
    """Return a column's default if it is a UUID or the clock, None for other defaults."""
    default = column.default or ""
    match column.type:
        case Primitive("string") if default == _UUID:
            return RandomUuidDefault()
        case data_type if data_type in _TIMES:
            read = read_clock_expression(
                f"CAST({default} AS {_CAST_NAMES[data_type]})", core.settings.timezone
            )
            return None if read is None else ClockDefault(read, data_type)
        case _:
            return None


def _evaluate_constants(
    core: Core, table: QualifiedName, columns: Sequence[Column]
) -> dict[str, ColumnDefault]:
    """Return the defaults of columns that are constants; the user is one, for a session.

    Raises:
        TableRefused: a default is no constant.
    """
    if not columns:
        return {}
    values = ", ".join((*map(_as_arrow_has_it, columns), *map(_is_kept_by_arrow, columns)))
    expressions = [(column.default or "").replace(_USER, "") for column in columns]
    try:
        with translated(core.spark):
            frame = run_sql(core, f"SELECT {values}")
            constants = find_constants(frame, expressions)
            _require_constants(table, columns, constants)
            values_of_columns = frame.toArrow().columns
            are_kept = [kept[0].as_py() for kept in values_of_columns[len(columns) :]]
            _require_constants(table, columns, are_kept)
    except TableRefused:
        raise
    except IcemeltError as error:
        raise TableRefused(
            f"The defaults of table {str(table)!r} cannot be evaluated: {error.message}",
            hint=f"DESCRIBE TABLE {table} shows them.",
        ) from error
    return {
        column.name: ConstantDefault(_convert(values_of_column, column))
        for column, values_of_column in zip(columns, values_of_columns, strict=False)
    }


def _as_arrow_has_it(column: Column) -> str:
    """Return the Spark SQL of a column's default as stored; Arrow has a VARIANT as JSON text."""
    stored = stored_value(column, f"({column.default})")
    return f"to_json({stored})" if column.type == _VARIANT else stored


def _is_kept_by_arrow(column: Column) -> str:
    """Return the Spark SQL that tells whether a column's default loses no type: JSON has no dates.

    A type is the text that `schema_of_variant` gives.
    """
    if column.type != _VARIANT:
        return "true"
    stored = stored_value(column, f"({column.default})")
    read_again = f"parse_json(to_json({stored}))"
    return f"schema_of_variant({stored}) <=> schema_of_variant({read_again})"


def _convert(values: Any, column: Column) -> pa.Array:
    """Return the only value of an Arrow column, as an array of the column's type."""
    converted = convert_array(values.combine_chunks(), column.type, "UTC")
    return converted.values


def _require_constants(
    table: QualifiedName, columns: Sequence[Column], constants: Sequence[bool]
) -> None:
    for column, is_constant in zip(columns, constants, strict=True):
        if not is_constant:
            raise TableRefused(
                f"Column {column.name!r} of table {str(table)!r} has the default "
                f"{column.default}, which channels do not evaluate yet.",
                hint="Channels know constants, UUID_STRING(), and CURRENT_TIMESTAMP() in columns "
                f"of times: ALTER TABLE {table} ALTER COLUMN {column.name} SET DEFAULT …",
            )


_CAST_NAMES = {
    Primitive("date"): "DATE",
    Primitive("timestamp"): "TIMESTAMP_NTZ",
    Primitive("timestamptz"): "TIMESTAMP_LTZ",
}
