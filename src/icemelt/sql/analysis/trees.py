"""Trees of sqlglot: search trees, and change trees in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlglot import exp

from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition, count_step

__all__ = [
    "columns_of_tuples",
    "copy_expression",
    "drop_open_limits",
    "holds_tables",
    "own_columns",
    "own_parts",
    "parenthesize_predicates",
    "plain_name",
    "quoted_column",
    "replace_node",
    "rows_of",
]

_Part = TypeVar("_Part", bound=exp.Expr)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_PREDICATES = (
    *_COMPARISONS,
    exp.Between,
    exp.Escape,
    exp.Exists,
    exp.ILike,
    exp.In,
    exp.Like,
    exp.Not,
    exp.RegexpLike,
)


def copy_expression(node: exp.Expr) -> exp.Expr:
    """Return a copy of an expression for a place where a name stands for the expression.

    Raises:
        NotYet: the statement becomes too large, as copies of copies do.

    >>> copy_expression(exp.column("a")).sql()
    'a'
    """
    parts = 0
    for _ in node.walk():
        count_step()
        parts += 1
    count_repetition(parts, Repeated.ALIAS)
    copy: exp.Expr = node.copy()
    return copy


def drop_open_limits(query: exp.Expr) -> None:
    """Drop LIMIT NULL and OFFSET NULL, and those of an empty text, which limit nothing, in place.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT a FROM t LIMIT NULL OFFSET 1")
    >>> drop_open_limits(tree)
    >>> tree.sql()
    'SELECT a FROM t OFFSET 1'
    """
    for clause in ("limit", "offset"):
        part = query.args.get(clause)
        value = part.args.get("expression") if isinstance(part, exp.Expr) else None
        is_empty = isinstance(value, exp.Literal) and value.is_string and not value.name
        if is_empty or isinstance(value, exp.Null):
            query.set(clause, None)


def columns_of_tuples(rows: Sequence[exp.Expr]) -> list[tuple[exp.Expr, ...]]:
    """Return the values of tuples, those at one place together; none where a row is no such tuple.

    >>> from sqlglot import parse_one
    >>> rows = [parse_one("(a, b)"), parse_one("(1, 2)")]
    >>> [[each.sql() for each in column] for column in columns_of_tuples(rows)]
    [['a', '1'], ['b', '2']]
    """
    if not all(isinstance(row, exp.Tuple) for row in rows):
        return []
    if len({len(row.expressions) for row in rows}) > 1:
        return []
    return list(zip(*(row.expressions for row in rows), strict=True))


def holds_tables(node: exp.Expr) -> bool:
    """Tell whether parentheses hold joined tables, and not a query.

    >>> from sqlglot import parse_one
    >>> [
    ...     holds_tables(parse_one(f"SELECT * FROM {each}").args["from_"].this)
    ...     for each in ("((a JOIN b))", "(SELECT * FROM a)", "a")
    ... ]
    [True, False, False]
    """
    inner = node
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    return inner is not node and isinstance(inner, exp.Table)


def own_columns(node: exp.Expr) -> list[exp.Column]:
    """Return the columns in an expression, without the columns of subqueries.

    >>> from sqlglot import parse_one
    >>> [each.name for each in own_columns(parse_one("a = 1 OR b IN (SELECT c FROM t)"))]
    ['a', 'b']
    """
    return own_parts(node, exp.Column)


def own_parts(node: exp.Expr, kind: type[_Part]) -> list[_Part]:
    """Return the nodes of a kind in an expression, without the nodes of subqueries.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SUM(a) OVER () + (SELECT SUM(b) OVER () FROM t)")
    >>> [each.sql() for each in own_parts(tree, exp.Window)]
    ['SUM(a) OVER ()']
    """
    parts = []
    for part in node.walk(bfs=False, prune=lambda each: isinstance(each, exp.Query)):
        count_step()
        if isinstance(part, kind):
            parts.append(part)
    return parts


def parenthesize_predicates(node: exp.Expr) -> None:
    """Put predicates that are compared, such as LIKE and IN, into parentheses, in place.

    Spark reads `a = b LIKE c` as `(a = b) LIKE c`, and does not read `a LIKE b IS NULL`.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("a = b LIKE c")
    >>> parenthesize_predicates(tree)
    >>> tree.sql()
    'a = (b LIKE c)'
    """
    if isinstance(node, (*_COMPARISONS, exp.Is)):
        for side in (node.this, node.expression):
            if isinstance(side, _PREDICATES):
                parted = exp.Paren()
                replace_node(parted, side)
                parted.set("this", side)


def plain_name(node: exp.Expr) -> str:
    """Return the name of a column without a table, or of an identifier; empty for other nodes.

    >>> from sqlglot import parse_one
    >>> [plain_name(parse_one(text)) for text in ("a", "t.a", "a + 1")]
    ['a', '', '']
    """
    if isinstance(node, exp.Column):
        is_alone = node.args.get("table") is None and not isinstance(node.this, exp.Star)
        return fold_identifier(node.this) if is_alone else ""
    return fold_identifier(node) if isinstance(node, exp.Identifier) else ""


def quoted_column(name: str) -> exp.Column:
    """Return a column of an exact name.

    >>> quoted_column("a b").sql()
    '"a b"'
    """
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def replace_node(new: exp.Expr, old: exp.Expr) -> None:
    """Replace a node of a tree by another node; the root of a tree stays.

    `Expr.replace` reads all of a list to change one item of the list: a SELECT of a hundred
    thousand columns would take minutes.

    >>> tree = exp.select("a", "b")
    >>> replace_node(exp.column("c"), tree.expressions[1])
    >>> tree.sql()
    'SELECT a, c'
    """
    parent, key, index = old.parent, old.arg_key, old.index
    if parent is None or key is None:
        return
    if index is None:
        parent.set(key, new)
    else:
        parent.args[key][index] = new
        _forget_hashes(parent)
        new.parent, new.arg_key, new.index = parent, key, index
    old.parent = old.arg_key = old.index = None


def rows_of(values: exp.Values) -> list[list[exp.Expr]]:
    """Return the rows of VALUES; a row of a single value may lack parentheses.

    >>> from sqlglot import parse_one
    >>> [len(row) for row in rows_of(parse_one("VALUES (1, 2), 3"))]
    [2, 1]
    """
    return [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]


def _forget_hashes(node: exp.Expr) -> None:
    """Drop the kept hashes of a node and its parents: sqlglot compares trees by hash."""
    ancestor: exp.Expr | None = node
    while ancestor is not None and ancestor._hash is not None:
        ancestor._hash = None
        ancestor = ancestor.parent
