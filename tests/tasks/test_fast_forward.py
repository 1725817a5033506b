"""A busy graph goes on for days: what it leaves and what it costs does not grow.

ICEMELT_TORTURE_TASK_DAYS is for how many days it goes on in `make torture`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fast_forward import FastForward, Measure
from simulated_lake import SimulatedClock

from icemelt.catalog.database import open_database, sqlite_url

NOON = 1_735_732_800_000  # 2025-01-01 12:00:00 UTC
DAYS = int(os.environ.get("ICEMELT_TORTURE_TASK_DAYS", "7"))
# the history is kept for so many days
RETENTION = 14
TASKS = 50
MEBIBYTE = 2**20


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[FastForward]:
    clock = SimulatedClock(NOON)
    database = open_database(sqlite_url(tmp_path / "catalog.db"), str(tmp_path), clock=clock)
    yield FastForward(database, clock)
    database.close()


def check_growth(first: Measure, last: Measure, grown: int) -> None:
    """Check that nothing but the history has grown, and no turn takes longer.

    Args:
        first: what a part of the time has cost, once all is warm.
        last: what the same part has cost later.
        grown: how many bytes the process may have grown.
    """
    assert last.runs > 0.9 * first.runs
    assert last.resident < first.resident + grown
    assert last.milliseconds_of_a_turn < 1.5 * first.milliseconds_of_a_turn
    for table in ("icemelt_task_graphs", "icemelt_objects"):
        assert last.rows[table] == first.rows[table]
    # of the newest graph, of a run under way, and of the last run
    assert last.rows["icemelt_task_graph_versions"] <= 3


def check_retention(lake: FastForward) -> None:
    """Check that the history forgets what is older than its retention, and the graph goes on."""
    before = lake.count_rows()
    lake.rest(RETENTION + 1)
    lake.maintain()
    left = lake.count_rows()
    # what is under way is not over, and the scheduler has changed
    assert left["icemelt_task_runs"] <= TASKS
    assert left["icemelt_schedulers"] == 1
    assert left["icemelt_transactions"] <= 1
    assert before["icemelt_task_runs"] > 10 * TASKS
    again = lake.run(0.2)
    assert again.runs > TASKS
    with lake.database.read() as connection:
        lost = connection.exec_driver_sql(
            "SELECT task FROM icemelt_task_runs WHERE error_code = 'scheduler-lost'"
        ).all()
    # what ran while all rested was lost, and nothing after
    assert len(lost) <= TASKS


@pytest.mark.turns(3)
def test_hours_of_a_busy_graph_leave_a_history_and_nothing_else(lake: FastForward) -> None:
    lake.run(0.2)
    first, *_, last = [lake.run(0.3) for _ in range(4)]
    check_growth(first, last, grown=24 * MEBIBYTE)
    check_retention(lake)


@pytest.mark.torture
def test_a_week_of_a_busy_graph_leaves_a_history_and_nothing_else(
    lake: FastForward, capsys: pytest.CaptureFixture[str]
) -> None:
    days = []
    for day in range(1, DAYS + 1):
        days.append(lake.run(24))
        measure = days[-1]
        with capsys.disabled():
            print(  # noqa: T201
                f"\nday {day}: {measure.runs} runs, {measure.turns} turns of "
                f"{measure.milliseconds_of_a_turn:.1f} ms, "
                f"{measure.resident / MEBIBYTE:.0f} MiB, {measure.rows}",
                end="",
            )
    check_growth(days[min(1, DAYS - 1)], days[-1], grown=24 * MEBIBYTE)
    check_retention(lake)
