"""Table functions of INFORMATION_SCHEMA in FROM: COPY_HISTORY, QUERY_HISTORY and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.names import INFORMATION_SCHEMA, ObjectName, fold
from icemelt.schema import DataType, Primitive
from icemelt.sql.analysis.points import Points
from icemelt.sql.analysis.table_functions import arguments_by_name, unwrap_call
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.statements import (
    LoadInterval,
    Point,
    StatementFilter,
    TaskDependents,
    TaskRunFilter,
)
from icemelt.values import is_whole_number

__all__ = [
    "COMPLETE_TASK_GRAPHS",
    "COPY_HISTORY",
    "COPY_HISTORY_COLUMNS",
    "CURRENT_TASK_GRAPHS",
    "MOST_STATEMENTS",
    "QUERY_HISTORY_COLUMNS",
    "STREAM_BACKLOG",
    "TASK_DEPENDENTS",
    "TASK_DEPENDENTS_COLUMNS",
    "TASK_HISTORY",
    "TASK_RUN_COLUMNS",
    "InformationCall",
    "find_information_call",
    "read_backlog_stream",
    "read_copy_history",
    "read_query_history",
    "read_task_dependents",
    "read_task_runs",
]

COPY_HISTORY, STREAM_BACKLOG = "COPY_HISTORY", "STREAM_BACKLOG"
TASK_DEPENDENTS, TASK_HISTORY = "TASK_DEPENDENTS", "TASK_HISTORY"
CURRENT_TASK_GRAPHS, COMPLETE_TASK_GRAPHS = "CURRENT_TASK_GRAPHS", "COMPLETE_TASK_GRAPHS"
_QUERY_HISTORY = "QUERY_HISTORY"
_OF_SESSION, _OF_USER = f"{_QUERY_HISTORY}_BY_SESSION", f"{_QUERY_HISTORY}_BY_USER"
# the functions, and the arguments of QUERY_HISTORY and its variants
_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    COPY_HISTORY: ("table_name", "start_time", "end_time"),
    _QUERY_HISTORY: ("end_time_range_start", "end_time_range_end", "result_limit"),
    _OF_SESSION: ("session_id", "end_time_range_start", "end_time_range_end", "result_limit"),
    _OF_USER: ("user_name", "end_time_range_start", "end_time_range_end", "result_limit"),
    STREAM_BACKLOG: ("stream_name",),
    TASK_DEPENDENTS: ("task_name", "recursive"),
    TASK_HISTORY: (
        *("scheduled_time_range_start", "scheduled_time_range_end", "result_limit"),
        *("task_name", "error_only", "root_task_id"),
    ),
    CURRENT_TASK_GRAPHS: ("result_limit", "root_task_name"),
    COMPLETE_TASK_GRAPHS: ("result_limit", "root_task_name", "error_only"),
}
# the columns of COPY_HISTORY, by name
COPY_HISTORY_COLUMNS: dict[str, DataType | None] = {
    "file_name": Primitive("string"),
    "last_load_time": Primitive("timestamptz"),
    "row_count": Primitive("long"),
    "row_parsed": Primitive("long"),
    "file_size": Primitive("long"),
    "first_error_message": Primitive("string"),
    "first_error_line_number": Primitive("long"),
    "first_error_column_name": Primitive("string"),
    "error_count": Primitive("long"),
    "status": Primitive("string"),
    "table_catalog_name": Primitive("string"),
    "table_schema_name": Primitive("string"),
    "table_name": Primitive("string"),
    "pipe_catalog_name": Primitive("string"),
    "pipe_schema_name": Primitive("string"),
    "pipe_name": Primitive("string"),
}
# the columns of QUERY_HISTORY, by name
QUERY_HISTORY_COLUMNS: dict[str, DataType | None] = {
    "query_id": Primitive("string"),
    "query_text": Primitive("string"),
    "database_name": Primitive("string"),
    "schema_name": Primitive("string"),
    "query_type": Primitive("string"),
    "session_id": Primitive("string"),
    "user_name": Primitive("string"),
    "execution_status": Primitive("string"),
    "error_code": Primitive("string"),
    "error_message": Primitive("string"),
    "start_time": Primitive("timestamptz"),
    "end_time": Primitive("timestamptz"),
    "total_elapsed_time": Primitive("long"),
    "transaction_id": Primitive("string"),
    "status": Primitive("string"),
    "rows_changed": Primitive("long"),
    "commit_number": Primitive("long"),
    "files_skipped": Primitive("long"),
}
# the columns of TASK_DEPENDENTS, by name
TASK_DEPENDENTS_COLUMNS: dict[str, DataType | None] = {
    "created_on": Primitive("timestamptz"),
    **dict.fromkeys(("name", "database_name", "schema_name", "owner"), Primitive("string")),
    **dict.fromkeys(("comment", "warehouse", "schedule", "predecessors"), Primitive("string")),
    **dict.fromkeys(("state", "definition", "condition"), Primitive("string")),
}
# of all functions
MOST_STATEMENTS = 10_000
# Snowflake, "TASK_HISTORY", "CURRENT_TASK_GRAPHS"
_DEFAULT_RUNS, _DEFAULT_GRAPHS = 100, 1_000
# the columns of TASK_HISTORY and of the functions of graphs, by name
_GRAPH_COLUMNS: dict[str, DataType | None] = {
    **dict.fromkeys(("root_task_name", "database_name", "schema_name"), Primitive("string")),
    **dict.fromkeys(("state", "scheduled_from", "first_error_task_name"), Primitive("string")),
    **dict.fromkeys(("first_error_code", "first_error_message"), Primitive("string")),
    **dict.fromkeys(("scheduled_time", "query_start_time"), Primitive("timestamptz")),
    **dict.fromkeys(("next_scheduled_time", "completed_time"), Primitive("timestamptz")),
    "root_task_id": Primitive("string"),
    **dict.fromkeys(("graph_version", "run_id", "attempt_number"), Primitive("long")),
    "config": Primitive("string"),
    "graph_run_group_id": Primitive("long"),
}
TASK_RUN_COLUMNS: Mapping[str, dict[str, DataType | None]] = {
    TASK_HISTORY: {
        **dict.fromkeys(("query_id", "name", "database_name", "schema_name"), Primitive("string")),
        **dict.fromkeys(("query_text", "condition_text", "state"), Primitive("string")),
        **dict.fromkeys(("error_code", "error_message"), Primitive("string")),
        **dict.fromkeys(("scheduled_time", "query_start_time"), Primitive("timestamptz")),
        **dict.fromkeys(("next_scheduled_time", "completed_time"), Primitive("timestamptz")),
        "root_task_id": Primitive("string"),
        **dict.fromkeys(("graph_version", "run_id"), Primitive("long")),
        **dict.fromkeys(("return_value", "scheduled_from"), Primitive("string")),
        "attempt_number": Primitive("long"),
        "config": Primitive("string"),
        "graph_run_group_id": Primitive("long"),
    },
    CURRENT_TASK_GRAPHS: {
        name: kind for name, kind in _GRAPH_COLUMNS.items() if name != "completed_time"
    },
    COMPLETE_TASK_GRAPHS: _GRAPH_COLUMNS,
}
_COPY_EXAMPLE = (
    "COPY_HISTORY(TABLE_NAME => 'orders', START_TIME => DATEADD('hour', -1, CURRENT_TIMESTAMP))"
)
_FULL_PARTS = 3


@dataclass(frozen=True, slots=True)
class InformationCall:
    """A call of a table function of INFORMATION_SCHEMA.

    Attributes:
        function: the name of the function, in upper case.
        database: the database before INFORMATION_SCHEMA, none or one part.
        call: the call, with its arguments.
    """

    function: str
    database: tuple[str, ...]
    call: exp.Expr


def find_information_call(node: exp.Expr) -> InformationCall | None:
    """Return the call of a function of INFORMATION_SCHEMA in FROM, None for any other function.

    Raises:
        NotYet: INFORMATION_SCHEMA has no such function, or the call has AT or CHANGES.
    """
    call = unwrap_call(node)
    if not isinstance(call, exp.Dot):
        if isinstance(call, exp.Anonymous) and call.name.upper() in _FUNCTIONS:
            name = call.name.upper()
            raise NotYet(
                f"The table function {name} is a function of INFORMATION_SCHEMA.",
                hint=f"Write FROM TABLE(INFORMATION_SCHEMA.{name}(…)).",
            )
        return None
    path = call.this.parts if isinstance(call.this, exp.Dot) else [call.this]
    *database, schema = map(fold_identifier, path)
    if fold(schema) != INFORMATION_SCHEMA or len(database) > 1:
        return None
    function = call.expression.name.upper()
    if function not in _FUNCTIONS:
        raise NotYet(
            f"The table function {function} of INFORMATION_SCHEMA is not supported.",
            hint=f"Its functions are {', '.join(_FUNCTIONS)}.",
        )
    if node.args.get("when") or node.args.get("changes"):
        raise NotYet(f"{function} has no history of its own.", hint="Leave AT and CHANGES out.")
    return InformationCall(function, tuple(database), call.expression)


def read_backlog_stream(call: InformationCall) -> ObjectName:
    """Return the stream of STREAM_BACKLOG.

    Raises:
        SqlSyntaxError: the argument is no constant text.
    """
    arguments = arguments_by_name(call.call, _FUNCTIONS[STREAM_BACKLOG])
    return written_name(_text(arguments.get("stream_name"), "STREAM_BACKLOG('orders_changes')"))


def read_copy_history(call: InformationCall, points: Points) -> tuple[ObjectName, LoadInterval]:
    """Return the relation of loaded files of COPY_HISTORY, and which of its files are wanted.

    Args:
        call: the call.
        points: the reader of points of the statement.

    Raises:
        SqlSyntaxError: an argument is missing, or is not constant.
    """
    arguments = arguments_by_name(call.call, _FUNCTIONS[COPY_HISTORY])
    table = written_name(_text(arguments.get("table_name"), _COPY_EXAMPLE))
    if "start_time" not in arguments:
        raise SqlSyntaxError("COPY_HISTORY needs a START_TIME.", hint=_COPY_EXAMPLE)
    relation, table = _within_database(call, table, "load_history", "TABLE_NAME")
    start = points.read_time(COPY_HISTORY, arguments["start_time"])
    end = _read_time(points, COPY_HISTORY, arguments.get("end_time"))
    return relation, LoadInterval(table, start, end)


def read_task_dependents(call: InformationCall) -> tuple[ObjectName, TaskDependents]:
    """Return the relation of tasks of TASK_DEPENDENTS, and which of its tasks are wanted.

    Raises:
        SqlSyntaxError: an argument is missing, or is no constant.
    """
    example = "TASK_DEPENDENTS(TASK_NAME => 'root', RECURSIVE => FALSE)"
    arguments = arguments_by_name(call.call, _FUNCTIONS[TASK_DEPENDENTS])
    task = written_name(_text(arguments.get("task_name"), example))
    is_recursive = _read_flag(arguments, "recursive", example, default=True)
    relation, task = _within_database(call, task, "tasks", "TASK_NAME")
    return relation, TaskDependents(task, is_recursive=is_recursive)


def read_task_runs(call: InformationCall, points: Points) -> TaskRunFilter:
    """Return which runs TASK_HISTORY, CURRENT_TASK_GRAPHS or COMPLETE_TASK_GRAPHS returns.

    Args:
        call: the call.
        points: the reader of points of the statement.

    Raises:
        SqlSyntaxError: there is no such argument, RESULT_LIMIT is out of bounds, or ERROR_ONLY is
            no constant.
        PointNotConstant: an argument is no constant expression.
    """
    function = call.function
    arguments = arguments_by_name(call.call, _FUNCTIONS[function])

    def text(name: str) -> str | None:
        written = arguments.get(name)
        return None if written is None else points.read_constant(function, written)

    default = _DEFAULT_RUNS if function == TASK_HISTORY else _DEFAULT_GRAPHS
    example = f"{function}(ERROR_ONLY => TRUE)"
    return TaskRunFilter(
        function,
        _read_limit(arguments.get("result_limit"), function, default),
        _read_time(points, function, arguments.get("scheduled_time_range_start")),
        _read_time(points, function, arguments.get("scheduled_time_range_end")),
        task=text("task_name") or text("root_task_name"),
        root_id=text("root_task_id"),
        errors_only=_read_flag(arguments, "error_only", example, default=False),
    )


def _read_flag(
    arguments: Mapping[str, exp.Expr], name: str, example: str, *, default: bool
) -> bool:
    written = arguments.get(name)
    if written is None:
        return default
    if not isinstance(written, exp.Boolean):
        raise SqlSyntaxError(f"{name.upper()} is TRUE or FALSE.", hint=example)
    return bool(written.this)


def _within_database(
    call: InformationCall, name: ObjectName, relation: str, argument: str
) -> tuple[ObjectName, ObjectName]:
    """Return the name of a relation that has an object, and the object's name, of one database.

    Args:
        call: the call, which may name the database.
        name: the object's name as written.
        relation: the relation's name.
        argument: the argument that has the object's name, for the error.

    Raises:
        SqlSyntaxError: the call names a database, and the object's name has no schema.
    """
    if call.database and len(name.parts) == 1:
        raise SqlSyntaxError(
            f"{call.function} of database {call.database[0]!r} needs the schema of {name.last!r}.",
            hint=f"Write {argument} => 'schema.{name.last}'.",
        )
    if call.database and len(name.parts) < _FULL_PARTS:
        name = ObjectName((*call.database, *name.parts))
    database = name.parts[:1] if len(name.parts) == _FULL_PARTS else call.database
    return ObjectName((*database, INFORMATION_SCHEMA, relation)), name


def read_query_history(call: InformationCall, points: Points) -> StatementFilter:
    """Return which statements QUERY_HISTORY returns, or QUERY_HISTORY_BY_SESSION or …_BY_USER.

    Args:
        call: the call.
        points: the reader of points of the statement.

    Raises:
        SqlSyntaxError: there is no such argument, or RESULT_LIMIT is out of bounds.
        PointNotConstant: an argument is no constant expression.
    """
    function = call.function
    arguments = arguments_by_name(call.call, _FUNCTIONS[function])

    def own(name: str, default: str) -> str:
        written = arguments.get(name) or exp.Anonymous(this=default)
        return points.read_constant(function, written)

    return StatementFilter(
        _read_limit(arguments.get("result_limit"), function, MOST_STATEMENTS),
        _read_time(points, function, arguments.get("end_time_range_start")),
        _read_time(points, function, arguments.get("end_time_range_end")),
        session=own("session_id", "CURRENT_SESSION") if function == _OF_SESSION else None,
        user=own("user_name", "CURRENT_USER") if function == _OF_USER else None,
    )


def _read_time(points: Points, function: str, written: exp.Expr | None) -> Point | None:
    return None if written is None else points.read_time(function, written)


def _read_limit(written: exp.Expr | None, function: str, default: int) -> int:
    if written is None:
        return default
    digits = written.name if isinstance(written, exp.Literal) and not written.is_string else ""
    bounds = [
        f", and a time: {name.upper()} => '2024-05-01'"
        for name in _FUNCTIONS[function]
        if name.endswith("_range_end")
    ]
    if not is_whole_number(digits) or not 1 <= int(digits) <= MOST_STATEMENTS:
        raise SqlSyntaxError(
            f"RESULT_LIMIT of {function} is a whole number from 1 to {MOST_STATEMENTS:,}.",
            hint=f"Write RESULT_LIMIT => 100{''.join(bounds)}.",
        )
    return int(digits)


def _text(node: exp.Expr | None, example: str) -> str:
    if node is None or not (isinstance(node, exp.RawString) or node.is_string):
        raise SqlSyntaxError("The name is a constant text.", hint=example)
    return str(node.name)
