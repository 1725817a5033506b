"""The meaning of names while a query is lowered: each name becomes the number of a column.

A number of 0 or more is a column of the relation that is being built. A negative number is an
outer column: a column of an outer SELECT. The negative number encodes the level of the outer SELECT
and the column's number there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from icemelt.errors import QueryError
from icemelt.names import fold
from icemelt.sql.analysis.trees import copy_expression
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["Entry", "SelectNames", "inner_number", "is_outer", "outer_number"]

_LEVEL = 1 << 20


def outer_number(number: int) -> int:
    """Return the number that a column of this SELECT has in the next inner SELECT.

    >>> inner_number(outer_number(3)), inner_number(outer_number(outer_number(3)))
    (3, -1048579)
    """
    return -(_LEVEL + number) if number >= 0 else number - _LEVEL


def inner_number(number: int) -> int:
    """Return the number that an outer column has in the next outer SELECT."""
    return -number - _LEVEL if number > -2 * _LEVEL else number + _LEVEL


def is_outer(number: int) -> bool:
    """Tell whether a number belongs to a column of an outer SELECT."""
    return number < 0


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of FROM.

    Attributes:
        alias: the name of the entry.
        key: the number that resolution gave the entry; resolved columns find their entry by the
            key.
        columns: the names and numbers of the entry's columns.
    """

    alias: str
    key: int
    columns: tuple[tuple[str, int], ...]

    def shift_right(self, by: int) -> Entry:
        """Return the entry with each column's number raised by `by`."""
        return replace(self, columns=tuple((name, number + by) for name, number in self.columns))


@dataclass(frozen=True, slots=True)
class SelectNames:
    """The names that are visible in one SELECT.

    Attributes:
        entries: the entries of FROM.
        shown: the names and numbers of the columns of `*`, in which unqualified names are looked
            up. A column that USING or NATURAL merges is there once.
        aliases: the settled expressions of the SELECT list's aliases, by folded alias.
        parent: the names of the SELECT around this SELECT.
    """

    entries: tuple[Entry, ...] = ()
    shown: tuple[tuple[str, int], ...] = ()
    aliases: Mapping[str, exp.Expr] = field(default_factory=dict)
    parent: SelectNames | None = None

    def find_entry(self, table: exp.Identifier) -> Entry | None:
        """Return the entry of this SELECT that the table of a column names, or None."""
        key = table.meta.get("source", 0)
        for entry in self.entries:
            if (key and entry.key == key) or (
                not key and fold(entry.alias) == fold(fold_identifier(table))
            ):
                return entry
        return None

    def find_qualified(self, table: exp.Identifier, name: str) -> int | None:
        """Return the number of the column `table.name`, in this SELECT or in an outer SELECT."""
        entry = self.find_entry(table)
        if entry is not None:
            return _find_one(name, entry.columns)
        return self._as_outer(
            None if self.parent is None else self.parent.find_qualified(table, name)
        )

    def find_unqualified(self, name: str) -> int | exp.Expr | None:
        """Return the number of a column, or the expression that an alias stands for."""
        number = _find_one(name, self.shown)
        if number is not None:
            return number
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
    matches = [number for candidate, number in columns if fold(candidate) == fold(name)]
    if len(matches) > 1:
        raise QueryError(
            f"Column {name!r} is ambiguous: several tables have it.",
            hint=f"Write the table before it, as in t.{name}.",
        )
    return matches[0] if matches else None
