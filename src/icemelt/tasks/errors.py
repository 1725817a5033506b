"""The errors of runs of tasks; the tree of all other errors is in `icemelt.errors`."""

from __future__ import annotations

from icemelt.errors import TransactionError

__all__ = ["RunLost"]


class RunLost(TransactionError):
    """The run of a task is not its holder's any more; nothing of the body was kept."""

    code = "run-lost"
    errno = 1606
    sqlstate = "40000"
