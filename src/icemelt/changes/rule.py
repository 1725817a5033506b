"""What the rules of differentiation are made of: changes, and what all rules of one plan share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import (
    Delta,
    Distinct,
    Filter,
    Pin,
    Project,
    Relation,
    Scan,
    Shared,
    UnionAll,
)
from icemelt.changes.shape import Format, Shape

__all__ = [
    "NEVER",
    "Change",
    "Changes",
    "Derivation",
    "Rule",
    "projected",
    "signed",
    "together",
    "weighted",
    "with_weight_last",
]


NEVER = text("false")


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of a relation: its columns and the weight behind them.

    `keys` says for people by what rows were read to find them, in columns of the first input: by
    nothing where all were, None where none were. `rule` is the name of the rule where it is not
    that of all nodes of its kind.
    """

    relation: Relation
    shape: Shape
    keys: tuple[Expression, ...] | None = None
    rule: str | None = None

    @property
    def rows(self) -> Relation:
        """The changed rows without their weights."""
        return projected(self.relation, columns(0, self.relation.width - 1))


Changes = Sequence[Change | None]
"""The changes of a node's inputs, in their order; None for an input that has not changed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How changes pass through a node. It is asked only where some input has changed.

    `format` is the worst that it makes of min-delta, and a `linear` rule reads nothing but changes.
    """

    name: str
    differentiate: Callable[[Any, Changes, Derivation], Change | None]
    format: Format
    linear: bool = False


@dataclass(slots=True)
class Derivation:
    """What the rules of one plan share: the tables' shapes and columns, both ends, and names.

    `end` gives a relation as it was before, and as it is after. `shared` is what is computed once:
    its names and, in order, what they stand for; `reading` are those that read tables. `changes`
    are those of the query's nodes that are done, by the nodes' ids.
    """

    shapes: Mapping[str, Shape]
    columns: Mapping[str, tuple[str, ...]]
    end: Callable[[Relation, Pin], Relation]
    shared: dict[str, Relation] = field(default_factory=dict)
    changes: dict[int, Change | None] = field(default_factory=dict)
    reading: set[str] = field(default_factory=set)

    def old(self, relation: Relation) -> Relation:
        """Return a relation as it was before."""
        return self.end(relation, Pin.OLD)

    def new(self, relation: Relation) -> Relation:
        """Return a relation as it is after."""
        return self.end(relation, Pin.NEW)

    def nothing_of(self, relation: Relation) -> Relation:
        """Return none of a relation's rows, for the types of its columns."""
        return Filter(self.new(relation), NEVER)

    def share(self, relation: Relation) -> Relation:
        """Return a relation by a name, so that all its uses are of one computation."""
        if isinstance(relation, Shared | Delta):
            return relation
        name = f"s{len(self.shared) + 1}"
        self.shared[name] = relation
        if self.reads_tables(relation):
            self.reading.add(name)
        return Shared(name, relation.width)

    def reads_tables(self, relation: Relation) -> bool:
        """Return whether a relation reads more than changes."""
        match relation:
            case Scan():
                return True
            case Shared(name):
                return name in self.reading
            case Filter(condition=condition) if condition == NEVER:
                return False
        return any(map(self.reads_tables, relation.inputs))

    def distinct(self, values: Sequence[Relation], *, nulls: bool = True) -> Relation:
        """Return the rows of relations, each once, by a name; without `nulls` whole ones only."""
        kept = values if nulls else [without_nulls(each) for each in values]
        return self.share(Distinct(together(kept)))


def columns_of(relation: Relation) -> dict[str, tuple[str, ...]]:
    """Return all columns that a query reads of each table, in whatever place."""
    if isinstance(relation, Scan):
        return {relation.source: relation.columns}
    found: dict[str, tuple[str, ...]] = {}
    for each in relation.inputs:
        for source, names in columns_of(each).items():
            known = found.get(source, ())
            found[source] = (*known, *(name for name in names if name not in known))
    return found


def without_nulls(rows: Relation) -> Relation:
    """Return the rows in which no column is NULL."""
    for number in range(rows.width):
        rows = Filter(rows, Expression((number, " IS NOT NULL")))
    return rows


def together(relations: Sequence[Relation]) -> Relation:
    """Return all rows of some relations."""
    return relations[0] if len(relations) == 1 else UnionAll(tuple(relations))


def projected(relation: Relation, expressions: Sequence[Expression]) -> Relation:
    """Return a projection; of one that only picks columns a single one.

    >>> str(projected(Project(Delta("t", ("a",)), (column(2), column(0))), (column(1),)))
    'Project (#0)'
    """
    match relation:
        case Project(input_, picked) if all(each.as_column is not None for each in picked):
            return Project(input_, tuple(each.substitute(picked) for each in expressions))
    return Project(relation, tuple(expressions))


def weighted(relation: Relation, weight: str) -> Relation:
    """Return rows with one weight behind them."""
    return projected(relation, (*columns(0, relation.width), text(weight)))


def signed(old: Relation, new: Relation) -> Relation:
    """Return what is after, less what was before."""
    return UnionAll((weighted(old, "-1"), weighted(new, "1")))


def with_weight_last(relation: Relation, weight: int) -> Relation:
    """Return a relation with its column of weights moved behind the others."""
    if weight == relation.width - 1:
        return relation
    others = (*columns(0, weight), *columns(weight + 1, relation.width))
    return projected(relation, (*others, column(weight)))
