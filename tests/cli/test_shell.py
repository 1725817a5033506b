"""The shell: typed into through a pipe in place of a keyboard, and once on a real terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from pyspark.sql import SparkSession

from icemelt.cli.background_session import Start
from icemelt.cli.batch import Output
from icemelt.cli.lake import Lake
from icemelt.cli.shell import run_shell

NUMBERS = "(SELECT SEQ8() AS n FROM TABLE(GENERATOR(ROWCOUNT => 3000000)))"
LONG = f"SELECT SUM(a.n * b.n % 7) AS s FROM {NUMBERS} a CROSS JOIN {NUMBERS} b"

Shell = Callable[[str], int]


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[PipeInput]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


@pytest.fixture
def shell(spark: SparkSession, keyboard: PipeInput, tmp_path: Path) -> Shell:
    """Run a shell on a lake of the test's own, with everything typed beforehand."""

    def run(text: str) -> int:
        keyboard.send_text(text)
        return run_shell(Start(Lake(str(tmp_path / "lake"))), Output())

    return run


def test_runs_what_is_typed(
    shell: Shell, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = shell(
        "CREATE TABLE orders (id INT);\r"
        "INSERT INTO orders\rVALUES (7),\r(NULL);\r"
        "SELECT id + 35 AS sum FROM orders WHERE id IS NOT NULL;\r"
        "\\d orders\r"
        "SELECT * FROM nowhere;\r"
        "\\nonsense\r"
        "exit;\r"
    )
    shown, errors = capfd.readouterr()

    assert code == 0
    assert "icemelt" in shown
    assert "(new)" in shown
    assert "2 rows inserted." in shown
    assert "42" in shown
    assert "BIGINT" in shown
    assert "'main.public.nowhere' does not exist" in errors
    assert "'\\nonsense' does not exist" in errors
    history = tmp_path / "state" / "icemelt" / "history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert "(NULL);" in history.read_text(encoding="utf-8")


def test_says_what_becomes_of_a_transaction(
    shell: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    code = shell(
        "CREATE TABLE orders (id INT);\r"
        "BEGIN;\r"
        "INSERT INTO orders VALUES (7);\r"
        "CREATE TABLE others (id INT);\r"
        "BEGIN;\r"
        "INSERT INTO orders VALUES (8);\r"
        "exit;\r"
    )
    _, errors = capfd.readouterr()

    assert code == 0
    assert "is committed, as this statement cannot be a part of it." in errors
    assert "The open transaction is rolled back." in errors


def test_control_c_clears_the_line_and_control_d_leaves(
    shell: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    assert shell("SELECT 'wrong\x03SELECT 'right' AS word;\r\x04") == 0
    shown, errors = capfd.readouterr()

    assert "right" in shown
    assert errors == ""


def test_control_c_cancels_what_runs_and_the_session_goes_on(
    shell: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    press = threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT))
    press.start()

    assert shell(f"SELECT 1 AS before;\r{LONG};\rSELECT 'after' AS word;\r\x04") == 0
    press.cancel()
    shown, errors = capfd.readouterr()
    assert "The statement was cancelled." in errors
    assert "after" in shown


def test_runs_a_script(shell: Shell, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "a script.sql"
    script.write_text("SELECT 'first' AS w;\nSELECT * FROM nowhere;\nSELECT 'never' AS w;")

    assert shell(f"\\format csv\r\\i '{script}'\r\\i /no/such.sql\r\\q\r") == 0
    shown, errors = capfd.readouterr()
    assert "first" in shown
    assert "never" not in shown
    assert f"{script}:2: " in errors
    assert "/no/such.sql" in errors


def test_a_lake_that_cannot_be_opened_ends_the_shell(
    keyboard: PipeInput, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lake").write_text("a file")

    assert run_shell(Start(Lake(str(tmp_path / "lake"))), Output()) == 1
    assert "Error: Lake folder" in capfd.readouterr().err


def test_on_a_terminal_the_prompt_does_not_wait_for_spark(tmp_path: Path) -> None:
    main, terminal = pty.openpty()
    code = "from icemelt.cli.main import main; main()"
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm-256color"}
    with subprocess.Popen(
        [sys.executable, "-c", code, "sql", str(tmp_path / "lake")],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=os.environ | state,
        start_new_session=True,
    ) as process:
        os.close(terminal)
        shown = _read_until(main, b"Spark is starting", seconds=30)
        os.write(main, b"\x04")
        began = time.monotonic()
        shown += _read_until(main, b"never", seconds=10)
        assert process.wait(10) == 0
        assert time.monotonic() - began < 5
    os.close(main)
    assert b"icemelt" in shown
    assert b"main.public> " in shown


def _read_until(file: int, word: bytes, *, seconds: float) -> bytes:
    """Read a terminal until a word comes or its program ends."""
    read = b""
    end = time.monotonic() + seconds
    while word not in read and time.monotonic() < end:
        if not select.select([file], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(file, 65536)
        except OSError:
            break
        if b"\x1b[6n" in part:
            os.write(file, b"\x1b[1;1R")
        read += part
    return read
