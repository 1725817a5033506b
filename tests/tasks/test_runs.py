"""The runs of a graph, event by event: a case for each sentence of the contract."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from run_machine import HOURLY, LEASE, NOON, fail_hourly, machine, task

from icemelt.errors import DefinitionRefused
from icemelt.tasks.events import (
    BodyStopped,
    ClaimGranted,
    ClaimRefused,
    LeaseRenewed,
    RetryRequested,
    RootSuspended,
    RunClaimed,
    RunEnded,
    RunQueued,
    RunsCancelled,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.records import RunError
from icemelt.tasks.runs import next_scheduled_time, next_wake
from icemelt.tasks.schedule import parse_schedule
from icemelt.tasks.states import OverlapPolicy, RunOrigin, RunState, SuspendedReason

# ------------------------------------------------------------------------------------------ times


def test_a_resumed_root_runs_at_the_times_of_its_schedule() -> None:
    m = machine(task("root", schedule=HOURLY))
    assert m.apply(TimePassed(), minutes=59) == []
    assert next_wake(m.state) == next_scheduled_time(m.state) == NOON + timedelta(hours=1)
    m.apply(TimePassed(), minutes=1, seconds=5)
    assert m.row(1, "root").scheduled_at == NOON + timedelta(hours=1)
    assert m.history[1, "root", 1].origin is RunOrigin.SCHEDULE
    m.run("root")
    assert m.state.active == ()
    assert next_wake(m.state) == NOON + timedelta(hours=2)


def test_a_suspended_root_runs_at_no_time_and_counts_from_its_resume() -> None:
    suspended = task("root", schedule=HOURLY, is_suspended=True)
    m = machine(suspended)
    assert next_scheduled_time(m.state) is next_wake(m.state) is None
    assert m.apply(TimePassed(), days=3) == []
    assert m.change(replace(suspended, is_suspended=False), minutes=17) == []
    assert next_scheduled_time(m.state) == m.now + timedelta(hours=1)


def test_a_time_that_finds_the_last_run_unfinished_is_skipped() -> None:
    m = machine(task("root", schedule=HOURLY), task("a", "root"))
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.apply(TimePassed(), hours=1)
    assert m.rows()[-1] == (2, "root", 1, "SKIPPED")
    assert m.row(2, "root").error == RunError(
        "run-unfinished", "The last run of the graph was not over."
    )
    m.run("a")
    m.apply(TimePassed(), hours=1)
    assert m.rows()[-1] == (3, "root", 1, "SCHEDULED")


def test_a_time_is_skipped_whoever_looks_late() -> None:
    # the run ends after 14:00, and nobody has looked at 14:00
    m = machine(task("root", schedule=HOURLY))
    m.apply(TimePassed(), hours=1)
    token = m.claim("root")
    m.apply(LeaseRenewed(1, "root", token, timedelta(hours=2)))
    m.apply(RunEnded(1, "root", token, RunState.SUCCEEDED), minutes=59, seconds=59)
    m.apply(TimePassed(), seconds=2)
    token = m.claim("root")
    m.apply(LeaseRenewed(2, "root", token, timedelta(hours=2)))
    # no tick at 15:00
    m.apply(RunEnded(2, "root", token, RunState.FAILED), minutes=59, seconds=59)
    assert m.rows() == [
        (1, "root", 1, "SUCCEEDED"),
        (2, "root", 1, "FAILED"),
        (3, "root", 1, "SKIPPED"),
    ]


@pytest.mark.parametrize(
    ("policy", "while_root_runs", "while_child_runs"),
    [
        (OverlapPolicy.NO_OVERLAP, "SKIPPED", "SKIPPED"),
        (OverlapPolicy.ALLOW_CHILD_OVERLAP, "SKIPPED", "SCHEDULED"),
        (OverlapPolicy.ALLOW_ALL_OVERLAP, "SCHEDULED", "SCHEDULED"),
    ],
)
def test_the_overlap_policy_says_what_may_begin_beside_a_run(
    policy: OverlapPolicy, while_root_runs: str, while_child_runs: str
) -> None:
    graph = (task("root", schedule=HOURLY, overlap_policy=policy), task("a", "root"))
    m = machine(*graph)
    m.apply(TimePassed(), hours=1)
    m.apply(TimePassed(), hours=1)
    assert m.rows()[-1] == (2, "root", 1, while_root_runs)
    m = machine(*graph)
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.apply(TimePassed(), hours=1)
    assert m.rows()[-1] == (2, "root", 1, while_child_runs)


def test_times_that_were_missed_are_one_run_for_the_latest() -> None:
    m = machine(task("root", schedule=HOURLY))
    m.apply(TimePassed(), days=30, minutes=10)
    assert m.rows() == [(1, "root", 1, "SCHEDULED")]
    assert m.row(1, "root").scheduled_at == NOON + timedelta(days=30)
    assert next_scheduled_time(m.state) == NOON + timedelta(days=30, hours=1)


def test_an_outage_during_a_run_fails_it_and_catches_up() -> None:
    m = machine(task("root", schedule=HOURLY))
    m.apply(TimePassed(), hours=1)
    m.claim("root")
    m.apply(TimePassed(), hours=5)
    assert m.rows() == [(1, "root", 1, "FAILED"), (2, "root", 1, "SCHEDULED")]
    assert m.row(1, "root").error is not None
    assert m.row(1, "root").error.code == "scheduler-lost"  # type: ignore[union-attr]


def test_another_schedule_has_no_times_before_it_was_set() -> None:
    root = task("root", schedule=HOURLY)
    m = machine(root)
    m.change(replace(root, schedule=parse_schedule("USING CRON 0 * * * * UTC")), minutes=50)
    assert next_scheduled_time(m.state) == NOON + timedelta(hours=1)
    m.change(replace(root, schedule=parse_schedule("20 MINUTES")), minutes=5)
    assert next_scheduled_time(m.state) == NOON + timedelta(minutes=75)
    # a changed body or comment moves nothing
    m.change(replace(root, schedule=parse_schedule("20 MINUTES"), config="{}"), minutes=5)
    assert next_scheduled_time(m.state) == NOON + timedelta(minutes=75)


# ------------------------------------------------------------------------------ claims and leases


def test_a_run_is_claimed_once_and_its_tokens_rise() -> None:
    m = machine(task("root", schedule=HOURLY, auto_retry_attempts=1))
    m.apply(TimePassed(), hours=1)
    first = m.claim("root")
    assert m.apply(RunClaimed(1, "root", "other", LEASE)) == [ClaimRefused(1, "root")]
    assert m.apply(RunClaimed(1, "gone", "other", LEASE)) == [ClaimRefused(1, "gone")]
    assert m.apply(RunClaimed(7, "root", "other", LEASE)) == [ClaimRefused(7, "root")]
    lost = m.apply(TimePassed(), seconds=30)
    assert BodyStopped(1, "root", first) in lost
    second = m.claim("root")
    assert second > first
    # who was lost may neither renew nor publish, also while another one executes the retry
    assert m.apply(LeaseRenewed(1, "root", first, LEASE)) == [ClaimRefused(1, "root")]
    late = RunEnded(1, "root", first, RunState.SUCCEEDED)
    assert m.apply(late) == [ClaimRefused(1, "root")]
    m.apply(RunEnded(1, "root", second, RunState.SUCCEEDED))
    assert m.apply(late) == [ClaimRefused(1, "root")]
    assert m.rows() == [(1, "root", 1, "FAILED"), (1, "root", 2, "SUCCEEDED")]


def test_a_lease_that_ended_before_anybody_looked_is_lost() -> None:
    m = machine(task("root", schedule=HOURLY))
    m.apply(TimePassed(), hours=1)
    token = m.claim("root")
    assert next_wake(m.state) == m.now + LEASE
    late = m.apply(RunEnded(1, "root", token, RunState.SUCCEEDED), seconds=31)
    assert late[-1] == ClaimRefused(1, "root")
    assert m.rows() == [(1, "root", 1, "FAILED")]


def test_a_lease_that_is_renewed_lasts() -> None:
    m = machine(task("root", schedule=HOURLY))
    m.apply(TimePassed(), hours=1)
    token = m.claim("root")
    for _ in range(10):
        renewed = m.apply(LeaseRenewed(1, "root", token, LEASE), seconds=20)
        assert [type(decision) for decision in renewed] == [ClaimGranted]
    m.apply(RunEnded(1, "root", token, RunState.SUCCEEDED, return_value="42"), seconds=20)
    assert m.row(1, "root").return_value == "42"
    assert m.row(1, "root").claim is None


def test_a_body_that_takes_too_long_is_stopped_and_failed() -> None:
    limit = timedelta(seconds=50)
    m = machine(task("root", schedule=HOURLY, timeout=limit), task("a", "root"))
    m.apply(TimePassed(), hours=1)
    token = m.claim("root")
    m.apply(LeaseRenewed(1, "root", token, timedelta(hours=1)))
    assert next_wake(m.state) == m.now + limit
    decisions = m.apply(TimePassed(), seconds=50)
    assert BodyStopped(1, "root", token) in decisions
    assert m.row(1, "root").error == RunError("timeout", "The run took longer than 0:00:50.")
    assert m.rows() == [(1, "root", 1, "FAILED")]


def test_a_timeout_is_its_own_task_s() -> None:
    m = machine(
        task("root", schedule=HOURLY, timeout=timedelta(seconds=5)),
        task("a", "root", timeout=timedelta(days=9)),
    )
    m.apply(TimePassed(), hours=1)
    m.run("root")
    token = m.claim("a")
    m.apply(LeaseRenewed(1, "a", token, timedelta(days=9)))
    m.apply(TimePassed(), days=8)
    assert m.row(1, "a").state is RunState.EXECUTING


def test_a_cancelled_run_stops_is_not_retried_and_lets_the_finalizer_run() -> None:
    m = machine(
        task("root", schedule=HOURLY, auto_retry_attempts=3, failures_to_suspend=1),
        task("a", "root"),
        task("b", "a"),
        task("z", finalizes="root"),
    )
    m.apply(TimePassed(), hours=1)
    m.run("root")
    token = m.claim("a")
    assert BodyStopped(1, "a", token) in m.apply(RunsCancelled("a"))
    m.run("z")
    assert m.rows() == [
        (1, "root", 1, "SUCCEEDED"),
        (1, "a", 1, "CANCELLED"),
        (1, "z", 1, "SUCCEEDED"),
    ]
    assert m.state.active == ()
    assert m.state.failures == 0
    assert m.apply(RunsCancelled("a")) == []


def test_a_failure_beside_a_cancelled_run_is_not_retried() -> None:
    m = machine(
        task("root", schedule=HOURLY, auto_retry_attempts=3), task("a", "root"), task("b", "root")
    )
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.apply(RunsCancelled("a"))
    m.run("b", RunState.FAILED)
    assert m.state.active == ()


# -------------------------------------------------------------------- WHEN, failures and attempts


def test_a_root_whose_condition_is_false_is_skipped_with_all_that_is_after_it() -> None:
    m = machine(task("root", schedule=HOURLY), task("a", "root"), task("z", finalizes="root"))
    m.apply(TimePassed(), hours=1)
    m.run("root", RunState.SKIPPED)
    assert m.rows() == [(1, "root", 1, "SKIPPED")]
    assert m.row(1, "root").started_at is None
    assert m.state.active == ()
    assert m.state.last_ended is None


def test_what_is_after_a_skipped_child_has_no_run() -> None:
    m = machine(task("root", schedule=HOURLY), task("a", "root"), task("b", "a", "root"))
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.run("a", RunState.SKIPPED)
    assert m.rows() == [(1, "root", 1, "SUCCEEDED"), (1, "a", 1, "SKIPPED")]
    assert m.state.failures == 0


def test_an_attempt_runs_what_failed_and_what_did_not_run() -> None:
    m = machine(
        task("root", schedule=HOURLY, auto_retry_attempts=1),
        task("a", "root"),
        task("b", "root"),
        task("c", "b"),
        task("z", finalizes="root"),
    )
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.run("a")
    m.run("b", RunState.FAILED)
    m.run("z")
    m.run("b")
    m.run("c")
    m.run("z")
    assert m.rows() == [
        (1, "root", 1, "SUCCEEDED"),
        (1, "a", 1, "SUCCEEDED"),
        (1, "b", 1, "FAILED"),
        (1, "z", 1, "SUCCEEDED"),
        (1, "b", 2, "SUCCEEDED"),
        (1, "c", 2, "SUCCEEDED"),
        (1, "z", 2, "SUCCEEDED"),
    ]
    assert m.state.active == ()
    assert m.state.failures == 0


@pytest.mark.parametrize("failing", ["root", "a"])
def test_failures_in_a_row_suspend_the_root(failing: str) -> None:
    m = machine(task("root", schedule=HOURLY, failures_to_suspend=3), task("a", "root"))
    fail_hourly(m, failing)
    fail_hourly(m, failing)
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.run("a")
    assert m.state.failures == 0
    fail_hourly(m, failing)
    fail_hourly(m, failing)
    decisions = fail_hourly(m, failing)
    assert decisions[-1] == RootSuspended(SuspendedReason.SUSPENDED_DUE_TO_ERRORS)
    assert m.rows()[-1] == (6, failing, 1, "FAILED_AND_AUTO_SUSPENDED")
    assert m.state.graph.root.suspended_reason is SuspendedReason.SUSPENDED_DUE_TO_ERRORS
    assert m.state.graph.number == 2
    assert m.apply(TimePassed(), days=9) == []
    # it can be retried, and resumed, which forgets the failures
    m.apply(RetryRequested())
    m.run(failing)
    m.change(*(replace(each, is_suspended=False) for each in m.state.graph.tasks))
    assert m.state.failures == 0
    assert next_scheduled_time(m.state) == m.now + timedelta(hours=1)


def test_a_suspension_takes_back_what_nobody_executes_yet() -> None:
    overlap = OverlapPolicy.ALLOW_ALL_OVERLAP
    m = machine(task("root", schedule=HOURLY, failures_to_suspend=1, overlap_policy=overlap))
    m.apply(TimePassed(), hours=1)
    m.apply(TimePassed(), hours=1)
    m.run("root", RunState.FAILED, run_id=1)
    assert m.rows() == [
        (1, "root", 1, "FAILED_AND_AUTO_SUSPENDED"),
        (2, "root", 1, "CANCELLED"),
    ]


def test_a_root_that_an_outage_suspended_does_not_catch_up() -> None:
    m = machine(task("root", schedule=HOURLY, failures_to_suspend=1))
    m.apply(TimePassed(), hours=1)
    m.claim("root")
    m.apply(TimePassed(), hours=5)
    assert m.rows() == [(1, "root", 1, "FAILED_AND_AUTO_SUSPENDED")]


def test_zero_failures_to_suspend_suspend_never() -> None:
    m = machine(task("root", schedule=HOURLY, failures_to_suspend=0))
    for _ in range(50):
        fail_hourly(m)
    assert m.state.is_resumed


def test_attempts_of_one_run_are_one_failure() -> None:
    m = machine(task("root", schedule=HOURLY, failures_to_suspend=2, auto_retry_attempts=2))
    fail_hourly(m)
    m.run("root", RunState.FAILED)
    m.run("root", RunState.FAILED)
    assert (m.state.failures, m.state.active) == (1, ())


def test_runs_that_a_user_asked_for_suspend_nothing() -> None:
    m = machine(task("root", schedule=HOURLY, failures_to_suspend=1))
    m.apply(TaskExecuted())
    m.run("root", RunState.FAILED)
    m.apply(RetryRequested())
    m.run("root", RunState.FAILED)
    assert m.state.failures == 0
    assert m.state.is_resumed


# ----------------------------------------------------------------------------------- EXECUTE TASK


def test_execute_task_queues_one_further_run() -> None:
    m = machine(task("root", is_suspended=True, config='{"day": 1}'), task("a", "root"))
    m.apply(TaskExecuted())
    m.claim("root")
    assert m.apply(TaskExecuted('{"day": 2}'))[-1] == RunQueued(2, is_new=True)
    assert m.apply(TaskExecuted('{"day": 3}')) == [RunQueued(2, is_new=False)]
    assert m.apply(RunClaimed(2, "root", "server", LEASE)) == [ClaimRefused(2, "root")]
    m.apply(RunEnded(1, "root", 1, RunState.SUCCEEDED))
    m.run("a")
    assert [run.config for run in m.state.active] == ['{"day": 2}']
    m.run("root")
    m.run("a")
    assert m.state.active == ()
    assert m.state.queued is None
    assert m.rows() == [
        (1, "root", 1, "SUCCEEDED"),
        (2, "root", 1, "SUCCEEDED"),
        (1, "a", 1, "SUCCEEDED"),
        (2, "a", 1, "SUCCEEDED"),
    ]


def test_a_queued_run_is_of_the_newest_graph() -> None:
    root = task("root", is_suspended=True)
    m = machine(root, task("a", "root"))
    m.apply(TaskExecuted())
    m.apply(TaskExecuted())
    m.change(root, task("b", "root"))
    m.run("root")
    m.run("a")
    m.run("root")
    m.run("b")
    assert m.history[2, "root", 1].graph_version == 2
    assert m.state.active == ()


def test_a_queued_run_has_the_newest_config_unless_its_own_was_given() -> None:
    root = task("root", is_suspended=True, config='{"a": 1}')
    for given, expected in ((None, '{"a": 2}'), ('{"b": 3}', '{"b": 3}')):
        m = machine(root)
        m.apply(TaskExecuted())
        m.apply(TaskExecuted(given))
        m.change(replace(root, config='{"a": 2}'))
        m.run("root")
        m.run("root")
        assert [m.history[run, "root", 1].config for run in (1, 2)] == ['{"a": 1}', expected]


def test_a_retry_that_was_skipped_keeps_its_attempt() -> None:
    m = machine(task("root", schedule=HOURLY))
    fail_hourly(m)
    for state in (RunState.SKIPPED, RunState.SUCCEEDED):
        m.apply(RetryRequested())
        m.run("root", state)
    states = [(1, "FAILED"), (2, "SKIPPED"), (3, "SUCCEEDED")]
    assert m.rows() == [(1, "root", attempt, state) for attempt, state in states]
    with pytest.raises(DefinitionRefused, match="succeeded last time"):
        m.apply(RetryRequested())


def test_a_child_that_was_suspended_and_resumed_leaves_the_graph_as_it_was() -> None:
    root, child = task("root", schedule=HOURLY), task("a", "root")
    m = machine(root, child)
    fail_hourly(m, "a")
    reason = SuspendedReason.USER_SUSPENDED
    m.change(root, replace(child, is_suspended=True, suspended_reason=reason))
    m.change(root, replace(child, suspended_reason=reason))
    m.apply(RetryRequested())
    assert m.rows()[-1] == (1, "a", 2, "SCHEDULED")


def test_retry_last_goes_on_where_the_last_run_failed() -> None:
    m = machine(task("root", schedule=HOURLY), task("a", "root"), task("b", "a"))
    fail_hourly(m, "a")
    m.apply(TaskExecuted())
    m.run("root", RunState.SKIPPED)
    m.apply(RetryRequested())
    m.run("a")
    m.run("b")
    assert m.rows()[-2:] == [(1, "a", 2, "SUCCEEDED"), (1, "b", 2, "SUCCEEDED")]
    assert m.history[1, "a", 2].origin is RunOrigin.EXECUTE_TASK


def test_retry_last_is_refused_where_there_is_nothing_to_retry() -> None:
    root, child = task("root", schedule=HOURLY), task("a", "root")
    m = machine(root, child)

    def refusal() -> str:
        with pytest.raises(DefinitionRefused) as refused:
            m.apply(RetryRequested())
        return str(refused.value)

    assert "has not run: there is nothing to retry.\nHint: EXECUTE TASK root" in refusal()
    m.apply(TimePassed(), hours=1)
    assert "while a run of its graph is under way" in refusal()
    m.run("root")
    m.run("a")
    assert "succeeded last time" in refusal()
    m.state = replace(m.state, last_ended=None)
    assert "has not run to an end since it was made, restored, or made a root" in refusal()
    fail_hourly(m, "a")
    m.change(root, replace(child, is_suspended=True))
    assert "was changed after its last run, of version 1" in refusal()
    m.change(replace(root, is_suspended=True), child)
    m.apply(RetryRequested())
    assert m.rows()[-1] == (2, "a", 2, "SCHEDULED")
