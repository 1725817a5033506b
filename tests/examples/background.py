"""What a test does all the time while its programs run: a thread of its own."""

from __future__ import annotations

import abc
import threading
from typing import Self


class Background(abc.ABC):
    """Works in a thread, from the beginning of a block to its end or to `stop`."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self.work)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Have the work end, and wait for that."""
        self.ended.set()
        self._thread.join()

    @abc.abstractmethod
    def work(self) -> None:
        """Work until it has `ended`."""
