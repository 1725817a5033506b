"""Statements about definitions: CREATE, ALTER, DROP, UNDROP."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from icemelt.names import ObjectName
from icemelt.schema import Column, DataType
from icemelt.sql.statements.reads import Query

__all__ = [
    "AddColumn",
    "AddConstraint",
    "AlterColumn",
    "AlterContainer",
    "AlterTable",
    "CreateContainer",
    "CreateTable",
    "Drop",
    "DropColumns",
    "DropConstraint",
    "Existing",
    "ForeignKey",
    "ObjectKind",
    "PrimaryKey",
    "RenameColumn",
    "RenameTable",
    "SetOptions",
    "SetPrimaryKey",
    "TableAction",
    "TableKey",
    "Undrop",
    "UniqueKey",
    "UnsetOptions",
]


class ObjectKind(enum.Enum):
    """The kinds of objects with names."""

    DATABASE = "database"
    SCHEMA = "schema"
    TABLE = "table"
    STREAM = "stream"
    VIEW = "view"
    FILE_FORMAT = "file format"
    STAGE = "stage"
    EXTERNAL_TABLE = "external table"
    PIPE = "pipe"
    SEQUENCE = "sequence"
    FUNCTION = "function"
    TASK = "task"


class Existing(enum.Enum):
    """How CREATE treats an existing object of the same name; the value is the statement's words."""

    REFUSED = ""
    KEPT = "IF NOT EXISTS"
    REPLACED = "OR REPLACE"
    ALTERED = "OR ALTER"


@dataclass(frozen=True, slots=True)
class PrimaryKey:
    """A declared key; with `rely` the key is the identity of rows."""

    columns: tuple[str, ...]
    rely: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """`[CONSTRAINT name] UNIQUE (columns)`; nothing depends on it."""

    columns: tuple[str, ...]
    rely: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`[CONSTRAINT name] FOREIGN KEY (columns) REFERENCES table (references)`.

    Without `references` it is the primary key of the table. Nothing depends on it.
    """

    columns: tuple[str, ...]
    table: ObjectName
    references: tuple[str, ...] = ()
    rely: bool = False
    name: str | None = None


TableKey = PrimaryKey | UniqueKey | ForeignKey


@dataclass(frozen=True, slots=True)
class CreateTable:
    """`CREATE TABLE name (columns)`, `… AS query`, `… LIKE other` or `… USING TEMPLATE (query)`.

    `options` has the upper-case names of the table's parameters: DATA_RETENTION_TIME_IN_DAYS,
    MAX_DATA_EXTENSION_TIME_IN_DAYS, CHANGE_TRACKING, ERROR_LOGGING, COMMENT. `partition_by` has
    Spark's partition transforms as text, from `PARTITION BY` or `CLUSTER BY`.
    """

    name: ObjectName
    columns: tuple[Column, ...] = ()
    primary_key: PrimaryKey | None = None
    query: Query | None = None
    like: ObjectName | None = None
    existing: Existing = Existing.REFUSED
    temporary: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    partition_by: tuple[str, ...] = ()
    template: Query | None = None
    constraints: tuple[UniqueKey | ForeignKey, ...] = ()

    @property
    def runs_alone(self) -> bool:
        """Whether the table is published at once: an empty temporary table joins no transaction."""
        return self.temporary and self.query is None


@dataclass(frozen=True, slots=True)
class CreateContainer:
    """`CREATE DATABASE` or `CREATE SCHEMA`."""

    kind: ObjectKind
    name: ObjectName
    existing: Existing = Existing.REFUSED
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drop:
    """`DROP {DATABASE | SCHEMA | TABLE | STREAM | VIEW}`."""

    kind: ObjectKind
    name: ObjectName
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class Undrop:
    """`UNDROP {DATABASE | SCHEMA | TABLE | STREAM | VIEW}`."""

    kind: ObjectKind
    name: ObjectName


@dataclass(frozen=True, slots=True)
class AddColumn:
    """`ADD COLUMN [IF NOT EXISTS]`."""

    column: Column
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumns:
    """`DROP COLUMN [IF EXISTS] a, b`."""

    columns: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """`RENAME COLUMN a TO b`."""

    column: str
    to: str


@dataclass(frozen=True, slots=True)
class AlterColumn:
    """`ALTER COLUMN`: None for a part that stays as before.

    `default` is an expression, or "" for DROP DEFAULT.
    """

    column: str
    type: DataType | None = None
    nullable: bool | None = None
    default: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class RenameTable:
    """`RENAME TO`."""

    to: ObjectName


@dataclass(frozen=True, slots=True)
class SetOptions:
    """`SET name = value …`; names upper case, values as text without quotes."""

    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UnsetOptions:
    """`UNSET name, …`."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetPrimaryKey:
    """`ADD PRIMARY KEY (…)`, or `DROP PRIMARY KEY` where `key` is None."""

    key: PrimaryKey | None


@dataclass(frozen=True, slots=True)
class AddConstraint:
    """`ADD [CONSTRAINT name] {UNIQUE | FOREIGN KEY} (…) …`."""

    constraint: UniqueKey | ForeignKey


@dataclass(frozen=True, slots=True)
class DropConstraint:
    """`DROP CONSTRAINT name`, or `DROP {UNIQUE | FOREIGN KEY} (columns)`.

    Attributes:
        name: the name, None where kind and columns tell the constraint.
        kind: UNIQUE or FOREIGN KEY.
        columns: the columns.
    """

    name: str | None
    kind: str = ""
    columns: tuple[str, ...] = ()


TableAction = (
    AddColumn
    | DropColumns
    | RenameColumn
    | AlterColumn
    | RenameTable
    | SetOptions
    | UnsetOptions
    | SetPrimaryKey
    | AddConstraint
    | DropConstraint
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """`ALTER TABLE [IF EXISTS] name action, …`."""

    name: ObjectName
    actions: tuple[TableAction, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterContainer:
    """`ALTER {DATABASE | SCHEMA} [IF EXISTS] name {SET | UNSET} …`."""

    kind: ObjectKind
    name: ObjectName
    action: SetOptions | UnsetOptions
    if_exists: bool = False
