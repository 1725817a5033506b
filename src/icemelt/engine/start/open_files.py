"""How many files Java may open: fewer than Spark needs end in errors about something else."""

from __future__ import annotations

import resource

from icemelt.errors import SparkNotStarted

__all__ = ["refuse_few_files"]

_FEWEST, _ADVISED = 512, 4096


def refuse_few_files() -> None:
    """Let a process pass that Spark can be started from; Java raises a lower limit by itself.

    Raises:
        SparkNotStarted: the limit that nobody but root may raise is too low.

    >>> refuse_few_files()
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < _FEWEST:
        raise SparkNotStarted(
            f"Spark did not start: a process may open {most} files here, expected {_FEWEST} at "
            "least.",
            hint=f"Raise the limit: ulimit -n {_ADVISED}, or LimitNOFILE={_ADVISED} of a service.",
        )
