"""Carry columns of outer rows into FROM, where Spark does not reach them from an expression.

Spark computes a subquery for the row of the query directly around it. It refuses a column from
further out, and a column from the outside in an aggregate or a window function. A *carrier* is an
entry of FROM with one row, which has such a column under a name of its own.

    SELECT (SELECT SUM(u.b + t.a) FROM u) FROM t
    SELECT (SELECT SUM(u.b + o.k) FROM u CROSS JOIN (SELECT t.a AS k) AS o) FROM t
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import fold
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.analysis.carried_variants import add_variant_carriers, carry_variant
from icemelt.sql.analysis.column_uses import counts_rows
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.analysis.scopes import Carrier, FromSource, Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.table_functions import TableFunction
from icemelt.sql.analysis.trees import own_parts
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import count_step

__all__ = ["add_carriers", "carry_column"]

_FROM_PARTS = ("from_", "joins")
_PARTS_OF_GROUPS = ("expressions", "having", "qualify", "order")
_WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands in the SELECT around it.

    Attributes:
        part: the clause, by sqlglot's name.
        in_aggregate: whether the node is an argument of an aggregate of the SELECT.
        in_window: whether the node is a part of a window function of the SELECT.
    """

    part: str
    in_aggregate: bool
    in_window: bool


def carry_column(slots: StatementSlots, column: exp.Column, scope: Scope) -> None:
    """Note carriers for a resolved column of an outer row, and let the column name the carrier.

    Args:
        slots: the slots of the statement, which name carriers.
        column: the column, which has the alias of its table, if the alias is known.
        scope: the scope of the SELECT with the column.

    Raises:
        NotYet: an aggregate of a subquery is of outer columns alone.
    """
    found = None if isinstance(column.this, exp.Star) else _find_outer_source(column, scope)
    if found is None or scope.select is None:
        return
    source, hosts, _ = found
    column = _carry_variant(slots, column, found, scope)
    place = _place_of(column, scope.select)
    if place.part in _PARTS_OF_GROUPS and (place.in_aggregate or place.in_window):
        if place.in_window or not _is_of_outer_columns(column, scope):
            hosts = [scope, *hosts]
        elif place.part == "expressions":
            raise NotYet(
                "An aggregate in a subquery is of columns of the query around it alone.",
                hint="Write the aggregate into the query around, or multiply: t.a * COUNT(*) for "
                "SUM(t.a).",
            )
    elif place.part == "joins" and isinstance(_holder_of(column), TableFunction):
        hosts = [scope, *hosts]
    if hosts:
        _name_carrier(slots, column, hosts, source)


def add_carriers(select: exp.Select, scope: Scope) -> None:
    """Add the carriers that a SELECT's subqueries and aggregates need to the SELECT's FROM.

    Raises:
        NotYet: a carrier would change the rows or groups of the SELECT.
    """
    for carrier in add_variant_carriers(select, scope):
        if carrier.is_above_groups and _is_grouped(select):
            raise NotYet(
                "A subquery above the groups of a SELECT reads a VARIANT of rows in the groups.",
                hint="Compute the value of the subquery in a query in FROM, and group its rows.",
            )
        _leave_out_of_stars(select, carrier)
    for carrier in scope.carriers.values():
        if carrier.is_above_groups and _is_grouped(select):
            raise _refused("is above the groups of a SELECT")
        _leave_out_of_stars(select, carrier)
        item = exp.Alias(
            this=_value_of(carrier), alias=exp.to_identifier(carrier.column, quoted=True)
        )
        alias = exp.TableAlias(this=exp.to_identifier(carrier.alias, quoted=True))
        entry = exp.Subquery(this=exp.Select(expressions=[item]), alias=alias)
        _add_entry(select, entry, is_first=carrier.is_in_from)


def _carry_variant(
    slots: StatementSlots,
    column: exp.Column,
    found: tuple[FromSource, list[Scope], Scope],
    scope: Scope,
) -> exp.Column:
    source, hosts, owner = found
    query = _select_of([scope, *hosts][-1])
    is_above_groups = False
    if owner.select is not None:
        place = _place_of(query, owner.select)
        is_above_groups = place.part in _PARTS_OF_GROUPS and not place.in_aggregate
    return carry_variant(slots, column, source, owner, query, is_above_groups=is_above_groups)


def _name_carrier(
    slots: StatementSlots, column: exp.Column, hosts: list[Scope], source: FromSource
) -> None:
    """Let a column name the carrier of its SELECT, whose value is the next SELECT's carrier.

    Args:
        slots: the slots of the statement.
        column: the column.
        hosts: the scopes of the SELECTs that need a carrier, innermost first.
        source: the entry of FROM that has the column.
    """
    key = (source.key, fold(fold_identifier(column.this)))
    carriers = [_find_carrier(slots, host, key) for host in hosts]
    inner: exp.Expr = column
    for host, carrier in zip(hosts, carriers, strict=True):
        _note_place(carrier, _place_of(inner, _select_of(host)))
        inner = _select_of(host)
    for carrier, further in itertools.pairwise(carriers):
        carrier.value = _column_of(further, column)
    carriers[-1].value = column.copy()
    named = _column_of(carriers[0], column)
    column.set("this", named.this)
    column.set("table", named.args["table"])


def _holder_of(column: exp.Column) -> exp.Expr | None:
    """Return the table function or query in which a column stands."""
    holder: exp.Expr | None = column.find_ancestor(TableFunction, exp.Query)
    return holder


