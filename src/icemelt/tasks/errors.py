"""The errors of runs of tasks; the tree of all other errors is in `icemelt.errors`."""

from __future__ import annotations

from icemelt.errors import ObjectError, TransactionError

__all__ = ["GraphUnreadable", "KeyRevoked", "RunLost"]


class KeyRevoked(ObjectError):
    """The key of the client who wrote the body of a task was revoked: the body does not run."""

    code = "key-revoked"
    errno = 1309
    sqlstate = "28000"


class GraphUnreadable(ObjectError):
    """What the registry has of the graph of a root task cannot be read here."""

    code = "graph-unreadable"
    errno = 1310
    sqlstate = "55000"


class RunLost(TransactionError):
    """The run of a task is not its holder's any more; nothing of the body was kept."""

    code = "run-lost"
    errno = 1606
    sqlstate = "40000"
