"""Insert and update a file format's row, inside the SQL transaction of a publication."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.edits import MakeFileFormat, RedefineFileFormat
from icemelt.catalog.model import file_formats, objects
from icemelt.catalog.outcomes import NotPublishedError, TableChanged

__all__ = ["insert_file_format_row", "update_file_format_row"]


def insert_file_format_row(connection: sa.Connection, edit: MakeFileFormat) -> None:
    """Insert the row of a file format, whose object is in the registry already."""
    connection.execute(
        file_formats.insert().values(
            format_id=edit.object_id, file_type=edit.file_type, options=dict(edit.format_options)
        )
    )


def update_file_format_row(connection: sa.Connection, edit: RedefineFileFormat) -> None:
    """Update the options of a file format.

    Raises:
        NotPublishedError: the file format was dropped, or has other options meanwhile.
    """
    is_this_format = file_formats.c.format_id == edit.object_id
    live = (
        sa.select(file_formats.c.options)
        .join(objects, objects.c.object_id == file_formats.c.format_id)
        .where(is_this_format, objects.c.dropped_at.is_(None))
    )
    if connection.scalar(live) != edit.before:
        raise NotPublishedError(TableChanged(edit.object_id))
    after = {"options": dict(edit.after)}
    connection.execute(file_formats.update().where(is_this_format).values(after))
