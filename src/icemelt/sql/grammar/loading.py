"""COPY INTO a table. COPY INTO a location is in `unloading.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from icemelt.errors import Never, NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.grammar.copy_queries import INSTEAD_OF_QUERY, compose_copy_query, read_copy_query
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.options import read_choice, read_value
from icemelt.sql.grammar.rows import require_named_once
from icemelt.sql.grammar.stages import read_location
from icemelt.sql.grammar.unloading import at_location, read_unload
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import CopyInto, FileFormat, StageFiles, Unload
from icemelt.values import is_whole_number

__all__ = ["read_copy", "read_load"]

_OPTIONS = (
    "ENFORCE_LENGTH",
    "FILES",
    "FILE_FORMAT",
    "FORCE",
    "MATCH_BY_COLUMN_NAME",
    "ON_ERROR",
    "PATTERN",
    "PURGE",
    "RETURN_FAILED_ONLY",
    "SIZE_LIMIT",
    "TRUNCATECOLUMNS",
    "VALIDATION_MODE",
)
_FLAGS = frozenset({"ENFORCE_LENGTH", "FORCE", "PURGE", "RETURN_FAILED_ONLY", "TRUNCATECOLUMNS"})
# Snowflake's other options, and what does the same meanwhile
_LATER_OPTIONS = {
    "LOAD_UNCERTAIN_FILES": "Leave it out: no load is forgotten while its table lives.",
}
_NONE_REFUSED: Mapping[str, str] = {}
_MATCHES = ("NONE", "CASE_INSENSITIVE", "CASE_SENSITIVE")


@dataclass(slots=True)
class _LoadOptions:
    """The options of a COPY INTO, collected while the reader goes through the text."""

    refused: Mapping[str, str]
    files: tuple[str, ...] = ()
    format: FileFormat = FileFormat.CSV
    format_options: dict[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    has_format: bool = False
    values: dict[str, str] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)

    def start_from(self, files: StageFiles) -> None:
        """Take the file format and the pattern written in the query; COPY's own replace them."""
        if files.format_name is not None:
            self.format_name, self.has_format = files.format_name, True
        if files.pattern is not None:
            self.values["PATTERN"] = files.pattern


def read_copy(reader: StatementReader) -> CopyInto | Unload:
    """Read `COPY INTO t [(columns)] FROM {'path' | (query)} …` or `COPY INTO 'location' FROM …`."""
    reader.need("COPY", "INTO")
    return read_unload(reader) if at_location(reader) else read_load(reader)[0]


def read_load(
    reader: StatementReader,
    refused: Mapping[str, str] = _NONE_REFUSED,
    instead_of_query: str = INSTEAD_OF_QUERY,
) -> tuple[CopyInto, frozenset[str]]:
    """Read the rest of COPY INTO a table; return also the names of the written options.

    Args:
        reader: stands at the name of the table.
        refused: options that the statement may not have, each with a hint.
        instead_of_query: the hint of a query that does more than compute values of each record.

    Raises:
        Never: the statement has a refused option.
    """
    target = reader.read_object_name()
    columns = reader.read_names("column name") if reader.is_at("(") else None
    require_named_once(columns or ())
    reader.need("FROM")
    node, files = None, None
    if reader.is_at("("):
        node, files = read_copy_query(reader, instead_of_query)
    path = read_location(reader, "a path") if files is None else files.place
    options = _LoadOptions(refused)
    if files is not None:
        options.start_from(files)
    while not reader.is_at_end:
        if not reader.take(","):
            _read_option(reader, options)
    values = options.values
    query = probe = None
    if node is not None:
        _refuse_beside_query(reader, values)
        inline = options.format if options.has_format and options.format_name is None else None
        query, probe = compose_copy_query(reader, node, inline, options.format_name)
    statement = CopyInto(
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
        query,
        probe,
        values.get("VALIDATION_MODE"),
        **_read_limits(reader, values),
    )
    return statement, frozenset(options.met)


def _read_limits(reader: StatementReader, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of which files are loaded and shown, and of texts that are too long."""
    limit = values.get("SIZE_LIMIT")
    return {
        "size_limit": None if limit is None else int(limit),
        "return_failed_only": values.get("RETURN_FAILED_ONLY") == "TRUE",
        "truncates": _truncates(reader, values),
    }


def _truncates(reader: StatementReader, values: Mapping[str, str]) -> bool:
    """Return whether texts are cut to the lengths of their columns, by either of two options."""
    enforced, truncated = values.get("ENFORCE_LENGTH"), values.get("TRUNCATECOLUMNS")
    if enforced is not None and enforced == truncated:
        hint = f"Leave one out: ENFORCE_LENGTH = {enforced}"
        message = f"ENFORCE_LENGTH = {enforced} is the opposite of TRUNCATECOLUMNS = {truncated}."
        reader.fail(message, hint=hint)
    return enforced == "FALSE" or truncated == "TRUE"


def _refuse_beside_query(reader: StatementReader, values: Mapping[str, str]) -> None:
    """Refuse what a COPY INTO of a query has not."""
    if values.get("MATCH_BY_COLUMN_NAME", "NONE") != "NONE":
        hint = "Name the columns: COPY INTO t (a, b) FROM (SELECT $1:a, $1:b FROM @stage)."
        reader.fail("MATCH_BY_COLUMN_NAME is of files, not of a query.", hint=hint)
    if "VALIDATION_MODE" in values:
        hint = "BEGIN; COPY INTO t FROM (SELECT …) ON_ERROR = CONTINUE; ROLLBACK tells of them."
        reader.fail("VALIDATION_MODE is of files, not of a query.", hint=hint)


def _read_option(reader: StatementReader, options: _LoadOptions) -> None:
    word = reader.word
    if word in options.refused:
        raise Never(f"A pipe has no {word}.", hint=options.refused[word])
    if word in _LATER_OPTIONS:
        raise NotYet(f"{word} of COPY INTO is planned.", hint=_LATER_OPTIONS[word])
    if word not in _OPTIONS:
        guess = find_nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"COPY INTO has no option {reader.next_text}.", hint=hint)
    if word in options.met:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    options.met.add(word)
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
    if word in _FLAGS:
        return read_choice(reader, word, ("TRUE", "FALSE"))
    if word == "SIZE_LIMIT":
        return _read_size_limit(reader)
    if word == "MATCH_BY_COLUMN_NAME":
        return read_choice(reader, word, _MATCHES)
    value = read_value(reader, word)
    if word == "ON_ERROR" and reader.take("%"):
        value += "%"
    return value if word == "PATTERN" else value.upper()


def _read_size_limit(reader: StatementReader) -> str:
    start = reader.mark()
    value = read_value(reader, "SIZE_LIMIT")
    if not is_whole_number(value) or int(value) < 1:
        reader.back(start)
        hint = "SIZE_LIMIT = 25000000"
        reader.fail(f"SIZE_LIMIT is a number of bytes from 1 on, not {value}.", hint=hint)
    return value
