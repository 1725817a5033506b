"""SELECT and EXPLAIN."""

from __future__ import annotations

from collections.abc import Callable

from icemelt.errors import NotYet
from icemelt.sql.grammar.asking import find_system_call
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    Ask,
    CancelRuns,
    EnableTasks,
    Explain,
    Query,
    Select,
    SetReturnValue,
    SetVariables,
    Statement,
)

__all__ = ["read_explain", "read_query", "read_select"]


def read_select(
    reader: StatementReader,
) -> Select | Ask | EnableTasks | CancelRuns | SetReturnValue | SetVariables:
    """Read a query for the user's eyes, or a system call written as a SELECT."""
    node, compose = reader.read_query(), reader.composer.compose_query
    return find_system_call(node, compose) or Select(compose(node))


def read_query(reader: StatementReader) -> Query:
    """Read a query inside a statement."""
    return reader.composer.compose_query(reader.read_query())


def read_explain(
    reader: StatementReader, statement: Callable[[StatementReader], Statement]
) -> Explain:
    """Read `EXPLAIN [ANALYZE] [EXTENDED] [USING TEXT] statement`.

    Args:
        reader: the reader.
        statement: a function that reads the explained statement.
    """
    reader.need("EXPLAIN")
    if reader.is_at("FORMATTED"):
        raise NotYet("EXPLAIN FORMATTED is not supported.", hint="EXPLAIN EXTENDED SELECT …")
    is_analyzed = reader.take("ANALYZE")
    is_extended = reader.take("EXTENDED")
    if reader.take("USING"):
        form = reader.need_one("TEXT", "TABULAR", "JSON")
        if form != "TEXT":
            raise NotYet(f"EXPLAIN USING {form} is not supported.", hint="EXPLAIN USING TEXT …")
    return Explain(statement(reader), is_extended, is_analyzed)
