"""What a statement says, as plain data.

`parse` makes these objects from a text. A query inside a statement is Spark SQL with *slots*: for
every table that the query reads, the text holds a unique identifier. `bind` replaces the identifier
by the relation for the table. Written values, defaults and points are Spark SQL expressions. The
statement's clock and session values, as CURRENT_USER, are slots too; `bind_context` fills them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from icemelt.sql.statements.clones import CreateClone, SwapTables
from icemelt.sql.statements.commands import (
    AlterSession,
    Begin,
    Commit,
    Describe,
    DescribeHistory,
    ExecuteImmediate,
    Optimize,
    Restore,
    Rollback,
    Show,
    ShowChangeSupport,
    Truncate,
    Use,
    UseNamed,
)
from icemelt.sql.statements.definitions import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    AlterContainer,
    AlterTable,
    CreateContainer,
    CreateTable,
    Drop,
    DropColumns,
    DropConstraint,
    Existing,
    ForeignKey,
    ObjectKind,
    PrimaryKey,
    RenameColumn,
    RenameTable,
    SetOptions,
    SetPrimaryKey,
    TableAction,
    TableKey,
    Undrop,
    UniqueKey,
    UnsetOptions,
)
from icemelt.sql.statements.external_tables import (
    AddVirtualColumns,
    AlterExternalTable,
    CreateExternalTable,
    ExternalTableAction,
    RefreshExternalTable,
    RegisterPaths,
    SetExternalTable,
)
from icemelt.sql.statements.file_formats import (
    AlterFileFormat,
    CreateFileFormat,
    FileFormat,
    FileFormatAction,
    SetFormatOptions,
    join_texts,
    split_texts,
)
from icemelt.sql.statements.functions import (
    AlterFunction,
    Argument,
    CreateFunction,
    FunctionAction,
    sign,
    type_word,
)
from icemelt.sql.statements.pipes import AlterPipe, CreatePipe, RefreshPipe
from icemelt.sql.statements.places import FileSchema, StageDirectory, StageFiles, StagePath
from icemelt.sql.statements.reads import (
    ChangeFormat,
    Changes,
    ContextReference,
    Deduplication,
    DividedQuery,
    LoadInterval,
    PivotValues,
    Point,
    PointKind,
    Query,
    QueryPart,
    RangeOptions,
    ResultScan,
    Select,
    Side,
    StatementFilter,
    TableReference,
    TaskDependents,
    TaskRunFilter,
)
from icemelt.sql.statements.sequences import (
    AlterSequence,
    CreateSequence,
    Identity,
    NextValue,
    SequenceAction,
    SetSequence,
    read_identity,
)
from icemelt.sql.statements.stages import (
    AlterStage,
    CreateStage,
    GetFiles,
    ListFiles,
    PutFiles,
    RefreshStage,
    RemoveFiles,
    SetStage,
    StageAction,
    StageProperties,
)
from icemelt.sql.statements.streams import (
    AdvanceStream,
    AlterStream,
    Ask,
    CreateStream,
    ResetStream,
    SetOnMissing,
    StreamAction,
)
from icemelt.sql.statements.tasks import (
    AddPredecessors,
    AlterTask,
    BodyStatement,
    CancelRuns,
    CreateTask,
    EnableTasks,
    ExecuteTask,
    ModifyBody,
    ModifyCondition,
    RemovePredecessors,
    ResumeTask,
    SetFinalize,
    SetReturnValue,
    SetTask,
    SuspendTask,
    TaskAction,
    TaskBody,
    UnsetTask,
)
from icemelt.sql.statements.variables import SetVariables, UnsetVariables, Variable
from icemelt.sql.statements.views import AlterView, CreateView, ViewAction, ViewColumn
from icemelt.sql.statements.writes import (
    Assignment,
    Branch,
    CopyInto,
    Effect,
    Insert,
    InsertAll,
    RepeatedKeyQuery,
    RowLevel,
    RowLevelKind,
    Unload,
    UnnamedColumns,
)

__all__ = [
    "AddColumn",
    "AddConstraint",
    "AddPredecessors",
    "AddVirtualColumns",
    "AdvanceStream",
    "AlterColumn",
    "AlterContainer",
    "AlterExternalTable",
    "AlterFileFormat",
    "AlterFunction",
    "AlterPipe",
    "AlterSequence",
    "AlterSession",
    "AlterStage",
    "AlterStream",
    "AlterTable",
    "AlterTask",
    "AlterView",
    "Argument",
    "Ask",
    "Assignment",
    "Begin",
    "BodyStatement",
    "Branch",
    "CancelRuns",
    "ChangeFormat",
    "Changes",
    "Commit",
    "ContextReference",
    "CopyInto",
    "CreateClone",
    "CreateContainer",
    "CreateExternalTable",
    "CreateFileFormat",
    "CreateFunction",
    "CreatePipe",
    "CreateSequence",
    "CreateStage",
    "CreateStream",
    "CreateTable",
    "CreateTask",
    "CreateView",
    "Deduplication",
    "Describe",
    "DescribeHistory",
    "DividedQuery",
    "Drop",
    "DropColumns",
    "DropConstraint",
    "Effect",
    "EnableTasks",
    "ExecuteImmediate",
    "ExecuteTask",
    "Existing",
    "Explain",
    "ExternalTableAction",
    "FileFormat",
    "FileFormatAction",
    "FileSchema",
    "ForeignKey",
    "FunctionAction",
    "GetFiles",
    "Identity",
    "Insert",
    "InsertAll",
    "ListFiles",
    "LoadInterval",
    "ModifyBody",
    "ModifyCondition",
    "NextValue",
    "ObjectKind",
    "Optimize",
    "PivotValues",
    "Point",
    "PointKind",
    "PrimaryKey",
    "PutFiles",
    "Query",
    "QueryPart",
    "RangeOptions",
    "RefreshExternalTable",
    "RefreshPipe",
    "RefreshStage",
    "RegisterPaths",
    "RemoveFiles",
    "RemovePredecessors",
    "RenameColumn",
    "RenameTable",
    "RepeatedKeyQuery",
    "ResetStream",
    "Restore",
    "ResultScan",
    "ResumeTask",
    "Rollback",
    "RowLevel",
    "RowLevelKind",
    "Select",
    "SequenceAction",
    "SetExternalTable",
    "SetFinalize",
    "SetFormatOptions",
    "SetOnMissing",
    "SetOptions",
    "SetPrimaryKey",
    "SetReturnValue",
    "SetSequence",
    "SetStage",
    "SetTask",
    "SetVariables",
    "Show",
    "ShowChangeSupport",
    "Side",
    "StageAction",
    "StageDirectory",
    "StageFiles",
    "StagePath",
    "StageProperties",
    "Statement",
    "StatementFilter",
    "StreamAction",
    "SuspendTask",
    "SwapTables",
    "TableAction",
    "TableKey",
    "TableReference",
    "TaskAction",
    "TaskBody",
    "TaskDependents",
    "TaskRunFilter",
    "Truncate",
    "Undrop",
    "UniqueKey",
    "Unload",
    "UnnamedColumns",
    "UnsetOptions",
    "UnsetTask",
    "UnsetVariables",
    "Use",
    "UseNamed",
    "Variable",
    "ViewAction",
    "ViewColumn",
    "bind_context",
    "context_names",
    "join_texts",
    "read_identity",
    "sign",
    "split_texts",
    "type_word",
]


@dataclass(frozen=True, slots=True)
class Explain:
    """`EXPLAIN [ANALYZE] [EXTENDED] [USING TEXT] statement`.

    EXTENDED shows all of Spark's plan. ANALYZE runs the statement.
    """

    statement: Statement
    is_extended: bool = False
    is_analyzed: bool = False


Statement = (
    Select
    | Insert
    | InsertAll
    | RowLevel
    | CopyInto
    | Unload
    | CreateTable
    | CreateClone
    | SwapTables
    | CreateContainer
    | CreateStream
    | CreateView
    | CreateFileFormat
    | CreateStage
    | CreateExternalTable
    | CreatePipe
    | CreateSequence
    | AlterSequence
    | CreateFunction
    | AlterFunction
    | Drop
    | Undrop
    | AlterTable
    | AlterContainer
    | AlterStream
    | AlterView
    | AlterFileFormat
    | AlterStage
    | RefreshStage
    | AlterExternalTable
    | RefreshExternalTable
    | RegisterPaths
    | AlterPipe
    | RefreshPipe
    | CreateTask
    | AlterTask
    | EnableTasks
    | SetReturnValue
    | ExecuteTask
    | ExecuteImmediate
    | CancelRuns
    | AlterSession
    | SetVariables
    | UnsetVariables
    | Use
    | UseNamed
    | Truncate
    | Describe
    | DescribeHistory
    | Show
    | ShowChangeSupport
    | ListFiles
    | RemoveFiles
    | PutFiles
    | GetFiles
    | Ask
    | Optimize
    | Restore
    | Begin
    | Commit
    | Rollback
    | Explain
)


def context_names(statement: Statement) -> frozenset[str]:
    """Return the names of the context values needed by a statement.

    >>> clock = ContextReference("__c0__", "CURRENT_TIMESTAMP")
    >>> sorted(context_names(Select(Query("SELECT __c0__", context=(clock,)))))
    ['CURRENT_TIMESTAMP']
    """
    match statement:
        case Explain(inner):
            return context_names(inner)
        case RowLevel() | CreateStream() | AlterStream() | Restore() | CreateClone():
            return frozenset(reference.name for reference in statement.context)
        case Select() | Insert() | InsertAll() | Unload() | SetReturnValue() | SetVariables():
            return frozenset(reference.name for reference in statement.query.context)
        case (
            CreateTable(query=Query(context=context))
            | CreateTable(template=Query(context=context))
            | CopyInto(query=Query(context=context))
            | Show(where=Query(context=context))
        ):
            return frozenset(reference.name for reference in context)
        case _:
            return frozenset()


def bind_context(statement: Statement, values: Mapping[str, str]) -> Statement:
    """Return the statement with every context slot replaced by SQL, looked up by context name.

    >>> clock = ContextReference("__c0__", "CURRENT_TIMESTAMP")
    >>> select = Select(Query("SELECT __c0__", context=(clock,)))
    >>> bound = bind_context(select, {"CURRENT_TIMESTAMP": "TIMESTAMP_LTZ '2024-01-01 00:00:00Z'"})
    >>> bound.query.text
    "SELECT TIMESTAMP_LTZ '2024-01-01 00:00:00Z'"
    """
    match statement:
        case Explain(inner):
            return replace(statement, statement=bind_context(inner, values))
        case RowLevel() | InsertAll() | CreateStream() | AlterStream() | Restore() | CreateClone():
            return statement.bind_context(values)
        case Select() | Insert() | Unload() | SetReturnValue() | SetVariables():
            return replace(statement, query=statement.query.bind_context(values))
        case CopyInto(query=Query() as query, probe=probe):
            bound = None if probe is None else probe.bind_context(values)
            return replace(statement, query=query.bind_context(values), probe=bound)
        case CreateTable(query=Query() as query):
            return replace(statement, query=query.bind_context(values))
        case CreateTable(template=Query() as template):
            return replace(statement, template=template.bind_context(values))
        case Show(where=Query() as where):
            return replace(statement, where=where.bind_context(values))
        case _:
            return statement
