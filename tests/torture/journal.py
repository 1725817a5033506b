"""What a killed writer told, and what the tables may therefore hold of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Journal", "Rows"]

# (n, part, v) in t; (n, part) in u; (n,) in the audit of transactions
Rows = Counter[tuple[int, ...]]


@dataclass
class Journal:
    """The numbers with their values that acknowledged statements left, and the one under way."""

    values: dict[int, int] = field(default_factory=dict)
    copied: set[int] = field(default_factory=set)
    audited: set[int] = field(default_factory=set)
    pending: tuple[str, int] | None = None
    acknowledged: int = 0
    refused: int = 0

    def hear(self, told: dict[str, Any]) -> None:
        """Take a line of the writer."""
        if "operation" in told:
            self.pending = (told["operation"], told["n"])
        elif "done" in told:
            assert self.pending is not None
            if told["done"]:
                self._apply(*self.pending)
                self.acknowledged += 1
            else:
                self.refused += 1
            self.pending = None

    def settle(self, in_t: Rows, in_u: Rows, in_audit: Rows | None = None) -> bool | None:
        """Compare with the tables; tell whether the statement that was cut off is there.

        None where there was none, or where it leaves no trace in the rows.
        """
        found = (in_t, in_u, in_audit or Counter())
        without = self._rows()
        if self.pending is None:
            assert found == without, (found, without)
            return None
        pending = self.pending
        before = (dict(self.values), set(self.copied), set(self.audited))
        self._apply(*pending)
        with_it = self._rows()
        self.pending = None
        if with_it == without:
            assert found == without, (pending, found, without)
            return None
        if found == with_it:
            return True
        self.values, self.copied, self.audited = before
        assert found == without, (pending, found, without, with_it)
        return False

    def _apply(self, operation: str, number: int) -> None:
        if operation == "insert":
            self.values[number] = 0
            self.copied.add(number)
        elif operation == "merge":
            self.values[number] = self.values.get(number, -1) + 1
        elif operation == "update" and number in self.values:
            self.values[number] += 1
        elif operation == "delete":
            self.values.pop(number, None)
        elif operation == "copy":
            self.audited.add(number)

    def _rows(self) -> tuple[Rows, Rows, Rows]:
        parts: Sequence[int] = (0, 1)
        in_t = Counter((n, part, v) for n, v in self.values.items() for part in parts)
        in_u = Counter((n, part) for n in self.copied for part in parts)
        return in_t, in_u, Counter((n,) for n in self.audited)
