"""Columns that icemelt gives names to: those of changes, directory tables and files."""

from __future__ import annotations

from icemelt.schema import DataType, Primitive

__all__ = [
    "CHANGE_COLUMNS",
    "COMMIT_COLUMNS",
    "DIRECTORY_COLUMNS",
    "FILENAME",
    "FILE_METADATA_COLUMNS",
    "METADATA_COLUMNS",
    "RANGE_COLUMNS",
    "TABLE_STREAM_COLUMNS",
]

_STRING, _LONG, _INSTANT = Primitive("string"), Primitive("long"), Primitive("timestamptz")

CHANGE_COLUMNS: dict[str, DataType] = {
    "METADATA$ACTION": _STRING,
    "METADATA$ISUPDATE": Primitive("boolean"),
    "METADATA$ROW_ID": _STRING,
}
# a redo log has them behind those
COMMIT_COLUMNS: dict[str, DataType] = {
    "METADATA$COMMIT_VERSION": _LONG,
    "METADATA$COMMIT_TIMESTAMP": _INSTANT,
}
METADATA_COLUMNS = (*CHANGE_COLUMNS, *COMMIT_COLUMNS)
# CHANGES FROM has them behind the table's, as in Spark
RANGE_COLUMNS: dict[str, DataType] = {
    "_change_type": _STRING,
    "_commit_version": _LONG,
    "_commit_timestamp": _INSTANT,
}
# a table stream has them before the table's
TABLE_STREAM_COLUMNS: dict[str, DataType] = {
    "__change_type": _STRING,
    "__commit_version": _LONG,
    "__commit_timestamp": _INSTANT,
}
# of a stage's directory table: a row for each file
DIRECTORY_COLUMNS: dict[str, DataType] = {
    "RELATIVE_PATH": _STRING,
    "SIZE": _LONG,
    "LAST_MODIFIED": _INSTANT,
    "MD5": _STRING,
    "ETAG": _STRING,
    "FILE_URL": _STRING,
}
# pseudo columns of the files of stages and external tables, which `*` leaves out
FILENAME = "metadata$filename"
FILE_METADATA_COLUMNS: dict[str, DataType] = {
    FILENAME: _STRING,
    "metadata$file_row_number": _LONG,
    "metadata$file_last_modified": Primitive("timestamp"),
}
