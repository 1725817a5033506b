"""Scalar expressions: opaque text over numbered columns, so that names never clash.

Nothing here knows what the text says: it is Spark SQL, made by the front end. The algebra asks
which columns an expression reads, and whether it is one of them and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Expression", "column", "columns", "text"]


@dataclass(frozen=True, slots=True)
class Expression:
    """Parts of text and column numbers, in the order in which they are written.

    >>> half = Expression((3, " / 2"))
    >>> str(half), half.columns, str(half.mapped(lambda number: number + 10))
    ('#3 / 2', frozenset({3}), '#13 / 2')
    """

    parts: tuple[str | int, ...]

    def __str__(self) -> str:
        """Return it with # before each column number."""
        return self.written(lambda number: f"#{number}")

    @property
    def columns(self) -> frozenset[int]:
        """The columns that it reads."""
        return frozenset(part for part in self.parts if isinstance(part, int))

    @property
    def only(self) -> int | None:
        """The column that it is, None where it is anything else."""
        match self.parts:
            case (int(number),):
                return number
        return None

    def mapped(self, number: Callable[[int], int]) -> Expression:
        """Return it over other columns."""
        return Expression(
            tuple(number(part) if isinstance(part, int) else part for part in self.parts)
        )

    def written(self, name: Callable[[int], str]) -> str:
        """Return its text, with a name for each column."""
        return "".join(name(part) if isinstance(part, int) else part for part in self.parts)


def column(number: int) -> Expression:
    """Return a column as an expression."""
    return Expression((number,))


def columns(start: int, end: int) -> tuple[Expression, ...]:
    """Return the columns from one number up to, and without, another."""
    return tuple(map(column, range(start, end)))


def text(written: str) -> Expression:
    """Return an expression that reads no column."""
    return Expression((written,))
