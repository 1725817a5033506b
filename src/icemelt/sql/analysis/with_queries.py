"""Queries of WITH: which are recursive, and which must not be read twice."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import fold
from icemelt.sql.analysis.scopes import RelationColumns
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["is_recursive", "mention_query", "numbers_inputs"]


def numbers_inputs(function: exp.Expr) -> bool:
    """Tell whether a table function gives the rows of a table numbers that the query may name."""
    return bool(function.args.get("numbered")) and not function.args.get("single")


def mention_query(name: str, relation: RelationColumns) -> None:
    """Count a mention of a query of WITH: Spark runs the query anew for each mention.

    Raises:
        NotYet: the query has numbers of input rows, which the next run may give to other rows.
    """
    relation.mentions += 1
    if relation.has_numbers and relation.mentions > 1:
        raise NotYet(
            f"The WITH query '{name}' has the column SEQ of a table function, and is read twice.",
            hint="Store its rows in a table, or list the columns without SEQ.",
        )


def is_recursive(cte: exp.Expr, name: str) -> bool:
    """Tell whether a CTE is recursive: a UNION ALL whose right branch alone reads the CTE.

    This is Snowflake's definition.
    """
    body = cte.this
    if not isinstance(body, exp.Union) or body.args.get("distinct"):
        return False
    return _reads(body.expression, name) and not _reads(body.this, name)


def _reads(node: exp.Expr, name: str) -> bool:
    return any(
        not table.args.get("db") and fold(fold_identifier(table.this)) == name
        for table in node.find_all(exp.Table)
    )
