"""Semi joins pushed down to tables: Q ⋉ K are the rows of Q with keys in K.

A semi join moves through a node if the node's rows with the keys do not depend on rows with other
keys. Below the last such node the semi join stays. Keys match as in GROUP BY: NULL equals NULL.

Of four groups, a derivative then reads only the two groups with changed rows:

    SELECT customer, sum(price) FROM lines GROUP BY customer     customers 1, 2, 3, 4
    K, the keys of changed rows                                  customers 2, 4
    (Aggregate(lines)) ⋉ K   =   Aggregate(lines ⋉ K)            groups 2 and 4, all their rows
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Window,
    leaves,
)

__all__ = [
    "KeyMapping",
    "Keys",
    "PlanTooLarge",
    "map_keys_to_inputs",
    "push_down_semi_join",
    "reads_only",
    "semi_join",
]

# restrictions of one query: more would make a plan that Spark takes longer for than for both ends
_MOST_RESTRICTIONS = 2_000


class PlanTooLarge(Exception):
    """The derivative of a query has more nodes than Spark plans in reasonable time."""


KeyMapping = Callable[[Expression], Expression | None]


@dataclass(frozen=True, slots=True)
class Keys:
    """Expressions of a relation, and the values to look for.

    Args:
        expressions: the key, as expressions over a relation's columns.
        rows: the key values: a column for every expression.
    """

    expressions: tuple[Expression, ...]
    rows: Relation

    def map_through(self, reach: KeyMapping) -> Keys | None:
        """Return the keys as keys of an input; None if `reach` maps no expression.

        Expressions without a counterpart in the input are left out.
        """
        mapped = [(number, reach(key)) for number, key in enumerate(self.expressions)]
        kept = [(number, key) for number, key in mapped if key is not None]
        if not kept:
            return None
        rows = self.rows
        if len(kept) < len(mapped):
            rows = Project(rows, tuple(column(number) for number, _ in kept))
        return Keys(tuple(key for _, key in kept), rows)


def semi_join(relation: Relation, keys: Keys) -> Relation:
    """Return the rows of a relation with the keys, by a semi join on top."""
    pairs = tuple(zip(keys.expressions, columns(0, keys.rows.width), strict=True))
    return Join(JoinKind.SEMI, relation, keys.rows, pairs, null_safe=True)


def push_down_semi_join(relation: Relation, keys: Keys) -> Relation:
    """Return the rows of a relation with the keys, by semi joins close to the tables.

    >>> from icemelt.algebra.nodes import Shared, explain
    >>> wanted = Keys((column(0),), Shared("k", 1))
    >>> groups = Aggregate(Scan("t", ("a", "b")), (column(1),), ())
    >>> print(explain(push_down_semi_join(groups, wanted)))
    Aggregate by (#1): ()
      Join semi on left #1 <=> right #0
        Scan t(a, b)
        Shared k
    """
    return _PushedKeys().push_down(relation, keys)


class _PushedKeys:
    """Semi joins pushed down from one node: equal keys restrict a node with many readers once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, tuple[Expression, ...], int], _Restricted] = {}

    def push_down(self, relation: Relation, keys: Keys) -> Relation:
        """Return the rows of a relation with the keys.

        Raises:
            PlanTooLarge: too many keys restrict the nodes, as in joins of joins.
        """
        at = (id(relation), keys.expressions, id(keys.rows))
        if at not in self._known:
            if len(self._known) > _MOST_RESTRICTIONS:
                raise PlanTooLarge
            self._known[at] = _Restricted(relation, keys, self._restrict(relation, keys))
        return self._known[at].rows

    def _restrict(self, relation: Relation, keys: Keys) -> Relation:
        if isinstance(relation, Join):
            return self._push_through_join(relation, keys)
        mapped = [keys.map_through(reach) for reach in map_keys_to_inputs(relation)]
        keys_of_inputs = [input_keys for input_keys in mapped if input_keys is not None]
        if not keys_of_inputs or len(keys_of_inputs) < len(mapped):
            return semi_join(relation, keys)
        remaining = iter(keys_of_inputs)
        inner = relation.map_inputs(lambda child: self.push_down(child, next(remaining)))
        count = len(keys.expressions)
        is_whole = all(len(input_keys.expressions) == count for input_keys in keys_of_inputs)
        # without some of the expressions an input keeps too many rows
        return inner if is_whole else semi_join(inner, keys)

    def _push_through_join(self, join: Join, keys: Keys) -> Relation:
        left, right = _map_keys_to_sides(join)
        of_left = keys.map_through(left)
        asks_right = join.kind is JoinKind.RIGHT or _reads_tables(join.right)
        of_right = keys.map_through(right) if asks_right else None
        inner = join
        if of_left is not None:
            inner = replace(inner, left=self.push_down(inner.left, of_left))
        if of_right is not None:
            inner = replace(inner, right=self.push_down(inner.right, of_right))
        count = len(keys.expressions)
        if any(side is not None and len(side.expressions) == count for side in (of_left, of_right)):
            return inner
        return semi_join(inner, keys)


