"""The identity of rows: columns that make them unique, and that stay when other values change.

A row of a table is its row id; one of a join is its pair; a group is its key; one of a union is its
branch and what it is there; without any of these a row is its values. A row of a full join that met
nothing says of which side it is, where its own identity may be NULL.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.narrowing import narrowed
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

__all__ = ["Identified", "certain", "has_ties", "identified"]


@dataclass(frozen=True, slots=True)
class Identified:
    """A relation with the columns of its rows' identity behind its own `width` columns."""

    relation: Relation
    width: int

    @property
    def ids(self) -> tuple[Expression, ...]:
        """The columns of the identity."""
        return columns(self.width, self.relation.width)


def identified(relation: Relation) -> Identified:
    """Return a relation with its identity, and no other column below it than those that are read.

    >>> from icemelt.algebra.nodes import explain
    >>> print(explain(identified(Aggregate(Scan("t", ("a", "b")), (column(0),), ())).relation))
    Project (#0, #0)
      Aggregate by (#0): ()
        Scan t(a)
    """
    return Identified(narrowed(_with_ids(relation)), relation.width)


def certain(relation: Relation) -> Relation:
    """Return a relation that breaks its ties by the rows' identity, which is not asked for.

    >>> certain(Distinct(Scan("t", ("a",)))) == Distinct(Scan("t", ("a",)))
    True
    """
    if not has_ties(relation):
        return relation
    whole = _identified(relation)
    return Project(whole.relation, columns(0, whole.width))


def has_ties(relation: Relation) -> bool:
    """Tell whether SQL leaves a choice among equal rows.

    >>> from icemelt.algebra.expressions import ROW
    >>> first = Expression(("first_value(", 0, ") OVER (ORDER BY ", ROW, ")"))
    >>> has_ties(Window(Scan("t", ("a",)), (), (first,)))
    True
    """
    match relation:
        case Aggregate(aggregates=made) | Window(functions=made):
            if any(each.breaks_ties for each in made):
                return True
        case _:
            pass
    return any(map(has_ties, relation.inputs))


def _identified(relation: Relation) -> Identified:
    return Identified(_with_ids(relation), relation.width)


def _with_ids(relation: Relation) -> Relation:
    match relation:
        case Scan():
            return replace(relation, with_id=True)
        case Values(rows):
            return Values(tuple((*row, text(str(number))) for number, row in enumerate(rows)))
        case Join():
            return _join(relation)
        case UnionAll(inputs):
            return _union(inputs)
        case Distinct(inner):
            return _by_values(Distinct(certain(inner)))
        case SetOperation(every=False):
            return _by_values(relation.map_inputs(certain))
        case Aggregate(keys=keys):
            own = columns(0, relation.width)
            return Project(_without_ties(relation), (*own, *own[: len(keys)]))
        case Project() | Filter() | Window() | Generate():
            return _unary(relation)
        case _:
            # nothing is known of what tells its rows apart
            return _numbered(relation.map_inputs(certain))


def _unary(relation: Project | Filter | Window | Generate) -> Relation:
    """Carry the identity of the input along."""
    inner = _identified(relation.input)
    match relation:
        case Project(expressions=expressions):
            return Project(inner.relation, (*expressions, *inner.ids))
        case Filter():
            return replace(relation, input=inner.relation)
        case Window(functions=functions):
            chosen = tuple(each.identified(inner.ids) for each in functions)
            window = replace(relation, input=inner.relation, functions=chosen)
            return _behind(window, inner, relation.width)
        case Generate():
            made = _behind(replace(relation, input=inner.relation), inner, relation.width)
            return Project(made, (*columns(0, made.width), column(inner.width)))


def _without_ties(relation: Aggregate) -> Aggregate:
    """Give aggregates that depend on the order of rows the identity of these."""
    if not any(each.breaks_ties for each in relation.aggregates):
        return replace(relation, input=certain(relation.input))
    inner = _identified(relation.input)
    aggregates = tuple(each.identified(inner.ids) for each in relation.aggregates)
    return replace(relation, input=inner.relation, aggregates=aggregates)


def _behind(relation: Relation, inner: Identified, width: int) -> Relation:
    """Put the identity of the input behind the columns that a node adds to it."""
    ids = len(inner.ids)
    own = (*columns(0, inner.width), *columns(inner.width + ids, width + ids))
    return Project(relation, (*own, *inner.ids))


def _join(join: Join) -> Relation:
    left, right = map(_identified, join.inputs)
    if join.kind is JoinKind.FULL and _may_be_null(join.left) and _may_be_null(join.right):
        every = columns(0, left.relation.width)
        left = replace(left, relation=Project(left.relation, (*every, text("1"))))
    start = left.relation.width

    def place(number: int) -> int:
        return number if number < left.width else number - left.width + start

    if join.kind.gives_left_alone:
        return join.remap_columns([left.relation, certain(join.right)], place)
    both = join.remap_columns([left.relation, right.relation], place)
    own = (*columns(0, left.width), *columns(start, start + right.width))
    ids = (*left.ids, *columns(start + right.width, both.width))
    return Project(both, (*own, *ids))


def _may_be_null(relation: Relation) -> bool:
    """Return whether all columns of a row's identity may be NULL."""
    match relation:
        case Aggregate() | Distinct() | SetOperation(every=False):
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


def _by_values(relation: Relation) -> Relation:
    own = columns(0, relation.width)
    return Project(relation, (*own, *own))


def _numbered(relation: Relation) -> Relation:
    """Number equal rows: which of them has which number does not matter."""
    own = columns(0, relation.width)
    parts: list[str | int] = ["row_number() OVER (PARTITION BY "]
    for number in range(relation.width):
        parts += [", ", number] if number else [number]
    number_of = Expression((*parts, " ORDER BY ", 0, ")"))
    counted = Window(relation, own, (number_of,))
    return Project(counted, (*own, *own, column(relation.width)))


def _union(inputs: tuple[Relation, ...]) -> Relation:
    """Each input has identity columns of its own, NULL in the rows of the others."""
    several = [_identified(each) for each in inputs]
    null = text("NULL")
    made = []
    for branch, each in enumerate(several):
        ids: list[Expression] = [text(str(branch))]
        for number, other in enumerate(several):
            ids += each.ids if number == branch else [null] * len(other.ids)
        made.append(Project(each.relation, (*columns(0, each.width), *ids)))
    return UnionAll(tuple(made))
