"""Conditions of WHERE on the partition columns of external tables, which prune files."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.scopes import FromSource, Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.trees import copy_expression, holds_tables, own_columns
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["note_partition_conditions"]

# joins whose other side is not kept whole; a LEFT JOIN keeps what stands before it
_PLAIN_SIDES = {"", "LEFT"}
_PLAIN_KINDS = {"", "INNER", "OUTER", "CROSS"}


def note_partition_conditions(slots: StatementSlots, node: exp.Select, scope: Scope) -> None:
    """Note the conditions of a SELECT's WHERE that are about the partitions of one table alone.

    A row for which such a condition is not true is in no result: the files of other partitions need
    not be read. The names of the SELECT are resolved.
    """
    where = node.args.get("where")
    sources = [source for source in scope.sources if source.relation.partitions and source.slot]
    if where is None or not sources or not _joins_plainly(node):
        return
    kept_apart = _right_sides(node)
    for condition in _conjuncts(where.this):
        source = _only_source(condition, scope)
        if source is not None and source in sources and source.alias not in kept_apart:
            written = copy_expression(condition)
            for column in own_columns(written):
                column.set("table", None)
            slots.note_condition(source.slot, written)


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    pending = [node]
    while pending:
        part = pending.pop().unnest()
        if isinstance(part, exp.And):
            pending += [part.right, part.left]
        else:
            yield part


def _joins_plainly(node: exp.Select) -> bool:
    """Tell whether WHERE alone decides which rows of each source are in the result."""
    joins = node.args.get("joins") or ()
    start = node.args.get("from_")
    entries = [join.this for join in joins] + ([] if start is None else [start.this])
    # joins in parentheses have sides of their own
    if any(holds_tables(entry) or entry.args.get("joins") for entry in entries):
        return False
    return all(
        (join.side or "").upper() in _PLAIN_SIDES
        and (join.kind or "").upper() in _PLAIN_KINDS
        and not join.method
        for join in joins
    )


def _right_sides(node: exp.Select) -> set[str]:
    """Return the entries whose rows may be missing: LEFT JOIN gives NULLs for them."""
    joins = node.args.get("joins") or ()
    return {str(join.this.alias_or_name) for join in joins if (join.side or "").upper() == "LEFT"}


def _only_source(condition: exp.Expr, scope: Scope) -> FromSource | None:
    """Return the one source whose partition columns a condition is about; None for another."""
    if condition.find(exp.Query, exp.Window, exp.AggFunc) is not None:
        return None
    # what a function of the user's gives is known to the user alone
    if condition.find(exp.Anonymous) is not None:
        return None
    columns = own_columns(condition)
    owners: list[FromSource] = []
    for column in columns:
        owner = _owner(column, scope)
        if owner is None or fold(fold_identifier(column.this)) not in owner.relation.partitions:
            return None
        owners.append(owner)
    is_one = bool(owners) and all(owner is owners[0] for owner in owners)
    return owners[0] if is_one else None


def _owner(column: exp.Column, scope: Scope) -> FromSource | None:
    """Return the source in this SELECT that a column is of, None where that is not certain."""
    if not isinstance(column.this, exp.Identifier):
        return None
    if column.table:
        key = column.args["table"].meta.get("source")
        return next((source for source in scope.sources if source.key == key), None)
    name = fold_identifier(column.this)
    owners = [source for source in scope.sources if source.may_have(name)]
    return owners[0] if len(owners) == 1 else None
