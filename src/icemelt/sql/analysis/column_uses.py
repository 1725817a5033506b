"""Find the columns that a query may use: a view depends on no more columns.

A column too many does no harm, a column too few does.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.scopes import FromSource, Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["counts_rows", "note_column", "note_join", "note_star"]


def note_star(slots: StatementSlots, node: exp.Expr, scope: Scope) -> None:
    """Note the columns of a star without a table; a star in COUNT uses no columns.

    Args:
        slots: the slots of the statement, where the columns are noted.
        node: any node of an expression.
        scope: the scope of the expression.
    """
    if isinstance(node, exp.Star) and not counts_rows(node):
        _note_all(slots, scope.sources)


def counts_rows(star: exp.Star) -> bool:
    """Tell whether a star is that of COUNT(*), which is about no column."""
    parent = star.parent
    return isinstance(parent, exp.Count) or (
        isinstance(parent, exp.Anonymous) and parent.name.upper() == "COUNT"
    )


def note_join(slots: StatementSlots, join: exp.Expr, scope: Scope) -> None:
    """Note the columns of USING, and all columns of NATURAL JOIN.

    Args:
        slots: the slots of the statement, where the columns are noted.
        join: the join.
        scope: the scope with both sides of the join.
    """
    if join.args.get("method") == "NATURAL":
        _note_all(slots, scope.sources)
    for column in join.args.get("using") or ():
        scope.require_visible(fold_identifier(column))
        _note_name(slots, fold_identifier(column), scope)


def note_column(
    slots: StatementSlots, column: exp.Column, qualifier: tuple[str, ...], scope: Scope
) -> None:
    """Note a column of an expression.

    Args:
        slots: the slots of the statement, where the column is noted.
        column: the column.
        qualifier: the names before the column's last name: a table, or a column with fields.
        scope: the scope of the expression.
    """
    source = None
    if qualifier:
        named = scope.find(qualifier[0]) if len(qualifier) == 1 else None
        source = scope.owner(qualifier) or named
        _note_name(slots, qualifier[0], scope)
    if isinstance(column.this, exp.Star):
        _note_all(slots, scope.sources if source is None else [source])
    elif source is not None:
        _note(slots, source, [fold_identifier(column.this)])
    else:
        _note_name(slots, fold_identifier(column.this), scope)


def _note_name(slots: StatementSlots, name: str, scope: Scope | None) -> None:
    """Note a column of all tables that may have the column; Spark takes the nearest table."""
    while scope is not None:
        for source in scope.sources:
            if source.may_have(name):
                _note(slots, source, [name])
        scope = scope.parent


def _note_all(slots: StatementSlots, sources: Iterable[FromSource]) -> None:
    for source in sources:
        _note(slots, source, source.relation.columns or ())


def _note(slots: StatementSlots, source: FromSource, names: Iterable[str]) -> None:
    """Note columns of an entry of FROM; a table function numbers its inputs for the column SEQ."""
    if source.slot:
        slots.note_columns(source.slot, names)
    if source.function is not None:
        seq = fold(next(iter(source.relation.columns or ("seq",))))
        if seq in map(fold, names):
            source.function.set("numbered", True)  # noqa: FBT003 - an argument of a node
