"""The cache is the user's own, also where it has to be in a folder that all users write."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.engine.start import places


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for temporary files, of a user whose own cache cannot be made."""
    (tmp_path / "a file").touch()
    (tmp_path / "shared").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "shared"))
    return tmp_path / "shared"


def test_without_a_cache_of_ones_own_it_is_a_private_temporary_folder(shared: Path) -> None:
    folder = places.cache_folder("java")
    assert folder.parent.parent == shared
    assert folder.parent.stat().st_mode & 0o077 == 0
    assert places.cache_folder("java") == folder
    assert places.cache_folder("jars").parent == folder.parent


@pytest.mark.parametrize("kind", ["writable", "link"])
def test_a_folder_that_others_can_write_is_not_taken(shared: Path, kind: str) -> None:
    theirs = shared / places.cache_folder("java").parent.name
    (theirs / "java").rmdir()
    theirs.rmdir()
    places._private_folder.cache_clear()
    if kind == "writable":
        theirs.mkdir()
        theirs.chmod(0o777)
    else:
        (shared / "elsewhere").mkdir()
        theirs.symlink_to(shared / "elsewhere")
    folder = places.cache_folder("java")
    assert folder.parent != theirs
    assert folder.parent.parent == shared
    assert folder.parent.stat().st_mode & 0o077 == 0
    assert places.cache_folder("java") == folder
