"""What the names of a query mean while it is lowered: numbers of columns.

A number of 0 or more is a column of the relation that is being built. A negative one is a column
of a SELECT further out: it says how many levels further, and which column there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from icemelt.errors import QueryError
from icemelt.names import fold
from icemelt.sql.analysis.trees import copy_expression
from icemelt.sql.dialect.parser import folded

__all__ = ["Entry", "SelectNames", "inner_number", "is_outer", "outer_number"]

_LEVEL = 1 << 20


def outer_number(number: int) -> int:
    """Return how the next SELECT inside calls a column.

    >>> inner_number(outer_number(3)), inner_number(outer_number(outer_number(3)))
    (3, -1048579)
    """
    return -(_LEVEL + number) if number >= 0 else number - _LEVEL


def inner_number(number: int) -> int:
    """Return how the next SELECT outside calls a column that is not the inner one's own."""
    return -number - _LEVEL if number > -2 * _LEVEL else number + _LEVEL


def is_outer(number: int) -> bool:
    """Tell whether a column belongs to a SELECT further out."""
    return number < 0


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of FROM: its alias, the key by which columns find it, and its columns."""

    alias: str
    key: int
    columns: tuple[tuple[str, int], ...]

    def shift_right(self, by: int) -> Entry:
        """Return the entry with its columns further right."""
        return replace(self, columns=tuple((name, number + by) for name, number in self.columns))


@dataclass(frozen=True, slots=True)
class SelectNames:
    """The names that one SELECT sees.

    `shown` are the columns of a star, which unqualified names are looked up in: a column that a
    join merges is there once. `aliases` are what the aliases of the SELECT list stand for.
    """

    entries: tuple[Entry, ...] = ()
    shown: tuple[tuple[str, int], ...] = ()
    aliases: Mapping[str, exp.Expr] = field(default_factory=dict)
    parent: SelectNames | None = None

    def find_entry(self, table: exp.Identifier) -> Entry | None:
        """Return the entry that a column's table means, among this SELECT's own."""
        key = table.meta.get("source", 0)
        for each in self.entries:
            if (key and each.key == key) or (not key and fold(each.alias) == fold(folded(table))):
                return each
        return None

    def find_qualified(self, table: exp.Identifier, name: str) -> int | None:
        """Return a column of the entry that its table means, of this SELECT or one further out."""
        found = self.find_entry(table)
        if found is not None:
            return _find_one(name, found.columns)
        return self._as_outer(
            None if self.parent is None else self.parent.find_qualified(table, name)
        )

    def find_unqualified(self, name: str) -> int | exp.Expr | None:
        """Return a column, or what an alias of the SELECT list stands for."""
        found = _find_one(name, self.shown)
        if found is not None:
            return found
        if fold(name) in self.aliases:
            return copy_expression(self.aliases[fold(name)])
        if self.parent is None:
            return None
        outer = self.parent.find_unqualified(name)
        return self._as_outer(outer) if isinstance(outer, int) else None

    @staticmethod
    def _as_outer(number: int | None) -> int | None:
        return None if number is None else outer_number(number)


def _find_one(name: str, columns: tuple[tuple[str, int], ...]) -> int | None:
    found = [number for each, number in columns if fold(each) == fold(name)]
    if len(found) > 1:
        raise QueryError(
            f"Column {name!r} is ambiguous: several tables have it.",
            hint=f"Write the table before it, as in t.{name}.",
        )
    return found[0] if found else None
