"""Correlation: conditions on the row around a subquery are pulled up to where it is joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Self

from icemelt.algebra.calls import call_of
from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.nodes import Aggregate, Distinct, Filter, Join, JoinKind, Project, Relation
from icemelt.algebra.parts import ChangeExpression
from icemelt.sql.lowering.names import inner_number, is_outer, outer_number

__all__ = [
    "Bound",
    "Entangled",
    "Pulled",
    "correlated_with",
    "of_nothing",
    "outer_columns",
    "outer_columns_of",
    "pulled",
]

_ON_NOTHING = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct", "regr_count"), "0L"),
    **dict.fromkeys(("collect_list", "collect_set"), "array()"),
    **dict.fromkeys(("sum", "avg", "min", "max", "any_value", "first", "last"), "NULL"),
    **dict.fromkeys(("median", "mode", "stddev", "stddev_samp", "stddev_pop"), "NULL"),
    **dict.fromkeys(("var_samp", "var_pop", "variance", "corr", "covar_pop"), "NULL"),
    **dict.fromkeys(("covar_samp", "percentile_cont", "percentile_disc", "min_by"), "NULL"),
    **dict.fromkeys(("max_by", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"), "NULL"),
    "approx_percentile": "NULL",
}
_OF_THE_CALL = (" FILTER (", " WITHIN GROUP (")


class Entangled(Exception):
    """A subquery's conditions on the row around it do not let themselves be pulled up."""


@dataclass(frozen=True, slots=True)
class Bound(Filter):
    """Rows of a subquery that meet a condition on the row around it; gone once that is pulled up.

    The condition is an equality of a value around (`outer`) and one of its own, or any.
    """

    outer: Expression | None = None
    own: Expression | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The condition, and both sides of it where it is an equality."""
        sides = (each for each in (self.outer, self.own) if each is not None)
        return (self.condition, *sides)

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the node with another condition."""
        outer, own = (each and change(each) for each in (self.outer, self.own))
        return replace(self, condition=change(self.condition), outer=outer, own=own)


@dataclass(frozen=True, slots=True)
class Pulled:
    """A relation without outer columns, and the conditions that bind it.

    It has the columns it had, and behind them those that the conditions read. `on_nothing` is the
    row of an aggregate over no rows, None for what gives no row then.
    """

    relation: Relation
    equalities: tuple[tuple[Expression, Expression], ...] = ()
    others: tuple[Expression, ...] = ()
    on_nothing: tuple[Expression, ...] | None = None

    @property
    def is_free(self) -> bool:
        """Whether nothing binds it."""
        return not self.equalities and not self.others


def pulled(relation: Relation) -> Pulled:
    """Return a subquery's relation with its conditions on the rows around it pulled up.

    Raises:
        Entangled: it depends on the row around it in another way.
    """
    match relation:
        case Bound():
            return _bound(relation)
        case Filter():
            return _filter(relation)
        case Project():
            return _project(relation)
        case Aggregate():
            return _aggregate(relation)
        case Join():
            return _join(relation)
        case Distinct(inner):
            below = _rows_alone(pulled(inner))
            if below.others:
                raise Entangled
            return replace(below, relation=Distinct(below.relation))
        case _:
            return Pulled(_free(relation))


def correlated_with(relation: Relation, number: Callable[[int], int]) -> Relation:
    """Return a subquery's relation over other columns of the SELECT around it."""

    def moved(code: int) -> int:
        if not is_outer(code) or is_outer(inner_number(code)):
            return code
        return outer_number(number(inner_number(code)))

    inputs = [correlated_with(each, number) for each in relation.inputs]
    return relation.remap_columns(inputs, moved)


def outer_columns(relation: Relation) -> set[int]:
    """Return the columns of SELECTs further out that a relation reads."""
    return outer_columns_of(relation.expressions).union(*map(outer_columns, relation.inputs))


def outer_columns_of(expressions: Iterable[Expression]) -> set[int]:
    """Return the columns of SELECTs further out that expressions read."""
    return {number for each in expressions for number in each.columns if is_outer(number)}


def of_nothing(aggregate: Expression) -> Expression | None:
    """Return what an aggregate gives of no rows, None where that is not known."""
    name, behind = call_of(aggregate) or ("", "")
    if name not in _ON_NOTHING or (behind and not behind.startswith(_OF_THE_CALL)):
        return None
    return Expression((_ON_NOTHING[name],))


def _bound(relation: Bound) -> Pulled:
    below = _rows_alone(pulled(relation.input))
    if relation.outer is not None and relation.own is not None:
        pair = (relation.outer, relation.own)
        return replace(below, equalities=(*below.equalities, pair))
    return replace(below, others=(*below.others, relation.condition))


