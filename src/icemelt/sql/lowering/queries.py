"""Lower queries to the algebra: SELECT, set operations and WITH. This module is the room's door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from icemelt.algebra.expressions import column
from icemelt.algebra.nodes import Distinct, Relation, SetKind, SetOperation, UnionAll
from icemelt.names import fold
from icemelt.schema import DataType
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.lowering.comparing import align_column_types
from icemelt.sql.lowering.context import Context, NamedRelation, Ordering
from icemelt.sql.lowering.exact import Types
from icemelt.sql.lowering.limits import take_limited_rows
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.lowering.select import lower_select
from icemelt.sql.lowering.sources import lower_values

__all__ = ["lower_query"]

_LIMIT_CLAUSES = ("limit", "offset")
_QUERIES_BETWEEN_TYPES = 16


def lower_query(
    tree: exp.Expr,
    columns: Mapping[str, Mapping[str, DataType]],
    first_slots: Mapping[str, str],
    prefix: str,
    render: Callable[[exp.Expr], str],
) -> tuple[NamedRelation, tuple[Ordering, ...]]:
    """Return a resolved query as algebra, and the relations of which the query's LIMITs take rows.

    The caller has to ask whether the orders of these relations are total: `require_total_orders`.

    Args:
        tree: the query, whose names are resolved.
        columns: the types of the columns of the table in each slot, by slot and name.
        first_slots: the slot of a table's first mention, by the slot of any mention.
        prefix: the beginning of names that no text of the statement has.
        render: a function that returns the Spark SQL of a tree.

    Raises:
        UnsupportedError: the query has a part without changes.
    """
    context = Context(Types(columns), prefix, render, _lower_node, first_slots)
    return _lower_node(tree, context, None), tuple(context.orderings)


def _lower_node(node: exp.Expr, context: Context, parent: SelectNames | None) -> NamedRelation:
    context = _add_ctes(node, context, parent)
    match node:
        case exp.Select():
            return lower_select(node, context, parent)
        case exp.Subquery():
            query = _lower_node(node.this, context, parent)
        case exp.SetOperation():
            query = _lower_set_operation(node, context, parent)
        case exp.Values():
            query = lower_values(node, context, parent)
        case _:
            raise AssertionError(node.key)
    return take_limited_rows(query, node, context)


def _add_ctes(node: exp.Expr, context: Context, parent: SelectNames | None) -> Context:
    clause = node.args.get("with_")
    if clause is None:
        return context
    if clause.args.get("recursive"):
        raise unsupported_error("recursion")
    for number, cte in enumerate(clause.expressions):
        alias = cte.args["alias"]
        query = _lower_node(cte.this, context, parent)
        if number % _QUERIES_BETWEEN_TYPES == 0:
            _find_types(query.relation, context.types)
        titles = [fold_identifier(title) for title in alias.columns]
        query = replace(query, names=(*titles, *query.names[len(titles) :]))
        named = {fold(fold_identifier(alias.this)): (query, parent)}
        context = replace(context, ctes={**context.ctes, **named})
    return context


def _find_types(relation: Relation, types: Types) -> None:
    """Find the types of a query's columns, which are kept.

    The type of a column above is then found without a recursion through all queries below.
    """
    for at in range(relation.width):
        types.kind(column(at), relation)


def _lower_set_operation(
    node: exp.SetOperation, context: Context, parent: SelectNames | None
) -> NamedRelation:
    """Lower a chain of set operations from left to right, without recursion into the left side."""
    operations = [node]
    while isinstance(operations[-1].this, exp.SetOperation) and not operations[-1].args.get(
        "with_"
    ):
        operations.append(operations[-1].this)
    result = _lower_node(operations[-1].this, context, parent)
    for operation in reversed(operations):
        if operation is not node and any(operation.args.get(part) for part in _LIMIT_CLAUSES):
            raise unsupported_error("limit")
        right = _lower_node(operation.expression, context, parent)
        keeps_duplicates = not operation.args.get("distinct")
        pair = align_column_types(result.relation, right.relation, context.types)
        match operation:
            case exp.Union():
                union = UnionAll(pair)
                result = replace(result, relation=union if keeps_duplicates else Distinct(union))
            case exp.Except():
                operation_node = SetOperation(SetKind.EXCEPT, *pair, all=keeps_duplicates)
                result = replace(result, relation=operation_node)
            case _:
                operation_node = SetOperation(SetKind.INTERSECT, *pair, all=keeps_duplicates)
                result = replace(result, relation=operation_node)
    return result
