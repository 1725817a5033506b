"""Settle expressions: names become numbers of columns, and subqueries are lowered and set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from sqlglot import exp

from icemelt.algebra.expressions import Expression
from icemelt.errors import ColumnNotFound
from icemelt.names import fold
from icemelt.sql.analysis.stars import NamedColumns
from icemelt.sql.analysis.trees import replace_node
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.analysis.volatile import VOLATILE
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition, count_step
from icemelt.sql.lowering.context import Context, marker, number_of
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import SPARKS_VOLATILE, unsupported_error

__all__ = [
    "LoweredSubquery",
    "add_common_conditions",
    "conjuncts",
    "join_by_and",
    "numbers_in",
    "renumber_columns",
    "replace_parts",
    "settle",
]


class LoweredSubquery(exp.Expression):
    """A lowered subquery inside an expression.

    Arguments of the node are `kind` ("exists", "in" or "scalar"), `operands` (the values on the
    left of IN) and `query` (the lowered query). Columns of outer SELECTs are negative numbers in
    the query.
    """

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "operands": False, "query": True}


def settle(tree: exp.Expr, names: SelectNames, context: Context) -> exp.Expr:
    """Return a copy of a tree with numbered columns and `LoweredSubquery` nodes.

    Args:
        tree: an expression whose names are resolved.
        names: the names that the expression sees.
        context: the context of the statement.

    Raises:
        ColumnNotFound: no table has a column.
        QueryError: several tables have a column.
        UnsupportedError: the tree calls a function that gives another value each time.
    """
    holder = exp.Paren(this=tree.copy())
    for query in list(_outermost_queries(holder)):
        _lower_subquery(query, names, context)
    for star in list(holder.find_all(exp.Star)):
        _expand_star(star, names)
    for column in list(holder.find_all(exp.Column)):
        count_step()
        if not is_unit(column) and number_of(column) is None and not _is_parameter(column):
            _settle_column(column, names)
    for call in holder.find_all(exp.Anonymous):
        if call.name.upper() in VOLATILE or call.name.lower() in SPARKS_VOLATILE:
            raise unsupported_error("volatile")
    settled: exp.Expr = holder.this
    return _push_down_not(settled)


def replace_parts(tree: exp.Expr, replacement: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """Return a copy of a tree in which nodes are replaced; a replacement is not searched again.

    Args:
        tree: any tree.
        replacement: a function that returns the new node for a node, or None to keep the node.

    >>> from sqlglot import parse_one
    >>> one = exp.Literal.number(1)
    >>> replace_parts(parse_one("a + b"), lambda n: one if n.name == "a" else None).sql()
    '1 + b'
    """
    holder = exp.Paren(this=tree.copy())
    pending = [holder]
    while pending:
        for child in list(pending.pop().iter_expressions()):
            new = replacement(child)
            if new is None:
                pending.append(child)
            else:
                replace_node(new.copy(), child)
    result: exp.Expr = holder.this
    return result


def renumber_columns(tree: exp.Expr, number: Callable[[int], int]) -> exp.Expr:
    """Return a copy of a settled tree with new numbers of columns, which `number` returns."""

    def replacement(node: exp.Expr) -> exp.Expr | None:
        found = number_of(node)
        return None if found is None else marker(number(found), node)

    return replace_parts(tree, replacement)


def numbers_in(tree: exp.Expr) -> set[int]:
    """Return the numbers of the columns that a settled tree reads outside of subqueries."""
    numbers = {number_of(column) for column in tree.find_all(exp.Column)}
    return {number for number in numbers if number is not None}


def conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that AND joins in a tree.

    >>> from sqlglot import parse_one
    >>> [each.sql() for each in conjuncts(parse_one("(a AND b) AND (c OR d)"))]
    ['a', 'b', 'c OR d']
    """
    return _flatten_connector(tree, exp.And)


def add_common_conditions(conditions: list[exp.Expr]) -> list[exp.Expr]:
    """Return conditions with the conditions that all branches of an OR have in common.

    >>> from sqlglot import parse_one
    >>> [each.sql() for each in add_common_conditions([parse_one("(a AND b) OR (a AND c)")])]
    ['a', '(a AND b) OR (a AND c)']
    """
    result = []
    for condition in conditions:
        if isinstance(condition, exp.Or) and not condition.find(LoweredSubquery):
            first, *other_branches = [
                conjuncts(branch) for branch in _flatten_connector(condition, exp.Or)
            ]
            result += [
                candidate
                for candidate in first
                if all(candidate in branch for branch in other_branches)
            ]
        result.append(condition)
    return result


def join_by_and(conditions: list[Expression]) -> Expression | None:
    """Return the conjunction of conditions, or None for no conditions."""
    if len(conditions) <= 1:
        return conditions[0] if conditions else None
    parts: list[str | int] = []
    for condition in conditions:
        parts += [*([" AND ("] if parts else ["("]), *condition.parts, ")"]
    return Expression(tuple(parts))


