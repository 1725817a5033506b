"""The identity of rows: columns to recognize a row by, before an update and after it.

With an identity an update can be told from a delete and an insert. The identity columns are:

- of a table: the row id
- of a join: the identity columns of both inputs
- of an aggregate: the group's keys
- of UNION ALL: the number of the branch, and the branch's identity columns
- of DISTINCT or a set operation: all columns

A row of a full join without a match has the identity of one side alone. If the identity columns may
be NULL, a constant marks the side.

In the example order 1 to 4 have the row ids 1 to 4, Ada 7 and Ben 8. Ada gets a last name, and
order 4 gets a customer:

    SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id

    before                       after
    id  name   identity          id  name    identity
    1   Ada    (1, 7)            1   Ada L.  (1, 7)      same identity: an update
    2   Ada    (2, 7)            2   Ada L.  (2, 7)      same identity: an update
    3   Ben    (3, 8)            3   Ben     (3, 8)      unchanged
    4   NULL   (4, NULL)         4   Ben     (4, 8)      new identity: DELETE and INSERT
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.expressions import EXACT_JSON, Expression, column, columns, text
from icemelt.algebra.graph import NodeValues, walk
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
    Values,
    Window,
)

__all__ = ["RelationWithIdentity", "add_identity", "is_nondeterministic", "make_deterministic"]

# identity columns of a row; more are hashed to one
_MOST_IDS = 128


@dataclass(frozen=True, slots=True)
class RelationWithIdentity:
    """A relation of `width` columns of values, followed by the rows' identity columns."""

    relation: Relation
    width: int

    @property
    def ids(self) -> tuple[Expression, ...]:
        """The identity columns."""
        return columns(self.width, self.relation.width)


def add_identity(relation: Relation) -> RelationWithIdentity:
    """Return a relation with identity columns added, and with unread columns pruned.

    >>> from icemelt.algebra.nodes import explain
    >>> print(explain(add_identity(Aggregate(Scan("t", ("a", "b")), (column(0),), ())).relation))
    Project (#0, #0)
      Aggregate by (#0): ()
        Scan t(a)
    """
    return RelationWithIdentity(prune_columns(_Identities().with_ids(relation)), relation.width)


def make_deterministic(relation: Relation) -> Relation:
    """Return a relation of the same columns, with ties broken by the rows' identity.

    >>> make_deterministic(Distinct(Scan("t", ("a",)))) == Distinct(Scan("t", ("a",)))
    True
    """
    return _Identities().make_deterministic(relation)


def is_nondeterministic(relation: Relation) -> bool:
    """Return whether SQL leaves a choice among equal rows, as FIRST_VALUE does among ties.

    >>> from icemelt.algebra.expressions import ROW
    >>> first = Expression(("first_value(", 0, ") OVER (ORDER BY ", ROW, ")"))
    >>> is_nondeterministic(Window(Scan("t", ("a",)), (), (first,)))
    True
    """
    return any(map(_breaks_ties, walk(relation)))


def _breaks_ties(node: Relation) -> bool:
    match node:
        case Aggregate(aggregates=made) | Window(functions=made):
            return any(each.breaks_ties for each in made)
        case _:
            return False


