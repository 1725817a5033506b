"""Places that statements name: links are followed once, and a guarded place is not left."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from icemelt.errors import FileRefused
from icemelt.storage.places import PlaceChecks, PlaceFiles, ResolvedPath, open_place
from icemelt.storage.store import NothingThere


@dataclass
class Checks:
    """The checks of a place below `root`, and how often they were asked."""

    root: Path
    validated: list[str] = field(default_factory=list)
    cancels: int = 0

    def validate(self, path: str) -> None:
        self.validated.append(path)
        if not Path(path).is_relative_to(self.root):
            raise FileRefused(f"Path {path!r} leads out.", hint="Stay.")

    def count(self) -> None:
        self.cancels += 1


@pytest.fixture
def land(tmp_path: Path) -> Path:
    land = tmp_path / "land"
    (land / "sub").mkdir(parents=True)
    (land / "a.csv").write_text("12345")
    (land / "sub" / "b.csv").write_text("1")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.csv").write_text("x")
    return land


def _open(land: Path, path: str = "", *, guarded: bool = True) -> tuple[PlaceFiles, Checks]:
    checks = Checks(land)
    resolved = ResolvedPath("given", f"{land}{path}", is_local=True, is_guarded=guarded)
    # no place of this machine asks Hadoop
    hadoop = cast("Any", None)
    return open_place(resolved, hadoop, PlaceChecks(checks.validate, checks.count)), checks


def _names(files: PlaceFiles, path: str) -> list[str]:
    return sorted(Path(file.path).name for file in files.list_matching(path))


@pytest.mark.parametrize("guarded", [True, False])
def test_a_file_a_folder_or_a_pattern_is_listed(land: Path, *, guarded: bool) -> None:
    files, checks = _open(land, guarded=guarded)
    assert _names(files, str(land)) == ["a.csv", "b.csv"]
    assert _names(files, f"{land}/a.csv") == ["a.csv"]
    assert _names(files, f"{land}/**/*.csv") == ["a.csv", "b.csv"]
    (file,) = files.list_matching(f"{land}/a*")
    status = (land / "a.csv").stat()
    assert (file.path, file.size) == (f"{land}/a.csv", 5)
    assert file.modified_at == status.st_mtime_ns // 1_000_000
    assert file == files.find_file(f"{land}/a.csv")
    assert checks.cancels > 0
    assert bool(checks.validated) is guarded


def test_nothing_there_is_told_with_its_path(land: Path) -> None:
    files, _ = _open(land)
    for path in (f"{land}/missing", f"{land}/missing*"):
        with pytest.raises(NothingThere) as nothing:
            list(files.list_matching(path))
        assert nothing.value.location == path
    (land / "dangling.csv").symlink_to(land / "missing")
    for path in ("missing", "dangling.csv"):
        with pytest.raises(NothingThere):
            files.find_file(f"{land}/{path}")
    with pytest.raises(NothingThere) as nothing:
        list(files.list_matching(f"{land}/dangling.csv"))
    assert nothing.value.location == f"{land}/dangling.csv"


def test_files_that_cannot_be_read_stop_no_listing_and_say_why(land: Path) -> None:
    (land / "dangling.csv").symlink_to(land / "missing")
    (land / "circle.csv").symlink_to(land / "circle.csv")
    os.mkfifo(land / "pipe.csv")
    files, _ = _open(land)
    for path in (str(land), f"{land}/*"):
        told = {Path(file.path).name: file.obstacle for file in files.list_matching(path)}
        assert told == {
            "a.csv": "",
            "b.csv": "",
            "circle.csv": "cannot be looked at: Too many levels of symbolic links",
            "dangling.csv": "is a link that leads to nothing",
            "pipe.csv": "is no file of data: a pipe, a socket or a device",
        }
    below = {Path(file.path).name for file in files.list_folder(str(land))}
    assert below == {"a.csv", "b.csv", "circle.csv", "pipe.csv"}


def test_a_second_deep_step_of_a_pattern_is_refused(land: Path) -> None:
    files, _ = _open(land)
    with pytest.raises(FileRefused, match=r"Path 'given' has '\*\*' more than once"):
        list(files.list_matching(f"{land}/**/x/**"))


def test_a_link_out_of_a_guarded_place_is_refused(land: Path, tmp_path: Path) -> None:
    (land / "folder").symlink_to(tmp_path / "outside")
    (land / "link.csv").symlink_to(tmp_path / "outside" / "secret.csv")
    files, _ = _open(land)
    with pytest.raises(FileRefused, match="leads out"):
        list(files.list_matching(str(land)))
    for path in ("folder", "link.csv"):
        with pytest.raises(FileRefused, match="leads out"):
            files.fix(f"{land}/{path}")
    free, checks = _open(land, guarded=False)
    assert _names(free, str(land)) == ["a.csv", "b.csv", "link.csv", "secret.csv"]
    assert free.fix(f"{land}/link.csv") == (f"{land}/link.csv", ())
    assert checks.validated == []


def test_a_fixed_file_has_a_path_without_links_and_a_mark(land: Path) -> None:
    (land / "link.csv").symlink_to(land / "a.csv")
    files, _ = _open(land)
    fixed = files.fix(f"{land}/link.csv")
    assert fixed is not None
    path, mark = fixed
    status = (land / "a.csv").stat()
    assert (path, mark[:3]) == (f"{land}/a.csv", (status.st_dev, status.st_ino, 5))
    os.mkfifo(land / "pipe")
    assert files.fix(f"{land}/pipe") is None
    assert files.fix(f"{land}/missing") is None


@pytest.mark.parametrize(
    ("name", "can"), [(b"a.csv", True), (b"a:b.csv", False), (b"\xff.csv", False)]
)
def test_a_name_that_java_or_hadoop_cannot_have_is_told(
    land: Path, name: bytes, *, can: bool
) -> None:
    files, _ = _open(land)
    assert files.can_open(os.fsdecode(os.fsencode(land) + b"/" + name)) is can


def test_a_file_has_one_real_path_and_its_folders_are_looked_at_once(
    land: Path, tmp_path: Path
) -> None:
    (tmp_path / "linked").symlink_to(land)
    (land / "link.csv").symlink_to(land / "sub" / "b.csv")
    files, _ = _open(tmp_path, "/linked", guarded=False)
    real = {
        Path(file.path).name: files.real_path(file)
        for file in files.list_matching(f"{tmp_path}/linked")
    }
    assert real == {
        "a.csv": f"{land}/a.csv",
        "b.csv": f"{land}/sub/b.csv",
        "link.csv": f"{land}/sub/b.csv",
    }
    there = files.find_file(f"{tmp_path}/linked/sub/../sub/b.csv")
    assert files.real_path(there) == f"{land}/sub/b.csv"


def test_a_place_knows_where_it_is(land: Path, tmp_path: Path) -> None:
    guarded = ResolvedPath("given", str(land), is_local=True, is_guarded=True)
    free = ResolvedPath("given", str(land), is_local=True, is_guarded=False)
    far = ResolvedPath("given", "s3a://b/in", is_local=False, is_guarded=True)
    assert guarded.location == f"file://{land}"
    assert far.location == "s3a://b/in"
    assert [place.is_from_working_directory for place in (guarded, free, far)] == [
        False,
        True,
        False,
    ]
    assert guarded.is_in_place("sub")
    (land / "sub").rename(tmp_path / "moved")
    (land / "sub").symlink_to(tmp_path / "moved")
    assert [place.is_in_place("sub") for place in (guarded, free, far)] == [False, True, True]
