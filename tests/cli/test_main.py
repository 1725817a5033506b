"""The `icemelt` command as a program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from icemelt import version
from icemelt.cli.main import app

RUN = "from icemelt.cli.main import main; main()"


def icemelt(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "icemelt", *arguments],
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_help_comes_without_loading_spark() -> None:
    look = (
        "import atexit, sys\n"
        "heavy = {'pyspark', 'sqlglot', 'sqlalchemy', 'rich', 'prompt_toolkit', 'pandas'}\n"
        "atexit.register(lambda: print(heavy & set(sys.modules), file=sys.stderr))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", look + RUN, "--help"], capture_output=True, text=True, check=True
    )

    assert "doctor" in ended.stdout
    assert ended.stderr.strip() == "set()"


def test_says_its_version() -> None:
    assert icemelt("--version").stdout == f"icemelt {version()}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["sql", "--no-such-option"],
        ["sql", "-c", "SELECT 1", "-f", "a.sql"],
        ["sql", "-f", "/no/such/file.sql"],
        ["sql", "--format", "xml"],
        ["sql", "--catalog", "postgresql://localhost/x"],
        ["no-such-command"],
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_help_of_sql_tells_formats_and_exit_codes() -> None:
    shown = CliRunner().invoke(app, ["sql", "--help"]).stdout

    for word in ("json", "csv", "NULL", "130", "ICEMELT_LAKE"):
        assert word in shown


def test_a_bug_leaves_a_traceback_in_a_file_and_none_on_the_screen(tmp_path: Path) -> None:
    code = f"import typer; from icemelt.cli import arguments\narguments.choose_lake = None\n{RUN}"
    ended = subprocess.run(
        [sys.executable, "-c", code, "doctor"],
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    saved = ended.stderr.strip().rstrip("'").rpartition("'")[2]

    assert ended.returncode == 1
    assert "Error: This is a bug in icemelt: TypeError" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "Traceback" in Path(saved).read_text(encoding="utf-8")
    assert Path(saved).stat().st_mode & 0o077 == 0
