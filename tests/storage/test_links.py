"""Local files that are opened and removed without following a link."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from icemelt.storage.links import (
    can_look_at,
    has_no_link,
    is_plain_file,
    look_at,
    mark_of,
    remove_unlinked,
)

LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "folder" / "file"
    file.parent.mkdir()
    file.write_text("content")
    return file


def test_a_link_anywhere_in_the_path_is_not_followed(file: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(file.parent)
    (file.parent / "other").symlink_to(file)
    for path in (tmp_path / "way" / "file", file.parent / "other"):
        assert not has_no_link(str(path))
        assert mark_of(str(path)) == ()
        with pytest.raises(OSError):  # noqa: PT011 - which error is the system's choice
            remove_unlinked(str(path))
    with pytest.raises(OSError), look_at(str(tmp_path / "way" / "file")):  # noqa: PT011
        pytest.fail("a link was followed")
    with look_at(str(file.parent / "other")) as looked:
        assert not looked.is_regular
    assert file.exists()
    remove_unlinked(str(file))
    assert not file.exists()


def test_only_files_are_removed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "missing"):
        with pytest.raises(OSError):  # noqa: PT011
            remove_unlinked(str(tmp_path / name))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_mark_changes_with_the_file(file: Path) -> None:
    before = mark_of(str(file))
    assert before == mark_of(str(file)) != ()
    os.utime(file)
    after_touch = mark_of(str(file))
    file.unlink()
    file.write_text("content")
    assert len({before, after_touch, mark_of(str(file))}) == 3


def test_the_file_that_was_looked_at_is_opened_whatever_took_its_path(
    file: Path, tmp_path: Path
) -> None:
    assert can_look_at(str(file))
    with look_at(str(file)) as looked:
        file.rename(tmp_path / "moved")
        file.write_text("another")
        assert looked.identity == ((tmp_path / "moved").stat().st_dev, looked.status.st_ino)
        with looked.open() as stream:
            assert stream.read() == b"content"


def test_looking_at_a_file_drops_no_lock_on_it(file: Path) -> None:
    """Closing any descriptor that was open would drop the locks of the whole process."""
    with file.open("r+") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        with look_at(str(file)):
            pass
        command = [sys.executable, "-c", LOCK, str(file)]
        assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_what_waits_or_has_no_end_is_no_plain_file(file: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(file)
    locations = [str(file), f"file:{file}", "s3a://bucket/a", str(tmp_path / "pipe")]
    locations += [str(tmp_path / "link"), str(tmp_path), str(tmp_path / "missing"), "/dev/zero"]
    assert [is_plain_file(each) for each in locations] == [True] * 3 + [False] * 5
