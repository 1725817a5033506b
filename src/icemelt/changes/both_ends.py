"""Q₀ and Q₁ in one pass: rows are marked with their ends, and common rows are computed once.

The last column is the mark: 1 for a row before the interval, 2 for a row after, 3 for both. The
bits of a joined row are the common bits of its two rows. Whatever depends on all rows of one end,
as whether a row has a partner, is computed for each end. A group has the aggregates of both ends
side by side, and is marked 3 if they are equal. Unchanged tables have no mark: rows made from them
alone are of both ends. For `SELECT customer, sum(price) FROM lines GROUP BY customer`:

    lines: customer, price, mark    groups: before, after    result: customer, sum, weight
           1,        10,    3       10,     10
           2,        20,    1       20,     25               2, 20, -1
           2,        25,    2                                2, 25,  1
           3,        30,    2       none,   30               3, 30,  1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.calls import add_filter, add_partition_keys, can_be_filtered
from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.graph import NodeValues
from icemelt.algebra.nodes import (
    Aggregate,
    BothEndsScan,
    Distinct,
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
from icemelt.changes.pin import pin_relation
from icemelt.changes.semi_joins import IsWhole, lower_semi_joins, never_whole
from icemelt.changes.shape import Shape

__all__ = ["compare_both_ends"]


def compare_both_ends(
    relation: Relation, shapes: Mapping[str, Shape], is_whole: IsWhole = never_whole
) -> Relation | None:
    """Return the rows of a query at one end and not at the other, with weights.

    Rows may cancel: a row moved to another file may be there as deleted and as inserted. None if no
    table of the query has changed.

    Args:
        relation: the query.
        shapes: the shape of each table's changes, by the table's slot.
        is_whole: a predicate (expression, relation): the expression gives whole numbers.

    >>> from icemelt.algebra.nodes import explain
    >>> print(
    ...     explain(
    ...         compare_both_ends(
    ...             Filter(Scan("t", ("a",)), Expression((0, " > 1"))), {"t": Shape.BOTH}
    ...         )
    ...     )
    ... )
    Project (#0, if(#1 = 1, -1, 1))
      Filter #1 <> 3
        Filter #0 > 1
          Ends t(a, ends)
    """
    marked = NodeValues[Relation, _MarkedRelation](lambda node: _mark_rows(node, shapes, marked))
    made = marked(lower_semi_joins(relation, is_whole))
    if not made.is_marked:
        return None
    differing = Filter(made.relation, Expression((made.width, " <> 3")))
    weight = Expression(("if(", made.width, " = 1, -1, 1)"))
    return Project(differing, (*columns(0, made.width), weight))


@dataclass(frozen=True, slots=True)
class _MarkedRelation:
    """A relation of `width` columns, followed by the mark of a row's ends if `is_marked`.

    All rows without a mark are of both ends.
    """

    relation: Relation
    width: int
    is_marked: bool

    @property
    def with_ends(self) -> Relation:
        """The relation with a mark for every row."""
        if self.is_marked:
            return self.relation
        return Project(self.relation, (*columns(0, self.width), text("3")))

    @property
    def split_shared(self) -> _MarkedRelation:
        """The same rows, a row of both ends twice: with mark 1 and with mark 2."""
        split = _split_shared_rows(self.with_ends, self.width)
        shown = (*columns(0, self.width), column(self.width + 1))
        return _MarkedRelation(Project(split, shown), self.width, is_marked=True)


def _split_shared_rows(relation: Relation, mark: int) -> Generate:
    """Return rows with mark 3 twice, with 1 and 2; the new mark is the last column."""
    made = ("SELECT explode(if(", mark, " = 3, array(1, 2), array(", mark, ")))")
    return Generate(relation, Expression(made), 1)


def _mark_rows(
    relation: Relation,
    shapes: Mapping[str, Shape],
    of_input: Callable[[Relation], _MarkedRelation],
) -> _MarkedRelation:
    """Return a node with the mark of its rows; `of_input` gives the marked inputs."""
    width = relation.width
    if isinstance(relation, Scan):
        if not shapes[relation.source]:
            return _MarkedRelation(relation, width, is_marked=False)
        ends = BothEndsScan(relation.source, relation.columns, relation.with_id)
        return _MarkedRelation(ends, width, is_marked=True)
    inputs = [of_input(each) for each in relation.inputs]
    if not any(each.is_marked for each in inputs):
        return _MarkedRelation(relation, width, is_marked=False)
    match relation:
        case Join():
            made = _mark_join(relation, *inputs)
        case UnionAll():
            made = UnionAll(tuple(each.with_ends for each in inputs))
        case SetOperation():
            left, right = (each.split_shared.relation for each in inputs)
            made = replace(relation, left=left, right=right)
        case _:
            made = _mark_unary(relation, inputs[0])
    return _MarkedRelation(made, width, is_marked=True)


def _mark_unary(relation: Relation, inner: _MarkedRelation) -> Relation:
    match relation:
        case Project(expressions=expressions):
            return Project(inner.relation, (*expressions, column(inner.width)))
        case Filter() | Generate():
            return _mark_last(replace(relation, input=inner.relation), inner.width)
        case Distinct():
            return _mark_groups(Aggregate(inner.relation, columns(0, inner.width), ()), inner)
        case Window(partition=partition, functions=functions):
            mark = column(inner.width)
            own = tuple(add_partition_keys(each, (mark,)) for each in functions)
            window = Window(inner.split_shared.relation, (*partition, mark), own)
            return _mark_last(window, inner.width)
        case Aggregate():
            return _mark_groups(relation, inner)
    return _compute_twice(relation)


def _mark_last(relation: Relation, mark: int) -> Relation:
    """Move the mark behind the columns added by a node."""
    if mark == relation.width - 1:
        return relation
    others = [each for each in columns(0, relation.width) if each.as_column != mark]
    return Project(relation, (*others, column(mark)))


def _mark_join(join: Join, left: _MarkedRelation, right: _MarkedRelation) -> Relation:
    if join.kind is JoinKind.FULL:
        left, right = left.split_shared, right.split_shared
    elif right.is_marked and join.kind not in {JoinKind.INNER, JoinKind.RIGHT}:
        left = left.split_shared
    elif left.is_marked and join.kind is JoinKind.RIGHT:
        right = right.split_shared
    width, start = left.width, left.relation.width
    marks = (width, start + right.width)
    made = join.remap_columns(
        [left.relation, right.relation], lambda at: at if at < width else at - width + start
    )
    if join.kind is JoinKind.FULL:
        made = replace(made, equalities=(*join.equalities, (column(width), column(right.width))))
    elif left.is_marked and right.is_marked:
        made = replace(made, residual=_share_an_end(marks, made.residual))
    if join.kind.gives_left_alone:
        return made
    both = (*columns(0, width), *columns(start, marks[1]))
    return Project(made, (*both, _ends_of_pair(join.kind, left, right, marks)))


def _share_an_end(marks: tuple[int, int], condition: Expression | None) -> Expression:
    """Return the condition that two rows have an end in common, and meet `condition`."""
    met = ("(", marks[0], " & ", marks[1], ") <> 0")
    return Expression(met if condition is None else (*met, " AND (", *condition.parts, ")"))


def _ends_of_pair(
    kind: JoinKind, left: _MarkedRelation, right: _MarkedRelation, marks: tuple[int, int]
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


def _mark_groups(aggregate: Aggregate, inner: _MarkedRelation) -> Relation:
    """Return groups with the aggregates of both ends, as one row if both are equal."""
    mark, start = inner.width, len(aggregate.keys)
    told = [each if each and _is_addable(each) else None for each in aggregate.linear]
    told = told or [None] * len(aggregate.aggregates)
    several = tuple(zip(aggregate.aggregates, told, strict=True))
    if not all(linear or can_be_filtered(each) for each, linear in several):
        if not start:
            return _compute_twice(aggregate)
        keys = (*aggregate.keys, column(mark))
        return _mark_last(Aggregate(inner.split_shared.relation, keys, aggregate.aggregates), start)
    # without keys there is a row at both ends
    made = [Expression(("bit_or(", mark, ")"))] if start else []
    arguments: list[Expression] = []
    sides: _Sides = []
    for each, linear in several:
        place = start + len(made)
        if linear:
            total = _total_of(linear, mark + 1 + len(arguments))
            arguments.append(linear.argument)
            made += [_aggregate_ends(total, mark, f"= {ends}") for ends in (3, 1, 2)]
            sides.append((_add_sums(linear, place, place + 1), _add_sums(linear, place, place + 2)))
        else:
            made += [_aggregate_ends(each, mark, f"<> {ends}") for ends in (2, 1)]
            sides.append((column(place), column(place + 1)))
    with_arguments = Project(inner.relation, (*columns(0, mark + 1), *arguments))
    groups = Aggregate(with_arguments, aggregate.keys, tuple(made))
    return _split_changed_groups(groups, start, sides) if sides else groups


_Sides = list[tuple[Expression, Expression]]


def _split_changed_groups(groups: Aggregate, mark: int, sides: _Sides) -> Relation:
    """Return groups with the aggregates of one end; a group equal at both ends stays one row.

    Args:
        groups: the groups: keys, the mark if there are keys, and the aggregates of both ends.
        mark: the number of keys, and so the column of the mark.
        sides: for every aggregate the expression before and the expression after.
    """
    keys, many = columns(0, mark), len(sides)
    shown = (*keys, *(old for old, _ in sides), *(new for _, new in sides))
    both = Project(groups, (*shown, column(mark) if mark else text("3")))
    pairs = [(mark + at, mark + many + at) for at in range(many)]
    last = both.width - 1
    # 0 where both ends are equal, else the ends
    equal = [part for old, new in pairs for part in (" AND ", old, " <=> ", new)]
    same = ("if(", last, " = 3", *equal, ", 0, ", last, ")")
    told = Project(both, (*columns(0, last), Expression(same)))
    split = _split_shared_rows(told, last)
    end = split.width - 1
    values = (Expression(("if(", end, " = 1, ", old, ", ", new, ")")) for old, new in pairs)
    return Project(split, (*keys, *values, Expression(("if(", end, " = 0, 3, ", end, ")"))))


def _compute_twice(relation: Relation) -> Relation:
    """Return rows computed for both ends apart."""
    ends = ((Pin.OLD, "1"), (Pin.NEW, "2"))
    return UnionAll(
        tuple(
            Project(pin_relation(relation, pin), (*columns(0, relation.width), text(mark)))
            for pin, mark in ends
        )
    )


def _aggregate_ends(aggregate: Expression, mark: int, ends: str) -> Expression:
    return add_filter(aggregate, Expression((mark, f" {ends}")))


def _total_of(linear: Linear, argument: int) -> Expression:
    return Expression(("count(" if linear.type is None else "sum(", argument, ")"))


def _is_addable(linear: Linear) -> bool:
    """Return whether two sums can be added: of 38 digits Spark may round the last."""
    return linear.type is None or not linear.type.startswith("DECIMAL(38,")


def _add_sums(linear: Linear, one: int, other: int) -> Expression:
    """Return the sum of two columns: of two sums, where NULL is no value, or of two counts."""
    if linear.type is None:
        return Expression((one, " + ", other))
    both = ("CAST(", one, " + ", other, f" AS {linear.type})")
    either = ("if(", one, " IS NOT NULL, ", one, ", ", other, ")")
    return Expression(("if((", one, " + ", other, ") IS NOT NULL, ", *both, ", ", *either, ")"))
