"""Clients of a server: they send together, wait rather than lose, and meet bad networks."""

from __future__ import annotations

import asyncio
import io
import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pyarrow as pa
import pytest
from faults.http_proxy import Fault, HttpProxy
from ingest.reaching import served

from icemelt.catalog.keys import create_key
from icemelt.errors import ParameterError
from icemelt.ingest import (
    AsyncStreamingIngestClient,
    Channel,
    ChannelInvalid,
    ChannelName,
    ChannelTaken,
    IngestError,
    RowsRefused,
    ServerAway,
    StreamingIngestClient,
)
from icemelt.ingest.answers import Append
from icemelt.ingest.client import http
from icemelt.ingest.client.segments import ARROW, Segment, body_of
from icemelt.names import QualifiedName
from icemelt.session.session import Session

WHERE = ("main", "public", "t")
SEED = 11


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT NOT NULL)")
    return session


@pytest.fixture
def key(table: Session) -> str:
    return create_key(table._core.database, "ann")[1]


@pytest.fixture
def url(table: Session) -> Iterator[str]:
    with served(table, 0.2) as url:
        yield url


def opened(client: StreamingIngestClient, names: list[str]) -> list[Channel]:
    return [client.open_channel(name, *WHERE)[0] for name in names]


def check(session: Session, channels: list[str], count: int) -> None:
    """Check that each channel's rows are there once, in order."""
    query = "SELECT channel, n FROM t ORDER BY channel, _row_id"
    found: dict[str, list[int]] = {name: [] for name in channels}
    for name, number in session.sql(query).fetchall():
        found[name].append(number)
    assert found == {name: list(range(count)) for name in channels}


def requests(url: str, key: str, route: str) -> int:
    text = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {key}"}).text
    counts = [line for line in text.splitlines() if f'route="{route}",status' in line]
    return int(sum(float(line.rsplit(" ", 1)[1]) for line in counts if "_total{" in line))


def test_the_rows_of_many_channels_go_in_few_requests(table: Session, url: str, key: str) -> None:
    names = [f"c{number:03}" for number in range(200)]
    with StreamingIngestClient(url, key) as client:
        channels = opened(client, names)
        for number in range(5):
            for channel in channels:
                channel.append_row({"channel": channel.channel_name, "n": number}, str(number))
        client.wait_for_flush(60)
        assert set(client.get_latest_committed_offset_tokens(channels)) == {"4"}
        assert requests(url, key, "/v1/rows") < 100
        assert requests(url, key, "/v1/channels") == 200
        assert requests(url, key, "/v1/channels/flush") == 1
        assert channels[0].get_channel_status().rows_inserted == 5
        assert requests(url, key, "/v1/channels/{channel_id}") == 1
    check(table, names, 5)


def test_channels_are_waited_for_in_parts_and_an_invalid_one_keeps_none(
    table: Session, url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "_AT_ONCE", 2)
    names = [f"c{number}" for number in range(5)]
    with StreamingIngestClient(url, key) as client, StreamingIngestClient(url, key) as other:
        channels = opened(client, names)
        for channel in channels:
            channel.append_row({"channel": channel.channel_name, "n": 0}, "0")
        client.initiate_flush()
        client.wait_for_flush(60)
        opened(other, ["c1"])
        for channel in channels:
            channel.append_row({"channel": channel.channel_name, "n": 1}, "1")
        with pytest.raises(ChannelTaken, match="'c1'"):
            client.wait_for_flush(60)
        tokens = client.get_latest_committed_offset_tokens(channels)
        assert tokens == ["1", "0", "1", "1", "1"]
    found = table.sql("SELECT channel FROM t WHERE n = 1 ORDER BY channel").fetchall()
    assert found == [("c0",), ("c2",), ("c3",), ("c4",)]


