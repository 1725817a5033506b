"""Pipes: CREATE and ALTER PIPE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing

__all__ = ["AlterPipe", "CreatePipe", "RefreshPipe"]


@dataclass(frozen=True, slots=True)
class CreatePipe:
    """`CREATE PIPE name [AUTO_INGEST = b] [COMMENT = '…'] AS COPY INTO t FROM …`.

    `statement` is the text of the COPY INTO, whose short names belong to the pipe's schema.
    """

    name: ObjectName
    statement: str
    ingests_itself: bool = False
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class AlterPipe:
    """`ALTER PIPE [IF EXISTS] name {SET | UNSET} …`; None for a property that stays.

    UNSET COMMENT is the comment `""`, UNSET PIPE_EXECUTION_PAUSED a pipe that is not paused.
    """

    name: ObjectName
    is_paused: bool | None = None
    comment: str | None = None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RefreshPipe:
    """`ALTER PIPE [IF EXISTS] name REFRESH [PREFIX = '…'] [MODIFIED_AFTER = '…']`.

    Attributes:
        name: the pipe.
        prefix: how the paths of the files begin, after the pipe's location.
        modified_after: a time as text; older files are left out.
        if_exists: whether a missing pipe is no error.
    """

    name: ObjectName
    prefix: str = ""
    modified_after: str | None = None
    if_exists: bool = False
