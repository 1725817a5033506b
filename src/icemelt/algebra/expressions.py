"""Scalar expressions: opaque text over numbered columns, so names never clash.

The text is Spark SQL from the front end. Only `calls` parses the text. The algebra asks for the
columns read by an expression, and whether the expression is a single column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["EXACT_JSON", "ROW", "Expression", "column", "columns", "format_list", "text"]

# Stands in an expression for the identity of the row, by which ties are broken.
ROW = "icemelt$row"
# Options of JSON in which different values are different texts, whatever the session's settings. By
# default to_json writes timestamps with milliseconds, in the session's time zone.
EXACT_JSON = (
    "map('timeZone', 'UTC', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS',"
    " 'timestampNTZFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS')"
)


@dataclass(frozen=True, slots=True)
class Expression:
    """Parts of text and column numbers, in written order.

    >>> half = Expression((3, " / 2"))
    >>> str(half), half.columns, str(half.remap_columns(lambda number: number + 10))
    ('#3 / 2', frozenset({3}), '#13 / 2')
    """

    parts: tuple[str | int, ...]

    def __str__(self) -> str:
        """Return the text with # before each column number."""
        return self.to_sql(lambda number: f"#{number}")

    @property
    def columns(self) -> frozenset[int]:
        """The numbers of the columns read by the expression."""
        return frozenset(part for part in self.parts if isinstance(part, int))

    @property
    def as_column(self) -> int | None:
        """The column number if the expression is a single column, otherwise None."""
        match self.parts:
            case (int(number),):
                return number
        return None

    def remap_columns(self, number: Callable[[int], int]) -> Expression:
        """Return the expression over other columns; `number` maps an old column number to a new."""
        return Expression(
            tuple(number(part) if isinstance(part, int) else part for part in self.parts)
        )

    def substitute(self, expressions: Sequence[Expression]) -> Expression:
        """Return the expression with its columns replaced by expressions.

        >>> str(Expression((0, " + ", 1)).substitute((column(7), Expression((2, " * ", 3)))))
        '#7 + (#2 * #3)'
        """
        if self.as_column is not None:
            return expressions[self.as_column]
        parts: list[str | int] = []
        for part in self.parts:
            if isinstance(part, str):
                parts.append(part)
            elif (number := expressions[part].as_column) is not None:
                parts.append(number)
            else:
                parts += ["(", *expressions[part].parts, ")"]
        return Expression(tuple(parts))

    @property
    def breaks_ties(self) -> bool:
        """Whether the expression reads the identity of the row."""
        return ROW in self.parts

    def bind_row_identity(self, ids: Sequence[Expression]) -> Expression:
        """Return the expression with the identity columns in the place of `ROW`.

        >>> str(Expression((0, " ORDER BY ", ROW)).bind_row_identity([column(4), column(5)]))
        '#0 ORDER BY struct(#4, #5)'
        """
        struct: list[str | int] = ["struct("]
        for number, each in enumerate(ids):
            struct += [*([", "] if number else []), *each.parts]
        struct.append(")" if ids else "0)")
        parts = (struct if part == ROW else [part] for part in self.parts)
        return Expression(tuple(part for several in parts for part in several))

    def to_sql(self, name: Callable[[int], str]) -> str:
        """Return the expression's text; `name` gives the name of a column number."""
        return "".join(name(part) if isinstance(part, int) else part for part in self.parts)


def column(number: int) -> Expression:
    """Return the expression of a single column."""
    return Expression((number,))


def columns(start: int, end: int) -> tuple[Expression, ...]:
    """Return the columns from number `start` up to, and without, number `end`."""
    return tuple(map(column, range(start, end)))


def text(written: str) -> Expression:
    """Return an expression that reads no column."""
    return Expression((written,))


def format_list(expressions: Sequence[Expression]) -> str:
    """Return expressions as text, in parentheses."""
    return "(" + ", ".join(map(str, expressions)) + ")"
