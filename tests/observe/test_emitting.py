"""Events reach who takes them, and nobody who takes them breaks what they are about."""

from __future__ import annotations

import dataclasses
import logging
import threading

import pytest

from icemelt.errors import CatalogReadOnly, CatalogUnavailable, Conflict, FileDamaged
from icemelt.observe import events as e
from icemelt.observe.emitting import emit, is_wanted, subscribe, tolerate
from icemelt.observe.logs import describe_event
from icemelt.observe.statements import watch_fetch, watch_statement

REBASED = e.TableRebased("4f", "main.public.t", 0.1)
ROOMS = {"sessions", "transactions", "catalog", "maintenance", "ingest", "server", "tasks"}


def kinds() -> list[type[e.Event]]:
    found = [getattr(e, name) for name in e.__all__]
    return [kind for kind in found if isinstance(kind, type) and kind is not e.Event]


def test_a_subscriber_has_the_kinds_that_it_asked_for() -> None:
    jobs: list[e.Event] = []
    all_of_them: list[e.Event] = []
    ends = [subscribe(jobs.append, e.SparkJobRan), subscribe(all_of_them.append)]
    emit(REBASED)
    ends.pop()()
    emit(REBASED)
    assert (jobs, all_of_them) == ([], [REBASED])
    ends.pop()()


def test_one_that_fails_is_logged_once_and_keeps_the_event_from_nobody(
    taken: list[e.Event], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_event: e.Event) -> None:
        raise ValueError("no")

    end_of_failing, later = subscribe(fail), list[e.Event]()
    end_of_later = subscribe(later.append)
    for _ in range(3):
        emit(REBASED)
    end_of_failing()
    end_of_later()
    assert taken == later == [REBASED] * 3
    (record,) = (each for each in caplog.records if each.name == "icemelt.observe")
    assert record.levelname == "ERROR"
    assert record.exc_info is not None
    assert "TableRebased" in record.message


def test_subscribers_come_and_go_while_many_threads_emit(taken: list[e.Event]) -> None:
    def emit_many() -> None:
        for _ in range(500):
            emit(REBASED)

    threads = [threading.Thread(target=emit_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        subscribe(lambda _event: None, e.TableRebased)()
    for thread in threads:
        thread.join()
    assert taken == [REBASED] * 2_000


def test_costly_events_are_made_for_who_takes_them(caplog: pytest.LogCaptureFixture) -> None:
    assert not is_wanted(e.SparkJobRan)
    end = subscribe(lambda _event: None, e.SparkJobRan)
    assert is_wanted(e.SparkJobRan)
    end()
    with caplog.at_level(logging.DEBUG, logger="icemelt.sessions"):
        assert is_wanted(e.SparkJobRan)


@pytest.mark.parametrize("kind", kinds())
def test_an_event_is_frozen_plain_data_of_a_room(kind: type[e.Event]) -> None:
    assert kind.room in ROOMS
    assert kind.consequence in {logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR}
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    plain = {"str", "int", "float", "bool", "str | None", "tuple[str, ...]"}
    fields = {field.name: field.type for field in dataclasses.fields(kind)}
    assert set(map(str, fields.values())) <= plain
    # neither statements nor their values are told
    assert not fields.keys() & {"text", "sql", "statement", "parameters", "value", "values"}


def test_levels_tell_the_consequence() -> None:
    def level(event: e.Event) -> str:
        return logging.getLevelName(event.level)

    ended = e.StatementEnded("4f", "b0", "SELECT", 0.1)
    bug = dataclasses.replace(ended, error_code="internal")
    wrong = dataclasses.replace(ended, error_code="value-refused")
    assert [level(each) for each in (ended, wrong, bug)] == ["DEBUG", "DEBUG", "ERROR"]
    waited = e.LockAwaited("4f", "51", 3.0)
    assert level(waited) == "DEBUG"
    assert level(dataclasses.replace(waited, error_code="lock-timeout")) == "WARNING"
    assert level(e.VersionsExpired("main.public.t", 3, 8)) == "INFO"
    assert level(e.LeaseLapsed("4f")) == "WARNING"


def test_an_error_that_is_tolerated_is_told(
    taken: list[e.Event], caplog: pytest.LogCaptureFixture
) -> None:
    with tolerate(CatalogUnavailable, FileDamaged, to="look"):
        raise CatalogUnavailable("The catalog is away.", hint="")
    with tolerate(CatalogUnavailable, FileDamaged, to="look"):
        raise FileDamaged("A file is gone.", hint="")
    with tolerate(CatalogReadOnly, to="write"):
        raise CatalogReadOnly("It cannot be written.", hint="")
    assert taken == [
        e.CatalogErrorTolerated("look", "catalog-unavailable", "The catalog is away."),
        e.ErrorTolerated("look", "file-damaged", "A file is gone."),
        e.CatalogErrorTolerated("write", "catalog-read-only", "It cannot be written."),
    ]
    # who only reads a lake is not told of it at each statement
    assert [(each.name, each.levelname) for each in caplog.records] == [
        ("icemelt.catalog", "WARNING")
    ]
    assert "action=look error_code=catalog-unavailable" in caplog.text


def test_other_errors_are_raised(taken: list[e.Event]) -> None:
    with pytest.raises(Conflict), tolerate(CatalogUnavailable, to="look"):
        raise Conflict("Another was first.", hint="")
    assert taken == []


def test_a_statement_names_the_events_of_its_thread(taken: list[e.Event]) -> None:
    lines: list[str] = []
    end = subscribe(lambda event: lines.append(describe_event(event)))
    with watch_statement("4f", "b0", "UPDATE"):
        emit(e.QueryPlanned(0.25))
        with watch_fetch("51"):
            emit(e.QueryPlanned(0.5))
    emit(e.QueryPlanned(1.0))
    end()
    assert [type(each) for each in taken] == [
        e.StatementBegan,
        e.QueryPlanned,
        e.QueryPlanned,
        e.RowsFetched,
        e.StatementEnded,
        e.QueryPlanned,
    ]
    assert lines[1:3] == [
        "query planned: seconds=0.250 statement_id=4f",
        "query planned: seconds=0.500 statement_id=51",
    ]
    assert lines[-1] == "query planned: seconds=1.000"


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (Conflict("Another was first.", hint=""), "conflict", "failed"),
        (KeyboardInterrupt(), "statement-cancelled", "cancelled"),
        (ZeroDivisionError(), "internal", "failed"),
    ],
)
def test_a_statement_tells_how_it_ended(
    taken: list[e.Event], error: BaseException, code: str, status: str
) -> None:
    with pytest.raises(type(error)), watch_statement("4f", "b0", "my secret"):
        raise error
    ended = taken[-1]
    assert isinstance(ended, e.StatementEnded)
    assert (ended.kind, ended.error_code, ended.status) == ("OTHER", code, status)


def test_names_cannot_forge_lines_of_the_log() -> None:
    forged = e.TableRebased("4f", "main.public.a\nERROR all is lost", 0.1)
    assert "\n" not in describe_event(forged)