def test_a_server_knows_of_channels_that_were_opened_at_another(
    table: Session, url: str, key: str
) -> None:
    with served(table, 0.2) as second, StreamingIngestClient(url, key) as client:
        [mine] = opened(client, ["c"])
        with StreamingIngestClient(second, key) as other:
            [theirs] = opened(other, ["c"])
            theirs.append_row({"channel": "c", "n": 0}, "0")
            handle = {"channel_id": mine._link.channel_id, "client_sequencer": 1}  # type: ignore[attr-defined]
            never = {"channel_id": "x", "client_sequencer": 1}
            answer = httpx.post(
                f"{second}/v1/channels/flush",
                json=[handle, never, {**handle, "client_sequencer": 2}],
                params={"wait_seconds": 30},
                headers={"Authorization": f"Bearer {key}"},
            )
            errors = [each["error"] and each["error"]["code"] for each in answer.json()]
            assert errors == ["channel-taken", "channel-invalid", None]
            assert answer.json()[2]["committed"]
        mine.append_row({"channel": "c", "n": 1}, "1")
        with pytest.raises(ChannelTaken):
            mine.wait_for_flush(30)
    check(table, ["c"], 1)


def test_a_channel_is_asked_for_by_its_name_and_its_table(url: str, key: str) -> None:
    with StreamingIngestClient(url, key) as client:
        opened(client, ["c"])[0].append_rows([], end_offset_token="3")
        client.wait_for_flush(30)
        names = [ChannelName(QualifiedName(*WHERE), name) for name in ("c", "other")]
        assert client.get_latest_committed_offset_tokens(names) == ["3", None]
        with pytest.raises(ParameterError, match="its name with its table"):
            client.get_latest_committed_offset_tokens(["c"])  # type: ignore[list-item]


@pytest.mark.parametrize("seed", range(3))
def test_a_bad_network_neither_loses_nor_doubles_rows(
    table: Session, url: str, key: str, seed: int
) -> None:
    proxy = HttpProxy(url, seed, 0.4)
    names = [f"c{number}" for number in range(4)]
    try:
        with StreamingIngestClient(proxy.url, key, patience=120) as client:
            append_now_and_then(client, opened(client, names))
    finally:
        proxy.close()
    assert set(proxy.met) == set(Fault)
    check(table, names, 60)


def append_now_and_then(client: StreamingIngestClient, channels: list[Channel]) -> None:
    for number in range(60):
        for channel in channels:
            channel.append_row({"channel": channel.channel_name, "n": number}, str(number))
        if number % 5 == 0:
            client.wait_for_flush(60)


def test_a_client_waits_with_a_full_buffer_and_goes_on_when_the_server_is_back(
    table: Session, url: str, key: str
) -> None:
    proxy = HttpProxy(url, SEED, 0)
    client = StreamingIngestClient(proxy.url, key, patience=1, buffer_bytes=400_000)
    [channel] = opened(client, ["c"])
    channel.append_row({"channel": "c", "n": 0}, "0")
    channel.wait_for_flush(30)
    port = int(proxy.url.rsplit(":", 1)[1])
    proxy.close()
    began, sent = time.monotonic(), appended_until_refused(channel, 1)
    assert time.monotonic() - began >= 1
    # each takes three KiB in memory, of which a few bytes are values
    assert 100 < sent < 200
    assert channel._link.sending.rows == sent - 1  # type: ignore[attr-defined]
    with pytest.raises(ServerAway):
        channel.wait_for_flush(30)
    back = HttpProxy(url, SEED, 0, port)
    try:
        deadline = time.monotonic() + 30
        while channel._link.sending.rows:  # type: ignore[attr-defined]
            assert time.monotonic() < deadline
            time.sleep(0.1)
        channel.append_row({"channel": "c", "n": sent}, str(sent))
        client.close()
    finally:
        back.close()
    check(table, ["c"], sent + 1)


def test_a_client_that_was_closed_in_vain_is_closed(table: Session, url: str, key: str) -> None:
    proxy = HttpProxy(url, SEED, 0)
    client = StreamingIngestClient(proxy.url, key, patience=0.5)
    channels = opened(client, ["c", "d"])
    proxy.close()
    for channel in channels:
        channel.append_row({"channel": channel.channel_name, "n": 0}, "0")
    with pytest.raises(ServerAway):
        client.close()
    for channel in channels:
        assert channel.is_closed
        with pytest.raises(IngestError, match="is closed"):
            channel.append_row({"channel": channel.channel_name, "n": 1}, "1")
        with pytest.raises(IngestError, match="The client is closed"):
            channel.get_latest_committed_offset_token()
    with pytest.raises(IngestError, match="The client is closed"):
        opened(client, ["c"])
    client.close()


