"""Retry work on a database that is away for a moment, as during a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from icemelt.errors import CatalogUnavailable
from icemelt.observe.emitting import emit
from icemelt.observe.events import CatalogErrorTolerated

__all__ = ["retry_until_available"]

# how long a database may take to restart
_RESTART_SECONDS = 10
# the database's return is not announced: poll
_WAIT_SECONDS = 0.1
_T = TypeVar("_T")


def retry_until_available(work: Callable[[], _T], seconds: float = _RESTART_SECONDS) -> _T:
    """Return the result of `work`; retry while the catalog's database is away.

    Args:
        work: uses the catalog's database.
        seconds: how long to retry.

    Raises:
        CatalogUnavailable: the database stayed away.
    """
    deadline = time.monotonic() + seconds
    is_reported = False
    while True:
        try:
            return work()
        except CatalogUnavailable as error:
            if time.monotonic() > deadline:
                raise
            if not is_reported:
                emit(CatalogErrorTolerated("wait for the database", error.code, error.message))
            is_reported = True
        time.sleep(_WAIT_SECONDS)
