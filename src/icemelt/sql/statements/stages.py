"""Stages: CREATE and ALTER STAGE, LIST, REMOVE, and places in a stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing, RenameTable, UnsetOptions
from icemelt.sql.statements.file_formats import FileFormat
from icemelt.sql.statements.places import StagePath

__all__ = [
    "AlterStage",
    "CreateStage",
    "GetFiles",
    "ListFiles",
    "PutFiles",
    "RefreshStage",
    "RemoveFiles",
    "SetStage",
    "StageAction",
    "StageProperties",
]


@dataclass(frozen=True, slots=True)
class StageProperties:
    """The properties in CREATE STAGE and ALTER STAGE … SET; None for a property not written.

    `file_type`, `options` and `format_name` are of FILE_FORMAT, as in `CopyInto`; the last three
    properties are of DIRECTORY: ENABLE, AUTO_REFRESH and REFRESH_ON_CREATE.
    """

    url: str | None = None
    file_type: FileFormat | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    comment: str | None = None
    has_directory: bool | None = None
    refreshes_itself: bool | None = None
    refreshes_on_create: bool | None = None


@dataclass(frozen=True, slots=True)
class CreateStage:
    """`CREATE [TEMPORARY] STAGE name properties`; without a URL the files are in the warehouse."""

    name: ObjectName
    properties: StageProperties = field(default_factory=StageProperties)
    existing: Existing = Existing.REFUSED
    temporary: bool = False
    runs_alone: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SetStage:
    """`SET properties`."""

    properties: StageProperties


StageAction = RenameTable | SetStage | UnsetOptions


@dataclass(frozen=True, slots=True)
class AlterStage:
    """`ALTER STAGE [IF EXISTS] name action`."""

    name: ObjectName
    action: StageAction
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RefreshStage:
    """`ALTER STAGE [IF EXISTS] name REFRESH [SUBPATH = 'path']`: list the files of the stage."""

    name: ObjectName
    subpath: str = ""
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ListFiles:
    """`LIST @stage/path [PATTERN = '…']`."""

    place: StagePath
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    """`REMOVE @stage/path [PATTERN = '…']`."""

    place: StagePath
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class PutFiles:
    """`PUT 'file:///path' @stage/path`: copies files of this machine.

    Attributes:
        source: the local path; `*` and `?` stand for characters of names.
        place: the folder in the stage.
        parallel: how many files are copied at once.
        auto_compress: whether files without compression are compressed by gzip.
        source_compression: the compression of the files, AUTO_DETECT by their endings.
        overwrite: whether a file of the name in the stage is replaced, and not skipped.
    """

    source: str
    place: StagePath
    parallel: int = 4
    auto_compress: bool = True
    source_compression: str = "AUTO_DETECT"
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class GetFiles:
    """`GET @stage/path 'file:///folder/'`: copies `parallel` files at once into a local folder."""

    place: StagePath
    target: str
    pattern: str | None = None
    parallel: int = 10
