"""MERGE: Snowflake's rule for several source rows, in a MERGE of Spark.

Two source rows may match a target row. Spark refuses before looking at the conditions of the WHEN
clauses. Snowflake refuses only if clauses take both source rows. The text for Spark therefore
leaves out source rows that no clause takes:

* All clauses delete matched rows: the MERGE becomes a DELETE with EXISTS.
* There is no WHEN NOT MATCHED: ON gains D, the disjunction of the WHEN MATCHED conditions. A
  pair of rows joins only if a clause takes the pair.
* There is a WHEN NOT MATCHED: conditions over the source alone filter the source beforehand. The
  *exact form*, for a MERGE that Spark still refuses, computes for every source row whether
  the target has a match, joins on D too, and inserts only source rows without a match.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from sqlglot import exp

from icemelt.errors import NotYet, QueryError
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.analysis.scopes import RelationColumns, Scope
from icemelt.sql.grammar.merge_conditions import (
    describe_absence,
    find_compared_columns,
    is_of_source,
    join_by_or,
    split_conjuncts,
    with_absent_row,
)
from icemelt.sql.grammar.rows import (
    get_alias,
    read_assignments,
    read_value,
    render_source,
    require_named_once,
)
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    Assignment,
    Effect,
    RepeatedKeyQuery,
    RowLevel,
    RowLevelKind,
    TableReference,
    UnnamedColumns,
)

__all__ = ["read_merge"]

_MATCHED, _NOT_MATCHED, _BY_SOURCE = "MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"
_ORDER = (_MATCHED, _NOT_MATCHED, _BY_SOURCE)
_SUBQUERY = "Subqueries in ON and WHEN are not supported."


@dataclass(slots=True)
class _Clause:
    """A WHEN clause with resolved names: kind, condition, and action as Spark SQL with slots."""

    kind: str
    condition: exp.Expr | None
    action: str
    assignments: list[Assignment] = field(default_factory=list)
    unnamed: list[UnnamedColumns] = field(default_factory=list)


@dataclass(slots=True)
class _Merge:
    """The resolved parts of a MERGE.

    Attributes:
        target: the slot of the written table.
        alias: the target's alias, folded; `name` is the alias as Spark SQL.
        source: the source as Spark SQL, with its alias.
        source_alias: the source's alias, folded; `source_name` is the alias as Spark SQL.
        on: the condition of ON.
        clauses: the WHEN clauses in the order of the text.
        scope: the target and the source, as seen by ON and WHEN MATCHED.
        offered: the columns of the source.
        absent: columns of the target read in WHEN NOT MATCHED, where the target has no row.
    """

    target: TableReference
    alias: str
    name: str
    source: str
    source_alias: str
    source_name: str
    on: exp.Expr
    clauses: list[_Clause]
    scope: Scope
    offered: RelationColumns
    absent: list[str] = field(default_factory=list)

    @property
    def into(self) -> str:
        """The written table under the alias."""
        return f"{self.target.slot} AS {self.name}"

    def scope_of(self, kind: str) -> Scope:
        """Return the scope of a kind of clause: only WHEN MATCHED sees target and source."""
        return self.scope if kind == _MATCHED else Scope(sources=self.scope.sources)

    def clauses_of(self, kind: str) -> list[_Clause]:
        """Return the clauses of a kind."""
        return [clause for clause in self.clauses if clause.kind == kind]


def read_merge(reader: StatementReader) -> RowLevel:
    """Read `MERGE INTO t USING source ON condition WHEN … THEN …`."""
    reader.need("MERGE", "INTO")
    name = reader.read_object_name()
    alias = reader.read_alias("USING") or name.last
    reader.need("USING")
    written = reader.read_source(joins=False)
    reader.need("ON")
    condition = reader.read_expression("a condition")
    composer = reader.composer
    offers = Scope()
    source = composer.resolve_source(written, offers)
    both = composer.make_comparison_scope(
        composer.make_target_scope(name, alias).sources[0], offers.sources
    )
    merge = _Merge(
        composer.slots.target_reference(name),
        alias,
        composer.quote_alias(both.sources[0]),
        render_source(reader, source),
        _require_alias(reader, source),
        composer.render(source.args["alias"].this),
        composer.resolve_condition(condition, both),
        [],
        both,
        offers.sources[-1].relation,
    )
    while reader.is_at("WHEN"):
        merge.clauses.append(_read_clause(reader, merge))
    if not merge.clauses:
        reader.need("WHEN")
    _require_no_subquery(merge)
    _require_kept_aliases(reader, merge)
    return _build_statement(reader, merge)


def _require_alias(reader: StatementReader, source: exp.Expr) -> str:
    if not get_alias(source):
        hint = "Write USING (SELECT …) AS name."
        reader.fail("The source of a MERGE needs a name.", hint=hint)
    return get_alias(source)


def _read_clause(reader: StatementReader, merge: _Merge) -> _Clause:
    reader.need("WHEN")
    kind = _MATCHED
    if reader.take("NOT"):
        kind = _NOT_MATCHED
    reader.need("MATCHED")
    if kind == _NOT_MATCHED and reader.take("BY"):
        kind = _BY_SOURCE if reader.need_one("SOURCE", "TARGET") == "SOURCE" else kind
    condition = reader.read_expression("a condition") if reader.take("AND") else None
    reader.need("THEN")
    if condition is not None:
        condition = reader.composer.resolve_condition(condition, merge.scope_of(kind))
    if kind == _NOT_MATCHED:
        reader.need("INSERT")
        return _read_insert(reader, merge, _Clause(kind, condition, "INSERT"))
    if reader.is_at("INSERT"):
        hint = "Write WHEN NOT MATCHED THEN INSERT, or THEN UPDATE SET … here."
        reader.fail(f"WHEN {kind} takes UPDATE or DELETE, found INSERT.", hint=hint)
    if reader.need_one("UPDATE", "DELETE") == "DELETE":
        return _Clause(kind, condition, "DELETE")
    return _read_update(reader, merge, _Clause(kind, condition, "UPDATE"))


def _read_update(reader: StatementReader, merge: _Merge, clause: _Clause) -> _Clause:
    if reader.take("ALL", "BY", "NAME") or reader.take("SET", "*"):
        names = _columns_by_name(merge)
        if names is None:
            clause.action = "UPDATE SET *"
            return clause
        pairs: list[tuple[str, exp.Expr | None]] = [
            (name, _source_column(merge, name)) for name in names
        ]
    else:
        reader.need("SET")
        pairs = read_assignments(reader, merge.target.name, merge.alias)
    for column, value in pairs:
        clause.assignments.append(_build_assignment(reader, merge, clause, column, value))
    parts = (
        f"{merge.name}.{quote(assignment.column)} = {assignment.slot}"
        for assignment in clause.assignments
    )
    clause.action = f"UPDATE SET {', '.join(parts)}"
    return clause


def _read_insert(reader: StatementReader, merge: _Merge, clause: _Clause) -> _Clause:
    if reader.take("ALL", "BY", "NAME") or reader.take("*"):
        names = _columns_by_name(merge)
        if names is None:
            clause.action = "INSERT *"
            return clause
        columns: list[str] | None = names
        values: list[exp.Expr | None] = [_source_column(merge, name) for name in names]
    else:
        columns = list(reader.read_names("column name")) if reader.is_at("(") else None
        require_named_once(columns or ())
        reader.need("VALUES")
        reader.need("(")
        values = reader.read_list(lambda: read_value(reader))
        reader.need(")")
    if columns is None:
        columns = _list_target_columns(merge, len(values))
    if len(columns) != len(values):
        message = f"INSERT names {len(columns)} columns and has {len(values)} values."
        reader.fail(message, hint="Give a value for each column.")
    for column, value in zip(columns, values, strict=True):
        given = None if value is None else with_absent_row(value, merge.alias, merge.absent)
        clause.assignments.append(_build_assignment(reader, merge, clause, column, given))
    names_text = ", ".join(
        assignment.name_slot or quote(assignment.column) for assignment in clause.assignments
    )
    slots = ", ".join(assignment.slot for assignment in clause.assignments)
    slot = reader.composer.slots.add_value
    unnamed = UnnamedColumns(slot(), slot(), tuple(columns))
    clause.unnamed.append(unnamed)
    names_text += unnamed.names_slot
    clause.action = f"INSERT ({names_text}) VALUES ({slots}{unnamed.values_slot})"
    return clause


def _build_assignment(
    reader: StatementReader, merge: _Merge, clause: _Clause, column: str, value: exp.Expr | None
) -> Assignment:
    composer = reader.composer
    with composer.writing_values():
        scope = merge.scope_of(clause.kind)
        text = None if value is None else composer.compose_expression(value, scope)
    name_slot = composer.slots.add_value() if column.startswith("#") else ""
    return Assignment(composer.slots.add_value(), column, text, name_slot, kind_of(value))


def _list_target_columns(merge: _Merge, count: int) -> list[str]:
    """Return the target's columns in order, or `#0`, `#1`, … if the columns are unknown."""
    columns = merge.scope.sources[0].relation.columns
    if columns is None:
        return [f"#{position}" for position in range(count)]
    return list(columns)