def _find_outer_source(
    column: exp.Column, scope: Scope
) -> tuple[FromSource, list[Scope], Scope] | None:
    """Return the source of a column further out, the scopes of the SELECTs between, and its scope.

    Return None for a column of this SELECT, and where the source is not certain.
    """
    name, table = fold(fold_identifier(column.this)), column.args.get("table")
    if (table is None and name in scope.titles) or is_unit(column) or _is_parameter(column):
        return None
    if table is not None and not table.meta.get("source"):
        # a field of a column
        return None
    between: list[Scope] = []
    around: Scope | None = scope
    while around is not None:
        count_step()
        if table is None:
            sources = [source for source in around.sources if source.may_have(name)]
        else:
            sources = [each for each in around.sources if each.key == table.meta["source"]]
        if sources:
            is_certain = len(sources) == 1 and sources[0].relation.columns is not None
            return (sources[0], between, around) if is_certain and around is not scope else None
        if around is not scope and around.select is not None:
            between.append(around)
        around = around.parent
    return None


def _is_parameter(column: exp.Column) -> bool:
    """Tell whether a name may be a parameter of a lambda."""
    return isinstance(column.find_ancestor(exp.Lambda, exp.Query), exp.Lambda)


def _place_of(node: exp.Expr, select: exp.Select) -> _Place:
    in_aggregate = in_window = False
    while node.parent is not None and node.parent is not select:
        count_step()
        node = node.parent
        in_window = in_window or isinstance(node, exp.Window)
        in_aggregate = in_aggregate or _is_aggregate(node)
    return _Place(node.arg_key or "", in_aggregate, in_window)


def _is_aggregate(node: exp.Expr) -> bool:
    """Tell whether a node calls an aggregate that is no window function."""
    if not isinstance(node, exp.Anonymous) or node.name.upper() not in AGGREGATES:
        return False
    around = node.parent
    while isinstance(around, _WRAPPERS):
        node, around = around, around.parent
    return not (isinstance(around, exp.Window) and around.this is node)


def _is_of_outer_columns(column: exp.Column, scope: Scope) -> bool:
    """Tell whether the aggregate around a column has no column of the aggregate's own SELECT."""
    call: exp.Expr = column
    while not _is_aggregate(call) and call.parent is not None:
        call = call.parent
    while isinstance(call.parent, _WRAPPERS):
        call = call.parent
    return not any(_is_own(each, scope) for each in own_parts(call, exp.Column))


def _is_own(column: exp.Column, scope: Scope) -> bool:
    table = column.args.get("table")
    if table is None:
        return any(source.may_have(fold_identifier(column.this)) for source in scope.sources)
    return any(fold(source.alias) == fold(fold_identifier(table)) for source in scope.sources)


def _find_carrier(slots: StatementSlots, host: Scope, key: tuple[int, str]) -> Carrier:
    if key not in host.carriers:
        number = slots.new_entry_key()
        alias, column = slots.hidden_name(f"o{number}"), slots.hidden_name(f"k{number}")
        host.carriers[key] = Carrier(alias, column)
    return host.carriers[key]


def _note_place(carrier: Carrier, place: _Place) -> None:
    carrier.is_in_from = carrier.is_in_from or place.part in _FROM_PARTS
    if place.part in _PARTS_OF_GROUPS and not place.in_aggregate:
        carrier.is_above_groups = True


def _column_of(carrier: Carrier, like: exp.Column) -> exp.Column:
    column = exp.Column(
        this=exp.to_identifier(carrier.column, quoted=True),
        table=exp.to_identifier(carrier.alias, quoted=True),
    )
    set_kind(column, kind_of(like))
    return column


def _value_of(carrier: Carrier) -> exp.Expr:
    if carrier.value is None:
        raise AssertionError(carrier)
    return carrier.value


def _select_of(scope: Scope) -> exp.Select:
    if scope.select is None:
        raise AssertionError(scope)
    return scope.select


def _is_grouped(select: exp.Select) -> bool:
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    items = [item for item in select.expressions if isinstance(item, exp.Expr)]
    return any(_is_aggregate(call) for item in items for call in own_parts(item, exp.Anonymous))


def _leave_out_of_stars(select: exp.Select, carrier: Carrier) -> None:
    for projection in select.expressions:
        for star in own_parts(projection, exp.Star):
            _leave_out_of_star(star, projection, carrier)


def _leave_out_of_star(star: exp.Star, projection: exp.Expr, carrier: Carrier) -> None:
    """Leave the carrier's column out of `*`; `t.*` has it not, nor does COUNT(*) ask for it."""
    holder = star.parent if isinstance(star.parent, exp.Column) else star
    if holder is not projection and not counts_rows(star):
        raise _refused("is beside a star in a function")
    if holder is projection and holder is star:
        star.append("except_", exp.Column(this=exp.to_identifier(carrier.column, quoted=True)))


def _add_entry(select: exp.Select, entry: exp.Subquery, *, is_first: bool) -> None:
    """Add an entry of one row to FROM: behind the others, or before those that read it."""
    start, joins = select.args.get("from_"), list(select.args.get("joins") or ())
    if start is None:
        select.set("from_", exp.From(this=entry))
        return
    if not is_first:
        select.set("joins", [*joins, exp.Join(this=entry, kind="CROSS")])
        return
    is_kept = any(join.text("side").upper() in {"RIGHT", "FULL"} for join in joins)
    if is_kept or isinstance(start.this, TableFunction):
        raise _refused("is in FROM, beside RIGHT JOIN, FULL JOIN or a table function")
    first = start.this
    start.set("this", entry)
    select.set("joins", [exp.Join(this=first, kind="CROSS"), *joins])


def _refused(place: str) -> NotYet:
    return NotYet(
        f"A subquery that depends on a row further out than the one around it {place}.",
        hint="Join the tables of the inner queries, and compare with the row around them.",
    )
