"""Ranges of keys, known before a join: the least and the greatest value.

A scan with a semi join skips files with all values outside the range. A range may be wider than the
keys, and is never narrower.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.graph import rebuild
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

__all__ = ["KeyRange", "KeyRanges"]


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The least and the greatest value of a column, and whether the column has a NULL."""

    least: int | datetime.date
    greatest: int | datetime.date
    has_null: bool = False

    def condition(self, number: int) -> Expression:
        """Return the condition that column `number` is in the range.

        >>> str(KeyRange(3, 7).condition(1))
        '#1 BETWEEN 3 AND 7'
        >>> str(KeyRange(3, 7, has_null=True).condition(1))
        '#1 BETWEEN 3 AND 7 OR #1 IS NULL'
        """
        within = f" BETWEEN {_literal(self.least)} AND {_literal(self.greatest)}"
        or_null = (" OR ", number, " IS NULL") if self.has_null else ()
        return Expression((number, within, *or_null))


@dataclass(frozen=True, slots=True)
class KeyRanges:
    """The ranges of columns of one plan.

    Args:
        changes: ranges of columns of a table's changes, by the table's slot and the column's name.
        shared: the plan's shared relations, by name.
        rows: ranges of columns of shared relations that are at hand, by name and column number.
    """

    changes: dict[tuple[str, str], KeyRange]
    shared: dict[str, Relation]
    rows: dict[tuple[str, int], KeyRange] = field(default_factory=dict)

    def add_range_filters(self, relation: Relation) -> Relation:
        """Return a relation in which a scan with a semi join has a filter on the range of the keys.

        >>> from icemelt.algebra.expressions import column
        >>> from icemelt.algebra.nodes import explain
        >>> keys = Project(Delta("t", ("a", "b")), (column(0),))
        >>> scan, key = Scan("u", ("k", "v")), (column(0), column(0))
        >>> ranges = KeyRanges({("t", "a"): KeyRange(3, 7)}, {"k1": keys})
        >>> met = Join(JoinKind.SEMI, scan, Shared("k1", 1), (key,))
        >>> print(explain(ranges.add_range_filters(met)))
        Join semi on left #0 = right #0
          Filter #0 BETWEEN 3 AND 7
            Scan u(k, v)
          Shared k1
        """
        return rebuild(relation, self._add_range_filter)

    def _add_range_filter(self, relation: Relation) -> Relation:
        match relation:
            case Join(JoinKind.SEMI, Scan() as scan):
                read: Relation = scan
                for condition in self._conditions(relation):
                    read = Filter(read, condition)
                return relation if read is scan else replace(relation, left=read)
        return relation

    def _conditions(self, join: Join) -> Iterator[Expression]:
        for mine, theirs in join.equalities:
            if mine.as_column is not None and theirs.as_column is not None:
                found = self._of(join.right, theirs.as_column)
                if found is not None:
                    yield found.condition(mine.as_column)

    def _of(self, relation: Relation, number: int) -> KeyRange | None:
        """Return the range of column `number`, None if unknown."""
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
                return _enclosing_range([self._of(each, number) for each in inputs])
        return None


def _enclosing_range(several: list[KeyRange | None]) -> KeyRange | None:
    known = [each for each in several if each is not None]
    if len(known) < len(several) or len({type(each.least) for each in known}) > 1:
        return None
    least, greatest = min(each.least for each in known), max(each.greatest for each in known)
    return KeyRange(least, greatest, any(each.has_null for each in known))


def _literal(value: int | datetime.date) -> str:
    return f"DATE '{value.isoformat()}'" if isinstance(value, datetime.date) else str(value)
