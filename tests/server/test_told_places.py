"""Who has a key is not told where on its machine the server keeps files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from ingest.reaching import served
from server.test_statements import holder, run

from conftest import Lake
from icemelt.ingest.answers import Append
from icemelt.ingest.client.segments import ARROW, Segment, body_of
from icemelt.session.session import Session

PLACE = {"database": "main", "schema": "public", "table": "t", "name": "c"}


def test_what_is_damaged_is_named_and_not_where_it_is(
    lake: Lake, session: Session, tmp_path: Path
) -> None:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("CREATE TABLE u AS SELECT 1 AS id")
    data = next((tmp_path / "warehouse").glob("u-*/data/*.parquet"))
    data.unlink()
    [metadata] = (tmp_path / "warehouse").glob("t-*/metadata/*.metadata.json")
    metadata.unlink()
    # a session that has not read them before
    other = lake.open()
    with served(other) as url, holder(other, url) as client:
        for table, file in (("t", metadata), ("u", data)):
            told = run(client, f"SELECT * FROM {table}", wait_seconds=60)
            assert told["error"]["code"] == "file-damaged", told
            assert file.name in told["error"]["message"]
            assert str(tmp_path) not in str(told)
        opened = client.post("/v1/channels", json=PLACE)
        assert opened.json()["code"] == "file-damaged"
        assert metadata.name in opened.text
        assert str(tmp_path) not in opened.text


def test_no_answer_about_a_channel_tells_where_a_damaged_file_is(
    lake: Lake, session: Session, tmp_path: Path
) -> None:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    with served(lake.open(), 0.1) as url, holder(session, url) as client:
        opened = client.post("/v1/channels", json=PLACE).json()
        path = f"/v1/channels/{opened['channel_id']}"
        handle = {"client_sequencer": opened["client_sequencer"]}
        # the server has not read what another session has written
        before = {*(tmp_path / "warehouse").glob("t-*/metadata/*.metadata.json")}
        session.sql("INSERT INTO t VALUES (1, 'a')")
        [metadata] = {*(tmp_path / "warehouse").glob("t-*/metadata/*.metadata.json")} - before
        metadata.unlink()
        client.post(f"{path}/rows", params={**handle, "number": 1}, content=b'{"id": 2}')
        many = [{"channel_id": opened["channel_id"], **handle}]
        segment = Segment(
            opened["channel_id"], opened["client_sequencer"], Append(2, pa.table({"id": [3]}))
        )
        answers = [
            client.post("/v1/channels/flush", params={"wait_seconds": 30}, json=many),
            client.post(f"{path}/flush", params={**handle, "wait_seconds": 30}),
            client.get(path, params=handle),
            client.post(f"{path}/rows", params={**handle, "number": 2}, content=b'{"id": 3}'),
            client.post("/v1/rows", content=body_of([segment]), headers={"Content-Type": ARROW}),
            client.post(f"{path}/close", params=handle),
            client.post("/v1/channels", json=PLACE),
        ]
    for answer in answers:
        assert metadata.name in answer.text, answer.text
        assert str(tmp_path) not in answer.text