def _columns_by_name(merge: _Merge) -> list[str] | None:
    """Return the target's columns for BY NAME; None unless the source is known to have all."""
    target, source = merge.scope.sources[0].relation.columns, merge.offered.columns
    if target is None or source is None:
        return None
    offered = {fold(name) for name in source}
    return list(target) if all(fold(name) in offered for name in target) else None


def _source_column(merge: _Merge, column: str) -> exp.Expr:
    name = exp.to_identifier(column, quoted=True)
    return exp.Column(this=name, table=exp.to_identifier(merge.source_alias, quoted=True))


def _require_no_subquery(merge: _Merge) -> None:
    for node in [merge.on, *(clause.condition for clause in merge.clauses)]:
        if node is not None and node.find(exp.Query) is not None:
            raise NotYet(_SUBQUERY, hint="Put the subquery into USING (SELECT …) AS name.")


def _require_kept_aliases(reader: StatementReader, merge: _Merge) -> None:
    """Require that a subquery in a value has not renamed the alias of the target or the source.

    A subquery may ask to hide an alias, because the subquery has a column of the same name. The
    texts with the alias exist by then.
    """
    for source, name in zip(merge.scope.sources, (merge.name, merge.source_name), strict=True):
        if reader.composer.quote_alias(source) != name:
            raise QueryError(
                f"{source.alias!r} is the name of a table here and of a column in a subquery.",
                hint=f"Give the table another name: {source.alias} AS x.",
            )


