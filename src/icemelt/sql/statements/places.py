"""Places in a stage, and the files there as rows of a query."""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.names import ObjectName

__all__ = ["FileSchema", "StageDirectory", "StageFiles", "StagePath"]


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
class StageFiles:
    """The files of a stage in FROM: `@stage/path (FILE_FORMAT => 'f', PATTERN => '.*')`.

    COPY INTO from a query gives the type of the files where its FILE_FORMAT has no name. Without
    `format_name` and `file_type` the files have the stage's file format.
    """

    place: StagePath
    format_name: ObjectName | None = None
    pattern: str | None = None
    file_type: str | None = None


@dataclass(frozen=True, slots=True)
class FileSchema:
    """`INFER_SCHEMA(LOCATION => '@stage/path', FILE_FORMAT => 'f')` in FROM.

    Attributes:
        files: the files.
        names: the names of FILES, none for all files.
        ignore_case: whether names that differ in their case alone are one column.
        max_files: how many files are read at most.
        max_records: how many records of a file are read at most, of formats without types.
    """

    files: StageFiles
    names: tuple[str, ...] = ()
    ignore_case: bool = False
    max_files: int | None = None
    max_records: int | None = None


@dataclass(frozen=True, slots=True)
class StageDirectory:
    """`DIRECTORY(@stage)` in FROM: the directory table of a stage."""

    stage: ObjectName
