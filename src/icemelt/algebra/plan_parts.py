"""Parts of a plan: nodes with several readers, and nodes above many others, stand for themselves.

A relation that is written as text writes a node for each of its readers. So a large relation is cut
into parts, which read each other by name:

    Join                       part 1    Filter
      Filter (1)                           Scan t
        Scan t                 the rest  Join
      Filter (1)                           Shared part 1
        Scan t                             Shared part 1
"""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.algebra.graph import NodeValues, count_readers, rebuild_over, walk
from icemelt.algebra.nodes import Relation, Shared

__all__ = ["Part", "split_plan"]

# Spark plans fewer nodes faster as one query
_FEW_NODES = 60
# nodes on top of each other in a part: Spark's analysis goes once through the part for each
_MOST_LEVELS = 12
# leaves in one plan: each reading of a part reads its leaves, unless its rows are kept
_MOST_LEAVES, _MOST_LEAVES_OF_PART = 48, 8


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a plan.

    Args:
        name: the name by which later parts read the part.
        relation: the part.
        is_kept: whether to compute the rows once for all readers.
    """

    name: str
    relation: Relation
    is_kept: bool


def split_plan(relation: Relation) -> tuple[list[Part], Relation]:
    """Return the parts of a relation in the order to compute them, and the relation over the parts.

    A relation of few nodes has no parts.

    >>> from icemelt.algebra.nodes import Filter, Scan, UnionAll
    >>> from icemelt.algebra.expressions import text
    >>> below = Scan("t", ("a",))
    >>> for _ in range(10):
    ...     below = Filter(UnionAll((below, below)), text("true"))
    >>> parts, rest = split_plan(below)
    >>> [(part.name, part.is_kept) for part in parts][:3], len(parts)
    ([('part 1', False), ('part 2', False), ('part 3', True)], 9)
    """
    sizes = NodeValues[Relation, int](lambda node: 1 + sum(map(sizes, node.inputs)))
    if sizes(relation) <= _FEW_NODES:
        return [], relation
    leaves = NodeValues[Relation, int](lambda node: sum(map(leaves, node.inputs)) or 1)
    splitter = _Splitter(relation, keeps_rows=leaves(relation) > _MOST_LEAVES)
    return splitter.parts, splitter.rest


class _Splitter:
    """Cuts one relation.

    Attributes:
        parts: the parts so far.
        rest: the relation over the parts.
    """

    def __init__(self, relation: Relation, *, keeps_rows: bool) -> None:
        """Cut a relation; `keeps_rows` says whether rows of parts are kept."""
        nodes = list(walk(relation))
        self._keeps_rows = keeps_rows
        self._readers = count_readers(nodes)
        self._cut: dict[int, Relation] = {}
        self._levels: dict[int, int] = {}
        self._leaves: dict[int, int] = {}
        self.parts: list[Part] = []
        for node in nodes:
            self._cut_node(node)
        self.rest = self._cut[id(relation)]

    def _cut_node(self, node: Relation) -> None:
        made = rebuild_over(node, lambda each: self._cut[id(each)])
        level = 1 + max((self._levels[id(each)] for each in node.inputs), default=0)
        leaves = sum(self._leaves[id(each)] for each in node.inputs) or 1
        is_repeated = self._readers[id(node)] > 1 and bool(node.inputs)
        if is_repeated or level >= _MOST_LEVELS:
            is_kept = self._keeps_rows and is_repeated and leaves >= _MOST_LEAVES_OF_PART
            part = Part(f"part {len(self.parts) + 1}", made, is_kept)
            self.parts.append(part)
            made, level = Shared(part.name, node.width), 0
            leaves = 1 if is_kept else leaves
        self._cut[id(node)], self._levels[id(node)], self._leaves[id(node)] = made, level, leaves
