"""Channels of one process: rows and tokens commit together, in order, once."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ingest.reaching import WAYS, Reach

from conftest import Lake
from icemelt.catalog.reserving import release_tables, reserve_tables
from icemelt.errors import ObjectNotFound, ParameterError, WrongObjectKind
from icemelt.ingest import Channel, StreamingIngestClient
from icemelt.ingest.client.transport import ChannelName
from icemelt.ingest.errors import (
    ChannelInvalid,
    ChannelTaken,
    IngestError,
    RowsRefused,
    TableRefused,
    TokenRefused,
)
from icemelt.names import QualifiedName
from icemelt.session.session import Session

WHERE = ("main", "public", "t")


@pytest.fixture(params=WAYS)
def reach(request: pytest.FixtureRequest) -> Reach:
    return WAYS[request.param]


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR(5))")
    return session


def opened(client: StreamingIngestClient, name: str = "c", **options: str) -> Channel:
    return client.open_channel(name, *WHERE, **options)[0]


def rows_of(session: Session) -> list[tuple[object, ...]]:
    return session.sql("SELECT * FROM t ORDER BY id").fetchall()


def test_rows_are_there_with_their_token(table: Session, reach: Reach) -> None:
    with reach(table) as client:
        channel, status = client.open_channel("c", *WHERE)
        assert status.latest_committed_offset_token is None
        answer = channel.append_rows([{"id": 1, "v": "a"}, {"id": "2"}], end_offset_token="f:2")
        assert (answer.rows, answer.errors) == (2, ())
        channel.wait_for_commit(lambda token: token == "f:2", timeout_seconds=30)
        assert rows_of(table) == [(1, "a"), (2, None)]
    status = table.sql("SHOW CHANNELS IN t").to_pandas().iloc[0]
    assert (status["name"], status["table_name"], status["offset_token"]) == ("c", "t", "f:2")
    assert (status["client_sequencer"], status["row_sequencer"]) == (1, 1)
    assert table.sql("DESC HISTORY t").to_pandas()["operation"][0] == "INGEST"


def test_a_token_is_committed_without_rows(table: Session, reach: Reach) -> None:
    with reach(table) as client:
        channel = opened(client)
        channel.append_rows([], end_offset_token="nothing yet")
        channel.wait_for_flush(30)
        assert channel.get_latest_committed_offset_token() == "nothing yet"
        channel.append_row({"id": 1})
        channel.wait_for_flush(30)
        assert channel.get_latest_committed_offset_token() == "nothing yet"
    assert len(table.sql("DESC HISTORY t").fetchall()) == 2


def test_row_ids_rise_with_the_order_of_arrival(table: Session, reach: Reach) -> None:
    with reach(table, 0.1) as client:
        channels = [opened(client, str(number)) for number in range(3)]
        for start in range(0, 300, 10):
            for place, channel in enumerate(channels):
                rows = [{"id": 1000 * place + number} for number in range(start, start + 10)]
                channel.append_rows(rows)
    for place in range(3):
        mine = f"id BETWEEN {1000 * place} AND {1000 * place + 999}"
        found = table.sql(f"SELECT id FROM t WHERE {mine} ORDER BY _row_id").fetchall()
        assert found == [(1000 * place + number,) for number in range(300)]


def test_an_older_handle_is_void_and_what_it_had_not_committed_is_gone(
    table: Session, reach: Reach
) -> None:
    with reach(table, 600) as client:
        older = opened(client)
        older.append_row({"id": 1}, "1")
        older.wait_for_flush(30)
        older.append_row({"id": 2}, "2")
        newer, status = client.open_channel("c", *WHERE)
        assert status.latest_committed_offset_token == "1"
        with pytest.raises(ChannelTaken, match="'c' is invalid: it was opened again"):
            older.append_row({"id": 3}, "3")
        with pytest.raises(ChannelInvalid):
            older.wait_for_flush(30)
        newer.append_row({"id": 4}, "4")
        newer.wait_for_flush(30)
        assert not older.get_channel_status().is_valid
    assert rows_of(table) == [(1, None), (4, None)]


def test_a_channel_opened_in_another_process_leaves_the_others_alone(
    lake: Lake, reach: Reach
) -> None:
    here, elsewhere = lake.open(), lake.open("other")
    here.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    with reach(here, 600) as mine, reach(elsewhere) as theirs:
        taken, kept = opened(mine, "taken"), opened(mine, "kept")
        taken.append_row({"id": 1}, "1")
        kept.append_row({"id": 2}, "2")
        other = opened(theirs, "taken")
        other.append_row({"id": 3}, "3")
        other.wait_for_flush(30)
        kept.wait_for_flush(30)
        assert rows_of(here) == [(2, None), (3, None)]
        with pytest.raises(ChannelTaken, match="it was opened again"):
            taken.wait_for_flush(30)
        tokens = mine.get_latest_committed_offset_tokens([taken, kept])
        assert tokens == ["3", "2"]


def test_each_way_to_deal_with_bad_rows(table: Session, reach: Reach) -> None:
    rows = [{"id": 1}, {"id": "x", "v": "too long"}, {"v": "b"}, {"id": 4}]
    with reach(table) as client:
        channel = opened(client, "c", on_error="CONTINUE")
        answer = channel.append_rows(rows, end_offset_token="continue")
        assert (answer.rows, answer.bad_rows) == (2, 2)
        assert [(each.row, each.column) for each in answer.errors] == [
            (1, "id"),
            (1, "v"),
            (2, "id"),
        ]
        skipping = opened(client, "s", on_error="skip_batch")
        assert skipping.append_rows(rows, end_offset_token="skip").rows == 0
        aborting = opened(client, "a")
        with pytest.raises(RowsRefused, match="Row 1, column 'id'"):
            aborting.append_rows(rows, end_offset_token="abort")
        aborting.append_row({"id": 9}, "good")
        for each in (channel, skipping, aborting):
            each.wait_for_flush(30)
        tokens = client.get_latest_committed_offset_tokens([channel, skipping, aborting])
        assert tokens == ["continue", None, "good"]
        assert channel.get_channel_status().rows_error == 2
    assert rows_of(table) == [(1, None), (4, None), (9, None)]


def flush_row(channel: Channel, number: int) -> None:
    channel.append_row({"id": number}, str(number))
    channel.wait_for_flush(30)


def test_a_closed_channel_keeps_its_token_and_a_dropped_one_does_not(
    table: Session, reach: Reach
) -> None:
    with reach(table, 600) as client:
        channel = opened(client)
        channel.append_row({"id": 1}, "1")
        channel.close()
        with pytest.raises(IngestError, match="is closed"):
            channel.append_row({"id": 2})
        channel, status = client.open_channel("c", *WHERE)
        assert status.latest_committed_offset_token == "1"
        channel.append_row({"id": 2}, "2")
        channel.close(drop=True)
        assert rows_of(table) == [(1, None), (2, None)]
        blind, status = client.open_channel("c", *WHERE)
        assert status.latest_committed_offset_token is None
        blind.append_row({"id": 3}, "3")
        # what was answered is not lost by it
        assert client.drop_channel("c", *WHERE)
        assert not client.drop_channel("c", *WHERE)
        with pytest.raises(ChannelInvalid, match="it was dropped"):
            flush_row(blind, 4)
    assert rows_of(table) == [(1, None), (2, None), (3, None)]
    assert table.sql("SHOW CHANNELS").fetchall() == []


def test_a_token_is_set_when_a_channel_is_opened(table: Session, reach: Reach) -> None:
    with reach(table) as client:
        assert client.open_channel("c", *WHERE)[1].latest_committed_offset_token is None
        status = client.open_channel("c", *WHERE, offset_token="from 7 on")[1]
        assert status.latest_committed_offset_token == "from 7 on"


def test_a_changed_table_has_its_channels_opened_again(table: Session, reach: Reach) -> None:
    with reach(table, 600) as client:
        channel = opened(client)
        channel.append_row({"id": 1}, "1")
        table.sql("ALTER TABLE t ADD COLUMN more INT")
        with pytest.raises(ChannelInvalid, match="was altered or replaced"):
            channel.wait_for_flush(30)
        again = opened(client)
        again.append_row({"id": 1, "more": 2}, "1")
        again.close()
        assert rows_of(table) == [(1, None, 2)]
        table.sql("CREATE OR REPLACE TABLE t (id BIGINT)")
        status = client.open_channel("c", *WHERE)[1]
        assert status.latest_committed_offset_token is None


def test_a_dropped_table_takes_no_rows(table: Session, reach: Reach) -> None:
    with reach(table, 600) as client:
        channel = opened(client)
        channel.append_row({"id": 1}, "1")
        table.sql("DROP TABLE t")
        with pytest.raises(ChannelInvalid, match="was dropped or renamed"):
            channel.wait_for_flush(30)
        table.sql("UNDROP TABLE t")
        assert client.open_channel("c", *WHERE)[1].latest_committed_offset_token is None


def test_streams_see_ingested_rows_as_inserts(table: Session, reach: Reach) -> None:
    table.sql("CREATE STREAM s ON TABLE t")
    with reach(table) as client:
        opened(client).append_rows([{"id": 1}, {"id": 2}])
    table.sql("DELETE FROM t WHERE id = 1")
    changes = table.sql("SELECT id, METADATA$ACTION, METADATA$ISUPDATE FROM s").fetchall()
    assert changes == [(2, "INSERT", False)]


def test_all_types_are_written(session: Session, reach: Reach) -> None:
    session.sql(
        "CREATE TABLE t (b BOOLEAN, n NUMBER(10, 2), d DOUBLE, s VARCHAR, x BINARY, day DATE, "
        "local TIMESTAMP_NTZ, instant TIMESTAMP_LTZ, list ARRAY(BIGINT), map MAP(VARCHAR, INT), "
        "object OBJECT(a INT, b VARCHAR))"
    )
    row = {
        "b": True,
        "n": Decimal("12.345"),
        "d": 0.5,
        "s": "ä",
        "x": b"\x00\xff",
        "day": dt.date(2024, 2, 29),
        "local": dt.datetime.fromisoformat("2024-01-02T03:04:05.000006"),
        "instant": dt.datetime(2024, 1, 2, 3, 4, tzinfo=dt.UTC),
        "list": [1, None],
        "map": '{"k": 7}',
        "object": {"a": 1, "b": "x"},
    }
    with reach(session) as client:
        opened(client).append_rows([row, {}])
    session.sql("ALTER SESSION SET TIMEZONE = 'UTC'")
    found = session.sql("SELECT b, n, d, s, hex(x), day, local, list, map, object.a FROM t")
    assert found.fetchall()[0] == (
        True,
        Decimal("12.35"),
        0.5,
        "ä",
        "00FF",
        dt.date(2024, 2, 29),
        dt.datetime.fromisoformat("2024-01-02T03:04:05.000006"),
        [1, None],
        [("k", 7)],
        1,
    )
    before = session.sql("SELECT count(*) FROM t WHERE instant = '2024-01-02 03:04:00Z'")
    assert before.fetchall() == [(1,)]


def test_variants_are_written_in_order(session: Session, reach: Reach) -> None:
    session.sql("CREATE TABLE t (id BIGINT, v VARIANT)")
    with reach(session) as client:
        rows = [{"id": number, "v": {"n": [number, "x"]}} for number in range(200)]
        opened(client).append_rows([*rows, {"id": 200, "v": '"text"'}, {"id": 201}])
    found = session.sql("SELECT id, v:n[0]::INT FROM t ORDER BY _row_id").fetchall()
    assert found == [*((n, n) for n in range(200)), (200, None), (201, None)]


@pytest.mark.parametrize("rows", ["batch", "table", "frame"])
def test_columns_are_taken_as_they_are(table: Session, reach: Reach, rows: str) -> None:
    batch = pa.record_batch({"id": [1, 2], "v": ["a", None]})
    given = {"batch": batch, "table": pa.Table.from_batches([batch]), "frame": batch.to_pandas()}
    with reach(table) as client:
        opened(client).append_rows(given[rows])
    assert rows_of(table) == [(1, "a"), (2, None)]


def test_what_is_no_table_takes_no_channel(session: Session, reach: Reach) -> None:
    session.sql("CREATE TABLE plain (id BIGINT AUTOINCREMENT)")
    session.sql("CREATE STREAM t ON TABLE plain")
    session.sql("CREATE TEMPORARY TABLE own (id BIGINT)")
    with reach(session) as client:
        with pytest.raises(WrongObjectKind, match="is a stream"):
            opened(client)
        with pytest.raises(ObjectNotFound):
            client.open_channel("c", "main", "public", "nothing")
        with pytest.raises(TableRefused, match="numbers rows"):
            client.open_channel("c", "main", "public", "plain")
        with pytest.raises(ObjectNotFound, match="does not exist"):
            client.open_channel("c", "main", "public", "own")
    with pytest.raises(ParameterError, match=r"0\.1 to 600 seconds"):
        session.ingest_client(max_client_lag=0)


def test_many_tables_are_written_at_once(session: Session, reach: Reach) -> None:
    names = [f"t{number}" for number in range(6)]
    for name in names:
        session.sql(f"CREATE TABLE {name} (id BIGINT)")
    with reach(session, 0.1) as client:
        channels = [client.open_channel("c", "main", "public", name)[0] for name in names]
        for number in range(50):
            for channel in channels:
                channel.append_row({"id": number}, str(number))
        for channel in channels:
            channel.wait_for_flush(60)
            assert channel.get_latest_committed_offset_token() == "49"
    for name in names:
        assert session.sql(f"SELECT count(*), sum(id) FROM {name}").fetchall() == [(50, 1225)]


def test_a_channel_that_is_opened_again_and_again_writes_what_its_last_handle_took(
    table: Session, reach: Reach
) -> None:
    with reach(table, 0.1) as client:
        for number in range(30):
            channel, status = client.open_channel("c", *WHERE)
            token = status.latest_committed_offset_token
            first = 0 if token is None else int(token) + 1
            for each in range(first, first + 3):
                channel.append_row({"id": each}, str(each))
            if number % 3 == 0:
                channel.wait_for_flush(30)
        channel.wait_for_flush(30)
    ids = [id_ for (id_,) in table.sql("SELECT id FROM t ORDER BY _row_id").fetchall()]
    assert ids == list(range(len(ids)))
    assert len(ids) >= 30


def test_threads_that_open_one_channel_leave_one_holder(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT)")
    with session.ingest_client(max_client_lag=0.1) as client:
        with ThreadPoolExecutor(8) as pool:
            channels = list(pool.map(lambda _: opened(client), range(16)))
        valid = [each for each in channels if each.get_channel_status().is_valid]
        assert len(valid) == 1
        last = max(each.get_channel_status().client_sequencer for each in channels)
        assert valid[0].get_channel_status().client_sequencer == last
        valid[0].append_row({"id": 1}, "1")
        valid[0].wait_for_flush(30)
        for each in channels:
            each.close()
    assert session.sql("SELECT id FROM t").fetchall() == [(1,)]


def test_no_thread_stays_for_a_table_without_channels(session: Session) -> None:
    def writers() -> int:
        return sum(thread.name.startswith("ingest ") for thread in threading.enumerate())

    before = writers()
    session.sql("CREATE TABLE t (id BIGINT)")
    with session.ingest_client() as client:
        for number in range(3):
            channel = opened(client)
            channel.append_row({"id": number})
            channel.close()
            deadline = time.monotonic() + 10
            while writers() > before:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            session.sql(f"ALTER TABLE t ADD COLUMN c{number} INT")


def test_partitioned_tables_are_written(lake: Lake) -> None:
    session = lake.open()
    session.sql("CREATE TABLE t (id BIGINT, part VARCHAR)")
    lake.foreign().sql("ALTER TABLE icemelt.main.public.t ADD PARTITION FIELD part")
    rows = [{"id": number, "part": "ab"[number % 2]} for number in range(100)]
    with session.ingest_client() as client:
        opened(client).append_rows(rows)
    for part, first in (("a", 0), ("b", 1)):
        found = session.sql(f"SELECT id FROM t WHERE part = '{part}' ORDER BY _row_id").fetchall()
        assert found == [(number,) for number in range(first, 100, 2)]


def test_what_channels_do_not_write_is_refused_when_they_are_opened(lake: Lake) -> None:
    session, foreign = lake.open(), lake.foreign()
    foreign.sql("CREATE NAMESPACE IF NOT EXISTS icemelt.main.public")
    options = "USING iceberg TBLPROPERTIES ('format-version' = '3')"
    foreign.sql(f"CREATE TABLE icemelt.main.public.inside (v ARRAY<VARIANT>) {options}")
    foreign.sql(f"CREATE TABLE icemelt.main.public.whole (v VARIANT, d DECIMAL(9, 2)) {options}")
    with session.ingest_client() as client:
        with pytest.raises(TableRefused, match="has inside, the type 'variant'"):
            client.open_channel("c", "main", "public", "inside")
        client.open_channel("c", "main", "public", "whole")


def test_what_becomes_of_the_rows_after_the_call_changes_nothing(
    table: Session, reach: Reach
) -> None:
    with reach(table, 600) as client:
        channel = opened(client)
        frame = pd.DataFrame({"id": np.array([1, 2])})
        channel.append_rows(frame)
        frame["id"] *= 100
        numbers = np.array([3, 4])
        channel.append_rows(pd.DataFrame({"id": numbers}, copy=False))
        channel.append_rows(pa.table({"id": pa.array(numbers)}))
        numbers[:] = -1
        channel.wait_for_flush(30)
    assert [row[0] for row in rows_of(table)] == [1, 2, 3, 3, 4, 4]


def test_a_named_index_is_a_column(table: Session, reach: Reach) -> None:
    with reach(table) as client:
        frame = pd.DataFrame({"id": [1], "v": ["a"]}).set_index("id")
        opened(client).append_rows(frame)
    assert rows_of(table) == [(1, "a")]


@pytest.mark.parametrize("token", [7, {"p": 1}, "x" * 4097, "a\0b", "\ud800"])
def test_a_token_is_a_text_that_can_be_kept(table: Session, reach: Reach, token: Any) -> None:
    with reach(table) as client:
        channel = opened(client)
        with pytest.raises(TokenRefused):
            channel.append_rows([{"id": 1}], end_offset_token=token)
        with pytest.raises(TokenRefused):
            client.open_channel("d", *WHERE, offset_token=token)
        channel.append_rows([{"id": 2}], end_offset_token="x" * 4096)
    assert rows_of(table) == [(2, None)]


def test_an_interrupted_append_is_not_followed_by_others(
    table: Session, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reach(table) as client:
        channel = opened(client)
        append = type(channel._link).append

        def interrupted(*arguments: Any) -> None:
            append(*arguments)
            raise KeyboardInterrupt

        monkeypatch.setattr(type(channel._link), "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            channel.append_row({"id": 1}, "1")
        monkeypatch.undo()
        with pytest.raises(ChannelInvalid, match="interrupted"):
            channel.append_row({"id": 1}, "1")
        channel.wait_for_flush(30)
        again, status = client.open_channel("c", *WHERE)
        assert status.latest_committed_offset_token == "1"
        again.append_row({"id": 2}, "2")
    assert rows_of(table) == [(1, None), (2, None)]


def test_a_null_object_whose_parts_are_not_null_is_written(session: Session, reach: Reach) -> None:
    session.sql("CREATE TABLE t (id BIGINT, o OBJECT(a INT NOT NULL, b VARCHAR))")
    with reach(session) as client:
        rows = [{"id": 1, "o": {"a": 1}}, {"id": 2}, {"id": 3, "o": None}]
        opened(client).append_rows(rows)
    found = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert found == [(1, {"a": 1, "b": None}), (2, None), (3, None)]


JSON = ("1" * 1_001, '{"' + "k" * 50_001 + '": 1}', "[" + "1" * 1_001 + ".5]")


@pytest.mark.parametrize("value", JSON)
def test_json_that_spark_does_not_read_is_refused(
    session: Session, reach: Reach, value: str
) -> None:
    session.sql("CREATE TABLE t (v VARIANT)")
    with reach(session) as client:
        channel = opened(client)
        with pytest.raises(RowsRefused):
            channel.append_row({"v": value})
        channel.append_row({"v": "1" * 1_000})


def test_a_channel_s_token_is_found_under_each_spelling_of_its_table(
    table: Session, reach: Reach
) -> None:
    with reach(table) as client:
        channel = opened(client)
        channel.append_row({"id": 1}, "1")
        channel.wait_for_flush(30)
        names = [
            ChannelName(QualifiedName("MAIN", "public", name), "c") for name in ("t", "T", "nope")
        ]
        assert client.get_latest_committed_offset_tokens(names) == ["1", "1", None]


def test_on_error_is_one_of_three(table: Session, reach: Reach) -> None:
    with reach(table) as client, pytest.raises(ParameterError, match="'STOP'"):
        opened(client, on_error="STOP")


def test_tables_that_are_made_anew_leave_no_threads(session: Session) -> None:
    with session.ingest_client(max_client_lag=0.1) as client:
        for number in range(3):
            session.sql("CREATE OR REPLACE TABLE t (id BIGINT)")
            channel = opened(client)
            channel.append_row({"id": number})
            channel.wait_for_flush(30)
            session.sql("CREATE OR REPLACE TABLE t (id BIGINT)")
            channel.append_row({"id": number})
            with pytest.raises(ChannelInvalid):
                channel.wait_for_flush(30)
        deadline = time.monotonic() + 10
        while any(thread.name.startswith("ingest ") for thread in threading.enumerate()):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_definitions_get_through_beside_channels(table: Session, lake: Lake) -> None:
    stop = threading.Event()

    def ingest(session: Session, name: str) -> None:
        with session.ingest_client(max_client_lag=0.1) as client:
            channel = None
            while not stop.is_set():
                try:
                    channel = channel or opened(client, name)
                    channel.append_row({"id": 1})
                    time.sleep(0.02)
                except ChannelInvalid:
                    channel = None

    with ThreadPoolExecutor() as pool:
        working = [pool.submit(ingest, lake.open(), name) for name in ("a", "b")]
        try:
            for number in range(4):
                time.sleep(0.3)
                table.sql(f"ALTER TABLE t ADD COLUMN c{number} INT")
                table.sql("TRUNCATE TABLE t")
        finally:
            stop.set()
        for each in working:
            with contextlib.suppress(ChannelInvalid):
                each.result()


def test_rows_are_published_between_two_reservations_of_others(table: Session) -> None:
    name, database = QualifiedName(*WHERE), table._core.database
    table_ids = [table._core.newest.resolve([name]).tables[name].object_id]
    ended = threading.Event()

    def reserve_one_after_the_other() -> None:
        for number in itertools.count():
            # as one of many that wait: there is no moment between two reservations
            while not reserve_tables(database, table_ids, f"another {number}"):
                time.sleep(0.01)
            is_last = ended.wait(3)
            release_tables(database, f"another {number}")
            if is_last:
                return

    others = threading.Thread(target=reserve_one_after_the_other)
    others.start()
    try:
        with table.ingest_client(max_client_lag=0.1) as client:
            channel = opened(client)
            channel.append_row({"id": 1}, "1")
            channel.wait_for_commit(lambda token: token == "1", timeout_seconds=15)
    finally:
        ended.set()
        others.join(30)
    # nobody waits for rows that are published
    assert reserve_tables(database, table_ids, "one more")


def test_rows_of_reserved_tables_keep_no_other_rows_waiting(table: Session) -> None:
    names = [f"reserved{number}" for number in range(8)]
    for name in names:
        table.sql(f"CREATE TABLE {name} (id BIGINT)")
    database = table._core.database
    tables = table._core.newest.resolve([QualifiedName(*WHERE[:2], name) for name in names]).tables
    assert reserve_tables(database, [each.object_id for each in tables.values()], "another")
    with table.ingest_client(max_client_lag=0.1) as client:
        reserved = [client.open_channel("c", *WHERE[:2], name)[0] for name in names]
        for channel in reserved:
            channel.append_row({"id": 1}, "1")
        time.sleep(1)
        free = opened(client)
        free.append_row({"id": 1}, "1")
        free.wait_for_commit(lambda token: token == "1", timeout_seconds=15)
        assert {channel.get_latest_committed_offset_token() for channel in reserved} == {None}
        release_tables(database, "another")
        for channel in reserved:
            channel.wait_for_commit(lambda token: token == "1", timeout_seconds=15)
