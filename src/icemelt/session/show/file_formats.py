"""SHOW FILE FORMATS and DESCRIBE FILE FORMAT."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from icemelt.catalog.defined_records import FileFormatRecord
from icemelt.names import ObjectName
from icemelt.session.files.format_values import FormatValues
from icemelt.session.files.read_options import option_names
from icemelt.session.files.settled_options import SETTLED_OPTIONS
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import find_defined, list_tersely
from icemelt.sql.statements import FileFormat, Show
from icemelt.times import as_datetime

__all__ = [
    "FILE_FORMAT_COLUMNS",
    "describe_file_format",
    "file_format_row",
    "format_properties",
    "show_file_formats",
]

FILE_FORMAT_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "type",
    "owner",
    "comment",
    "format_options",
    "owner_role_type",
)
_PROPERTY_COLUMNS = ("property", "property_type", "property_value", "property_default")
_FLAG, _TEXT, _LIST, _NUMBER = "Boolean", "String", "List", "Integer"
# Snowflake's name of the type of each option, and the value where the option is not written
_PROPERTIES = {
    "BINARY_FORMAT": (_TEXT, "HEX"),
    "COMPRESSION": (_TEXT, "AUTO"),
    "DATE_FORMAT": (_TEXT, "AUTO"),
    "EMPTY_FIELD_AS_NULL": (_FLAG, "true"),
    "ENCODING": (_TEXT, "UTF8"),
    "ERROR_ON_COLUMN_COUNT_MISMATCH": (_FLAG, "true"),
    "ESCAPE": (_TEXT, "NONE"),
    "ESCAPE_UNENCLOSED_FIELD": (_TEXT, "\\"),
    "FIELD_DELIMITER": (_TEXT, ","),
    "FIELD_OPTIONALLY_ENCLOSED_BY": (_TEXT, "NONE"),
    "FILE_EXTENSION": (_TEXT, ""),
    "MULTI_LINE": (_FLAG, "true"),
    "NULL_IF": (_LIST, "[]"),
    "PARSE_HEADER": (_FLAG, "false"),
    "RECORD_DELIMITER": (_TEXT, "\\n"),
    "IGNORE_UTF8_ERRORS": (_FLAG, "false"),
    "REPLACE_INVALID_CHARACTERS": (_FLAG, "false"),
    "SKIP_BLANK_LINES": (_FLAG, "true"),
    "SKIP_HEADER": (_NUMBER, "0"),
    "ALLOW_DUPLICATE": (_FLAG, "false"),
    "STRIP_NULL_VALUES": (_FLAG, "false"),
    "STRIP_OUTER_ARRAY": (_FLAG, "false"),
    "TIMESTAMP_FORMAT": (_TEXT, "AUTO"),
    "TRIM_SPACE": (_FLAG, "false"),
}
_NULL_IF_OF_CSV = "[\\N]"


def show_file_formats(core: Core, statement: Show) -> LocalRows:
    """Run SHOW FILE FORMATS: Snowflake's columns; `format_options` has what the statement wrote."""
    listed = find_defined(core, statement, FileFormatRecord)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(FILE_FORMAT_COLUMNS, tuple(map(file_format_row, listed)))


def file_format_row(file_format: FileFormatRecord) -> tuple[Any, ...]:
    """Return a file format's row of SHOW FILE FORMATS."""
    return (
        as_datetime(file_format.created_at),
        file_format.name.name,
        file_format.name.database,
        file_format.name.schema,
        file_format.file_type,
        file_format.owner,
        file_format.comment or "",
        _options(file_format),
        "ROLE",
    )


def describe_file_format(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE FILE FORMAT: a row for the type and each option, with value and default."""
    found = core.object_of(FileFormatRecord, name)
    rows = format_properties(FileFormat[found.file_type], found.options)
    return LocalRows(_PROPERTY_COLUMNS, tuple(rows))


def format_properties(
    file_type: FileFormat, options: Mapping[str, str]
) -> list[tuple[str, str, str, str]]:
    """Return name, type, value and default of the type and of each option of a file format.

    Args:
        file_type: the type of the files.
        options: the options that a statement has written, by upper-case name.
    """
    rows = [("TYPE", _TEXT, file_type.value, "CSV")]
    for option in sorted(option_names(file_type)):
        kind, default = _PROPERTIES.get(option) or _settled_property(option)
        if option == "NULL_IF" and file_type is FileFormat.CSV:
            default = _NULL_IF_OF_CSV
        rows.append((option, kind, _value(options, option, kind, default), default))
    return rows


def _settled_property(option: str) -> tuple[str, str]:
    """Return the type and the value of an option that has one value."""
    value = SETTLED_OPTIONS[option].accepted[0]
    return (_FLAG, value.lower()) if value in {"TRUE", "FALSE"} else (_TEXT, value)


def _options(found: FileFormatRecord) -> str:
    """Return the type and the options as a JSON object; a list of texts is an array."""
    values: dict[str, object] = {"TYPE": found.file_type}
    for option, value in found.options.items():
        values[option] = _texts(found.options) if option == "NULL_IF" else value
    return json.dumps(values, ensure_ascii=False)


def _texts(options: Mapping[str, str]) -> tuple[str, ...]:
    return FormatValues(options).texts("NULL_IF", ())


def _value(options: Mapping[str, str], option: str, kind: str, default: str) -> str:
    if option not in options:
        return default
    written = options[option]
    if kind == _LIST:
        return f"[{', '.join(_texts(options))}]"
    return written.lower() if kind == _FLAG else written
