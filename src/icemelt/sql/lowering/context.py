"""The context of lowering: the tables' columns, the CTEs in scope, and the text of expressions."""

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
    """A query's rows as algebra, and the names of the query's columns."""

    relation: Relation
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ordering:
    """A relation of which LIMIT takes some rows, and the numbers of the columns in the ORDER BY."""

    relation: Relation
    columns: frozenset[int]


@dataclass(slots=True)
class GrowingRows:
    """A relation that gets new columns on the right while expressions over it are lowered.

    `x IN (SELECT …)` adds a column for the answer of the subquery, for example.
    """

    relation: Relation


@dataclass(frozen=True, slots=True)
class Context:
    """What all functions of lowering share while one statement is lowered.

    Attributes:
        types: the types of the tables' columns.
        prefix: the beginning of names that no text of the statement has.
        render: a function that returns the Spark SQL of a tree.
        query: the function that lowers a query inside another query.
        first_slots: the slot of a table's first mention, by the slot of any mention.
        ctes: each CTE in scope by its folded name, with the names that are visible around its WITH.
        orderings: the relations of the whole statement of which a LIMIT takes rows.
    """

    types: Types
    prefix: str
    render: Callable[[exp.Expr], str]
    query: Callable[[exp.Expr, Context, SelectNames | None], NamedRelation]
    first_slots: Mapping[str, str]
    ctes: Mapping[str, tuple[NamedRelation, SelectNames | None]] = field(default_factory=dict)
    orderings: list[Ordering] = field(default_factory=list)

    def to_expression(
        self, tree: exp.Expr, write: Callable[[exp.Expr], str] | None = None
    ) -> Expression:
        """Return a tree as an expression of the algebra.

        Args:
            tree: a settled tree: each column of the tree is a `marker` with a column's number.
            write: the function that returns the tree's Spark SQL, `render` by default.
        """
        holder = exp.Paren(this=tree.copy())
        self._rename_parameters(holder)
        for column in list(holder.find_all(exp.Column)):
            number = number_of(column)
            if number is not None:
                written = exp.to_identifier(f"{self.prefix}c{number}__", quoted=True)
                column.set("this", written)
        text = (write or self.render)(holder.this)
        pieces = re.split(rf"`({self.prefix}c-?\d+__|{re.escape(ROW)})`", text)
        parts = [self._part(piece) if at % 2 else piece for at, piece in enumerate(pieces)]
        return Expression(tuple(part for part in parts if part != ""))

    def _rename_parameters(self, tree: exp.Expr) -> None:
        """Rename lambda parameters whose names look like generated names, such as `c1` or `l`."""
        for function in tree.find_all(exp.Lambda):
            names = {fold(parameter.name) for parameter in function.expressions}
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
    """Tell whether an identifier is the first part of a dotted name, and no field."""
    parent = name.parent
    if isinstance(parent, exp.Column):
        return parent.parts[0] is name
    return not isinstance(parent, exp.Dot) or parent.this is name


def marker(number: int, like: exp.Expr | None = None) -> exp.Column:
    """Return a column that stands for the column with a number.

    Args:
        number: the number of the column in its relation.
        like: a tree whose type the marker takes over.
    """
    column = exp.Column(this=exp.to_identifier(f"#{number}", quoted=True))
    column.meta[_NUMBER] = number
    if like is not None:
        set_kind(column, kind_of(like))
    return column


def row_marker() -> exp.Column:
    """Return a column that stands for the identity of the row."""
    return exp.Column(this=exp.to_identifier(ROW, quoted=True))


def number_of(column: exp.Expr) -> int | None:
    """Return the number of a marked column, or None for a node without a number."""
    number: int | None = column.meta.get(_NUMBER)
    return number
