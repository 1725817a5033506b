"""The oracle: a query's changes against the original SQL at both ends, in one job of Spark's.

The original text goes to Spark as icemelt always sends it; the algebra has no part in it. Whoever
keeps the query's rows by their identity and applies the changes of one interval after the other
has, after each, the rows of the original.
"""

from __future__ import annotations

import datetime
import math
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType, VariantType, VariantVal

from icemelt.algebra.expressions import Expression
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import BothEndsScan, Delta, Pin, Relation, Scan, Shared
from icemelt.algebra.plan_parts import split_plan
from icemelt.changes.both_ends import compare_both_ends
from icemelt.changes.consolidate import consolidate_changes
from icemelt.changes.differentiation import Derivative, differentiate_query, min_delta
from icemelt.changes.pin import pin_relation, replace_scans
from icemelt.changes.shape import Shape
from icemelt.changes.shared_scans import share_scans
from icemelt.schema import DataType, ListType, Primitive, spark_type
from icemelt.spark_java import assemble_parts, drop_plans, name_part, name_plan
from icemelt.spark_sql.column_barriers import put_barriers
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.lowering.exact import Types
from icemelt.sql.parse import lower, parse_statement
from icemelt.sql.statements import Select

Row = tuple[Any, ...]
Rows = Mapping[int, Row]

_LONG, _STRING = Primitive("long"), Primitive("string")
TABLES: Mapping[str, Mapping[str, DataType]] = {
    "t": {"id": _LONG, "k": _LONG, "v": _LONG, "s": _STRING, "x": Primitive("double")},
    "u": {"id": _LONG, "k": _LONG, "w": _LONG, "s": _STRING},
    "a": {"id": _LONG, "tags": ListType(_STRING), "doc": _STRING, "name": _STRING},
}


@dataclass
class States:
    """Tables at both ends as temporary views of Spark's, and their changes."""

    spark: SparkSession
    types: Mapping[str, Mapping[str, DataType]]
    name: str = "oracle"
    shapes: dict[str, Shape] = field(default_factory=dict)
    _views: dict[tuple[str, str], str] = field(default_factory=dict)

    def put(self, table: str, old: Rows, new: Rows, moved: Iterable[int] = ()) -> None:
        """Set a table's rows by their ids; `moved` are ids whose rows a compaction moved."""
        kept = {i for i in old.keys() & new.keys() if _same(old[i], new[i])} - set(moved)
        gone = [(*row, i, -1) for i, row in old.items() if i not in kept]
        come = [(*row, i, 1) for i, row in new.items() if i not in kept]
        self.shapes[table] = (Shape.DELETES if gone else Shape.EMPTY) | (
            Shape.INSERTS if come else Shape.EMPTY
        )
        columns = ", ".join(
            f"{name} {spark_type(kind)}" for name, kind in self.types[table].items()
        )
        with_id = f"{columns}, `icemelt$id` BIGINT"
        self._make(table, "old", [(*row, i) for i, row in old.items()], with_id)
        self._make(table, "new", [(*row, i) for i, row in new.items()], with_id)
        self._make(table, "delta", gone + come, f"{with_id}, `icemelt$weight` INT")
        ends = [(*row, i, 3) for i, row in new.items() if i in kept]
        ends += [(*row, 1 if weight < 0 else 2) for *row, weight in gone + come]
        self._make(table, "ends", ends, f"{with_id}, `icemelt$ends` INT")

    def _make(self, table: str, side: str, rows: list[Row], schema: str) -> None:
        name = f"{self.name}_{table}_{side}"
        # rows in the plan itself: a list alone would be a job of Python's for each scan
        types = to_arrow_schema(StructType.fromDDL(schema))
        values = zip(*rows, strict=True) if rows else [()] * len(types)
        arrays = [pa.array(each, kind.type) for each, kind in zip(values, types, strict=True)]
        arrow = pa.Table.from_arrays(arrays, schema=types)
        self.spark.createDataFrame(arrow, schema).createOrReplaceTempView(name)
        self._views[table, side] = name

    def of(self, table: str, side: str) -> str:
        """Return a table's relation at an end."""
        return self._views[table, side]

    def read(self, leaf: Scan | Delta | BothEndsScan | Shared, shared: Mapping[str, str]) -> str:
        """Return what a leaf of a plan reads."""
        match leaf:
            case Scan(source):
                return self.of(source, "old" if leaf.pin is Pin.OLD else "new")
            case Delta(source):
                return self.of(source, "delta")
            case BothEndsScan(source):
                return self.of(source, "ends")
            case Shared(name):
                return shared[name]


