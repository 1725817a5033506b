"""Table functions of INFORMATION_SCHEMA in FROM: COPY_HISTORY and STREAM_BACKLOG."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.names import INFORMATION_SCHEMA, ObjectName, fold
from icemelt.schema import DataType, Primitive
from icemelt.sql.analysis.points import Points
from icemelt.sql.analysis.table_functions import arguments_by_name, unwrap_call
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.statements import LoadInterval

__all__ = [
    "COPY_HISTORY",
    "COPY_HISTORY_COLUMNS",
    "STREAM_BACKLOG",
    "InformationCall",
    "find_information_call",
    "read_backlog_stream",
    "read_copy_history",
]

COPY_HISTORY, STREAM_BACKLOG = "COPY_HISTORY", "STREAM_BACKLOG"
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
_COPY_ARGUMENTS = ("table_name", "start_time", "end_time")
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
        return None
    path = call.this.parts if isinstance(call.this, exp.Dot) else [call.this]
    *database, schema = map(fold_identifier, path)
    if fold(schema) != INFORMATION_SCHEMA or len(database) > 1:
        return None
    function = call.expression.name.upper()
    if function not in {COPY_HISTORY, STREAM_BACKLOG}:
        raise NotYet(
            f"The table function {function} of INFORMATION_SCHEMA is not supported.",
            hint=f"Its functions are {COPY_HISTORY} and {STREAM_BACKLOG}.",
        )
    if node.args.get("when") or node.args.get("changes"):
        raise NotYet(f"{function} has no history of its own.", hint="Leave AT and CHANGES out.")
    return InformationCall(function, tuple(database), call.expression)


def read_backlog_stream(call: InformationCall) -> ObjectName:
    """Return the stream of STREAM_BACKLOG.

    Raises:
        SqlSyntaxError: the argument is no constant text.
    """
    arguments = arguments_by_name(call.call, ("stream_name",))
    return written_name(_text(arguments.get("stream_name"), "STREAM_BACKLOG('orders_changes')"))


def read_copy_history(call: InformationCall, points: Points) -> tuple[ObjectName, LoadInterval]:
    """Return the relation of loaded files of COPY_HISTORY, and which of its files are wanted.

    Args:
        call: the call.
        points: the reader of points of the statement.

    Raises:
        SqlSyntaxError: an argument is missing, or is not constant.
    """
    arguments = arguments_by_name(call.call, _COPY_ARGUMENTS)
    table = written_name(_text(arguments.get("table_name"), _COPY_EXAMPLE))
    if "start_time" not in arguments:
        raise SqlSyntaxError("COPY_HISTORY needs a START_TIME.", hint=_COPY_EXAMPLE)
    if call.database and len(table.parts) == 1:
        raise SqlSyntaxError(
            f"COPY_HISTORY of database {call.database[0]!r} needs the schema of {table.last!r}.",
            hint=f"Write TABLE_NAME => 'schema.{table.last}'.",
        )
    if call.database and len(table.parts) < _FULL_PARTS:
        table = ObjectName((*call.database, *table.parts))
    database = table.parts[:1] if len(table.parts) == _FULL_PARTS else call.database
    start = points.read_time(COPY_HISTORY, arguments["start_time"])
    end = points.read_time(COPY_HISTORY, arguments["end_time"]) if "end_time" in arguments else None
    relation = ObjectName((*database, INFORMATION_SCHEMA, "load_history"))
    return relation, LoadInterval(table, start, end)


def _text(node: exp.Expr | None, example: str) -> str:
    if node is None or not (isinstance(node, exp.RawString) or node.is_string):
        raise SqlSyntaxError("The name is a constant text.", hint=example)
    return str(node.name)
