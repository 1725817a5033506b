"""COPY INTO a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.errors import NotYet
from icemelt.names import nearest
from icemelt.sql.grammar.options import read_options, read_value
from icemelt.sql.grammar.rows import named_once
from icemelt.sql.reader import Reader
from icemelt.sql.statements import CopyInto, FileFormat

__all__ = ["read_copy"]

_LATER_FORMATS = ("AVRO", "ORC", "XML")
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
class _Options:
    """The options of a COPY INTO, as they are read."""

    files: tuple[str, ...] = ()
    format: FileFormat = FileFormat.CSV
    format_options: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)


def read_copy(reader: Reader) -> CopyInto:
    """Read `COPY INTO t [(columns)] FROM 'path' [option = value …]`."""
    reader.need("COPY", "INTO")
    if reader.at_string() or reader.at("@"):
        raise NotYet("COPY INTO a location is planned.", hint="Use result.to_spark().write.")
    target = reader.object_name()
    columns = reader.names("column name") if reader.at("(") else None
    named_once(columns or ())
    reader.need("FROM")
    if reader.at("("):
        hint = "Load the files into a table, and INSERT … SELECT from it."
        raise NotYet("COPY INTO from a query is planned.", hint=hint)
    if reader.at("@"):
        raise NotYet("Stages are planned.", hint="Write the path itself: FROM '/path'.")
    path = reader.string("a path")
    options = _Options()
    while not reader.ended:
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
    )


def _read_option(reader: Reader, options: _Options) -> None:
    word = reader.word
    if word not in _OPTIONS:
        guess = nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"COPY INTO has no option {reader.found}.", hint=hint)
    if word in options.values:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    reader.skip()
    reader.need("=")
    if word == "FILES":
        reader.need("(")
        options.files = tuple(reader.list_of(lambda: reader.string("a file's name")))
        reader.need(")")
    elif word == "FILE_FORMAT":
        _read_format(reader, options)
    else:
        options.values[word] = _checked(reader, word)


def _checked(reader: Reader, word: str) -> str:
    start = reader.mark()
    value = read_value(reader, word)
    if word == "ON_ERROR" and reader.take("%"):
        value += "%"
    allowed: tuple[str, ...] = ()
    if word in {"FORCE", "PURGE"}:
        allowed = ("TRUE", "FALSE")
    elif word == "MATCH_BY_COLUMN_NAME":
        allowed = _MATCHES
    if allowed and value.upper() not in allowed:
        reader.back(start)
        reader.fail(f"{word} is one of {', '.join(allowed)}.", hint=f"{word} = {allowed[0]}")
    return value if word == "PATTERN" else value.upper()


def _read_format(reader: Reader, options: _Options) -> None:
    if not reader.take("("):
        hint = "Write FILE_FORMAT = (TYPE = CSV …)."
        raise NotYet("File formats as objects are planned.", hint=hint)
    start = reader.mark()
    found = _format_options(reader)
    kind = found.pop("TYPE", "CSV").upper()
    if kind in _LATER_FORMATS:
        raise NotYet(f"Files of the type {kind} are planned.", hint="Use CSV, JSON or PARQUET.")
    if kind not in FileFormat.__members__:
        reader.back(start)
        guess = nearest(kind, FileFormat.__members__)
        hint = f"Did you mean {guess}?" if guess else "TYPE = CSV, JSON or PARQUET"
        reader.fail(f"There is no file format {kind}.", hint=hint)
    options.format = FileFormat[kind]
    options.format_options = found


def _format_options(reader: Reader) -> dict[str, str]:
    """Read options up to `)`; NULL_IF is a list, kept as its items joined by line ends."""
    found: dict[str, str] = {}
    while not reader.take(")"):
        if reader.take(","):
            continue
        if reader.take("NULL_IF", "="):
            reader.need("(")
            items = [] if reader.at(")") else reader.list_of(lambda: reader.string("a text"))
            found["NULL_IF"] = "\n".join(items)
            reader.need(")")
            continue
        options = read_options(reader, ("NULL_IF",))
        if not options:
            hint = "Write NAME = value, and close FILE_FORMAT with )."
            reader.fail(f"Expected an option or ), found {reader.found}.", hint=hint)
        found |= options
    return found
