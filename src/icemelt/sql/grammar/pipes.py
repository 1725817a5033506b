"""Pipes: CREATE and ALTER PIPE."""

from __future__ import annotations

from typing import Any

from icemelt.errors import DefinitionRefused, Never
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.grammar.kept_texts import refuse_given_values
from icemelt.sql.grammar.loading import read_load
from icemelt.sql.grammar.options import read_flag, read_option_names
from icemelt.sql.grammar.unloading import at_location
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import AlterPipe, CreatePipe, Existing, RefreshPipe

__all__ = ["read_alter_pipe", "read_create_pipe"]

_OPTIONS = ("AUTO_INGEST", "COMMENT")
_CLOUD_OPTIONS = ("AWS_SNS_TOPIC", "ERROR_INTEGRATION", "INTEGRATION")
_SETTABLE = ("COMMENT", "PIPE_EXECUTION_PAUSED")
_REFRESH_OPTIONS = ("MODIFIED_AFTER", "PREFIX")
# the options of COPY INTO that a pipe does not have, each with what to write instead
_REFUSED = {
    "FILES": "PATTERN = '…' chooses by name; ALTER PIPE … REFRESH PREFIX = '…' loads a part once.",
    "FORCE": "A pipe loads a file once. COPY INTO … FORCE = TRUE loads it again by hand.",
    "PURGE": "A pipe leaves its files. REMOVE @stage/path removes them.",
    "RETURN_FAILED_ONLY": "COPY_HISTORY has the files of a pipe, and which of them failed.",
    "SIZE_LIMIT": "Leave it out: a pipe loads files in several transactions by itself.",
    "VALIDATION_MODE": "Leave it out; COPY INTO by hand tells of refused rows, in a transaction "
    "that you ROLLBACK.",
}
_ABORT = "ABORT_STATEMENT"
_WHOLE_RECORDS = "Load each record, and choose in a view of the table or in what reads a stream."


def read_create_pipe(reader: StatementReader, existing: Existing) -> CreatePipe:
    """Read the rest of `CREATE [OR REPLACE | OR ALTER] PIPE [IF NOT EXISTS]`."""
    name = reader.read_object_name("pipe")
    values = _read_properties(reader)
    if not reader.take("AS"):
        hint = f"CREATE PIPE {name} AS COPY INTO t FROM @stage"
        reader.fail(f"Expected AS, found {reader.next_text}.", hint=hint)
    refuse_given_values(reader, reader.tokens_left(), f"Pipe {str(name)!r}")
    start = reader.mark()
    _read_statement(reader)
    tokens = reader.tokens_since(start)
    text = reader.text[tokens[0].start : tokens[-1].end + 1]
    return CreatePipe(name, text, existing=existing, **values)


def read_alter_pipe(reader: StatementReader) -> AlterPipe | RefreshPipe:
    """Read the rest of `ALTER PIPE`: `[IF EXISTS] name {SET | UNSET | REFRESH} …`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("pipe")
    if reader.is_at("RENAME"):
        hint = f"CREATE PIPE another_name AS …, then DROP PIPE {name}: no file is loaded twice."
        raise Never("A pipe is not renamed, as in Snowflake.", hint=hint)
    match reader.need_one("SET", "UNSET", "REFRESH"):
        case "SET":
            return _read_set(reader, name, if_exists=if_exists)
        case "UNSET":
            names = read_option_names(reader)
            for word in names:
                if word not in _SETTABLE:
                    raise DefinitionRefused(
                        f"A pipe's {word} cannot be unset.",
                        hint=f"UNSET takes {' and '.join(_SETTABLE)}.",
                    )
            is_paused = False if "PIPE_EXECUTION_PAUSED" in names else None
            return AlterPipe(name, is_paused, "" if "COMMENT" in names else None, if_exists)
        case _:
            return _read_refresh(reader, name, if_exists=if_exists)


def _read_properties(reader: StatementReader) -> dict[str, Any]:
    values: dict[str, Any] = {}
    while not reader.is_at_end and not reader.is_at("AS"):
        if reader.take(","):
            continue
        word = _take_option(reader, _OPTIONS)
        if word == "AUTO_INGEST":
            values["ingests_itself"] = read_flag(reader, word)
        else:
            values["comment"] = reader.read_comment()
    return values


def _take_option(reader: StatementReader, known: tuple[str, ...]) -> str:
    """Step over the name of an option and the equals sign; return the name."""
    word = reader.word
    if word in _CLOUD_OPTIONS:
        raise Never(
            f"A pipe has no {word}: with AUTO_INGEST = TRUE it lists its files by itself.",
            hint="Leave it out.",
        )
    if word not in known:
        guess = find_nearest(word, known) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(known)}."
        reader.fail(f"A pipe has no option {reader.next_text} here.", hint=hint)
    reader.skip()
    reader.need("=")
    return word


def _read_statement(reader: StatementReader) -> None:
    """Read the COPY INTO of a pipe.

    Raises:
        Never: the statement has an option that a pipe does not have, or loads nothing; its query
            does more than compute values of each record.
    """
    reader.need("COPY", "INTO")
    if at_location(reader):
        hint = "COPY INTO table FROM @stage. A query writes files by hand: COPY INTO @stage FROM …."
        raise Never("A pipe loads a table, and writes no files.", hint=hint)
    statement, written = read_load(reader, refused=_REFUSED, instead_of_query=_WHOLE_RECORDS)
    if "ON_ERROR" in written and statement.on_error == _ABORT:
        raise Never(
            f"A pipe does not end at a refused row: it has no ON_ERROR = {_ABORT}.",
            hint="ON_ERROR = SKIP_FILE is the default; SKIP_FILE_3, 'SKIP_FILE_10%' and CONTINUE "
            "load more.",
        )


def _read_set(reader: StatementReader, name: ObjectName, *, if_exists: bool) -> AlterPipe:
    values: dict[str, Any] = {}
    while not reader.is_at_end:
        if reader.take(","):
            continue
        if reader.is_at("AUTO_INGEST"):
            hint = f"CREATE OR ALTER PIPE {name} AUTO_INGEST = … AS …; GET_DDL has its statement."
            raise Never("AUTO_INGEST is not set by ALTER PIPE, as in Snowflake.", hint=hint)
        word = _take_option(reader, _SETTABLE)
        if word == "COMMENT":
            values["comment"] = reader.read_comment()
        else:
            values["is_paused"] = read_flag(reader, word)
    if not values:
        hint = "SET PIPE_EXECUTION_PAUSED = TRUE, or SET COMMENT = '…'"
        reader.fail("Expected an option, found the end.", hint=hint)
    return AlterPipe(name, if_exists=if_exists, **values)


def _read_refresh(reader: StatementReader, name: ObjectName, *, if_exists: bool) -> RefreshPipe:
    values: dict[str, str] = {}
    while not reader.is_at_end:
        if reader.take(","):
            continue
        word = _take_option(reader, _REFRESH_OPTIONS)
        purpose = "how the paths begin" if word == "PREFIX" else "a time"
        values[word.lower()] = reader.read_string(purpose)
    prefix = values.get("prefix", "").lstrip("/")
    return RefreshPipe(name, prefix, values.get("modified_after"), if_exists)
