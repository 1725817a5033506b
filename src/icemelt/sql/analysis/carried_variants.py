"""Carry variants of outer rows into subqueries as bytes.

Spark computes a correlated subquery once for each distinct value of the outer columns, and knows no
distinct variants. An entry of FROM behind the table gives the variant as bytes, which the subquery
reads as a variant again.

    SELECT (SELECT COUNT(*) FROM TABLE(FLATTEN(t.j:tags))) FROM t
    SELECT (SELECT COUNT(*) FROM TABLE(FLATTEN(icemelt_variant(o.k))))
    FROM t CROSS JOIN LATERAL (SELECT icemelt_variant_bytes(t.j:tags) AS k) AS o
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.schema import ListType, Primitive
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.analysis.scopes import Carrier, FromSource, Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.trees import copy_expression, replace_node

__all__ = [
    "CarriedBytes",
    "CarriedVariant",
    "VariantCarrier",
    "add_variant_carriers",
    "carry_variant",
]


class CarriedBytes(exp.Expression):
    """The bytes of a variant, or of an array of variants."""


class CarriedVariant(exp.Expression):
    """The variant of such bytes."""


class VariantCarrier(exp.Lateral):  # type: ignore[misc, unused-ignore]
    """The entry of FROM of a carrier: a query of one row, with one item."""


_VARIANT = Primitive("variant")
_CARRIED = (_VARIANT, ListType(_VARIANT))


def carry_variant(
    slots: StatementSlots,
    column: exp.Column,
    source: FromSource,
    owner: Scope,
    query: exp.Select,
    *,
    is_above_groups: bool,
) -> exp.Column:
    """Return the column of bytes that stands for a variant of an outer row, in the variant's place.

    Any other column is returned unchanged. A path behind the variant is carried with the variant.

    Args:
        slots: the slots of the statement, which name carriers.
        column: the column of the outer row.
        source: the entry of FROM with the column.
        owner: the scope of the SELECT with that entry.
        query: a SELECT inside that SELECT, around the column.
        is_above_groups: whether the query stands above the groups, if that SELECT has groups.

    Raises:
        NotYet: the entry of FROM that carries the variant has no place.
    """
    if kind_of(column) not in _CARRIED:
        return column
    _require_place(owner, source, query)
    whole: exp.Expr = column
    while isinstance(whole.parent, exp.JSONExtract) and whole.parent.this is whole:
        whole = whole.parent
    kind = kind_of(whole)
    key = (source.key, whole.sql())
    if key not in owner.variants:
        number = slots.new_entry_key()
        alias, name = slots.hidden_name(f"o{number}"), slots.hidden_name(f"k{number}")
        owner.variants[key] = Carrier(alias, name, copy_expression(whole))
    carrier = owner.variants[key]
    carrier.is_above_groups = carrier.is_above_groups or is_above_groups
    named = exp.Column(
        this=exp.to_identifier(carrier.column, quoted=True),
        table=exp.to_identifier(carrier.alias, quoted=True),
    )
    set_kind(named, Primitive("binary"))
    variant: exp.Expr = CarriedVariant(this=named)
    set_kind(variant, _VARIANT)
    if isinstance(kind, ListType):
        variant = exp.Anonymous(this="AS_ARRAY", expressions=[variant])
        set_kind(variant, kind)
    replace_node(variant, whole)
    return named


def add_variant_carriers(select: exp.Select, scope: Scope) -> list[Carrier]:
    """Add an entry behind its table to FROM for each variant that a subquery reads; return them."""
    for (key, _), carrier in scope.variants.items():
        value = CarriedBytes(this=carrier.value)
        item = exp.Alias(this=value, alias=exp.to_identifier(carrier.column, quoted=True))
        entry = VariantCarrier(
            this=exp.Subquery(this=exp.Select(expressions=[item])),
            alias=exp.TableAlias(this=exp.to_identifier(carrier.alias, quoted=True)),
        )
        joins = list(select.args.get("joins") or ())
        table = _find_entry(select, key)
        position = joins.index(table) + 1 if isinstance(table, exp.Join) else 0
        joins.insert(position, exp.Join(this=entry, kind="CROSS"))
        select.set("joins", joins)
    return list(scope.variants.values())


def _require_place(owner: Scope, source: FromSource, query: exp.Select) -> None:
    """Require a SELECT whose FROM can have one more entry, before all that read the entry."""
    part: exp.Expr = query
    while part.parent is not None and part.parent is not owner.select:
        part = part.parent
    entry = None if owner.select is None else _find_entry(owner.select, source.key)
    if entry is None or entry is part:
        raise NotYet(
            "A subquery reads a VARIANT of the row around it in UPDATE, DELETE or MERGE, or in the "
            "ON of the table with the VARIANT.",
            hint="Write the subquery into WHERE of a SELECT: UPDATE t SET … WHERE id IN (SELECT "
            "t.id FROM t WHERE …).",
        )


def _find_entry(select: exp.Select, key: int) -> exp.Expr | None:
    """Return the part of FROM, FROM itself or a join, with the entry that has a key."""
    for part in (select.args["from_"], *(select.args.get("joins") or ())):
        for alias in part.find_all(exp.TableAlias):
            if alias.this is not None and alias.this.meta.get("source") == key:
                found: exp.Expr = part
                return found
    return None
