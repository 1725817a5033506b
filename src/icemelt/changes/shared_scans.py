"""Shared scans: reads a table once, by all keys that a derivative asks for: T₁ ⋉ K from T₀ ⋉ K.

A derivative reads a table before and after the interval, by the keys of several changes. If the
rows are few, the table is read at one end, by all keys together. The rows of the other end are made
from those rows and the table's changes. For the keys K = {order 7, order 8}:

    lines before, by K       changes of lines           lines after, by K
    id  order  price         id  order  price  weight   id  order  price
    1   7      10            2   7      20     -1       1   7      10
    2   7      20            2   7      25      1       2   7      25
    3   8      30            5   9      50      1       3   8      30

Rows with a deleted row's id are left out, inserted rows with a key in K are added: row 5 has none.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.graph import rebuild, walk
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
from icemelt.changes.differentiation import Derivative
from icemelt.changes.shape import Shape

__all__ = ["share_scans"]

_Part = tuple[str, Relation]


def share_scans(
    derived: Derivative, shapes: Mapping[str, Shape], is_worth: Callable[[Sequence[Join]], bool]
) -> Derivative:
    """Return changes with one scan of a table in place of several reads by key.

    Args:
        derived: the derivative.
        shapes: the shapes of the changes of tables to read once, by the table's slot. These changes
            have at most one deleted and one inserted row for each row id. Other tables are read as
            before.
        is_worth: whether a shared scan in place of semi joins of one table is worth a Spark job.
    """
    if derived.relation is None:
        return derived
    parts = list(derived.parts)
    changes = derived.changes
    reads_of = _KeyedReadsOfParts()
    done: list[_Part] = []
    few: set[str] = set()
    while parts:
        known = {name for name, _ in done}
        for reads in _find_repeated_reads(parts, known, reads_of):
            if reads.source not in shapes or not is_worth(reads.joins):
                continue
            shared_scan = _plan_shared_scan(
                reads, shapes[reads.source], _find_delta(changes, reads), len(done)
            )
            done += shared_scan.shared
            few.add(shared_scan.shared[0][0])
            parts = [(name, _replace_reads(each, shared_scan)) for name, each in parts]
        done.append(parts.pop(0))
    *shared, (_, relation) = done
    return replace(derived, shared=tuple(shared), relation=relation, few=frozenset(few))


@dataclass(frozen=True, slots=True)
class _KeyedReads:
    """Reads of one table by values of some columns: semi joins of scans with key values.

    Args:
        source: the table's slot.
        by: the names of the columns compared with the keys.
        joins: the semi joins.
    """

    source: str
    by: tuple[str, ...]
    joins: tuple[Join, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns read by the semi joins."""
        return tuple(dict.fromkeys(name for join in self.joins for name in _scan(join).columns))

    def matching(self, relation: Relation, keys: Relation) -> Relation:
        """Return the rows of a relation with the keys; the relation has the columns of `names`."""
        pairs = tuple(
            (column(self.names.index(name)), column(at)) for at, name in enumerate(self.by)
        )
        return Join(JoinKind.SEMI, relation, keys, pairs, null_safe=True)


@dataclass(frozen=True, slots=True)
class _SharedScan:
    """The scan in the place of several keyed reads.

    Args:
        reads: the keyed reads.
        keys: the values of all keys together.
        ends: the rows at each end: the columns of `names`, then the row id.
        shared: the relations to compute first, by name.
    """

    reads: _KeyedReads
    keys: Relation
    ends: Mapping[Pin, Relation]
    shared: tuple[_Part, ...]


class _KeyedReadsOfParts:
    """The semi joins of a scan with keys in each part of a plan, found once."""

    def __init__(self) -> None:
        """Start without parts."""
        self._known: dict[int, tuple[Relation, list[Join]]] = {}

    def __call__(self, part: Relation) -> list[Join]:
        """Return the semi joins in a part, in which both keys are plain columns."""
        if id(part) not in self._known:
            joins = (node for node in walk(part) if isinstance(node, Join))
            self._known[id(part)] = part, [join for join in joins if _is_keyed_read(join)]
        return self._known[id(part)][1]


