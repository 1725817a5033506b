"""`icemelt ingest` as a program: lines become rows, once, also where it is stopped and goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest.reaching import served

import icemelt
from icemelt.catalog.keys import create_key
from icemelt.session.session import Session


@pytest.fixture
def server(session: Session) -> Iterator[tuple[str, ...]]:
    session.sql("CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR)")
    key = create_key(session._core.database, "tests")[1]
    with served(session, 0.1) as url:
        yield "--url", url, "--key", key


def ingest(*options: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "icemelt", "ingest", *options]
    return subprocess.run(command, input=lines, capture_output=True, text=True, check=False)


def lines_of(*numbers: int) -> str:
    return "".join(f"{json.dumps({'id': number})}\n" for number in numbers)


def ids(session: Session) -> list[int]:
    return [number for (number,) in session.sql("SELECT id FROM t ORDER BY _row_id").fetchall()]


def test_lines_become_rows(session: Session, server: tuple[str, ...], tmp_path: Path) -> None:
    done = ingest("--table", "t", *server, lines=lines_of(*range(25_000)))
    assert (done.returncode, done.stdout, done.stderr) == (0, "25,000 rows.\n", "")
    assert ids(session) == list(range(25_000))
    assert session.sql("SHOW CHANNELS").fetchall() == []
    file = tmp_path / "more.jsonl"
    file.write_text('{"id": 1, "v": "a"}\n\n{"id": "2"}')
    assert ingest(str(file), "--table", "main.public.t", *server).stdout == "2 rows.\n"
    assert ids(session)[25_000:] == [1, 2]


def test_a_named_channel_goes_on_where_it_stopped(
    session: Session, server: tuple[str, ...]
) -> None:
    options = ("--table", "t", "--channel", "c", *server)
    assert ingest(*options, lines=lines_of(*range(10))).returncode == 0
    done = ingest(*options, lines=lines_of(*range(15)))
    told = "5 rows, 10 lines passed over that were committed before.\n"
    assert (done.returncode, done.stdout) == (0, told)
    assert ids(session) == list(range(15))


def test_bad_lines_are_told_by_their_numbers(session: Session, server: tuple[str, ...]) -> None:
    lines = lines_of(0) + '\n{"v": "no id"}\n' + lines_of(1)
    done = ingest("--table", "t", *server, lines=lines)
    assert done.returncode == 1
    assert "Line 3, column 'id': A NOT NULL column takes no NULL." in done.stderr
    assert ids(session) == []
    done = ingest("--table", "t", "--on-error", "continue", *server, lines=lines)
    assert (done.returncode, done.stdout) == (1, "2 rows, 1 bad line left out.\n")
    assert ids(session) == [0, 1]
    done = ingest("--table", "t", *server, lines='{"id": 1')
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert session.sql("SHOW CHANNELS").fetchall() == []


def test_what_is_not_there_is_told(server: tuple[str, ...]) -> None:
    for options in (("--table", "nope"), ("--table", "t", "nope.jsonl"), ("--table", "a.b.c.d")):
        done = ingest(*options, *server, lines="{}")
        assert done.returncode == 1
        assert done.stderr.startswith("Error"), done.stderr
        assert "Hint" in done.stderr


@pytest.mark.slow
def test_a_lake_is_opened_where_there_is_no_server(spark: object, tmp_path: Path) -> None:
    with icemelt.connect(tmp_path, maintain_every=None) as session:
        session.sql("CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR)")
        done = ingest("--table", "t", "--lake", str(tmp_path), lines=lines_of(1, 2))
        assert (done.returncode, done.stdout) == (0, "2 rows.\n"), done.stderr
        assert ids(session) == [1, 2]
