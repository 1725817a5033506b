"""Results that are kept: where the room is taken, the key with most bytes loses its oldest."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest

from icemelt.errors import FileRefused
from icemelt.server import result_store
from icemelt.server.failures import Gone
from icemelt.server.pages import Pages, write_pages
from icemelt.server.result_store import ResultStore

KIB = 1 << 10


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(str(tmp_path), 1_000 * KIB)


def write(store: ResultStore, key_id: str, kibibytes: int) -> Pages:
    """Write a result of a key, which does not get smaller on the disk."""
    rows = pa.table({"v": pa.array([os.urandom(KIB) for _ in range(kibibytes)])})
    return store.write(key_id, rows, ("BINARY",))


def is_kept(pages: Pages) -> bool:
    try:
        return len(pages.arrow(0)) > 0
    except Gone:
        return False


def test_results_of_a_key_push_out_its_own_and_none_of_a_key_with_less(store: ResultStore) -> None:
    of_ann = [write(store, "ann", 100) for _ in range(4)]
    of_bob = [write(store, "bob", 100) for _ in range(40)]
    assert all(map(is_kept, of_ann))
    assert [is_kept(pages) for pages in of_bob] == [False] * 35 + [True] * 5
    assert store.bytes <= store.most_bytes
    with pytest.raises(Gone, match="given up for those of later statements"):
        of_bob[0].json(0)
    # who has more than an equal share gives it up for who comes
    first, *later = [write(store, "cid", 100) for _ in range(3)]
    assert is_kept(first)
    assert all(map(is_kept, later))
    assert sum(map(is_kept, of_ann)) + sum(map(is_kept, of_bob)) == 6
    assert sum(map(is_kept, of_ann)) == 3


def test_a_key_alone_has_all_the_room(store: ResultStore) -> None:
    first, second, third = (write(store, "ann", 400) for _ in range(3))
    assert [is_kept(pages) for pages in (first, second, third)] == [False, True, True]
    huge = write(store, "ann", 2_000)
    assert [is_kept(pages) for pages in (second, third, huge)] == [False, False, True]


def test_a_result_above_its_share_is_refused_where_no_key_has_more(store: ResultStore) -> None:
    small = [write(store, f"key {number}", 48) for number in range(20)]
    with pytest.raises(FileRefused, match="cannot be kept"):
        write(store, "bob", 100)
    assert all(map(is_kept, small))
    assert len(list(Path(store.folder).iterdir())) == len(small)
    assert is_kept(write(store, "bob", 10))


def test_a_full_disk_takes_no_result_of_a_key_with_less(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_to_a_small_disk(path: str, rows: pa.Table, types: tuple[str, ...]) -> Pages:
        free = 500 * KIB - sum(file.stat().st_size for file in Path(store.folder).iterdir())
        pages = write_pages(path, rows, types)
        if pages.size > free:
            os.truncate(path, max(0, free))
            raise OSError(errno.ENOSPC, "No space left on device")
        return pages

    monkeypatch.setattr(result_store, "write_pages", write_to_a_small_disk)
    of_ann = write(store, "ann", 100)
    of_bob = [write(store, "bob", 100) for _ in range(10)]
    assert is_kept(of_ann)
    assert [is_kept(pages) for pages in of_bob] == [False] * 7 + [True] * 3
    of_cid = write(store, "cid", 150)
    assert list(map(is_kept, (of_ann, *of_bob[7:], of_cid))) == [True, False, True, True, True]
    with pytest.raises(FileRefused, match="No space left on device"):
        write(store, "dan", 600)
    assert is_kept(of_ann)
    # no part of a file is left
    assert sum(file.stat().st_size for file in Path(store.folder).iterdir()) == store.bytes
