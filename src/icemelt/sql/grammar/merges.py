"""MERGE.

Spark refuses two source rows for one target row before it looks at the clauses' conditions,
Snowflake only where a clause takes both. Rows no clause takes are therefore left out:

* where all clauses delete matched rows, the MERGE is a DELETE with EXISTS;
* without WHEN NOT MATCHED, the disjunction D of the WHEN MATCHED conditions joins the ON: the same
  rows are taken, and only taken pairs are counted;
* with it, a source row that no condition on the source alone lets pass is left out beforehand.
  Where that is not enough, the exact form asks of each source row whether it matches at all, joins
  on D too, and inserts only rows that do not match.
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
    absence,
    any_of,
    compared_of_source,
    conjuncts,
    is_of_source,
    without_row,
)
from icemelt.sql.grammar.rows import alias_of, named_once, read_assignments, read_value, source_text
from icemelt.sql.reader import Reader
from icemelt.sql.statements import (
    Assignment,
    Effect,
    Repeats,
    RowLevel,
    RowLevelKind,
    TableReference,
    Unnamed,
)

__all__ = ["read_merge"]

_MATCHED, _NOT_MATCHED, _BY_SOURCE = "MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"
_ORDER = (_MATCHED, _NOT_MATCHED, _BY_SOURCE)
_SUBQUERY = "Subqueries in ON and WHEN are not supported."


@dataclass(slots=True)
class _Clause:
    """One WHEN: its kind, its condition and what it does; names resolved."""

    kind: str
    condition: exp.Expr | None
    action: str
    assignments: list[Assignment] = field(default_factory=list)
    unnamed: list[Unnamed] = field(default_factory=list)


@dataclass(slots=True)
class _Merge:
    """The parts of a MERGE, resolved; the names are the aliases as they are written.

    `absent` are columns of the target that it reads where nothing matches.
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
        """The written table under its alias."""
        return f"{self.target.slot} AS {self.name}"

    def sees(self, kind: str) -> Scope:
        """Return the scope of a clause: only WHEN MATCHED sees both sides."""
        return self.scope if kind == _MATCHED else Scope(sources=self.scope.sources)

    def of(self, kind: str) -> list[_Clause]:
        """Return the clauses of a kind."""
        return [clause for clause in self.clauses if clause.kind == kind]


def read_merge(reader: Reader) -> RowLevel:
    """Read `MERGE INTO t USING source ON condition WHEN … THEN …`."""
    reader.need("MERGE", "INTO")
    name = reader.object_name()
    alias = reader.alias("USING") or name.last
    reader.need("USING")
    written = reader.source(joins=False)
    reader.need("ON")
    condition = reader.expression("a condition")
    composer = reader.composer
    offers = Scope()
    source = composer.resolve_source(written, offers)
    both = composer.compare(composer.target(name, alias).sources[0], offers.sources)
    merge = _Merge(
        composer.slots.target(name),
        alias,
        composer.alias(both.sources[0]),
        source_text(reader, source),
        _alias(reader, source),
        composer.render(source.args["alias"].this),
        composer.resolve_expression(condition, both),
        [],
        both,
        offers.sources[-1].relation,
    )
    while reader.at("WHEN"):
        merge.clauses.append(_read_clause(reader, merge))
    if not merge.clauses:
        reader.need("WHEN")
    _refuse_queries(merge)
    _refuse_captured(reader, merge)
    return _written(reader, merge)


def _alias(reader: Reader, source: exp.Expr) -> str:
    if not alias_of(source):
        hint = "Write USING (SELECT …) AS name."
        reader.fail("The source of a MERGE needs a name.", hint=hint)
    return alias_of(source)


