"""Nodes of a query as text for people: columns by name in the place of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, text
from icemelt.algebra.nodes import Join, Relation, Scan, Values

__all__ = ["Label", "describe_node", "label_columns", "to_named_text"]

_LONG = 30


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a column, and the name of its table."""

    name: str
    table: str = ""


def label_columns(node: Relation, inputs: Sequence[Sequence[Label]]) -> tuple[Label, ...]:
    """Return the labels of a node's columns; `inputs` has the labels of every input."""
    below = tuple(label for each in inputs for label in each)
    match node:
        case Scan(source, names):
            own = source.rpartition(".")[2]
            shown = (*names, *(("row id",) if node.with_id else ()))
            return tuple(Label(name, own) for name in shown)
        case Values():
            return tuple(Label(f"column{at + 1}") for at in range(node.width))
    return tuple(_label(origin, at, below) for at, origin in enumerate(node.origins))


def describe_node(node: Relation, inputs: Sequence[Sequence[Label]]) -> str:
    """Return a node's line of a plan; `inputs` has the labels of every input.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import Filter, JoinKind
    >>> both = Join(JoinKind.INNER, Scan("a", ("x", "y")), Scan("b", ("x",)), ((column(0),) * 2,))
    >>> of_both = [label_columns(each, ()) for each in both.inputs]
    >>> (
    ...     describe_node(both, of_both),
    ...     describe_node(Filter(both, Expression((2, " > ", 1))), [label_columns(both, of_both)]),
    ... )
    ('Join inner on left x = right x', 'Filter b.x > y')
    """
    below = tuple(label for each in inputs for label in each)

    if not isinstance(node, Join):
        return str(node.map_expressions(lambda expression: text(to_named_text(expression, below))))
    left, right = inputs
    pairs = (
        (to_named_text(one, left), to_named_text(other, right)) for one, other in node.equalities
    )
    residual = None if node.residual is None else text(to_named_text(node.residual, below))
    equalities = tuple((text(one), text(other)) for one, other in pairs)
    return str(replace(node, equalities=equalities, residual=residual))


def to_named_text(expression: Expression, of: Sequence[Label]) -> str:
    """Return the text of an expression with names of columns.

    A name of two columns is written with the table's name before it.
    """
    names = [label.name for label in of]

    def name(number: int) -> str:
        label = of[number]
        is_twice = names.count(label.name) > 1
        return f"{label.table}.{label.name}" if label.table and is_twice else label.name

    return expression.to_sql(name)


def _label(origin: Expression | None, at: int, below: Sequence[Label]) -> Label:
    """Return the label of column `at` of a node; `origin` is the column's expression."""
    if origin is None:
        return Label(f"#{at}")
    match origin.parts:
        case (int(number),) | ("CAST(", int(number), _):
            return below[number]
    name = to_named_text(origin, below)
    return Label(name if len(name) <= _LONG else f"#{at}")
