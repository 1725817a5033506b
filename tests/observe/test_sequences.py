"""Which events real statements give, in which order."""

from __future__ import annotations

from pathlib import Path

import pytest
from waiting import wait_until

from conftest import ONE_DAY, Lake, TestClock, sqlite_url
from icemelt import Session
from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.open_transactions import open_transaction
from icemelt.errors import ObjectNotFound
from icemelt.observe import events as e
from icemelt.server.stream_gauges import StreamGauges
from icemelt.transactions import keeping
from icemelt.transactions.pending import Attempt, Pending
from icemelt.transactions.publication import LostRaceError
from icemelt.transactions.transaction import hold_reservation, run_statement

PUBLISHED = ("published", "TransactionPublished")


def sequence(taken: list[e.Event]) -> list[str]:
    """Return the events in words; how many jobs Spark makes of a statement is its own business."""
    words = []
    for event in taken:
        match event:
            case e.StatementBegan(kind=kind):
                words.append(f"begin {kind}")
            case e.StatementEnded(kind=kind, status=status):
                words.append(f"{status} {kind}")
            case e.PublishAttempted(outcome=outcome):
                words.append(outcome)
            case e.SparkJobRan():
                words += [] if words[-1] == "jobs" else ["jobs"]
            case _:
                words.append(type(event).__name__)
    return words