def _build_statement(reader: StatementReader, merge: _Merge) -> RowLevel:
    composer = reader.composer
    assignments = [assignment for clause in merge.clauses for assignment in clause.assignments]
    matched, inserts = merge.clauses_of(_MATCHED), merge.clauses_of(_NOT_MATCHED)
    on = composer.render(merge.on)
    text, exact = _build_merge(reader, merge, merge.source, on), None
    unsettled: list[str] = []
    taken = [clause.condition for clause in matched if clause.condition is not None]
    if all(clause.action == "DELETE" for clause in merge.clauses) and matched == merge.clauses:
        text = _build_delete(reader, merge, on, taken if len(taken) == len(matched) else [])
        unsettled = merge.scope.unsettled
    elif taken and len(taken) == len(matched) and not merge.clauses_of(_BY_SOURCE):
        any_taken = composer.render(join_by_or(taken))
        if inserts:
            text = _build_merge(reader, merge, _prefilter_source(reader, merge), on)
            exact = _build_exact_merge(reader, merge, on, any_taken)
        else:
            text = _build_merge(reader, merge, merge.source, f"({on}) AND ({any_taken})")
    query = composer.finish_query(text)
    repeats = _build_repeated_key_query(reader, merge, on)
    return RowLevel(
        RowLevelKind.MERGE,
        text,
        merge.target,
        query.references,
        tuple(assignments),
        effects=_collect_effects(merge),
        unnamed=tuple(columns for clause in merge.clauses for columns in clause.unnamed),
        context=query.context,
        exact=exact,
        repeats=repeats,
        functions=query.functions,
        unsettled=tuple(unsettled),
        notice=describe_absence(merge.absent, merge.alias, merge.source_alias),
    )


