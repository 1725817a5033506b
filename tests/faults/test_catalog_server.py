"""A PostgreSQL that crashes under load, and a network that loses COMMIT or the reply to it.

What a session is told is what is there; what it runs next works without a new connection.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from faults.postgres import Postgres
from faults.proxy import Loss, Proxy
from pyspark.sql import SparkSession
from transactions.stream_racer import SETUP, Forgiven, everything_arrived_once, race
from transactions.test_registry_locks import make_table_and_streams
from waiting import wait_until

from conftest import Lake, postgres_url
from icemelt import Session
from icemelt.catalog.database import Database, open_database, system_clock
from icemelt.catalog.open_transactions import list_locks, list_open_transactions
from icemelt.catalog.queries.finding import find_streams
from icemelt.catalog.queries.reading import tables
from icemelt.cli.findings import Level
from icemelt.cli.lake import Lake as NamedLake
from icemelt.cli.lake_checks import check_lake
from icemelt.errors import CatalogUnavailable, IcemeltError, ParameterError, SqlSyntaxError
from icemelt.transactions.keeping import LEASE_SECONDS, hold_locks, take_lock
from icemelt.transactions.pending import Author
from icemelt.transactions.transaction import hold_reservation

ROLES = ("writer", "alone", "transactions")
MORE_ROLES = (*ROLES, "writer", "frames", "transactions")
MINUTES = float(os.environ.get("ICEMELT_TORTURE_MINUTES", "10"))
LONGEST_SECONDS = 120
# commits between two restarts
COMMITS = 6
TAKE = "INSERT INTO sink SELECT writer, n FROM s"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    made = Postgres()
    yield made
    made.close()


@pytest.fixture
def proxy(server: Postgres) -> Iterator[Proxy]:
    made = Proxy(server.url)
    yield made
    made.close()


@pytest.fixture
def near_lake(server: Postgres, spark: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(spark, postgres_url(server.url), tmp_path, system_clock)
    yield lake
    lake.close()


@pytest.fixture
def far_lake(server: Postgres, proxy: Proxy, spark: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    """A lake whose sessions reach the catalog through the proxy."""
    lake = Lake(spark, proxy.url(postgres_url(server.url)), tmp_path, system_clock)
    yield lake
    lake.close()


def test_a_text_that_the_catalog_cannot_keep_is_told(near_lake: Lake) -> None:
    session = near_lake.open()
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(ParameterError, match="NUL"):
        session.sql(r"COMMENT ON TABLE t IS 'a\0b'")
    with pytest.raises(SqlSyntaxError, match="NUL"):
        session.sql("SELECT '\0' AS v")
    session.sql("COMMENT ON TABLE t IS 'a'")
    assert session.sql(r"SELECT LENGTH('a\0b') AS n").fetchall() == [(3,)]


@pytest.mark.slow
def test_restarts_under_load_lose_nothing(
    server: Postgres, near_lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        _restart_under_load(server, near_lake, ROLES, restarts=2)


@pytest.mark.torture
def test_many_restarts_under_load_lose_nothing(
    server: Postgres, near_lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    deadline = time.monotonic() + MINUTES * 60
    with capsys.disabled():
        while time.monotonic() < deadline:
            _restart_under_load(server, near_lake, MORE_ROLES, restarts=10)


@pytest.mark.parametrize("loss", Loss)
def test_what_became_of_a_lost_commit_is_told(
    far_lake: Lake, proxy: Proxy, tmp_path: Path, loss: Loss
) -> None:
    session = _prepared(far_lake)
    published = loss is not Loss.COMMIT
    folder = tmp_path / "files"
    for number, consume in enumerate(_ways_to_consume(session, folder)):
        session.sql("INSERT INTO t VALUES ('w', :n)", n=number)
        before = _move(session._core.database)
        proxy.lose(loss)
        error = _error_of(consume)
        assert len(proxy.lost) == number + 1, "nothing was lost"
        assert (error is None) is published, (number, error)
        assert isinstance(error, CatalogUnavailable | None)
        assert not session.in_transaction
        assert _move(session._core.database) == before + int(published)
        _no_lock_outlives_its_transaction(session._core.database)
        if not published:
            assert error.hint
            assert session.sql("SELECT n FROM s").fetchall() == [(number,)]
            assert _taken(session, folder) == list(range(number))
            consume()
        assert _taken(session, folder) == list(range(number + 1))
        assert session.sql("SELECT n FROM s").fetchall() == []
    _doctor_finds_nothing(far_lake)


@pytest.mark.torture
def test_a_commit_that_cannot_be_asked_for_is_told_as_that(far_lake: Lake, proxy: Proxy) -> None:
    session = _prepared(far_lake)
    session.sql("INSERT INTO t VALUES ('w', 1)")
    proxy.lose(Loss.REPLY, away=12)
    with pytest.raises(CatalogUnavailable, match="not known") as told:
        session.sql(TAKE)
    assert "history" in told.value.hint
    # it is away for 12 s, and the statement has asked for 10 of them
    time.sleep(2)
    assert [each.status for each in session.history() if each.text == TAKE] == ["succeeded"]
    assert session.sql("SELECT n FROM sink").fetchall() == [(1,)]


def test_a_catalog_that_is_away_while_a_statement_of_a_transaction_runs_costs_nothing(
    far_lake: Lake, proxy: Proxy
) -> None:
    session = _prepared(far_lake)
    session.sql("BEGIN")
    numbers = "(SELECT seq4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 3000)))"
    slow = (
        f"INSERT INTO sink SELECT 'w', MAX(a.n * b.n % 7) FROM {numbers} a CROSS JOIN {numbers} b"
    )

    def leave() -> None:
        while not session.running_jobs():
            time.sleep(0.01)
        proxy.leave(3)

    leaving = threading.Thread(target=leave)
    leaving.start()
    session.sql(slow)
    leaving.join()
    time.sleep(3)
    session.sql("COMMIT")
    assert session.sql("SELECT * FROM sink").fetchall() == [("w", 6)]


def test_a_catalog_that_was_away_costs_a_reservation_and_no_statement(
    server: Postgres, proxy: Proxy, tmp_path: Path
) -> None:
    database = open_database(proxy.url(postgres_url(server.url)), str(tmp_path))
    make_table_and_streams(database)
    with database.read() as connection:
        table_id = tables(connection, database)[0].object_id
    with hold_reservation(database, [table_id], "a statement"):
        proxy.leave(1)
    time.sleep(1)
    with database.read() as connection:
        assert database.read_lake(connection).last.commit_number > 0
    database.close()


def test_who_waited_when_the_catalog_went_away_waits_no_more(
    server: Postgres, proxy: Proxy, tmp_path: Path
) -> None:
    url = postgres_url(server.url)
    database, far = (open_database(each, str(tmp_path)) for each in (url, proxy.url(url)))
    make_table_and_streams(database)
    with database.read() as connection:
        stream_id = find_streams(connection, database)[0].object_id
    author = Author("session", "tester", lock_timeout=0.5)
    with (
        ThreadPoolExecutor(1) as pool,
        hold_locks(database, [stream_id], author, "holder"),
        hold_locks(far, [], author, "waiter"),
    ):
        waiting = pool.submit(take_lock, far, stream_id, "waiter", 60)
        wait_until(lambda: _waits(database) == {"holder": None, "waiter": stream_id}, LEASE_SECONDS)
        proxy.leave(1)
        with pytest.raises(CatalogUnavailable):
            waiting.result(10)
        assert _waits(database) == {"holder": None, "waiter": None}
    _no_lock_outlives_its_transaction(database)
    database.close()
    far.close()


def test_a_machine_that_vanished_frees_the_lake_after_a_minute(
    server: Postgres, tmp_path: Path
) -> None:
    database = open_database(postgres_url(server.url), str(tmp_path))
    timeout = sa.text("SELECT current_setting('idle_in_transaction_session_timeout')")
    with database.write() as connection:
        assert connection.scalar(timeout) == "1min"
    with database.read() as connection:
        assert connection.scalar(timeout) == "0"
    database.close()


@pytest.mark.torture
def test_a_session_that_was_suspended_in_a_write_publishes_nothing(
    server: Postgres, tmp_path: Path
) -> None:
    url = postgres_url(server.url)
    suspended, other = (open_database(url, str(tmp_path)) for _ in range(2))
    started = time.monotonic()

    def write() -> None:
        with suspended.write() as connection:
            connection.execute(sa.text("UPDATE icemelt_lake SET commit_number = 99"))
            with other.write() as second:
                assert other.read_lake(second).last.commit_number == 0

    with pytest.raises(CatalogUnavailable):
        write()
    assert 50 < time.monotonic() - started < 90
    for each in (suspended, other):
        each.close()


def _restart_under_load(
    server: Postgres, lake: Lake, roles: Sequence[str], *, restarts: int
) -> None:
    if not lake.sessions:
        _prepared(lake)
    sessions = [(role, lake.open(user=role)) for role in roles]
    forgiven, stop = Forgiven(CatalogUnavailable), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        restarting = pool.submit(_restart, server, lake, restarts, stop)
        done = race(sessions, LONGEST_SECONDS * restarts, stop=stop, forgiven=forgiven)
        restarting.result()
    print(  # noqa: T201
        f"\n{restarts} restarts: {list(zip(roles, done, strict=True))}, "
        f"{len(forgiven.errors)} statements failed"
    )
    consumed = [count for role, count in zip(roles, done, strict=True) if role != "writer"]
    assert sum(consumed) > 0, "nothing was consumed"
    assert sum(done) > sum(consumed), "nothing was written"
    assert forgiven.errors, "no session has noticed a restart"
    assert all(error.hint for error in forgiven.errors)
    _no_lock_outlives_its_transaction(sessions[0][1]._core.database)
    everything_arrived_once(sessions[0][1], None)
    for (role, session), count in zip(sessions, done, strict=True):
        own = f"SELECT count(*) FROM t WHERE writer = '{session.session_id}'"
        written = count if role == "writer" else 0
        assert session.sql(own).fetchall() == [(written,)], "what failed is there"
        session.close()
    _doctor_finds_nothing(lake)


def _restart(server: Postgres, lake: Lake, restarts: int, stop: threading.Event) -> None:
    """Restart the server so often, each time when there is work, and stop when there was some."""
    choose = random.Random(7)  # noqa: S311 - chance is what is wanted
    database = lake.database()
    try:
        for _ in range(restarts):
            _wait_for_commits(database, stop)
            time.sleep(choose.random())
            server.restart()
        _wait_for_commits(database, stop)
    finally:
        stop.set()
        database.close()


def _wait_for_commits(database: Database, stop: threading.Event) -> None:
    wanted = _commits(database) + COMMITS
    while _commits(database) < wanted and not stop.wait(0.1):
        continue


def _commits(database: Database) -> int:
    with database.read() as connection:
        return database.read_lake(connection).last.commit_number


def _prepared(lake: Lake) -> Session:
    session = lake.open()
    for statement in SETUP:
        session.sql(statement)
    return session


def _ways_to_consume(session: Session, folder: Path) -> list[Callable[[], object]]:
    def in_a_transaction() -> None:
        session.sql("BEGIN")
        session.sql(TAKE)
        session.sql("COMMIT")

    plain = "FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE)"
    into_files = f"COPY INTO '{folder}' FROM (SELECT writer, n FROM s) {plain}"
    return [in_a_transaction, lambda: session.sql(TAKE), lambda: session.sql(into_files)]


def _taken(session: Session, folder: Path) -> list[int]:
    """Return the numbers that were consumed, into the table and into files."""
    rows = [row[0] for row in session.sql("SELECT n FROM sink").fetchall()]
    lines = [
        line for file in folder.glob("data_*/[!._]*") for line in file.read_text().splitlines()
    ]
    return sorted(rows + [int(line.split(",")[1]) for line in lines])


def _move(database: Database) -> int:
    with database.read() as connection:
        return find_streams(connection, database)[0].frontier.move_count


def _waits(database: Database) -> dict[str, str | None]:
    with database.read() as connection:
        return {each.transaction_id: each.waits_for for each in list_open_transactions(connection)}


def _no_lock_outlives_its_transaction(database: Database) -> None:
    def none_is_left() -> bool:
        with database.read() as connection:
            return not list_open_transactions(connection) and not list_locks(connection)

    wait_until(none_is_left, LEASE_SECONDS)


def _doctor_finds_nothing(lake: Lake) -> None:
    found = check_lake(NamedLake(None, lake.url, str(lake.folder / "warehouse")))
    assert [each for each in found if each.level is not Level.OK] == []


def _error_of(work: Callable[[], object]) -> IcemeltError | None:
    try:
        work()
    except IcemeltError as error:
        return error
    return None
