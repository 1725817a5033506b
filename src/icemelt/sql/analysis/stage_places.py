"""Places of files in a stage: `@stage/path` as written, and the columns of the files in FROM."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from icemelt.errors import Never, SqlSyntaxError
from icemelt.names import ObjectName
from icemelt.schema import DataType, Primitive
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS
from icemelt.sql.analysis.scopes import object_name
from icemelt.sql.analysis.table_functions import arguments_by_name, is_true, unwrap_call
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.statements import FileSchema, StageDirectory, StageFiles, StagePath
from icemelt.values import is_whole_number

__all__ = [
    "SCHEMA_COLUMNS",
    "find_directory",
    "find_file_schema",
    "find_files",
    "first_column_type",
    "make_file_columns",
    "read_stage_place",
]

# the columns of INFER_SCHEMA, by name
SCHEMA_COLUMNS: dict[str, DataType | None] = {
    "column_name": Primitive("string"),
    "type": Primitive("string"),
    "nullable": Primitive("boolean"),
    "expression": Primitive("string"),
    "filenames": Primitive("string"),
    "order_id": Primitive("long"),
}
_SCHEMA_ARGUMENTS = (
    *("location", "file_format", "files", "ignore_case"),
    *("max_file_count", "max_records_per_file"),
)
_SCHEMA_EXAMPLE = "INFER_SCHEMA(LOCATION => '@stage/path', FILE_FORMAT => 'my_format')"
_LARGEST = 2**31 - 1
_NAME_AND_PATH = re.compile(r'((?:"(?:[^"]|"")*"|[^"/])*)(?:/(.*))?', re.DOTALL)


def read_stage_place(written: str) -> StagePath:
    """Return the stage and the path of a place.

    Args:
        written: the place with the `@`.

    Raises:
        Never: the stage is a user's or a table's own.
        SqlSyntaxError: the stage's name is none.

    >>> str(read_stage_place("@Sales.landing//2024/"))
    '@sales.landing/2024/'
    """
    named = written[1:]
    if named.startswith("~"):
        raise Never(
            "@~ is a user's own stage, and there are no users.",
            hint="CREATE STAGE my_files makes a stage with a name: @my_files.",
        )
    if named.startswith("%"):
        raise Never(
            f"@{named} is the stage of a table, and tables have no stages.",
            hint="CREATE STAGE my_files makes a stage with a name: @my_files.",
        )
    parts = _NAME_AND_PATH.fullmatch(named)
    name, path = (parts[1], parts[2]) if parts else (named, None)
    return StagePath(written_name(name), (path or "").lstrip("/"))


def find_files(table: exp.Expr) -> StageFiles | None:
    """Return the files that an entry of FROM reads, or None for a table.

    >>> find_files(exp.Table(this=exp.Var(this="@s/a"))).place
    StagePath(stage=ObjectName(parts=('s',)), path='a')
    """
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Var):
        return None
    if table.meta.get("directory"):
        return None
    if not table.name.startswith("@"):
        return None
    place, written = read_stage_place(table.name), table.args.get("format")
    pattern = table.args.get("pattern")
    file_type = table.meta.get("file_type")
    return StageFiles(place, _format_name(written), pattern.name if pattern else None, file_type)


def find_directory(table: exp.Expr) -> StageDirectory | None:
    """Return the directory table that an entry of FROM reads, or None for another entry."""
    if not table.meta.get("directory"):
        return None
    return StageDirectory(read_stage_place(table.name).stage)


def find_file_schema(node: exp.Expr) -> FileSchema | None:
    """Return the files of a call of INFER_SCHEMA in FROM, or None for another function.

    Raises:
        SqlSyntaxError: an argument is missing, unknown or no constant.

    >>> location = exp.Kwarg(this=exp.var("location"), expression=exp.Literal.string("@s/a"))
    >>> call = exp.Anonymous(this="INFER_SCHEMA", expressions=[location])
    >>> str(find_file_schema(exp.Table(this=call)).files.place)
    '@s/a'
    """
    call = unwrap_call(node)
    if call.name.upper() != "INFER_SCHEMA":
        return None
    found = arguments_by_name(call, _SCHEMA_ARGUMENTS)
    location = found.get("location")
    if not isinstance(location, exp.Literal) or not location.name.startswith("@"):
        raise SqlSyntaxError(
            "INFER_SCHEMA takes the place of files.", hint=f"Write {_SCHEMA_EXAMPLE}."
        )
    files = StageFiles(read_stage_place(location.name), _format_name(found.get("file_format")))
    listed = found.get("files")
    names = [] if listed is None else listed.expressions or [listed.unnest()]
    limits = [_limit(found.get(name), name) for name in ("max_file_count", "max_records_per_file")]
    return FileSchema(
        files,
        tuple(name.name for name in names),
        is_true(found.get("ignore_case")),
        *limits,
    )


def _limit(written: exp.Expr | None, name: str) -> int | None:
    if written is None:
        return None
    is_number = isinstance(written, exp.Literal) and is_whole_number(written.name, _LARGEST)
    if not is_number or int(written.name) < 1:
        raise SqlSyntaxError(
            f"{name.upper()} is a whole number from 1 on.", hint=f"Write {name.upper()} => 10."
        )
    return int(written.name)


def make_file_columns(
    node: exp.Table, types: Mapping[str, DataType] | None
) -> dict[str, DataType | None]:
    """Return the columns of files in FROM by name.

    A query that names `$2` adds the column (`Scope.name_at`). Column names of an alias leave the
    metadata out.

    Args:
        node: the entry of FROM.
        types: the type of `$1`; None where the file format is not known.
    """
    kind = None if types is None else types["$1"]
    aliases = len(node.alias_column_names)
    if aliases:
        return {f"${number}": kind for number in range(1, aliases + 1)}
    return {"$1": kind, **FILE_METADATA_COLUMNS}


def first_column_type(file_type: str) -> DataType:
    """Return the type of `$1` of files: a text in CSV files, else a whole record as a VARIANT."""
    return Primitive("string" if file_type == "CSV" else "variant")


def _format_name(written: exp.Expr | None) -> ObjectName | None:
    if written is None:
        return None
    if isinstance(written, exp.Literal):
        return written_name(written.name)
    return object_name(written)
