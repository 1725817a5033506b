"""Statements about views: CREATE VIEW and ALTER VIEW."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing, RenameTable, SetOptions, UnsetOptions

__all__ = ["AlterView", "CreateView", "ViewAction", "ViewColumn"]


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """A name that CREATE VIEW gives a column."""

    name: str
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class CreateView:
    """`CREATE VIEW name [(columns)] [COMMENT] AS query`.

    `query` is the text as written. Names in the text are resolved later, when the view's schema is
    known.
    """

    name: ObjectName
    query: str
    columns: tuple[ViewColumn, ...] = ()
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False


ViewAction = RenameTable | SetOptions | UnsetOptions


@dataclass(frozen=True, slots=True)
class AlterView:
    """`ALTER VIEW [IF EXISTS] name action`; SET and UNSET are of COMMENT only."""

    name: ObjectName
    action: ViewAction
    if_exists: bool = False
