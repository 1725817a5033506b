"""Tables at successive moments: rows with NULLs, duplicates, NaN and both zeros."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

from differentiation.oracle import TABLES, Row, States
from pyspark.sql import SparkSession

from icemelt.engine.java_functions import add_java_functions

__all__ = ["histories", "in_one_task", "mixed"]

Held = dict[int, Row]

# all in one task and without compiled code: the rows are few, and the queries many
_PLAIN = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}


def in_one_task(spark: SparkSession) -> SparkSession:
    """Return a session of Spark's in which small queries are quick."""
    session = spark.newSession()
    add_java_functions(session)
    for name, value in _PLAIN.items():
        session.conf.set(name, value)
    return session


def mixed(chance: random.Random, table: str, size: int) -> tuple[Held, Held]:
    """Return a table's rows at two moments, of which some came, went and changed."""
    old = {number: _ROWS[table](chance, number) for number in range(size)}
    return old, _mixed(chance, table, old, size)


def histories(spark: SparkSession, seed: int) -> list[States]:
    """Return the tables in two intervals, in which each goes on in its own way."""
    chance = random.Random(f"tables {seed}")  # noqa: S311 - chance is wanted
    first, second = States(spark, TABLES, "first"), States(spark, TABLES, "second")
    for table in TABLES:
        size = chance.choice((0, 1, 4, 6, 7))
        held = {number: _ROWS[table](chance, number) for number in range(size)}
        for number, states in enumerate((first, second), start=1):
            after = chance.choice(_WAYS)(chance, table, held, 20 * number)
            moved = [each for each in held if chance.random() < 0.15]
            states.put(table, held, after, moved)
            held = after
    return [first, second]


def _mixed(chance: random.Random, table: str, held: Held, start: int) -> Held:
    kept = {number: row for number, row in held.items() if chance.random() > 0.2}
    return _updated(chance, table, kept, start) | _more(chance, table, start)


def _inserted(chance: random.Random, table: str, held: Held, start: int) -> Held:
    return held | _more(chance, table, start)


def _deleted(chance: random.Random, table: str, held: Held, _start: int) -> Held:
    return {number: row for number, row in held.items() if chance.random() > 0.4}


def _updated(chance: random.Random, table: str, held: Held, _start: int) -> Held:
    return {
        number: _ROWS[table](chance, number) if chance.random() < 0.3 else row
        for number, row in held.items()
    }


def _same(_chance: random.Random, _table: str, held: Held, _start: int) -> Held:
    return dict(held)


def _emptied(_chance: random.Random, _table: str, _held: Held, _start: int) -> Held:
    return {}


def _replaced(chance: random.Random, table: str, _held: Held, start: int) -> Held:
    return _more(chance, table, start)


def _more(chance: random.Random, table: str, start: int) -> Held:
    return {number: _ROWS[table](chance, number) for number in range(start, start + 3)}


def _t(chance: random.Random, number: int) -> Row:
    return (
        number,
        chance.choice([None, 1, 2, 3]),
        chance.choice([None, 0, 1, 2, 3, 3]),
        chance.choice([None, "a", "b", "ab"]),
        chance.choice([None, 0.0, -0.0, 1.5, math.nan]),
    )


def _u(chance: random.Random, number: int) -> Row:
    return (
        number,
        chance.choice([None, 1, 2, 2]),
        chance.choice([None, 0, 1, 2, 3]),
        chance.choice([None, "a", "b"]),
    )


def _a(chance: random.Random, number: int) -> Row:
    return (
        number,
        chance.choice([None, [], ["a", "b", "a"], ["c", None]]),
        chance.choice([None, '{"n":1,"m":2}', '{"n":3}', "[1,2]"]),
        chance.choice([None, "x-y", "z", ""]),
    )


_ROWS: Mapping[str, Callable[[random.Random, int], Row]] = {"t": _t, "u": _u, "a": _a}
_WAYS = (_mixed, _mixed, _mixed, _inserted, _deleted, _updated, _same, _emptied, _replaced)
