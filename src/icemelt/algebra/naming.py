"""A query's nodes for people to read: columns by their names in the place of their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, text
from icemelt.algebra.nodes import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Project,
    Relation,
    Scan,
    Values,
    Window,
)

__all__ = ["Label", "labels", "named", "written"]

_LONG = 30


@dataclass(frozen=True, slots=True)
class Label:
    """What a column is called, and the table that it is of."""

    name: str
    table: str = ""


def labels(node: Relation, inputs: Sequence[Sequence[Label]]) -> tuple[Label, ...]:
    """Return what the columns of a node are called, its inputs' being called so."""
    below = tuple(label for each in inputs for label in each)
    match node:
        case Scan(source, names):
            own = source.rpartition(".")[2]
            shown = (*names, *(("row id",) if node.with_id else ()))
            return tuple(Label(name, own) for name in shown)
        case Values():
            return tuple(Label(f"column{at + 1}") for at in range(node.width))
        case Project(expressions=made):
            return _made(made, below)
        case Aggregate(keys=keys, aggregates=aggregates):
            return _made((*keys, *aggregates), below)
        case Window(functions=functions):
            return (*below, *_made(functions, below))
        case Generate():
            return (*below, *(Label(f"#{at}") for at in range(len(below), node.width)))
    return below[: node.width]


def named(node: Relation, inputs: Sequence[Sequence[Label]]) -> str:
    """Return a node's line of a plan.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import JoinKind
    >>> both = Join(JoinKind.INNER, Scan("a", ("x", "y")), Scan("b", ("x",)), ((column(0),) * 2,))
    >>> of_both = [labels(each, ()) for each in both.inputs]
    >>> (
    ...     named(both, of_both),
    ...     named(Filter(both, Expression((2, " > ", 1))), [labels(both, of_both)]),
    ... )
    ('Join inner on left x = right x', 'Filter b.x > y')
    """
    below = tuple(label for each in inputs for label in each)

    def told(expressions: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(text(written(each, below)) for each in expressions)

    match node:
        case Project(expressions=made):
            node = replace(node, expressions=told(made))
        case Filter(condition=condition):
            node = replace(node, condition=told([condition])[0])
        case Aggregate(keys=keys, aggregates=aggregates):
            node = replace(node, keys=told(keys), aggregates=told(aggregates))
        case Window(partition=partition, functions=functions):
            node = replace(node, partition=told(partition), functions=told(functions))
        case Generate(function=function):
            node = replace(node, function=told([function])[0])
        case Join(equalities=equalities, residual=residual):
            left, right = inputs
            node = replace(
                node,
                equalities=tuple(
                    (text(written(one, left)), text(written(other, right)))
                    for one, other in equalities
                ),
                residual=None if residual is None else told([residual])[0],
            )
    return str(node)


def written(expression: Expression, of: Sequence[Label]) -> str:
    """Return an expression with names; those that two columns have stand behind their tables."""
    names = [label.name for label in of]

    def name(number: int) -> str:
        label = of[number]
        is_twice = names.count(label.name) > 1
        return f"{label.table}.{label.name}" if label.table and is_twice else label.name

    return expression.written(name)


def _made(expressions: Sequence[Expression], below: Sequence[Label]) -> tuple[Label, ...]:
    found = []
    for at, each in enumerate(expressions):
        match each.parts:
            case (int(number),) | ("CAST(", int(number), _):
                found.append(below[number])
            case _:
                name = written(each, below)
                found.append(Label(name if len(name) <= _LONG else f"#{at}"))
    return tuple(found)
