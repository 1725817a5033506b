"""CREATE EXTERNAL TABLE and ALTER EXTERNAL TABLE."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from icemelt.errors import DefinitionRefused, Never
from icemelt.names import find_nearest, fold
from icemelt.schema import Column, DataType, Primitive, VirtualColumn
from icemelt.sql.analysis.data_types import data_type
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.kept_texts import refuse_given_values
from icemelt.sql.grammar.options import read_choice, read_flag, read_option_names
from icemelt.sql.grammar.stages import read_stage_path
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AddVirtualColumns,
    AlterExternalTable,
    CreateExternalTable,
    DropColumns,
    Existing,
    ExternalTableAction,
    RefreshExternalTable,
    RegisterPaths,
    RenameColumn,
    RenameTable,
    SetExternalTable,
    UnsetOptions,
)

__all__ = ["read_alter_external_table", "read_create_external_table", "take_external_table"]

_OPTIONS = (
    "AUTO_REFRESH",
    "COMMENT",
    "FILE_FORMAT",
    "LOCATION",
    "ON_ERROR",
    "PARTITION",
    "PATTERN",
    "REFRESH_ON_CREATE",
)
_SET = ("AUTO_REFRESH", "COMMENT", "ON_ERROR")
_NEVER = {
    "AWS_SNS_TOPIC": "AUTO_REFRESH = TRUE lists the files; no notifications are needed.",
    "INTEGRATION": "AUTO_REFRESH = TRUE lists the files; no notifications are needed.",
    "TABLE_FORMAT": "An Iceberg table is a table of the lake: SHOW TABLES.",
    "PARTITION_TYPE": "PARTITION BY (column) computes the partitions of METADATA$FILENAME.",
}
# what ON_ERROR is written as, and whether a file that cannot be read is passed over
_ON_ERROR = {"ABORT_STATEMENT": False, "SKIP_FILE": True}


def take_external_table(reader: StatementReader) -> bool:
    """Take the words EXTERNAL TABLE, if they are next."""
    return reader.take("EXTERNAL", "TABLE")


def read_create_external_table(reader: StatementReader, existing: Existing) -> CreateExternalTable:
    """Read the rest of `CREATE [OR REPLACE] EXTERNAL TABLE [IF NOT EXISTS]`."""
    name = reader.read_object_name("external table")
    columns = _read_columns(reader) if reader.is_at("(") else ()
    values: dict[str, Any] = {}
    met: set[str] = set()
    while not reader.is_at_end:
        if not (reader.take(",") or reader.take("WITH")):
            _read_option(reader, values, met)
    if "place" not in values:
        hint = f"CREATE EXTERNAL TABLE {name} (…) LOCATION = @stage/path/ FILE_FORMAT = (…)"
        reader.fail("An external table needs a LOCATION.", hint=hint)
    return CreateExternalTable(name, columns=columns, existing=existing, **values)


def read_alter_external_table(
    reader: StatementReader,
) -> AlterExternalTable | RefreshExternalTable | RegisterPaths:
    """Read the rest of `ALTER EXTERNAL TABLE`: `[IF EXISTS] name action`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("external table")
    match reader.need_one("REFRESH", "ADD", "REMOVE", "RENAME", "SET", "UNSET", "DROP"):
        case "REFRESH":
            path = "" if reader.is_at_end else reader.read_string("a path below the location")
            return RefreshExternalTable(name, path, if_exists)
        case ("ADD" | "REMOVE") as word if word == "REMOVE" or _is_at_paths(reader):
            paths = _read_paths(reader, word)
            return RegisterPaths(name, paths, adds=word == "ADD", if_exists=if_exists)
        case "ADD":
            action: ExternalTableAction = _read_new_columns(reader)
        case "RENAME" if reader.take("TO"):
            action = RenameTable(reader.read_object_name("external table"))
        case "RENAME":
            action = _read_new_name(reader)
        case "SET":
            action = _read_set(reader)
        case "DROP":
            action = _read_dropped_columns(reader)
        case _:
            action = UnsetOptions(read_option_names(reader))
    return AlterExternalTable(name, action, if_exists)


