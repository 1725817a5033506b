"""The shape of one SELECT: names of its columns, QUALIFY, row numbers of GENERATOR."""

from __future__ import annotations

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.grouping_sets import settle_grouping_sets
from icemelt.sql.analysis.scopes import Scope
from icemelt.sql.analysis.slots import Slots
from icemelt.sql.analysis.trees import copied, own_columns, put
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.analysis.volatile import SEQUENCES
from icemelt.sql.dialect.parser import folded

__all__ = ["Shape"]

_STAYS_OUTSIDE = ("with_", "distinct", "order", "limit", "offset", "qualify")


class Shape:
    """Brings each SELECT into a form Spark has; names of hidden columns come from the slots."""

    def __init__(self, slots: Slots) -> None:
        """Take hidden names from `slots`."""
        self._slots = slots

    def __call__(self, select: exp.Select, scope: Scope) -> None:
        """Change one SELECT in place, its names being resolved."""
        if scope.generator:
            self._number_rows(select)
        for projection in select.expressions:
            _name(projection)
        group = select.args.get("group")
        if group is not None:
            settle_grouping_sets(group)
        if select.args.get("qualify") is not None:
            self._qualify(select, scope)

    def _number_rows(self, select: exp.Select) -> None:
        row = exp.to_identifier(self._slots.hidden("row"), quoted=True)
        for call in list(select.find_all(exp.Anonymous)):
            if call.name.upper() in SEQUENCES and call.parent_select is select:
                column = exp.Column(this=row.copy())
                written = call.meta.get("written")
                name = exp.to_identifier(written, quoted=True)
                put(exp.Alias(this=column, alias=name) if written else column, call)

    def _qualify(self, select: exp.Select, scope: Scope) -> None:
        """Filter in a SELECT around this one, by a hidden column."""
        condition = select.args["qualify"].this
        _inline_aliases(condition, select, scope)
        hidden = [(self._slots.hidden("q"), condition)]
        order = select.args.get("order")
        outputs = {fold(_output(projection)) for projection in select.expressions} - {""}
        for item in order.expressions if order is not None else ():
            if isinstance(item.this, exp.Literal) or fold(_plain_name(item.this)) in outputs:
                continue
            name = self._slots.hidden(f"o{len(hidden)}")
            hidden.append((name, item.this.copy()))
            item.set("this", _column(name))
        kept = {name: value for name, value in select.args.items() if name not in _STAYS_OUTSIDE}
        extra = [exp.alias_(value, name, quoted=True, copy=False) for name, value in hidden]
        inner = exp.Select(**{**kept, "expressions": [*select.expressions, *extra]})
        for name in kept:
            select.set(name, None)
        alias = exp.TableAlias(this=exp.to_identifier(self._slots.hidden("r"), quoted=True))
        source = exp.Subquery(this=inner, alias=alias)
        select.set("expressions", [exp.Star(except_=[_column(name) for name, _ in hidden])])
        select.set("from_", exp.From(this=source))
        select.set("where", exp.Where(this=_column(hidden[0][0])))
        select.set("qualify", None)


def _column(name: str) -> exp.Column:
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def _name(projection: exp.Expr) -> None:
    """An expression without a name is called as it was written."""
    written = projection.meta.pop("written", None)
    if written is None or isinstance(projection, (exp.Alias, exp.Star)) or projection.is_star:
        return
    if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Identifier):
        return
    alias = exp.to_identifier(written, quoted=True)
    named = exp.Alias(alias=alias)
    put(named, projection)
    named.set("this", projection)


def _output(projection: exp.Expr) -> str:
    if isinstance(projection, exp.Alias):
        return folded(projection.args["alias"])
    return _plain_name(projection)


def _plain_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Column) and node.args.get("table") is None:
        return folded(node.this)
    return ""


def _inline_aliases(condition: exp.Expr, select: exp.Select, scope: Scope) -> None:
    """Spark's window functions see no aliases of the same SELECT: put what they stand for.

    A name that a table has is the table's column, as outside of window functions.
    """
    aliases = {
        fold(folded(each.args["alias"])): each.this
        for each in select.expressions
        if isinstance(each, exp.Alias) and not isinstance(each.this, exp.Column)
    }
    for window in list(condition.find_all(exp.Window)):
        for column in own_columns(window):
            name = "" if is_unit(column) else _plain_name(column)
            meant = None if scope.has(name) else aliases.get(fold(name))
            if meant is not None and meant.find(exp.Window) is None:
                put(exp.Paren(this=copied(meant)), column)