def test_a_channel_is_opened_again_while_its_rows_are_on_their_way(
    table: Session, url: str, key: str
) -> None:
    with StreamingIngestClient(url, key) as client:
        for number in range(20):
            [older] = opened(client, ["c"])
            older.append_row({"channel": "c", "n": number})
            [channel] = opened(client, ["c"])
            # the client lingers for a twentieth of a second before it sends
            time.sleep(number / 200)
            with pytest.raises(ChannelInvalid):
                older.wait_for_flush(30)
            channel.append_row({"channel": "c", "n": number}, str(number))
            channel.wait_for_flush(30)
    check(table, ["c"], 20)


def appended_until_refused(channel: Channel, first: int) -> int:
    for number in itertools.count(first):
        try:
            channel.append_row({"channel": "c", "n": number}, str(number))
        except ServerAway:
            return number
    raise AssertionError


def test_bad_rows_are_answered_before_anything_is_sent(table: Session, url: str, key: str) -> None:
    with StreamingIngestClient(url, key) as client:
        strict, _ = client.open_channel("strict", *WHERE)
        with pytest.raises(RowsRefused) as refused:
            strict.append_rows([{"channel": "c", "n": 0}, {"channel": "c", "n": "soon"}])
        assert [(each.row, each.column) for each in refused.value.errors] == [(1, "n")]
        assert requests(url, key, "/v1/rows") == 0
        mild, _ = client.open_channel("mild", *WHERE, on_error="CONTINUE")
        answer = mild.append_rows([{"channel": "c", "n": 0}, {"n": "soon"}], end_offset_token="1")
        assert (answer.rows, answer.bad_rows) == (1, 1)
        mild.wait_for_flush(30)
        status = mild.get_channel_status()
        assert (status.rows_inserted, status.rows_error) == (1, 1)
        assert "soon" in status.last_error
        assert status.last_error_offset_token == "1"
        skips, _ = client.open_channel("skips", *WHERE, on_error="SKIP_BATCH")
        skips.append_rows([{"channel": "c", "n": 1}], end_offset_token="1")
        assert skips.append_rows([{"n": 2}, {}], end_offset_token="2").rows == 0
        skips.wait_for_flush(30)
        assert skips.get_latest_committed_offset_token() == "1"
    check(table, ["c"], 2)


def test_a_table_that_is_altered_ends_its_channels_and_no_others(
    table: Session, url: str, key: str
) -> None:
    table.sql("CREATE TABLE u (n BIGINT)")
    with StreamingIngestClient(url, key) as client:
        [old] = opened(client, ["c"])
        other, _ = client.open_channel("c", "main", "public", "u")
        table.sql("ALTER TABLE t ADD COLUMN w INT")
        old.append_row({"channel": "c", "n": 0}, "0")
        other.append_row({"n": 0}, "0")
        other.wait_for_flush(30)
        with pytest.raises(ChannelInvalid, match="altered"):
            old.wait_for_flush(30)
        assert not old.get_channel_status().is_valid
        [new] = opened(client, ["c"])
        new.append_row({"channel": "c", "n": 0, "w": 1}, "0")
    assert table.sql("SELECT channel, n, w FROM t").fetchall() == [("c", 0, 1)]
    assert table.sql("SELECT n FROM u").fetchall() == [(0,)]


def test_many_threads_share_a_client(table: Session, url: str, key: str) -> None:
    names = [f"c{number}" for number in range(8)]
    with StreamingIngestClient(url, key, buffer_bytes=20_000) as client:
        channels = opened(client, names)

        def work(channel: Channel) -> None:
            for number in range(50):
                channel.append_row({"channel": channel.channel_name, "n": number}, str(number))

        threads = [threading.Thread(target=work, args=(channel,)) for channel in channels]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    check(table, names, 50)


