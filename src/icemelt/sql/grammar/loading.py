"""COPY INTO a table. COPY INTO a location is in `unloading.py`."""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.errors import NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.options import read_choice, read_value
from icemelt.sql.grammar.rows import require_named_once
from icemelt.sql.grammar.stages import read_location
from icemelt.sql.grammar.unloading import at_location, read_unload
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import CopyInto, FileFormat, Unload

__all__ = ["read_copy"]

_OPTIONS = (
    "FILES",
    "FILE_FORMAT",
    "FORCE",
    "MATCH_BY_COLUMN_NAME",
    "ON_ERROR",
    "PATTERN",
    "PURGE",
)
_MATCHES = ("NONE", "CASE_INSENSITIVE", "CASE_SENSITIVE")


@dataclass(slots=True)
class _LoadOptions:
    """The options of a COPY INTO, collected while the reader goes through the text."""

    files: tuple[str, ...] = ()
    format: FileFormat = FileFormat.CSV
    format_options: dict[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    has_format: bool = False
    values: dict[str, str] = field(default_factory=dict)


def read_copy(reader: StatementReader) -> CopyInto | Unload:
    """Read `COPY INTO t [(columns)] FROM 'path' …` or `COPY INTO 'location' FROM …`."""
    reader.need("COPY", "INTO")
    if at_location(reader):
        return read_unload(reader)
    target = reader.read_object_name()
    columns = reader.read_names("column name") if reader.is_at("(") else None
    require_named_once(columns or ())
    reader.need("FROM")
    if reader.is_at("("):
        hint = "Load the files into a table, and INSERT … SELECT from it."
        raise NotYet("COPY INTO from a query is planned.", hint=hint)
    path = read_location(reader, "a path")
    options = _LoadOptions()
    while not reader.is_at_end:
        if not reader.take(","):
            _read_option(reader, options)
    values = options.values
    return CopyInto(
        target,
        path,
        columns,
        options.files,
        values.get("PATTERN"),
        options.format,
        options.format_options,
        values.get("ON_ERROR", "ABORT_STATEMENT"),
        values.get("MATCH_BY_COLUMN_NAME", "NONE"),
        values.get("FORCE", "FALSE") == "TRUE",
        values.get("PURGE", "FALSE") == "TRUE",
        options.format_name,
        options.has_format,
    )


def _read_option(reader: StatementReader, options: _LoadOptions) -> None:
    word = reader.word
    if word not in _OPTIONS:
        guess = find_nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"COPY INTO has no option {reader.next_text}.", hint=hint)
    if word in options.values:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    reader.skip()
    reader.need("=")
    if word == "FILES":
        reader.need("(")
        options.files = tuple(reader.read_list(lambda: reader.read_string("a file's name")))
        reader.need(")")
    elif word == "FILE_FORMAT":
        options.format, options.format_options, options.format_name = read_file_format(reader)
        options.has_format = True
    else:
        options.values[word] = _read_option_value(reader, word)


def _read_option_value(reader: StatementReader, word: str) -> str:
    if word in {"FORCE", "PURGE"}:
        return read_choice(reader, word, ("TRUE", "FALSE"))
    if word == "MATCH_BY_COLUMN_NAME":
        return read_choice(reader, word, _MATCHES)
    value = read_value(reader, word)
    if word == "ON_ERROR" and reader.take("%"):
        value += "%"
    return value if word == "PATTERN" else value.upper()
