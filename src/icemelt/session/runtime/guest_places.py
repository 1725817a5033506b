"""Where the guests of a process may read and write now, and what they have left may, at most.

A task, a pipe, a stage and an external table keep the places of the guest who wrote them. A server
that is started later with narrower locations runs them within both:

    kept by the task      the server now    the body reads and writes
    /data/ann, /in        /data             /data/ann
    /data                 /data/ann, /out   /data/ann
    /in                   nowhere           nowhere
"""

from __future__ import annotations

from icemelt.session.runtime.core import Core
from icemelt.session.runtime.path_policy import PathPolicy
from icemelt.session.runtime.stores import hadoop_locations

__all__ = ["limit_guests", "narrow_kept"]


def limit_guests(core: Core, locations: tuple[str, ...]) -> None:
    """Limit what guests have left to some locations, in all sessions that share a session's limit.

    Args:
        core: the session's parts.
        locations: the folders and locations; none for nowhere.
    """
    core.guest_limit.locations = locations


def narrow_kept(core: Core, kept: tuple[str, ...]) -> PathPolicy:
    """Return the policy for what a guest has left: within the kept places, and the limit of now.

    Args:
        core: the parts of the session that runs it.
        kept: the places that the guest might name at that time.
    """
    limit = PathPolicy(core.guest_limit.locations)
    return limit.narrow(kept, hadoop_locations(core.iceberg))
