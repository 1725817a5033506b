"""Random queries in which all operators are composed, the same for each seed.

No expression can fail, and no choice is left to Spark: where the order of equal rows matters it is
that of columns no two rows share, and sums of doubles are of multiples of a half.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from differentiation.expressions import Column, Expressions

__all__ = ["composed"]

_DEPTH = 3
_JOINS = ("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_SETS = ("UNION ALL", "UNION ALL", "UNION", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL")
_BASE = {"t": "nnnsx", "u": "nnns"}
_NAMES = {"t": ("id", "k", "v", "s", "x"), "u": ("id", "k", "w", "s")}


@dataclass(frozen=True, slots=True)
class Query:
    """A query's text, the names and kinds of its columns, and which of them no two rows share."""

    text: str
    columns: tuple[Column, ...]
    unique: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """An entry of FROM, or several joined: its columns as they are written, and the unique ones."""

    text: str
    columns: tuple[Column, ...]
    unique: tuple[str, ...] | None


def composed(seed: int) -> str:
    """Return the query of a seed."""
    names = (f"query {seed}", f"limits {seed}")
    chance, limits = map(random.Random, names)
    return _Composer(chance, limits).whole()


class _Composer:
    def __init__(self, chance: random.Random, limits: random.Random) -> None:
        self._chance, self._limits = chance, limits
        self._names = 0
        self._ctes: list[tuple[str, Query]] = []

    def whole(self) -> str:
        """Return a query, some with WITH in front."""
        head = ""
        if self._chance.random() < 0.25:
            query = self._query(2)
            name = self._name("c")
            self._ctes = [(name, query), (name, query)]
            head = f"WITH {name} AS ({query.text}) "
        return head + self._query(_DEPTH if not head else 2).text

    def _name(self, start: str) -> str:
        self._names += 1
        return f"{start}{self._names}"

    def _query(self, depth: int) -> Query:
        if depth > 1 and self._chance.random() < 0.25:
            return self._limited(self._set_operation(depth - 1))
        source = self._source(depth - 1)
        make = self._chance.choice((self._plain, self._plain, self._windowed, self._grouped))
        return self._limited(make(source, depth))

    def _limited(self, query: Query) -> Query:
        """Take some rows of some queries, in an order that has the columns no two rows share.

        In a full join the missing side of one row may be a group of NULL, as that of another.
        """
        if query.unique is None or "FULL" in query.text or self._limits.random() > 0.15:
            return query
        chosen = self._limits.choice(query.columns).name
        order = ", ".join((f"{chosen}{self._limits.choice(('', ' DESC'))}", *query.unique))
        skipped = self._limits.choice(("", "", " OFFSET 1"))
        return replace(query, text=f"{query.text} ORDER BY {order} LIMIT 3{skipped}")

    # ---------------------------------------------------------------------------------- FROM

    def _source(self, depth: int) -> Source:
        """One entry, or several that are joined."""
        found = self._entry(depth)
        while depth > 0 and self._chance.random() < 0.4:
            found = self._joined(found, self._entry(depth - 1))
            depth -= 1
        return found

    def _entry(self, depth: int) -> Source:
        alias = self._name("q")
        if self._ctes and self._chance.random() < 0.5:
            name, query = self._ctes.pop()
            return _aliased(query, f"{name} {alias}", alias)
        if depth <= 0 or self._chance.random() < 0.35:
            table = self._chance.choice(("t", "t", "u"))
            kinds = zip(_NAMES[table], _BASE[table], strict=True)
            columns = tuple(Column(f"{alias}.{name}", kind) for name, kind in kinds)
            return Source(f"{table} {alias}", columns, (f"{alias}.id",))
        special = self._chance.random()
        if special < 0.1:
            query = self._unpivoted() if self._limits.random() < 0.3 else self._flattened()
        elif special < 0.15:
            return self._values(alias)
        else:
            query = self._query(depth)
        return _aliased(query, f"({query.text}) {alias}", alias)

    def _flattened(self) -> Query:
        a, f = self._name("q"), self._name("f")
        outer = self._chance.choice(("", ", OUTER => TRUE"))
        if self._chance.random() < 0.3:
            text = (
                f"SELECT {a}.id AS fid, {f}.index AS place, {f}.value AS tag FROM a {a}, "
                f"LATERAL SPLIT_TO_TABLE({a}.name, '-') {f}"
            )
        else:
            text = (
                f"SELECT {a}.id AS fid, {f}.index AS place, {f}.value::string AS tag FROM a {a}, "
                f"LATERAL FLATTEN(INPUT => {a}.tags{outer}) {f}"
            )
        columns = (Column("fid", "n"), Column("place", "n"), Column("tag", "s"))
        return Query(text, columns, ("fid", "place"))

    def _unpivoted(self) -> Query:
        nulls = self._limits.choice(("", "INCLUDE NULLS "))
        text = (
            "SELECT id AS fid, place, value AS n FROM (SELECT id, k, v FROM t) "
            f"UNPIVOT {nulls}(value FOR place IN (k, v))"
        )
        columns = (Column("fid", "n"), Column("place", "s"), Column("n", "n"))
        return Query(text, columns, ("fid", "place"))

    def _values(self, alias: str) -> Source:
        rows = self._chance.choice(("(1, 'a'), (2, NULL)", "(NULL, 'b'), (3, 'a'), (3, 'a')"))
        columns = (Column(f"{alias}.n", "n"), Column(f"{alias}.m", "s"))
        return Source(f"(VALUES {rows}) AS {alias}(n, m)", columns, None)

    def _joined(self, left: Source, right: Source) -> Source:
        kind = self._chance.choice(_JOINS)
        columns = (*left.columns, *right.columns)
        unique = None
        if left.unique is not None and right.unique is not None:
            unique = (*left.unique, *right.unique)
        way = self._chance.random()
        if way < 0.1:
            return Source(f"{left.text} CROSS JOIN {right.text}", columns, unique)
        common = _common(left, right)
        if way < 0.3 and common:
            return Source(f"{left.text} {kind} {right.text} USING ({common})", columns, unique)
        conditions = [self._equality(left, right)]
        made = Expressions(self._chance, columns)
        if self._chance.random() < 0.3:
            conditions.append(made.condition(1))
        if self._chance.random() < 0.1:
            conditions = [made.comparison()]
        on = " AND ".join(conditions)
        return Source(f"{left.text} {kind} {right.text} ON {on}", columns, unique)

    def _equality(self, left: Source, right: Source) -> str:
        kind = self._chance.choice("nnns")
        one = Expressions(self._chance, left.columns).of(kind, self._chance.choice((0, 0, 1)))
        other = Expressions(self._chance, right.columns).of(kind, 0)
        if self._chance.random() < 0.1:
            return f"equal_null({one}, {other})"
        return f"{one} = {other}"

    # ------------------------------------------------------------------------------- SELECTs

    def _plain(self, source: Source, depth: int) -> Query:
        made = Expressions(self._chance, source.columns)
        columns = self._kept(source)
        for _ in range(self._chance.choice((0, 1, 1, 2))):
            kind = self._chance.choice("nnsb")
            columns.append((made.of(kind, 2), Column(self._name("e"), kind)))
        if depth > 1 and self._chance.random() < 0.2:
            columns.append((self._scalar(source, depth - 1), Column(self._name("e"), "n")))
        unique = _kept_unique(columns, source.unique)
        word = "SELECT"
        if self._chance.random() < 0.15:
            word, unique = "SELECT DISTINCT", tuple(column.name for _, column in columns)
        return self._select(word, columns, source, unique, self._where(source, depth))

    def _windowed(self, source: Source, depth: int) -> Query:
        columns = self._kept(source)
        made = Expressions(self._chance, source.columns)
        for _ in range(self._chance.choice((1, 1, 2))):
            columns.append((made.window(source.unique), Column(self._name("w"), "n")))
        unique = _kept_unique(columns, source.unique)
        rest = self._where(source, depth)
        if self._chance.random() < 0.4:
            rest += (
                f" QUALIFY {made.window(source.unique)} {self._chance.choice(('=', '<=', '>'))} 1"
            )
        return self._select("SELECT", columns, source, unique, rest)

    def _kept(self, source: Source) -> list[tuple[str, Column]]:
        """Some of the source's columns, most often with those that no two rows share."""
        wanted = set(source.unique or ()) if self._chance.random() < 0.7 else set()
        wanted |= {each.name for each in self._chance.choices(source.columns, k=2)}
        found: list[tuple[str, Column]] = []
        taken: set[str] = set()
        for each in source.columns:
            if each.name not in wanted:
                continue
            plain = each.name.split(".")[-1]
            name = plain if plain not in taken else self._name("e")
            taken.add(name)
            found.append((each.name, Column(name, each.kind)))
        return found

    def _select(
        self,
        word: str,
        columns: Sequence[tuple[str, Column]],
        source: Source,
        unique: tuple[str, ...] | None,
        rest: str,
    ) -> Query:
        shown = ", ".join(f"{text} AS {column.name}" for text, column in columns)
        names = tuple(column for _, column in columns)
        return Query(f"{word} {shown} FROM {source.text}{rest}", names, unique)

    def _where(self, source: Source, depth: int) -> str:
        if self._chance.random() < 0.55:
            return ""
        made = Expressions(self._chance, source.columns)
        conditions = []
        if depth > 1 and self._chance.random() < 0.5:
            if self._chance.random() < 0.25:
                tested = self._tested(source, depth - 1, alone=False)
                conditions.append(f"({made.condition(1)} OR {tested})")
            else:
                conditions.append(self._tested(source, depth - 1, alone=True))
        if not conditions or self._chance.random() < 0.4:
            conditions.append(made.condition(2))
        return f" WHERE {' AND '.join(conditions)}"

    # ---------------------------------------------------------------------------- subqueries

    def _tested(self, source: Source, depth: int, *, alone: bool) -> str:
        """A condition of a subquery; one that stands alone may be bound by more than equalities."""
        made = Expressions(self._chance, source.columns)
        word = self._chance.choice(("", "", "NOT "))
        way = self._chance.random()
        if way < 0.2:
            return f"{made.of('n', 1)} {self._chance.choice('<>=')} {self._scalar(source, depth)}"
        inner = self._source(depth - 1)
        rest = self._bound(source, inner)
        if way < 0.6:
            if alone and self._chance.random() < 0.3:
                both = Expressions(self._chance, (*source.columns, *inner.columns))
                rest += f" AND {both.comparison()}"
            return f"{word}EXISTS (SELECT 1 FROM {inner.text}{rest})"
        kind = self._chance.choice("nns")
        if self._chance.random() < 0.5:
            rest = ""
        shown = Expressions(self._chance, inner.columns).of(kind, 0)
        return f"{made.of(kind, 0)} {word}IN (SELECT {shown} AS i FROM {inner.text}{rest})"

    def _bound(self, source: Source, inner: Source) -> str:
        """A WHERE that binds a subquery to the row around it, or the like."""
        conditions = []
        kinds = {each.kind for each in source.columns} & {each.kind for each in inner.columns}
        if kinds & {"n", "s"}:
            kind = self._chance.choice(sorted(kinds & {"n", "s"}))
            ours, theirs = (
                self._chance.choice([each.name for each in side.columns if each.kind == kind])
                for side in (source, inner)
            )
            conditions.append(f"{theirs} = {ours}")
        if not conditions or self._chance.random() < 0.3:
            conditions.append(Expressions(self._chance, inner.columns).condition(1))
        return f" WHERE {' AND '.join(conditions)}"

    def _scalar(self, source: Source, depth: int) -> str:
        inner = self._source(depth - 1)
        rest = self._bound(source, inner) if self._chance.random() < 0.7 else ""
        value = Expressions(self._chance, inner.columns).number_of_group()
        return f"(SELECT {value} AS a FROM {inner.text}{rest})"

    # -------------------------------------------------------------------------------- groups

    def _grouped(self, source: Source, depth: int) -> Query:
        made = Expressions(self._chance, source.columns)
        keys = self._keys(made, source)
        columns = [(text, Column(self._name("g"), kind)) for text, kind in keys]
        unique: tuple[str, ...] | None = tuple(column.name for _, column in columns)
        values = [made.aggregate(source.unique) for _ in range(self._chance.choice((1, 2, 3)))]
        columns += [(text, Column(self._name("a"), kind)) for text, kind in values]
        rest, sets = self._grouping([text for text, _ in keys])
        if sets:
            unique = None
        if self._chance.random() < 0.3:
            rest += f" HAVING {made.number_of_group()} > {self._chance.choice((0, 1))}"
        if keys and self._chance.random() < 0.2:
            text = f"rank() OVER (ORDER BY {made.number_of_group()})"
            columns.append((text, Column(self._name("a"), "n")))
        return self._select("SELECT", columns, source, unique, self._where(source, depth) + rest)

    def _keys(self, made: Expressions, source: Source) -> list[tuple[str, str]]:
        found: dict[str, str] = {}
        for _ in range(self._chance.choice((0, 1, 1, 2, 2))):
            if self._chance.random() < 0.8:
                chosen = self._chance.choice(source.columns)
                found[chosen.name] = chosen.kind
            else:
                found[f"{made.column('n')} % 2"] = "n"
        return list(found.items())

    def _grouping(self, keys: list[str]) -> tuple[str, bool]:
        """Return GROUP BY, and whether it is by several sets of keys."""
        if not keys:
            return "", False
        listed = ", ".join(keys)
        if self._chance.random() < 0.7:
            by_place = ", ".join(str(at) for at in range(1, len(keys) + 1))
            return f" GROUP BY {self._chance.choice((listed, listed, by_place, 'ALL'))}", False
        sets = f"GROUPING SETS (({listed}), ({keys[0]}), ())"
        return (
            f" GROUP BY {self._chance.choice((f'ROLLUP ({listed})', f'CUBE ({listed})', sets))}",
            True,
        )

    # ---------------------------------------------------------------------------------- sets

    def _set_operation(self, depth: int) -> Query:
        kinds = self._chance.choice(("n", "ns", "nn", "s", "nx"))
        left, right = self._shaped(depth, kinds), self._shaped(depth, kinds)
        word = self._chance.choice(_SETS)
        text = f"{left.text} {word} {right.text}"
        if self._chance.random() < 0.2:
            again = self._chance.choice(_SETS)
            text = f"({text}) {again} {self._shaped(depth - 1, kinds).text}"
        names = tuple(each.name for each in left.columns)
        alone = word in {"UNION", "EXCEPT", "INTERSECT"} and not text.startswith("(")
        return Query(text, left.columns, names if alone else None)

    def _shaped(self, depth: int, kinds: str) -> Query:
        """A SELECT of columns of some kinds."""
        source = self._source(depth - 1)
        made = Expressions(self._chance, source.columns)
        columns = [(made.of(kind, 1), Column(self._name("e"), kind)) for kind in kinds]
        return self._select("SELECT", columns, source, None, self._where(source, depth))


def _aliased(query: Query, text: str, alias: str) -> Source:
    columns = tuple(Column(f"{alias}.{each.name}", each.kind) for each in query.columns)
    unique = None if query.unique is None else tuple(f"{alias}.{name}" for name in query.unique)
    return Source(text, columns, unique)


def _kept_unique(
    columns: Sequence[tuple[str, Column]], unique: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    names = {text: column.name for text, column in columns}
    if unique is None or any(each not in names for each in unique):
        return None
    return tuple(names[each] for each in unique)


def _common(left: Source, right: Source) -> str:
    """A name that is once on each side, and of one kind."""
    ours, theirs = ([each.name.split(".")[-1] for each in s.columns] for s in (left, right))
    kinds = {each.name.split(".")[-1]: each.kind for each in (*left.columns, *right.columns)}
    for name in ours:
        if ours.count(name) == theirs.count(name) == 1 and kinds[name] in "ns":
            return name
    return ""
