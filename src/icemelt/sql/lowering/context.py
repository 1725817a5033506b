"""What lowering works with: the tables' columns, the CTEs in scope, and the text of expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from icemelt.algebra.expressions import ROW, Expression
from icemelt.algebra.nodes import Relation
from icemelt.names import fold
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.lowering.exact import Types
from icemelt.sql.lowering.names import SelectNames

__all__ = [
    "Context",
    "GrowingRows",
    "NamedRelation",
    "Ordering",
    "marker",
    "number_of",
    "row_marker",
]

_NUMBER = "number"
_COLUMN = re.compile(r"c\d+|l", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A query's rows and the names of its columns."""

    relation: Relation
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ordering:
    """Rows of which some are taken in an order, and the columns that they are ordered by."""

    relation: Relation
    columns: frozenset[int]


@dataclass(slots=True)
class GrowingRows:
    """Rows that grow to the right while expressions are lowered over them."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class Context:
    """`types` are those of the tables' columns; `query` lowers a query inside another.

    Each CTE is there with the names that are around its WITH. `orderings` are what the whole
    statement takes rows in the order of.
    """

    types: Types
    prefix: str
    render: Callable[[exp.Expr], str]
    query: Callable[[exp.Expr, Context, SelectNames | None], NamedRelation]
    ctes: Mapping[str, tuple[NamedRelation, SelectNames | None]] = field(default_factory=dict)
    orderings: list[Ordering] = field(default_factory=list)
    # what the whole statement has read of them, by identity
    _read: dict[int, Relation] = field(default_factory=dict)

    def note_read(self, cte: Relation) -> bool:
        """Take note that a CTE is read, and tell whether it was already."""
        found = id(cte) in self._read
        self._read[id(cte)] = cte
        return found

    def to_expression(
        self, tree: exp.Expr, write: Callable[[exp.Expr], str] | None = None
    ) -> Expression:
        """Return the text of a tree whose columns are all marked with their numbers."""
        holder = exp.Paren(this=tree.copy())
        self._rename_parameters(holder)
        for column in list(holder.find_all(exp.Column)):
            number = number_of(column)
            if number is not None:
                written = exp.to_identifier(f"{self.prefix}c{number}__", quoted=True)
                column.set("this", written)
        text = (write or self.render)(holder.this)
        found = re.split(rf"`({self.prefix}c-?\d+__|{re.escape(ROW)})`", text)
        parts = [self._part(each) if at % 2 else each for at, each in enumerate(found)]
        return Expression(tuple(part for part in parts if part != ""))

    def _rename_parameters(self, tree: exp.Expr) -> None:
        """Rename parameters of lambdas that are named as columns are written, or their relation."""
        for function in tree.find_all(exp.Lambda):
            names = {fold(each.name) for each in function.expressions}
            for name in [*function.find_all(exp.Identifier)]:
                if (
                    fold(name.name) in names
                    and _COLUMN.fullmatch(name.name)
                    and _is_first_part(name)
                ):
                    name.set("this", f"{self.prefix}{fold(name.name)}")
                    name.set("quoted", value=True)

    def _part(self, name: str) -> str | int:
        return name if name == ROW else int(name[len(self.prefix) + 1 : -2])


def _is_first_part(name: exp.Identifier) -> bool:
    """Tell whether a name is the first part of what it names, and no field of it."""
    parent = name.parent
    if isinstance(parent, exp.Column):
        return parent.parts[0] is name
    return not isinstance(parent, exp.Dot) or parent.this is name


def marker(number: int, like: exp.Expr | None = None) -> exp.Column:
    """Return a column by its number, of the type of what it stands for."""
    column = exp.Column(this=exp.to_identifier(f"#{number}", quoted=True))
    column.meta[_NUMBER] = number
    if like is not None:
        set_kind(column, kind_of(like))
    return column


def row_marker() -> exp.Column:
    """Return what stands for the identity of the row."""
    return exp.Column(this=exp.to_identifier(ROW, quoted=True))


def number_of(column: exp.Expr) -> int | None:
    """Return a column's number, None for what is no numbered column."""
    number: int | None = column.meta.get(_NUMBER)
    return number
