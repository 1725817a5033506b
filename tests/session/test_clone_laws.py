"""Source and clones at random: each is what its own statements made of it, and no file is lost.

Tables are cloned, clones are cloned, all are changed, compacted, expired, replaced, swapped,
dropped and brought back. A model keeps the rows of each table as of each statement. Each inserted
row has a number of its own: two tables have one row id for a row exactly if it is one row. Each
turn tries another history; ICEMELT_TORTURE_SEED and ICEMELT_TORTURE_CASES choose.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from rotation import this_turn
from session.shared_files import find_lost_files, find_unnamed_files

from conftest import ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.errors import StatementUnresolved, VersionExpired

SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(this_turn()))
CASES = int(os.environ.get("ICEMELT_TORTURE_CASES", "1"))
STEPS = 30
# after so many steps all tables are compared with the model
COMPARED = 10
Rows = dict[int, int]


@dataclass
class Table:
    """A table of the model: its rows now, and as of statements of days."""

    rows: Rows
    past: list[tuple[str, int, Rows]] = field(default_factory=list)


@dataclass
class Play:
    """A lake beside its model."""

    session: Session
    lake: Lake
    clock: TestClock
    choose: random.Random
    tables: dict[str, Table] = field(default_factory=dict)
    dropped: dict[str, tuple[Table, int]] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    number: int = 0

    @property
    def day(self) -> int:
        return self.clock.time // ONE_DAY

    def sql(self, text: str) -> str:
        self.told.append(text)
        return self.session.sql(text).statement_id

    def next(self) -> int:
        self.number += 1
        return self.number

    def changed(self, name: str, statement_id: str, rows: Rows) -> None:
        table = self.tables[name]
        table.rows = rows
        table.past.append((statement_id, self.day, rows))

    def begin(self) -> None:
        """Make a table, and clones of clones three deep, each with rows of its own."""
        statement_id = self.sql("CREATE TABLE t (id INT, v INT)")
        self.tables["t"] = Table({}, [(statement_id, self.day, {})])
        for source in ("t", "c1", "c2"):
            self.insert(source)
            self.clone(source)
        self.insert("c3")

    def insert(self, name: str) -> None:
        new = {self.next(): 0 for _ in range(self.choose.randint(1, 3))}
        values = ", ".join(f"({key}, 0)" for key in new)
        rows = {**self.tables[name].rows, **new}
        self.changed(name, self.sql(f"INSERT INTO {name} VALUES {values}"), rows)

    def update(self, name: str) -> None:
        value, part = self.next(), self.choose.randint(0, 1)
        text = f"UPDATE {name} SET v = {value} WHERE id % 2 = {part}"
        rows = {k: value if k % 2 == part else v for k, v in self.tables[name].rows.items()}
        self.changed(name, self.sql(text), rows)

    def delete(self, name: str) -> None:
        part = self.choose.randint(0, 2)
        rows = {k: v for k, v in self.tables[name].rows.items() if k % 3 != part}
        self.changed(name, self.sql(f"DELETE FROM {name} WHERE id % 3 = {part}"), rows)

    def merge(self, name: str) -> None:
        """Take out some rows, change others, and bring a new one."""
        value, part, new = self.next(), self.choose.randint(0, 2), self.next()
        rows = {
            key: value if key % 3 == part else v
            for key, v in self.tables[name].rows.items()
            if key % 3 != (part + 1) % 3
        }
        text = (
            f"MERGE INTO {name} USING (SELECT id FROM {name} UNION ALL SELECT {new}) AS s "
            f"ON {name}.id = s.id WHEN MATCHED AND s.id % 3 = {(part + 1) % 3} THEN DELETE "
            f"WHEN MATCHED AND s.id % 3 = {part} THEN UPDATE SET v = {value} "
            f"WHEN NOT MATCHED THEN INSERT VALUES (s.id, {value})"
        )
        self.changed(name, self.sql(text), {**rows, new: value})

    def optimize(self, name: str) -> None:
        self.changed(name, self.sql(f"OPTIMIZE {name}"), self.tables[name].rows)

    def clone(self, name: str) -> None:
        self.make(name, f"c{len(self.tables) + len(self.dropped)}", "TABLE")

    def replace(self, name: str) -> None:
        """Give a table its own past."""
        self.make(name, name, "OR REPLACE TABLE")

    def make(self, source: str, name: str, kind: str) -> None:
        rows, point = self.tables[source].rows, ""
        today = [each for each in self.tables[source].past if each[1] == self.day]
        if today and self.choose.random() < 0.5:
            statement_id, _, rows = self.choose.choice(today)
            point = f" AT (STATEMENT => '{statement_id}')"
        statement_id = self.sql(f"CREATE {kind} {name} CLONE {source}{point}")
        self.tables[name] = Table(rows, [(statement_id, self.day, rows)])

    def swap(self, name: str) -> None:
        other = self.choose.choice([*self.tables])
        if other != name:
            self.sql(f"ALTER TABLE {name} SWAP WITH {other}")
            tables = self.tables
            tables[name], tables[other] = tables[other], tables[name]

    def drop(self, name: str) -> None:
        if len(self.tables) > 2:
            self.sql(f"DROP TABLE {name}")
            self.dropped[name] = self.tables.pop(name), self.day

    def undrop(self, _: str) -> None:
        for name, (table, day) in [*self.dropped.items()]:
            if day == self.day and name not in self.tables:
                self.sql(f"UNDROP TABLE {name}")
                self.tables[name] = table
                del self.dropped[name]

    def maintain(self, _: str) -> None:
        """Let a day or two pass, and expire."""
        self.clock.set(self.clock.time + self.choose.randint(1, 2) * ONE_DAY)
        self.told.append("maintain")
        assert self.session.maintain(safe_age=0).skipped == ()
        assert find_lost_files(self.lake, self.session) == set(), self.story

    @property
    def story(self) -> str:
        return "; ".join(self.told)

    def compare(self) -> None:
        for name, table in self.tables.items():
            probe = f"CREATE OR REPLACE STREAM probe ON TABLE {name} SHOW_INITIAL_ROWS = TRUE"
            self.session.sql(probe)
            found = self.session.sql("SELECT id, v, METADATA$ROW_ID FROM probe").fetchall()
            self.session.sql("DROP STREAM probe")
            assert {row[0]: row[1] for row in found} == table.rows, f"{name}: {self.story}"
            for key, _, row_id in found:
                assert self.ids.setdefault(key, row_id) == row_id, f"{name}: {self.story}"
            self.look_back(name, table)
        assert len({*self.ids.values()}) == len(self.ids), self.story

    def look_back(self, name: str, table: Table) -> None:
        """Read a table at some of its statements; those of the last day are there."""
        for statement_id, day, rows in self.choose.sample(table.past, min(2, len(table.past))):
            try:
                query = f"SELECT id, v FROM {name} AT (STATEMENT => '{statement_id}')"
                assert dict(self.session.sql(query).fetchall()) == rows, f"{name}: {self.story}"
            except (VersionExpired, StatementUnresolved):
                assert day < self.day, self.story


@pytest.mark.parametrize("case", range(CASES))
def test_each_table_is_what_its_own_statements_made(
    lake: Lake, session: Session, clock: TestClock, case: int
) -> None:
    choose = random.Random(f"{SEED} {case}")  # noqa: S311 - chance is what is wanted
    play = Play(session, lake, clock, choose)
    play.begin()
    steps: list[Callable[[str], None]] = [
        *[play.insert, play.update, play.delete, play.clone] * 3,
        *[play.merge] * 2,
        *[play.maintain] * 3,
        *(play.optimize, play.replace, play.swap, play.drop, play.undrop),
    ]
    for number in range(1, STEPS + 1):
        choose.choice(steps)(choose.choice([*play.tables]))
        if number % COMPARED == 0:
            play.compare()
    # past any retention, streams' and UNDROP's too
    clock.set(clock.time + 40 * ONE_DAY)
    for _ in range(3):
        assert session.maintain(safe_age=0).skipped == ()
    play.compare()
    assert find_lost_files(lake, session) == set(), play.story
    assert find_unnamed_files(lake, session) == set(), play.story
