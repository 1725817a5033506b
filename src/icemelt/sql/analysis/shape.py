"""Bring a SELECT into a form that Spark has: column names, QUALIFY, and GENERATOR's row numbers.

Spark does not find an aggregate of ORDER BY beside HAVING; it becomes a hidden column.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.analysis.aliases import Aliases
from icemelt.sql.analysis.grouping_sets import settle_grouping_sets
from icemelt.sql.analysis.nested_windows import nests_windows, split_nested_windows
from icemelt.sql.analysis.offered_columns import require_offered_columns
from icemelt.sql.analysis.scopes import Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.stars import list_outputs, write_out_variants
from icemelt.sql.analysis.trees import (
    own_columns,
    own_parts,
    plain_name,
    quoted_column,
    replace_node,
)
from icemelt.sql.analysis.variant_keys import group_by_keys, select_distinct_by_keys, sort_by_keys
from icemelt.sql.analysis.volatile import SEQUENCES
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["SelectShaper"]

_OUTER_PARTS = ("with_", "distinct", "order", "limit", "offset", "qualify")


class SelectShaper:
    """Changes the SELECTs of a statement into forms that Spark has."""

    def __init__(self, slots: StatementSlots) -> None:
        """Keep `slots`, which give names to hidden columns."""
        self._slots = slots

    def __call__(self, select: exp.Select, scope: Scope) -> None:
        """Change one SELECT in place, after its names are resolved."""
        require_offered_columns(select, scope)
        if scope.generator:
            self._number_rows(select)
        columns = None
        if select.args.get("distinct") is not None:
            write_out_variants(select, scope)
            columns = list_outputs(select, scope)
        for projection in select.expressions:
            _name_output(projection)
        if select.args.get("distinct") is not None:
            _sort_by_outputs(select)
        group = select.args.get("group")
        if group is not None:
            settle_grouping_sets(group)
            group_by_keys(select, scope)
        sort_by_keys(select)
        _substitute_in_windows(select, scope)
        select = select_distinct_by_keys(select, columns, self._slots.hidden_name)
        nests = _nests_windows(select)
        if select.args.get("qualify") is not None:
            self._apply_qualify(select, scope)
        elif nests or _sorts_chosen_groups(select):
            self._sort_by_hidden_columns(select, scope, [])
        if nests:
            split_nested_windows(select.args["from_"].this.this, self._slots.hidden_name)

    def _number_rows(self, select: exp.Select) -> None:
        row = exp.to_identifier(self._slots.hidden_name("row"), quoted=True)
        for call in list(select.find_all(exp.Anonymous)):
            if call.name.upper() in SEQUENCES and call.parent_select is select:
                column = exp.Column(this=row.copy())
                written = call.meta.get("written")
                name = exp.to_identifier(written, quoted=True)
                replace_node(exp.Alias(this=column, alias=name) if written else column, call)

    def _apply_qualify(self, select: exp.Select, scope: Scope) -> None:
        """Turn QUALIFY into a WHERE of a new SELECT around this SELECT, over a hidden column.

        SELECT id FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1
        SELECT * EXCEPT (q) FROM (SELECT id, ROW_NUMBER() OVER … = 1 AS q FROM t) WHERE q
        """
        name, condition = self._slots.hidden_name("q"), select.args["qualify"].this
        select.set("qualify", None)
        self._sort_by_hidden_columns(select, scope, [(name, condition)])
        select.set("where", exp.Where(this=quoted_column(name)))

    def _sort_by_hidden_columns(
        self, select: exp.Select, scope: Scope, hidden: list[tuple[str, exp.Expr]]
    ) -> None:
        """Put a SELECT into FROM of itself, with hidden columns, also for what ORDER BY sorts by.

        SELECT a FROM t GROUP BY a HAVING MAX(b) > 0 ORDER BY MAX(b)
        SELECT * EXCEPT (o0) FROM (SELECT a, MAX(b) AS o0 FROM t GROUP BY … HAVING …) ORDER BY o0

        Args:
            select: the SELECT.
            scope: the names of its FROM.
            hidden: hidden columns, with their values; those of ORDER BY are added.
        """
        order = select.args.get("order")
        outputs = {fold(_output_name(projection)) for projection in select.expressions} - {""}
        aliases = Aliases.of(select)
        for item in order.expressions if order is not None else ():
            value, columns = item.this, _columns_sorted_by(item.this)
            names = {fold(plain_name(column)) for column in columns}
            if isinstance(value, exp.Literal) or (names and names <= outputs):
                continue
            name = self._slots.hidden_name(f"o{len(hidden)}")
            item.set("this", quoted_column(name))
            for column in columns:
                _substitute_alias(column, aliases, scope)
            hidden.append((name, value))
        inner_parts = {
            name: value for name, value in select.args.items() if name not in _OUTER_PARTS
        }
        extra = [exp.alias_(value, name, quoted=True, copy=False) for name, value in hidden]
        inner = exp.Select(**{**inner_parts, "expressions": [*select.expressions, *extra]})
        for name in inner_parts:
            select.set(name, None)
        alias = exp.TableAlias(this=exp.to_identifier(self._slots.hidden_name("r"), quoted=True))
        source = exp.Subquery(this=inner, alias=alias)
        select.set("expressions", [exp.Star(except_=[quoted_column(name) for name, _ in hidden])])
        select.set("from_", exp.From(this=source))


def _nests_windows(select: exp.Select) -> bool:
    """Tell whether a SELECT has a window over the values of another one."""
    parts = [*select.expressions, select.args.get("qualify"), select.args.get("order")]
    return any(nests_windows(part) for part in parts if part is not None)


def _sorts_chosen_groups(select: exp.Select) -> bool:
    """Tell whether a SELECT with HAVING sorts by an aggregate."""
    order = select.args.get("order")
    if order is None or select.args.get("having") is None or select.args.get("distinct"):
        return False
    calls = [call for item in order.expressions for call in own_parts(item, exp.Anonymous)]
    return any(call.name.upper() in AGGREGATES for call in calls)


def _name_output(projection: exp.Expr) -> None:
    """Name an expression without an alias by the expression's own text."""
    written = projection.meta.pop("written", None)
    if written is None or isinstance(projection, (exp.Alias, exp.Star)) or projection.is_star:
        return
    if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Identifier):
        return
    alias = exp.to_identifier(written, quoted=True)
    named = exp.Alias(alias=alias)
    replace_node(named, projection)
    named.set("this", projection)


