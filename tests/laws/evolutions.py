"""Steps that change a table's definition or move its branch, and what rows are in today's columns.

A step is a word, since what it does depends on where the table is: the newest added column is
filled, renamed, widened or dropped; a branch grows out of the current state and takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["BRANCH", "TABLE", "WORDS", "Columns", "statements"]

TABLE = "icemelt.main.public.t"
BRANCH = f"{TABLE}.branch_b"
DEFAULT = 5
WORDS = (
    "add",
    "add with default",
    "foreign add",
    "fill",
    "rename",
    "foreign rename",
    "widen",
    "drop",
    "foreign drop",
    "partition",
    "roll back",
    "jump",
    "branch forward",
    "branch aside",
    "replace",
    "foreign replace",
)


@dataclass
class Columns:
    """Today's columns by a number of their own, as Iceberg's field ids; 1, 2, 3 are there first."""

    names: dict[int, str] = field(default_factory=lambda: {1: "k", 2: "x", 3: "s"})
    defaults: dict[int, Any] = field(default_factory=dict)
    integers: set[int] = field(default_factory=set)
    made: int = 3
    bucketed: bool = False

    def numbered(self, row: Mapping[str, Any]) -> dict[int, Any]:
        """Return a row as read today, its values by the numbers of their columns."""
        return {number: row[name] for number, name in self.names.items()}

    def today(self, values: Mapping[int, Any]) -> tuple[Any, ...]:
        """Return an older row in today's columns."""
        return tuple(values.get(n, self.defaults.get(n)) for n in self.names)

    def add(self, default: Any = None, *, integer: bool = False) -> str:
        self.made += 1
        self.names[self.made] = f"c{self.made}"
        self.defaults[self.made] = default
        if integer:
            self.integers.add(self.made)
        return self.names[self.made]

    @property
    def newest(self) -> int | None:
        """The newest column that was added and is still there."""
        return max((number for number in self.names if number > 3), default=None)

    def reset(self) -> None:
        """Keep the first three columns, as a replaced table does."""
        self.names = {number: name for number, name in self.names.items() if number <= 3}
        self.bucketed = False


def statements(word: str, columns: Columns) -> list[str]:
    """Return what a word that changes the definition does; `columns` change with it."""
    newest = columns.newest
    match word:
        case "add":
            return [f"ALTER TABLE t ADD COLUMN {columns.add()} INT"]
        case "add with default":
            return [f"ALTER TABLE t ADD COLUMN {columns.add(DEFAULT)} INT DEFAULT {DEFAULT}"]
        case "foreign add":
            return [f"foreign ALTER TABLE {TABLE} ADD COLUMN {columns.add(integer=True)} INT"]
        case "partition":
            verb = "DROP" if columns.bucketed else "ADD"
            columns.bucketed = not columns.bucketed
            return [f"foreign ALTER TABLE {TABLE} {verb} PARTITION FIELD bucket(2, k)"]
        case "replace":
            columns.reset()
            return ["CREATE OR REPLACE TABLE t AS SELECT k, x, s FROM t"]
        case "foreign replace":
            columns.reset()
            properties = "TBLPROPERTIES ('format-version' = '3')"
            query = f"SELECT k, x, s FROM {TABLE}"
            return [
                f"foreign CREATE OR REPLACE TABLE {TABLE} USING iceberg {properties} AS {query}"
            ]
        case _ if newest is not None:
            return _of_newest(word, columns, newest)
    return []


def _of_newest(word: str, columns: Columns, newest: int) -> list[str]:
    name = columns.names[newest]
    foreign, table = ("foreign ", TABLE) if word.startswith("foreign ") else ("", "t")
    match word.removeprefix("foreign "):
        case "fill":
            return [f"UPDATE t SET {name} = k + 10 WHERE k > 2"]
        case "rename":
            columns.names[newest] = f"{name}r"
            return [f"{foreign}ALTER TABLE {table} RENAME COLUMN {name} TO {name}r"]
        case "drop":
            del columns.names[newest]
            return [f"{foreign}ALTER TABLE {table} DROP COLUMN {name}"]
        case "widen" if newest in columns.integers:
            columns.integers.discard(newest)
            large = f"UPDATE t SET {name} = {1 << 40} WHERE k = 1"
            return [f"foreign ALTER TABLE {TABLE} ALTER COLUMN {name} TYPE BIGINT", large]
    return []
