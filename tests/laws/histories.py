"""Random histories of a table, and what every version of it held.

The oracle knows nothing of snapshots or files: after each step it reads the whole table, with row
ids, through an engine that knows nothing of icemelt.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from laws.evolutions import BRANCH, TABLE, WORDS, Columns, statements

from conftest import Lake
from icemelt import Session

__all__ = ["History", "Row", "appending_steps", "compacting_steps", "evolving_steps", "steps"]

Row = tuple[Any, ...]
State = dict[int, dict[int, Any]]

REWRITE = (
    "CALL icemelt.system.rewrite_data_files(table => 'main.public.t', "
    "options => map('min-input-files', '2', 'delete-file-threshold', '1'))"
)
_KEYS = st.integers(0, 6)
_VALUES = st.sampled_from(
    ["NULL", "'NaN'::double", "0.0::double", "-0.0::double", "1.5::double", "2.5::double"]
)
_TEXTS = st.sampled_from(["NULL", "'a'", "'b'", "''"])

inserts = st.lists(st.tuples(_KEYS, _VALUES, _TEXTS), min_size=1, max_size=4).map(
    lambda rows: (
        "INSERT INTO t (k, x, s) VALUES "
        + ", ".join(f"({key}, {value}, {text})" for key, value, text in rows)
    )
)
updates = st.tuples(_VALUES, _KEYS).map(lambda p: f"UPDATE t SET x = {p[0]} WHERE k >= {p[1]}")
touches = st.just("UPDATE t SET x = x")
deletes = _KEYS.map(lambda key: f"DELETE FROM t WHERE k = {key}")
merges = st.tuples(_KEYS, _TEXTS).map(
    lambda p: (
        f"MERGE INTO t USING (SELECT {p[0]} AS k, {p[1]} AS s UNION ALL SELECT 99, 'm') q "
        "ON t.k = q.k WHEN MATCHED AND t.s = 'b' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET s = q.s WHEN NOT MATCHED THEN INSERT (k, s) VALUES (q.k, q.s)"
    )
)
overwrites = _KEYS.map(
    lambda key: f"INSERT OVERWRITE INTO t (k, x, s) SELECT k, x, s FROM t WHERE k > {key}"
)
others = st.sampled_from(["TRUNCATE TABLE t", "OPTIMIZE t"])
foreign = st.sampled_from(
    [
        f"foreign INSERT INTO {TABLE} (k, x, s) VALUES (7, 7.0, 'f'), (1, NULL, 'f')",
        f"foreign UPDATE {TABLE} SET s = 'ff' WHERE k < 3",
        f"foreign DELETE FROM {TABLE} WHERE k % 2 = 0",
        f"foreign {REWRITE}",
        "foreign CALL icemelt.system.rewrite_manifests('main.public.t')",
    ]
)
MANY_FILES = (
    f"foreign INSERT INTO {TABLE} (k, x, s) "
    "SELECT /*+ REPARTITION(24) */ cast(id AS int), cast(id AS double), 'm' FROM range(24)"
)
steps = st.lists(
    st.one_of(inserts, inserts, updates, touches, deletes, merges, overwrites, others, foreign),
    min_size=2,
    max_size=6,
)
evolving_steps = st.lists(
    st.one_of(inserts, updates, deletes, foreign, *[st.sampled_from(WORDS)] * 4),
    min_size=3,
    max_size=7,
)
compacting_steps = st.lists(
    st.one_of(*[inserts] * 5, updates, deletes, merges, *[st.just("OPTIMIZE t")] * 2, foreign),
    min_size=6,
    max_size=12,
)
appending_steps = st.lists(
    st.one_of(*[inserts] * 6, updates, deletes, others, foreign, st.just("restore")),
    min_size=4,
    max_size=9,
)


@dataclass(frozen=True)
class Mark:
    """A state that can be asked for: a statement's id, its place in the trail, its snapshot."""

    statement_id: str
    place: int
    snapshot_id: int | None


