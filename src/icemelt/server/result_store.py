"""Query results on the disk, limited in their total size, with shares by key."""

from __future__ import annotations

import errno
import logging
import threading
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from icemelt.errors import FileRefused
from icemelt.server.pages import Pages, write_pages
from icemelt.server.submissions import SubmissionRun

__all__ = ["ResultStore"]

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_LOGGER = logging.getLogger("icemelt.server")


@dataclass(slots=True)
class ResultStore:
    """Results in files of a `folder`, of `most_bytes` in total.

    Where there is no room, the key whose results have most bytes loses its oldest result. That key
    has more than an equal share, so no key below its share loses a result.
    """

    folder: str
    most_bytes: int
    # by path, the oldest first: the key and the pages
    _results: dict[str, tuple[str, Pages]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, key_id: str, rows: pa.Table, types: tuple[str, ...]) -> Pages:
        """Write a result of a key, and delete older results if there is no room.

        Raises:
            FileRefused: there is no room, and no other key has more bytes than this result has.
        """
        pages = self._write_file(key_id, rows, types)
        with self._lock:
            self._results[pages.path] = key_id, pages
            while len(self._results) > 1 and self._total() > self.most_bytes:
                self._give_up_oldest(key_id)
            if pages.path in self._results:
                return pages
        raise _no_room_error(f"results have {self.most_bytes >> 20} MiB together at most")

    def remove(self, submitted: SubmissionRun) -> None:
        """Remove the result of a submission, if there is a result."""
        if submitted.pages is not None:
            self.remove_pages(submitted.pages)

    def remove_pages(self, pages: Pages) -> None:
        """Remove a result."""
        with self._lock:
            self._results.pop(pages.path, None)
        pages.remove()

    @property
    def bytes(self) -> int:
        """The bytes of all results."""
        with self._lock:
            return self._total()

    def _total(self) -> int:
        return sum(pages.size for _, pages in self._results.values())

    def _write_file(self, key_id: str, rows: pa.Table, types: tuple[str, ...]) -> Pages:
        while True:
            path = f"{self.folder}/{uuid.uuid4()}.arrow"
            try:
                return write_pages(path, rows, types)
            except OSError as error:
                written = _remove_part(path)
                if error.errno in _NO_ROOM and self._make_room(key_id, written):
                    continue
                _LOGGER.exception("Rows cannot be kept in %s", self.folder)
                raise _no_room_error(error.strerror or "the disk refuses them") from error

    def _make_room(self, writer: str, written: int) -> bool:
        with self._lock:
            return self._give_up_oldest(writer, written)

    def _give_up_oldest(self, writer: str, written: int = 0) -> bool:
        """Delete the oldest result of the key with most bytes; the lock is held.

        Args:
            writer: the key that needs the room; of keys with as many bytes, it loses a result.
            written: the bytes of a result of `writer` that was not written to its end.

        Returns:
            False if the key with most bytes has no result to delete.
        """
        sizes = Counter({writer: written})
        for key_id, pages in self._results.values():
            sizes[key_id] += pages.size
        largest = max(sizes, key=sizes.__getitem__)
        for path, (key_id, pages) in self._results.items():
            if key_id == largest:
                del self._results[path]
                pages.give_up()
                return True
        return False


def _remove_part(path: str) -> int:
    """Remove a file that was not written to its end; return the bytes of the file."""
    file = Path(path)
    try:
        size = file.stat().st_size
        file.unlink()
    except OSError:
        return 0
    return size


def _no_room_error(reason: str) -> FileRefused:
    return FileRefused(
        f"The rows cannot be kept: {reason}.",
        hint="Tell who runs the server, or write them as files: COPY INTO '/folder' FROM (…).",
    )
