"""File formats in a schema, as COPY INTO reads and writes files by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from icemelt.catalog.defined_records import FileFormatRecord, StageRecord
from icemelt.names import ObjectName
from icemelt.session.files.read_options import (
    OPTIONS_FOR_LOADING,
    read_options,
)
from icemelt.session.runtime.core import Core
from icemelt.sql.statements import CopyInto, FileFormat, StagePath, Unload

__all__ = [
    "find_file_format",
    "find_format",
    "resolve_load_format",
    "resolve_unload_format",
    "validate_format_options",
]


def resolve_load_format(core: Core, statement: CopyInto) -> CopyInto:
    """Return COPY INTO a table with the type and the options of the named format, or the stage's.

    Raises:
        ObjectNotFound: there is no such file format, or no such stage.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    found = find_format(core, statement.path, statement.format_name, statement.has_format)
    if found is None:
        return statement
    return replace(statement, format=FileFormat[found.file_type], format_options=found.options)


def resolve_unload_format(core: Core, statement: Unload) -> Unload:
    """Return COPY INTO a location with the type and options of the named format, or the stage's.

    The options that only reading has, as SKIP_HEADER, are left out: one file format serves both.

    Raises:
        ObjectNotFound: there is no such file format, or no such stage.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    found = find_format(core, statement.location, statement.format_name, statement.has_format)
    if found is None:
        return statement
    options = {
        name: value for name, value in found.options.items() if name not in OPTIONS_FOR_LOADING
    }
    file_format = FileFormat[found.file_type]
    return replace(statement, file_format=file_format, format_options=options)


def find_file_format(core: Core, name: ObjectName) -> FileFormatRecord:
    """Return the file format of a name.

    Raises:
        ObjectNotFound: there is no such file format.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    return core.object_of(FileFormatRecord, name)


def find_format(
    core: Core,
    place: str | StagePath,
    name: ObjectName | None,
    has_format: bool = False,  # noqa: FBT001, FBT002 - as in the statements
) -> FileFormatRecord | StageRecord | None:
    """Return what has the file format of a statement; None if only the statement can have one.

    Args:
        core: the session's parts.
        place: the place of the files.
        name: the file format that the statement names, if any.
        has_format: whether the statement has a file format itself.

    Raises:
        ObjectNotFound: there is no such file format, or no such stage.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    if name is not None:
        return find_file_format(core, name)
    if has_format or isinstance(place, str):
        return None
    stage = core.object_of(StageRecord, place.stage)
    if stage.format_name is None:
        return stage
    return find_file_format(core, ObjectName(stage.format_name))


def validate_format_options(file_format: FileFormat, options: Mapping[str, str]) -> None:
    """Refuse the options of a file format that COPY INTO would refuse.

    Reading takes all options that writing takes; a value may still be one that writing refuses,
    as another ENCODING than UTF-8.

    Raises:
        DefinitionRefused: an option is unknown, has a bad value, or does not fit the others.
        NotYet: Snowflake has the option, icemelt does not yet.
    """
    read_options(file_format, options)
