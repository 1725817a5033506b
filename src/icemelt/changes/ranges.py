"""What is known of keys before anything is joined: between which values they are.

A scan that is restricted to keys need not read files whose values are all beyond these. The range
may be wider than the keys, and never narrower.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Delta,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    Shared,
    UnionAll,
)

__all__ = ["Range", "Ranges"]


@dataclass(frozen=True, slots=True)
class Range:
    """The least value and the greatest, and whether there is NULL too."""

    least: int | datetime.date
    greatest: int | datetime.date
    has_null: bool = False

    def condition(self, number: int) -> Expression:
        """Return that a column is in the range.

        >>> str(Range(3, 7).condition(1))
        '#1 BETWEEN 3 AND 7'
        >>> str(Range(3, 7, has_null=True).condition(1))
        '#1 BETWEEN 3 AND 7 OR #1 IS NULL'
        """
        within = f" BETWEEN {_literal(self.least)} AND {_literal(self.greatest)}"
        or_null = (" OR ", number, " IS NULL") if self.has_null else ()
        return Expression((number, within, *or_null))


@dataclass(frozen=True, slots=True)
class Ranges:
    """The ranges of columns of tables' changes, and what the shared relations of a plan are.

    `rows` has those of columns of shared relations whose rows are at hand.
    """

    changes: dict[tuple[str, str], Range]
    shared: dict[str, Relation]
    rows: dict[tuple[str, int], Range] = field(default_factory=dict)

    def bounded(self, relation: Relation) -> Relation:
        """Return a relation whose scans that are restricted to keys look at their range alone.

        >>> from icemelt.algebra.expressions import column
        >>> from icemelt.algebra.nodes import explain
        >>> keys = Project(Delta("t", ("a", "b")), (column(0),))
        >>> scan, key = Scan("u", ("k", "v")), (column(0), column(0))
        >>> ranges = Ranges({("t", "a"): Range(3, 7)}, {"k1": keys})
        >>> met = Join(JoinKind.SEMI, scan, Shared("k1", 1), (key,))
        >>> print(explain(ranges.bounded(met)))
        Join semi on left #0 = right #0
          Filter #0 BETWEEN 3 AND 7
            Scan u(k, v)
          Shared k1
        """
        match relation:
            case Join(JoinKind.SEMI, Scan() as scan, right):
                read: Relation = scan
                for condition in self._conditions(relation):
                    read = Filter(read, condition)
                return replace(relation, left=read, right=self.bounded(right))
        return relation.map_inputs(self.bounded)

    def _conditions(self, join: Join) -> Iterator[Expression]:
        for mine, theirs in join.equalities:
            if mine.as_column is not None and theirs.as_column is not None:
                found = self._of(join.right, theirs.as_column)
                if found is not None:
                    yield found.condition(mine.as_column)

    def _of(self, relation: Relation, number: int) -> Range | None:
        """The range of a column, None where it is not known."""
        match relation:
            case Delta(source, columns) if number < len(columns):
                return self.changes.get((source, columns[number]))
            case Shared(name):
                return self.rows.get((name, number)) or self._of(self.shared[name], number)
            case Project(inner, expressions):
                at = expressions[number].as_column
                return None if at is None else self._of(inner, at)
            case Filter(inner, condition):
                found = self._of(inner, number)
                drops = condition == Expression((number, " IS NOT NULL"))
                return replace(found, has_null=False) if found and drops else found
            case Distinct(inner):
                return self._of(inner, number)
            case UnionAll(inputs):
                return _around([self._of(each, number) for each in inputs])
        return None


def _around(several: list[Range | None]) -> Range | None:
    known = [each for each in several if each is not None]
    if len(known) < len(several) or len({type(each.least) for each in known}) > 1:
        return None
    least, greatest = min(each.least for each in known), max(each.greatest for each in known)
    return Range(least, greatest, any(each.has_null for each in known))


def _literal(value: int | datetime.date) -> str:
    return f"DATE '{value.isoformat()}'" if isinstance(value, datetime.date) else str(value)