class _Identities:
    """The identities of the nodes of a query, each node once.

    Attributes:
        with_ids: gives a node with identity columns added.
        is_nondeterministic: tells whether SQL leaves a choice among the rows of a node.
        may_be_null: tells whether all identity columns of a row of a node may be NULL at once.
    """

    def __init__(self) -> None:
        self.with_ids = NodeValues[Relation, Relation](
            lambda node: _limit_ids(self._add_ids(node), node.width), _identified_inputs
        )
        self.is_nondeterministic = NodeValues[Relation, bool](
            lambda node: _breaks_ties(node) or any(map(self.is_nondeterministic, node.inputs))
        )
        self.may_be_null = NodeValues[Relation, bool](self._may_be_null)

    def make_deterministic(self, relation: Relation) -> Relation:
        """Return a relation of the same columns, with ties broken by the rows' identity."""
        if not self.is_nondeterministic(relation):
            return relation
        whole = self.identify(relation)
        return Project(whole.relation, columns(0, whole.width))

    def identify(self, relation: Relation) -> RelationWithIdentity:
        """Return a relation with identity columns added."""
        return RelationWithIdentity(self.with_ids(relation), relation.width)

    def _add_ids(self, relation: Relation) -> Relation:
        """Add identity columns to a node, whose inputs have theirs."""
        match relation:
            case Scan():
                return replace(relation, with_id=True)
            case Values(rows):
                return Values(tuple((*row, text(str(number))) for number, row in enumerate(rows)))
            case Join():
                return self._identify_join(relation)
            case UnionAll(inputs):
                return _identify_union([*map(self.identify, inputs)])
            case Distinct(inner):
                return _identify_by_values(Distinct(self.make_deterministic(inner)))
            case SetOperation(all=False):
                return _identify_by_values(relation.map_inputs(self.make_deterministic))
            case Aggregate(keys=keys):
                own = columns(0, relation.width)
                return Project(self._break_ties(relation), (*own, *own[: len(keys)]))
            case Project() | Filter() | Window() | Generate():
                return _identify_unary(relation, self.identify(relation.input))
            case _:
                # nothing is known of what tells its rows apart
                return _number_equal_rows(relation.map_inputs(self.make_deterministic))

    def _break_ties(self, relation: Aggregate) -> Aggregate:
        """Sort the input of order-dependent aggregates by the input's identity last."""
        if not any(each.breaks_ties for each in relation.aggregates):
            return replace(relation, input=self.make_deterministic(relation.input))
        inner = self.identify(relation.input)
        aggregates = tuple(each.bind_row_identity(inner.ids) for each in relation.aggregates)
        return replace(relation, input=inner.relation, aggregates=aggregates)

    def _identify_join(self, join: Join) -> Relation:
        left, right = map(self.identify, join.inputs)
        is_full = join.kind is JoinKind.FULL
        if is_full and self.may_be_null(join.left) and self.may_be_null(join.right):
            every = columns(0, left.relation.width)
            left = replace(left, relation=Project(left.relation, (*every, text("1"))))
        start = left.relation.width

        def place(number: int) -> int:
            return number if number < left.width else number - left.width + start

        if join.kind.gives_left_alone:
            inputs = [left.relation, self.make_deterministic(join.right)]
            return join.remap_columns(inputs, place)
        both = join.remap_columns([left.relation, right.relation], place)
        own = (*columns(0, left.width), *columns(start, start + right.width))
        ids = (*left.ids, *columns(start + right.width, both.width))
        return Project(both, (*own, *ids))

    def _may_be_null(self, relation: Relation) -> bool:
        match relation:
            case Aggregate() | Distinct() | SetOperation(all=False):
                return True
            case Project() | Filter() | Window() | Generate():
                return self.may_be_null(relation.input)
            case Join(JoinKind.INNER, left, right):
                return self.may_be_null(left) and self.may_be_null(right)
            case Join(JoinKind.FULL, left, right):
                return self.may_be_null(left) or self.may_be_null(right)
            case Join(JoinKind.RIGHT, _, right):
                return self.may_be_null(right)
            case Join(left=left):
                return self.may_be_null(left)
        return False


def _identified_inputs(relation: Relation) -> tuple[Relation, ...]:
    """Return the inputs whose identity the identity of a node is made of."""
    match relation:
        case Aggregate() | Distinct() | SetOperation():
            return ()
        case Join(kind=kind, left=left) if kind.gives_left_alone:
            return (left,)
    return relation.inputs


def _limit_ids(relation: Relation, width: int) -> Relation:
    """Return a relation with a hash in place of its identity columns where they are many.

    A query that joins itself with itself doubles the identity columns, again and again.
    """
    if relation.width - width <= _MOST_IDS:
        return relation
    parts: list[str | int] = ["sha2(to_json(named_struct("]
    for number in range(width, relation.width):
        parts += [f"{', ' if number > width else ''}'{number - width}', ", number]
    return Project(relation, (*columns(0, width), Expression((*parts, f"), {EXACT_JSON}), 256)"))))


def _identify_unary(
    relation: Project | Filter | Window | Generate, inner: RelationWithIdentity
) -> Relation:
    """Pass the identity of the input, `inner`, through a node with one input."""
    match relation:
        case Project(expressions=expressions):
            return Project(inner.relation, (*expressions, *inner.ids))
        case Filter():
            return replace(relation, input=inner.relation)
        case Window(functions=functions):
            chosen = tuple(each.bind_row_identity(inner.ids) for each in functions)
            window = replace(relation, input=inner.relation, functions=chosen)
            return _move_identity_last(window, inner, relation.width)
        case Generate():
            made = _move_identity_last(
                replace(relation, input=inner.relation), inner, relation.width
            )
            return Project(made, (*columns(0, made.width), column(inner.width)))


def _move_identity_last(relation: Relation, inner: RelationWithIdentity, width: int) -> Relation:
    """Move the input's identity behind the columns that a node adds to the input."""
    ids = len(inner.ids)
    own = (*columns(0, inner.width), *columns(inner.width + ids, width + ids))
    return Project(relation, (*own, *inner.ids))


def _identify_by_values(relation: Relation) -> Relation:
    own = columns(0, relation.width)
    return Project(relation, (*own, *own))


def _number_equal_rows(relation: Relation) -> Relation:
    """Identify a row by its values and a number among equal rows, given in any order."""
    own = columns(0, relation.width)
    parts: list[str | int] = ["row_number() OVER (PARTITION BY "]
    for number in range(relation.width):
        parts += [", ", number] if number else [number]
    number_of = Expression((*parts, " ORDER BY ", 0, ")"))
    counted = Window(relation, own, (number_of,))
    return Project(counted, (*own, *own, column(relation.width)))


def _identify_union(several: list[RelationWithIdentity]) -> Relation:
    """Add identity columns for every branch; columns of other branches are NULL."""
    null = text("NULL")
    made = []
    for branch, each in enumerate(several):
        ids: list[Expression] = [text(str(branch))]
        for number, other in enumerate(several):
            ids += each.ids if number == branch else [null] * len(other.ids)
        made.append(Project(each.relation, (*columns(0, each.width), *ids)))
    return UnionAll(tuple(made))