def _read_clause(reader: Reader, merge: _Merge) -> _Clause:
    reader.need("WHEN")
    kind = _MATCHED
    if reader.take("NOT"):
        kind = _NOT_MATCHED
    reader.need("MATCHED")
    if kind == _NOT_MATCHED and reader.take("BY"):
        kind = _BY_SOURCE if reader.need_one("SOURCE", "TARGET") == "SOURCE" else kind
    condition = reader.expression("a condition") if reader.take("AND") else None
    reader.need("THEN")
    if condition is not None:
        condition = reader.composer.resolve_expression(condition, merge.sees(kind))
    if kind == _NOT_MATCHED:
        reader.need("INSERT")
        return _read_insert(reader, merge, _Clause(kind, condition, "INSERT"))
    if reader.at("INSERT"):
        hint = "Write WHEN NOT MATCHED THEN INSERT, or THEN UPDATE SET … here."
        reader.fail(f"WHEN {kind} takes UPDATE or DELETE, found INSERT.", hint=hint)
    if reader.need_one("UPDATE", "DELETE") == "DELETE":
        return _Clause(kind, condition, "DELETE")
    return _read_update(reader, merge, _Clause(kind, condition, "UPDATE"))


def _read_update(reader: Reader, merge: _Merge, clause: _Clause) -> _Clause:
    if reader.take("ALL", "BY", "NAME") or reader.take("SET", "*"):
        names = _known(merge)
        if names is None:
            clause.action = "UPDATE SET *"
            return clause
        pairs: list[tuple[str, exp.Expr | None]] = [(name, _of(merge, name)) for name in names]
    else:
        reader.need("SET")
        pairs = read_assignments(reader)
    for column, value in pairs:
        clause.assignments.append(_assignment(reader, merge, clause, column, value))
    parts = (f"{merge.name}.{quote(each.column)} = {each.slot}" for each in clause.assignments)
    clause.action = f"UPDATE SET {', '.join(parts)}"
    return clause


def _read_insert(reader: Reader, merge: _Merge, clause: _Clause) -> _Clause:
    if reader.take("ALL", "BY", "NAME") or reader.take("*"):
        names = _known(merge)
        if names is None:
            clause.action = "INSERT *"
            return clause
        columns: list[str] | None = names
        values: list[exp.Expr | None] = [_of(merge, name) for name in names]
    else:
        columns = list(reader.names("column name")) if reader.at("(") else None
        named_once(columns or ())
        reader.need("VALUES")
        reader.need("(")
        values = reader.list_of(lambda: read_value(reader))
        reader.need(")")
    if columns is None:
        columns = _all_columns(merge, len(values))
    if len(columns) != len(values):
        message = f"INSERT names {len(columns)} columns and has {len(values)} values."
        reader.fail(message, hint="Give a value for each column.")
    for column, value in zip(columns, values, strict=True):
        given = None if value is None else without_row(value, merge.alias, merge.absent)
        clause.assignments.append(_assignment(reader, merge, clause, column, given))
    names_text = ", ".join(each.name_slot or quote(each.column) for each in clause.assignments)
    slots = ", ".join(each.slot for each in clause.assignments)
    slot = reader.composer.slots.value
    unnamed = Unnamed(slot(), slot(), tuple(columns))
    clause.unnamed.append(unnamed)
    names_text += unnamed.names_slot
    clause.action = f"INSERT ({names_text}) VALUES ({slots}{unnamed.values_slot})"
    return clause


def _assignment(
    reader: Reader, merge: _Merge, clause: _Clause, column: str, value: exp.Expr | None
) -> Assignment:
    composer = reader.composer
    text = None if value is None else composer.expression(value, merge.sees(clause.kind))
    name_slot = composer.slots.value() if column.startswith("#") else ""
    return Assignment(composer.slots.value(), column, text, name_slot, kind_of(value))


def _all_columns(merge: _Merge, count: int) -> list[str]:
    """The target's columns in order, or their positions where they are not known."""
    columns = merge.scope.sources[0].relation.columns
    if columns is None:
        return [f"#{position}" for position in range(count)]
    return list(columns)


