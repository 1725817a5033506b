"""The session in which a pipe loads files: with the rights of who made the pipe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from icemelt.catalog.defined_records import PipeRecord
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.cores import make_core_in_schema, make_guest_core
from icemelt.session.runtime.guest_places import narrow_kept
from icemelt.session.runtime.stores import hadoop_locations

__all__ = ["in_schema_of", "open_pipe_core"]


@contextlib.contextmanager
def open_pipe_core(core: Core, pipe: PipeRecord) -> Iterator[Core]:
    """Give the parts of a session that may do what both the session and the pipe's maker may.

    A pipe made by a server's guest names the guest's places alone and calls harmless functions
    alone, whoever runs the pipe. A guest who runs the pipe of another reads nothing outside of the
    guest's own places.

    Args:
        core: the parts of the session that runs the pipe.
        pipe: the pipe.
    """
    with contextlib.ExitStack() as stack:
        own = core
        if pipe.load_within is not None and not core.is_guest:
            within = narrow_kept(core, pipe.load_within).locations
            own = make_guest_core(core, core.user, within or (), core.jobs.pool)
            stack.callback(own.relations.scratch.close)
            own = replace(own, jobs=core.jobs)
        elif pipe.load_within is not None:
            reach = core.reach.narrow(pipe.load_within, hadoop_locations(core.iceberg))
            own = replace(core, reach=reach)
        stack.enter_context(own.in_zone(pipe.timezone))
        yield in_schema_of(own, pipe)


def in_schema_of(core: Core, pipe: PipeRecord) -> Core:
    """Return the parts of a session in the schema of a pipe, outside of any transaction."""
    return make_core_in_schema(core, pipe.name, pipe.timezone)
