"""Find subqueries that are written more than once, so that their trees compare as equal.

Each mention of a table has a slot of its own. So two subqueries with the same text have different
trees, until one of them is put in place of the other.

    SELECT (SELECT MAX(a) FROM u) AS most, COUNT(*) FROM t GROUP BY (SELECT MAX(a) FROM u)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from icemelt.algebra.nodes import Relation, Scan
from icemelt.sql.lowering.context import Context, NamedRelation
from icemelt.sql.lowering.expressions import LoweredSubquery

__all__ = ["share_equal_subqueries"]


def share_equal_subqueries(
    trees: Iterable[exp.Expr], known_trees: Iterable[exp.Expr], context: Context
) -> list[exp.Expr]:
    """Return settled trees in which subqueries of known trees replace equal subqueries.

    Args:
        trees: the trees to change.
        known_trees: the trees whose subqueries stay.
        context: the context of the statement.
    """
    known: dict[Relation, NamedRelation] = {}
    for tree in known_trees:
        for subquery in tree.find_all(LoweredSubquery):
            query = subquery.args["query"]
            known.setdefault(_with_first_slots(query.relation, context), query)
    if not known:
        return list(trees)
    return [_share(tree.copy(), known, context) for tree in trees]


def _share(tree: exp.Expr, known: dict[Relation, NamedRelation], context: Context) -> exp.Expr:
    for subquery in list(tree.find_all(LoweredSubquery)):
        query = subquery.args["query"]
        subquery.set("query", known.get(_with_first_slots(query.relation, context), query))
    return tree


def _with_first_slots(relation: Relation, context: Context) -> Relation:
    """Return a relation in which all mentions of a table have the slot of the first mention."""
    if isinstance(relation, Scan):
        return replace(relation, source=context.first_slots.get(relation.source, relation.source))
    return relation.map_inputs(lambda below: _with_first_slots(below, context))
