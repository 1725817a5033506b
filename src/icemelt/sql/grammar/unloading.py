"""COPY INTO a location: rows of a query become files."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.options import read_flag
from icemelt.sql.grammar.queries import read_query
from icemelt.sql.grammar.stages import read_location
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import FileFormat, Query, Unload

__all__ = ["at_location", "read_unload"]

_FLAGS = ("DETAILED_OUTPUT", "HEADER", "OVERWRITE", "SINGLE")
_OPTIONS = (*_FLAGS, "FILE_FORMAT", "MAX_FILE_SIZE")
_LATER = ("INCLUDE_QUERY_ID", "VALIDATION_MODE")


@dataclass(slots=True)
class _UnloadOptions:
    """The options of COPY INTO a location: `met` has the names read, `on` the flags turned on."""

    format: FileFormat = FileFormat.CSV
    format_options: dict[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    on: set[str] = field(default_factory=set)
    max_file_size: int | None = None
    met: set[str] = field(default_factory=set)


def at_location(reader: StatementReader) -> bool:
    """Tell whether a location is next, not a table name."""
    return reader.is_at_string() or reader.is_at("@")


def read_unload(reader: StatementReader) -> Unload:
    """Read `'location' FROM {table | (query)} [option = value …]`."""
    location = read_location(reader, "a location")
    reader.need("FROM")
    query = _read_rows(reader)
    options = _UnloadOptions()
    while not reader.is_at_end:
        if not reader.take(","):
            _read_option(reader, options)
    return Unload(
        location,
        query,
        options.format,
        options.format_options,
        overwrite="OVERWRITE" in options.on,
        single="SINGLE" in options.on,
        header="HEADER" in options.on,
        detailed_output="DETAILED_OUTPUT" in options.on,
        max_file_size=options.max_file_size,
        format_name=options.format_name,
        has_format="FILE_FORMAT" in options.met,
    )


def _read_rows(reader: StatementReader) -> Query:
    if reader.take("("):
        query = read_query(reader)
        reader.need(")")
        return query
    parts = [exp.to_identifier(part, quoted=True) for part in reader.read_object_name().parts]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))
    every = exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
    return reader.composer.compose_query(every)


def _read_option(reader: StatementReader, options: _UnloadOptions) -> None:
    word = reader.word
    if reader.is_at("PARTITION", "BY"):
        hint = "Write one COPY INTO for each part, with a WHERE."
        raise NotYet("COPY INTO a location with PARTITION BY is planned.", hint=hint)
    if word in _LATER:
        raise NotYet(f"COPY INTO a location with {word} is planned.", hint=f"Leave {word} out.")
    if word not in _OPTIONS:
        guess = find_nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"COPY INTO a location has no option {reader.next_text}.", hint=hint)
    if word in options.met:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    options.met.add(word)
    reader.skip()
    reader.need("=")
    if word == "FILE_FORMAT":
        options.format, options.format_options, options.format_name = read_file_format(reader)
    elif word == "MAX_FILE_SIZE":
        options.max_file_size = reader.read_integer("a number of bytes")
    elif read_flag(reader, word):
        options.on.add(word)
