"""Query results on the disk, limited in their total size."""

from __future__ import annotations

import errno
import logging
import threading
from dataclasses import dataclass, field

import pyarrow as pa

from icemelt.errors import FileRefused
from icemelt.server.pages import Pages, write_pages
from icemelt.server.submissions import SubmissionRun

__all__ = ["ResultStore"]

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_LOGGER = logging.getLogger("icemelt.server")


@dataclass(slots=True)
class ResultStore:
    """Results in files of a `folder`; above `most_bytes` in total the oldest are deleted."""

    folder: str
    most_bytes: int
    _results: dict[str, Pages] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, rows: pa.Table, types: tuple[str, ...]) -> Pages:
        """Write a result, and delete older results if there is no room.

        Raises:
            FileRefused: there is no room on the disk, though no other result is kept.
        """
        while True:
            try:
                pages = write_pages(self.folder, rows, types)
            except OSError as error:
                if error.errno in _NO_ROOM and self._give_up_oldest():
                    continue
                _LOGGER.exception("Rows cannot be kept in %s", self.folder)
                raise _no_room_error(error) from error
            with self._lock:
                self._results[pages.path] = pages
            while self._has_too_much() and self._give_up_oldest():
                pass
            return pages

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
            return sum(pages.size for pages in self._results.values())

    def _has_too_much(self) -> bool:
        return self.bytes > self.most_bytes and len(self._results) > 1

    def _give_up_oldest(self) -> bool:
        """Delete the oldest result; return False if there is no result."""
        with self._lock:
            path = next(iter(self._results), None)
            if path is None:
                return False
            pages = self._results.pop(path)
        pages.give_up()
        return True


def _no_room_error(error: OSError) -> FileRefused:
    return FileRefused(
        f"The rows cannot be kept: {error.strerror or 'the disk refuses them'}.",
        hint="Tell who runs the server, or write them as files: COPY INTO '/folder' FROM (…).",
    )
