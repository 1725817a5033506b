"""Reads of a query: tables at points, intervals, and the query's text with slots."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from icemelt.names import ObjectName, QualifiedName
from icemelt.sql.statements.places import FileSchema, StageDirectory, StageFiles

__all__ = [
    "ChangeFormat",
    "Changes",
    "ContextReference",
    "Deduplication",
    "DividedQuery",
    "LoadInterval",
    "PivotValues",
    "Point",
    "PointKind",
    "Query",
    "QueryPart",
    "RangeOptions",
    "ResultScan",
    "Select",
    "Side",
    "StatementFilter",
    "TableReference",
    "TaskDependents",
    "TaskRunFilter",
    "context_values",
    "fill",
    "unfilled",
]


class Side(enum.Enum):
    """Whether a point includes the named moment: AT includes the moment, BEFORE is just before."""

    AT = "AT"
    BEFORE = "BEFORE"


class PointKind(enum.Enum):
    """How a point is named."""

    TIMESTAMP = "TIMESTAMP"
    OFFSET = "OFFSET"
    STATEMENT = "STATEMENT"
    STREAM = "STREAM"
    VERSION = "VERSION"


@dataclass(frozen=True, slots=True)
class Point:
    """A moment, as a constant Spark SQL expression with a kind and a side."""

    side: Side
    kind: PointKind
    expression: str

    def with_context(self, filled: Mapping[str, str]) -> Point:
        """Return the point with context slots replaced, by slot."""
        return replace(self, expression=fill(self.expression, filled))


class ChangeFormat(enum.Enum):
    """The form in which changes are given."""

    DEFAULT = "DEFAULT"
    APPEND_ONLY = "APPEND_ONLY"
    INSERT_ONLY = "INSERT_ONLY"
    REDO_LOG = "REDO_LOG"


class Deduplication(enum.Enum):
    """The rows that CHANGES FROM leaves out, as in Spark.

    NONE keeps all written rows, also rows copied unchanged into another file. DROP_CARRYOVERS keeps
    every change of every version. NET_CHANGES keeps, for a row, the difference between the state
    before the first change and the state after the last change.
    """

    NONE = "none"
    DROP_CARRYOVERS = "dropCarryovers"
    NET_CHANGES = "netChanges"


@dataclass(frozen=True, slots=True)
class RangeOptions:
    """Options of CHANGES FROM: rows left out, and whether updates are marked as updates."""

    deduplication: Deduplication = Deduplication.DROP_CARRYOVERS
    computes_updates: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """An interval `(start, end]` and a format of changes; without `end` the interval ends now.

    `range` is set for `CHANGES FROM … TO …`, whose result has Spark's columns.
    """

    format: ChangeFormat
    start: Point
    end: Point | None = None
    range: RangeOptions | None = None

    def with_context(self, filled: Mapping[str, str]) -> Changes:
        """Return the interval with context slots replaced, by slot."""
        end = None if self.end is None else self.end.with_context(filled)
        return replace(self, start=self.start.with_context(filled), end=end)


@dataclass(frozen=True, slots=True)
class LoadInterval:
    """Which loaded files COPY_HISTORY returns: those of a table from a time on, up to `end`."""

    table: ObjectName
    start: Point
    end: Point | None = None

    def with_context(self, filled: Mapping[str, str]) -> LoadInterval:
        """Return the interval with context slots replaced, by slot."""
        end = None if self.end is None else self.end.with_context(filled)
        return replace(self, start=self.start.with_context(filled), end=end)


@dataclass(frozen=True, slots=True)
class StatementFilter:
    """Which statements of the history QUERY_HISTORY returns: the last to end, `limit` at most.

    Attributes:
        limit: how many statements are returned at most.
        start: the earliest time of the end, None for no bound.
        end: the latest time of the end, None for no bound.
        session: the session's id as a constant expression, None for all sessions.
        user: the user's name as a constant expression, None for all users.
    """

    limit: int
    start: Point | None = None
    end: Point | None = None
    session: str | None = None
    user: str | None = None

    def with_context(self, filled: Mapping[str, str]) -> StatementFilter:
        """Return the filter with context slots replaced, by slot."""
        return replace(
            self,
            start=None if self.start is None else self.start.with_context(filled),
            end=None if self.end is None else self.end.with_context(filled),
            session=None if self.session is None else fill(self.session, filled),
            user=None if self.user is None else fill(self.user, filled),
        )


@dataclass(frozen=True, slots=True)
class TaskDependents:
    """Which tasks TASK_DEPENDENTS returns: a task and its dependents.

    Attributes:
        task: the name of the task.
        is_recursive: whether dependents of dependents are returned, too.
    """

    task: ObjectName
    is_recursive: bool = True


@dataclass(frozen=True, slots=True)
class TaskRunFilter:
    """Which runs TASK_HISTORY, CURRENT_TASK_GRAPHS or COMPLETE_TASK_GRAPHS returns.

    Attributes:
        function: the name of the function, in upper case.
        limit: how many rows are returned at most: the last ones.
        start: the earliest scheduled time, None for no bound.
        end: the latest scheduled time, None for no bound.
        task: the own name of the task, or of the root of graphs, as a constant expression; None
            for all.
        root_id: the id of the root as a constant expression, None for all.
        errors_only: whether only runs that failed or were cancelled are returned.
    """

    function: str
    limit: int
    start: Point | None = None
    end: Point | None = None
    task: str | None = None
    root_id: str | None = None
    errors_only: bool = False

    def with_context(self, filled: Mapping[str, str]) -> TaskRunFilter:
        """Return the filter with context slots replaced, by slot."""
        return replace(
            self,
            start=None if self.start is None else self.start.with_context(filled),
            end=None if self.end is None else self.end.with_context(filled),
            task=None if self.task is None else fill(self.task, filled),
            root_id=None if self.root_id is None else fill(self.root_id, filled),
        )


@dataclass(frozen=True, slots=True)
class ResultScan:
    """`RESULT_SCAN('id')` or `RESULT_SCAN(LAST_QUERY_ID(n))` in FROM: the rows of a result.

    Attributes:
        statement_id: the id of the statement, None where `position` tells the statement.
        position: the statement's position in the session: 1 is the first, -1 the last.
    """

    statement_id: str | None
    position: int = -1


@dataclass(frozen=True, slots=True)
class TableReference:
    """A place in a query's text that reads a table.

    Attributes:
        slot: the identifier in the query's text for the table.
        name: the name of the table, view, stream or stage.
        point: the point of AT or BEFORE.
        changes: the interval of CHANGES.
        backlog: whether `name` is a stream's, and the rows are the stream's unread versions.
        files: the files that are read, whose columns or whose list, where `name` is a stage's.
        loads: which loaded files COPY_HISTORY returns, where `name` is INFORMATION_SCHEMA's
            LOAD_HISTORY.
        statements: which statements QUERY_HISTORY returns, where `name` is a relation of
            INFORMATION_SCHEMA.
        tasks: which tasks TASK_DEPENDENTS returns, where `name` is INFORMATION_SCHEMA's TASKS.
        runs: which runs of tasks TASK_HISTORY or a function of graphs returns, where `name` is a
            relation of INFORMATION_SCHEMA.
        result: the result that RESULT_SCAN returns, where `name` is a relation of
            INFORMATION_SCHEMA.
        columns: folded names of all table columns that the query may mean; None if unknown: all.
        conditions: conditions on partition columns that every row has to meet, as Spark SQL.
    """

    slot: str
    name: ObjectName
    point: Point | None = None
    changes: Changes | None = None
    backlog: bool = False
    files: StageFiles | FileSchema | StageDirectory | None = None
    loads: LoadInterval | None = None
    statements: StatementFilter | None = None
    tasks: TaskDependents | None = None
    runs: TaskRunFilter | None = None
    result: ResultScan | None = None
    columns: frozenset[str] | None = field(default=None, compare=False)
    conditions: tuple[str, ...] = field(default=(), compare=False)

    def may_mean(self, *names: str) -> bool:
        """Tell whether the query may mean one of some columns, by folded names."""
        return self.columns is None or not self.columns.isdisjoint(names)

    def with_context(self, filled: Mapping[str, str]) -> TableReference:
        """Return the reference with context slots of the points replaced, by slot."""
        point = None if self.point is None else self.point.with_context(filled)
        changes = None if self.changes is None else self.changes.with_context(filled)
        loads = None if self.loads is None else self.loads.with_context(filled)
        statements = None if self.statements is None else self.statements.with_context(filled)
        runs = None if self.runs is None else self.runs.with_context(filled)
        conditions = tuple(fill(condition, filled) for condition in self.conditions)
        return replace(
            self,
            point=point,
            changes=changes,
            loads=loads,
            statements=statements,
            runs=runs,
            conditions=conditions,
        )


@dataclass(frozen=True, slots=True)
class ContextReference:
    """A value of the session, such as the statement's clock; `slot` is the identifier in the text.

    `name` is CURRENT_TIMESTAMP, CURRENT_DATABASE, CURRENT_SCHEMA, CURRENT_USER, CURRENT_ROLE,
    CURRENT_SESSION, CURRENT_TRANSACTION, CURRENT_VERSION, CURRENT_WAREHOUSE, GETVARIABLE(n) with a
    folded name, LAST_QUERY_ID(n) with n from -1 down,
    SYSTEM$STREAM_HAS_DATA(s) or SYSTEM$STREAM_GET_TABLE_TIMESTAMP(s) with s as written, or a
    function for tasks, as SYSTEM$GET_TASK_GRAPH_CONFIG or SYSTEM$GET_TASK_GRAPH_CONFIG(path).
    """

    slot: str
    name: str


@dataclass(frozen=True, slots=True)
class QueryPart:
    """A query of WITH, which Spark can analyse before the queries that read the part.

    Attributes:
        slot: the identifier in the texts of later parts for the part.
        text: the query in Spark SQL with slots.
        is_subquery: whether the text may stand in parentheses where the slot is: no expression and
            no LATERAL reads the part.
    """

    slot: str
    text: str
    is_subquery: bool

    def bind_context(self, filled: Mapping[str, str]) -> QueryPart:
        """Return the part with context slots replaced, by slot."""
        return replace(self, text=fill(self.text, filled))


@dataclass(frozen=True, slots=True)
class DividedQuery:
    """A query without its WITH, and the queries of WITH in their order.

    Attributes:
        parts: the queries of WITH.
        text: the query in Spark SQL, with slots for tables and parts.
    """

    parts: tuple[QueryPart, ...]
    text: str

    def bind_context(self, filled: Mapping[str, str]) -> DividedQuery:
        """Return the query with context slots replaced, by slot."""
        parts = tuple(part.bind_context(filled) for part in self.parts)
        return DividedQuery(parts, fill(self.text, filled))


@dataclass(frozen=True, slots=True)
class Query:
    """A query in Spark SQL with slots.

    Attributes:
        text: the query.
        references: the tables read, in the order of the text.
        context: the values of the session in the text.
        functions: lower-case names of the functions called.
        inlined_size: the size of the largest column or condition, as a number of columns of the
            tables read.
        user_functions: the functions of users that are inlined, by full names with types.
        divided: the same query in parts; None for a query that Spark analyses as a whole.
    """

    text: str
    references: tuple[TableReference, ...] = ()
    context: tuple[ContextReference, ...] = ()
    functions: frozenset[str] = frozenset()
    inlined_size: int = field(default=1, compare=False)
    user_functions: tuple[QualifiedName, ...] = ()
    divided: DividedQuery | None = field(default=None, compare=False)

    def enclose(self, before: str, behind: str) -> Query:
        """Return the query with text in Spark SQL before and behind.

        >>> Query("SELECT 1").enclose("SELECT * FROM (", ") AS `q`").text
        'SELECT * FROM (SELECT 1) AS `q`'
        """
        divided = self.divided
        if divided is not None:
            divided = replace(divided, text=f"{before}{divided.text}{behind}")
        return replace(self, text=f"{before}{self.text}{behind}", divided=divided)

    def bind(self, relations: Mapping[str, str], values: Mapping[str, str] | None = None) -> str:
        """Return the text with every slot replaced by the slot's relation or value.

        Args:
            relations: a relation in Spark SQL for the slot of every reference.
            values: Spark SQL for further slots, as values of DEFAULT.

        >>> reference = TableReference("__t0__", ObjectName(("orders",)))
        >>> Query("SELECT * FROM __t0__ AS `orders`", (reference,)).bind({"__t0__": "`a`.`b`"})
        'SELECT * FROM `a`.`b` AS `orders`'
        """
        tables = {reference.slot: relations[reference.slot] for reference in self.references}
        return fill(self.text, {**tables, **(values or {})})

    def bind_context(self, values: Mapping[str, str]) -> Query:
        """Return the query with context slots replaced by the SQL given for the context name.

        Slots whose name has no SQL yet are left, as those of NEXTVAL.

        >>> clock = ContextReference("__c0__", "CURRENT_TIMESTAMP")
        >>> Query("SELECT __c0__", context=(clock,)).bind_context({"CURRENT_TIMESTAMP": "now"}).text
        'SELECT now'
        """
        filled = context_values(self.context, values)
        return replace(
            self,
            text=fill(self.text, filled),
            references=tuple(reference.with_context(filled) for reference in self.references),
            context=unfilled(self.context, values),
            divided=None if self.divided is None else self.divided.bind_context(filled),
        )


@dataclass(frozen=True, slots=True)
class PivotValues:
    """The values for a PIVOT over ANY or the rows of a query: the rows of one column of a query."""

    query: Query


@dataclass(frozen=True, slots=True)
class Select:
    """A query whose rows go to the user."""

    query: Query


def context_values(
    context: Iterable[ContextReference], values: Mapping[str, str]
) -> dict[str, str]:
    """Return the SQL for the context slots whose names have SQL, by slot."""
    return {
        reference.slot: values[reference.name] for reference in context if reference.name in values
    }


def unfilled(
    context: Iterable[ContextReference], values: Mapping[str, str]
) -> tuple[ContextReference, ...]:
    """Return the context values whose names have no SQL."""
    return tuple(reference for reference in context if reference.name not in values)


def fill(text: str, replacements: Mapping[str, str]) -> str:
    """Return the text with all slots replaced in one pass: no slot is looked for in a value.

    >>> fill("__a__ + __b__", {"__a__": "'__b__'", "__b__": "1"})
    "'__b__' + 1"
    """
    if not replacements:
        return text
    pattern = "|".join(re.escape(slot) for slot in replacements)
    return re.sub(pattern, lambda match: replacements[match[0]], text)