def _find_repeated_reads(
    parts: Sequence[_Part], known: Container[str], reads_of: _KeyedReadsOfParts
) -> Iterator[_KeyedReads]:
    """Yield keyed reads of the first part repeated there or later, by available keys."""
    (_, first), *_ = parts
    for source, by in dict.fromkeys(map(_scan_keys, reads_of(first))):
        joins = dict.fromkeys(
            join
            for _, part in parts
            for join in reads_of(part)
            if _scan_keys(join) == (source, by) and _are_available(join.right, known)
        )
        if len(joins) > 1:
            yield _KeyedReads(source, by, tuple(joins))


def _is_keyed_read(join: Join) -> bool:
    match join:
        case Join(JoinKind.SEMI, Scan(columns=names), _, equalities, None, True):
            return all(
                mine.as_column is not None
                and mine.as_column < len(names)
                and theirs.as_column is not None
                for mine, theirs in equalities
            )
    return False


def _scan(join: Join) -> Scan:
    assert isinstance(join.left, Scan)  # noqa: S101 - as in _by_keys
    return join.left


def _scan_keys(join: Join) -> tuple[str, tuple[str, ...]]:
    scan = _scan(join)
    return scan.source, tuple(scan.columns[mine.as_column or 0] for mine, _ in join.equalities)


def _are_available(keys: Relation, known: Container[str]) -> bool:
    """Return whether keys are made from changes and earlier shared relations alone."""
    return all(
        isinstance(leaf, Delta) or (isinstance(leaf, Shared) and leaf.name in known)
        for leaf in leaves(keys)
    )


def _find_delta(changes: Sequence[Delta], reads: _KeyedReads) -> Delta:
    """Return the table's changes, as the node used everywhere in the plan."""
    known = (each for each in changes if each.source == reads.source)
    return next(known, Delta(reads.source, reads.names))


def _plan_shared_scan(reads: _KeyedReads, shape: Shape, delta: Delta, number: int) -> _SharedScan:
    pins = {_scan(join).pin for join in reads.joins}
    pin = Pin.OLD if Pin.OLD in pins else Pin.NEW
    several = tuple(dict.fromkeys(map(_key_rows, reads.joins)))
    keys = several[0] if len(several) == 1 else Distinct(UnionAll(several))
    scan = Scan(reads.source, reads.names, pin, with_id=True)
    read = Shared(f"r{number}", scan.width)
    shared = [(read.name, reads.matching(scan, keys))]
    ends: dict[Pin, Relation] = {pin: read}
    if len(pins) > 1:
        after = _rows_after(read, reads, keys, delta) if shape else read
        if after is not read and sum(_scan(join).pin is Pin.NEW for join in reads.joins) > 1:
            shared.append((f"r{number}+", after))
            after = Shared(f"r{number}+", scan.width)
        ends[Pin.NEW] = after
    return _SharedScan(reads, keys, ends, tuple(shared))


def _key_rows(join: Join) -> Relation:
    """Return the keys of a semi join, in the order of the equalities."""
    order = tuple(theirs for _, theirs in join.equalities)
    if order == columns(0, join.right.width):
        return join.right
    return Project(join.right, order)


def _rows_after(before: Relation, reads: _KeyedReads, keys: Relation, delta: Delta) -> Relation:
    """Return rows after the interval: without deleted rows, and with inserted rows."""
    row, weight = delta.width - 2, delta.width - 1
    went = Filter(delta, Expression((weight, " < 0")))
    stayed = Join(JoinKind.ANTI, before, went, ((column(before.width - 1), column(row)),))
    own = tuple(column(delta.columns.index(name)) for name in reads.names)
    came = Project(Filter(delta, Expression((weight, " > 0"))), (*own, column(row)))
    return UnionAll((stayed, reads.matching(came, keys)))


def _replace_reads(relation: Relation, shared_scan: _SharedScan) -> Relation:
    """Return a relation that reads from a shared scan."""
    return rebuild(relation, lambda node: _replace_read(node, shared_scan))


def _replace_read(relation: Relation, shared_scan: _SharedScan) -> Relation:
    if isinstance(relation, Join) and relation in shared_scan.reads.joins:
        scan, names = _scan(relation), shared_scan.reads.names
        chosen = [names.index(name) for name in scan.columns]
        chosen += [len(names)] if scan.with_id else []
        rows = shared_scan.ends[scan.pin]
        if chosen != list(range(rows.width)):
            rows = Project(rows, tuple(map(column, chosen)))
        return rows if _key_rows(relation) == shared_scan.keys else replace(relation, left=rows)
    return relation
