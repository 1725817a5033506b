"""Read file formats of the registry."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import file_formats
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.catalog.records import FileFormatRecord
from icemelt.names import QualifiedName

__all__ = ["file_format_record", "file_formats_query"]


def file_formats_query() -> sa.Select[Any]:
    """Return the query of all file formats, live and dropped; rows are for `file_format_record`."""
    more = (file_formats.c.file_type, file_formats.c.options)
    is_format = file_formats.c.format_id == table_row.c.object_id
    return schema_objects(*more).join(file_formats, is_format)


def file_format_record(row: Any) -> FileFormatRecord:
    """Return the file format of a row of `file_formats_query`."""
    return FileFormatRecord(
        object_id=row.object_id,
        name=QualifiedName(row.database_name, row.schema_name, row.name),
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        file_type=row.file_type,
        options=row.options,
    )
