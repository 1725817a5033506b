"""Lower ORDER BY … LIMIT n OFFSET m: keep the rows m + 1 to m + n of a total order.

A window function numbers the rows, and a filter keeps the rows of the range:

    SELECT id FROM t ORDER BY v, id LIMIT 2 OFFSET 1
    Filter number > 1 AND number <= 3
      Window (): row_number() OVER (ORDER BY v, id)

Whether an order is total depends on the keys of the tables. Lowering does not know the keys, so the
caller asks with `require_total_orders`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.nodes import Filter, Project, Relation, Window
from icemelt.algebra.uniqueness import IsKey, is_unique
from icemelt.names import fold
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.lowering.aggregates import has_aggregate
from icemelt.sql.lowering.context import Context, NamedRelation, Ordering, marker
from icemelt.sql.lowering.expressions import replace_parts, settle
from icemelt.sql.lowering.grouping import OutputColumn
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import unsupported_error

__all__ = ["Limit", "read_limit", "require_total_orders", "take_limited_rows"]

_LIMIT_CLAUSES = ("limit", "offset", "top")


@dataclass(frozen=True, slots=True)
class Limit:
    """A LIMIT and OFFSET, and the order in which rows are counted.

    Attributes:
        skipped: how many rows to skip.
        taken: how many rows to take after the skipped rows; None for all rows.
        order: the items of ORDER BY.
        places: the column of each item.
        hidden: the settled trees of columns in the order that the SELECT list lacks.
    """

    skipped: int
    taken: int | None
    order: tuple[exp.Ordered, ...]
    places: tuple[int, ...]
    hidden: tuple[exp.Expr, ...] = ()

    def take_rows(self, relation: Relation, context: Context) -> Relation:
        """Return the rows of a relation inside the limit, without the hidden columns."""
        context.orderings.append(Ordering(relation, frozenset(self.places)))
        items = []
        for item, number_in_order in zip(self.order, self.places, strict=True):
            ordered = item.copy()
            ordered.set("this", marker(number_in_order))
            items.append(ordered)
        number = exp.Anonymous(this="ROW_NUMBER")
        window = exp.Window(this=number, order=exp.Order(expressions=items))
        numbered = Window(relation, (), (context.to_expression(window),))
        at = relation.width
        parts: list[str | int] = [at, f" > {self.skipped}"] if self.skipped else []
        if self.taken is not None:
            parts += [*([" AND "] if parts else []), at, f" <= {self.skipped + self.taken}"]
        limited = Filter(numbered, Expression(tuple(parts)))
        return Project(limited, columns(0, relation.width - len(self.hidden)))


def read_limit(
    select: exp.Select, outputs: Sequence[OutputColumn], names: SelectNames, context: Context
) -> Limit | None:
    """Return the limit of a SELECT, or None for a SELECT without a limit.

    Args:
        select: the SELECT.
        outputs: the columns of the SELECT list.
        names: the names that the SELECT sees.
        context: the context of the statement.

    Raises:
        UnsupportedError: the limit has no order, or an order that is not surely total.
    """
    if not any(select.args.get(part) for part in _LIMIT_CLAUSES):
        return None
    places: list[int] = []
    hidden: list[exp.Expr] = []
    trees = [output.tree for output in outputs]
    is_grouped = any(select.args.get(part) for part in ("group", "having"))
    is_grouped = is_grouped or any(map(has_aggregate, trees))
    for item in _require_order(select):
        place = _find_shown_column(item.this, [output.name for output in outputs])
        tree = None if place is not None else _settle_order_item(item.this, outputs, names, context)
        if tree is not None and tree in trees:
            place = trees.index(tree)
        if place is None and tree is not None:
            if select.args.get("distinct") or (has_aggregate(tree) and not is_grouped):
                raise unsupported_error("limit")
            place = len(outputs) + len(hidden)
            hidden.append(tree)
        places.append(place or 0)
    skipped, taken = _read_numbers(select)
    return Limit(skipped, taken, _require_order(select), tuple(places), tuple(hidden))


def take_limited_rows(query: NamedRelation, node: exp.Expr, context: Context) -> NamedRelation:
    """Return the rows inside the LIMIT of a set operation or of a query in parentheses.

    Args:
        query: the rows of the query without the limit.
        node: the node with the LIMIT.
        context: the context of the statement.

    Raises:
        UnsupportedError: an item of ORDER BY is not a column of the query.
    """
    if not any(node.args.get(part) for part in _LIMIT_CLAUSES):
        return query
    places = [_find_shown_column(item.this, query.names) for item in _require_order(node)]
    known_places = [place for place in places if place is not None]
    if len(known_places) < len(places):
        raise unsupported_error("limit")
    skipped, taken = _read_numbers(node)
    limit = Limit(skipped, taken, _require_order(node), tuple(known_places))
    return NamedRelation(limit.take_rows(query.relation, context), query.names)


def require_total_orders(orderings: Sequence[Ordering], is_key: IsKey) -> None:
    """Require that each order of a LIMIT is total.

    Args:
        orderings: the relations, and the columns of their orders.
        is_key: tells whether columns of a table are a key, as for `is_unique`.

    Raises:
        NotYet: two rows may be equal in all columns of an order.
    """
    if not all(is_unique(ordering.relation, ordering.columns, is_key) for ordering in orderings):
        raise unsupported_error("limit")


def _require_order(node: exp.Expr) -> tuple[exp.Ordered, ...]:
    order = node.args.get("order")
    if order is None:
        raise unsupported_error("limit")
    return tuple(order.expressions)


def _find_shown_column(item: exp.Expr, names: Sequence[str]) -> int | None:
    """Return the position of the shown column that an item of ORDER BY names, or None."""
    if isinstance(item, exp.Literal):
        place = int(item.name) - 1 if item.is_int else -1
        if not 0 <= place < len(names):
            raise unsupported_error("limit")
        return place
    if not isinstance(item, exp.Column) or len(item.parts) > 1:
        return None
    folded_name = fold(fold_identifier(item.this))
    matches = [place for place, name in enumerate(names) if fold(name) == folded_name]
    if len(matches) > 1:
        raise unsupported_error("limit")
    return matches[0] if matches else None


def _settle_order_item(
    item: exp.Expr, outputs: Sequence[OutputColumn], names: SelectNames, context: Context
) -> exp.Expr:
    """Return the settled tree of an item of ORDER BY; a name means a shown column first."""
    if item.find(exp.Query) is not None:
        raise unsupported_error("limit")
    shown = [output.name for output in outputs]
    is_aggregate = has_aggregate(item)

    def replacement(node: exp.Expr) -> exp.Expr | None:
        place = _find_shown_column(node, shown) if isinstance(node, exp.Column) else None
        if place is None:
            return None
        tree = outputs[place].tree
        # inside an aggregate the name means a column of the rows, which is not the shown column
        if is_aggregate and settle(node, replace(names, aliases={}), context) != tree:
            raise unsupported_error("limit")
        return exp.Paren(this=tree.copy())

    return settle(replace_parts(item, replacement), names, context)


def _read_numbers(node: exp.Expr) -> tuple[int, int | None]:
    """Return how many rows the OFFSET skips, and how many rows the LIMIT takes.

    Raises:
        UnsupportedError: a number is not written out.
    """
    limit, offset = node.args.get("limit"), node.args.get("offset")
    taken = None
    if limit is not None:
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            raise unsupported_error("limit")
        taken = _read_number(limit.args.get("count") or limit.args.get("expression"))
    return 0 if offset is None else _read_number(offset.expression), taken


def _read_number(written: exp.Expr | None) -> int:
    if isinstance(written, exp.Literal) and written.is_int:
        return int(written.name)
    raise unsupported_error("limit")
