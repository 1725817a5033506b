"""Columns that rows leave out get the defaults that an INSERT gives them."""

from __future__ import annotations

import datetime as dt
import json
import time
import uuid
from typing import Any

import httpx
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingest.reaching import WAYS, Reach, served

from conftest import Lake
from icemelt.catalog.keys import create_key
from icemelt.errors import SparkDied
from icemelt.ingest import (
    Channel,
    ChannelInvalid,
    RowsRefused,
    StreamingIngestClient,
    TableRefused,
)
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.schema import Primitive
from icemelt.session.ingestion import resume
from icemelt.session.session import Session
from icemelt.spark_sql.clock_expressions import read_clock_expression

WHERE = ("main", "public", "t")
LANDING = (
    "CREATE TABLE t (id BIGINT, source VARCHAR NOT NULL DEFAULT 'api', "
    "key VARCHAR DEFAULT UUID_STRING(), loaded_at TIMESTAMP_LTZ DEFAULT CURRENT_TIMESTAMP())"
)
# every type, as a default is written
CONSTANTS = {
    "INT": ["7", "'8'", "2.5", "1 + 1"],
    "NUMBER(10, 2)": ["1.005", "'-3'", "NULL"],
    "DOUBLE": ["0.1", "1e300"],
    "BOOLEAN": ["TRUE", "'no'"],
    "VARCHAR": ["'it''s'", "''", "5", "CONCAT('a', 'b')", "TRUE", "CURRENT_USER()"],
    "VARCHAR(3)": ["'abc'"],
    "BINARY": ["X'00FF'", "TO_BINARY('ab', 'UTF-8')"],
    "DATE": ["'2024-02-29'::DATE", "'2024-01-31'", "DATEADD(day, 1, '2024-01-31'::DATE)"],
    "TIMESTAMP_NTZ": ["'2024-01-01 10:00:00.123456'", "'2024-01-01'::DATE"],
    "TIMESTAMP_LTZ": ["'2024-01-01 10:00:00'", "'2024-01-01T10:00:00+02:00'"],
    "VARIANT": ["PARSE_JSON('{\"a\": [1, null, 1.50]}')", "1", "'x'", "1.5", "NULL::VARIANT"],
    "ARRAY(INT)": ["[1, 2]::ARRAY(INT)"],
    "MAP(VARCHAR, INT)": ["{'a': 1}::MAP(VARCHAR, INT)"],
    "OBJECT(a INT, b VARCHAR)": ["{'a': 1, 'b': 'x'}::OBJECT(a INT, b VARCHAR)"],
}
CLOCKS = [
    ("TIMESTAMP_LTZ", "CURRENT_TIMESTAMP()"),
    ("TIMESTAMP_LTZ", "CURRENT_TIMESTAMP"),
    ("TIMESTAMP_LTZ", "CURRENT_TIMESTAMP(0)"),
    ("TIMESTAMP_NTZ", "CURRENT_TIMESTAMP(2)"),
    ("TIMESTAMP_LTZ", "CURRENT_TIMESTAMP(9)"),
    ("TIMESTAMP_NTZ", "CURRENT_TIMESTAMP()::TIMESTAMP_NTZ"),
    ("TIMESTAMP_NTZ", "LOCALTIMESTAMP"),
    ("TIMESTAMP_NTZ", "GETDATE()"),
    ("TIMESTAMP_NTZ", "SYSDATE()"),
    ("TIMESTAMP_LTZ", "SYSDATE()"),
    ("TIMESTAMP_NTZ", "TO_TIMESTAMP_NTZ(CURRENT_TIMESTAMP())"),
    ("TIMESTAMP_NTZ", "CONVERT_TIMEZONE('UTC', CURRENT_TIMESTAMP())"),
    ("TIMESTAMP_NTZ", "CONVERT_TIMEZONE('America/New_York', CURRENT_TIMESTAMP())::TIMESTAMP_NTZ"),
    ("DATE", "CURRENT_DATE"),
    ("DATE", "CURRENT_DATE()"),
    ("DATE", "CURRENT_TIMESTAMP()::DATE"),
    ("DATE", "TO_DATE(CURRENT_TIMESTAMP())"),
    ("TIMESTAMP_LTZ", "CURRENT_DATE"),
    ("DATE", "CONVERT_TIMEZONE('Asia/Tokyo', CURRENT_TIMESTAMP())::DATE"),
]

