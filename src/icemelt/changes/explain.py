"""How changes are computed, for people to read: rule, shape and keys of every node of a query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from icemelt.algebra.expressions import Expression
from icemelt.algebra.graph import NodeValues
from icemelt.algebra.naming import Label, describe_node, label_columns, to_named_text
from icemelt.algebra.nodes import Relation, Scan
from icemelt.changes.shape import Shape

__all__ = ["ExplainLine", "ExplainNode", "format_plan", "plan_lines"]


@dataclass(frozen=True, slots=True)
class ExplainNode:
    """A node of a query, and how the changes of the node are computed.

    Args:
        relation: the node.
        rule: the name of the node's differentiation rule.
        shape: the shape of the node's changes.
        keys: the keys by which the rule reads rows, as in `Change`.
        inputs: the nodes below.

    >>> from icemelt.algebra.nodes import Scan
    >>> print(ExplainNode(Scan("t", ("a",)), "change scan", Shape.INSERTS, None, ()))
    Scan t(a): change scan, inserts, min-delta
    """

    relation: Relation
    rule: str
    shape: Shape
    keys: tuple[Expression, ...] | None
    inputs: tuple[ExplainNode, ...]

    def __str__(self) -> str:
        """Return the node's line of a plan, and how the node's changes are computed."""
        return _format_line(
            self, str(self.relation), None if self.keys is None else list(map(str, self.keys))
        )


@dataclass(frozen=True, slots=True)
class ExplainLine:
    """A line of a plan: a node at a depth, with names of columns in the place of numbers."""

    depth: int
    node: ExplainNode
    operator: str
    keys: tuple[str, ...] | None


def plan_lines(node: ExplainNode) -> list[ExplainLine]:
    """Return the lines of a plan, the line of a node before the lines of its inputs.

    What is below a node with several readers has its lines once, at the first reader.
    """
    labels = NodeValues[ExplainNode, tuple[Label, ...]](
        lambda each: label_columns(each.relation, [*map(labels, each.inputs)])
    )
    lines: list[ExplainLine] = []
    shown: set[int] = set()
    pending = [(node, 0)]
    while pending:
        each, depth = pending.pop()
        inputs = [*map(labels, each.inputs)]
        keys = None
        if each.keys is not None:
            keys = tuple(to_named_text(key, inputs[0]) for key in each.keys)
        operator = describe_node(each.relation, inputs)
        is_repeated = id(each) in shown and bool(each.inputs)
        operator += " (as above)" if is_repeated else ""
        lines.append(ExplainLine(depth, each, operator, keys))
        shown.add(id(each))
        if not is_repeated:
            pending += [(below, depth + 1) for below in reversed(each.inputs)]
    return lines


def format_plan(node: ExplainNode, notes: Mapping[str, str]) -> Iterator[str]:
    r"""Yield the lines of a plan as text.

    `notes` are texts by a table's name. The note of a table is added to the lines of its scans.

    >>> from icemelt.algebra.nodes import Filter
    >>> scan = ExplainNode(Scan("t", ("a",)), "change scan", Shape.INSERTS, None, ())
    >>> above = Filter(scan.relation, Expression((0, " > 1")))
    >>> plan = ExplainNode(above, "linear", Shape.INSERTS, None, (scan,))
    >>> print(*format_plan(plan, {"t": "2 changed rows of 10"}), sep="\n")
    Filter a > 1: linear, inserts, min-delta
      Scan t(a): change scan, inserts, min-delta; 2 changed rows of 10
    """
    for line in plan_lines(node):
        relation = line.node.relation
        note = notes.get(relation.source) if isinstance(relation, Scan) else None
        shown = _format_line(line.node, _shorten(line.operator), line.keys)
        yield f"{'  ' * line.depth}{shown}{'' if note is None else f'; {note}'}"


def _format_line(node: ExplainNode, operator: str, keys: Sequence[str] | None) -> str:
    if node.shape is Shape.EMPTY:
        return f"{operator}: no change"
    reads = []
    if keys is not None:
        reads = [_shorten(f"rows by {', '.join(keys)}") if keys else "everything"]
    shape = f"{node.shape.name}".lower()
    return f"{operator}: {', '.join([node.rule, *reads, shape, node.shape.format.value])}"


def _shorten(text: str, most: int = 80) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
