"""Scratch folders: a killed owner's goes with the next session, a living owner's stays."""

from __future__ import annotations

import fcntl
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from icemelt.engine.scratch import open_scratch, sweep

OWNER = """
import sys, time
from icemelt.engine.scratch import open_scratch
print(open_scratch(sys.argv[1]).location, flush=True)
time.sleep(600)  # until it is killed, or its test is no more
"""


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every folder old enough to be looked at."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)


def test_a_killed_owners_folder_goes_and_a_living_ones_stays(tmp_path: Path, old: None) -> None:
    dead, living = (_owner(tmp_path) for _ in range(2))
    with dead, living:
        places = [_place(owner) for owner in (dead, living)]
        assert sweep(tmp_path) == 0
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        mine = open_scratch(str(tmp_path))
        assert [place.exists() for place in places] == [False, True]
        assert Path(mine.location).exists()
        mine.close()
        living.kill()
    assert sweep(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_left_alone_while_its_owner_may_be_about_to_lock_it(tmp_path: Path) -> None:
    with _owner(tmp_path) as owner:
        place = _place(owner)
        owner.kill()
        owner.wait()
    assert sweep(tmp_path) == 0
    assert place.exists()


def test_what_is_not_ours_stays(tmp_path: Path, old: None) -> None:
    (tmp_path / "icemelt-scratch-another.machine-1").mkdir()
    (tmp_path / "a file").touch()
    assert sweep(tmp_path) == 0
    assert len(list(tmp_path.iterdir())) == 2


def test_sessions_of_one_process_keep_their_folders(tmp_path: Path, old: None) -> None:
    first = open_scratch(str(tmp_path))
    second = open_scratch(str(tmp_path))
    assert Path(first.location).exists()
    first.close()
    assert not Path(first.location).exists()
    assert sweep(tmp_path) == 0
    second.close()
    assert list(tmp_path.iterdir()) == []


def _owner(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OWNER, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _place(owner: subprocess.Popen[str]) -> Path:
    assert owner.stdout is not None
    return Path(owner.stdout.readline().strip())


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_lock_file_that_is_a_link_to_a_file_of_ours_is_not_opened(
    tmp_path: Path, old: None, link: Callable[[Path, Path], None]
) -> None:
    """Closing it would end the locks of this process on the file, as SQLite's on the catalog."""
    catalog, place = tmp_path / "catalog.db", tmp_path / f"icemelt-scratch-{platform.node()}-x"
    place.mkdir()
    with catalog.open("w") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        link(catalog, place / "owner.lock")
        assert sweep(tmp_path) == 0
        assert not _can_lock(catalog)
    assert place.exists()


def _can_lock(file: Path) -> bool:
    """Tell whether another process gets a lock of a file, of the kind that SQLite takes."""
    take = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    taken = subprocess.run(
        [sys.executable, "-c", take, str(file)], capture_output=True, check=False
    )
    return taken.returncode == 0