class Refused(Exception):
    """Spark does not run a query as it was written, for a fault of its own."""


def check(
    intervals: Sequence[States], sql: str, *, plain: bool = False, divided: bool = False
) -> int:
    """Check a query's changes in successive intervals; return how many there were.

    With `plain` the changes are those by both ends instead of the rules'. In every other interval
    tables are read once. With `divided` the plan of the changes is put together of its parts.

    Raises:
        Refused: Spark does not run the query itself.
    """
    first = intervals[0]
    original, relation, width = _both(first, sql)
    try:
        fields = first.spark.sql(original(first, "new")).schema.fields
    except AnalysisException as error:
        raise Refused(str(error)) from error
    start = add_identity(pin_relation(relation, Pin.OLD)).relation
    parts = [_part("start", 0, start.width, width, _text(start, first, {}))]
    parts.append(_part("original", 0, width, width, original(first, "old")))
    views: list[str] = []
    query_of = _divided if divided else _undivided
    try:
        for number, states in enumerate(intervals):
            once = number % 2 == 1
            changes, shared = _plan(states, relation, _compared(fields), plain=plain, once=once)
            views += shared.values()
            if changes is not None:
                text, made = query_of(changes, states, shared)
                views += made
                _hold_types(states.spark, text, fields)
                parts.append(_part("changes", number, changes.width, width, text))
            parts.append(_part("original", number + 1, width, width, original(states, "new")))
        rows = first.spark.sql(" UNION ALL ".join(parts)).collect()
    except (PySparkException, Py4JJavaError):
        _run(first.spark, [original(each, end) for each in intervals for end in ("old", "new")])
        raise
    finally:
        drop_plans(first.spark, views)
    return _hold([tuple(row) for row in rows], len(intervals))


def _run(spark: SparkSession, queries: Sequence[str]) -> None:
    """Run queries as they were written."""
    for query in queries:
        try:
            spark.sql(query).collect()
        except (PySparkException, Py4JJavaError) as error:
            raise Refused(str(error)) from error


def derived(states: States, sql: str) -> Derivative:
    """Return a query's changes as the rules make them."""
    _, relation, _ = _both(states, sql)
    return differentiate_query(relation, states.shapes)


def _part(kind: str, number: int, width: int, values: int, text: str) -> str:
    """Rows of one kind: what they are and their values; their identity, weight and mark."""
    weighed = kind == "changes"
    ids = range(values, width - 2 if weighed else width)
    shown = ", ".join(f"c{at}" for at in range(values))
    rest = f"c{width - 2}, c{width - 1}" if weighed else "0, false"
    columns = ", ".join(f"c{at}" for at in range(width))
    return (
        f"SELECT '{kind}', {number}, {shown}, to_json(array({_texts(ids)})), {rest} "
        f"FROM ({text}) AS q({columns})"
    )


def _text(relation: Relation, states: States, shared: Mapping[str, str]) -> str:
    return render_relation(relation, lambda leaf: states.read(leaf, shared))


def _undivided(
    relation: Relation, states: States, shared: Mapping[str, str]
) -> tuple[str, list[str]]:
    return _text(relation, states, shared), []


def _divided(
    relation: Relation, states: States, shared: Mapping[str, str]
) -> tuple[str, list[str]]:
    """Return a query of a relation that was analysed in parts, and all names that it needs."""
    parts, rest = split_plan(put_barriers(relation))
    names = dict(shared)
    for part in parts:
        frame = states.spark.sql(_text(part.relation, states, names))
        names[part.name] = f"oracle_{uuid.uuid4().hex}"
        name_part(frame, names[part.name])
    whole = f"oracle_{uuid.uuid4().hex}"
    name_plan(assemble_parts(states.spark.sql(_text(rest, states, names))), whole)
    return f"SELECT * FROM {whole}", [*(names[part.name] for part in parts), whole]


def _texts(ids: Sequence[int]) -> str:
    return ", ".join(f"to_json(struct(c{at} AS i))" for at in ids) or "''"


def _both(states: States, sql: str) -> tuple[Any, Relation, int]:
    statement = parse_statement(sql, None, lambda name: states.types.get(name.last))
    assert isinstance(statement, Select)
    query = statement.query

    def original(at: States, side: str) -> str:
        named = {r.slot: _columns_alone(at, r.name.last, side) for r in query.references}
        return query.bind(named)

    lowered = lower(sql, lambda name: states.types.get(name.last))
    names = {each.slot: each.name.last for each in lowered.query.references}
    relation = _named(lowered.relation, names)
    return original, relation, relation.width


