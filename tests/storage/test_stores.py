"""All kinds of stores do the same with the same files: by Python, by Hadoop, by Iceberg."""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from icemelt.errors import IcemeltError
from icemelt.session.runtime.stores import hadoop_files, spark_files
from icemelt.session.session import Session
from icemelt.storage.by_location import FilesByLocation
from icemelt.storage.iceberg_files import IcebergFiles
from icemelt.storage.local import LocalFiles
from icemelt.storage.store import FileStore, NothingThere
from icemelt.tables.iceberg import Iceberg

LARGE = bytes(range(256)) * (20 << 10)

STORES: dict[str, Callable[[Iceberg], FileStore]] = {
    "here": lambda _: LocalFiles(),
    "hadoop": hadoop_files,
    "iceberg": lambda iceberg: IcebergFiles(iceberg.functions, iceberg.io, iceberg.spark),
    "by location": lambda iceberg: FilesByLocation(hadoop_files(iceberg), LocalFiles()),
}


def test_each_store_writes_lists_reads_and_removes(session: Session, tmp_path: Path) -> None:
    for name, open_store in STORES.items():
        store = open_store(session._core.iceberg)
        folder = f"file://{tmp_path}/{name}"
        store.write(f"{folder}/data/large.bin", LARGE)
        with store.create(f"{folder}/data/deep/parts.bin") as sink:
            sink.write(b"first, ")
            sink.write(b"then")
        listed = {file.path.rsplit("/", 1)[-1]: file for file in store.list_files(folder)}
        assert {key: file.size for key, file in listed.items() if not key.endswith(".crc")} == {
            "large.bin": len(LARGE),
            "parts.bin": 11,
        }, name
        modified_at = (tmp_path / name / "data" / "large.bin").stat().st_mtime_ns // 1_000_000
        assert listed["large.bin"].modified_at == modified_at, name
        assert store.count_files(folder) == len(listed), name
        assert store.list_folders(folder) == ["data"], name
        assert store.list_folders(f"{folder}/missing") == [], name
        assert store.read(f"{folder}/data/large.bin") == LARGE, name
        assert store.read(f"{folder}/data/large.bin", 255, 3) == b"\xff\x00\x01", name
        stream = store.open(f"{folder}/data/deep/parts.bin")
        assert (stream.read(7), stream.read(), stream.read(1)) == (b"first, ", b"then", b""), name
        stream.close()
        store.write(f"{folder}/data/large.bin", b"small")
        assert store.read(listed["large.bin"].path) == b"small", name
        store.remove_file(f"{folder}/data/deep/parts.bin")
        assert not (tmp_path / name / "data" / "deep" / "parts.bin").exists(), name
        store.remove_folder(folder)
        assert not (tmp_path / name).exists(), name


def test_hadoop_lists_by_folder_and_by_pattern(session: Session, tmp_path: Path) -> None:
    hadoop = hadoop_files(session._core.iceberg)
    land, mount = tmp_path / "land", f"m{uuid.uuid4().hex}"
    session.spark.conf.set(f"fs.viewfs.mounttable.{mount}.link./in", f"file://{land}")
    (land / "sub").mkdir(parents=True)
    (land / "a.csv").write_text("1,a")
    (land / "sub" / "b.csv.gz").write_bytes(gzip.compress(b"2,b"))
    place = f"viewfs://{mount}/in"
    for pattern, names in (("", ["a.csv", "sub/b.csv.gz"]), ("/*.csv", ["a.csv"])):
        listed = sorted(file.path for file in hadoop.list_matching(f"{place}{pattern}"))
        assert listed == [f"{place}/{name}" for name in names]
    assert hadoop.find_file(f"{place}/a.csv").size == 3
    entries = {entry.name: entry.is_folder for entry in hadoop.list_folder(place)}
    assert entries == {"a.csv": False, "sub": True}
    assert [hadoop.is_file(f"{place}/{name}") for name in entries] == [
        not is_folder for is_folder in entries.values()
    ]
    assert [hadoop.exists(f"{place}{end}") for end in ("", "/a.csv", "/b")] == [True, True, False]
    stream = hadoop.open_unpacked(f"{place}/sub/b.csv.gz")
    assert stream.read(10) == b"2,b"
    stream.close()
    for missing in (f"{place}/missing", f"{place}/*.txt"):
        with pytest.raises(NothingThere):
            list(hadoop.list_matching(missing))
    assert list(hadoop.list_files(f"{place}/missing")) == []


def test_what_hadoop_says_is_told_in_icemelt_s_words(session: Session, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    store = spark_files(session._core.iceberg)
    for location in ("nothing://there/a", f"viewfs://{uuid.uuid4()}/a"):
        with pytest.raises(IcemeltError):
            store.read(location)
    with pytest.raises(FileNotFoundError):
        store.read(f"{tmp_path}/missing")


def test_a_file_that_is_given_up_is_not_written(session: Session, tmp_path: Path) -> None:
    files = STORES["iceberg"](session._core.iceberg)

    def give_up() -> None:
        with files.create(f"file:{tmp_path}/folder/a") as sink:
            sink.write(b"half")
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        give_up()
    assert not (tmp_path / "folder").exists()
