"""The progress line: for long work on a terminal, and gone afterwards."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from icemelt.cli.progress import SparkProgress, watching


def shown(seconds: float, *, terminal: bool, work: SparkProgress | None = None) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80)
    with watching(console, "SELECT 1", lambda: work):
        time.sleep(seconds)  # how long work takes is what decides
    return file.getvalue()


def test_quick_work_shows_nothing() -> None:
    assert shown(0.1, terminal=True) == ""


def test_a_pipe_shows_nothing() -> None:
    assert shown(0.8, terminal=False) == ""


def test_a_dumb_terminal_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")

    assert shown(0.8, terminal=True) == ""


def test_long_work_shows_how_far_it_is_and_clears_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    text = shown(1.2, terminal=True, work=SparkProgress(12, 200, 1, 3))

    assert "SELECT 1" in text
    assert "12 of 200 tasks · stage 2 of 3" in text
    assert "━" in text
    assert text.endswith("\x1b[2K")
