"""The end of a session's temporary tables."""

from __future__ import annotations

import shutil

from icemelt.catalog.edits import Commit, DropObject
from icemelt.catalog.publishing import publish
from icemelt.catalog.queries.reading import tables
from icemelt.session.runtime.core import Core, new_id
from icemelt.tables.iceberg import local_path

__all__ = ["drop_temporary_tables"]


def drop_temporary_tables(core: Core) -> None:
    """Drop the session's temporary tables, and their files where they are local."""
    with core.database.read() as connection:
        visible = tables(connection, core.database, session_id=core.session_id)
    mine = [table for table in visible if table.session_id == core.session_id]
    if not mine:
        return
    edits = tuple(DropObject(table.object_id) for table in mine)
    publish(core.database, Commit(new_id(), core.session_id, core.user, edits))
    for table in mine:
        path = local_path(table.folder)
        if path is not None:
            shutil.rmtree(path, ignore_errors=True)
