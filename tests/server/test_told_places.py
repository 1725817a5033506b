"""Who has a key is not told where on its machine the server keeps files."""

from __future__ import annotations

from pathlib import Path

from ingest.reaching import served
from server.test_statements import holder, run

from conftest import Lake
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
