"""Relations of the algebra as Spark SQL, with columns c0, c1, ….

A projection, an aggregate or a window is one SELECT with the filters and joins below it: Spark
takes time for each subquery. The columns of a join's right side are numbered on from the left's, so
that no name needs a qualifier, which a lambda's variable could take for itself.

What a leaf reads is given by the caller: for a table a relation with its columns by name and the
row's identity, for its changes one with the weight too, for both its ends one with these, and for
what is shared one with c0, c1, ….
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
    BothEndsScan,
    Delta,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    Shared,
    UnionAll,
    Values,
    Window,
)
from icemelt.quoting import quote
from icemelt.spark_sql.column_barriers import put_barriers
from icemelt.spark_sql.weights import ENDS, ROW, WEIGHT

__all__ = ["Read", "render_relation"]

Read = Callable[[Scan | Delta | BothEndsScan | Shared], str]
_JOINS = {
    JoinKind.INNER: "INNER JOIN",
    JoinKind.LEFT: "LEFT JOIN",
    JoinKind.RIGHT: "RIGHT JOIN",
    JoinKind.FULL: "FULL JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
}


def render_relation(relation: Relation, read: Read, start: int = 0) -> str:
    """Return a relation as a query.

    Args:
        relation: the relation.
        read: returns the relation of a leaf, in Spark SQL.
        start: the number of the query's first column.

    >>> from icemelt.algebra.expressions import column
    >>> render_relation(Project(Scan("t", ("a", "b")), (column(1),)), lambda scan: scan.source)
    'SELECT c1 AS c0 FROM (SELECT `a` AS c0, `b` AS c1 FROM t)'
    """
    return _render(put_barriers(relation), read, start)


def _render(relation: Relation, read: Read, start: int) -> str:
    match relation:
        case Scan(_, columns):
            behind = [ROW] if relation.with_id else []
            return _leaf((*columns, *behind), read(relation), start)
        case Delta(_, columns):
            return _leaf((*columns, ROW, WEIGHT), read(relation), start)
        case BothEndsScan(_, columns):
            behind = [ROW, ENDS] if relation.with_id else [ENDS]
            return _leaf((*columns, *behind), read(relation), start)
        case Shared():
            shown = _select_list(_names(relation, 0), start)
            return f"SELECT {shown} FROM {read(relation)}"
        case Values(rows):
            return " UNION ALL ".join(
                f"SELECT {_select_list(_render_expressions(row), start)}" for row in rows
            )
        case UnionAll(inputs):
            return " UNION ALL ".join(f"({_render(each, read, start)})" for each in inputs)
        case SetOperation(left=left, right=right):
            word = f"{relation.kind.value.upper()}{' ALL' if relation.all else ''}"
            one, other = (_render(side, read, start) for side in (left, right))
            return f"({one}) {word} ({other})"
        case _:
            return _render_select(relation, read, start)


def _leaf(names: Sequence[str], relation: str, start: int) -> str:
    return f"SELECT {_select_list([quote(name) for name in names], start)} FROM {relation}"


def _render_select(
    relation: Project | Filter | Aggregate | Window | Distinct | Generate | Join,
    read: Read,
    start: int,
) -> str:
    match relation:
        case Project(expressions=expressions):
            values = _render_expressions(expressions)
            return f"SELECT {_select_list(values, start)} {_from(relation.input, read)}"
        case Aggregate(keys=keys, aggregates=aggregates):
            shown = _select_list(
                [*_render_expressions(keys), *_render_expressions(aggregates)], start
            )
            return f"SELECT {shown} {_from(relation.input, read)}{_render_group_by(keys)}"
        case Window(input=below, functions=functions):
            added = _select_list(_render_expressions(functions, start), start + below.width)
            shown = ", ".join([*_names(below, start), added])
            return f"SELECT {shown} {_from(below, read, start)}"
        case Distinct(below):
            return f"SELECT DISTINCT {_all(below, start)} {_from(below, read, start)}"
        case _:
            return f"SELECT {_all(relation, start)} {_from(relation, read, start)}"


def _from(relation: Relation, read: Read, start: int = 0) -> str:
    """Return FROM and WHERE of a query over a relation."""
    conditions = []
    while isinstance(relation, Filter):
        conditions.append(_render_expression(relation.condition, start))
        relation = relation.input
    where = _where(conditions[::-1])
    match relation:
        case Join():
            return f"FROM {_join(relation, read, start)}{where}"
        case Generate(input=below, function=function):
            made = ", ".join(_names(relation, start)[below.width :])
            rows = function.to_sql(lambda number: f"l.c{start + number}")
            inner = _render(below, read, start)
            return f"FROM ({inner}) AS l, LATERAL ({rows}) AS g({made}){where}"
        case _:
            return f"FROM {_side(relation, read, start)}{where}"


def _where(conditions: Sequence[str]) -> str:
    # of "FROM a WHERE (b)" Spark reads that a is named WHERE, and its column b
    one = conditions[0] if len(conditions) == 1 else " AND ".join(f"({c})" for c in conditions)
    return f" WHERE {one}" if conditions else ""


def _side(relation: Relation, read: Read, start: int) -> str:
    match relation:
        case Join():
            return f"({_join(relation, read, start)})"
        case Shared() if start == 0:
            return read(relation)
        case _:
            return f"({_render(relation, read, start)})"


def _join(join: Join, read: Read, start: int) -> str:
    sign = "<=>" if join.null_safe else "="
    behind = start + join.left.width
    conditions = [
        f"({_render_expression(one, start)}) {sign} ({_render_expression(other, behind)})"
        for one, other in join.equalities
    ]
    if join.residual is not None:
        conditions.append(f"({_render_expression(join.residual, start)})")
    on = f" ON {' AND '.join(conditions)}" if conditions else ""
    if not on and join.kind is not JoinKind.INNER:
        on = " ON true"
    word = _JOINS[join.kind] if on else "CROSS JOIN"
    return f"{_side(join.left, read, start)} {word} {_side(join.right, read, behind)}{on}"


def _render_group_by(keys: Sequence[Expression]) -> str:
    # a number alone would be a place in the SELECT list
    grouped = [
        _render_expression(key) if key.columns else f"coalesce({_render_expression(key)})"
        for key in keys
    ]
    return f" GROUP BY {', '.join(grouped)}" if keys else ""


def _names(relation: Relation, start: int) -> list[str]:
    return [f"c{at}" for at in range(start, start + relation.width)]


def _all(relation: Relation, start: int) -> str:
    return ", ".join(_names(relation, start)) or "1"


def _render_expression(expression: Expression, start: int = 0) -> str:
    return expression.to_sql(lambda number: f"c{start + number}")


def _render_expressions(expressions: Sequence[Expression], start: int = 0) -> list[str]:
    return [_render_expression(each, start) for each in expressions]


def _select_list(values: Sequence[str], start: int) -> str:
    return ", ".join(f"{value} AS c{at}" for at, value in enumerate(values, start=start)) or "1"