def _columns_alone(states: States, table: str, side: str) -> str:
    columns = ", ".join(states.types[table])
    return f"(SELECT {columns} FROM {states.of(table, side)})"


def _named(relation: Relation, names: Mapping[str, str]) -> Relation:
    return replace_scans(relation, lambda scan: replace(scan, source=names[scan.source]))


def _plan(
    states: States,
    relation: Relation,
    compared: dict[int, Expression],
    *,
    plain: bool,
    once: bool,
) -> tuple[Relation | None, dict[str, str]]:
    if plain:
        is_whole = Types(states.types).is_whole
        both = compare_both_ends(add_identity(relation).relation, states.shapes, is_whole)
        return both and consolidate_changes(both, relation.width, compared), {}
    made = differentiate_query(relation, states.shapes)
    if once:
        made = share_scans(made, states.shapes, lambda _: True)
    shared: dict[str, str] = {}
    for name, each in made.shared:
        view = f"oracle_{uuid.uuid4().hex}"
        text = _text(each, states, shared)
        rows = states.spark.sql(text)
        if any(other in text for other in shared.values()):
            # written out, views upon views would make long plans
            rows = states.spark.createDataFrame(rows.toArrow(), rows.schema)
        rows.createOrReplaceTempView(view)
        shared[name] = view
    changes = min_delta(made, compared)
    if changes is not None:
        assert changes.width == add_identity(relation).relation.width + 2
    return changes, shared


def _compared(fields: Sequence[StructField]) -> dict[int, Expression]:
    """How columns are compared by which Spark does not group rows."""
    return {
        at: Expression(("to_json(", at, ")"))
        for at, each in enumerate(fields)
        if isinstance(each.dataType, VariantType)
    }


def _hold_types(spark: SparkSession, text: str, fields: Sequence[StructField]) -> None:
    """The values of the changes have the original's types."""
    types = [each.dataType.simpleString() for each in fields]
    found = [each.dataType.simpleString() for each in spark.sql(text).schema.fields]
    assert found[: len(types)] == types, (found, types)


def _hold(rows: list[Row], intervals: int) -> int:
    """Rows kept by identity, with the changes of each interval, are those of the original."""
    parts: dict[tuple[str, int], list[Row]] = {}
    for kind, number, *rest in rows:
        parts.setdefault((kind, number), []).append((tuple(map(_plain, rest[:-3])), *rest[-3:]))
    kept = {identity: values for values, identity, _, _ in parts.get(("start", 0), [])}
    assert len(kept) == len(parts.get(("start", 0), [])), "two rows of one identity"
    count = 0
    for number in range(intervals + 1):
        changes = parts.get(("changes", number - 1), [])
        _apply(kept, changes)
        count += len(changes)
        total = Counter(kept.values())
        total.subtract(values for values, *_ in parts.get(("original", number), []))
        wrong = {values: many for values, many in total.items() if many}
        assert not wrong, (number, wrong)
    return count


def _apply(kept: dict[str, Row], changes: list[Row]) -> None:
    """Apply min-delta: of each identity one row goes and one comes at most."""
    gone = {identity: values for values, identity, weight, _ in changes if weight == -1}
    come = {identity: values for values, identity, weight, _ in changes if weight == 1}
    assert len(gone) + len(come) == len(changes), changes
    for values, identity, _, updated in changes:
        assert updated is (identity in gone and identity in come), (values, identity, changes)
    for identity, values in gone.items():
        assert kept.pop(identity, None) == values, (identity, values, kept)
    assert not come.keys() & kept.keys(), (come, kept)
    assert not any(gone.get(identity) == values for identity, values in come.items()), changes
    kept |= come


def _same(one: Row, other: Row) -> bool:
    return tuple(map(_plain, one)) == tuple(map(_plain, other))


def _plain(value: Any) -> Any:
    """A value that is equal to others as values of SQL are."""
    match value:
        case float():
            return "NaN" if math.isnan(value) else float(f"{value + 0.0:.9g}")
        case list():
            return tuple(map(_plain, value))
        case dict():
            return tuple(sorted((_plain(k), _plain(v)) for k, v in value.items()))
        case VariantVal():
            return str(value.toPython())
        case Decimal() | datetime.date():
            return str(value)
        case _:
            return value
