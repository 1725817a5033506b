"""Which columns of its tables a query may mean: one too many does no harm, one too few does.

A view lets go of those that it does not use.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from icemelt.sql.analysis.scopes import FromSource, Scope
from icemelt.sql.analysis.slots import Slots
from icemelt.sql.dialect.parser import folded

__all__ = ["note_column", "note_join", "note_star"]


def note_star(slots: Slots, node: exp.Expr, scope: Scope) -> None:
    """Note what a star means that is no part of a column; one that counts rows means nothing."""
    parent = node.parent
    counts = isinstance(parent, exp.Count) or (
        isinstance(parent, exp.Anonymous) and parent.name.upper() == "COUNT"
    )
    if isinstance(node, exp.Star) and not counts:
        _note_all(slots, scope.sources)


def note_join(slots: Slots, join: exp.Expr, scope: Scope) -> None:
    """Note the columns by which a join joins without saying so, or in USING."""
    if join.args.get("method") == "NATURAL":
        _note_all(slots, scope.sources)
    for column in join.args.get("using") or ():
        scope.require_visible(folded(column))
        _note_name(slots, folded(column), scope)


def note_column(slots: Slots, column: exp.Column, qualifier: tuple[str, ...], scope: Scope) -> None:
    """Note a column; its qualifier is a table's, or the name of a column with parts."""
    source = None
    if qualifier:
        named = scope.find(qualifier[0]) if len(qualifier) == 1 else None
        source = scope.owner(qualifier) or named
        _note_name(slots, qualifier[0], scope)
    if isinstance(column.this, exp.Star):
        _note_all(slots, scope.sources if source is None else [source])
    elif source is not None and source.slot:
        slots.use(source.slot, [folded(column.this)])
    elif source is None:
        _note_name(slots, folded(column.this), scope)


def _note_name(slots: Slots, name: str, around: Scope | None) -> None:
    """Note a column wherever it may belong: of two that have it Spark takes the nearer."""
    while around is not None:
        for source in around.sources:
            if source.slot and source.may_have(name):
                slots.use(source.slot, [name])
        around = around.parent


def _note_all(slots: Slots, sources: Iterable[FromSource]) -> None:
    for source in sources:
        if source.slot:
            slots.use(source.slot, source.relation.columns or ())