def _read_new_columns(reader: StatementReader) -> AddVirtualColumns:
    """Read `[COLUMN] [IF NOT EXISTS] name TYPE AS (expression), …`."""
    _refuse_partition(reader)
    reader.take("COLUMN")
    if_not_exists = reader.take("IF", "NOT", "EXISTS")
    return AddVirtualColumns(tuple(reader.read_list(lambda: _read_column(reader))), if_not_exists)


def _read_dropped_columns(reader: StatementReader) -> DropColumns:
    """Read `[COLUMN] [IF EXISTS] name, …`."""
    _refuse_partition(reader)
    reader.take("COLUMN")
    if_exists = reader.take("IF", "EXISTS")
    return DropColumns(tuple(reader.read_list(lambda: reader.read_name("column name"))), if_exists)


def _read_new_name(reader: StatementReader) -> RenameColumn:
    """Read `[COLUMN] name TO name`."""
    reader.take("COLUMN")
    column = reader.read_name("column name")
    reader.need("TO")
    return RenameColumn(column, reader.read_name("column name"))


def _refuse_partition(reader: StatementReader) -> None:
    if reader.is_at("PARTITION"):
        raise Never(
            "Partitions of an external table are not added or dropped by hand.",
            hint="REFRESH finds the files; PARTITION BY (column) computes their partitions.",
        )


def _read_columns(reader: StatementReader) -> tuple[VirtualColumn, ...]:
    reader.need("(")
    columns = reader.read_list(lambda: _read_column(reader))
    if not reader.take(")"):
        hint = "Write each column as name TYPE AS (expression)."
        reader.fail(f"Expected , or ), found {reader.next_text}.", hint=hint)
    return tuple(columns)


def _read_column(reader: StatementReader) -> VirtualColumn:
    """Read `name TYPE AS (expression) [NOT NULL] [COMMENT '…']`."""
    name = reader.read_name("column name")
    data_type = reader.read_type()
    nullable, comment, written = True, None, None
    while not reader.is_at_end and not reader.is_at(",") and not reader.is_at(")"):
        if reader.take("AS"):
            written = _read_virtual(reader, data_type)
        elif reader.take("NOT", "NULL"):
            nullable = False
        elif reader.take("NULL"):
            nullable = True
        elif reader.take("COMMENT"):
            comment = reader.read_comment()
        else:
            hint = "Write name TYPE AS (expression) [NOT NULL] [COMMENT '…']."
            reader.fail(f"Expected , or ), found {reader.next_text}.", hint=hint)
    if written is None:
        hint = f"{name} … AS (VALUE:{name}::…), or of a CSV file AS (VALUE:c1::…)"
        reader.fail(f"Column {name!r} of an external table needs AS (expression).", hint=hint)
    return VirtualColumn(Column(name, data_type, nullable, comment=comment), *written)


def _read_virtual(reader: StatementReader, wanted: DataType) -> tuple[str, str | None]:
    """Read `(expression)`; return its text, and the member of VALUE that it is."""
    start = reader.mark()
    reader.need("(")
    before = reader.mark()
    node = reader.read_expression("an expression over VALUE")
    tokens = reader.tokens_since(before)
    refuse_given_values(reader, tokens, "A column of an external table")
    if not reader.take(")"):
        reader.back(start)
        reader.fail("The expression of a column is not closed.", hint="AS (VALUE:name::VARCHAR)")
    if node.find(exp.Query) is not None:
        raise DefinitionRefused(
            "The expression of an external table's column has a query.",
            hint="Make a view over the external table.",
        )
    text = reader.text[tokens[0].start : tokens[-1].end + 1]
    return text, find_member(node, wanted)


