"""icemelt's own files on this machine: who may read them, and what a listing enters."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from icemelt.storage.local import LocalFiles, remove_if_local
from icemelt.storage.store import FileStore, StoredFile

FILES: FileStore = LocalFiles()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("prefix", ["", "file:", "file://"])
def test_what_is_written_is_read_and_listed(tmp_path: Path, prefix: str) -> None:
    location = f"{prefix}{tmp_path}/lake/data/a.bin"
    FILES.write(location, b"0123456789")
    with FILES.create(f"{prefix}{tmp_path}/lake/data/deep/b.bin") as sink:
        sink.write(b"first, ")
        sink.write(b"then")
    assert (FILES.read(location), FILES.read(location, 8, 9)) == (b"0123456789", b"89")
    stream = FILES.open(location)
    assert (stream.read(2), stream.read()) == (b"01", b"23456789")
    stream.close()
    listed = {file.path: file for file in FILES.list_files(f"{prefix}{tmp_path}/lake")}
    path = tmp_path / "lake" / "data" / "a.bin"
    nanoseconds = path.stat().st_mtime_ns
    found = StoredFile(str(path), 10, nanoseconds // 1_000_000, f"a-{nanoseconds:x}")
    assert listed[str(path)] == found
    assert {file.size for file in listed.values()} == {10, 11}
    assert FILES.list_folders(f"{prefix}{tmp_path}/lake") == ["data"]
    FILES.remove_file(location)
    assert not path.exists()
    assert FILES.count_files(f"{prefix}{tmp_path}/lake") == 1
    FILES.remove_folder(f"{prefix}{tmp_path}/lake")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_its_users_or_its_groups(tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    for folder, mode in ((own, 0o700), (shared, 0o770)):
        folder.mkdir()
        folder.chmod(mode)
        FILES.write(f"{folder}/in/whole", b"x")
        with FILES.create(f"{folder}/in/parts") as sink:
            sink.write(b"x")
    assert [_mode(own / "in" / name) for name in (".", "whole", "parts")] == [0o700, 0o600, 0o600]
    shared_modes = [_mode(shared / "in" / name) for name in (".", "whole", "parts")]
    assert shared_modes == [0o770, 0o660, 0o660]


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    FILES.write(f"{tmp_path}/a", b"a long text")
    with FILES.create(f"{tmp_path}/a") as sink:
        sink.write(b"short")
    assert FILES.read(f"{tmp_path}/a") == b"short"


def test_a_folder_behind_a_link_is_neither_listed_nor_removed(tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "theirs").write_text("x")
    FILES.write(f"{tmp_path}/lake/mine", b"x")
    (tmp_path / "lake" / "link").symlink_to(tmp_path / "others")
    assert [Path(file.path).name for file in FILES.list_files(f"{tmp_path}/lake")] == ["mine"]
    FILES.remove_folder(f"{tmp_path}/lake")
    assert not (tmp_path / "lake").exists()
    assert (tmp_path / "others" / "theirs").exists()


def test_of_a_missing_folder_nothing_is_listed(tmp_path: Path) -> None:
    missing = f"{tmp_path}/missing"
    assert [*FILES.list_files(missing), *FILES.list_folders(missing)] == []
    FILES.remove_folder(missing)
    with pytest.raises(FileNotFoundError):
        FILES.read(missing)


def test_only_what_is_here_is_removed(tmp_path: Path) -> None:
    FILES.write(f"{tmp_path}/folder/file", b"x")
    FILES.write(f"{tmp_path}/file", b"x")
    for location in ("s3a://bucket/file", f"{tmp_path}/missing", f"file:{tmp_path}/file"):
        remove_if_local(location)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    remove_if_local(str(tmp_path / "folder"))
    assert list(tmp_path.iterdir()) == []
