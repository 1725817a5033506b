"""A channel is dropped by the key that opened it, and a transaction ended by its own user."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from server.test_channel_requests import NDJSON, PLACE, key_of, opened
from server.test_statements import ended, run

from icemelt.catalog.keys import revoke_key
from icemelt.ingest import ChannelOwned, ChannelTaken, StreamingIngestClient
from icemelt.ingest.answers import Append
from icemelt.names import QualifiedName
from icemelt.session.hosting import open_host_ingestor
from icemelt.session.session import Session

WHERE = ("main", "public", "t")
DROPPED = {**PLACE, "name": "c"}


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id BIGINT)")
    return session


@pytest.fixture
def url(table: Session) -> Iterator[str]:
    # nothing is written by itself
    with served(table, lag=600) as url:
        yield url


def holding(session: Session, url: str, name: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key_of(session, name)}"}
    return httpx.Client(base_url=url, timeout=60, headers=headers)


def rows_of(session: Session) -> list[int]:
    return [n for (n,) in session.sql("SELECT id FROM t ORDER BY id").fetchall()]


def test_another_key_drops_no_channel_and_its_rows_stay(table: Session, url: str) -> None:
    with holding(table, url, "ann") as ann, holding(table, url, "bob") as bob:
        path, handle = opened(ann)
        kind = {"Content-Type": NDJSON}
        query = {**handle, "number": 1}
        ann.post(f"{path}/rows", content=b'{"id": 1}', params=query, headers=kind)
        refused = bob.post("/v1/channels/drop", json=DROPPED)
        assert (refused.status_code, refused.json()["code"]) == (403, "channel-owned")
        assert "'ann'" in refused.json()["message"]
        assert ann.get(path, params=handle).json()["rows_waiting"] == 1
        # what was answered is committed before the channel is gone
        assert ann.post("/v1/channels/drop", json=DROPPED).json() == {"dropped": True}
        assert rows_of(table) == [1]
        assert ann.post("/v1/channels/drop", json=DROPPED).json() == {"dropped": False}
        assert ann.get(path, params=handle).json()["reason"] == "it was dropped"


def test_a_channel_of_a_revoked_key_is_anybody_s_to_drop(table: Session, url: str) -> None:
    with holding(table, url, "ann") as ann, holding(table, url, "bob") as bob:
        opened(ann)
        assert bob.post("/v1/channels/drop", json=DROPPED).status_code == 403
        key_id = ann.headers["Authorization"].split("_")[1]
        assert revoke_key(table._core.database, key_id)
        assert bob.post("/v1/channels/drop", json=DROPPED).json() == {"dropped": True}


def test_who_takes_a_channel_over_owns_it(table: Session, url: str) -> None:
    with (
        StreamingIngestClient(url, key_of(table, "ann")) as ann,
        StreamingIngestClient(url, key_of(table, "bob")) as bob,
    ):
        first, _ = ann.open_channel("c", *WHERE)
        with pytest.raises(ChannelOwned, match="'ann'"):
            bob.drop_channel("c", *WHERE)
        bob.open_channel("c", *WHERE)
        first.append_row({"id": 1}, "1")
        with pytest.raises(ChannelTaken):
            first.wait_for_flush(30)
        with pytest.raises(ChannelOwned, match="'bob'"):
            ann.drop_channel("c", *WHERE)
        assert bob.drop_channel("c", *WHERE)


def test_a_channel_that_is_opened_again_while_it_is_dropped_stays(table: Session) -> None:
    ingestor = open_host_ingestor(table, 600)
    place = QualifiedName(*WHERE)
    ingestor.open(place, "c", "ann")
    for found_first in (True, False):
        known = ingestor.find(place, "c")
        assert known is not None
        record, opened_here = known
        # the registry was read before the next opening, and what is open here after it
        again = ingestor.open(place, "c", "bob")
        ingestor.append(again, Append(again.last_taken + 1, pa.table({"id": [1]}), None, "B:1"))
        with pytest.raises(ChannelTaken, match="'c' was opened again before it was dropped"):
            ingestor.drop(record, opened_here if found_first else None, 20)
        assert ingestor.flush(again, 20)
        assert again.offset_token == "B:1"
    known = ingestor.find(place, "c")
    assert known is not None
    assert known[1] is again
    assert ingestor.drop(*known, 20)
    assert not ingestor.drop(*known, 20)
    assert ingestor.close() == []
    assert rows_of(table) == [1, 1]


def test_the_lake_s_own_sessions_drop_every_channel_and_no_key_theirs(
    table: Session, url: str
) -> None:
    with holding(table, url, "ann") as ann, table.ingest_client(max_client_lag=600) as local:
        opened(ann)
        assert local.drop_channel("c", *WHERE)
        channel, _ = local.open_channel("c", *WHERE)
        channel.append_row({"id": 2}, "2")
        refused = ann.post("/v1/channels/drop", json=DROPPED)
        assert (refused.status_code, refused.json()["code"]) == (403, "channel-owned")
        assert local.drop_channel("c", *WHERE)
    assert rows_of(table) == [2]


def test_where_nobody_needs_a_key_everybody_drops(table: Session) -> None:
    with served(table, lag=600) as url, holding(table, url, "ann") as ann:
        opened(ann)
    with served(table, lag=600, keys=False) as url, httpx.Client(base_url=url) as anybody:
        assert anybody.post("/v1/channels/drop", json=DROPPED).json() == {"dropped": True}
        opened(anybody)
    with served(table, lag=600) as url, holding(table, url, "bob") as bob:
        assert bob.post("/v1/channels/drop", json=DROPPED).json() == {"dropped": True}


def test_appends_of_a_client_are_sent_before_it_drops_their_channel(
    table: Session, url: str
) -> None:
    with StreamingIngestClient(url, key_of(table, "ann")) as client:
        channel, _ = client.open_channel("c", *WHERE)
        for number in range(100):
            channel.append_row({"id": number}, str(number))
        assert client.drop_channel("c", *WHERE)
    assert rows_of(table) == list(range(100))


def test_a_client_sees_and_ends_its_own_transactions_alone(table: Session, url: str) -> None:
    table.sql("BEGIN")
    table.sql("INSERT INTO t VALUES (1)")
    [(other, *_)] = table.sql("SHOW TRANSACTIONS").fetchall()
    slow = (
        "BEGIN; INSERT INTO t VALUES (2); "
        "SELECT count(*) FROM TABLE(GENERATOR(ROWCOUNT => 20000000000)) WHERE random() < 2"
    )
    with holding(table, url, "ann") as ann, holding(table, url, "bob") as bob:
        running = run(ann, slow, wait_seconds=0)
        own: list[list[object]] = []
        for _ in range(300):
            own = ended(ann, run(ann, "SHOW TRANSACTIONS"))["data"]
            if own:
                break
            time.sleep(0.1)
        [[mine, user, *_]] = own
        assert (user, mine != other) == ("ann", True)
        assert ended(bob, run(bob, "SHOW TRANSACTIONS"))["data"] == []
        for transaction in (other, mine):
            abort = f"SELECT SYSTEM$ABORT_TRANSACTION('{transaction}')"
            told = ended(bob, run(bob, abort))
            assert "is not open" in told["error"]["message"]
        assert ended(ann, run(ann, f"SELECT SYSTEM$ABORT_TRANSACTION('{mine}')"))["error"] is None
        ann.delete(f"/v1/statements/{running['statement_id']}")
    table.sql("COMMIT")
    assert rows_of(table) == [1]
