"""The law of MERGE: by the keys of its source it does what Spark's join with the whole target does.

Statements are random, and run on two clones of one table, one in each way. Both must be refused
alike, or leave the same rows, with the same row ids and versions of rows, and the same counts.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from rotation import this_turn

from conftest import Lake
from icemelt import Session
from icemelt.errors import IcemeltError

_STATEMENTS = int(os.environ.get("ICEMELT_LAW_MERGES", "40"))
_FOREIGN = "icemelt.main.public"
_WAYS = {"of_keys": "KEYS", "of_join": "JOIN"}
_TABLES = (
    ("PARTITION BY (part)", ""),
    ("PARTITION BY (bucket(3, k))", ""),
    ("", ""),
    ("", "'write.merge.mode' = 'copy-on-write'"),
    ("", "'write.distribution-mode' = 'none', 'write.merge.distribution-mode' = 'none'"),
    ("", "'write.merge.distribution-mode' = 'range'"),
)
_ON = (
    "t.k = s.k",
    "s.k = t.k AND t.part = s.part",
    "t.k = s.k AND t.v > 1",
    "t.k = s.k AND s.v > 0 AND t.x < s.x",
    "t.txt = s.txt",
    "t.v = s.v",
    "t.d = s.d AND t.k = s.k",
    "EQUAL_NULL(t.k, s.k)",
    "EQUAL_NULL(t.txt, s.txt) AND t.part = s.part",
    "t.k + 1 = s.k",
    "t.k = s.k * 2 AND t.part = s.part",
    "t.x = s.x",
    "UPPER(t.txt) = UPPER(s.txt)",
    "t.k = s.k OR t.part = s.part",
    "t.k > s.k AND t.part = s.part",
    "t.k = s.k AND t.k = s.v",
)
_CONDITIONS = ("t.v > s.v", "s.txt = 'b'", "t.x IS NULL", "s.k < 4", "t.part = 1", "t.k <> s.k")
_SOURCE_CONDITIONS = ("s.k > 3", "s.txt IS NOT NULL", "s.part = 2", "s.k IS NOT NULL")
_SETS = (
    "v = s.v",
    "v = t.v + s.v, txt = s.txt",
    "k = s.k, part = s.part",
    "part = t.part + 1",
    "x = NULL, d = s.d",
    "v = DEFAULT",
)
_INSERTS = (
    "INSERT (k, part, v, x, txt, d) VALUES (s.k, s.part, s.v, s.x, s.txt, s.d)",
    "INSERT (k, txt) VALUES (s.k, s.txt)",
    "INSERT VALUES (s.k, s.part, s.v, s.x, s.txt, s.d)",
)
_LARGEST = "k, MAX(part) AS part, MAX(v) AS v, MIN(x) AS x, MAX(txt) AS txt, MAX(d) AS d"
_NESTED = ("EXISTS", "EXISTS", "NOT EXISTS")
_SOURCES = (
    "src",
    "(SELECT * FROM src WHERE part = 1)",
    "(SELECT DISTINCT k, part, v, x, txt, d FROM src)",
    f"(SELECT {_LARGEST} FROM src GROUP BY k)",
    f"(SELECT {_LARGEST} FROM src WHERE k IS NOT NULL GROUP BY k)",
    "(SELECT a.k, a.part, b.v, a.x, b.txt, a.d FROM src a JOIN src b ON a.k = b.k)",
    "(SELECT * FROM src WHERE k > 1000)",
    "(SELECT src.k + 1 AS k, part, v, x, txt, d FROM src)",
    # itself, as it was
    "(SELECT k, part, v, x, txt, d FROM {target} WHERE part = 1)",
)


@dataclass
class _Random:
    """Random tables and statements."""

    numbers: random.Random

    def one(self, values: Sequence[str]) -> str:
        return self.numbers.choice(values)

    def rows(self, count: int) -> str:
        return ", ".join(f"({', '.join(self._row())})" for _ in range(count))

    def _row(self) -> list[str]:
        some = self.numbers.random
        return [
            "NULL" if some() < 0.1 else str(self.numbers.randrange(8)),
            str(self.numbers.randrange(3)),
            "NULL" if some() < 0.2 else str(self.numbers.randrange(4)),
            self.one(("NULL", "'NaN'::FLOAT", "0.0::FLOAT", "-0.0::FLOAT", "1.5::FLOAT")),
            self.one(("NULL", "'a'", "'b'", "'B'", "''")),
            self.one(("NULL", "'2024-01-01'::DATE", "'2024-02-02'::DATE")),
        ]

    def statement(self, target: str) -> str:
        source = self.one(_SOURCES).format(target=target)
        on = self.one(_ON)
        match self.numbers.randrange(11):
            case 0:
                return f"UPDATE {target} t SET {self.one(_SETS)} FROM {source} s WHERE {on}"
            case 1:
                return f"DELETE FROM {target} t USING {source} s WHERE {on}"
            case 2:
                nested = f"{self.one(_NESTED)} (SELECT 1 FROM {source} s WHERE {on})"
                return f"DELETE FROM {target} t WHERE {nested} OR t.part = 9"
            case 3:
                column = self.one(("k", "part", "v", "txt", "d"))
                nested = (
                    f"t.{column} {self.one(('IN', 'NOT IN'))} (SELECT {column} FROM {source} s)"
                )
                return f"UPDATE {target} t SET v = t.v + 1 WHERE {nested} AND t.part < 2"
            case 4:
                nested = f"{self.one(_NESTED)} (SELECT 1 FROM {source} s WHERE {on})"
                return f"DELETE FROM {target} t WHERE t.part < 2 AND {nested}"
        clauses = [
            f"WHEN MATCHED AND {self.one(_CONDITIONS)} THEN {self._change()}"
            for _ in range(self.numbers.randrange(3))
        ]
        if self.numbers.random() < 0.6:
            clauses.append(f"WHEN MATCHED THEN {self._change()}")
        if not clauses or self.numbers.random() < 0.7:
            only = f" AND {self.one(_SOURCE_CONDITIONS)}" if self.numbers.random() < 0.4 else ""
            clauses.append(f"WHEN NOT MATCHED{only} THEN {self.one(_INSERTS)}")
        if self.numbers.random() < 0.1:
            clauses.append("WHEN NOT MATCHED BY SOURCE AND t.part = 2 THEN DELETE")
        return f"MERGE INTO {target} t USING {source} s ON {on} {' '.join(clauses)}"

    def _change(self) -> str:
        return "DELETE" if self.numbers.random() < 0.3 else f"UPDATE SET {self.one(_SETS)}"


@dataclass
class _Pair:
    """Two clones of a table, one for each way."""

    lake: Lake
    sessions: dict[str, Session]

    def begin(self, made: _Random) -> None:
        session = self.sessions["of_keys"]
        partitions, properties = _TABLES[made.numbers.randrange(len(_TABLES))]
        foreign = self.lake.foreign()
        session.sql("DROP TABLE IF EXISTS base")
        session.sql(
            "CREATE TABLE base (k INT, part INT, v BIGINT DEFAULT 7, x DOUBLE, txt VARCHAR, d DATE)"
            f" {partitions}"
        )
        if properties:
            foreign.sql(f"ALTER TABLE {_FOREIGN}.base SET TBLPROPERTIES ({properties})")
        for count in (9, 5, 3):
            session.sql(f"INSERT INTO base VALUES {made.rows(count)}")
        session.sql("DELETE FROM base WHERE k = 7")
        session.sql(
            "CREATE OR REPLACE TABLE src (k INT, part INT, v BIGINT, x DOUBLE, txt VARCHAR, d DATE)"
        )
        session.sql(f"INSERT INTO src VALUES {made.rows(made.numbers.choice((1, 4, 12)))}")
        for target in _WAYS:
            session.sql(f"CREATE OR REPLACE TABLE {target} CLONE base")

    def run(self, target: str, statement: str) -> Any:
        """Return what a statement reports, or how it was refused."""
        try:
            return self.sessions[target].sql(statement).fetchall()
        except IcemeltError as error:
            return type(error), str(error).replace(f"public.{target}", "public.t")

    def rows(self, target: str, known: int) -> Counter[tuple[str, ...]]:
        """Return the rows of a table; those with new ids, which are in no order, without the id.

        `known` is the first id that was not given out when the table was cloned.
        """
        rows = self.lake.foreign().sql(
            f"SELECT *, _row_id, _last_updated_sequence_number FROM {_FOREIGN}.{target}"
        )
        return Counter(
            tuple(map(str, (*row[:-2], row[-2] if row[-2] < known else "new", row[-1])))
            for row in rows.collect()
        )

    def next_row_id(self) -> int:
        rows = self.lake.foreign().sql(f"SELECT max(_row_id) FROM {_FOREIGN}.of_join").collect()
        return 1 + (rows[0][0] or 0)


@pytest.mark.slow
def test_both_ways_of_a_merge_do_the_same(lake: Lake) -> None:
    seed = int(os.environ.get("ICEMELT_TORTURE_SEED", this_turn()))
    numbers = random.Random(seed)  # noqa: S311 - chance is wanted
    made = _Random(numbers)
    pair = _Pair(lake, {target: lake.open() for target in _WAYS})
    for target, session in pair.sessions.items():
        session.sql(f"ALTER SESSION SET MERGE_STRATEGY = {_WAYS[target]}")
    done = 0
    for number in range(_STATEMENTS):
        if number % 8 == 0:
            pair.begin(made)
            known = pair.next_row_id()
        state = numbers.getstate()
        found = {}
        for target in _WAYS:
            numbers.setstate(state)
            statement = made.statement(target)
            found[target] = pair.run(target, statement), pair.rows(target, known)
        assert found["of_keys"] == found["of_join"], f"seed {seed}: {statement}"
        done += isinstance(found["of_join"][0], list)
    assert done > _STATEMENTS // 4
