"""What a statement says, as plain data.

`parse` makes these from text. Queries inside them are Spark SQL with *slots*: each table the text
reads stands in it as one unique identifier, which `bind` replaces by what the table resolved to. A
written value, a default and a point are Spark SQL expressions. The statement's clock and session
are slots too, filled by `bind_context`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from icemelt.sql.statements.commands import (
    AlterSession,
    Begin,
    Commit,
    Describe,
    DescribeHistory,
    Optimize,
    Restore,
    Rollback,
    Show,
    ShowChangeSupport,
    Truncate,
    Use,
)
from icemelt.sql.statements.definitions import (
    AddColumn,
    AlterColumn,
    AlterContainer,
    AlterTable,
    CreateContainer,
    CreateTable,
    Drop,
    DropColumns,
    Existing,
    ObjectKind,
    PrimaryKey,
    RenameColumn,
    RenameTable,
    SetOptions,
    SetPrimaryKey,
    TableAction,
    Undrop,
    UnsetOptions,
)
from icemelt.sql.statements.reads import (
    ChangeFormat,
    Changes,
    ContextReference,
    Deduplication,
    Point,
    PointKind,
    Query,
    RangeOptions,
    Select,
    Side,
    TableReference,
)
from icemelt.sql.statements.streams import (
    AdvanceStream,
    AlterStream,
    Ask,
    CreateStream,
    ResetStream,
    StreamAction,
)
from icemelt.sql.statements.views import AlterView, CreateView, ViewAction, ViewColumn
from icemelt.sql.statements.writes import (
    Assignment,
    Branch,
    CopyInto,
    Effect,
    FileFormat,
    Insert,
    InsertAll,
    Repeats,
    RowLevel,
    RowLevelKind,
    Unload,
    Unnamed,
)

__all__ = [
    "AddColumn",
    "AdvanceStream",
    "AlterColumn",
    "AlterContainer",
    "AlterSession",
    "AlterStream",
    "AlterTable",
    "AlterView",
    "Ask",
    "Assignment",
    "Begin",
    "Branch",
    "ChangeFormat",
    "Changes",
    "Commit",
    "ContextReference",
    "CopyInto",
    "CreateContainer",
    "CreateStream",
    "CreateTable",
    "CreateView",
    "Deduplication",
    "Describe",
    "DescribeHistory",
    "Drop",
    "DropColumns",
    "Effect",
    "Existing",
    "Explain",
    "FileFormat",
    "Insert",
    "InsertAll",
    "ObjectKind",
    "Optimize",
    "Point",
    "PointKind",
    "PrimaryKey",
    "Query",
    "RangeOptions",
    "RenameColumn",
    "RenameTable",
    "Repeats",
    "ResetStream",
    "Restore",
    "Rollback",
    "RowLevel",
    "RowLevelKind",
    "Select",
    "SetOptions",
    "SetPrimaryKey",
    "Show",
    "ShowChangeSupport",
    "Side",
    "Statement",
    "StreamAction",
    "TableAction",
    "TableReference",
    "Truncate",
    "Undrop",
    "Unload",
    "Unnamed",
    "UnsetOptions",
    "Use",
    "ViewAction",
    "ViewColumn",
    "bind_context",
    "context_names",
]


@dataclass(frozen=True, slots=True)
class Explain:
    """`EXPLAIN statement`."""

    statement: Statement


Statement = (
    Select
    | Insert
    | InsertAll
    | RowLevel
    | CopyInto
    | Unload
    | CreateTable
    | CreateContainer
    | CreateStream
    | CreateView
    | Drop
    | Undrop
    | AlterTable
    | AlterContainer
    | AlterStream
    | AlterView
    | AlterSession
    | Use
    | Truncate
    | Describe
    | DescribeHistory
    | Show
    | ShowChangeSupport
    | Ask
    | Optimize
    | Restore
    | Begin
    | Commit
    | Rollback
    | Explain
)


def context_names(statement: Statement) -> frozenset[str]:
    """Return the names of the context values that a statement needs.

    >>> clock = ContextReference("__c0__", "CURRENT_TIMESTAMP")
    >>> sorted(context_names(Select(Query("SELECT __c0__", context=(clock,)))))
    ['CURRENT_TIMESTAMP']
    """
    match statement:
        case Explain(inner):
            return context_names(inner)
        case RowLevel() | CreateStream() | AlterStream() | Restore():
            return frozenset(each.name for each in statement.context)
        case Select() | Insert() | InsertAll() | Unload():
            return frozenset(each.name for each in statement.query.context)
        case CreateTable(query=Query(context=context)) | Show(where=Query(context=context)):
            return frozenset(each.name for each in context)
        case _:
            return frozenset()


def bind_context(statement: Statement, values: Mapping[str, str]) -> Statement:
    """Return the statement with every context slot replaced by the SQL given for its name.

    >>> clock = ContextReference("__c0__", "CURRENT_TIMESTAMP")
    >>> select = Select(Query("SELECT __c0__", context=(clock,)))
    >>> bound = bind_context(select, {"CURRENT_TIMESTAMP": "TIMESTAMP_LTZ '2024-01-01 00:00:00Z'"})
    >>> bound.query.text
    "SELECT TIMESTAMP_LTZ '2024-01-01 00:00:00Z'"
    """
    match statement:
        case Explain(inner):
            return Explain(bind_context(inner, values))
        case RowLevel() | InsertAll() | CreateStream() | AlterStream() | Restore():
            return statement.bind_context(values)
        case Select() | Insert() | Unload():
            return replace(statement, query=statement.query.bind_context(values))
        case CreateTable(query=Query() as query):
            return replace(statement, query=query.bind_context(values))
        case Show(where=Query() as where):
            return replace(statement, where=where.bind_context(values))
        case _:
            return statement
