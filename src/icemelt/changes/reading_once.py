"""Reads a table once for all that is asked of it by keys: the rows of both ends, T₁ ⋉ K of T₀ ⋉ K.

A derivative asks for rows of before and of after, by the keys of several changes. Where the rows
are few they are taken of one end for all keys together; the others are those without the rows that
went, and with those that came.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.nodes import (
    Delta,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Pin,
    Project,
    Relation,
    Scan,
    Shared,
    UnionAll,
    leaves,
)
from icemelt.changes.differentiation import Derived
from icemelt.changes.shape import Shape

__all__ = ["reading_once"]

_Part = tuple[str, Relation]


def reading_once(
    derived: Derived, shapes: Mapping[str, Shape], is_worth: Callable[[Sequence[Join]], bool]
) -> Derived:
    """Return changes that read a table once where they ask it for rows by keys several times.

    `shapes` are those of the tables whose changes have of each row, by its identity, at most one
    that went and one that came: others are read as before. `is_worth` tells of semi joins of one
    table whether it is worth a job to read it once.
    """
    if derived.relation is None:
        return derived
    parts = list(derived.parts)
    done: list[_Part] = []
    few: set[str] = set()
    while parts:
        known = {name for name, _ in done}
        for asked in _asked_again(parts, known):
            if asked.source not in shapes or not is_worth(asked.joins):
                continue
            reading = _reading(asked, shapes[asked.source], _delta(derived, asked), len(done))
            done += reading.shared
            few.add(reading.shared[0][0])
            parts = [(name, _instead(each, reading)) for name, each in parts]
        done.append(parts.pop(0))
    *shared, (_, relation) = done
    return replace(derived, shared=tuple(shared), relation=relation, few=frozenset(few))


@dataclass(frozen=True, slots=True)
class _Asked:
    """Rows of one table by values of some columns: semi joins of its scans with these.

    `names` are all columns that are read.
    """

    source: str
    by: tuple[str, ...]
    joins: tuple[Join, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for join in self.joins for name in _scan(join).columns))

    def restricted(self, relation: Relation, keys: Relation) -> Relation:
        """Return those rows of a relation with the columns of `names` that have the keys."""
        pairs = tuple(
            (column(self.names.index(name)), column(at)) for at, name in enumerate(self.by)
        )
        return Join(JoinKind.SEMI, relation, keys, pairs, null_safe=True)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read in the place of all that is asked, at each end: `names` and the identity.

    `keys` are all that are asked for, and `shared` what is to be computed before.
    """

    asked: _Asked
    keys: Relation
    ends: Mapping[Pin, Relation]
    shared: tuple[_Part, ...]


def _asked_again(parts: Sequence[_Part], known: Container[str]) -> Iterator[_Asked]:
    """Yield what the first part asks of a table and is asked for again, by keys known there."""
    (_, first), *_ = parts
    for source, by in dict.fromkeys(map(_question, _by_keys(first))):
        joins = dict.fromkeys(
            join
            for _, part in parts
            for join in _by_keys(part)
            if _question(join) == (source, by) and _are_known(join.right, known)
        )
        if len(joins) > 1:
            yield _Asked(source, by, tuple(joins))


def _by_keys(relation: Relation) -> Iterator[Join]:
    """Yield the semi joins of tables with keys that are columns of both."""
    match relation:
        case Join(JoinKind.SEMI, Scan(columns=names), _, equalities, None, True) if all(
            mine.as_column is not None
            and mine.as_column < len(names)
            and theirs.as_column is not None
            for mine, theirs in equalities
        ):
            yield relation
        case _:
            for each in relation.inputs:
                yield from _by_keys(each)


def _scan(join: Join) -> Scan:
    assert isinstance(join.left, Scan)  # noqa: S101 - as in _by_keys
    return join.left


def _question(join: Join) -> tuple[str, tuple[str, ...]]:
    scan = _scan(join)
    return scan.source, tuple(scan.columns[mine.as_column or 0] for mine, _ in join.equalities)


def _are_known(keys: Relation, known: Container[str]) -> bool:
    """Return whether keys are made of nothing but changes and what is shared before."""
    return all(
        isinstance(leaf, Delta) or (isinstance(leaf, Shared) and leaf.name in known)
        for leaf in leaves(keys)
    )


def _delta(derived: Derived, asked: _Asked) -> Delta:
    """Return the changes of the table, the same node as everywhere in the plan."""
    known = (each for each in derived.changes if each.source == asked.source)
    return next(known, Delta(asked.source, asked.names))


def _reading(asked: _Asked, shape: Shape, delta: Delta, number: int) -> _Reading:
    pins = {_scan(join).pin for join in asked.joins}
    pin = Pin.OLD if Pin.OLD in pins else Pin.NEW
    several = tuple(dict.fromkeys(map(_values, asked.joins)))
    keys = several[0] if len(several) == 1 else Distinct(UnionAll(several))
    scan = Scan(asked.source, asked.names, pin, with_id=True)
    read = Shared(f"r{number}", scan.width)
    shared = [(read.name, asked.restricted(scan, keys))]
    ends: dict[Pin, Relation] = {pin: read}
    if len(pins) > 1:
        after = _after(read, asked, keys, delta) if shape else read
        if after is not read and sum(_scan(join).pin is Pin.NEW for join in asked.joins) > 1:
            shared.append((f"r{number}+", after))
            after = Shared(f"r{number}+", scan.width)
        ends[Pin.NEW] = after
    return _Reading(asked, keys, ends, tuple(shared))


def _values(join: Join) -> Relation:
    """Return the keys of a semi join, in the order of its equalities."""
    order = tuple(theirs for _, theirs in join.equalities)
    if order == columns(0, join.right.width):
        return join.right
    return Project(join.right, order)


def _after(before: Relation, asked: _Asked, keys: Relation, delta: Delta) -> Relation:
    """Return rows as they are after: without those that went, and with those that came."""
    row, weight = delta.width - 2, delta.width - 1
    went = Filter(delta, Expression((weight, " < 0")))
    stayed = Join(JoinKind.ANTI, before, went, ((column(before.width - 1), column(row)),))
    own = tuple(column(delta.columns.index(name)) for name in asked.names)
    came = Project(Filter(delta, Expression((weight, " > 0"))), (*own, column(row)))
    return UnionAll((stayed, asked.restricted(came, keys)))


def _instead(relation: Relation, reading: _Reading) -> Relation:
    """Return a relation that reads from what was read once."""
    if isinstance(relation, Join) and relation in reading.asked.joins:
        scan, names = _scan(relation), reading.asked.names
        chosen = [names.index(name) for name in scan.columns]
        chosen += [len(names)] if scan.with_id else []
        rows = reading.ends[scan.pin]
        if chosen != list(range(rows.width)):
            rows = Project(rows, tuple(map(column, chosen)))
        return rows if _values(relation) == reading.keys else replace(relation, left=rows)
    return relation.map_inputs(lambda each: _instead(each, reading))
