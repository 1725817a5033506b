"""Slots: the identifiers that stand in a text for tables, written values and the clock.

A slot is found again by its text alone, so all of one statement's slots begin with a prefix that
its text, its strings and its parameters do not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from icemelt.names import ObjectName, fold
from icemelt.sql.statements import (
    Changes,
    ContextReference,
    Point,
    TableReference,
)

__all__ = ["Slots", "free_prefix"]


def free_prefix(texts: Iterable[str]) -> str:
    """Return the first prefix that none of the texts has, in any case.

    >>> free_prefix(["SELECT 1"]), free_prefix(["SELECT '__ICEMELT_0__'"])
    ('__icemelt_', '__icemelt1_')
    """
    haystack = "\n".join(texts).lower()
    prefix, attempt = "__icemelt_", 0
    while prefix in haystack:
        attempt += 1
        prefix = f"__icemelt{attempt}_"
    return prefix


class Slots:
    """The slots given out for one statement.

    >>> slots = Slots("__x_")
    >>> slots.table(ObjectName(("orders",)))
    '__x_0__'
    >>> slots.references[0].slot, slots.references[0].name
    ('__x_0__', ObjectName(parts=('orders',)))
    """

    def __init__(self, prefix: str) -> None:
        """Start with none given out."""
        self.prefix = prefix
        self._references: list[TableReference] = []
        self._context: dict[str, str] = {}
        self._values = 0
        self._entries = 0
        self._shown: dict[int, str] = {}
        self._columns: dict[str, set[str]] = {}

    @property
    def references(self) -> tuple[TableReference, ...]:
        """The tables read, in order of appearance."""
        return tuple(
            replace(each, columns=frozenset(self._columns.get(each.slot, ())))
            for each in self._references
        )

    def use(self, slot: str, columns: Iterable[str]) -> None:
        """Note columns that may be meant in a place that reads a table."""
        self._columns.setdefault(slot, set()).update(map(fold, columns))

    @property
    def context(self) -> tuple[ContextReference, ...]:
        """The values of the surroundings, in order of appearance."""
        return tuple(ContextReference(slot, name) for name, slot in self._context.items())

    def table(
        self, name: ObjectName, point: Point | None = None, changes: Changes | None = None
    ) -> str:
        """Return a new slot for one place that reads a table."""
        slot = f"{self.prefix}{len(self._references)}__"
        self._references.append(TableReference(slot, name, point, changes))
        return slot

    def backlog(self, stream: ObjectName) -> str:
        """Return a new slot for one place that reads a stream's unread versions."""
        slot = f"{self.prefix}{len(self._references)}__"
        self._references.append(TableReference(slot, stream, backlog=True))
        return slot

    def target(self, name: ObjectName) -> TableReference:
        """Return a reference to the written table, which is not among those read."""
        return TableReference(f"{self.prefix}target__", name)

    def context_value(self, name: str) -> str:
        """Return the slot of a value of the surroundings."""
        if name not in self._context:
            self._context[name] = f"{self.prefix}{self._context_word(name)}__"
        return self._context[name]

    def value(self) -> str:
        """Return a new slot for a written value."""
        self._values += 1
        return f"{self.prefix}v{self._values - 1}__"

    def entry(self) -> int:
        """Return a new key for one entry of FROM."""
        self._entries += 1
        return self._entries

    def hide(self, entry: int) -> None:
        """Give an entry of FROM an alias that no column has."""
        self._shown[entry] = self.hidden(f"s{entry}")

    def alias(self, entry: int, name: str) -> str:
        """Return an entry's alias as it is written: its own, or the one that hides it."""
        return self._shown.get(entry, name)

    def hidden(self, name: str) -> str:
        """Return a name no user column has, for a column the rewriting adds."""
        return f"{self.prefix}{name}"

    def _context_word(self, name: str) -> str:
        """A word that reads like the name; where a user's text is in it, a number."""
        if "$" in name:
            return f"ask{len(self._context)}"
        word = "".join(character if character.isalnum() else "_" for character in name)
        return f"ctx_{word.lower()}"
