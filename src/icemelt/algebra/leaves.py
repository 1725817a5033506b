"""Relations without inputs: tables, changes of tables, rows written out, and shared relations."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from icemelt.algebra.expressions import Expression, format_list
from icemelt.algebra.parts import ChangeExpression, Leaf

__all__ = ["BothEndsScan", "Delta", "Pin", "Scan", "Shared", "Values"]


class Pin(enum.Enum):
    """The moment at which a table is read: before the interval of a change query, or after."""

    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Scan(Leaf):
    """A table's rows at one moment.

    Args:
        source: the table's slot in the query.
        columns: the names of the columns to read.
        pin: the moment.
        with_id: whether the row id follows as the last column.
    """

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
    """A table's changes, from the table's change scan: columns, the row id, and the weight.

    The weight is 1 for an inserted row and -1 for a deleted row. An updated row is there twice. The
    changes may hold rows that cancel: a row moved to another file may be there as deleted and as
    inserted with equal values. All uses of one table's changes in a plan are equal nodes, so the
    changes are read once.
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
class BothEndsScan(Leaf):
    """A table's rows at the start and at the end of an interval: columns, and the ends of the row.

    The ends are 1 for a row of the start alone, 2 for a row of the end alone, and 3 for a row of
    both. An updated row is there twice. A row moved to another file may be there as 1 and as 2.

        at the start    at the end    the scan
        (1, 'a')        (1, 'a')      (1, 'a', 3)
        (2, 'b')        (2, 'c')      (2, 'b', 1), (2, 'c', 2)
        (3, 'd')        (4, 'e')      (3, 'd', 1), (4, 'e', 2)

    Args:
        source: the table's slot in the query.
        columns: the names of the columns to read.
        with_id: whether the row id comes before the ends.
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
    """A relation used in several places of a plan, and computed once.

    The plan has a list of shared relations by name. So a plan does not grow with the number of
    uses.
    """

    name: str
    width: int

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Shared {self.name}"


@dataclass(frozen=True, slots=True)
class Values(Leaf):
    """Rows that are written out in the query."""

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
        """Return the rows with changed values."""
        return Values(tuple(tuple(map(change, row)) for row in self.rows))

    def __str__(self) -> str:
        """Return the node's line of a plan."""
        return f"Values {', '.join(map(format_list, self.rows))}"
