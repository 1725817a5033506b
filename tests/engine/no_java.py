"""A machine without Java."""

from __future__ import annotations

from pathlib import Path

import pytest


def hide_java(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Leave only the Java that came with icemelt to be found, and an empty cache in a folder."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(folder / "no programs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "user's cache"))