@dataclass
class History:
    """Runs steps on a table `t`.

    `trail` has every state that the table's versions held, `marks` those that are compared; `born`
    is the first mark of the table that has the name now.
    """

    lake: Lake
    session: Session
    trail: list[State] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    born: int = 0
    columns: Columns = field(default_factory=Columns)

    def start(self, *, properties: str = "") -> None:
        self.session.sql("CREATE OR REPLACE TABLE t (k INT, x DOUBLE, s VARCHAR)")
        if properties:
            self.foreign(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ({properties})")
        self.mark()

    def step(self, text: str) -> None:
        match text:
            case "roll back" | "jump":
                self._move(text)
            case "restore":
                versions = [row[0] for row in self.session.sql("DESC HISTORY t").fetchall()]
                middle = sorted(versions)[len(versions) // 2]
                self.session.sql(f"RESTORE TABLE t TO VERSION AS OF {middle}")
            case "branch forward" | "branch aside":
                self._branch(text)
            case _ if text in WORDS:
                for statement in statements(text, self.columns):
                    self._run(statement)
            case _:
                self._run(text)
        if text == "replace":
            self.born = len(self.marks)
        self.mark()

    def mark(self) -> None:
        """Remember the state, and a statement id that stands for it."""
        statement_id = self.session.sql("SELECT count(*) FROM t").statement_id
        refs = self.foreign(f"SELECT snapshot_id FROM {TABLE}.refs WHERE name = 'main'")
        self._pass(TABLE)
        self.marks.append(Mark(statement_id, len(self.trail) - 1, refs[0][0] if refs else None))

    def foreign(self, text: str) -> list[Any]:
        return self.lake.foreign().sql(text).collect()

    def changes(self, start: int, end: int, information: str, source: str = "t") -> list[Row]:
        first, last = self.marks[start].statement_id, self.marks[end].statement_id
        result = self.session.sql(
            f"SELECT * FROM {source} CHANGES (INFORMATION => {information}) "
            f"AT (STATEMENT => '{first}') END (STATEMENT => '{last}')"
        )
        return [tuple(map(plain, row)) for row in result.fetchall()]

    def rows_at(self, mark: int) -> Counter[Row]:
        """Return the rows at a mark, as time travel gives them."""
        then = self.marks[mark].statement_id
        result = self.session.sql(f"SELECT * FROM t AT (STATEMENT => '{then}')")
        return Counter(tuple(map(plain, row)) for row in result.fetchall())

    def expected_rows(self, mark: int) -> Counter[Row]:
        """Return the rows at a mark."""
        state = self.trail[self.marks[mark].place]
        return Counter(self._today(row) or () for row in state.values())

    def changes_by_both_ends(self, start: int, end: int) -> list[Row]:
        """Return the changes of a view of the whole table, whose ends are read in one pass."""
        self.session.sql("CREATE VIEW IF NOT EXISTS of_t AS SELECT k, x, s FROM t")
        self.session.sql("ALTER SESSION SET VIEW_CHANGES = BOTH_ENDS")
        return self.changes(start, end, "DEFAULT", "of_t")

    def expected_delta(self, start: int, end: int) -> Counter[Row]:
        """Return the min-delta of two marks, without row ids."""
        return self._delta(*(self.trail[self.marks[mark].place] for mark in (start, end)))

    def expected_log(self, start: int, end: int) -> list[Counter[Row]]:
        """Return the min-delta of each version that changed rows, without row ids."""
        first, last = self.marks[start].place, self.marks[end].place
        states = self.trail[first : last + 1]
        deltas = [self._delta(old, new) for old, new in pairwise(states)]
        return [delta for delta in deltas if delta]

    def _delta(self, old: State, new: State) -> Counter[Row]:
        expected: Counter[Row] = Counter()
        for row_id in old.keys() | new.keys():
            before, after = (self._today(state.get(row_id)) for state in (old, new))
            if before == after:
                continue
            is_update = before is not None and after is not None
            if before is not None:
                expected[(*before, "DELETE", is_update)] += 1
            if after is not None:
                expected[(*after, "INSERT", is_update)] += 1
        return expected

    def expected_appends(self, start: int, end: int) -> Counter[Row]:
        """Return the append-only changes; rows that a rollback brings back are not inserts."""
        first, last = self.marks[start].place, self.marks[end].place
        seen = {row_id for state in self.trail[: first + 1] for row_id in state}
        expected: Counter[Row] = Counter()
        for state in self.trail[first + 1 : last + 1]:
            for row_id, row in state.items():
                if row_id not in seen:
                    expected[(*(self._today(row) or ()), "INSERT", False)] += 1
            seen |= state.keys()
        return expected

    def _run(self, text: str) -> None:
        if text.startswith("foreign "):
            self.foreign(text.removeprefix("foreign "))
        else:
            self.session.sql(text)

    def _pass(self, relation: str) -> None:
        """Remember what a version held."""
        rows = self.foreign(f"SELECT _row_id, * FROM {relation}")
        self.trail.append({row["_row_id"]: self.columns.numbered(row) for row in rows})

    def _today(self, row: dict[int, Any] | None) -> Row | None:
        return None if row is None else tuple(map(plain, self.columns.today(row)))

    def _move(self, word: str) -> None:
        """Go back to the parent, or to the snapshot of the oldest mark that has one."""
        current = self.marks[-1].snapshot_id
        if word == "jump":
            marks = self.marks[self.born :]
            target = next((m.snapshot_id for m in marks if m.snapshot_id is not None), None)
            procedure = "set_current_snapshot"
        else:
            parents = self.foreign(f"SELECT snapshot_id, parent_id FROM {TABLE}.snapshots")
            target = {row[0]: row[1] for row in parents}.get(current)
            procedure = "rollback_to_snapshot"
        if target is not None:
            self.foreign(f"CALL icemelt.system.{procedure}('main.public.t', {target})")

    def _branch(self, word: str) -> None:
        """Let a branch grow, and `main` too for one aside; then `main` becomes the branch."""
        if self.marks[-1].snapshot_id is None:
            return
        self.foreign(f"ALTER TABLE {TABLE} CREATE OR REPLACE BRANCH b")
        for statement in (
            f"INSERT INTO {BRANCH} (k, x, s) VALUES (20, 2.0, 'b'), (21, NULL, 'b')",
            f"UPDATE {BRANCH} SET s = 'bb' WHERE k < 21",
            f"DELETE FROM {BRANCH} WHERE k IN (1, 21)",
        ):
            self.foreign(statement)
            self._pass(f"{TABLE} VERSION AS OF 'b'")
        if word == "branch forward":
            self.foreign("CALL icemelt.system.fast_forward('main.public.t', 'main', 'b')")
            return
        self.foreign(f"INSERT INTO {TABLE} (k, x, s) VALUES (30, NULL, 'main')")
        self.foreign(
            "CALL icemelt.system.set_current_snapshot(table => 'main.public.t', ref => 'b')"
        )


def plain(value: Any) -> Any:
    """Make equal values equal in Python too: NaN to NaN, minus zero to zero."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value