def _known(merge: _Merge) -> list[str] | None:
    """The target's columns, where those of both sides are known and the source has them all."""
    target, source = merge.scope.sources[0].relation.columns, merge.offered.columns
    if target is None or source is None:
        return None
    offered = {fold(name) for name in source}
    return list(target) if all(fold(name) in offered for name in target) else None


def _of(merge: _Merge, column: str) -> exp.Expr:
    name = exp.to_identifier(column, quoted=True)
    return exp.Column(this=name, table=exp.to_identifier(merge.source_alias, quoted=True))


def _refuse_queries(merge: _Merge) -> None:
    for node in [merge.on, *(clause.condition for clause in merge.clauses)]:
        if node is not None and node.find(exp.Query) is not None:
            raise NotYet(_SUBQUERY, hint="Put the subquery into USING (SELECT …) AS name.")


def _refuse_captured(reader: Reader, merge: _Merge) -> None:
    """Texts that hold an alias are made before a subquery in a later value asks to hide it."""
    for source, name in zip(merge.scope.sources, (merge.name, merge.source_name), strict=True):
        if reader.composer.alias(source) != name:
            raise QueryError(
                f"{source.alias!r} is the name of a table here and of a column in a subquery.",
                hint=f"Give the table another name: {source.alias} AS x.",
            )


def _written(reader: Reader, merge: _Merge) -> RowLevel:
    composer = reader.composer
    assignments = [each for clause in merge.clauses for each in clause.assignments]
    matched, inserts = merge.of(_MATCHED), merge.of(_NOT_MATCHED)
    on = composer.render(merge.on)
    text, exact = _text(reader, merge, merge.source, on), None
    unsettled: list[str] = []
    taken = [clause.condition for clause in matched if clause.condition is not None]
    if all(clause.action == "DELETE" for clause in merge.clauses) and matched == merge.clauses:
        text = _deleted(reader, merge, on, taken if len(taken) == len(matched) else [])
        unsettled = merge.scope.unsettled
    elif taken and len(taken) == len(matched) and not merge.of(_BY_SOURCE):
        any_taken = composer.render(any_of(taken))
        if inserts:
            text = _text(reader, merge, _prefiltered(reader, merge), on)
            exact = _exact(reader, merge, on, any_taken)
        else:
            text = _text(reader, merge, merge.source, f"({on}) AND ({any_taken})")
    query = composer.finish(text)
    repeats = _repeats(reader, merge, on)
    return RowLevel(
        RowLevelKind.MERGE,
        text,
        merge.target,
        query.references,
        tuple(assignments),
        effects=_effects(merge),
        unnamed=tuple(each for clause in merge.clauses for each in clause.unnamed),
        context=query.context,
        exact=exact,
        repeats=repeats,
        functions=query.functions,
        unsettled=tuple(unsettled),
        notice=absence(merge.absent, merge.alias, merge.source_alias),
    )


def _repeats(reader: Reader, merge: _Merge, on: str) -> Repeats | None:
    """Return a query for what ON compares of source rows that are too many for one target row.

    Those are several that clauses take; and one that deletes it beside one that would have been
    inserted but for it, which would be lost without a word. An INSERT without a condition says
    nothing of its rows, so it does not count.
    """
    keys = compared_of_source(merge.on, merge.source_alias)
    matched, composer, name = merge.of(_MATCHED), reader.composer, merge.source_name
    if not keys or not matched:
        return None
    row, wanted = (quote(composer.slots.hidden(each)) for each in ("row", "wanted"))
    inserts = [each.condition for each in merge.of(_NOT_MATCHED) if each.condition is not None]
    marked = f"{composer.render(any_of(inserts)) if inserts else 'false'} AS {wanted}"
    marked += f", monotonically_increasing_id() AS {row}"
    source = f"(SELECT {name}.*, {marked} FROM {merge.source}) AS {name}"
    taken = _taken(reader, matched)
    deleted = _taken(reader, [each for each in matched if each.action == "DELETE"])
    grouped = ", ".join(composer.render(key) for key in keys)
    text = (
        f"SELECT {grouped} FROM {merge.into} JOIN {source} ON {on} GROUP BY {grouped}"
        f" HAVING count(DISTINCT CASE WHEN {taken} THEN {name}.{row} END) > 1"
        f" OR (max({deleted}) AND max({name}.{wanted} AND NOT {taken}))"
        f" ORDER BY {grouped} LIMIT 1"
    )
    return Repeats(text, tuple(key.name for key in keys))


