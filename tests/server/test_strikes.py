"""A key whose statements end Spark again and again waits; one that only ran beside it does not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from server.program import Server, server
from server.test_fairness import Key
from server.test_java_death import MEMORY, Requests, made

from icemelt.catalog.activity_records import KeyRecord
from icemelt.engine.vitals import Ending
from icemelt.server.failures import Busy, answer
from icemelt.server.strikes import OWN_TASKS, Strikes
from icemelt.server.turns import Turns

ANN, BOB = KeyRecord("a", "ann", 0), KeyRecord("b", "bob", 0)
GREEDY = "SELECT ARRAY_SIZE(TRANSFORM(SEQUENCE(1, 10000000), x -> REPEAT('a', 10000 + x % 2)))"


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def end(strikes: Strikes, *lost: KeyRecord) -> None:
    for each in lost:
        strikes.note_lost(each, strikes.number)
    strikes.judge(())


def test_three_ends_within_ten_minutes_refuse_a_key_until_they_lapse() -> None:
    clock = Clock()
    strikes = Strikes(clock=clock)
    end(strikes, ANN)
    assert not strikes.is_suspect("a")
    clock.now += 60
    end(strikes, ANN)
    assert strikes.is_suspect("a")
    strikes.require_allowed(ANN.key_id)
    clock.now += 60
    end(strikes, ANN)
    with pytest.raises(Busy, match="three times in ten minutes") as refused:
        strikes.require_allowed(ANN.key_id)
    answered = answer(refused.value)
    assert (answered.status_code, answered.headers["Retry-After"]) == (429, "480")
    strikes.require_allowed(BOB.key_id)
    assert strikes.refused_keys == 1
    clock.now += 481
    strikes.require_allowed(ANN.key_id)
    assert strikes.is_suspect("a")
    clock.now += 600
    assert not strikes.is_suspect("a")
    assert strikes.refused_keys == 0


def test_several_statements_of_a_key_that_one_end_ends_are_one_strike() -> None:
    strikes = Strikes()
    end(strikes, *[ANN] * 5)
    assert not strikes.is_suspect("a")


def test_who_ran_beside_a_culprit_gets_no_third_strike() -> None:
    strikes = Strikes()
    end(strikes, ANN, BOB)
    end(strikes, ANN, BOB)
    assert strikes.is_suspect("a")
    assert strikes.is_suspect("b")
    # they run no more together, so it is known whose the next one is
    for _ in range(3):
        end(strikes, ANN)
    with pytest.raises(Busy):
        strikes.require_allowed(ANN.key_id)
    strikes.require_allowed(BOB.key_id)


def test_an_end_is_a_suspect_s_and_nobody_s_that_runs_beside_it() -> None:
    strikes = Strikes()
    for _ in range(2):
        end(strikes, ANN)
    end(strikes, ANN, BOB)
    with pytest.raises(Busy):
        strikes.require_allowed(ANN.key_id)
    for _ in range(2):
        end(strikes, BOB)
    strikes.require_allowed(BOB.key_id)


def test_of_a_spark_that_is_ended_for_one_statement_others_get_no_strike() -> None:
    strikes = Strikes()
    for _ in range(3):
        strikes.note_culprit(ANN)
        end(strikes, ANN, BOB)
    with pytest.raises(Busy):
        strikes.require_allowed(ANN.key_id)
    assert not strikes.is_suspect("b")


def test_what_somebody_ended_or_what_is_told_too_late_is_no_strike() -> None:
    strikes = Strikes()
    for _ in range(3):
        strikes.note_lost(ANN, strikes.number)
        strikes.judge([BOB], Ending.ASKED)
        strikes.note_lost(ANN, strikes.number - 1)
        strikes.judge(())
    assert not strikes.is_suspect("a")
    assert not strikes.is_suspect("b")


def test_a_statement_that_has_not_noticed_the_end_counts() -> None:
    strikes = Strikes()
    for _ in range(2):
        strikes.judge([BOB])
    assert strikes.is_suspect("b")


def test_everybody_is_never_refused() -> None:
    strikes = Strikes(is_on=False)
    for _ in range(5):
        end(strikes, ANN)
    strikes.require_allowed(ANN.key_id)


def test_suspects_run_one_statement_together() -> None:
    turns: Turns[str] = Turns(suspected=lambda key: key in "ab")
    for item in ("a1", "a2", "b1", "c1", "c2"):
        turns.add(item[0], item)
    assert [turns.begin() for _ in range(4)] == ["a1", "c1", "c2", None]
    turns.end("a")
    assert turns.begin() == "b1"
    assert turns.begin() is None
    turns.end("b")
    assert turns.begin() == "a2"


def test_the_items_of_a_suspect_wait_for_no_end_that_never_comes() -> None:
    turns: Turns[str] = Turns(suspected=lambda key: key in "ab")
    for item in ("a1", "a2", "c1"):
        turns.add(item[0], item)
    assert [turns.begin() for _ in range(2)] == ["a1", "c1"]
    # its own, or nobody suspected, is no reason to end an item
    assert not turns.keeps_suspects_waiting("a")
    turns.add("b", "b1")
    assert turns.keeps_suspects_waiting("a")
    assert not turns.keeps_suspects_waiting("c")
    turns.remove("b", "b1")
    turns.holds = 1
    assert turns.keeps_suspects_waiting("a")
    turns.end("a")
    assert turns.begin() is None
    turns.holds = 0
    assert turns.begin() == "a2"


def test_rows_beside_statements_are_accused_like_these() -> None:
    strikes = Strikes()
    for _ in range(2):
        strikes.record_writer_at_death(ANN)
        end(strikes, BOB)
    assert strikes.is_suspect("a")
    assert strikes.is_suspect("b")
    # rows of a suspect are written while no suspect's statement runs
    strikes.record_writer_at_death(ANN)
    end(strikes, KeyRecord("c", "cay", 0))
    with pytest.raises(Busy):
        strikes.require_allowed("a")
    strikes.require_allowed("b")
    assert not strikes.has_strikes("c")


def test_an_end_from_outside_is_no_strike_for_rows() -> None:
    strikes = Strikes()
    for ending in (Ending.OTHER, Ending.ASKED):
        strikes.record_writer_at_death(ANN)
        strikes.judge((), ending)
    strikes.judge(())
    assert not strikes.has_strikes("a")


def refused_keys(requests: Requests) -> str:
    told = requests.client.get("/metrics").text
    return next(line for line in told.splitlines() if line.startswith("icemelt_refused_keys "))


def ended(killer: Key, requests: Requests) -> None:
    told = killer.submit(GREEDY, wait_seconds=60).json()
    while told["status"] in {"waiting", "running"}:
        told = killer.status(told["statement_id"], 60)
    assert told["error"]["code"] == "spark-died", told
    requests.wait_until_answered(time.monotonic())


@pytest.mark.torture
def test_a_key_that_ends_spark_again_and_again_is_refused(spark: object, tmp_path: Path) -> None:
    made(tmp_path)
    running: Server
    with server(tmp_path, **MEMORY) as running:
        requests, killer = Requests(running), Key(tmp_path, running, "killer")
        for _ in range(2):
            ended(killer, requests)
        assert killer.submit("SELECT 1", wait_seconds=60).json()["data"] == [[1]]
        ended(killer, requests)
        refused = killer.submit("SELECT 1")
        assert (refused.status_code, refused.json()["code"]) == (429, "busy")
        assert int(refused.headers["Retry-After"]) > 60
        assert requests.sql("SELECT 1")["data"] == [[1]]
        assert refused_keys(requests) == "icemelt_refused_keys 1.0"


def test_rows_get_a_strike_only_where_java_ended_by_itself() -> None:
    strikes = Strikes()
    for ending in (Ending.OTHER, Ending.ASKED, Ending.BY_ITSELF, Ending.BY_ITSELF):
        strikes.record_sole_writer_at_death(ANN)
        strikes.judge((), ending)
    assert strikes.is_suspect(ANN.key_id)
    assert strikes.refused_keys == 0


def test_an_end_during_maintenance_is_no_strike_but_for_tasks_that_hear_no_cancel() -> None:
    strikes = Strikes()
    for _ in range(3):
        strikes.note_lost(ANN, strikes.number)
        strikes.record_sole_writer_at_death(ANN)
        strikes.judge([BOB], in_maintenance=True)
    assert not strikes.is_suspect("a")
    assert not strikes.is_suspect("b")
    for _ in range(2):
        strikes.note_culprit(ANN)
        strikes.judge([BOB], in_maintenance=True)
    assert strikes.is_suspect("a")
    assert not strikes.is_suspect("b")


def test_the_tasks_of_who_runs_the_server_are_suspected_and_never_refused() -> None:
    strikes = Strikes()
    for _ in range(5):
        end(strikes, OWN_TASKS)
    assert strikes.is_suspect(OWN_TASKS.key_id)
    strikes.require_allowed(OWN_TASKS.key_id)
    assert strikes.refused_keys == 0