_FIRST, _LAST = dt.datetime(2000, 1, 1), dt.datetime(2100, 1, 1)  # noqa: DTZ001 - as Hypothesis asks


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def reach(request: pytest.FixtureRequest) -> Reach:
    way: Reach = request.param
    return way


def opened(client: StreamingIngestClient, name: str = "c", **options: Any) -> Channel:
    return client.open_channel(name, *WHERE, **options)[0]


def rows_of(session: Session, columns: str = "id, source") -> list[Any]:
    return session.sql(f"SELECT {columns} FROM t ORDER BY id").fetchall()


def test_a_landing_table_fills_its_own_columns(session: Session, reach: Reach) -> None:
    session.sql(LANDING)
    before = dt.datetime.now(dt.UTC)
    with reach(session) as client:
        channel = opened(client)
        answer = channel.append_rows(
            [{"id": 1}, {"id": 2, "source": "file"}, {"id": 3, "key": None}]
        )
        assert (answer.rows, answer.errors) == (3, ())
        channel.append_row({"id": 4, "loaded_at": None, "key": "k", "SOURCE": "x"})
        channel.append_rows(pa.table({"id": [5]}))
        channel.append_rows(pd.DataFrame({"id": [6], "source": ["frame"]}))
        channel.wait_for_flush(60)
    after = dt.datetime.now(dt.UTC)
    assert rows_of(session) == [
        (1, "api"),
        (2, "file"),
        (3, "api"),
        (4, "x"),
        (5, "api"),
        (6, "frame"),
    ]
    keys = [key for (key,) in rows_of(session, "key")]
    assert (keys[2], keys[3]) == (None, "k")
    random = [keys[0], keys[1], keys[4], keys[5]]
    assert len(set(random)) == 4
    assert {uuid.UUID(key).version for key in random} == {4}
    times = [time for (time,) in rows_of(session, "loaded_at")]
    assert times[3] is None
    assert times[0] == times[1] == times[2]
    assert before <= times[0] <= times[4] <= times[5] <= after


def test_null_is_no_default(session: Session, reach: Reach) -> None:
    session.sql(LANDING)
    with reach(session) as client:
        channel = opened(client)
        for rows in ([{"id": 1, "source": None}], pa.table({"id": [1], "source": [None]})):
            with pytest.raises(RowsRefused, match="A NOT NULL column takes no NULL"):
                channel.append_rows(rows)
        mild = opened(client, "mild", on_error="CONTINUE")
        rows = [{"id": 1}, {"id": 2, "source": None}, {"id": "x"}, {"id": 4, "Source": "b"}]
        answer = mild.append_rows(rows)
        assert [(error.row, error.column) for error in answer.errors] == [(1, "source"), (2, "id")]
        mild.wait_for_flush(60)
    assert rows_of(session) == [(1, "api"), (4, "b")]


def test_keys_differ_in_case_from_row_to_row(session: Session, reach: Reach) -> None:
    session.sql(LANDING)
    with reach(session) as client:
        channel = opened(client)
        channel.append_rows(
            [{"ID": 1, "Source": "a"}, {"id": 2}, {"Id": 3, "SOURCE": "c", "source": None}]
        )
        channel.wait_for_flush(60)
    assert rows_of(session) == [(1, "a"), (2, "api"), (3, "c")]


