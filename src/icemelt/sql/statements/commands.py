"""What asks, chooses and brackets: SHOW, DESCRIBE, USE, BEGIN and the like."""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import ObjectKind, SetOptions, UnsetOptions

__all__ = [
    "AlterSession",
    "Begin",
    "Commit",
    "Describe",
    "DescribeHistory",
    "Optimize",
    "Rollback",
    "Show",
    "ShowChangeSupport",
    "Truncate",
    "Use",
]


@dataclass(frozen=True, slots=True)
class AlterSession:
    """`ALTER SESSION {SET | UNSET}`; option names upper case."""

    action: SetOptions | UnsetOptions


@dataclass(frozen=True, slots=True)
class Use:
    """`USE [DATABASE | SCHEMA] name`; `kind` None where the word was left out."""

    kind: ObjectKind | None
    name: ObjectName


@dataclass(frozen=True, slots=True)
class Truncate:
    """`TRUNCATE [TABLE] [IF EXISTS] name`."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Describe:
    """`DESC[RIBE] [TABLE | SCHEMA | DATABASE | STREAM | VIEW] name`."""

    kind: ObjectKind
    name: ObjectName


@dataclass(frozen=True, slots=True)
class DescribeHistory:
    """`DESC HISTORY name [LIMIT n]`."""

    name: ObjectName
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """`SHOW [TERSE] {DATABASES | SCHEMAS | TABLES | COLUMNS | STREAMS | VIEWS} [HISTORY] [LIKE] …`.

    `what` is the upper-case plural; LOCKS and TRANSACTIONS take IN ACCOUNT only. `like` is a SQL
    pattern, matched without regard to case. A `scope` without a `scope_kind` is a schema or, where
    there is none of that name, a database.
    """

    what: str
    like: str | None = None
    scope_kind: ObjectKind | None = None
    scope: ObjectName | None = None
    account: bool = False
    starts_with: str | None = None
    limit: int | None = None
    limit_from: str | None = None
    history: bool = False
    terse: bool = False


@dataclass(frozen=True, slots=True)
class ShowChangeSupport:
    """`SHOW CHANGE SUPPORT FOR VIEW name`."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class Optimize:
    """`OPTIMIZE [TABLE] name`: compact small files and deletion vectors."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class Begin:
    """`BEGIN [TRANSACTION] [NAME n]`, `START TRANSACTION`."""

    name: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """`COMMIT`."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """`ROLLBACK`."""
