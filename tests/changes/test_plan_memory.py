"""What plans have taken mends what is expected of the next, within bounds."""

from __future__ import annotations

import pytest

from icemelt.changes.plan_memory import PlanMemory

DERIVATIVE, BOTH_ENDS = ("v", "INCREMENTAL"), ("v", "BOTH_ENDS")


def test_a_slow_machine_is_no_reason_to_change_the_plan() -> None:
    memory = PlanMemory()
    for view in "abc":
        memory.note(view, "INCREMENTAL", 1.0, 10.0)
        memory.note(view, "BOTH_ENDS", 2.0, 20.0)
    assert memory.correction("a", "INCREMENTAL") == pytest.approx(1.0)
    assert memory.correction("never", "INCREMENTAL") == 1.0


def test_a_plan_that_took_longer_than_others_is_expected_to() -> None:
    memory = PlanMemory()
    memory.note(*BOTH_ENDS, 1.0, 1.0)
    memory.note(*DERIVATIVE, 1.0, 2.25)
    assert memory.correction(*DERIVATIVE) == pytest.approx(1.5)
    assert memory.correction(*BOTH_ENDS) == pytest.approx(1 / 1.5)


def test_no_plan_is_mended_by_more_than_a_factor_of_two() -> None:
    memory = PlanMemory()
    memory.note(*BOTH_ENDS, 1.0, 0.1)
    memory.note(*DERIVATIVE, 0.1, 100.0)
    assert (memory.correction(*BOTH_ENDS), memory.correction(*DERIVATIVE)) == (0.5, 2.0)


def test_one_slow_run_is_half_forgotten_by_the_next() -> None:
    memory = PlanMemory()
    memory.note(*BOTH_ENDS, 1.0, 1.0)
    memory.note(*DERIVATIVE, 1.0, 4.0)
    slow = memory.correction(*DERIVATIVE)
    memory.note(*DERIVATIVE, 1.0, 1.0)
    assert 1.0 < memory.correction(*DERIVATIVE) < slow


def test_what_took_no_time_says_nothing() -> None:
    memory = PlanMemory()
    memory.note(*BOTH_ENDS, 1.0, 1.0)
    memory.note(*DERIVATIVE, 1.0, 0.001)
    memory.note(*DERIVATIVE, 0.0, 1.0)
    assert memory.correction(*DERIVATIVE) == 1.0


def test_the_pair_that_ran_longest_ago_is_forgotten_first() -> None:
    memory = PlanMemory(room=2)
    memory.note("a", "BOTH_ENDS", 1.0, 1.0)
    memory.note("b", "BOTH_ENDS", 1.0, 3.0)
    memory.note("a", "BOTH_ENDS", 1.0, 1.0)
    memory.note("c", "BOTH_ENDS", 1.0, 9.0)
    assert memory.correction("b", "BOTH_ENDS") == 1.0
    assert memory.correction("a", "BOTH_ENDS") == 0.5