@pytest.mark.parametrize("options", ["", "PARTITION BY (source)", "ERROR_LOGGING = TRUE"])
def test_rows_that_spark_writes_have_defaults(session: Session, reach: Reach, options: str) -> None:
    session.sql(
        "CREATE TABLE t (id BIGINT, source VARCHAR NOT NULL DEFAULT 'api', "
        f"v VARIANT DEFAULT PARSE_JSON('[1]'), day DATE DEFAULT CURRENT_DATE()) {options}"
    )
    with reach(session) as client:
        channel = opened(client, on_error="CONTINUE")
        channel.append_rows([{"id": 1}, {"id": 2, "source": "b", "v": {"a": 2}}, {"id": "bad"}])
        channel.append_rows([{"id": 3, "v": None, "day": "2024-01-01"}])
        channel.wait_for_flush(60)
    found = rows_of(session, "id, source, v::VARCHAR, day > '2024-01-01'")
    assert found == [(1, "api", "[1]", True), (2, "b", '{"a":2}', True), (3, "api", None, False)]
    if "LOGGING" in options:
        [(data,)] = session.sql("SELECT error_data FROM ERROR_TABLE(t)").fetchall()
        assert json.loads(data) == {"id": "bad"}


def test_a_partition_that_cannot_hold_the_default_makes_bad_rows(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (id BIGINT, n INT DEFAULT -9223372036854775807) "
        "PARTITION BY (TRUNCATE(100, n))"
    )
    with session.ingest_client() as client:
        channel = opened(client, on_error="CONTINUE")
        answer = channel.append_rows([{"id": 1}, {"id": 2, "n": 5}, {"id": 3, "n": None}])
        assert [(error.row, error.column) for error in answer.errors] == [(0, "n")]
        channel.wait_for_flush(60)
    assert rows_of(session, "id, n") == [(2, 5), (3, None)]


def test_constants_are_what_an_insert_writes(session: Session, reach: Reach) -> None:
    columns = [
        (f"c{number}", kind, default)
        for number, (kind, default) in enumerate(
            (kind, default) for kind, defaults in CONSTANTS.items() for default in defaults
        )
    ]
    listed = ", ".join(f"{name} {kind} DEFAULT {default}" for name, kind, default in columns)
    session.sql(f"CREATE TABLE t (id BIGINT, {listed})")
    session.sql("INSERT INTO t (id) VALUES (0)")
    with reach(session) as client:
        channel = opened(client)
        channel.append_rows([{"id": 1}, {"id": 2, **{name: None for name, *_ in columns}}])
        channel.append_rows([{"id": 3, columns[0][0]: 70}, {"id": 4}])
        channel.wait_for_flush(60)
    for name, kind, default in columns:
        typed = f"TYPEOF({name})" if kind == "VARIANT" else "1"
        found = session.sql(f"SELECT {name}::VARCHAR, {typed} FROM t ORDER BY id").fetchall()
        wanted = found[0]
        assert found[1] == found[4] == wanted, (kind, default)
        assert found[2][0] is None
        assert found[3] == (("70", 1) if name == "c0" else wanted)


_texts = st.text("aé'\\ \n{}[]\"", max_size=6)
_typed_defaults = st.sampled_from(
    [(kind, default) for kind, defaults in CONSTANTS.items() for default in defaults]
)


