"""ORDER BY … LIMIT n OFFSET m: the rows with the numbers m + 1 to m + n in a total order.

They are what a window function numbers and a filter keeps:

    SELECT id FROM t ORDER BY v, id LIMIT 2 OFFSET 1
    Filter number > 1 AND number <= 3
      Window (): row_number() OVER (ORDER BY v, id)

Whether an order is total depends on the keys of the tables: those who know these have to ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.nodes import Filter, Project, Relation, Window
from icemelt.algebra.uniqueness import IsKey, is_unique
from icemelt.names import fold
from icemelt.sql.dialect.parser import folded
from icemelt.sql.lowering.aggregates import has_aggregate
from icemelt.sql.lowering.context import Context, NamedRelation, Ordering, marker
from icemelt.sql.lowering.expressions import replace_parts, settle
from icemelt.sql.lowering.grouping import OutputColumn
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import refusal

__all__ = ["Limit", "limit_query", "read_limit", "require_total_orders"]

_PARTS = ("limit", "offset", "top")


@dataclass(frozen=True, slots=True)
class Limit:
    """How many rows are skipped, how many are taken then (None for all), and in what order.

    `places` has the column of each item of the order; columns beyond those that are shown are
    `hidden`, as trees like those of the SELECT list.
    """

    skipped: int
    taken: int | None
    order: tuple[exp.Ordered, ...]
    places: tuple[int, ...]
    hidden: tuple[exp.Expr, ...] = ()

    def take_rows(self, relation: Relation, context: Context) -> Relation:
        """Return the rows of a relation that are taken, without the hidden columns."""
        context.orderings.append(Ordering(relation, frozenset(self.places)))
        items = []
        for item, place in zip(self.order, self.places, strict=True):
            ordered = item.copy()
            ordered.set("this", marker(place))
            items.append(ordered)
        number = exp.Anonymous(this="ROW_NUMBER")
        window = exp.Window(this=number, order=exp.Order(expressions=items))
        numbered = Window(relation, (), (context.to_expression(window),))
        at = relation.width
        parts: list[str | int] = [at, f" > {self.skipped}"] if self.skipped else []
        if self.taken is not None:
            parts += [*([" AND "] if parts else []), at, f" <= {self.skipped + self.taken}"]
        kept = Filter(numbered, Expression(tuple(parts)))
        return Project(kept, columns(0, relation.width - len(self.hidden)))


def read_limit(
    select: exp.Select, outputs: Sequence[OutputColumn], names: SelectNames, context: Context
) -> Limit | None:
    """Return the limit of a SELECT with these outputs; None where it has none.

    Raises:
        UnsupportedError: it has no order, or one that is no total order for sure.
    """
    if not any(select.args.get(part) for part in _PARTS):
        return None
    places: list[int] = []
    hidden: list[exp.Expr] = []
    trees = [each.tree for each in outputs]
    is_grouped = any(select.args.get(part) for part in ("group", "having"))
    is_grouped = is_grouped or any(map(has_aggregate, trees))
    for item in _order(select):
        place = _find_shown_column(item.this, [each.name for each in outputs])
        tree = None if place is not None else _settle_order_item(item.this, outputs, names, context)
        if tree is not None and tree in trees:
            place = trees.index(tree)
        if place is None and tree is not None:
            if select.args.get("distinct") or (has_aggregate(tree) and not is_grouped):
                raise refusal("limit")
            place = len(outputs) + len(hidden)
            hidden.append(tree)
        places.append(place or 0)
    skipped, taken = _numbers(select)
    return Limit(skipped, taken, _order(select), tuple(places), tuple(hidden))


def limit_query(query: NamedRelation, node: exp.Expr, context: Context) -> NamedRelation:
    """Return the rows that LIMIT takes of a set operation or of what is in parentheses.

    Raises:
        UnsupportedError: it is ordered by something else than columns of the query.
    """
    if not any(node.args.get(part) for part in _PARTS):
        return query
    places = [_find_shown_column(item.this, query.names) for item in _order(node)]
    found = [place for place in places if place is not None]
    if len(found) < len(places):
        raise refusal("limit")
    skipped, taken = _numbers(node)
    limit = Limit(skipped, taken, _order(node), tuple(found))
    return NamedRelation(limit.take_rows(query.relation, context), query.names)


def require_total_orders(orderings: Sequence[Ordering], is_key: IsKey) -> None:
    """Let LIMIT take rows in total orders alone; `is_key` is as in `is_unique`.

    Raises:
        NotYet: some rows may be equal in all that they are ordered by.
    """
    if not all(is_unique(each.relation, each.columns, is_key) for each in orderings):
        raise refusal("limit")


def _order(node: exp.Expr) -> tuple[exp.Ordered, ...]:
    order = node.args.get("order")
    if order is None:
        raise refusal("limit")
    return tuple(order.expressions)


def _find_shown_column(item: exp.Expr, names: Sequence[str]) -> int | None:
    """Return the place of the shown column that an item of ORDER BY means, None for no such."""
    if isinstance(item, exp.Literal):
        place = int(item.name) - 1 if item.is_int else -1
        if not 0 <= place < len(names):
            raise refusal("limit")
        return place
    if not isinstance(item, exp.Column) or len(item.parts) > 1:
        return None
    wanted = fold(folded(item.this))
    found = [place for place, name in enumerate(names) if fold(name) == wanted]
    if len(found) > 1:
        raise refusal("limit")
    return found[0] if found else None


def _settle_order_item(
    item: exp.Expr, outputs: Sequence[OutputColumn], names: SelectNames, context: Context
) -> exp.Expr:
    """Return an expression that rows are ordered by; a name means a shown column first."""
    if item.find(exp.Query) is not None:
        raise refusal("limit")
    shown = [each.name for each in outputs]
    is_aggregate = has_aggregate(item)

    def replacement(node: exp.Expr) -> exp.Expr | None:
        place = _find_shown_column(node, shown) if isinstance(node, exp.Column) else None
        if place is None:
            return None
        tree = outputs[place].tree
        # in an aggregate the name is of a column of the rows, which is another one here
        if is_aggregate and settle(node, replace(names, aliases={}), context) != tree:
            raise refusal("limit")
        return exp.Paren(this=tree.copy())

    return settle(replace_parts(item, replacement), names, context)


def _numbers(node: exp.Expr) -> tuple[int, int | None]:
    """Return how many rows are skipped, and how many are taken.

    Raises:
        UnsupportedError: one of them is no number that is written out.
    """
    limit, offset = node.args.get("limit"), node.args.get("offset")
    taken = None
    if limit is not None:
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            raise refusal("limit")
        taken = _number(limit.args.get("count") or limit.args.get("expression"))
    return 0 if offset is None else _number(offset.expression), taken


def _number(written: exp.Expr | None) -> int:
    if isinstance(written, exp.Literal) and written.is_int:
        return int(written.name)
    raise refusal("limit")