def _build_repeated_key_query(
    reader: StatementReader, merge: _Merge, on: str
) -> RepeatedKeyQuery | None:
    """Return a query for an example of source rows that clash over a target row.

    The query explains an error: the result is a row with the source's columns compared by ON, or no
    row. Source rows clash in two cases:

    * WHEN MATCHED clauses take two source rows for the same target row.
    * A clause deletes the target row for one source row; another source row is taken by no WHEN
      MATCHED clause and passes the condition of a WHEN NOT MATCHED. Without the target row MERGE
      would have inserted the latter; now the source row would vanish silently. An INSERT without a
      condition does not count: the lack of a condition does not show a wish for the row.

    For example, `t` has rows with id 1, 2, 3 and 4, and `s` has

        id | op
         1 | U     1 is updated twice: a clash
         1 | U
         2 | D     2 is deleted, and the second row was meant to be inserted: a clash
         2 | I
         3 | U     no clause takes X, so 3 is updated once
         3 | X
         4 | U

        MERGE INTO t USING s ON t.id = s.id
        WHEN MATCHED AND s.op = 'D' THEN DELETE
        WHEN MATCHED AND s.op = 'U' THEN UPDATE SET v = s.v
        WHEN NOT MATCHED AND s.op = 'I' THEN INSERT VALUES (s.id, s.v)

    The query returns id = 1, the first clash by value. Without the rows of id 1 the query returns
    id = 2. The answer is None instead of a query if ON compares no column of the source for
    equality, or there is no WHEN MATCHED.
    """
    keys = find_compared_columns(merge.on, merge.source_alias)
    matched, composer, name = merge.clauses_of(_MATCHED), reader.composer, merge.source_name
    if not keys or not matched:
        return None
    row, wanted = (quote(composer.slots.hidden_name(name)) for name in ("row", "wanted"))
    inserts = [
        clause.condition
        for clause in merge.clauses_of(_NOT_MATCHED)
        if clause.condition is not None
    ]
    marked = f"{composer.render(join_by_or(inserts)) if inserts else 'false'} AS {wanted}"
    marked += f", monotonically_increasing_id() AS {row}"
    source = f"(SELECT {name}.*, {marked} FROM {merge.source}) AS {name}"
    taken = _render_taken(reader, matched)
    deleted = _render_taken(reader, [clause for clause in matched if clause.action == "DELETE"])
    grouped = ", ".join(composer.render(key) for key in keys)
    text = (
        f"SELECT {grouped} FROM {merge.into} JOIN {source} ON {on} GROUP BY {grouped}"
        f" HAVING count(DISTINCT CASE WHEN {taken} THEN {name}.{row} END) > 1"
        f" OR (max({deleted}) AND max({name}.{wanted} AND NOT {taken}))"
        f" ORDER BY {grouped} LIMIT 1"
    )
    return RepeatedKeyQuery(text, tuple(key.name for key in keys))


