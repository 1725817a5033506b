"""The identity of rows: columns that make them unique, and that stay when other values change.

A row of a table is its row id; one of a join is its pair; a group is its key; one of a union is its
branch and what it is there; without any of these a row is its values. A row of a full join that met
nothing says of which side it is, where its own identity may be NULL.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.expressions import Expression, column, columns, text
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


@dataclass(frozen=True, slots=True)
class RelationWithIdentity:
    """A relation with the columns of its rows' identity behind its own `width` columns."""

    relation: Relation
    width: int

    @property
    def ids(self) -> tuple[Expression, ...]:
        """The columns of the identity."""
        return columns(self.width, self.relation.width)


def add_identity(relation: Relation) -> RelationWithIdentity:
    """Return a relation with its identity, and no other column below it than those that are read.

    >>> from icemelt.algebra.nodes import explain
    >>> print(explain(add_identity(Aggregate(Scan("t", ("a", "b")), (column(0),), ())).relation))
    Project (#0, #0)
      Aggregate by (#0): ()
        Scan t(a)
    """
    return RelationWithIdentity(prune_columns(_with_ids(relation)), relation.width)


def make_deterministic(relation: Relation) -> Relation:
    """Return a relation that breaks its ties by the rows' identity, which is not asked for.

    >>> make_deterministic(Distinct(Scan("t", ("a",)))) == Distinct(Scan("t", ("a",)))
    True
    """
    if not is_nondeterministic(relation):
        return relation
    whole = _with_identity(relation)
    return Project(whole.relation, columns(0, whole.width))


def is_nondeterministic(relation: Relation) -> bool:
    """Tell whether SQL leaves a choice among equal rows.

    >>> from icemelt.algebra.expressions import ROW
    >>> first = Expression(("first_value(", 0, ") OVER (ORDER BY ", ROW, ")"))
    >>> is_nondeterministic(Window(Scan("t", ("a",)), (), (first,)))
    True
    """
    match relation:
        case Aggregate(aggregates=made) | Window(functions=made):
            if any(each.breaks_ties for each in made):
                return True
        case _:
            pass
    return any(map(is_nondeterministic, relation.inputs))


def _with_identity(relation: Relation) -> RelationWithIdentity:
    return RelationWithIdentity(_with_ids(relation), relation.width)


def _with_ids(relation: Relation) -> Relation:
    match relation:
        case Scan():
            return replace(relation, with_id=True)
        case Values(rows):
            return Values(tuple((*row, text(str(number))) for number, row in enumerate(rows)))
        case Join():
            return _identify_join(relation)
        case UnionAll(inputs):
            return _identify_union(inputs)
        case Distinct(inner):
            return _identify_by_values(Distinct(make_deterministic(inner)))
        case SetOperation(all=False):
            return _identify_by_values(relation.map_inputs(make_deterministic))
        case Aggregate(keys=keys):
            own = columns(0, relation.width)
            return Project(_break_ties(relation), (*own, *own[: len(keys)]))
        case Project() | Filter() | Window() | Generate():
            return _identify_unary(relation)
        case _:
            # nothing is known of what tells its rows apart
            return _number_equal_rows(relation.map_inputs(make_deterministic))


def _identify_unary(relation: Project | Filter | Window | Generate) -> Relation:
    """Carry the identity of the input along."""
    inner = _with_identity(relation.input)
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


def _break_ties(relation: Aggregate) -> Aggregate:
    """Give aggregates that depend on the order of rows the identity of these."""
    if not any(each.breaks_ties for each in relation.aggregates):
        return replace(relation, input=make_deterministic(relation.input))
    inner = _with_identity(relation.input)
    aggregates = tuple(each.bind_row_identity(inner.ids) for each in relation.aggregates)
    return replace(relation, input=inner.relation, aggregates=aggregates)


def _move_identity_last(relation: Relation, inner: RelationWithIdentity, width: int) -> Relation:
    """Put the identity of the input behind the columns that a node adds to it."""
    ids = len(inner.ids)
    own = (*columns(0, inner.width), *columns(inner.width + ids, width + ids))
    return Project(relation, (*own, *inner.ids))


def _identify_join(join: Join) -> Relation:
    left, right = map(_with_identity, join.inputs)
    if join.kind is JoinKind.FULL and _may_be_null(join.left) and _may_be_null(join.right):
        every = columns(0, left.relation.width)
        left = replace(left, relation=Project(left.relation, (*every, text("1"))))
    start = left.relation.width

    def place(number: int) -> int:
        return number if number < left.width else number - left.width + start

    if join.kind.gives_left_alone:
        return join.remap_columns([left.relation, make_deterministic(join.right)], place)
    both = join.remap_columns([left.relation, right.relation], place)
    own = (*columns(0, left.width), *columns(start, start + right.width))
    ids = (*left.ids, *columns(start + right.width, both.width))
    return Project(both, (*own, *ids))


def _may_be_null(relation: Relation) -> bool:
    """Return whether all columns of a row's identity may be NULL."""
    match relation:
        case Aggregate() | Distinct() | SetOperation(all=False):
            return True
        case Project() | Filter() | Window() | Generate():
            return _may_be_null(relation.input)
        case Join(JoinKind.INNER, left, right):
            return _may_be_null(left) and _may_be_null(right)
        case Join(JoinKind.FULL, left, right):
            return _may_be_null(left) or _may_be_null(right)
        case Join(JoinKind.RIGHT, _, right):
            return _may_be_null(right)
        case Join(left=left):
            return _may_be_null(left)
    return False


def _identify_by_values(relation: Relation) -> Relation:
    own = columns(0, relation.width)
    return Project(relation, (*own, *own))


def _number_equal_rows(relation: Relation) -> Relation:
    """Number equal rows: which of them has which number does not matter."""
    own = columns(0, relation.width)
    parts: list[str | int] = ["row_number() OVER (PARTITION BY "]
    for number in range(relation.width):
        parts += [", ", number] if number else [number]
    number_of = Expression((*parts, " ORDER BY ", 0, ")"))
    counted = Window(relation, own, (number_of,))
    return Project(counted, (*own, *own, column(relation.width)))


def _identify_union(inputs: tuple[Relation, ...]) -> Relation:
    """Each input has identity columns of its own, NULL in the rows of the others."""
    several = [_with_identity(each) for each in inputs]
    null = text("NULL")
    made = []
    for branch, each in enumerate(several):
        ids: list[Expression] = [text(str(branch))]
        for number, other in enumerate(several):
            ids += each.ids if number == branch else [null] * len(other.ids)
        made.append(Project(each.relation, (*columns(0, each.width), *ids)))
    return UnionAll(tuple(made))
