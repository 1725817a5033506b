"""Statements about streams: CREATE, ALTER, and system calls answered without a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import (
    Existing,
    ObjectKind,
    RenameTable,
    SetOptions,
    UnsetOptions,
)
from icemelt.sql.statements.reads import ChangeFormat, ContextReference, Point, context_values

__all__ = [
    "AdvanceStream",
    "AlterStream",
    "Ask",
    "CreateStream",
    "ResetStream",
    "SetOnMissing",
    "StreamAction",
]


@dataclass(frozen=True, slots=True)
class CreateStream:
    """`CREATE STREAM name {ON kind source | CLONE stream}`, or `CREATE TABLE STREAM`.

    Attributes:
        source: the source's name; None for a clone.
        source_kind: TABLE, VIEW, DYNAMIC TABLE, EXTERNAL TABLE or STAGE.
        point: where the stream begins; None for now.
        mode: the format of the changes.
        show_initial_rows: whether the first read gives the source's rows as inserts.
        clone: the name of the copied stream.
        on_missing: ERROR or SKIP, what a read does about files that are gone; empty if not written.
        is_table_stream: whether CREATE TABLE STREAM is written: the stream has Singdata's columns.
        context: the values of the session in the point.
    """

    name: ObjectName
    source: ObjectName | None
    source_kind: str = "TABLE"
    point: Point | None = None
    mode: ChangeFormat = ChangeFormat.DEFAULT
    show_initial_rows: bool = False
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    clone: ObjectName | None = None
    on_missing: str = ""
    is_table_stream: bool = False
    context: tuple[ContextReference, ...] = ()
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False

    def bind_context(self, values: Mapping[str, str]) -> CreateStream:
        """Return the statement with context slots of the point replaced."""
        filled = context_values(self.context, values)
        point = None if self.point is None else self.point.with_context(filled)
        return replace(self, point=point, context=())


@dataclass(frozen=True, slots=True)
class AdvanceStream:
    """`ADVANCE [TO AT (…)]`: leave changes up to a point unread; no point is now."""

    point: Point | None = None

    def with_context(self, filled: Mapping[str, str]) -> AdvanceStream:
        """Return the action with context slots of the point replaced, by slot."""
        return self if self.point is None else AdvanceStream(self.point.with_context(filled))


@dataclass(frozen=True, slots=True)
class ResetStream:
    """`RESET TO AT (…)`: read the changes since a point, again or not."""

    point: Point

    def with_context(self, filled: Mapping[str, str]) -> ResetStream:
        """Return the action with context slots of the point replaced, by slot."""
        return ResetStream(self.point.with_context(filled))


@dataclass(frozen=True, slots=True)
class SetOnMissing:
    """`SET ON_MISSING = {ERROR | SKIP}`: what a read does about files that are gone."""

    on_missing: str


StreamAction = RenameTable | SetOptions | UnsetOptions | SetOnMissing | AdvanceStream | ResetStream


@dataclass(frozen=True, slots=True)
class AlterStream:
    """`ALTER STREAM [IF EXISTS] name action`; SET and UNSET are of COMMENT and ON_MISSING."""

    name: ObjectName
    action: StreamAction
    if_exists: bool = False
    context: tuple[ContextReference, ...] = ()

    def bind_context(self, values: Mapping[str, str]) -> AlterStream:
        """Return the statement with context slots of the point replaced."""
        action = self.action
        if isinstance(action, AdvanceStream | ResetStream):
            action = action.with_context(context_values(self.context, values))
        return replace(self, action=action, context=())


@dataclass(frozen=True, slots=True)
class Ask:
    """A system call that the session answers without Spark.

    `function` is SYSTEM$STREAM_HAS_DATA, SYSTEM$STREAM_GET_TABLE_TIMESTAMP,
    SYSTEM$ABORT_TRANSACTION, GET_DDL, or a function for the body of a task. `argument` is None
    where a function for tasks has none. `column` is the name of the result's column. `kind` is the
    kind of the object in a GET_DDL.
    """

    function: str
    argument: str | None
    column: str
    kind: ObjectKind | None = None
