"""Relations without inputs: tables, their changes, rows written out, and shared relations."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from icemelt.algebra.expressions import Expression, format_list
from icemelt.algebra.parts import ChangeExpression, Leaf

__all__ = ["Delta", "Ends", "Pin", "Scan", "Shared", "Values"]


class Pin(enum.Enum):
    """The moment at which a table is read: before the interval of a change query, or after it."""

    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Scan(Leaf):
    """A table's rows; `source` is its slot in the query. With `with_id` the row id comes last."""

    source: str
    columns: tuple[str, ...]
    pin: Pin = Pin.NEW
    with_id: bool = False

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns) + self.with_id

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        shown = ", ".join((*self.columns, *(("row id",) if self.with_id else ())))
        return f"Scan {self.source}{'@old' if self.pin is Pin.OLD else ''}({shown})"


@dataclass(frozen=True, slots=True)
class Delta(Leaf):
    """A table's changes as its change scan gives them: columns, the row id, and the weight.

    The weight is 1 for a row that came and -1 for one that went. An updated row is there twice. The
    changes may say too much: a row that was only moved may be there as gone and come, its values
    equal. All uses of one table's changes in a plan are equal nodes: it is read once.
    """

    source: str
    columns: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns) + 2

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Delta {self.source}({', '.join((*self.columns, 'row id', 'weight'))})"


@dataclass(frozen=True, slots=True)
class Ends(Leaf):
    """A table's rows before and after: columns, with `with_id` the row id, and the ends of each.

    These are 1 for a row that was there before alone, 2 for one of after, and 3 for one of both. An
    updated row is there twice. A row that was only moved may be there as 1 and as 2.
    """

    source: str
    columns: tuple[str, ...]
    with_id: bool = False

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns) + self.with_id + 1

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        shown = (*self.columns, *(("row id",) if self.with_id else ()), "ends")
        return f"Ends {self.source}({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Shared(Leaf):
    """A relation that a plan uses in several places, and that is computed once.

    The plan says elsewhere, under this name, what it is: so that a plan does not grow with the
    number of uses.
    """

    name: str
    width: int

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Shared {self.name}"


@dataclass(frozen=True, slots=True)
class Values(Leaf):
    """Rows that are written out."""

    rows: tuple[tuple[Expression, ...], ...]

    def __post_init__(self) -> None:
        """Refuse rows of different widths."""
        if len({len(row) for row in self.rows}) != 1:
            raise AssertionError(self.rows)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All values, row by row."""
        return tuple(value for row in self.rows for value in row)

    def map_expressions(self, change: ChangeExpression) -> Values:
        """Return the rows with other values."""
        return Values(tuple(tuple(map(change, row)) for row in self.rows))

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Values {', '.join(map(format_list, self.rows))}"
