"""The shell's own commands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from icemelt.cli.batch import Output
from icemelt.cli.commands import COMMANDS, After, is_command, run_command
from icemelt.cli.formats import OutputFormat
from icemelt.errors import SqlSyntaxError


class Shell:
    """Keeps what it was told to run."""

    def __init__(self) -> None:
        self.output = Output()
        self.ran: list[str] = []

    def run_text(self, text: str) -> None:
        self.ran.append(text)

    def run_file(self, path: str) -> None:
        self.ran.append(f"file {path}")

    def read_history(self) -> Iterable[str]:
        return ["SELECT 3;", "SELECT 2;", "SELECT 1;"]


@pytest.fixture
def shell() -> Shell:
    return Shell()


@pytest.mark.parametrize("text", ["\\q", "exit", "quit;", " EXIT ; "])
def test_leaves(shell: Shell, text: str) -> None:
    assert is_command(text)
    assert run_command(text, shell) is After.LEAVE


@pytest.mark.parametrize(
    ("text", "ran"),
    [
        ("\\d", "SHOW TERSE TABLES;"),
        ("\\dt", "SHOW TERSE TABLES;"),
        ("\\d raw.orders;", "DESCRIBE TABLE raw.orders;"),
        ("\\dv", "SHOW TERSE VIEWS;"),
        ("\\i 'my file.sql'", "file my file.sql"),
    ],
)
def test_runs(shell: Shell, text: str, ran: str) -> None:
    assert run_command(text, shell) is After.GO_ON
    assert shell.ran == [ran]


def test_lists_all_commands(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert is_command("help;")
    run_command("help", shell)
    shown = capsys.readouterr().out

    assert all(f"  {name} " in shown for name in COMMANDS)


def test_sets_format_and_timing(shell: Shell) -> None:
    run_command("\\format csv", shell)
    run_command("\\timing", shell)
    assert (shell.output.format, shell.output.timing) == (OutputFormat.CSV, False)

    run_command("\\timing on", shell)
    assert shell.output.timing is True

    run_command("\\x", shell)
    assert shell.output.as_records
    run_command("\\x off", shell)
    assert not shell.output.as_records


def test_shows_history_oldest_first(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    run_command("\\history 2", shell)

    assert capsys.readouterr().out == "SELECT 2;\nSELECT 3;\n"


def test_edits_the_last_statement_and_runs_it(
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/3/4/' \"$1\"\ntouch -d '+1 minute' \"$1\"\n")
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    run_command("\\e", shell)
    assert shell.ran == ["SELECT 4;\n"]
    assert capsys.readouterr().out == "SELECT 4;\n"

    # an editor that saves nothing
    monkeypatch.setenv("VISUAL", "true")
    run_command("\\e", shell)
    assert shell.ran == ["SELECT 4;\n"]

    monkeypatch.setenv("VISUAL", str(tmp_path / "missing"))
    with pytest.raises(SqlSyntaxError, match="No editor"):
        run_command("\\e", shell)


@pytest.mark.parametrize(
    "text", ["\\y", "\\x yes", "\\format xml", "\\timing maybe", "\\history all", "\\i", "\\i a b"]
)
def test_says_what_is_wrong(shell: Shell, text: str) -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        run_command(text, shell)
    assert caught.value.hint.startswith("\\")


def test_statements_are_no_commands() -> None:
    assert not is_command("SELECT '\\d';")
    assert not is_command("exit_table;")