@dataclass(frozen=True, slots=True)
class _Restricted:
    """The rows of a relation with keys; relation and keys stay, so that their ids stay theirs."""

    relation: Relation
    keys: Keys
    rows: Relation


def map_keys_to_inputs(relation: Relation) -> tuple[KeyMapping, ...]:
    """Return a function for every input, from a key of the node to a key of the input or None.

    A plain column moves below a filter. Any other expression over columns read by the filter stays
    above: the expression may fail for rows dropped by the filter, as `1 / a` does below `a <> 0`.
    """
    match relation:
        case Join():
            return _map_keys_to_sides(relation)
        case UnionAll() | SetOperation() | Distinct():
            return tuple(_same_key for _ in relation.inputs)
        case Project(expressions=expressions):
            return (lambda key: key.substitute(expressions),)
        case Filter(condition=condition):
            return (
                lambda key: (
                    key
                    if key.as_column is not None or key.columns.isdisjoint(condition.columns)
                    else None
                ),
            )
        case Aggregate(keys=groups):
            return (
                lambda key: (
                    key.substitute(groups) if groups and reads_only(key, 0, len(groups)) else None
                ),
            )
        case Window(partition=partition):
            by_column = {expression.as_column for expression in partition} - {None}
            return (lambda key: key if key in partition or key.columns <= by_column else None,)
        case Generate():
            return (lambda key: key if reads_only(key, 0, relation.input.width) else None,)
    return tuple(_no_key for _ in relation.inputs)


def reads_only(key: Expression, start: int, end: int) -> bool:
    """Return whether `key` reads only columns from number `start` up to, and without, `end`."""
    return all(start <= number < end for number in key.columns)


def _map_keys_to_sides(join: Join) -> tuple[KeyMapping, KeyMapping]:
    """Return the functions from a key of a join to a key of the left and of the right input.

    In an inner join, a key of either side restricts the side itself and, by an equality, the other
    side. An outer join preserves a side: all rows of the side are in the result, with a match or
    without. A key of the preserved side restricts both sides likewise. A key of the other side is
    NULL in rows without a match, and restricts neither side. Both sides of a full join may be NULL,
    so no key restricts. A semi or an anti join preserves the left side.
    """
    start = join.left.width

    def as_left_key(key: Expression) -> Expression | None:
        return key if reads_only(key, 0, start) else None

    def as_right_key(key: Expression) -> Expression | None:
        if not reads_only(key, start, start + join.right.width):
            return None
        return key.remap_columns(lambda number: number - start)

    def to_left(key: Expression) -> Expression | None:
        of_right = as_right_key(key)
        return next((left for left, right in join.equalities if right == of_right), None)

    def to_right(key: Expression) -> Expression | None:
        of_left = as_left_key(key)
        return next((right for left, right in join.equalities if left == of_left), None)

    match join.kind:
        case JoinKind.INNER:
            return (
                lambda key: as_left_key(key) or to_left(key),
                lambda key: as_right_key(key) or to_right(key),
            )
        case JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI:
            return as_left_key, to_right
        case JoinKind.RIGHT:
            return to_left, as_right_key
        case JoinKind.FULL:
            return _no_key, _no_key


def _same_key(key: Expression) -> Expression:
    return key


def _no_key(_: Expression) -> None:
    """Map no key to an input, as for a full join and for nodes without a rule here."""


def _reads_tables(relation: Relation) -> bool:
    return any(isinstance(leaf, Scan) for leaf in leaves(relation))
