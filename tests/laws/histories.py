"""Random histories of a table, and what every version of it held.

The oracle knows nothing of snapshots or files: after each step it reads the whole table, with row
ids, through an engine that knows nothing of icemelt.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from conftest import Lake
from icemelt import Session

__all__ = ["History", "Row", "State", "expected_appends", "expected_delta", "steps"]

Row = tuple[Any, ...]
State = dict[int, Row]

TABLE = "icemelt.main.public.t"
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
steps = st.lists(
    st.one_of(inserts, inserts, updates, touches, deletes, merges, overwrites, others, foreign),
    min_size=2,
    max_size=6,
)


@dataclass
class History:
    """Runs steps on a table `t`; `states` has what it held after each version."""

    lake: Lake
    session: Session
    states: list[State] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)

    def start(self, *, properties: str = "") -> None:
        self.session.sql("CREATE OR REPLACE TABLE t (k INT, x DOUBLE, s VARCHAR)")
        if properties:
            self.lake.foreign().sql(f"ALTER TABLE {TABLE} SET TBLPROPERTIES ({properties})")
        self.mark()

    def step(self, text: str) -> None:
        if text.startswith("foreign "):
            self.lake.foreign().sql(text.removeprefix("foreign ")).collect()
        else:
            self.session.sql(text)
        self.mark()

    def mark(self) -> None:
        """Remember the state, and a statement id that stands for it."""
        self.marks.append(self.session.sql("SELECT count(*) FROM t").statement_id)
        rows = self.lake.foreign().sql(f"SELECT _row_id, * FROM {TABLE}").collect()
        self.states.append({row[0]: tuple(map(plain, row[1:])) for row in rows})

    def changes(self, start: int, end: int, information: str) -> list[Row]:
        result = self.session.sql(
            f"SELECT * FROM t CHANGES (INFORMATION => {information}) "
            f"AT (STATEMENT => '{self.marks[start]}') END (STATEMENT => '{self.marks[end]}')"
        )
        return [tuple(map(plain, row)) for row in result.fetchall()]


def plain(value: Any) -> Any:
    """Make equal values equal in Python too: NaN to NaN, minus zero to zero."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def expected_delta(old: State, new: State) -> Counter[Row]:
    """Return the min-delta of two states, without row ids."""
    expected: Counter[Row] = Counter()
    for row_id in old.keys() | new.keys():
        before, after = old.get(row_id), new.get(row_id)
        if before == after:
            continue
        is_update = before is not None and after is not None
        if before is not None:
            expected[(*before, "DELETE", is_update)] += 1
        if after is not None:
            expected[(*after, "INSERT", is_update)] += 1
    return expected


def expected_appends(states: list[State]) -> Counter[Row]:
    """Return the append-only changes of states, the first being the start."""
    seen = set(states[0])
    expected: Counter[Row] = Counter()
    for state in states[1:]:
        for row_id, row in state.items():
            if row_id not in seen:
                expected[(*row, "INSERT", False)] += 1
        seen |= state.keys()
    return expected
