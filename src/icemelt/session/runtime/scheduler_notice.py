"""What a statement says where tasks wait, and no scheduler is alive to run them."""

from __future__ import annotations

from icemelt.catalog.schedulers import find_schedulers, last_seen
from icemelt.session.runtime.core import Core
from icemelt.times import as_datetime

__all__ = ["note_absent_scheduler"]

_KEY = "scheduler"


def note_absent_scheduler(core: Core) -> None:
    """Note beside the result that no scheduler is alive, and when one was seen last."""
    with core.database.read() as connection:
        now = core.database.clock(connection)
        seen_at = last_seen(find_schedulers(connection), now)
    if seen_at is None:
        return
    when = f"last seen {as_datetime(seen_at):%Y-%m-%d %H:%M:%S} UTC" if seen_at else "never seen"
    core.scope.notices[_KEY] = f"scheduler: {when}. Tasks wait until one runs: `icemelt scheduler`."
