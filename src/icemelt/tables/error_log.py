"""The error table of a table: rejected rows, and why (Snowflake, *Error tables*)."""

from __future__ import annotations

from collections.abc import Iterable

from icemelt.names import QualifiedName, add_error_suffix
from icemelt.schema import Column, Primitive

__all__ = ["ERROR_COLUMNS", "error_table_name", "has_error_columns"]

_VARIANT = Primitive("variant")
ERROR_COLUMNS = (
    Column("timestamp", Primitive("timestamptz"), comment="when the row was refused"),
    Column("query_id", Primitive("string"), comment="the statement; NULL for channels"),
    Column("error_code", Primitive("string"), comment="as of the error that is raised for it"),
    Column("error_metadata", _VARIANT, comment="what was wrong, and where the row came from"),
    Column("error_data", _VARIANT, comment="the row as it came"),
)


def error_table_name(table: QualifiedName) -> QualifiedName:
    """Return the name of a table's error table.

    >>> str(error_table_name(QualifiedName("main", "public", "orders")))
    'main.public.orders$errors'
    """
    return QualifiedName(table.database, table.schema, add_error_suffix(table.name))


def has_error_columns(columns: Iterable[Column]) -> bool:
    """Return whether columns have the names and types of an error table's, in the same order.

    >>> has_error_columns(ERROR_COLUMNS), has_error_columns(ERROR_COLUMNS[:2])
    (True, False)
    """
    expected = [(column.name, column.type) for column in ERROR_COLUMNS]
    return [(column.name, column.type) for column in columns] == expected