def _taken(reader: Reader, clauses: list[_Clause]) -> str:
    """Return whether one of some WHEN MATCHED clauses takes a pair of rows; never NULL."""
    conditions = [each.condition for each in clauses if each.condition is not None]
    if len(conditions) < len(clauses):
        return "true"
    return f"coalesce({reader.composer.render(any_of(conditions))}, false)" if clauses else "false"


def _effects(merge: _Merge) -> tuple[Effect, ...]:
    words = {"INSERT": Effect.INSERTED, "UPDATE": Effect.UPDATED, "DELETE": Effect.DELETED}
    made = {words[clause.action.split()[0]] for clause in merge.clauses}
    return tuple(effect for effect in Effect if effect in made)


def _text(reader: Reader, merge: _Merge, source: str, on: str, guard: str = "") -> str:
    clauses = []
    for clause in sorted(merge.clauses, key=lambda each: _ORDER.index(each.kind)):
        tests = [guard] if guard and clause.kind == _NOT_MATCHED else []
        if clause.condition is not None:
            tests.append(f"({reader.composer.render(clause.condition)})")
        condition = f" AND {' AND '.join(tests)}" if tests else ""
        clauses.append(f"WHEN {clause.kind}{condition} THEN {clause.action}")
    return f"MERGE INTO {merge.into} USING {source} ON {on} {' '.join(clauses)}"


def _deleted(reader: Reader, merge: _Merge, on: str, taken: list[exp.Expr]) -> str:
    """Several source rows may delete one target row: what remains to ask is whether one does."""
    test = f"({on}) AND ({reader.composer.render(any_of(taken))})" if taken else on
    return f"DELETE FROM {merge.into} WHERE EXISTS (SELECT 1 FROM {merge.source} WHERE {test})"


def _prefiltered(reader: Reader, merge: _Merge) -> str:
    """Return the source without rows that no clause can take, by conditions on it alone."""
    tests = [_weakened(clause, merge) for clause in merge.clauses]
    if None in tests:
        return merge.source
    test = reader.composer.render(any_of([each for each in tests if each is not None]))
    name = merge.source_name
    return f"(SELECT {name}.* FROM {merge.source} WHERE {test}) AS {name}"


def _exact(reader: Reader, merge: _Merge, on: str, any_taken: str) -> str:
    name, flag = merge.source_name, quote(reader.composer.slots.hidden("matched"))
    matches = f"EXISTS (SELECT 1 FROM {merge.into} WHERE {on}) AS {flag}"
    source = f"(SELECT {name}.*, {matches} FROM {merge.source}) AS {name}"
    guard = f"NOT {name}.{flag}"
    return _text(reader, merge, source, f"({on}) AND ({any_taken})", guard)


def _weakened(clause: _Clause, merge: _Merge) -> exp.Expr | None:
    """Return what a clause's condition asks of the source alone; None where it asks nothing.

    A condition is true only where each of its conjuncts is: leaving some out keeps every row it
    may take, also where one is NULL.
    """
    if clause.condition is None:
        return None
    kept = [
        conjunct.copy()
        for conjunct in conjuncts(clause.condition)
        if is_of_source(conjunct, merge.source_alias, unqualified=clause.kind == _NOT_MATCHED)
    ]
    return reduce(lambda left, right: exp.And(this=left, expression=right), kept) if kept else None