def test_the_client_for_asyncio(table: Session, url: str, key: str) -> None:
    names = [f"c{number}" for number in range(5)]

    async def ingest() -> list[str | None]:
        async with AsyncStreamingIngestClient(url, key) as client:
            channels = []
            for name in names:
                channel, status = await client.open_channel(name, *WHERE)
                assert status.latest_committed_offset_token is None
                channels.append(channel)
            # not awaited one after the other: they keep their order all the same
            await asyncio.gather(
                *(
                    channel.append_row({"channel": channel.channel_name, "n": number}, str(number))
                    for number in range(20)
                    for channel in channels
                )
            )
            with pytest.raises(RowsRefused):
                await channels[0].append_rows([{"n": None}])
            await channels[0].wait_for_commit(lambda token: token == "19", 30)
            await client.initiate_flush()
            await client.wait_for_flush(30)
            assert (await channels[1].get_channel_status()).rows_inserted == 20
            tokens = await client.get_latest_committed_offset_tokens(channels)
            named = [ChannelName(QualifiedName(*WHERE), name) for name in names]
            assert await client.get_latest_committed_offset_tokens(named) == tokens
            await channels[4].close(drop=True)
            assert channels[4].is_closed
            assert await client.drop_channel("c3", *WHERE)
            return tokens

    assert asyncio.run(ingest()) == ["19"] * 5
    check(table, names, 20)


def stream(rows: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue()


def test_bodies_that_do_not_say_whose_rows_they_have_are_refused(
    table: Session, url: str, key: str
) -> None:
    rows = pa.table({"channel": ["c"], "n": [1]})
    good = body_of([Segment("x", 1, Append(1, rows))])
    bad = [
        b"",
        b"no arrow",
        stream(rows),
        stream(rows.replace_schema_metadata({b"icemelt.segments": b"[]"})),
        stream(rows.replace_schema_metadata({b"icemelt.segments": b"{"})),
        stream(rows.replace_schema_metadata({b"icemelt.segments": b'[{"rows": 1}]'})),
        stream(rows.replace_schema_metadata({b"icemelt.segments": b'[{"rows": true}]'})),
        good.replace(b'"number": 1', b'"number":-1'),
        good.replace(b'"rows": 1', b'"rows": 2'),
    ]
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}) as client:

        def post(body: bytes) -> httpx.Response:
            return client.post("/v1/rows", content=body, headers={"Content-Type": ARROW})

        for body in bad:
            answer = post(body)
            assert (answer.status_code, answer.json()["code"]) == (400, "malformed-rows"), body
        assert [each["code"] for each in post(good).json()] == ["channel-invalid"]
        del client.headers["Authorization"]
        assert post(good).status_code == 401


def test_one_append_s_errors_are_no_other_s(table: Session, url: str, key: str) -> None:
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}) as client:
        handles = []
        for name in ("a", "b"):
            place = dict(zip(("database", "schema", "table"), WHERE, strict=True))
            told = client.post("/v1/channels", json={**place, "name": name}).json()
            handles.append((told["channel_id"], told["client_sequencer"]))

        def post(*appends: tuple[int, int, list[Any]]) -> list[str | None]:
            segments = [
                Segment(
                    *handles[place],
                    Append(
                        number, pa.table({"channel": ["c"] * len(n), "n": pa.array(n, "int64")})
                    ),
                )
                for place, number, n in appends
            ]
            answers = client.post("/v1/rows", content=body_of(segments)).json()
            return [None if each is None else each["code"] for each in answers]

        assert post((0, 1, [0]), (1, 1, [None]), (1, 3, [9])) == [None, "rows-refused", "ingest"]
        # what was taken is not taken twice; the rest is taken now
        assert post((0, 1, [0]), (0, 2, [1]), (1, 1, [2])) == [None, None, None]
        for handle in handles:
            client.post(
                f"/v1/channels/{handle[0]}/flush",
                params={"client_sequencer": handle[1], "wait_seconds": 30},
            )
    check(table, ["c"], 3)


def test_rows_larger_than_a_request_are_refused_at_once(table: Session, key: str) -> None:
    with served(table, 0.2, most_bytes=2 << 20) as url, StreamingIngestClient(url, key) as client:
        [channel] = opened(client, ["c"])
        many = pa.table({"n": pa.array(range(300_000), "int64")})
        with pytest.raises(IngestError, match="2 MiB"):
            channel.append_rows(many)
        channel.append_rows([{"channel": "c", "n": 0}])
    check(table, ["c"], 1)
