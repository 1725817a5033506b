"""`icemelt ingest` as a program: lines become rows, once, also where it is stopped and goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from ingest.reaching import served

import icemelt
from icemelt.catalog.keys import create_key
from icemelt.cli.formats import OnBadLine
from icemelt.cli.ingest_lines import split_batches
from icemelt.ingest.answers import Answer, Append, OnError
from icemelt.ingest.conversion.conversion import apply_on_error, convert
from icemelt.ingest.errors import MalformedRows
from icemelt.schema import Column, Primitive
from icemelt.session.session import Session

if TYPE_CHECKING:
    from icemelt.ingest import Channel

COLUMNS = (Column("id", Primitive("long")), Column("v", Primitive("string")))


@dataclass
class Taking:
    """Stands for a channel: converts rows as one does, and keeps what it takes."""

    on_error: OnError
    rows: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    columns_with_default: frozenset[str] = frozenset()

    def append_rows(self, rows: Any, end_offset_token: str) -> Answer:
        append = Append(1, rows, None, end_offset_token, self.on_error)
        converted = convert(rows, COLUMNS)
        kept, token = apply_on_error(append, converted)
        self.rows += kept.to_pylist()
        self.tokens.append(token)
        return Answer(kept.num_rows, converted.errors, converted.bad_rows)


def append_all(lines: list[bytes], on_bad_line: OnBadLine, channel: Taking) -> tuple[int, int]:
    """Append lines; return how many were taken, and how many were bad."""
    told = [
        each
        for batch in split_batches(lines, 0)
        for each in batch.append(cast("Channel", channel), on_bad_line)
    ]
    return sum(rows for rows, _ in told), sum(bad for _, bad in told)


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


def test_lines_may_leave_out_columns_with_a_default(
    session: Session, server: tuple[str, ...]
) -> None:
    session.sql("ALTER TABLE t ALTER COLUMN v SET DEFAULT 'd'")
    done = ingest(
        "--table", "t", *server, lines='{"id": 1}\n{"id": 2, "v": null}\n{"id": 3, "V": ""}'
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert rows == [(1, "d"), (2, None), (3, "")]


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
    lines = '{"id": 2}\n{"id": 3\n[4]\n'
    done = ingest("--table", "t", *server, lines=lines)
    assert done.returncode == 1
    assert "Error: Line 2 is no JSON: Expecting ',' delimiter" in done.stderr
    done = ingest("--table", "t", "--on-error", "continue", *server, lines=lines)
    assert (done.returncode, done.stdout) == (1, "1 row, 2 bad lines left out.\n")
    assert "Line 3 is no JSON object." in done.stderr
    assert ids(session) == [0, 1, 2]
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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": 1', "is no JSON: Expecting ',' delimiter at column 9."),
        (b'{"id": 1} {"id": 2}', "is no JSON: Extra data at column 11."),
        (b"7", "is no JSON object."),
        (b"[1, 2]", "is no JSON object."),
        (b'[{"id": 1}, {"id": 2}]', "is no JSON object."),
        (b'{"v": "\xff"}', "is not UTF-8"),
        (b'{"id": 1, "ID": 2}', ": Columns 'id' and 'ID' of the rows are one by name."),
    ],
)
@pytest.mark.parametrize("first", [0, 10_004])
def test_a_line_that_is_no_row_is_told_by_its_number_in_the_file(
    capsys: pytest.CaptureFixture[str], line: bytes, said: str, first: int
) -> None:
    good = [b'{"id": %d}' % number for number in range(first + 3)]
    lines = [*good[:first], line, *good[first:]]
    with pytest.raises(MalformedRows) as caught:
        append_all(lines, OnBadLine.ABORT, Taking(OnError.ABORT))
    assert caught.value.message.startswith(f"Line {first + 1}")
    assert said in caught.value.message
    channel = Taking(OnError.CONTINUE)
    assert append_all(lines, OnBadLine.CONTINUE, channel) == (len(good), 1)
    assert [row["id"] for row in channel.rows] == list(range(len(good)))
    assert channel.tokens[-1] == f"line:{len(lines)}"
    told = capsys.readouterr().err
    assert f"Line {first + 1}" in told
    assert said in told


def test_lines_none_of_which_is_a_row_move_the_token() -> None:
    channel = Taking(OnError.CONTINUE)
    assert append_all([b"{", b"", b"}", b"1"], OnBadLine.CONTINUE, channel) == (0, 3)
    assert (channel.rows, channel.tokens) == ([], ["line:4"])


def test_errors_of_rows_beside_lines_that_are_none_have_their_own_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [b"{", b'{"id": 1}', b"", b'{"id": "x"}', b"}", b'{"id": 2}']
    channel = Taking(OnError.CONTINUE)
    assert append_all(lines, OnBadLine.CONTINUE, channel) == (2, 3)
    numbers = [each.split()[1].strip(",") for each in capsys.readouterr().err.splitlines()]
    assert numbers == ["1", "5", "4"]


def test_lines_whose_keys_differ_in_case_go_together() -> None:
    lines = [b'{"id": 1}', b'{"ID": 2}', b'{"Id": 3}']
    channel = Taking(OnError.ABORT)
    assert append_all(lines, OnBadLine.ABORT, channel) == (3, 0)
    assert [row["id"] for row in channel.rows] == [1, 2, 3]
    assert channel.tokens == ["line:3"]


def test_lines_that_do_not_go_together_are_appended_apart() -> None:
    lines = [b'{"id": 1}', b'{"other": 2}', b'{"OTHER": 3}', b'{"id": 4}']
    channel = Taking(OnError.CONTINUE)
    assert append_all(lines, OnBadLine.CONTINUE, channel) == (2, 2)
    assert [row["id"] for row in channel.rows] == [1, 4]
    assert channel.tokens == ["line:2", "line:4"]
