"""Random expressions over some columns, of a kind that is asked for.

Kinds are n (whole numbers), s (texts), x (multiples of a half), q (other doubles) and b (booleans).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Column", "Expressions"]

_LITERALS = {"n": ("0", "1", "2", "3"), "s": ("'a'", "'b'", "'ab'"), "b": ("TRUE", "FALSE")}
_NULLS = {"n": "NULL::bigint", "s": "NULL::string", "x": "NULL::double", "b": "NULL::boolean"}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is written, and its kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Expressions:
    """Makes expressions over columns."""

    chance: random.Random
    columns: Sequence[Column]

    def column(self, kind: str) -> str:
        """Return a column of a kind, or a literal where there is none."""
        found = [each.name for each in self.columns if each.kind == kind]
        if found and self.chance.random() < 0.95:
            return self.chance.choice(found)
        return self.chance.choice(_LITERALS.get(kind, (f"{_NULLS.get(kind, 'NULL::double')}",)))

    def of(self, kind: str, depth: int) -> str:
        """Return an expression of a kind, nested to a depth."""
        if depth <= 0 or self.chance.random() < 0.3:
            return self.column(kind)
        one, other = self.of(kind, depth - 1), self.of(kind, depth - 1)
        common = [
            f"coalesce({one}, {other})",
            f"CASE WHEN {self.condition(depth - 1)} THEN {one} ELSE {other} END",
            f"CASE WHEN {self.condition(depth - 1)} THEN {one} END",
            f"iff({self.condition(depth - 1)}, {one}, {other})",
            f"nullif({one}, {other})",
        ]
        match kind:
            case "n":
                own = self._whole(one, other)
            case "s":
                own = [f"{one} || {other}", f"upper({one})", f"substring({one}, 1, 1)"]
            case "b":
                return self.condition(depth)
            case _:
                own = [one]
        return self.chance.choice([*common, *own, *own])

    def _whole(self, one: str, other: str) -> list[str]:
        parts = [f"({one} + {other})", f"({one} - {other})", f"abs({one})", f"mod({one}, 3)"]
        return [*parts, f"({one} * 2)", f"length({self.column('s')})"]

    def comparison(self) -> str:
        """Return a comparison of two columns, or with a literal."""
        kind = self.chance.choice([each.kind for each in self.columns])
        if kind == "b":
            return self.column("b")
        sign, one = self.chance.choice(_COMPARISONS), self.column(kind)
        if kind in _LITERALS and self.chance.random() < 0.4:
            return f"{one} {sign} {self.chance.choice(_LITERALS[kind])}"
        return f"{one} {sign} {self.other(one, kind)}"

    def other(self, one: str, kind: str) -> str:
        """Return a column of a kind; most often not the one that is named."""
        for _ in range(3):
            found = self.column(kind)
            if found != one:
                return found
        return one

    def condition(self, depth: int) -> str:
        """Return a condition, nested to a depth."""
        way = self.chance.random()
        if depth <= 0 or way < 0.4:
            return self.comparison()
        if way < 0.6:
            word = self.chance.choice(("AND", "OR"))
            return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"
        number, text = self.of("n", depth - 1), self.column("s")
        return self.chance.choice(
            (
                f"NOT ({self.condition(depth - 1)})",
                f"{self.chance.choice(self.columns).name} IS NULL",
                f"{self.chance.choice(self.columns).name} IS NOT NULL",
                f"{number} IN (1, 2, NULL)",
                f"{number} NOT IN (1, 2)",
                f"{number} BETWEEN 1 AND {self.column('n')}",
                f"{text} LIKE 'a%'",
                f"equal_null({number}, {self.column('n')})",
                f"{number} IS DISTINCT FROM {self.column('n')}",
            )
        )

    def number_of_group(self) -> str:
        """Return an aggregate that is a whole number."""
        number = self.column("n")
        anything = self.chance.choice(self.columns).name
        return self.chance.choice(
            (
                "count(*)",
                f"count({anything})",
                f"count(DISTINCT {anything})",
                f"sum({number})",
                f"max({number})",
                f"min({self.of('n', 1)})",
                f"count_if({self.condition(1)})",
                f"sum({number}) + count(*)",
            )
        )

    def aggregate(self, unique: Sequence[str] | None) -> tuple[str, str]:
        """Return an aggregate and its kind."""
        number, text, half = self.column("n"), self.column("s"), self.column("x")
        chosen = self.chance.choice(self.columns)
        choices = [
            (f"sum(DISTINCT {number})", "n"),
            (f"sum({number}) FILTER (WHERE {self.condition(1)})", "n"),
            (f"count(*) FILTER (WHERE {self.condition(1)})", "n"),
            (f"avg({number})", "q"),
            (f"sum({half})", "x"),
            (f"min({chosen.name})", chosen.kind),
            (f"max({chosen.name})", chosen.kind),
            (f"boolor_agg({self.condition(1)})", "b"),
            (f"booland_agg({self.condition(1)})", "b"),
            (f"array_size(array_agg({number}))", "n"),
            (f"listagg({text}, ',') WITHIN GROUP (ORDER BY {text})", "s"),
            (f"listagg(DISTINCT {text}, ',')", "s"),
            (f"mode({number})", "n"),
            (f"array_to_string(array_unique_agg({text}), ',')", "s"),
            (f"coalesce(sum({number}), 0) - count(*)", "n"),
            (f"iff(count(*) > 1, max({number}), min({number}))", "n"),
        ]
        if unique is not None and len(unique) == 1:
            choices.append((f"min_by({chosen.name}, {unique[0]})", chosen.kind))
        if self.chance.random() < 0.5:
            return self.number_of_group(), "n"
        return self.chance.choice(choices)

    def window(self, unique: Sequence[str] | None) -> str:
        """Return a window function that is a whole number, whatever the order of equal rows."""
        parts = [each.name for each in self.chance.choices(self.columns, k=2)]
        by = self.chance.choice(
            ("", f"PARTITION BY {parts[0]}", f"PARTITION BY {', '.join(parts)}")
        )
        number = self.column("n")
        order = f"ORDER BY {self.column('n')}{self.chance.choice(('', ' DESC'))}"
        choices = [
            f"{self.number_of_window()} OVER ({by})",
            f"{self.number_of_window()} OVER ({by} {order})",
            f"rank() OVER ({by} {order})",
            f"dense_rank() OVER ({by} {order})",
        ]
        if unique is not None:
            order = ", ".join((order, *unique))
            frame = "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"
            choices += [
                f"row_number() OVER ({by} {order})",
                f"row_number() OVER ({by} {order})",
                f"sum({number}) OVER ({by} {order} {frame})",
                f"lag({number}) OVER ({by} {order})",
                f"lead({number}, 1, 0) OVER ({by} {order})",
                f"first_value({number}) OVER ({by} {order})",
                f"ntile(2) OVER ({by} {order})",
            ]
        return self.chance.choice(choices)

    def number_of_window(self) -> str:
        """Return an aggregate over a window."""
        number = self.column("n")
        return self.chance.choice(
            ("count(*)", f"count({number})", f"sum({number})", f"max({number})", f"min({number})")
        )
