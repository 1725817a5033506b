"""Relations of the algebra as Spark SQL: a subquery for each node, with columns c0, c1, ….

What a leaf reads is given by the caller: for a table a relation with its columns by name and the
row's identity, for its changes one with the weight too, and for what is shared one with c0, c1, ….
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
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
from icemelt.names import quote
from icemelt.sql.weights import ROW, WEIGHT

__all__ = ["Read", "rendered"]

Read = Callable[[Scan | Delta | Shared], str]
_JOINS = {
    JoinKind.INNER: "INNER JOIN",
    JoinKind.LEFT: "LEFT JOIN",
    JoinKind.RIGHT: "RIGHT JOIN",
    JoinKind.FULL: "FULL JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
}


def rendered(relation: Relation, read: Read) -> str:
    """Return a relation as a query.

    >>> from icemelt.algebra.expressions import column
    >>> rendered(Project(Scan("t", ("a", "b")), (column(1),)), lambda scan: scan.source)
    'SELECT c1 AS c0 FROM (SELECT `a` AS c0, `b` AS c1 FROM t)'
    """
    match relation:
        case Scan(_, columns):
            behind = [ROW] if relation.with_id else []
            return _leaf((*columns, *behind), read(relation))
        case Delta(_, columns):
            return _leaf((*columns, ROW, WEIGHT), read(relation))
        case Shared():
            return f"SELECT * FROM {read(relation)}"
        case Values(rows):
            return " UNION ALL ".join(f"SELECT {_listed(_written(row))}" for row in rows)
        case Join():
            return _join(relation, read)
        case UnionAll(inputs):
            return " UNION ALL ".join(f"({rendered(each, read)})" for each in inputs)
        case SetOperation(left=left, right=right):
            word = f"{relation.kind.value.upper()}{' ALL' if relation.every else ''}"
            return f"({rendered(left, read)}) {word} ({rendered(right, read)})"
        case _:
            return _of_one(relation, f"({rendered(relation.input, read)})")


def _leaf(names: Sequence[str], relation: str) -> str:
    return f"SELECT {_listed([quote(name) for name in names]) or '1'} FROM {relation}"


def _of_one(
    relation: Project | Filter | Aggregate | Window | Distinct | Generate, inner: str
) -> str:
    match relation:
        case Project(expressions=expressions):
            return f"SELECT {_listed(_written(expressions))} FROM {inner}"
        case Filter(condition=condition):
            return f"SELECT * FROM {inner} WHERE {_plain(condition)}"
        case Aggregate(keys=keys, aggregates=aggregates):
            return _aggregate(keys, aggregates, inner)
        case Window(functions=functions):
            added = _listed(_written(functions), relation.input.width)
            return f"SELECT *, {added} FROM {inner}"
        case Distinct():
            return f"SELECT DISTINCT * FROM {inner}"
        case Generate(function=function):
            made = ", ".join(f"c{at}" for at in range(relation.input.width, relation.width))
            rows = function.written(lambda number: f"l.c{number}")
            return f"SELECT * FROM {inner} AS l, LATERAL ({rows}) AS g({made})"


def _aggregate(keys: Sequence[Expression], aggregates: Sequence[Expression], inner: str) -> str:
    shown = _listed([*_written(keys), *_written(aggregates)])
    # a number alone would be a place in the SELECT list
    grouped = [_plain(key) if key.columns else f"coalesce({_plain(key)})" for key in keys]
    by = f" GROUP BY {', '.join(grouped)}" if keys else ""
    return f"SELECT {shown} FROM {inner}{by}"


def _join(join: Join, read: Read) -> str:
    width = join.left.width
    sign = "<=>" if join.null_safe else "="

    def side(number: int) -> str:
        return f"l.c{number}" if number < width else f"r.c{number - width}"

    conditions = [
        f"({one.written(lambda at: f'l.c{at}')}) {sign} ({other.written(lambda at: f'r.c{at}')})"
        for one, other in join.equalities
    ]
    if join.residual is not None:
        conditions.append(f"({join.residual.written(side)})")
    on = f" ON {' AND '.join(conditions)}" if conditions else ""
    if not on and join.kind is not JoinKind.INNER:
        on = " ON true"
    shown = _listed([side(number) for number in range(join.width)])
    left, right = rendered(join.left, read), rendered(join.right, read)
    word = _JOINS[join.kind] if on else "CROSS JOIN"
    return f"SELECT {shown} FROM ({left}) AS l {word} ({right}) AS r{on}"


def _plain(expression: Expression) -> str:
    return expression.written(lambda number: f"c{number}")


def _written(expressions: Sequence[Expression]) -> list[str]:
    return [_plain(each) for each in expressions]


def _listed(values: Sequence[str], start: int = 0) -> str:
    return ", ".join(f"{value} AS c{at}" for at, value in enumerate(values, start=start))
