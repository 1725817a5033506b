"""A query that fails while its rows are fetched has failed: the history says so, however it was."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from icemelt.errors import FileDamaged, IcemeltError, QueryError, StatementCancelled
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.result import Result
from icemelt.session.session import Session

BAD = "SELECT 1 / (id - 1) AS q FROM t"
ENDLESS = "SELECT count(*) AS n FROM TABLE(GENERATOR(ROWCOUNT => 100000000000))"
TAKES: dict[str, Callable[[Result], Any]] = {
    "fetchall": Result.fetchall,
    "fetchone": Result.fetchone,
    "fetchmany": Result.fetchmany,
    "head": lambda result: result.head(1),
    "iteration": list,
    "to_arrow": Result.to_arrow,
    "to_arrow of some": lambda result: result.to_arrow(1, 1 << 20),
    "an Arrow stream": pa.table,
    "batches": lambda result: result.to_reader().read_all(),
    "to_pandas": Result.to_pandas,
    "show": Result.show,
    "a notebook": Result._repr_html_,
}


@pytest.fixture
def session(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1), (2)")
    return session


@pytest.fixture(params=["owner", "guest"])
def client(request: pytest.FixtureRequest, session: Session) -> Iterator[Session]:
    if request.param == "owner":
        yield session
        return
    with open_guest(session, "ann", ()) as guest:
        yield guest


def told(session: Session, result: Result) -> tuple[str, str | None]:
    [found] = [each for each in session.history() if each.statement_id == result.statement_id]
    return found.status, found.error_code


@pytest.mark.parametrize("take", TAKES)
def test_it_is_told_as_failed_however_rows_are_taken(client: Session, take: str) -> None:
    result = client.sql(BAD)
    with pytest.raises(QueryError, match="Division by zero") as failed:
        TAKES[take](result)
    assert failed.value.sqlstate == "22012"
    assert told(client, result) == ("failed", "query")
    assert client.sql("SELECT LAST_QUERY_ID()").fetchall() == [(result.statement_id,)]


def test_sql_tells_it_as_python_does(session: Session) -> None:
    with pytest.raises(QueryError):
        session.sql(BAD).to_arrow()
    assert [each.status for each in session.history(2)] == ["failed", "succeeded"]


def test_a_query_that_succeeds_after_all_has_succeeded(client: Session) -> None:
    late = "SELECT IFF(MOD(SEQ8(), 1000) = 999, RAISE_ERROR('late')::INT, 1) AS n"
    result = client.sql(f"{late} FROM TABLE(GENERATOR(ROWCOUNT => 100000))")
    assert result.head(1) == [(1,)]
    assert told(client, result)[0] == "succeeded"
    with pytest.raises(QueryError):
        list(result)
    assert told(client, result) == ("failed", "query")
    # these rows are there
    assert result.head(1) == [(1,)]


@pytest.mark.parametrize("take", ["fetchall", "head", "iteration", "an Arrow stream", "batches"])
def test_a_fetch_that_is_cancelled_is_told_as_cancelled(client: Session, take: str) -> None:
    result = client.sql(ENDLESS)
    timer = threading.Timer(1, client.cancel)
    timer.start()
    with pytest.raises(StatementCancelled):
        TAKES[take](result)
    timer.join()
    assert told(client, result) == ("cancelled", "statement-cancelled")


def test_a_fetch_that_ctrl_c_ends_is_told_as_cancelled(session: Session) -> None:
    result = session.sql(ENDLESS)
    timer = threading.Timer(1, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        result.head(1)
    timer.join()
    assert told(session, result) == ("cancelled", "statement-cancelled")


def test_a_guest_that_was_cancelled_for_good_fetches_nothing(session: Session) -> None:
    with open_guest(session, "ann", ()) as guest:
        result = guest.sql("SELECT id FROM t")
        guest._core.jobs.cancel(for_good=True)
        with pytest.raises(StatementCancelled):
            result.fetchall()
        assert told(session, result) == ("cancelled", "statement-cancelled")


def test_a_guest_is_not_told_where_the_servers_files_are(session: Session) -> None:
    warehouse = Path(session._core.database.warehouse)
    for file in warehouse.rglob("*.parquet"):
        file.unlink()
    with open_guest(session, "ann", ()) as guest:
        result = guest.sql("SELECT id FROM t")
        with pytest.raises(FileDamaged) as failed:
            result.fetchall()
    assert str(warehouse) not in failed.value.message
    [record] = session.history(1)
    assert (record.statement_id, record.error_code) == (result.statement_id, "file-damaged")
    assert record.error_message == failed.value.message


def test_a_failure_that_is_none_of_icemelts_is_told_too(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = session.sql("SELECT id FROM t")

    def fail(*_given: Any) -> pa.Table:
        raise MemoryError

    monkeypatch.setattr("icemelt.session.runtime.fetching.collect", fail)
    with pytest.raises(MemoryError):
        result.fetchall()
    assert told(session, result) == ("failed", "internal")


def test_what_spark_does_with_a_data_frame_is_its_own(client: Session) -> None:
    result = client.sql(BAD)
    frame = result.to_spark()
    assert told(client, result) == ("succeeded", None)
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        frame.collect()
    assert told(client, result) == ("succeeded", None)
    # and what was told as failed stays so
    failed = client.sql(BAD)
    with pytest.raises(IcemeltError):
        failed.fetchall()
    failed.to_spark()
    assert told(client, failed) == ("failed", "query")


def test_a_failed_fetch_is_told_of_its_own_statement(session: Session) -> None:
    first, second = session.sql(BAD), session.sql("SELECT id FROM t")
    session.sql("BEGIN")
    session.sql("INSERT INTO t VALUES (3)")
    assert len(second.fetchall()) == 2
    with pytest.raises(QueryError):
        first.fetchall()
    session.sql("ROLLBACK")
    assert (told(session, first)[0], told(session, second)[0]) == ("failed", "succeeded")