def _flatten_connector(tree: exp.Expr, connector: type[exp.Connector]) -> list[exp.Expr]:
    operands, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, connector):
            pending += [node.right, node.left]
        elif isinstance(node, exp.Paren):
            pending.append(node.this)
        else:
            operands.append(node)
    return operands


def _push_down_not(tree: exp.Expr) -> exp.Expr:
    """Push NOT down to the subqueries, by De Morgan's laws, as Spark does.

    NOT IN over a subquery is no mere negation: an IN that is NULL is not true, and neither is its
    NOT IN.
    """

    def replacement(node: exp.Expr) -> exp.Expr | None:
        if not isinstance(node, exp.Not) or node.find(LoweredSubquery) is None:
            return None
        match node.this.unnest():
            case exp.Not(this=inner):
                return _push_down_not(inner)
            case exp.And(this=left, expression=right):
                parts: exp.Expr = exp.Or(this=exp.Not(this=left), expression=exp.Not(this=right))
            case exp.Or(this=left, expression=right):
                parts = exp.And(this=exp.Not(this=left), expression=exp.Not(this=right))
            case _:
                return None
        return _push_down_not(exp.Paren(this=parts))

    return replace_parts(tree, replacement)


def _outermost_queries(holder: exp.Expr) -> Iterator[exp.Query]:
    # the operands of IN come before the query of IN
    for node in holder.walk(bfs=False, prune=lambda each: isinstance(each, exp.Query)):
        if isinstance(node, exp.Query):
            yield node


def _lower_subquery(query: exp.Query, names: SelectNames, context: Context) -> None:
    """Lower a subquery, and put a single node in place of the subquery and its comparison."""
    lowered = context.query(query, context, names)
    comparison = query.parent
    match comparison:
        case exp.Exists():
            kind, operand = "exists", None
        case exp.In() if comparison.args.get("query") is query:
            kind, operand = "in", comparison.this
        case _:
            comparison, kind, operand = query, "scalar", None
    operands = operand.unnest().expressions if isinstance(operand, exp.Tuple) else [operand]
    operands = [operand.copy() for operand in operands if operand is not None]
    sub = LoweredSubquery(kind=kind, operands=operands, query=lowered)
    if comparison is not None:
        replace_node(sub, comparison)


def _expand_star(star: exp.Star, names: SelectNames) -> None:
    """Replace a star inside a function by all columns; in COUNT a star counts rows and stays."""
    node = star.parent if isinstance(star.parent, exp.Column) else star
    call = node.parent
    if isinstance(star, NamedColumns) or call is None or call.name.upper() == "COUNT":
        return
    table = node.args.get("table")
    entry = None if table is None else names.find_entry(table)
    left_out = {
        fold(fold_identifier(identifier)) for identifier in star.find_all(exp.Identifier)
    } - {""}
    columns_of_star = names.shown if entry is None else entry.columns
    count_repetition(len(columns_of_star), Repeated.COLUMN)
    marked_columns = [
        (name, marker(number)) for name, number in columns_of_star if fold(name) not in left_out
    ]
    if isinstance(call, exp.Struct) or call.name.upper().startswith("OBJECT_CONSTRUCT"):
        columns = [exp.alias_(column, name, quoted=True) for name, column in marked_columns]
        replace_node(NamedColumns(expressions=columns), node)
    else:
        call.set(
            "expressions",
            [
                each
                for argument in call.expressions
                for each in (
                    [column for _, column in marked_columns] if argument is node else [argument]
                )
            ],
        )


def _settle_column(column: exp.Column, names: SelectNames) -> None:
    """Replace a column's name by the number of the column, or by the expression of an alias."""
    if isinstance(column.this, exp.Star):
        return
    parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
    column_and_fields = _find_column(parts, names)
    if column_and_fields is None:
        written = ".".join(fold_identifier(part) for part in parts)
        raise ColumnNotFound(
            f"Column {written!r} is in none of the tables here.",
            hint="DESCRIBE TABLE shows a table's columns.",
        )
    meant, fields = column_and_fields
    node: exp.Expr = marker(meant, column) if isinstance(meant, int) else exp.Paren(this=meant)
    for part in fields:
        node = exp.Dot(this=node, expression=part.copy())
    replace_node(node, column)


def _find_column(
    parts: list[exp.Identifier], names: SelectNames
) -> tuple[int | exp.Expr, list[exp.Identifier]] | None:
    """Return the column that a dotted name means, and the fields inside the column."""
    if len(parts) > 1:
        qualified = names.find_qualified(parts[0], fold_identifier(parts[1]))
        if qualified is not None:
            return qualified, parts[2:]
    unqualified = names.find_unqualified(fold_identifier(parts[0]))
    return None if unqualified is None else (unqualified, parts[1:])


def _is_parameter(column: exp.Column) -> bool:
    """Tell whether a name is a parameter of a lambda."""
    ancestor = column.find_ancestor(exp.Lambda)
    while ancestor is not None:
        if fold(fold_identifier(column.parts[0])) in {
            fold(parameter.name) for parameter in ancestor.expressions
        }:
            return True
        ancestor = ancestor.find_ancestor(exp.Lambda)
    return False
