"""Stages and external tables at s3://, on a simulated S3: listed, read, written, put, fetched."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from object_store import SERVER, make_bucket, start_store
from rotation import this_turn
from session.file_law import Folder, Rows, compare_streams

from icemelt.errors import FileChanged, FileGone

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SERVER.exists(), reason="make .venv-s3/.installed installs it"),
]
ERRORS = {"file-gone": FileGone, "file-changed": FileChanged}
CSV = "FILE_FORMAT = (TYPE = CSV)"


class Store:
    """A simulated S3, and a session of a lake beside it; each test has a bucket of its own."""

    def __init__(self, address: str, program: subprocess.Popen[str]) -> None:
        self.address, self._program, self.bucket = address, program, ""

    def request(self, method: str, key: str = "", content: bytes | None = None) -> None:
        url = f"{self.address}/{self.bucket}/{key}".rstrip("/")
        # whose signature nobody looks at
        headers = {"Content-Type": "application/octet-stream", "Authorization": "AWS a:b"}
        request = urllib.request.Request(url, content, headers, method=method)  # noqa: S310 - http
        with urllib.request.urlopen(request):  # noqa: S310 - http
            pass

    def put(self, key: str, content: str) -> None:
        self.request("PUT", key, content.encode())

    def ask(self, statement: str) -> dict[str, Any]:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        print(json.dumps(statement), file=self._program.stdin, flush=True)
        return dict(json.loads(self._program.stdout.readline()))

    def sql(self, statement: str) -> list[list[Any]]:
        answer = self.ask(statement)
        assert "rows" in answer, answer
        return list(answer["rows"])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with start_store() as address:
        yield address


@pytest.fixture(scope="module")
def lake_store(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("lake")
    command = [sys.executable, "-m", "s3.program", folder, server]
    with subprocess.Popen(
        command,
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield Store(server, process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def store(lake_store: Store, request: pytest.FixtureRequest) -> Store:
    name = request.node.name.replace("_", "-")
    lake_store.bucket = name[:60].strip("-")
    make_bucket(lake_store.address, lake_store.bucket)
    lake_store.sql("CREATE OR REPLACE TABLE t (id INT, v VARCHAR)")
    url = f"s3://{lake_store.bucket}/in"
    lake_store.put("in/a.csv", "1,a\n")
    lake_store.put("in/deep/b.csv", "2,b\n3,c\n")
    lake_store.sql(f"CREATE OR REPLACE STAGE s URL = '{url}' DIRECTORY = (ENABLE = TRUE)")
    return lake_store


def names(store: Store, place: str = "@s") -> list[str]:
    beginning = f"s3://{store.bucket}/in/"
    return [row[0].removeprefix(beginning) for row in store.sql(f"LIST {place}")]


def test_files_are_listed_with_size_and_time(store: Store) -> None:
    rows = store.sql("LIST @s")
    assert [row[:2] for row in rows] == [
        [f"s3://{store.bucket}/in/a.csv", 4],
        [f"s3://{store.bucket}/in/deep/b.csv", 8],
    ]
    assert all(row[3].startswith("20") for row in rows)
    assert names(store, "@s/deep/") == ["deep/b.csv"]
    assert names(store, "@s PATTERN = '.*b[.]csv'") == ["deep/b.csv"]


def test_a_directory_table_knows_a_changed_file_by_its_tag(store: Store) -> None:
    store.sql("CREATE OR REPLACE STREAM arrived ON STAGE s")
    # of the same size
    store.put("in/a.csv", "9,z\n")
    store.put("in/new.csv", "4,d\n")
    store.request("DELETE", "in/deep/b.csv")
    statuses = {path: status for path, status, _ in store.sql("ALTER STAGE s REFRESH")}
    assert statuses == {
        "a.csv": "REGISTERED_UPDATE",
        "deep/b.csv": "UNREGISTERED",
        "new.csv": "REGISTERED_NEW",
    }
    etags = dict(store.sql("SELECT relative_path, etag FROM DIRECTORY(@s)"))
    assert sorted(etags) == ["a.csv", "new.csv"]
    assert all(etags.values())
    read = store.sql("SELECT relative_path, metadata$action FROM arrived")
    assert sorted(read) == [
        ["a.csv", "DELETE"],
        ["a.csv", "INSERT"],
        ["deep/b.csv", "DELETE"],
        ["new.csv", "INSERT"],
    ]
    # one file is listed with the tag that it has among others
    assert store.sql("ALTER STAGE s REFRESH SUBPATH = 'new.csv'") == []


def test_copy_into_a_table_loads_each_file_once(store: Store) -> None:
    loaded = store.sql(f"COPY INTO t FROM @s {CSV}")
    assert sorted(row[2] for row in loaded) == [1, 2]
    store.put("in/later.csv", "4,d\n")
    again = {row[0].rpartition("/")[2]: row[1] for row in store.sql(f"COPY INTO t FROM @s {CSV}")}
    assert again == {"a.csv": "LOAD_SKIPPED", "b.csv": "LOAD_SKIPPED", "later.csv": "LOADED"}
    assert sorted(store.sql("SELECT id, v FROM t")) == [[1, "a"], [2, "b"], [3, "c"], [4, "d"]]
    asked = "SELECT $1, METADATA$FILENAME FROM @s/deep"
    assert sorted(store.sql(asked)) == [["2", "deep/b.csv"], ["3", "deep/b.csv"]]


def test_copy_into_a_location_writes_and_overwrites(store: Store) -> None:
    store.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    into = "COPY INTO @s/out/ FROM t FILE_FORMAT = (TYPE = PARQUET)"
    assert store.sql(into)[0][0] == 2
    first = names(store, "@s/out/")
    assert store.sql(f"{into} OVERWRITE = TRUE")[0][0] == 2
    second = names(store, "@s/out/")
    assert second
    assert not set(first) & set(second)
    store.sql("COPY INTO @s/parts/ FROM t PARTITION BY (v) FILE_FORMAT = (TYPE = PARQUET)")
    written = names(store, "@s/parts/")
    assert {name.split("/")[1] for name in written if name.endswith(".parquet")} == {"x", "y"}
    store.sql("CREATE OR REPLACE TABLE u (id INT, v VARCHAR)")
    store.sql(
        "COPY INTO u FROM @s/parts/ FILE_FORMAT = (TYPE = PARQUET) PATTERN = '.*parquet' "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    assert sorted(store.sql("SELECT id, v FROM u")) == [[1, "x"], [2, "y"]]


def test_put_get_and_remove(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("7,seven\n")
    (tmp_path / "back").mkdir()
    put = f"PUT 'file://{tmp_path}/mine.csv' @s/sent AUTO_COMPRESS = FALSE"
    assert store.sql(put)[0][6] == "UPLOADED"
    assert names(store, "@s/sent/") == ["sent/mine.csv"]
    assert store.sql(f"GET @s/sent 'file://{tmp_path}/back'")[0][2] == "DOWNLOADED"
    assert (tmp_path / "back" / "mine.csv").read_text() == "7,seven\n"
    assert store.sql("REMOVE @s/sent")[0][1] == "removed"
    assert names(store) == ["a.csv", "deep/b.csv"]


def test_more_files_than_a_page_are_listed(store: Store) -> None:
    for number in range(1_100):
        store.put(f"in/many/{number:04}.csv", "")
    assert names(store, "@s/many/") == [f"many/{number:04}.csv" for number in range(1_100)]


def test_a_missing_bucket_is_named(store: Store) -> None:
    store.sql("CREATE OR REPLACE STAGE nowhere URL = 's3://no-such-bucket/in'")
    answer = store.ask("LIST @nowhere")
    assert answer["error"] == "load-failed"
    assert "s3://no-such-bucket/in" in answer["message"]
    assert "Exception" not in answer["message"]


@dataclass
class Objects:
    """Files of a bucket, below `in/`."""

    store: Store
    count: int = 0

    def write(self, path: str, text: str, clock: int) -> None:
        del clock
        # the time of an object has whole seconds: its tag tells it from the one before
        self.count += 1
        told_apart = text.replace("}", f', "w": {self.count}}}')
        self.store.put(f"in/{urllib.parse.quote(path)}", told_apart)

    def remove(self, path: str) -> None:
        self.store.request("DELETE", f"in/{urllib.parse.quote(path)}")


def test_insert_only_streams_give_what_a_model_of_the_bucket_gives(store: Store) -> None:
    store.request("DELETE", "in/a.csv")
    store.request("DELETE", "in/deep/b.csv")

    def ask(statement: str) -> Rows:
        answer = store.ask(statement)
        if "rows" not in answer:
            raise ERRORS[answer["error"]](answer["message"], hint="")
        return [tuple(row) for row in answer["rows"]]

    # a file without rows has the tag of every other
    folder = Folder(Objects(store), Random(this_turn()), least=1)  # noqa: S311
    compare_streams(ask, folder, f"s3://{store.bucket}/in", steps=4)


def test_an_object_that_was_written_again_is_not_purged(store: Store) -> None:
    store.sql("BEGIN")
    store.sql(f"COPY INTO t FROM @s {CSV} PURGE = TRUE")
    # of another size: by time alone, in seconds, and size it would be the file that was loaded
    store.put("in/a.csv", "9,zebra\n")
    store.sql("COMMIT")
    assert names(store) == ["a.csv"]
    store.sql(f"COPY INTO t FROM @s {CSV} PURGE = TRUE")
    assert names(store) == []
    assert store.sql("SELECT id FROM t ORDER BY id") == [[1], [2], [3], [9]]