def _sort_by_outputs(select: exp.Select) -> None:
    """Sort by the names of the columns: Spark does not find an expression behind DISTINCT."""
    order = select.args.get("order")
    values = {each.this: each for each in select.expressions if isinstance(each, exp.Alias)}
    for item in order.expressions if order is not None else ():
        if item.this in values:
            item.set("this", quoted_column(_output_name(values[item.this])))


def _output_name(projection: exp.Expr) -> str:
    if isinstance(projection, exp.Alias):
        return fold_identifier(projection.args["alias"])
    return plain_name(projection)


def _columns_sorted_by(value: exp.Expr) -> list[exp.Column]:
    """Return the columns in an item of ORDER BY that Spark looks up in the SELECT list first.

    In an item with an aggregate, a window or a query, columns are the tables' columns.
    """
    calls = value.find_all(exp.Anonymous)
    if value.find(exp.Window, exp.Query) or any(call.name.upper() in AGGREGATES for call in calls):
        return []
    return own_columns(value)


def _substitute_alias(column: exp.Column, aliases: Aliases, scope: Scope) -> None:
    """Replace a column by an alias's expression, if the column is an alias."""
    name = plain_name(column)
    if fold(name) in aliases.expressions:
        part = aliases.expression(name)
        aliases.substitute_into(part, lambda inner: not scope.has(inner))
        replace_node(part, column)


def _substitute_in_windows(select: exp.Select, scope: Scope) -> None:
    """Replace aliases in windows by expressions: Spark's windows see no aliases of a SELECT.

    A name that a table has means the table's column, as outside of windows.
    """
    columns = [*select.expressions, select.args.get("qualify")]
    parts = [part for part in columns if part is not None]
    windows = [window for part in parts for window in own_parts(part, exp.Window)]
    aliases = Aliases.of(select) if windows else Aliases()

    def substitute_into(nodes: Sequence[exp.Expr]) -> None:
        for node in nodes:
            aliases.substitute_into(node, lambda name: not scope.has(name))

    substitute_into(windows)
    if any(map(nests_windows, parts)):
        # an alias of such a window is not there yet where the inner windows are computed
        substitute_into(parts)
