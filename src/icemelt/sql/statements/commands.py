"""Statements without rows of tables: SHOW, DESCRIBE, USE, BEGIN and the like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import ObjectKind, SetOptions, UnsetOptions
from icemelt.sql.statements.reads import ContextReference, Point, Query, context_values

__all__ = [
    "AlterSession",
    "Begin",
    "Commit",
    "Describe",
    "DescribeHistory",
    "ExecuteImmediate",
    "Optimize",
    "Restore",
    "Rollback",
    "Show",
    "ShowChangeSupport",
    "Truncate",
    "Use",
    "UseNamed",
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
class UseNamed:
    """`USE {WAREHOUSE | ROLE} name`, `USE SECONDARY ROLES …`; `what` is WAREHOUSE or ROLE."""

    what: str
    name: str | None


@dataclass(frozen=True, slots=True)
class ExecuteImmediate:
    """`EXECUTE IMMEDIATE 'text' [USING (value, …)]`.

    Attributes:
        text: the statement.
        values: the constants for the `?` of the text, as `parse_statement` takes them.
    """

    text: str
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Truncate:
    """`TRUNCATE [TABLE] [IF EXISTS] name`."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Describe:
    """`DESC[RIBE] [TABLE | SCHEMA | DATABASE | STREAM | VIEW | TABLE STREAM] name`."""

    kind: ObjectKind
    name: ObjectName
    is_table_stream: bool = False


@dataclass(frozen=True, slots=True)
class DescribeHistory:
    """`DESC HISTORY name [LIMIT n]`."""

    name: ObjectName
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """`SHOW [TERSE] what [HISTORY] [LIKE] [IN …] [STARTS WITH] [LIMIT [FROM]]`.

    Attributes:
        what: the kind of object as upper-case plural; LOCKS and TRANSACTIONS take IN ACCOUNT only.
        like: an SQL pattern for names, in any case.
        scope_kind: the kind of the object after IN.
        scope: the name after IN. Without `scope_kind` the name is a schema, or else a database.
        account: whether IN ACCOUNT is written.
        starts_with: the beginning of names, in the given case.
        limit: the most rows to show; `limit_from` begins behind the given name.
        history: whether dropped objects are shown too.
        terse: whether only few columns are shown.
        where: a condition over the shown columns, of SHOW TABLE STREAMS only.
        roots_only: whether ROOT ONLY is written, of SHOW TASKS only.
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
    where: Query | None = None
    roots_only: bool = False


@dataclass(frozen=True, slots=True)
class ShowChangeSupport:
    """`SHOW CHANGE SUPPORT FOR VIEW name`."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class Optimize:
    """`OPTIMIZE [TABLE] name`: compact small files and deletion vectors."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class Restore:
    """`RESTORE TABLE name TO {TIMESTAMP | VERSION} AS OF e`: the rows of then, as a new version."""

    name: ObjectName
    point: Point
    context: tuple[ContextReference, ...] = ()

    def bind_context(self, values: Mapping[str, str]) -> Restore:
        """Return the statement with context slots of the point replaced."""
        filled = context_values(self.context, values)
        return replace(self, point=self.point.with_context(filled), context=())


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