def find_member(node: exp.Expr, wanted: DataType) -> str | None:
    """Return the member of VALUE that an expression is, cast to the column's type; else None.

    >>> from icemelt.sql.reader import tokenize
    >>> from icemelt.sql.analysis.parameters import Parameters
    >>> reader = StatementReader("value:Id::INT", tokenize("value:Id::INT"), Parameters(None))
    >>> find_member(reader.read_expression(), Primitive("long"))
    'Id'
    """
    node = node.unnest()
    if isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast):
        if not _is_as_wide(data_type(node.to), wanted):
            return None
        node = node.this.unnest()
    if isinstance(node, exp.Bracket):
        keys = node.expressions
        is_key = len(keys) == 1 and isinstance(keys[0], exp.Literal) and keys[0].is_string
        return str(keys[0].name) if is_key and _is_value(node.this) else None
    if not isinstance(node, exp.JSONExtract) or not _is_value(node.this):
        return None
    path = node.expression
    steps = path.expressions[1:] if isinstance(path, exp.JSONPath) else []
    if len(steps) != 1 or not isinstance(steps[0], exp.JSONPathKey):
        return None
    return steps[0].this if isinstance(steps[0].this, str) else None


def _is_as_wide(cast: DataType, wanted: DataType) -> bool:
    """Tell whether a member is stored the same with the cast and without."""
    if isinstance(cast, Primitive) and cast.length is not None:
        return False
    if isinstance(wanted, Primitive) and wanted.name == "string":
        return cast == Primitive("string")
    return cast == wanted


def _is_value(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and not node.table and fold(node.name) == "value"


def _read_option(reader: StatementReader, values: dict[str, Any], met: set[str]) -> None:
    word = reader.word
    if word in _NEVER:
        raise Never(f"An external table has no {word}.", hint=_NEVER[word])
    if word not in _OPTIONS:
        guess = find_nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"An external table has no option {reader.next_text}.", hint=hint)
    if word in met:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    met.add(word)
    if word == "PARTITION":
        reader.need("PARTITION", "BY")
        values["partition_by"] = reader.read_names()
        return
    reader.skip()
    if not reader.take("=") and word != "COMMENT":
        reader.fail(
            f"Expected = after {word}, found {reader.next_text}.", hint=f"Write {word} = …."
        )
    match word:
        case "LOCATION":
            values["place"] = read_stage_path(reader)
        case "PATTERN":
            values["pattern"] = reader.read_string("a pattern")
        case "FILE_FORMAT":
            file_type, options, name = read_file_format(reader)
            values |= {"file_type": file_type, "options": options, "format_name": name}
        case "REFRESH_ON_CREATE":
            values["refreshes_on_create"] = read_flag(reader, word)
        case _:
            values |= _read_settable(reader, word)


def _read_settable(reader: StatementReader, word: str) -> dict[str, Any]:
    """Read the value of an option that ALTER … SET takes, too."""
    match word:
        case "AUTO_REFRESH":
            return {"refreshes_itself": read_flag(reader, word)}
        case "ON_ERROR":
            return {"skips_files": _ON_ERROR[read_choice(reader, word, tuple(_ON_ERROR))]}
        case _:
            return {"comment": reader.read_comment()}


def _read_set(reader: StatementReader) -> SetExternalTable:
    values: dict[str, Any] = {}
    met: set[str] = set()
    while not reader.is_at_end or not met:
        if reader.take(","):
            continue
        word = reader.need_one(*_SET)
        if word in met:
            reader.fail(f"{word} is there twice.", hint="Write it once.")
        met.add(word)
        if not reader.take("=") and word != "COMMENT":
            reader.fail(
                f"Expected = after {word}, found {reader.next_text}.", hint=f"Write {word} = …."
            )
        values |= _read_settable(reader, word)
    return SetExternalTable(**values)


def _is_at_paths(reader: StatementReader) -> bool:
    """Tell whether `FILES (…)` is next, or what was meant as such, and not a column."""
    if reader.is_at_end or reader.is_at("PARTITION"):
        return False
    start = reader.mark()
    reader.skip()
    found = reader.is_at("(") or reader.is_at_string()
    reader.back(start)
    return found


def _read_paths(reader: StatementReader, word: str) -> tuple[str, ...]:
    """Read `FILES ('path', …)`; a path is below the location."""
    if not reader.take("FILES"):
        reader.fail(
            f"Expected FILES, found {reader.next_text}.", hint=f"{word} FILES ('2024/a.csv')"
        )
    reader.need("(")
    paths = reader.read_list(lambda: reader.read_string("a path below the location"))
    reader.need(")")
    return tuple(paths)
