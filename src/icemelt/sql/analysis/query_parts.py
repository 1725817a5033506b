"""Parts: the queries of WITH, which Spark can analyse one after the other.

Spark looks at the whole statement again for each query of WITH that reads another one. A part is
analysed by itself, over the parts before:

    WITH a AS (SELECT id FROM t), b AS (SELECT id + 1 AS id FROM a) SELECT * FROM b

    __icemelt_w0__    SELECT id FROM __icemelt_0__ AS t
    __icemelt_w1__    SELECT id + 1 AS id FROM __icemelt_w0__ AS a
    the query         SELECT * FROM __icemelt_w1__ AS b
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from icemelt.sql.analysis.volatile import VOLATILE, is_volatile
from icemelt.sql.effort import count_step
from icemelt.sql.statements import DividedQuery, QueryPart

__all__ = ["compose_parts", "find_parts", "mark_part"]

# Spark analyses fewer queries of WITH in a few milliseconds
_FEWEST = 8
_PART = "part"
# other values at each reading: two readings of one query of WITH have the same values in Spark
_VOLATILE = VOLATILE | {
    *("INPUT_FILE_NAME", "INPUT_FILE_BLOCK_START", "INPUT_FILE_BLOCK_LENGTH"),
    "SPARK_PARTITION_ID",
}
# what is between an entry of FROM and the query of WITH around, where no expression is between
_PARTS_OF_FROM = (exp.From, exp.Join, exp.Query, exp.Table, exp.CTE)
_NO_EXPRESSION = frozenset({"this", "expression", "from_", "joins"})


def mark_part(node: exp.Expr, slot: str) -> None:
    """Note the slot of a query of WITH on the query, or on an entry of FROM that reads the query.

    >>> query = exp.CTE()
    >>> mark_part(query, "__x_w0__")
    >>> query.meta
    {'part': '__x_w0__'}
    """
    node.meta[_PART] = slot


def find_parts(query: exp.Expr) -> list[exp.CTE]:
    """Return the queries of a query's WITH as parts; none where Spark analyses the query whole.

    A query of WITH that calls a volatile function is read as Spark reads it: once.

    >>> from sqlglot import parse_one
    >>> find_parts(parse_one("WITH a AS (SELECT 1) SELECT * FROM a"))
    []
    """
    clause = query.args.get("with_")
    if clause is None or clause.args.get("recursive") or len(clause.expressions) < _FEWEST:
        return []
    for node in clause.walk():
        count_step()
        if isinstance(node, exp.TableSample) or is_volatile(node, _VOLATILE):
            return []
    return list(clause.expressions)


def compose_parts(
    query: exp.Expr, parts: Sequence[exp.CTE], render: Callable[[exp.Expr], str]
) -> tuple[str, DividedQuery]:
    """Return a query as one text in Spark SQL, and in parts. The tree loses its WITH.

    Args:
        query: the resolved query.
        parts: all queries of its WITH.
        render: a function that returns the Spark SQL of a tree.
    """
    names = {part.meta[_PART]: render(part.args["alias"].this) for part in parts}
    in_expressions = set()
    for table in query.find_all(exp.Table):
        slot = table.meta.get(_PART)
        if slot in names:
            table.set("this", exp.Var(this=slot))
            if not _is_part_of_from(table, query):
                in_expressions.add(slot)
    query.set("with_", None)
    main = render(query)
    written, composed = [], []
    for part in parts:
        slot, text, alias = part.meta[_PART], render(part.this), render(part.args["alias"])
        written.append(f"{alias} AS ({text})")
        if part.args["alias"].columns:
            text = f"SELECT * FROM ({text}) AS {alias}"
        composed.append(QueryPart(slot, text, slot not in in_expressions))
    whole = _name_parts(f"WITH {', '.join(written)} {main}", names)
    return whole, DividedQuery(tuple(composed), main)


def _is_part_of_from(table: exp.Table, query: exp.Expr) -> bool:
    """Tell whether an entry of FROM is in no expression and in no LATERAL of a query."""
    node: exp.Expr = table
    while node is not query and not isinstance(node, exp.CTE):
        around = node.parent
        if not isinstance(around, _PARTS_OF_FROM) or node.arg_key not in _NO_EXPRESSION:
            return False
        node = around
    return True


def _name_parts(text: str, names: Mapping[str, str]) -> str:
    pattern = "|".join(map(re.escape, names))
    return re.sub(pattern, lambda match: names[match[0]], text)
