"""What DROP and RENAME break: the views, streams, external tables and pipes that use an object."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from icemelt.catalog.defined_records import (
    ExternalTableRecord,
    FileFormatRecord,
    PipeRecord,
    StageRecord,
)
from icemelt.catalog.model import BY_ID, BY_NAME
from icemelt.catalog.queries.dependencies import readers_of
from icemelt.catalog.queries.finding import find_defined
from icemelt.catalog.records import SchemaObject, TableRecord, is_temporary
from icemelt.names import QualifiedName
from icemelt.session.runtime.core import Core

__all__ = ["describe_readers", "describe_readers_of_name"]

# how many readers a message names
_MAX_NAMED = 3


def describe_readers(core: Core, found: SchemaObject) -> str:
    """Return sentences about what uses an object that is dropped, empty if nothing does.

    Args:
        core: the session's parts.
        found: the object.
    """
    if is_temporary(found):
        return ""
    readers = [*_find_readers(core, found, {BY_NAME, BY_ID}), *_find_external_tables(core, found)]
    said = f" It is read by {_enumerate(readers)}." if readers else ""
    pipes = [f"pipe {str(pipe.name)!r}" for pipe in _find_pipes(core, found)]
    if pipes:
        said += f" It is used by {_enumerate(pipes)}, which cannot run without it."
    return said


def describe_readers_of_name(core: Core, found: SchemaObject) -> str:
    """Return sentences about what uses an object by a name that it gives up.

    Args:
        core: the session's parts.
        found: the object under its old name.
    """
    if is_temporary(found):
        return ""
    readers = _find_readers(core, found, {BY_NAME})
    pipes = [
        f"pipe {str(pipe.name)!r}"
        for pipe in _find_pipes(core, found)
        if any(_is_name_of(parts, found) for parts in (pipe.table, pipe.stage, pipe.file_format))
    ]
    said = f" By its old name it is read by {_enumerate(readers)}." if readers else ""
    if pipes:
        said += f" By its old name it is used by {_enumerate(pipes)}, which cannot run now."
    return said


def _find_readers(core: Core, found: SchemaObject, bindings: Collection[str]) -> list[str]:
    """Return the live views and streams that read an object, bound by name or by id."""
    name = None if found.name.space else found.name  # a task is read by no name
    with core.database.read() as connection:
        return [
            f"{reader.kind} {str(reader.name)!r}"
            for reader in readers_of(connection, found.object_id, name)
            if reader.binding in bindings and reader.dropped_at is None
        ]


def _find_external_tables(core: Core, found: SchemaObject) -> list[str]:
    """Return the external tables of a stage, and those whose files have a file format."""
    if not isinstance(found, StageRecord | FileFormatRecord):
        return []
    with core.database.read() as connection:
        tables = find_defined(connection, ExternalTableRecord)
    return [
        f"external table {str(table.name)!r}"
        for table in tables
        if table.stage_id == found.object_id or _is_named(table.format_name, found)
    ]


def _find_pipes(core: Core, found: SchemaObject) -> list[PipeRecord]:
    """Return the pipes that are bound to a table or a stage, or that name a file format."""
    if not isinstance(found, TableRecord | StageRecord | FileFormatRecord):
        return []
    with core.database.read() as connection:
        pipes = find_defined(connection, PipeRecord)
    return [
        pipe
        for pipe in pipes
        if found.object_id in (pipe.table_id, pipe.stage_id) or _is_named(pipe.file_format, found)
    ]


def _is_named(parts: tuple[str, ...] | None, found: SchemaObject) -> bool:
    """Tell whether an object is a file format, and a full name in parts is its name."""
    return isinstance(found, FileFormatRecord) and _is_name_of(parts, found)


def _is_name_of(parts: tuple[str, ...] | None, found: SchemaObject) -> bool:
    """Tell whether a full name in parts, None for no name, is that of an object."""
    return parts is not None and QualifiedName(*parts).folded == found.name.folded


def _enumerate(names: Iterable[str]) -> str:
    """Return names as a sentence lists them, of many the first.

    >>> _enumerate(["view 'a'", "view 'b'", "view 'c'", "view 'd'"])
    "view 'a', view 'b', view 'c' and 1 more"
    """
    names = [*names]
    more = len(names) - _MAX_NAMED
    if more > 0:
        names = [*names[:_MAX_NAMED], f"{more} more"]
    *others, last = names
    return f"{', '.join(others)}{' and ' if others else ''}{last}"
