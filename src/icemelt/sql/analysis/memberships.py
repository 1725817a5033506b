"""Memberships: whether a value is among those that a query gives, by IN, = ANY and <> ALL."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NotYet

__all__ = ["QUERY_VALUE", "compare_query", "find_membership"]

# the name of a query's column where something is computed of its values
QUERY_VALUE = "__icemelt_v"

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def find_membership(node: exp.Expr) -> exp.Expr | None:
    """Return `= ANY` of a query as IN, and `<> ALL` as NOT IN; None for another node.

    Raises:
        NotYet: ANY or ALL of a query has another comparison.

    >>> from sqlglot import parse_one
    >>> find_membership(parse_one("a <> ALL (SELECT b)")).sql()
    'NOT a IN (SELECT b)'
    """
    right = node.expression if isinstance(node, _COMPARISONS) else None
    if not isinstance(right, (exp.Any, exp.All)) or not isinstance(right.this, exp.Query):
        return None
    query = right.this if isinstance(right.this, exp.Subquery) else exp.Subquery(this=right.this)
    membership: exp.Expr = exp.In(this=node.this, query=query)
    match node, right:
        case exp.EQ(), exp.Any():
            pass
        case exp.NEQ(), exp.All():
            membership = exp.Not(this=membership)
        case _:
            raise NotYet(
                "Only = ANY and <> ALL of a query are supported.",
                hint="Compare with MIN or MAX of the query.",
            )
    if "written" in node.meta:
        membership.meta["written"] = node.meta.pop("written")
    return membership


def compare_query(node: exp.In, compared: exp.Expr) -> None:
    """Compare with what is computed of each value of an IN's query, `QUERY_VALUE`, in place."""
    query = node.args["query"]
    inner = query.this if isinstance(query, exp.Subquery) else query
    alias = exp.TableAlias(
        this=exp.to_identifier("__icemelt_r", quoted=True),
        columns=[exp.to_identifier(QUERY_VALUE, quoted=True)],
    )
    values = exp.Select(
        expressions=[compared], from_=exp.From(this=exp.Subquery(this=inner.copy(), alias=alias))
    )
    node.set("query", exp.Subquery(this=values))
