"""The laws of change queries on random histories, against brute-force reads of both ends."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, seed, settings
from hypothesis import strategies as st
from laws.histories import (
    MANY_FILES,
    History,
    Row,
    appending_steps,
    compacting_steps,
    evolving_steps,
    steps,
)
from pyspark.sql import SparkSession
from rotation import this_turn

from conftest import Lake, sqlite_url
from icemelt.catalog.database import system_clock
from icemelt.errors import BeforeTableExisted
from icemelt.transactions import collapsing

_EXAMPLES = int(os.environ.get("ICEMELT_LAW_EXAMPLES", "3"))
_ACTION, _ISUPDATE, _ROW_ID = -3, -2, -1

_Law = Callable[[History, int, int], None]

_law = settings(
    max_examples=_EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    print_blob=True,
)
# the histories of a turn are the same in each run
_of_this_turn = seed(this_turn())


# each word after the one that makes it do something
_EVOLUTION = [
    "INSERT INTO t (k, x, s) VALUES (1, 1.5, 'a'), (1, 1.5, 'a'), (3, NULL, NULL), (4, 0, 'd')",
    "foreign add",
    "fill",
    "widen",
    "add with default",
    "partition",
    "fill",
    "branch aside",
    "foreign rename",
    "roll back",
    "add",
    "drop",
    "jump",
    "foreign replace",
    "branch forward",
]

# what one step does to a row, a later one, after a compaction, does again, undoes or takes away
_COMPACTED = [
    "UPDATE t SET s = 'u' WHERE k < 3",
    "INSERT INTO t (k, x, s) VALUES (30, NULL, 'n'), (31, NULL, 'n')",
    "UPDATE t SET s = 'w' WHERE k IN (1, 30)",
    "UPDATE t SET s = 'm' WHERE k = 2",
    "DELETE FROM t WHERE k IN (4, 31)",
]

# runs of appends with something else between them, and a state inside a run that comes back
_APPENDED = [
    *["INSERT INTO t (k, x, s) VALUES (1, 1, 'a'), (2, 2, 'b')"] * 3,
    "UPDATE t SET s = 'u' WHERE k = 2",
    *["INSERT INTO t (k, x, s) VALUES (3, 3, 'c')"] * 2,
    "restore",
    *["INSERT INTO t (k, x, s) VALUES (4, 4, 'd')"] * 2,
]

# appends that compactions take, some once, some twice, some after rows of them have gone
_MOVED = [
    *["INSERT INTO t (k, x, s) VALUES (1, 1, 'a'), (2, 2, 'b')"] * 4,
    "DELETE FROM t WHERE k = 1 AND x = 1 AND s = 'a'",
    *["INSERT INTO t (k, x, s) VALUES (3, 3, 'c')"] * 3,
    "OPTIMIZE t",
    *["INSERT INTO t (k, x, s) VALUES (4, 4, 'd')"] * 3,
    "UPDATE t SET s = 'u' WHERE k = 3",
    "MERGE INTO t USING (SELECT 5 AS k) q ON t.k = q.k WHEN NOT MATCHED THEN INSERT (k) VALUES (5)",
    "OPTIMIZE t",
    *["INSERT INTO t (k, x, s) VALUES (6, 6, 'f')"] * 2,
    "OPTIMIZE t",
]


@pytest.fixture(scope="module")
def module_lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("laws")
    return Lake(spark, sqlite_url(Path(folder)), Path(folder), system_clock, "INCREMENTAL")


@_of_this_turn
@_law
@given(steps=steps, data=st.data())
def test_changes_turn_the_old_state_into_the_new(
    module_lake: Lake, steps: list[str], data: st.DataObject
) -> None:
    history = _run(module_lake, steps, "")
    _check_all_laws(history, data, *_LAWS, _check_both_ends)


@_of_this_turn
@_law
@given(steps=steps, data=st.data())
def test_copy_on_write_tables_obey_the_same_laws(
    module_lake: Lake, steps: list[str], data: st.DataObject
) -> None:
    modes = ", ".join(
        f"'write.{what}.mode' = 'copy-on-write'" for what in ("delete", "update", "merge")
    )
    history = _run(module_lake, steps, modes)
    _check_all_laws(history, data, *_LAWS, _check_both_ends)


@pytest.mark.turns(8)
@_of_this_turn
@settings(_law, max_examples=max(2, _EXAMPLES // 2))
@example(steps=_COMPACTED, data=None)
@given(steps=steps, data=st.data())
def test_compactions_on_the_way_hide_nothing(
    module_lake: Lake, steps: list[str], data: st.DataObject | None
) -> None:
    # many files at the start, so that reading both ends whole is the dearer way
    compacted = [step for each in steps for step in (each, "OPTIMIZE t")]
    history = _run(module_lake, [MANY_FILES, *compacted], "")
    _check_all_laws(history, data, *_LAWS, _check_both_ends)


@pytest.mark.turns(8)
@_of_this_turn
@settings(_law, max_examples=max(1, _EXAMPLES // 6))
@example(steps=_MOVED, data=None)
@given(steps=compacting_steps, data=st.data())
def test_appends_are_the_same_where_compactions_moved_them(
    module_lake: Lake, steps: list[str], data: st.DataObject | None
) -> None:
    history = _run(module_lake, steps, "")
    _check_all_laws(history, data, _check_delta, _check_both_ends, _check_appends)


@pytest.mark.turns(8)
@_of_this_turn
@settings(_law, max_examples=max(2, _EXAMPLES // 2))
@example(steps=_EVOLUTION, data=None)
@given(steps=evolving_steps, data=st.data())
def test_other_definitions_and_branches_obey_the_same_laws(
    module_lake: Lake, steps: list[str], data: st.DataObject | None
) -> None:
    history = _run(module_lake, steps, "")
    _check_all_laws(history, data, *_LAWS)


@pytest.mark.turns(8)
@_of_this_turn
@settings(_law, max_examples=max(1, _EXAMPLES // 6))
@example(steps=_APPENDED, data=None)
@given(steps=appending_steps, data=st.data())
def test_snapshots_that_left_the_log_obey_the_same_laws(
    module_lake: Lake, steps: list[str], data: st.DataObject | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collapsing, "_AT_ONCE", 1)
        history = _run(module_lake, steps, "'icemelt.snapshot-log-minutes' = '0'")
    _check_all_laws(history, data, *_LAWS, _check_points)


def _run(lake: Lake, steps: list[str], properties: str) -> History:
    history = History(lake, lake.open())
    history.start(properties=properties)
    for step in steps:
        history.step(step)
    return history


def _check_all_laws(history: History, data: st.DataObject | None, *laws: _Law) -> None:
    born, last = history.born, len(history.marks) - 1
    if born:
        # a replaced table is another table, with a history of its own
        with pytest.raises(BeforeTableExisted):
            history.changes(0, last, "DEFAULT")
    pairs = {(born, last)}
    if data is None:
        pairs |= {(mark, mark + 1) for mark in range(born, last)}
    else:
        start = data.draw(st.integers(born, last))
        pairs.add((start, data.draw(st.integers(start, last))))
    for first, second in sorted(pairs):
        for law in laws:
            law(history, first, second)
    history.session.close()


def _check_delta(history: History, start: int, end: int) -> None:
    rows = history.changes(start, end, "DEFAULT")
    got = Counter(row[:_ROW_ID] for row in rows)
    assert got == history.expected_delta(start, end)
    _check_row_ids(rows)


def _check_both_ends(history: History, start: int, end: int) -> None:
    rows = history.changes_by_both_ends(start, end)
    assert Counter(row[:_ROW_ID] for row in rows) == history.expected_delta(start, end)
    _check_row_ids(rows)


def _check_points(history: History, start: int, end: int) -> None:
    for mark in (start, end):
        assert history.rows_at(mark) == history.expected_rows(mark)


def _check_row_ids(rows: list[Row]) -> None:
    by_id: dict[str, Counter[str]] = {}
    for row in rows:
        by_id.setdefault(row[_ROW_ID], Counter())[row[_ACTION]] += 1
    assert all(max(actions.values()) == 1 for actions in by_id.values())
    for row in rows:
        assert row[_ISUPDATE] == (len(by_id[row[_ROW_ID]]) == 2)


def _check_appends(history: History, start: int, end: int) -> None:
    rows = history.changes(start, end, "APPEND_ONLY")
    got = Counter(row[:_ROW_ID] for row in rows)
    assert got == history.expected_appends(start, end)
    assert len({row[_ROW_ID] for row in rows}) == len(rows)


def _check_log(history: History, start: int, end: int) -> None:
    """Each version's part of the redo log is its min-delta; ids go through all of them."""
    by_version: dict[tuple[int, object], list[Row]] = {}
    for *row, version, time in history.changes(start, end, "REDO_LOG"):
        by_version.setdefault((version, time), []).append(tuple(row))
    parts = [by_version[version] for version in sorted(by_version)]
    for part in parts:
        _check_row_ids(part)
    got = [Counter(row[:_ROW_ID] for row in part) for part in parts]
    assert got == history.expected_log(start, end)


_LAWS = (_check_delta, _check_appends, _check_log)
