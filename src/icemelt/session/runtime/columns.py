"""Find a column by the name in a statement."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.errors import ColumnNotFound
from icemelt.names import find_nearest, fold
from icemelt.schema import Column

__all__ = ["find_column", "require_column"]


def find_column(columns: Sequence[Column], name: str) -> Column | None:
    """Return the column with a name in any case, None where there is none.

    >>> from icemelt.schema import Primitive
    >>> find_column([Column("id", Primitive("long"))], "ID").name
    'id'
    """
    return next((column for column in columns if fold(column.name) == fold(name)), None)


def require_column(columns: Sequence[Column], name: str, table: str) -> Column:
    """Return the column with a name in any case.

    Args:
        columns: the columns of the table.
        name: the name in the statement.
        table: the table's name, for the error.

    Raises:
        ColumnNotFound: there is no such column; the hint proposes the nearest name.

    >>> from icemelt.schema import Primitive
    >>> require_column([Column("id", Primitive("long"))], "ids", "t")
    Traceback (most recent call last):
    icemelt.errors.ColumnNotFound: Column 'ids' of table 't' does not exist.
    Hint: Did you mean 'id'?
    """
    column = find_column(columns, name)
    if column is not None:
        return column
    close = find_nearest(name, [column.name for column in columns])
    raise ColumnNotFound(
        f"Column {name!r} of table {table!r} does not exist.",
        hint=f"Did you mean {close!r}?" if close else f"DESCRIBE TABLE {table}",
    )