@given(st.data())
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_are_the_rows_that_insert_makes(session: Session, data: Any) -> None:
    defaults = data.draw(st.lists(_typed_defaults, min_size=1, max_size=4))
    text = data.draw(_texts)
    names = [f"c{number}" for number in range(len(defaults))]
    listed = ", ".join(
        f"{name} {kind} DEFAULT {default}"
        for name, (kind, default) in zip(names, defaults, strict=True)
    )
    literal = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    partition = data.draw(st.sampled_from(["", "PARTITION BY (id)"]))
    definition = f"(id BIGINT, s VARCHAR DEFAULT {literal}, {listed}) {partition}"
    session.sql(f"CREATE OR REPLACE TABLE t {definition}")
    session.sql(f"CREATE OR REPLACE TABLE u {definition}")
    rows = []
    for number in range(data.draw(st.integers(1, 5))):
        left_out = data.draw(st.sets(st.sampled_from([*names, "s"])))
        null = [name for name in [*names, "s"] if name not in left_out]
        rows.append({"id": number, **dict.fromkeys(null)})
        values = ", ".join([str(number), *("NULL" for _ in null)])
        session.sql(f"INSERT INTO u ({', '.join(['id', *null])}) VALUES ({values})")
    with session.ingest_client() as client:
        opened(client, str(uuid.uuid4())).append_rows(rows)
    shown = ", ".join(f"{name}::VARCHAR" for name in ["s", *names])
    found, wanted = (
        session.sql(f"SELECT id, {shown} FROM {table} ORDER BY id").fetchall() for table in "tu"
    )
    assert found == wanted


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_clocks_are_read_as_an_insert_reads_them(session: Session, zone: str) -> None:
    listed = ", ".join(f"c{n} {kind} DEFAULT {text}" for n, (kind, text) in enumerate(CLOCKS))
    session.sql(f"ALTER SESSION SET TIMEZONE = '{zone}'")
    session.sql(f"CREATE TABLE t (id BIGINT, {listed})")
    with session.ingest_client() as client:
        opened(client).append_row({"id": 1})
    session.sql("INSERT INTO t (id) VALUES (2)")
    for number, (kind, text) in enumerate(CLOCKS):
        by_channel, by_insert = (value for (value,) in rows_of(session, f"c{number}"))
        assert by_channel is not None
        difference = abs(by_insert - by_channel)
        # a test at midnight may see two days
        assert difference <= dt.timedelta(days=kind == "DATE", minutes=2), (kind, text)
        if "(0)" in text:
            assert by_channel.microsecond == 0


@given(st.datetimes(_FIRST, _LAST), st.sampled_from(CLOCKS))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_clocks_are_evaluated_as_spark_does(
    session: Session, moment: dt.datetime, clock: tuple[str, str]
) -> None:
    kind, text = clock
    zone = "Europe/Berlin"
    session.sql(f"ALTER SESSION SET TIMEZONE = '{zone}'")
    session.sql(f"CREATE OR REPLACE TABLE t (c {kind} DEFAULT {text})")
    default = session.sql("DESCRIBE TABLE t").to_pandas()["default"][0]
    expression = f"CAST({default} AS {kind})"
    read = read_clock_expression(expression, zone)
    assert read is not None
    now = moment.replace(tzinfo=dt.UTC)
    literal = f"TIMESTAMP_LTZ '{moment.isoformat(' ')}Z'"
    with session._core.statement() as own:
        frame = own.spark.sql("SELECT " + expression.replace("current_timestamp()", literal))
        [wanted] = frame.toArrow().columns[0].to_pylist()
    primitive = {"DATE": "date", "TIMESTAMP_NTZ": "timestamp", "TIMESTAMP_LTZ": "timestamptz"}
    [found] = pa.array([read(now)], arrow_type(Primitive(primitive[kind]))).to_pylist()
    assert found == wanted


def test_an_altered_default_holds_once_the_channel_is_opened_again(
    session: Session, reach: Reach
) -> None:
    session.sql(LANDING)
    for number, change in enumerate(
        (
            "ALTER COLUMN source SET DEFAULT 'other'",
            "ALTER COLUMN source SET DEFAULT CONCAT(CURRENT_USER(), 'x')",
            "ALTER COLUMN key DROP DEFAULT",
            "ALTER COLUMN loaded_at SET DEFAULT SYSDATE()",
        )
    ):
        with reach(session) as client:
            channel = opened(client)
            channel.append_row({"id": 10 * number})
            channel.wait_for_flush(60)
            session.sql(f"ALTER TABLE t {change}")
            channel.append_row({"id": 10 * number + 1})
            with pytest.raises(ChannelInvalid, match="altered"):
                channel.wait_for_flush(60)
            again = opened(client)
            again.append_row({"id": 10 * number + 2})
            again.wait_for_flush(60)
    found = rows_of(session, "id, source")
    assert [number for number, _ in found] == [0, 2, 10, 12, 20, 22, 30, 32]
    assert [source for _, source in found[:3]] == ["api", "other", "other"]
    assert {source for _, source in found[3:]} == {found[3][1]}
    assert found[3][1].endswith("x")
    assert rows_of(session, "key")[-1] == (None,)