def _render_taken(reader: StatementReader, clauses: list[_Clause]) -> str:
    """Return a condition as SQL, never NULL: one of the WHEN MATCHED clauses takes the row pair."""
    conditions = [clause.condition for clause in clauses if clause.condition is not None]
    if len(conditions) < len(clauses):
        return "true"
    return (
        f"coalesce({reader.composer.render(join_by_or(conditions))}, false)" if clauses else "false"
    )


def _collect_effects(merge: _Merge) -> tuple[Effect, ...]:
    words = {"INSERT": Effect.INSERTED, "UPDATE": Effect.UPDATED, "DELETE": Effect.DELETED}
    effects = {words[clause.action.split()[0]] for clause in merge.clauses}
    return tuple(effect for effect in Effect if effect in effects)


def _build_merge(
    reader: StatementReader, merge: _Merge, source: str, on: str, guard: str = ""
) -> str:
    clauses = []
    for clause in sorted(merge.clauses, key=lambda clause: _ORDER.index(clause.kind)):
        tests = [guard] if guard and clause.kind == _NOT_MATCHED else []
        if clause.condition is not None:
            tests.append(f"({reader.composer.render(clause.condition)})")
        condition = f" AND {' AND '.join(tests)}" if tests else ""
        clauses.append(f"WHEN {clause.kind}{condition} THEN {clause.action}")
    return f"MERGE INTO {merge.into} USING {source} ON {on} {' '.join(clauses)}"


def _build_delete(reader: StatementReader, merge: _Merge, on: str, taken: list[exp.Expr]) -> str:
    """Return DELETE … WHERE EXISTS: several source rows may delete the same target row."""
    test = f"({on}) AND ({reader.composer.render(join_by_or(taken))})" if taken else on
    return f"DELETE FROM {merge.into} WHERE EXISTS (SELECT 1 FROM {merge.source} WHERE {test})"


def _prefilter_source(reader: StatementReader, merge: _Merge) -> str:
    """Return the source without rows that fail every clause by conditions over the source alone."""
    tests = [_weaken_condition(clause, merge) for clause in merge.clauses]
    if None in tests:
        return merge.source
    test = reader.composer.render(join_by_or([test for test in tests if test is not None]))
    name = merge.source_name
    return f"(SELECT {name}.* FROM {merge.source} WHERE {test}) AS {name}"


def _build_exact_merge(reader: StatementReader, merge: _Merge, on: str, any_taken: str) -> str:
    """Return the exact form: a flag on the source row says whether the target has a match.

    With the condition D that a WHEN MATCHED clause takes the row pair, the text is

        MERGE INTO t USING (SELECT s.*, EXISTS (SELECT 1 FROM t WHERE on) AS matched FROM s) AS s
        ON (on) AND (D)
        WHEN MATCHED AND … THEN …
        WHEN NOT MATCHED AND NOT s.matched AND … THEN INSERT …
    """
    name, flag = merge.source_name, quote(reader.composer.slots.hidden_name("matched"))
    matches = f"EXISTS (SELECT 1 FROM {merge.into} WHERE {on}) AS {flag}"
    source = f"(SELECT {name}.*, {matches} FROM {merge.source}) AS {name}"
    guard = f"NOT {name}.{flag}"
    return _build_merge(reader, merge, source, f"({on}) AND ({any_taken})", guard)


def _weaken_condition(clause: _Clause, merge: _Merge) -> exp.Expr | None:
    """Return the conjuncts of a clause's condition over the source alone; None if there are none.

    A condition is true only if all conjuncts are true. Dropping conjuncts therefore keeps every row
    the clause may take, also if a dropped conjunct is NULL.
    """
    if clause.condition is None:
        return None
    kept = [
        conjunct.copy()
        for conjunct in split_conjuncts(clause.condition)
        if is_of_source(conjunct, merge.source_alias, unqualified=clause.kind == _NOT_MATCHED)
    ]
    return reduce(lambda left, right: exp.And(this=left, expression=right), kept) if kept else None
