"""The temporary tables and stages of a session, which end with the session."""

from __future__ import annotations

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.edits import CommitRequest, DropObject
from icemelt.catalog.publishing import publish
from icemelt.catalog.queries.finding import find_defined
from icemelt.catalog.queries.reading import tables
from icemelt.catalog.queries.sharing import shared_tables
from icemelt.session.files.file_places import stage_folder
from icemelt.session.runtime.core import Core, new_id
from icemelt.storage.local import remove_if_local

__all__ = ["drop_temporary_objects"]


def drop_temporary_objects(core: Core) -> None:
    """Drop the session's temporary tables and stages, with their files if these are local.

    Files that a clone may name are left to maintenance.
    """
    session_id = core.session_id
    with core.database.read() as connection:
        visible_tables = tables(connection, core.database, session_id=session_id)
        visible_stages = find_defined(connection, StageRecord, session_id=session_id)
    my_tables = [table for table in visible_tables if table.session_id == session_id]
    my_stages = [stage for stage in visible_stages if stage.session_id == session_id]
    folders = {table.object_id: table.folder for table in my_tables}
    folders |= {stage.object_id: stage_folder(core, stage) for stage in my_stages}
    if not folders:
        return
    with core.database.read() as connection:
        shared = shared_tables(connection, folders)
    edits = tuple(map(DropObject, folders))
    publish(core.database, CommitRequest(new_id(), session_id, core.user, edits))
    of_user = {stage.object_id for stage in my_stages if stage.url is not None}
    for object_id, folder in folders.items():
        if object_id not in of_user | shared:
            remove_if_local(folder)
