"""INSERT into a table, and INSERT ALL or FIRST into several tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import ObjectName
from icemelt.sql.analysis.scopes import FromSource, Scope
from icemelt.sql.grammar.queries import read_query
from icemelt.sql.grammar.rows import read_value, require_named_once
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import Branch, Insert, InsertAll

__all__ = ["read_insert"]

_SELECT_ROWS = 64


@dataclass(frozen=True, slots=True)
class _Draft:
    """An INTO of a multi-table INSERT: expressions are read, names are not resolved yet."""

    target: ObjectName
    columns: tuple[str, ...] | None
    values: tuple[exp.Expr | None, ...] | None
    condition: exp.Expr | None
    group: int | None


def read_insert(reader: StatementReader) -> Insert | InsertAll:
    """Read `INSERT [OVERWRITE] INTO t …` or `INSERT [OVERWRITE] {ALL | FIRST} …`."""
    reader.need("INSERT")
    overwrite = reader.take("OVERWRITE")
    word = reader.take_one("ALL", "FIRST")
    if word is not None:
        return _read_several(reader, overwrite=overwrite, first=word == "FIRST")
    if not reader.take("INTO") and not overwrite:
        reader.need("INTO")
    reader.take("TABLE")
    target = reader.read_object_name()
    columns = _read_columns(reader)
    if not reader.is_at("VALUES"):
        return Insert(target, read_query(reader), columns, overwrite)
    rows, defaults = _read_rows(reader)
    query = reader.composer.compose_query(rows)
    return Insert(target, query, columns, overwrite, tuple(defaults), from_values=True)


def _read_columns(reader: StatementReader) -> tuple[str, ...] | None:
    if not _at_columns(reader):
        return None
    columns = reader.read_names("column name")
    require_named_once(columns)
    return columns


def _at_columns(reader: StatementReader) -> bool:
    """Tell whether `(` begins a list of column names, not a query in parentheses."""
    if not reader.is_at("("):
        return False
    start = reader.mark()
    while reader.take("("):
        pass
    is_query = reader.word in {"SELECT", "WITH", "VALUES"}
    reader.back(start)
    return not is_query


def _read_rows(reader: StatementReader) -> tuple[exp.Expr, list[tuple[str, int]]]:
    """Read `VALUES (…), (…)`; return the query, and slots for DEFAULT with positions in the row."""
    reader.need("VALUES")
    defaults: list[tuple[str, int]] = []
    rows = reader.read_list(lambda: _read_row(reader, defaults))
    if len({len(row) for row in rows}) > 1:
        hint = "Give each row the same number of values."
        reader.fail("The rows of VALUES are not of one length.", hint=hint)
    if not defaults or len(rows) > _SELECT_ROWS:
        return exp.Values(expressions=[exp.Tuple(expressions=row) for row in rows]), defaults
    selects = [exp.Select(expressions=row) for row in rows]
    query: exp.Expr = selects[0]
    for select in selects[1:]:
        query = exp.Union(this=query, expression=select, distinct=False)
    return query, defaults


def _read_row(reader: StatementReader, defaults: list[tuple[str, int]]) -> list[exp.Expr]:
    reader.need("(")
    values: list[exp.Expr] = []

    def read_item() -> None:
        value = read_value(reader)
        if value is None:
            slot = reader.composer.slots.add_value()
            defaults.append((slot, len(values)))
            value = exp.Var(this=slot)
        values.append(value)

    reader.read_list(read_item)
    reader.need(")")
    return values


def _read_several(reader: StatementReader, *, overwrite: bool, first: bool) -> InsertAll:
    drafts: list[_Draft] = []
    group = 0
    while reader.is_at("WHEN") or reader.is_at("ELSE"):
        condition = None
        if reader.take("WHEN"):
            condition = reader.read_expression("a condition")
            reader.need("THEN")
        else:
            reader.need("ELSE")
        while reader.is_at("INTO"):
            drafts.append(_read_branch(reader, condition, group))
        group += 1
    if not drafts:
        while reader.is_at("INTO"):
            drafts.append(_read_branch(reader, None, None))
    if not drafts:
        reader.need("INTO")
    if first and group == 0:
        raise NotYet("INSERT FIRST needs a WHEN.", hint="Write INSERT ALL INTO …, or WHEN … THEN.")
    composer = reader.composer
    source, relation = composer.resolve(reader.read_query(), Scope())
    scope = Scope(sources=[FromSource("", relation)])
    branches = tuple(_resolve(reader, draft, scope) for draft in drafts)
    return InsertAll(branches, composer.finish_query(composer.render(source)), first, overwrite)


def _read_branch(reader: StatementReader, condition: exp.Expr | None, group: int | None) -> _Draft:
    reader.need("INTO")
    target = reader.read_object_name()
    columns = _read_columns(reader)
    values: tuple[exp.Expr | None, ...] | None = None
    if reader.take("VALUES"):
        reader.need("(")
        values = tuple(reader.read_list(lambda: read_value(reader)))
        reader.need(")")
    return _Draft(target, columns, values, condition, group)


def _resolve(reader: StatementReader, draft: _Draft, scope: Scope) -> Branch:
    composer = reader.composer

    def text(node: exp.Expr | None, resolve: Callable[[exp.Expr, Scope], exp.Expr]) -> str | None:
        if node is not None and node.find(exp.Query) is not None:
            hint = "Compute it in the query that gives the rows: SELECT …, (SELECT …) AS name."
            raise NotYet("INSERT ALL with a subquery in WHEN or VALUES is planned.", hint=hint)
        return None if node is None else composer.render(resolve(node.copy(), scope))

    values = None
    if draft.values is not None:
        values = tuple(text(value, composer.resolve_expression) for value in draft.values)
    condition = text(draft.condition, composer.resolve_condition)
    return Branch(draft.target, draft.columns, values, condition, draft.group)