def open_session_of_jobs(lake: Lake) -> Session:
    """Return a session that runs small queries by jobs, too."""
    session = lake.open()
    session.spark.conf.set("spark.icemelt.driverRuns", "false")
    return session


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Return a registry; no Spark is needed for it."""
    return open_database(sqlite_url(tmp_path), str(tmp_path / "warehouse"))


def test_a_statement_is_planned_run_and_published(lake: Lake, taken: list[e.Event]) -> None:
    session = open_session_of_jobs(lake)
    session.sql("CREATE TABLE t (id INT)")
    # constants are written without a job
    session.sql("INSERT INTO t SELECT 1 AS id")
    taken.clear()
    session.sql("INSERT INTO t SELECT id + 1 FROM t")
    assert sequence(taken) == [
        "begin INSERT",
        "QueryPlanned",
        *PUBLISHED,
        "jobs",
        "succeeded INSERT",
    ]
    began, ended = taken[0], taken[-1]
    assert isinstance(began, e.StatementBegan)
    assert isinstance(ended, e.StatementEnded)
    assert began.statement_id == ended.statement_id
    assert began.session_id == session.session_id
    assert {each.statement_id for each in taken if isinstance(each, e.SparkJobRan)} == {
        began.statement_id
    }


def test_what_one_session_wrote_is_rebased_on_what_another_left(
    lake: Lake, taken: list[e.Event]
) -> None:
    one, two = lake.open(), lake.open()
    one.sql("CREATE TABLE t (id INT)")
    one.sql("BEGIN")
    one.sql("INSERT INTO t SELECT 2 AS id")
    two.sql("INSERT INTO t SELECT 3 AS id")
    taken.clear()
    one.sql("COMMIT")
    assert sequence(taken) == [
        "begin COMMIT",
        "moved",
        "TableRebased",
        *PUBLISHED,
        "succeeded COMMIT",
    ]
    rebased, last = taken[2], taken[4]
    assert isinstance(rebased, e.TableRebased)
    assert isinstance(last, e.TransactionPublished)
    assert (rebased.table, last.tables, last.attempts) == ("main.public.t", 1, 2)
    assert rebased.transaction_id == last.transaction_id


def test_a_query_runs_when_its_rows_are_fetched(lake: Lake, taken: list[e.Event]) -> None:
    session = open_session_of_jobs(lake)
    session.execute_script("CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2)")
    taken.clear()
    assert len(session.sql("SELECT * FROM t ORDER BY id").fetchall()) == 2
    assert sequence(taken) == [
        "begin SELECT",
        "QueryPlanned",
        "succeeded SELECT",
        "jobs",
        "RowsFetched",
    ]
    with pytest.raises(ObjectNotFound):
        session.sql("SELECT * FROM nothing")
    assert sequence(taken)[-1] == "failed SELECT"


def test_data_frames_of_a_transaction_are_statements(lake: Lake, taken: list[e.Event]) -> None:
    session = open_session_of_jobs(lake)
    session.execute_script("CREATE TABLE t (id INT); CREATE STREAM s ON TABLE t")
    with session.transaction() as transaction:
        taken.clear()
        rows = transaction.consume("s").select("id")
        transaction.append(rows, "t")
        said = sequence(taken)
    assert said == [
        "begin CONSUME",
        "QueryPlanned",
        "succeeded CONSUME",
        "begin INSERT",
        "succeeded INSERT",
    ]


def test_a_statement_that_lost_a_race_tells_why_it_runs_again(
    lake: Lake, taken: list[e.Event]
) -> None:
    core = lake.open()._core

    def work(attempt: Attempt) -> Pending[int]:
        if attempt.number == 1:
            raise LostRaceError("the stream was consumed", stream_ids=("51",))
        return Pending(attempt.number, None)

    assert run_statement(core.newest, core.author, work).outcome == 2
    (rerun,) = taken
    assert isinstance(rerun, e.StatementRerun)
    assert (rerun.attempt, rerun.table, rerun.reason) == (1, None, "the stream was consumed")


def test_upkeep_is_told(lake: Lake, clock: TestClock, taken: list[e.Event]) -> None:
    session = open_session_of_jobs(lake)
    session.sql("CREATE TABLE t (id INT)")
    for number in range(2):
        session.sql(f"INSERT INTO t SELECT {number} AS id")
    taken.clear()
    session.sql("OPTIMIZE t")
    assert e.TableCompacted("main.public.t", 2, 1) in taken
    lake.foreign().sql("INSERT INTO icemelt.main.public.t SELECT 9 AS id")
    taken.clear()
    assert session.sql("SELECT count(*) FROM t").fetchall() == [(3,)]
    assert e.ForeignCommitsAdopted("main.public.t", 1) in taken
    clock.set(clock.time + 3 * ONE_DAY)
    session.sql("INSERT INTO t SELECT 5 AS id")
    clock.set(clock.time + 3 * ONE_DAY)
    taken.clear()
    maintained = session.maintain()
    (expired,) = (each for each in taken if isinstance(each, e.VersionsExpired))
    assert expired.table == "main.public.t"
    assert expired.versions == maintained.versions_expired > 0


def test_gauges_of_streams_are_bounded_and_those_of_show_streams(lake: Lake) -> None:
    session = open_session_of_jobs(lake)
    session.execute_script(
        "CREATE TABLE t (id INT); CREATE TABLE u (id INT) DATA_RETENTION_TIME_IN_DAYS = 30;"
        "CREATE STREAM late ON TABLE u; CREATE STREAM soon ON TABLE t;"
        "CREATE VIEW v AS SELECT t.id FROM t JOIN u ON t.id = u.id; CREATE STREAM both ON VIEW v;"
        "INSERT INTO t SELECT id FROM VALUES (1), (2) AS x (id); DELETE FROM t WHERE id = 1;"
        "INSERT INTO u SELECT 3 AS id; OPTIMIZE t"
    )

    def gauges(most: int) -> dict[tuple[str, str], float]:
        metrics = StreamGauges(session._core.database, most).collect()
        return {
            (sample.name, sample.labels.get("stream", "")): sample.value
            for metric in metrics
            for sample in metric.samples
        }

    found = gauges(9)
    lag = ("rows_behind", "versions_behind")
    shown = session.sql("SHOW STREAMS")
    place = {name: index for index, name in enumerate(shown.columns)}
    for row in shown.fetchall():
        stream = f"main.public.{row[place['name']]}"
        assert [found[f"icemelt_stream_{name}", stream] for name in lag] == [
            row[place[name]] for name in lag
        ]
    assert found["icemelt_stream_rows_behind", "main.public.both"] == 4
    assert found["icemelt_stream_seconds_behind", "main.public.soon"] > 0
    assert 13 * 86_400 < found["icemelt_stream_seconds_to_stale", "main.public.soon"] < 14 * 86_400
    assert found["icemelt_streams", ""] == 3
    # of many those are told that are stale soonest
    few = gauges(1)
    assert few["icemelt_streams", ""] == 3
    assert {stream for _, stream in few} == {"", "main.public.soon"}
    # what was consumed is behind nothing
    session.sql("CREATE TABLE copy AS SELECT * FROM soon")
    found = gauges(9)
    assert [found[f"icemelt_stream_{name}", "main.public.soon"] for name in lag] == [0, 0]
    assert found["icemelt_stream_seconds_behind", "main.public.soon"] == 0


def test_a_transaction_whose_lease_is_lost_is_told_of(
    database: Database, taken: list[e.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "LEASE_SECONDS", 0.3)
    keeping.open_with_lease(database, OpenTransactionRecord("4f", "b0", "ann", None, 0, 0, 0))
    keeping.close_now_or_later(database, "4f")
    wait_until(lambda: taken, 10)
    assert taken == [e.LeaseLapsed("4f")]


def test_a_transaction_that_has_lapsed_is_removed_by_the_next_one(
    database: Database, taken: list[e.Event]
) -> None:
    open_transaction(database, OpenTransactionRecord("4f", "b0", "ann", None, 0, 0, 0), 0)
    assert not taken
    open_transaction(database, OpenTransactionRecord("51", "b0", "ann", None, 0, 0, 0), 30)
    assert taken == [e.LapsedLeasesRemoved(1)]


def test_a_catalog_that_goes_away_under_a_reservation_is_told_of(
    database: Database, taken: list[e.Event]
) -> None:
    with hold_reservation(database, ["a0"], "4f"):
        database.close()
        Path(database.engine.url.database or "").write_text("no database")
    (event,) = taken
    assert isinstance(event, e.CatalogErrorTolerated)
    assert event.action == "release the reservation of a table"
    assert event.error_code == "catalog-unavailable"


def test_gauges_are_missing_while_the_catalog_is_away(
    database: Database, taken: list[e.Event]
) -> None:
    Path(database.engine.url.database or "").write_text("no database")
    database.close()
    gauges = StreamGauges(database)
    for _ in range(2):
        known = next(iter(gauges.collect()))
        assert (known.name, known.samples[0].value) == ("icemelt_streams_known", 0)
    # the second page was made of the first one's answer
    assert [type(each) for each in taken] == [e.CatalogErrorTolerated]