def test_defaults_that_channels_do_not_evaluate_are_refused(session: Session, reach: Reach) -> None:
    session.sql("CREATE SEQUENCE s")
    refused = {
        "n INT DEFAULT s.NEXTVAL": "numbers rows",
        "n INT AUTOINCREMENT": "numbers rows",
        "n DOUBLE DEFAULT RANDOM()": "do not evaluate yet",
        "n TIMESTAMP_NTZ DEFAULT DATEADD(day, 7, CURRENT_TIMESTAMP())": "do not evaluate yet",
        "n VARCHAR DEFAULT CONCAT('x', UUID_STRING())": "do not evaluate yet",
        "n VARCHAR DEFAULT CURRENT_TIMESTAMP()::VARCHAR": "do not evaluate yet",
        "n VARIANT DEFAULT '2024-01-01'::DATE": "do not evaluate yet",
    }
    for column, message in refused.items():
        session.sql(f"CREATE OR REPLACE TABLE t (id BIGINT, {column})")
        with reach(session) as client:
            with pytest.raises(TableRefused, match=message) as raised:
                opened(client)
            assert "'n'" in raised.value.message
            assert raised.value.hint
    with reach(session) as client:
        session.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 'x'")
        opened(client).append_row({"id": 1})
    assert rows_of(session, "id, n::VARCHAR") == [(1, "x")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("SET TBLPROPERTIES ('icemelt.default.2'='(SELECT 1 FROM text.`/x`)')", "is no table of"),
        ("SET TBLPROPERTIES ('icemelt.default.2'='no_such_function()')", "cannot be evaluated"),
    ],
)
def test_defaults_of_another_engine_are_refused(lake: Lake, change: str, message: str) -> None:
    session = lake.open()
    session.sql("CREATE TABLE t (id BIGINT, n BIGINT)")
    session.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 8")
    lake.foreign().sql(f"ALTER TABLE icemelt.main.public.t {change}").collect()
    with session.ingest_client() as client:
        with pytest.raises(TableRefused, match=message):
            opened(client)
        session.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 9")
        opened(client).append_row({"id": 1})
    assert rows_of(session, "id, n") == [(1, 9)]


def test_json_over_http_leaves_columns_out(session: Session) -> None:
    session.sql(LANDING)
    lines = [
        b'{"id": 1}\n{"id": 2, "source": "b"}\n{"id": 3, "key": null}',
        b'{"id": 4, "key": "k"}\n{"id": 5, "key": null, "Source": "c"}\n{"id": 6}\n',
        b'{"id": 7, "key": ["nested"]}\n{"id": 8, "key": null}\n{"id": 9}',
    ]
    _, key = create_key(session._core.database, "json")
    with served(session, 0.1) as url, httpx.Client(base_url=url, timeout=60) as http:
        http.headers["Authorization"] = f"Bearer {key}"
        place = dict(zip(("database", "schema", "table"), WHERE, strict=True))
        answer = http.post("/v1/channels", json={**place, "name": "c"}).json()
        assert [column["default"] for column in answer["columns"]][:2] == [None, "'api'"]
        handle = {"client_sequencer": answer["client_sequencer"]}
        path = f"/v1/channels/{answer['channel_id']}"
        for number, body in enumerate(lines, 1):
            query = {**handle, "number": number}
            kind = {"Content-Type": "application/x-ndjson"}
            for _ in range(2):
                sent = http.post(f"{path}/rows", content=body, params=query, headers=kind)
                assert sent.json() == {"rows": 3, "errors": [], "bad_rows": 0}, sent.text
        http.post(f"{path}/close", params=handle)
    found = rows_of(session, "id, source, key, loaded_at IS NULL")
    assert [(number, source, late) for number, source, _, late in found] == [
        (number, {2: "b", 5: "c"}.get(number, "api"), False) for number in range(1, 10)
    ]
    keys = {number: key for number, _, key, _ in found}
    assert (keys[3], keys[4], keys[5], keys[7], keys[8]) == (None, "k", None, '["nested"]', None)
    random = [keys[1], keys[2], keys[6], keys[9]]
    assert len(set(random)) == len(list(map(uuid.UUID, random))) == 4


