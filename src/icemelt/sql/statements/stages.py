"""Stages: CREATE and ALTER STAGE, LIST, REMOVE, and places in a stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing, RenameTable, UnsetOptions
from icemelt.sql.statements.file_formats import FileFormat

__all__ = [
    "AlterStage",
    "CreateStage",
    "ListFiles",
    "RemoveFiles",
    "SetStage",
    "StageAction",
    "StagePath",
    "StageProperties",
]


@dataclass(frozen=True, slots=True)
class StagePath:
    """`@stage/path`: the files of a stage whose path begins with `path`.

    `path` has no leading slash, and is empty for all files of the stage.
    """

    stage: ObjectName
    path: str = ""

    def __str__(self) -> str:
        """Return the place as written in a statement."""
        return f"@{self.stage}/{self.path}" if self.path else f"@{self.stage}"


@dataclass(frozen=True, slots=True)
class StageProperties:
    """The properties in CREATE STAGE and ALTER STAGE … SET; None for a property not written.

    `file_type`, `options` and `format_name` are of FILE_FORMAT, as in `CopyInto`.
    """

    url: str | None = None
    file_type: FileFormat | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    comment: str | None = None


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
class ListFiles:
    """`LIST @stage/path [PATTERN = '…']`."""

    place: StagePath
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    """`REMOVE @stage/path [PATTERN = '…']`."""

    place: StagePath
    pattern: str | None = None
