"""Local folders that are deep, wide, or may not be read: a search ends, and says where."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import without_privileges

from icemelt.storage import folder_walk
from icemelt.storage.folder_walk import MAX_DEPTH, FolderWalk
from icemelt.storage.local import LocalFiles, remove_if_local, remove_tree
from icemelt.storage.store import NotListed

SEARCHES: list[Callable[[FolderWalk, Path], object]] = [
    lambda walk, land: list(walk.files(str(land))),
    lambda walk, land: walk.matching(f"{land}/**/*.csv"),
]


def make_deep(root: Path, depth: int, name: str = "d") -> None:
    """Make folders `d/d/d/…` with a file in the last; the path of the last may be too long."""
    descriptor = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("a.csv", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)


@pytest.fixture
def land(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "land"
    folder.mkdir()
    yield folder
    remove_tree(folder)


def _walk(check: Callable[[str], str] = str) -> FolderWalk:
    return FolderWalk(check, lambda: None)


@pytest.mark.parametrize("search", SEARCHES)
def test_as_many_folders_as_may_be_are_entered_and_one_more_is_refused(
    land: Path, search: Callable[[FolderWalk, Path], object]
) -> None:
    make_deep(land, MAX_DEPTH)
    deepest = land.joinpath(*["d"] * MAX_DEPTH)
    assert search(_walk(), land) == [f"{deepest}/a.csv"]
    (deepest / "one more").mkdir()
    with pytest.raises(NotListed, match="more than 200 folders below") as refused:
        search(_walk(), land)
    assert refused.value.location == f"{deepest}/one more"


@pytest.mark.parametrize("search", SEARCHES)
def test_a_deep_tree_ends_a_search_soon(
    land: Path, search: Callable[[FolderWalk, Path], object]
) -> None:
    make_deep(land, 3 * MAX_DEPTH)
    entries: list[None] = []
    with pytest.raises(NotListed, match="more than 200 folders below"):
        search(FolderWalk(str, lambda: entries.append(None)), land)
    assert len(entries) < 500


@pytest.mark.parametrize("search", SEARCHES)
def test_more_files_than_a_statement_may_have_are_refused(
    land: Path, search: Callable[[FolderWalk, Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(11):
        (land / f"{number}.csv").touch()
    assert len(list(_walk().files(str(land)))) == 11
    monkeypatch.setattr(folder_walk, "MAX_ENTRIES", 10)
    with pytest.raises(NotListed, match="beyond the 10 files and folders") as refused:
        search(_walk(), land)
    assert refused.value.location == str(land)


@pytest.mark.parametrize("pattern", ["", "/**", "/*/*/*.csv"])
def test_a_folder_that_may_not_be_read_is_an_error(land: Path, pattern: str) -> None:
    (land / "in" / "closed").mkdir(parents=True)
    (land / "in" / "closed" / "a.csv").touch()
    (land / "_hidden").mkdir()
    for folder in ("in/closed", "_hidden"):
        (land / folder).chmod(0o300)
    program = f"""
from icemelt.storage.folder_walk import FolderWalk
from icemelt.storage.store import NotListed
walk = FolderWalk(str, lambda: None)
try:
    roots = walk.matching("{land}{pattern}") if "{pattern}" else ["{land}"]
    print([file for root in roots for file in walk.files(root)])
except NotListed as error:
    print(error.location, error.reason, sep="|")
"""
    told = subprocess.check_output(without_privileges([sys.executable, "-c", program]), text=True)
    assert told == f"{land}/in/closed|cannot be read: Permission denied\n"


def test_of_a_folder_outside_nothing_is_told(land: Path) -> None:
    def refuse(path: str) -> str:
        raise PermissionError(f"outside: {path}")

    # a path that no system can open
    long = f"{land}/{'x' * 300}"
    with pytest.raises(PermissionError, match="outside"):
        list(_walk(refuse).files(long))
    with pytest.raises(NotListed, match="cannot be read: File name too long"):
        list(_walk().files(long))


@pytest.mark.parametrize("pattern", ["/*/a.csv", "/*/nothing.csv", "/*/*.csv", "/*/*.nothing"])
def test_whether_files_exist_behind_a_link_is_told_of_allowed_places_only(
    land: Path, tmp_path: Path, pattern: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.csv").touch()
    (land / "link").symlink_to(outside)

    def refuse(path: str) -> str:
        raise PermissionError(f"outside: {os.path.realpath(path)}")

    with pytest.raises(PermissionError, match=f"outside: {outside}$"):
        _walk(refuse).matching(f"{land}{pattern}")
    expected = [f"{land}/link/a.csv"] if "nothing" not in pattern else []
    assert _walk().matching(f"{land}{pattern}") == expected


def test_own_files_are_listed_counted_and_removed_however_deep(land: Path, tmp_path: Path) -> None:
    files = LocalFiles()
    make_deep(land, sys.getrecursionlimit() + 10)
    (tmp_path / "others").mkdir()
    (land / "link").symlink_to(tmp_path / "others")
    (land / "linked.csv").symlink_to(land / "link")
    assert [Path(file.path).name for file in files.list_files(str(land))] == ["a.csv"]
    assert files.count_files(str(land)) == 1
    files.remove_folder(str(land))
    assert not land.exists()
    assert (tmp_path / "others").exists()


@pytest.mark.parametrize("remove", [remove_tree, lambda folder: remove_if_local(str(folder))])
def test_folders_beyond_the_length_of_paths_are_removed(
    land: Path, remove: Callable[[Path], None]
) -> None:
    name = "d" * 250
    make_deep(land, 20, name)
    (land / name / "beside").mkdir()
    (land / name / "beside" / "file").touch()
    remove(land)
    assert not land.exists()


def test_what_cannot_be_removed_stays_and_all_else_goes(land: Path) -> None:
    for name in "abc":
        (land / name / "in").mkdir(parents=True)
        (land / name / "in" / "file").touch()
    (land / "b" / "in").chmod(0o500)
    program = f"""
from pathlib import Path
from icemelt.storage.local import remove_tree
remove_tree(Path("{land}"))
"""
    subprocess.check_call(without_privileges([sys.executable, "-c", program]))
    left = sorted(str(path.relative_to(land)) for path in land.rglob("*"))
    assert left == ["b", "b/in", "b/in/file"]
    (land / "b" / "in").chmod(0o700)
