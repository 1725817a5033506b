"""File formats: FILE_FORMAT = … of COPY INTO, and CREATE and ALTER FILE FORMAT."""

from __future__ import annotations

from icemelt.errors import NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.analysis.written_paths import path_of_text
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.grammar.options import read_option_names, read_options
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterFileFormat,
    CreateFileFormat,
    Existing,
    FileFormat,
    FileFormatAction,
    RenameTable,
    SetFormatOptions,
    UnsetOptions,
    join_texts,
)

__all__ = [
    "read_alter_file_format",
    "read_create_file_format",
    "read_file_format",
    "take_file_format",
]

_LATER_FORMATS = ("XML",)
_NAME, _TYPE = "FORMAT_NAME", "TYPE"


def take_file_format(reader: StatementReader) -> bool:
    """Take the words FILE FORMAT, if they are next."""
    return reader.take("FILE", "FORMAT")


def read_file_format(
    reader: StatementReader,
) -> tuple[FileFormat, dict[str, str], ObjectName | None]:
    """Read `(TYPE = CSV …)`, `(FORMAT_NAME = name)` or `name`.

    Return the type of files, the options by upper-case name, and the name of a file format in a
    schema; with a name, the other two mean nothing.
    """
    if not reader.take("("):
        return FileFormat.CSV, {}, _read_format_name(reader)
    if reader.take(_NAME, "="):
        name = _read_format_name(reader)
        if not reader.take(")"):
            hint = f"Write FILE_FORMAT = (FORMAT_NAME = {name}), or all options without a name."
            reader.fail(f"Expected ) after the name, found {reader.next_text}.", hint=hint)
        return FileFormat.CSV, {}, name
    file_type, options = _read_format(reader, in_parentheses=True)
    if _NAME in options:
        hint = f"FILE_FORMAT = (FORMAT_NAME = {options[_NAME]}), or all options without a name."
        reader.fail("FORMAT_NAME stands alone, without other options.", hint=hint)
    reader.need(")")
    return file_type or FileFormat.CSV, options, None


def read_create_file_format(reader: StatementReader, existing: Existing) -> CreateFileFormat:
    """Read the rest of `CREATE [OR REPLACE] FILE FORMAT [IF NOT EXISTS]`."""
    name = reader.read_object_name("file format")
    file_type, options = _read_format(reader)
    comment = options.pop("COMMENT", None)
    return CreateFileFormat(name, file_type or FileFormat.CSV, options, comment, existing)


def read_alter_file_format(reader: StatementReader) -> AlterFileFormat:
    """Read the rest of `ALTER FILE FORMAT`: `[IF EXISTS] name {RENAME TO | SET | UNSET} …`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("file format")
    return AlterFileFormat(name, _read_action(reader), if_exists)


def _read_action(reader: StatementReader) -> FileFormatAction:
    match reader.need_one("RENAME", "SET", "UNSET"):
        case "RENAME":
            reader.need("TO")
            return RenameTable(reader.read_object_name("file format"))
        case "SET":
            file_type, options = _read_format(reader)
            comment = options.pop("COMMENT", None)
            if file_type is None and comment is None and not options:
                hint = "SET SKIP_HEADER = 1, or SET COMMENT = '…'"
                reader.fail(f"Expected an option, found {reader.next_text}.", hint=hint)
            return SetFormatOptions(options, file_type, comment)
        case _:
            return UnsetOptions(read_option_names(reader))


def _read_format_name(reader: StatementReader) -> ObjectName:
    """Read the name of a file format, as an identifier or as text: `main.public.f`, `'f'`."""
    if reader.is_at_string():
        written = reader.read_string("the name of a file format")
        reader.note_path(path_of_text(written, reader.last_span))
        return written_name(written)
    return reader.read_object_name("file format")


def _read_format(
    reader: StatementReader, *, in_parentheses: bool = False
) -> tuple[FileFormat | None, dict[str, str]]:
    """Read options, to the end or to `)`; return the type, None if not written, and the options."""
    start = reader.mark()
    options = _read_options(reader, in_parentheses=in_parentheses)
    kind = options.pop(_TYPE, None)
    if kind is None:
        return None, options
    kind = kind.upper()
    if kind in _LATER_FORMATS:
        raise NotYet(
            f"Files of the type {kind} are planned.", hint="Use CSV, JSON, PARQUET, ORC or AVRO."
        )
    if kind not in FileFormat.__members__:
        reader.back(start)
        guess = find_nearest(kind, FileFormat.__members__)
        hint = f"Did you mean {guess}?" if guess else "TYPE = CSV, JSON, PARQUET, ORC or AVRO"
        reader.fail(f"There is no file format {kind}.", hint=hint)
    return FileFormat[kind], options


def _read_options(reader: StatementReader, *, in_parentheses: bool) -> dict[str, str]:
    """Read options. NULL_IF is a list, kept as `join_texts` gives it."""
    options: dict[str, str] = {}
    while not reader.is_at_end and not (in_parentheses and reader.is_at(")")):
        if reader.take(","):
            continue
        if reader.take("NULL_IF", "="):
            reader.need("(")
            items = (
                [] if reader.is_at(")") else reader.read_list(lambda: reader.read_string("a text"))
            )
            if any("\n" in item for item in items):
                reader.fail(
                    "A text of NULL_IF has no line break.", hint="NULL_IF = ('\\\\N', 'NULL')"
                )
            options["NULL_IF"] = join_texts(items)
            reader.need(")")
            continue
        read = read_options(reader, ("NULL_IF",))
        if not read:
            hint = "Write NAME = value"
            hint += ", and close FILE_FORMAT with )." if in_parentheses else "."
            reader.fail(f"Expected an option, found {reader.next_text}.", hint=hint)
        options |= read
    return options