def _filter(relation: Filter) -> Pulled:
    below = _rows_alone(pulled(relation.input))
    _refuse_outer(*relation.expressions)
    return replace(below, relation=Filter(below.relation, relation.condition))


def _project(relation: Project) -> Pulled:
    below = pulled(relation.input)
    _refuse_outer(*relation.expressions)
    width = relation.width
    needed = sorted(
        {number for each in _own(below) for number in each.columns if not is_outer(number)}
    )
    place = {number: width + at for at, number in enumerate(needed)}
    made = Project(below.relation, (*relation.expressions, *map(column, needed)))
    on_nothing = below.on_nothing
    if on_nothing is not None:
        on_nothing = tuple(_put(each, on_nothing) for each in relation.expressions)
    return replace(
        _moved(below, place),
        relation=made if needed else replace(relation, input=below.relation),
        on_nothing=on_nothing,
    )


def _aggregate(relation: Aggregate) -> Pulled:
    below = _rows_alone(pulled(relation.input))
    _refuse_outer(*relation.expressions)
    if below.others:
        raise Entangled
    own = tuple(each for _, each in below.equalities)
    on_nothing = None
    if not relation.keys:
        on_nothing = tuple(map(_on_nothing, relation.aggregates)) if own else relation.aggregates
    made: Relation = replace(relation, input=below.relation)
    if own:
        keys = (*relation.keys, *own)
        wide = replace(relation, input=below.relation, keys=keys)
        first, behind = len(relation.keys), len(relation.keys) + len(own)
        values = (*columns(0, first), *columns(behind, wide.width), *columns(first, behind))
        made = Project(wide, values)
    pairs = tuple(
        (each, column(relation.width + at)) for at, (each, _) in enumerate(below.equalities)
    )
    return Pulled(made, pairs, on_nothing=on_nothing)


def _join(relation: Join) -> Pulled:
    left, right = _rows_alone(pulled(relation.left)), _rows_alone(pulled(relation.right))
    keeps_right = relation.kind is JoinKind.INNER
    if not right.is_free and not keeps_right:
        raise Entangled
    if not left.is_free and relation.kind in {JoinKind.RIGHT, JoinKind.FULL}:
        raise Entangled
    _refuse_outer(*relation.expressions)
    ours, theirs = relation.left.width, relation.right.width
    wide, more = left.relation.width, right.relation.width - theirs
    joined = relation.remap_columns(
        [left.relation, right.relation], lambda at: at if at < ours else at - ours + wide
    )
    if relation.kind.gives_left_alone:
        return replace(left, relation=joined)
    own = (*columns(0, ours), *columns(wide, wide + theirs))
    extra = (*columns(ours, wide), *columns(wide + theirs, wide + theirs + more))
    made = joined if not extra else Project(joined, (*own, *extra))
    start = ours + theirs
    first = _moved(left, {at: start + at - ours for at in range(ours, wide)})
    moves = {at: ours + at for at in range(theirs)}
    moves |= {at: start + wide - ours + at - theirs for at in range(theirs, theirs + more)}
    second = _moved(right, moves)
    return Pulled(made, (*first.equalities, *second.equalities), (*first.others, *second.others))


def _rows_alone(below: Pulled) -> Pulled:
    """Let nothing but a projection stand on an aggregate that gives a row of no rows too."""
    if below.on_nothing is not None and not below.is_free:
        raise Entangled
    return replace(below, on_nothing=None)


def _free(relation: Relation) -> Relation:
    """Return a node that nothing may bind."""
    below = [pulled(each) for each in relation.inputs]
    if not all(each.is_free for each in below):
        raise Entangled
    _refuse_outer(*relation.expressions)
    return relation.remap_columns([each.relation for each in below], lambda number: number)


def _refuse_outer(*expressions: Expression) -> None:
    if outer_columns_of(expressions):
        raise Entangled


def _own(below: Pulled) -> list[Expression]:
    return [*(own for _, own in below.equalities), *below.others]


def _moved(below: Pulled, place: dict[int, int]) -> Pulled:
    def moved(number: int) -> int:
        return place.get(number, number)

    equalities = tuple((outer, own.mapped(moved)) for outer, own in below.equalities)
    return replace(
        below, equalities=equalities, others=tuple(o.mapped(moved) for o in below.others)
    )


def _put(expression: Expression, values: tuple[Expression, ...]) -> Expression:
    """Return an expression with other expressions in the place of columns."""
    parts: list[str | int] = []
    for part in expression.parts:
        parts += ["(", *values[part].parts, ")"] if isinstance(part, int) else [part]
    return Expression(tuple(parts))


def _on_nothing(aggregate: Expression) -> Expression:
    found = of_nothing(aggregate)
    if found is None:
        raise Entangled
    return found
