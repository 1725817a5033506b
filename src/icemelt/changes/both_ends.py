"""Q₀ and Q₁ in one pass: each row says of which end it is, and what both have is computed once.

A row is of before (1), of after (2), or of both (3): the bits of a column behind the others. A
join's row is of the ends that its rows share; what depends on all rows of one end, such as whether
there is a partner, is told for each end by itself. Groups have their aggregates of both ends side
by side, and are rows of both where these are equal. Tables that have not changed have no such
column: all that is made of them alone is of both ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.calls import add_filter, add_partition_keys, can_be_filtered
from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Ends,
    Filter,
    Generate,
    Join,
    JoinKind,
    Linear,
    Pin,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Window,
)
from icemelt.changes.pin import pinned
from icemelt.changes.semi_joins import IsWhole, lowered, unknown
from icemelt.changes.shape import Shape

__all__ = ["both_ends"]


def both_ends(
    relation: Relation, shapes: Mapping[str, Shape], is_whole: IsWhole = unknown
) -> Relation | None:
    """Return the rows that a query has at one end and not at the other, with weights.

    `shapes` are those of the tables' changes; `is_whole` is as in `lowered`. A row that was only
    moved may be there as gone and come. None where no changed table is read.

    >>> from icemelt.algebra.nodes import explain
    >>> print(
    ...     explain(
    ...         both_ends(Filter(Scan("t", ("a",)), Expression((0, " > 1"))), {"t": Shape.BOTH})
    ...     )
    ... )
    Project (#0, if(#1 = 1, -1, 1))
      Filter #1 <> 3
        Filter #0 > 1
          Ends t(a, ends)
    """
    made = _marked(lowered(relation, is_whole), shapes)
    if not made.is_marked:
        return None
    differing = Filter(made.relation, Expression((made.width, " <> 3")))
    weight = Expression(("if(", made.width, " = 1, -1, 1)"))
    return Project(differing, (*columns(0, made.width), weight))


@dataclass(frozen=True, slots=True)
class _Marked:
    """A relation of some width, with the ends of its rows behind it where it `is_marked`.

    All rows of one without them are of both ends.
    """

    relation: Relation
    width: int
    is_marked: bool

    @property
    def marked(self) -> Relation:
        """The relation with the ends of its rows."""
        if self.is_marked:
            return self.relation
        return Project(self.relation, (*columns(0, self.width), text("3")))

    @property
    def apart(self) -> _Marked:
        """The same rows, one of both ends twice: once of each."""
        split = _split(self.marked, self.width)
        shown = (*columns(0, self.width), column(self.width + 1))
        return _Marked(Project(split, shown), self.width, is_marked=True)


def _split(relation: Relation, mark: int) -> Generate:
    """Return rows with a mark of 3 twice, as 1 and 2; the others keep theirs, behind all."""
    made = ("SELECT explode(if(", mark, " = 3, array(1, 2), array(", mark, ")))")
    return Generate(relation, Expression(made), 1)


def _marked(relation: Relation, shapes: Mapping[str, Shape]) -> _Marked:
    width = relation.width
    if isinstance(relation, Scan):
        if not shapes[relation.source]:
            return _Marked(relation, width, is_marked=False)
        ends = Ends(relation.source, relation.columns, relation.with_id)
        return _Marked(ends, width, is_marked=True)
    inputs = [_marked(each, shapes) for each in relation.inputs]
    if not any(each.is_marked for each in inputs):
        return _Marked(relation, width, is_marked=False)
    match relation:
        case Join():
            made = _join(relation, *inputs)
        case UnionAll():
            made = UnionAll(tuple(each.marked for each in inputs))
        case SetOperation():
            left, right = (each.apart.relation for each in inputs)
            made = replace(relation, left=left, right=right)
        case _:
            made = _of_one(relation, inputs[0])
    return _Marked(made, width, is_marked=True)


def _of_one(relation: Relation, inner: _Marked) -> Relation:
    match relation:
        case Project(expressions=expressions):
            return Project(inner.relation, (*expressions, column(inner.width)))
        case Filter() | Generate():
            return _mark_last(replace(relation, input=inner.relation), inner.width)
        case Distinct():
            return _aggregate(Aggregate(inner.relation, columns(0, inner.width), ()), inner)
        case Window(partition=partition, functions=functions):
            mark = column(inner.width)
            own = tuple(add_partition_keys(each, (mark,)) for each in functions)
            window = Window(inner.apart.relation, (*partition, mark), own)
            return _mark_last(window, inner.width)
        case Aggregate():
            return _aggregate(relation, inner)
    return _twice(relation)


def _mark_last(relation: Relation, mark: int) -> Relation:
    """Put the ends behind the columns that a node added."""
    if mark == relation.width - 1:
        return relation
    others = [each for each in columns(0, relation.width) if each.as_column != mark]
    return Project(relation, (*others, column(mark)))


def _join(join: Join, left: _Marked, right: _Marked) -> Relation:
    if join.kind is JoinKind.FULL:
        left, right = left.apart, right.apart
    elif right.is_marked and join.kind not in {JoinKind.INNER, JoinKind.RIGHT}:
        left = left.apart
    elif left.is_marked and join.kind is JoinKind.RIGHT:
        right = right.apart
    width, start = left.width, left.relation.width
    marks = (width, start + right.width)
    made = join.remap_columns(
        [left.relation, right.relation], lambda at: at if at < width else at - width + start
    )
    if join.kind is JoinKind.FULL:
        made = replace(made, equalities=(*join.equalities, (column(width), column(right.width))))
    elif left.is_marked and right.is_marked:
        made = replace(made, residual=_meeting(marks, made.residual))
    if join.kind.gives_left_alone:
        return made
    both = (*columns(0, width), *columns(start, marks[1]))
    return Project(made, (*both, _shared_ends(join.kind, left, right, marks)))


def _meeting(marks: tuple[int, int], condition: Expression | None) -> Expression:
    """Return the condition that two rows have an end in common, and meet another."""
    met = ("(", marks[0], " & ", marks[1], ") <> 0")
    return Expression(met if condition is None else (*met, " AND (", *condition.parts, ")"))


def _shared_ends(
    kind: JoinKind, left: _Marked, right: _Marked, marks: tuple[int, int]
) -> Expression:
    match kind:
        case JoinKind.FULL:
            return Expression(("coalesce(", marks[0], ", ", marks[1], ")"))
        case JoinKind.INNER if left.is_marked and right.is_marked:
            return Expression((marks[0], " & ", marks[1]))
        case JoinKind.LEFT:
            return column(marks[0])
        case JoinKind.RIGHT:
            return column(marks[1])
    return column(marks[0] if left.is_marked else marks[1])


def _aggregate(aggregate: Aggregate, inner: _Marked) -> Relation:
    """Return groups with the aggregates of both ends, as one row where these are equal."""
    mark, start = inner.width, len(aggregate.keys)
    told = [each if each and _adds_up(each) else None for each in aggregate.linear]
    told = told or [None] * len(aggregate.aggregates)
    several = tuple(zip(aggregate.aggregates, told, strict=True))
    if not all(linear or can_be_filtered(each) for each, linear in several):
        if not start:
            return _twice(aggregate)
        keys = (*aggregate.keys, column(mark))
        return _mark_last(Aggregate(inner.apart.relation, keys, aggregate.aggregates), start)
    # without keys there is a row at both ends
    made = [Expression(("bit_or(", mark, ")"))] if start else []
    arguments: list[Expression] = []
    sides: _Sides = []
    for each, linear in several:
        place = start + len(made)
        if linear:
            total = _total(linear, mark + 1 + len(arguments))
            arguments.append(linear.argument)
            made += [_filtered(total, mark, f"= {ends}") for ends in (3, 1, 2)]
            sides.append((_added(linear, place, place + 1), _added(linear, place, place + 2)))
        else:
            made += [_filtered(each, mark, f"<> {ends}") for ends in (2, 1)]
            sides.append((column(place), column(place + 1)))
    with_arguments = Project(inner.relation, (*columns(0, mark + 1), *arguments))
    groups = Aggregate(with_arguments, aggregate.keys, tuple(made))
    return _split_where_different(groups, start, sides) if sides else groups


_Sides = list[tuple[Expression, Expression]]


def _split_where_different(groups: Aggregate, mark: int, sides: _Sides) -> Relation:
    """Return groups with their aggregates at each end, as one row where these are equal."""
    keys, many = columns(0, mark), len(sides)
    shown = (*keys, *(old for old, _ in sides), *(new for _, new in sides))
    both = Project(groups, (*shown, column(mark) if mark else text("3")))
    pairs = [(mark + at, mark + many + at) for at in range(many)]
    last = both.width - 1
    # 0 where both ends are equal, else the ends
    equal = [part for old, new in pairs for part in (" AND ", old, " <=> ", new)]
    same = ("if(", last, " = 3", *equal, ", 0, ", last, ")")
    told = Project(both, (*columns(0, last), Expression(same)))
    split = _split(told, last)
    end = split.width - 1
    values = (Expression(("if(", end, " = 1, ", old, ", ", new, ")")) for old, new in pairs)
    return Project(split, (*keys, *values, Expression(("if(", end, " = 0, 3, ", end, ")"))))


def _twice(relation: Relation) -> Relation:
    """Return rows that are computed for each end."""
    ends = ((Pin.OLD, "1"), (Pin.NEW, "2"))
    return UnionAll(
        tuple(
            Project(pinned(relation, pin), (*columns(0, relation.width), text(mark)))
            for pin, mark in ends
        )
    )


def _filtered(aggregate: Expression, mark: int, ends: str) -> Expression:
    return add_filter(aggregate, Expression((mark, f" {ends}")))


def _total(linear: Linear, argument: int) -> Expression:
    return Expression(("count(" if linear.type is None else "sum(", argument, ")"))


def _adds_up(linear: Linear) -> bool:
    """Tell whether two sums can be added: of 38 digits Spark may leave out the last."""
    return linear.type is None or not linear.type.startswith("DECIMAL(38,")


def _added(linear: Linear, one: int, other: int) -> Expression:
    """Return the sum of two sums, either of which may be NULL, or of two counts."""
    if linear.type is None:
        return Expression((one, " + ", other))
    both = ("CAST(", one, " + ", other, f" AS {linear.type})")
    either = ("if(", one, " IS NOT NULL, ", one, ", ", other, ")")
    return Expression(("if((", one, " + ", other, ") IS NOT NULL, ", *both, ", ", *either, ")"))
