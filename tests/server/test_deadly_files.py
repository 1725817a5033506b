"""A file in a location takes Spark's Java with it twice at most, and then is told by its name."""

from __future__ import annotations

import gzip
import tempfile
import time
from pathlib import Path

import pytest
from server.program import server
from server.test_java_death import MEMORY, Requests, made

from icemelt.errors import LoadFailed
from icemelt.server.failures import failure
from icemelt.session.runtime.suspects import SuspectFiles


def test_a_file_is_not_suspected_for_what_ran_beside_it() -> None:
    suspects = SuspectFiles(ran_alone=lambda: False)
    for spark in ("one", "another", "a third"):
        suspects.record_death(["good.csv"], spark)
    assert suspects.find_suspects(["good.csv"]) == []
    suspects.ran_alone = lambda: True
    for spark in ("one", "another"):
        suspects.record_death(["bad.csv"], spark)
    assert suspects.find_suspects(["bad.csv"]) == ["bad.csv"]


def test_an_error_names_a_location_as_the_statement_did() -> None:
    land = f"{tempfile.gettempdir()}/land"
    error = LoadFailed(f"Spark ended each time that it read '{land}/a.csv'.", hint="Mend it.")
    hidden = ("/srv/lake", tempfile.gettempdir())
    assert failure(error, hidden, [land])["message"].endswith(f"read '{land}/a.csv'.")
    assert failure(error, hidden)["message"].endswith("read '…/a.csv'.")


@pytest.mark.torture
def test_a_file_under_which_spark_died_twice_is_not_read_a_third_time(
    spark: object, tmp_path: Path
) -> None:
    lake, land = tmp_path / "lake", tmp_path / "land"
    land.mkdir()
    (land / "good.csv").write_text("a,1\n")
    # a line of 900 MB, for a Java of 700
    with gzip.open(land / "line.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(900):
            file.write(b"a" * 1_000_000)
    (land / "frames.csv.lz4").write_bytes(bytes.fromhex("000010007fffffff"))
    made(lake)
    with server(lake, "--location", str(land), **MEMORY) as running:
        requests = Requests(running)
        java = running.java()
        told = requests.sql(f"COPY INTO t FROM '{land}/frames.csv.lz4'")
        assert told["error"]["code"] == "never"
        assert running.java() == java
        every = f"COPY INTO t FROM '{land}' PATTERN = '(good|line).*'"
        for _ in range(2):
            assert requests.sql(every)["error"]["code"] == "spark-died"
            requests.wait_until_answered(time.monotonic())
        error = requests.sql(every)["error"]
        assert error["code"] == "load-failed"
        assert "Spark ended each time that it read" in error["message"]
        assert f"'{land}/line.csv.gz'" in error["message"]
        # some of the files are read, and no longer suspected
        only = f"COPY INTO t FROM '{land}' FILES = ('good.csv')"
        assert requests.sql(only)["status"] == "succeeded"
        error = requests.sql(f"{every} FORCE = TRUE")["error"]
        assert "good.csv" not in error["message"]
        (land / "line.csv.gz").write_bytes(gzip.compress(b"b,2\n"))
        assert requests.sql(every)["status"] == "succeeded"
