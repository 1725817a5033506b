"""DELETE, and the parts shared by UPDATE, DELETE and MERGE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from icemelt.errors import QueryError
from icemelt.names import ObjectName, fold
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import Assignment, Effect, RowLevel, RowLevelKind, TableReference

__all__ = [
    "build_row_level",
    "build_select",
    "get_alias",
    "read_assignments",
    "read_delete",
    "read_value",
    "render_source",
    "require_named_once",
]


def read_delete(reader: StatementReader) -> RowLevel:
    """Read `DELETE FROM t [AS] a [USING …] [WHERE …]`; USING becomes EXISTS."""
    reader.need("DELETE", "FROM")
    name = reader.read_object_name()
    alias = reader.read_alias("USING", "WHERE") or name.last
    written = reader.read_list(reader.read_source) if reader.take("USING") else []
    where = reader.read_expression("a condition") if reader.take("WHERE") else None
    composer = reader.composer
    scope = composer.make_target_scope(name, alias)
    with composer.without_barriers():
        sources = [composer.resolve_source(source, scope) for source in written]
    written_table = scope.sources[0]
    if sources:
        scope = composer.make_comparison_scope(written_table, scope.sources[1:])
    test = None if where is None else composer.resolve_condition(where, scope)
    target = composer.slots.target_reference(name)
    if sources:
        literal = exp.alias_(exp.Literal.number(1), "found", quoted=True)
        matches = composer.render(build_select([literal], sources, test))
        condition = f" WHERE EXISTS ({matches})"
    else:
        condition = "" if test is None else f" WHERE {composer.render(test)}"
    text = f"DELETE FROM {target.slot} AS {composer.quote_alias(written_table)}{condition}"
    statement = build_row_level(reader, RowLevelKind.DELETE, text, target, [])
    return replace(statement, unsettled=tuple(scope.unsettled))


def read_assignments(
    reader: StatementReader, target: ObjectName, alias: str
) -> list[tuple[str, exp.Expr | None]]:
    """Read `column = value, …`; None stands for the word DEFAULT.

    Args:
        reader: the reader of the statement.
        target: the written table, by whose name or alias a column may be named.
        alias: the alias of the table.
    """
    pairs = reader.read_list(lambda: _read_assignment(reader, target, alias))
    require_named_once([column for column, _ in pairs])
    return pairs


def require_named_once(columns: Sequence[str]) -> None:
    """Require that a column is given a value at most once.

    >>> require_named_once(["a", "b"])
    >>> require_named_once(["a", "A"])
    Traceback (most recent call last):
    icemelt.errors.QueryError: Column 'A' is given twice.
    Hint: Name each column once.
    """
    seen: set[str] = set()
    for column in columns:
        if fold(column) in seen:
            raise QueryError(f"Column {column!r} is given twice.", hint="Name each column once.")
        seen.add(fold(column))


def read_value(reader: StatementReader, *stops: str) -> exp.Expr | None:
    """Read an expression; None for the word DEFAULT before `,`, `)`, one of `stops` or the end."""
    start = reader.mark()
    if reader.take("DEFAULT"):
        if reader.is_at_end or reader.is_at(",") or reader.is_at(")") or reader.word in stops:
            return None
        reader.back(start)
    return reader.read_expression("a value")


def build_row_level(
    reader: StatementReader,
    kind: RowLevelKind,
    text: str,
    target: TableReference,
    assignments: list[Assignment],
    exact: str | None = None,
) -> RowLevel:
    """Return a statement with the table references and context values read until now.

    Args:
        reader: the reader of the statement.
        kind: UPDATE or DELETE.
        text: the statement as Spark SQL with slots.
        target: the slot of the written table.
        assignments: values for columns; empty for a DELETE.
        exact: a slower text, run if Spark refuses several source rows for a target row.
    """
    query = reader.composer.finish_query(text)
    return RowLevel(
        kind,
        text,
        target,
        query.references,
        tuple(assignments),
        effects=(Effect.DELETED if kind is RowLevelKind.DELETE else Effect.UPDATED,),
        context=query.context,
        exact=exact,
        functions=query.functions,
    )


def build_select(
    columns: list[exp.Expr], sources: list[exp.Expr], where: exp.Expr | None = None
) -> exp.Select:
    """Return a SELECT of resolved parts.

    Args:
        columns: the expressions of the SELECT list.
        sources: entries of FROM, joined by commas; at least one.
        where: the condition; None for no WHERE.
    """
    joins = [exp.Join(this=source) for source in sources[1:]]
    condition = None if where is None else exp.Where(this=where)
    start = exp.From(this=sources[0])
    return exp.Select(expressions=columns, from_=start, joins=joins, where=condition)


def get_alias(source: exp.Expr) -> str:
    """Return the folded alias of an entry of FROM, empty for an entry without an alias."""
    alias = source.args.get("alias")
    return fold_identifier(alias.this) if alias is not None and alias.this is not None else ""


def render_source(reader: StatementReader, source: exp.Expr) -> str:
    """Return the source of a MERGE as Spark SQL; VALUES becomes a subquery."""
    text = reader.composer.render(source)
    if not isinstance(source, exp.Values):
        return text
    return f"(SELECT * FROM {text}) AS {reader.composer.render(source.args['alias'].this)}"


def _read_assignment(
    reader: StatementReader, target: ObjectName, alias: str
) -> tuple[str, exp.Expr | None]:
    name = reader.read_object_name("column")
    table = tuple(map(fold, name.parts[:-1]))
    path = tuple(map(fold, target.parts))
    if table and table != (fold(alias),) and table != path[-len(table) :]:
        message = f"SET changes columns of {alias!r}, found {str(name)!r}."
        raise QueryError(message, hint=f"Write SET {name.last} = ….")
    reader.need("=")
    return name.last, read_value(reader, "FROM", "WHERE", "WHEN")
