"""Error tables: rows that channels pass over are kept, once, with what was wrong."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from ingest.reaching import WAYS, Reach, served

from icemelt.catalog.keys import create_key
from icemelt.ingest import Channel, ChannelInvalid, OnError, StreamingIngestClient, TableRefused
from icemelt.ingest.conversion.conversion import LISTED_ERRORS
from icemelt.session.session import Session

WHERE = ("main", "public", "t")
PLACE = dict(zip(("database", "schema", "table"), WHERE, strict=True))


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def reach(request: pytest.FixtureRequest) -> Reach:
    way: Reach = request.param
    return way


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT NOT NULL, v VARCHAR(3)) ERROR_LOGGING = TRUE")
    return session


def opened(
    client: StreamingIngestClient, name: str = "c", mode: OnError = OnError.CONTINUE
) -> Channel:
    return client.open_channel(name, *WHERE, on_error=mode)[0]


def logged(session: Session) -> list[tuple[Any, Any]]:
    """Return what was wrong, and the row, of each row in the error table."""
    rows = session.sql(
        "SELECT error_code, error_metadata, error_data FROM ERROR_TABLE(t) ORDER BY _row_id"
    ).fetchall()
    assert {code for code, *_ in rows} <= {"rows-refused"}
    return [(json.loads(metadata), json.loads(data)) for _, metadata, data in rows]


def ids(session: Session) -> list[int]:
    return [number for (number,) in session.sql("SELECT id FROM t ORDER BY _row_id").fetchall()]


def test_rows_that_are_passed_over_are_kept_with_their_reason(table: Session, reach: Reach) -> None:
    rows = [{"id": 1}, {"id": "x", "v": "too long"}, {"v": "b"}, {"id": 4}]
    with reach(table) as client:
        channel = opened(client)
        channel.append_rows(rows, "10", "13")
        channel.append_rows([{"id": 5, "other": {"a": [1, None]}}], end_offset_token="14")
        channel.wait_for_flush(60)
        assert channel.get_channel_status().rows_error == 3
    assert ids(table) == [1, 4]
    found = logged(table)
    assert [data for _, data in found] == [
        {"id": "x", "v": "too long"},
        {"id": None, "v": "b"},
        {"id": 5, "other": {"a": [1, None]}},
    ]
    assert found[0][0] == {
        "service": "INGEST",
        "channel_name": "c",
        "error_message": "BIGINT takes numbers and their text, found 'x'.",
        "column_name": "id",
        "row": 1,
        "start_offset_token": "10",
        "end_offset_token": "13",
    }
    assert [(told["row"], told["column_name"]) for told, _ in found[1:]] == [
        (2, "id"),
        (0, "other"),
    ]


@pytest.mark.parametrize("mode", [OnError.ABORT, OnError.SKIP_BATCH])
def test_rows_that_the_caller_still_has_are_not_kept(
    table: Session, reach: Reach, mode: OnError
) -> None:
    with reach(table) as client:
        channel = opened(client, mode=mode)
        if mode is OnError.SKIP_BATCH:
            assert channel.append_rows([{"id": 1}, {"id": "x"}]).bad_rows == 1
        channel.append_rows([{"id": 2}])
    assert (ids(table), logged(table)) == ([2], [])


def test_a_request_that_comes_again_logs_nothing_again(table: Session) -> None:
    key = create_key(table._core.database, "ann")[1]
    headers = {"Authorization": f"Bearer {key}"}
    with served(table) as url, httpx.Client(base_url=url, headers=headers) as client:
        told = client.post("/v1/channels", json={**PLACE, "name": "c"}).json()
        assert told["logs_errors"]
        handle = {"client_sequencer": told["client_sequencer"]}
        query = {**handle, "number": 1, "on_error": "CONTINUE", "end_offset_token": "2"}
        path = f"/v1/channels/{told['channel_id']}"
        for _ in range(2):
            answer = client.post(f"{path}/rows", params=query, content=b'{"id": 1}\n{"id": "x"}')
            assert answer.json()["bad_rows"] == 1
            client.post(f"{path}/flush", params={**handle, "wait_seconds": 30})
    assert ids(table) == [1]
    assert [data for _, data in logged(table)] == [{"id": "x"}]


def test_rows_of_any_value_are_kept(table: Session, reach: Reach) -> None:
    values = [b"ab", float("nan"), {"k": b"ab"}, "größer", 10**30, "9" * 2_000, "{"]
    with reach(table) as client:
        channel = opened(client)
        for value in values:
            channel.append_row({"id": "x", "v": value})
        channel.wait_for_flush(60)
    found = [data["v"] for _, data in logged(table)]
    assert found == ["6162", "nan", {"k": "6162"}, "größer", 10**30, "9" * 2_000, "{"]


def test_of_very_many_rows_all_are_kept_and_the_first_are_told(
    table: Session, reach: Reach
) -> None:
    count = LISTED_ERRORS + 5
    with reach(table) as client:
        channel = opened(client)
        assert channel.append_rows([{"id": f"x{n}"} for n in range(count)]).bad_rows == count
    found = logged(table)
    assert [data["id"] for _, data in found] == [f"x{n}" for n in range(count)]
    assert found[LISTED_ERRORS - 1][0]["error_message"].startswith("BIGINT takes")
    assert found[LISTED_ERRORS][0]["error_message"].startswith("Of one append")


def test_channels_are_opened_again_once_errors_are_logged(session: Session, reach: Reach) -> None:
    session.sql("CREATE TABLE t (id INT NOT NULL, v VARCHAR(3))")
    with reach(session, 600) as client:
        channel = opened(client)
        channel.append_row({"id": "x"}, "1")
        session.sql("ALTER TABLE t SET ERROR_LOGGING = TRUE")
        with pytest.raises(ChannelInvalid, match="altered"):
            channel.wait_for_flush(60)
        channel = opened(client)
        channel.append_row({"id": "y"}, "1")
        channel.wait_for_flush(60)
    assert [data for _, data in logged(session)] == [{"id": "y"}]


def test_without_its_error_table_nothing_is_passed_over(table: Session, reach: Reach) -> None:
    with reach(table, 600) as client:
        bad, good = opened(client, "bad"), opened(client, "good")
        bad.append_rows([{"id": 1}, {"id": "x"}], end_offset_token="2")
        good.append_row({"id": 3}, "3")
        table.sql("DROP TABLE t$errors")
        good.wait_for_flush(60)
        with pytest.raises(ChannelInvalid, match="logs errors, and"):
            bad.wait_for_flush(60)
        assert client.get_latest_committed_offset_tokens([bad, good]) == [None, "3"]
        with pytest.raises(TableRefused, match="is not there"):
            opened(client, "bad")
        table.sql("ALTER TABLE t SET ERROR_LOGGING = TRUE")
        again = opened(client, "bad")
        again.append_rows([{"id": 1}, {"id": "x"}], end_offset_token="2")
    assert ids(table) == [3, 1]
    assert len(logged(table)) == 1
