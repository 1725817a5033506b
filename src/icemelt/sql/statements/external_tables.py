"""External tables: CREATE and ALTER EXTERNAL TABLE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.schema import VirtualColumn
from icemelt.sql.statements.definitions import (
    DropColumns,
    Existing,
    RenameColumn,
    RenameTable,
    UnsetOptions,
)
from icemelt.sql.statements.file_formats import FileFormat
from icemelt.sql.statements.places import StagePath

__all__ = [
    "AddVirtualColumns",
    "AlterExternalTable",
    "CreateExternalTable",
    "ExternalTableAction",
    "RefreshExternalTable",
    "RegisterPaths",
    "SetExternalTable",
]


@dataclass(frozen=True, slots=True)
class CreateExternalTable:
    """`CREATE EXTERNAL TABLE name (columns) [PARTITION BY (…)] LOCATION = @stage/path options`.

    `file_type`, `options` and `format_name` are of FILE_FORMAT, as in `CopyInto`; without a
    `file_type` and a name the files have the stage's file format.
    """

    name: ObjectName
    place: StagePath
    columns: tuple[VirtualColumn, ...] = ()
    partition_by: tuple[str, ...] = ()
    pattern: str | None = None
    file_type: FileFormat | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    skips_files: bool = False
    refreshes_itself: bool = False
    refreshes_on_create: bool = True
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SetExternalTable:
    """`SET [AUTO_REFRESH = b] [ON_ERROR = …] [COMMENT = …]`; None for what is not written."""

    refreshes_itself: bool | None = None
    skips_files: bool | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class AddVirtualColumns:
    """`ADD [COLUMN] [IF NOT EXISTS] name TYPE AS (expression), …`."""

    columns: tuple[VirtualColumn, ...]
    if_not_exists: bool = False


ExternalTableAction = (
    AddVirtualColumns | DropColumns | RenameColumn | RenameTable | SetExternalTable | UnsetOptions
)


@dataclass(frozen=True, slots=True)
class AlterExternalTable:
    """`ALTER EXTERNAL TABLE [IF EXISTS] name action`."""

    name: ObjectName
    action: ExternalTableAction
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RefreshExternalTable:
    """`ALTER EXTERNAL TABLE [IF EXISTS] name REFRESH ['path']`: list the files below a path."""

    name: ObjectName
    path: str = ""
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RegisterPaths:
    """`ALTER EXTERNAL TABLE [IF EXISTS] name {ADD | REMOVE} FILES ('path', …)`."""

    name: ObjectName
    paths: tuple[str, ...]
    adds: bool
    if_exists: bool = False
