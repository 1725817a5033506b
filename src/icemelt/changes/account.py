"""How changes are made, for people: the rule, shape and keys of each node of a query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from icemelt.algebra.expressions import Expression
from icemelt.algebra.naming import Label, describe_node, label_columns, to_named_text
from icemelt.algebra.nodes import Relation, Scan
from icemelt.changes.shape import Shape

__all__ = ["Account", "Line", "lines", "told"]


@dataclass(frozen=True, slots=True)
class Account:
    """One node. `keys` are those by which its rule reads rows, as in `Change`.

    >>> from icemelt.algebra.nodes import Scan
    >>> print(Account(Scan("t", ("a",)), "change scan", Shape.INSERTS, None, ()))
    Scan t(a): change scan, inserts, min-delta
    """

    node: Relation
    rule: str
    shape: Shape
    keys: tuple[Expression, ...] | None
    inputs: tuple[Account, ...]

    def __str__(self) -> str:
        """Return the node's line, and how its changes are made."""
        return _line(self, str(self.node), None if self.keys is None else list(map(str, self.keys)))


@dataclass(frozen=True, slots=True)
class Line:
    """A node where it stands in the plan, with names of columns in the place of numbers."""

    depth: int
    account: Account
    operator: str
    keys: tuple[str, ...] | None


def lines(account: Account) -> list[Line]:
    """Return the nodes of a plan, each before its inputs."""
    return list(_lines(account, 0)[0])


def told(account: Account, notes: Mapping[str, str]) -> Iterator[str]:
    r"""Yield the lines of a plan; `notes` are added to those of tables, by their names.

    >>> from icemelt.algebra.nodes import Filter
    >>> scan = Account(Scan("t", ("a",)), "change scan", Shape.INSERTS, None, ())
    >>> above = Filter(scan.node, Expression((0, " > 1")))
    >>> plan = Account(above, "linear", Shape.INSERTS, None, (scan,))
    >>> print(*told(plan, {"t": "2 changed rows of 10"}), sep="\n")
    Filter a > 1: linear, inserts, min-delta
      Scan t(a): change scan, inserts, min-delta; 2 changed rows of 10
    """
    for line in lines(account):
        node = line.account.node
        note = notes.get(node.source) if isinstance(node, Scan) else None
        shown = _line(line.account, _cut(line.operator), line.keys)
        yield f"{'  ' * line.depth}{shown}{'' if note is None else f'; {note}'}"


def _lines(account: Account, depth: int) -> tuple[list[Line], tuple[Label, ...]]:
    below = [_lines(each, depth + 1) for each in account.inputs]
    inputs = [called for _, called in below]
    keys = None
    if account.keys is not None:
        keys = tuple(to_named_text(each, inputs[0]) for each in account.keys)
    own = Line(depth, account, describe_node(account.node, inputs), keys)
    return [own, *(line for part, _ in below for line in part)], label_columns(account.node, inputs)


def _line(account: Account, operator: str, keys: Sequence[str] | None) -> str:
    if account.shape is Shape.EMPTY:
        return f"{operator}: no change"
    reads = []
    if keys is not None:
        reads = [_cut(f"rows by {', '.join(keys)}") if keys else "everything"]
    shape = f"{account.shape.name}".lower()
    return f"{operator}: {', '.join([account.rule, *reads, shape, account.shape.format.value])}"


def _cut(text: str, most: int = 80) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
