"""UPDATE: in place, or as a MERGE of Spark if the values come from other tables.

`UPDATE … FROM` becomes a MERGE. Snowflake takes any source row if several match a target row; Spark
refuses. The *exact form*, for an UPDATE that Spark refuses, ranks the source rows of a target row
by value and keeps the first. The exact form recognizes a target row by all columns: equal rows
get equal new values.

Values with subqueries are computed in a query over the target's columns, because Spark's UPDATE and
MERGE do not take all subqueries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.schema import DataType
from icemelt.spark_sql.equality import canonical_form, equality_condition
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.grammar.rows import (
    build_row_level,
    build_select,
    get_alias,
    read_assignments,
    render_source,
)
from icemelt.sql.reader import StatementReader
from icemelt.sql.spark.plain_words import SparkText
from icemelt.sql.statements import Assignment, RowLevel, RowLevelKind, TableReference

__all__ = ["read_update"]


@dataclass(slots=True)
class _Update:
    """The resolved parts of an UPDATE.

    Attributes:
        target: the slot of the written table.
        alias: the target's alias, folded; `name` is the alias as Spark SQL.
        assignments: columns with new values; None is the word DEFAULT.
        sources: the entries of FROM.
        where: the condition; None for no WHERE.
        columns: names and types of the target's columns; empty if unknown.
        unsettled: columns that may be the target's or a source's, see `RowLevel`.
    """

    target: TableReference
    alias: str
    name: str
    assignments: list[tuple[str, exp.Expr | None]]
    sources: list[exp.Expr]
    where: exp.Expr | None
    columns: dict[str, DataType]
    unsettled: tuple[str, ...]

    @property
    def into(self) -> str:
        """The written table under the alias."""
        return f"{self.target.slot} AS {self.name}"

    @property
    def computes_queries(self) -> bool:
        """Whether a value holds a subquery."""
        return any(_has_query(value) for _, value in self.assignments)


def read_update(reader: StatementReader) -> RowLevel:
    """Read `UPDATE t [AS] a SET c = e, … [FROM …] [WHERE …]`."""
    reader.need("UPDATE")
    name = reader.read_object_name()
    alias = reader.read_alias("SET") or name.last
    reader.need("SET")
    written = read_assignments(reader, name, alias)
    entries = reader.read_list(reader.read_source) if reader.take("FROM") else []
    where = reader.read_expression("a condition") if reader.take("WHERE") else None
    composer = reader.composer
    scope = composer.make_target_scope(name, alias)
    target_columns = scope.sources[0].relation.columns or {}
    sources = [composer.resolve_source(entry, scope) for entry in entries]
    if sources:
        scope = composer.make_comparison_scope(scope.sources[0], scope.sources[1:])
    with composer.writing_values():
        assignments = [
            (column, None if value is None else composer.resolve_expression(value, scope))
            for column, value in written
        ]
    condition = None if where is None else composer.resolve_condition(where, scope)
    update = _Update(
        composer.slots.target_reference(name),
        alias,
        composer.quote_alias(scope.sources[0]),
        assignments,
        sources,
        condition,
        {column: kind for column, kind in target_columns.items() if kind is not None},
        tuple(scope.unsettled) if len(sources) > 1 else (),
    )
    return _build_statement(reader, update)


def _build_statement(reader: StatementReader, update: _Update) -> RowLevel:
    return replace(_choose_form(reader, update), unsettled=update.unsettled)


def _choose_form(reader: StatementReader, update: _Update) -> RowLevel:
    holds_queries = update.computes_queries or _has_query(update.where)
    if update.columns and (update.computes_queries or (update.sources and holds_queries)):
        return _build_computed_merge(reader, update)
    if not update.sources:
        return _build_update(reader, update)
    if holds_queries:
        hint = "Put the subquery into FROM (SELECT …) AS name."
        raise NotYet("UPDATE … FROM with a subquery in a value or in WHERE is planned.", hint=hint)
    return _build_merge(reader, update)


def _build_update(reader: StatementReader, update: _Update) -> RowLevel:
    assignments = _build_assignments(reader, update)
    where = "" if update.where is None else f" WHERE {reader.composer.render(update.where)}"
    text = f"UPDATE {update.into} SET {_render_set(update, assignments)}{where}"
    return build_row_level(reader, RowLevelKind.UPDATE, text, update.target, assignments)


def _build_merge(reader: StatementReader, update: _Update) -> RowLevel:
    """Return `UPDATE … FROM` as a MERGE, with an exact form if the target's columns are known.

    For example, `UPDATE t SET v = s.v FROM s WHERE t.id = s.id` becomes

        MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.v = s.v

    and, with a table t of columns id and v, the exact form is

        MERGE INTO t USING (
          SELECT * FROM (
            SELECT s.*, t.id AS old0, t.v AS old1, row_number() OVER (
              PARTITION BY t.id, t.v ORDER BY to_json(struct(s.*))) AS rank
            FROM t JOIN s ON t.id = s.id)
          WHERE rank = 1) AS s
        ON t.id <=> s.old0 AND t.v <=> s.old1 WHEN MATCHED THEN UPDATE SET t.v = s.v
    """
    source, name = _join_sources(reader, update)
    condition = "true" if update.where is None else reader.composer.render(update.where)
    assignments = _build_assignments(reader, update)
    then = f"WHEN MATCHED THEN UPDATE SET {_render_set(update, assignments)}"
    text = f"MERGE INTO {update.into} USING {source} ON {condition} {then}"
    exact = None
    if update.columns:
        rank = quote(reader.composer.slots.hidden_name("rank"))
        order = f"PARTITION BY {_render_row_key(update)} ORDER BY to_json(struct({name}.*))"
        pairs = (
            f"SELECT {name}.*, {_render_kept_columns(reader, update)}, "
            f"row_number() OVER ({order}) AS {rank} FROM {update.into} JOIN {source} ON {condition}"
        )
        one = f"(SELECT * FROM ({pairs}) WHERE {rank} = 1) AS {name}"
        is_same = _render_same_row(reader, update, name)
        exact = f"MERGE INTO {update.into} USING {one} ON {is_same} {then}"
    return build_row_level(reader, RowLevelKind.UPDATE, text, update.target, assignments, exact)


def _join_sources(reader: StatementReader, update: _Update) -> tuple[str, str]:
    """Return FROM as a single relation, and the relation's name.

    A plain entry stays as written. Several entries become a subquery with the columns that values
    and WHERE read, under hidden names; the update's expressions get these names in place.
    """
    first = update.sources[0]
    is_plain = isinstance(first, (exp.Table, exp.Subquery, exp.Values)) and get_alias(first)
    if len(update.sources) == 1 and is_plain and not first.args.get("joins"):
        return render_source(reader, first), reader.composer.render(first.args["alias"].this)
    name = reader.composer.slots.hidden_name("rows")
    carried: dict[tuple[str, str], exp.Expr] = {}
    values = [value for _, value in update.assignments]
    for node in (update.where, *values):
        for column in list(node.find_all(exp.Column)) if node is not None else ():
            table = fold_identifier(column.args.get("table"))
            if not table or fold(table) == fold(update.alias):
                continue
            read = fold(table), fold(fold_identifier(column.this))
            if read not in carried:
                title = reader.composer.slots.hidden_name(f"carried{len(carried)}")
                carried[read] = exp.alias_(column.copy(), title, quoted=True)
            column.set("this", carried[read].args["alias"].copy())
            column.set("table", exp.to_identifier(name, quoted=True))
    columns = list(carried.values()) or [exp.alias_(exp.Literal.number(1), "found", quoted=True)]
    query = reader.composer.render(build_select(columns, update.sources))
    return f"({query}) AS {quote(name)}", quote(name)


def _build_computed_merge(reader: StatementReader, update: _Update) -> RowLevel:
    """Return an UPDATE as a MERGE from a query over the target that computes the new values.

    The query takes values with subqueries, which Spark's UPDATE and MERGE do not all take. Several
    new values for a target row are ranked by value, and the first is kept.
    """
    composer, hidden = reader.composer, reader.composer.slots.hidden_name
    rank, rows = quote(hidden("rank")), quote(hidden("rows"))
    columns: list[exp.Expr] = [SparkText(this=_render_kept_columns(reader, update))]
    assignments: list[Assignment] = []
    values: list[str] = []
    for column, value in update.assignments:
        slot = composer.slots.add_value()
        if value is None:
            assignments.append(Assignment(slot, column, None))
            continue
        kind = kind_of(value)
        name = hidden(f"new{len(values)}")
        values.append(quote(name))
        columns.append(exp.alias_(value, name, quoted=True, copy=False))
        assignments.append(Assignment(slot, column, f"{rows}.{quote(name)}", kind=kind))
    written = exp.Table(this=SparkText(this=update.into))
    inner = composer.render(build_select(columns, [written, *update.sources], update.where))
    keys = ", ".join(
        canonical_form(kind, quote(hidden(f"old{at}")))
        for at, kind in enumerate(update.columns.values())
    )
    order = f"PARTITION BY {keys} ORDER BY to_json(struct({', '.join(values)}))"
    ranked = f"SELECT *, row_number() OVER ({order}) AS {rank} FROM ({inner})"
    text = (
        f"MERGE INTO {update.into} USING (SELECT * FROM ({ranked}) WHERE {rank} = 1) AS {rows} "
        f"ON {_render_same_row(reader, update, rows)} "
        f"WHEN MATCHED THEN UPDATE SET {_render_set(update, assignments)}"
    )
    return build_row_level(reader, RowLevelKind.UPDATE, text, update.target, assignments)


def _build_assignments(reader: StatementReader, update: _Update) -> list[Assignment]:
    composer = reader.composer
    return [
        Assignment(
            composer.slots.add_value(),
            column,
            None if value is None else composer.render(value),
            kind=kind_of(value),
        )
        for column, value in update.assignments
    ]


def _render_set(update: _Update, assignments: list[Assignment]) -> str:
    return ", ".join(
        f"{update.name}.{quote(assignment.column)} = {assignment.slot}"
        for assignment in assignments
    )


def _render_row_key(update: _Update) -> str:
    """Return the target's columns as grouping keys: equal rows have equal keys."""
    columns = update.columns.items()
    return ", ".join(canonical_form(kind, f"{update.name}.{quote(name)}") for name, kind in columns)


def _render_kept_columns(reader: StatementReader, update: _Update) -> str:
    """Return the target's columns under hidden names, as a SELECT list."""
    hidden = reader.composer.slots.hidden_name
    return ", ".join(
        f"{update.name}.{quote(name)} AS {quote(hidden(f'old{at}'))}"
        for at, name in enumerate(update.columns)
    )


def _render_same_row(reader: StatementReader, update: _Update, rows: str) -> str:
    """Return a condition: the target row equals the columns under hidden names in `rows`."""
    hidden = reader.composer.slots.hidden_name
    return " AND ".join(
        equality_condition(
            kind, f"{update.name}.{quote(name)}", f"{rows}.{quote(hidden(f'old{at}'))}"
        )
        for at, (name, kind) in enumerate(update.columns.items())
    )


def _has_query(value: exp.Expr | None) -> bool:
    return value is not None and value.find(exp.Query) is not None
