"""Relations as graphs: a node that several nodes read is visited once.

A query of WITH, or a view, that is read twice is one node with two readers. Read as a tree, a query
of which each part reads the part below twice would have a million nodes after twenty parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

__all__ = ["NodeValues", "count_readers", "inputs_of", "rebuild", "rebuild_over", "walk"]

Node = TypeVar("Node")
Value = TypeVar("Value")


def inputs_of(node: Any) -> Sequence[Any]:
    """Return the inputs of a node: of a relation, or of a node of a plan for people."""
    inputs: Sequence[Any] = node.inputs
    return inputs


def walk(
    relation: Node,
    known: Container[int] = (),
    inputs: Callable[[Node], Sequence[Node]] = inputs_of,
) -> Iterator[Node]:
    """Yield every node once, the inputs of a node before the node, from left to right.

    Args:
        relation: the uppermost node.
        known: ids of nodes to leave out, with all nodes below.
        inputs: gives the inputs to visit of a node; all by default.

    >>> from icemelt.algebra.nodes import Scan, UnionAll
    >>> scan = Scan("t", ("a",))
    >>> [str(node) for node in walk(UnionAll((scan, scan)))]
    ['Scan t(a)', 'UnionAll']
    """
    done: set[int] = set()
    pending = [relation]
    while pending:
        node = pending[-1]
        below = [each for each in inputs(node) if id(each) not in done and id(each) not in known]
        if below and id(node) not in done:
            pending += reversed(below)
            continue
        pending.pop()
        if id(node) not in done and id(node) not in known:
            done.add(id(node))
            yield node


def count_readers(nodes: Iterable[Any]) -> Counter[int]:
    """Return how many inputs of some nodes each node is, by `id()`.

    >>> from icemelt.algebra.nodes import Scan, UnionAll
    >>> scan = Scan("t", ("a",))
    >>> count_readers([scan, UnionAll((scan, scan))])[id(scan)]
    2
    """
    return Counter(id(each) for node in nodes for each in node.inputs)


class NodeValues(Generic[Node, Value]):
    """A value of each node, computed once from the values of the node's inputs.

    >>> from icemelt.algebra.nodes import Scan, UnionAll
    >>> scan = Scan("t", ("a",))
    >>> counts = NodeValues(lambda node: 1 + sum(map(counts, node.inputs)))
    >>> counts(UnionAll((scan, scan)))
    3
    """

    def __init__(
        self,
        compute: Callable[[Node], Value],
        inputs: Callable[[Node], Sequence[Node]] = inputs_of,
    ) -> None:
        """Start without values.

        Args:
            compute: gives the value of a node, and may ask for the values of the node's inputs.
            inputs: gives the inputs whose values `compute` asks for; all by default.
        """
        self._compute, self._inputs = compute, inputs
        # the nodes are kept: a new node at the same address would have the same id
        self._known: dict[int, tuple[Node, Value]] = {}

    def __call__(self, relation: Node) -> Value:
        """Return the value of a node."""
        known = self._known
        if id(relation) not in known:
            for node in walk(relation, known, self._inputs):
                known[id(node)] = node, self._compute(node)
        return known[id(relation)][1]


def rebuild(relation: Node, change: Callable[[Node], Node]) -> Node:
    """Return a relation with every node changed once, after the inputs of the node.

    `change` gets a node over its changed inputs, which have the same columns.

    >>> from icemelt.algebra.nodes import Scan, UnionAll
    >>> both = rebuild(UnionAll((Scan("t", ("a",)),) * 2), lambda node: node)
    >>> both.inputs[0] is both.inputs[1]
    True
    """
    changed = NodeValues[Node, Node](lambda node: change(rebuild_over(node, changed)))
    return changed(relation)


def rebuild_over(node: Node, input_of: Callable[[Any], Any]) -> Node:
    """Return a node over other inputs; the node itself if each input is the same object."""
    relation: Any = node
    if all(input_of(each) is each for each in relation.inputs):
        return node
    changed: Node = relation.map_inputs(input_of)
    return changed