def test_an_append_keeps_the_time_when_it_was_taken(session: Session, reach: Reach) -> None:
    session.sql(LANDING)
    with reach(session, 600.0) as client:
        channel = opened(client)
        channel.append_row({"id": 1})
        taken = dt.datetime.now(dt.UTC)
        time.sleep(1.5)
        channel.wait_for_flush(60)
    [(loaded,)] = rows_of(session, "loaded_at")
    assert abs(loaded - taken) < dt.timedelta(seconds=1)


def test_channels_of_one_table_share_its_defaults(session: Session) -> None:
    session.sql(LANDING)
    with session.ingest_client() as client:
        channels = [opened(client, f"c{number}") for number in range(3)]
        for number, channel in enumerate(channels):
            channel.append_row({"id": number})
        client.wait_for_flush(60)
        ingestor = client._transport.ingestor  # type: ignore[attr-defined]
        targets = [channel._link.channel.target for channel in channels]  # type: ignore[attr-defined]
        assert targets[1] is targets[2]
        assert len(ingestor._writers) == 1
    assert rows_of(session) == [(0, "api"), (1, "api"), (2, "api")]


def test_another_spark_evaluates_defaults_and_waiting_rows_keep_theirs(lake: Lake) -> None:
    session, successor = lake.open(), lake.open()
    session.sql(LANDING)
    session.sql("CREATE TABLE later (id BIGINT, v VARCHAR DEFAULT CONCAT('l', 'ater'))")
    with session.ingest_client(max_client_lag=600) as client:
        channel = opened(client)
        channel.append_row({"id": 1})
        taken = dt.datetime.now(dt.UTC)
        time.sleep(1.2)
        ingestor = client._transport.ingestor  # type: ignore[attr-defined]
        ingestor.pause(SparkDied("Spark has died.", hint=""))
        with pytest.raises(SparkDied):
            channel.append_row({"id": 2})
        resume(ingestor, successor._core)
        channel.append_row({"id": 2})
        later, _ = client.open_channel("c", "main", "public", "later")
        later.append_row({"id": 1})
        client.wait_for_flush(60)
    times = [time for (time,) in rows_of(session, "loaded_at")]
    assert times[0] <= taken < times[1]
    assert session.sql("SELECT v FROM later").fetchall() == [("later",)]


def test_a_client_sends_the_appends_of_many_channels_at_once(
    session: Session, reach: Reach
) -> None:
    session.sql(LANDING)
    with reach(session) as client:
        channels = [opened(client, f"c{number}") for number in range(6)]
        for number, channel in enumerate(channels):
            row: dict[str, Any] = {"id": number}
            if number % 2:
                row["source"] = f"s{number}"
            channel.append_rows([row, {"id": 10 + number}])
        client.wait_for_flush(60)
    by_id = dict(rows_of(session))
    assert [by_id[number] for number in range(6)] == ["api", "s1", "api", "s3", "api", "s5"]
    assert {by_id[10 + number] for number in range(6)} == {"api"}
