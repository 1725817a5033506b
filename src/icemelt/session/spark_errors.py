"""Spark's errors in icemelt's words; no Java stack trace reaches a user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from icemelt.engine.launch import is_alive
from icemelt.errors import (
    ColumnNotFound,
    DuplicateKey,
    DuplicateMatch,
    FileDamaged,
    FileRefused,
    FunctionNotFound,
    IcemeltError,
    QueryError,
    SparkDied,
    StatementCancelled,
    ValueRefused,
)
from icemelt.names import nearest

__all__ = ["translated"]

_DUPLICATE_KEY = re.compile(r"\[USER_RAISED_EXCEPTION\] icemelt-duplicate-key:([^\n]*)")
_LENGTH = re.compile(r"\[USER_RAISED_EXCEPTION\] icemelt-length:([^:\n]*):(\d+)")
_NOT_FINITE = re.compile(
    r"\[USER_RAISED_EXCEPTION\] icemelt-not-finite:([^\n]*?)(?: SQLSTATE|\n|$)"
)
_NO_HEX = re.compile(r"\[USER_RAISED_EXCEPTION\] icemelt-hex:([^\n]*?)(?: SQLSTATE|\n|$)")
_RECORD = re.compile(r"detected in record parsing: (.*?)\.\s*\n?Parse Mode", re.DOTALL)
_SHOWN = 100
_CANCELLED = re.compile(
    r"cancelled (as part of|because|part of)|SPARK_JOB_CANCELLED", re.IGNORECASE
)
_MISSING = re.compile(
    r"(NotFoundException|FileNotFoundException|NoSuchFileException|File does not exist"
    r"|No such file or directory|is not a Parquet file|Not an Avro data file|FAILED_READ_FILE"
    r"|AvroRuntimeException|AvroTypeException|Malformed data|Invalid sync"
    r"|RuntimeIOException|InvalidAvroMagicException|Could not read|Failed to open)"
)
_REFUSED = re.compile(
    r"Permission denied|Read-only file system|No space left on device|File too large"
    r"|Disk quota exceeded|Mkdirs failed to create|AccessDenied|Access Denied"
)
_NO_SPACE = ("No space left on device", "File too large", "Disk quota exceeded")
_BRACKETED = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
_DEEPEST = 12
_PATH = re.compile(r"((?:[a-z0-9]+:)?/[^\n]*?\.(?:parquet|avro|puffin|orc|metadata\.json))")
_VALUE_CONDITIONS = (
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "NOT_NULL_ASSERT_VIOLATION",
    "CANNOT_PARSE_TIMESTAMP",
    "INVALID_VARIANT",
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
)


_HINT = "Change the statement and run it again."
_HINTS = {
    "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE": "Give the rows of VALUES one type a "
    "column: 'NaN'::DOUBLE beside 0.5::DOUBLE.",
    "AMBIGUOUS_REFERENCE": "Write the column with its table before it, as in o.status.",
}


@contextmanager
def translated(spark: SparkSession) -> Iterator[None]:
    """Raise Spark's errors of the block as icemelt's."""
    try:
        yield
    except IcemeltError:
        raise
    except PySparkException as error:
        text = str(error)
        raise _explain(_condition(error), _parameters(error), text) from _short(error)
    except Py4JNetworkError as error:
        raise _died() from error
    except Py4JJavaError as error:
        text = _causes(error.java_exception)
        found = _BRACKETED.search(text)
        raise _explain(found.group(1) if found else "", {}, text) from _short(error)
    except (Py4JError, ConnectionError, EOFError) as error:
        if is_alive(spark):
            raise
        raise _died() from error
    except OSError as error:
        if error.filename is None:
            raise
        raise _explain("", {}, f"{error.strerror}: {error.filename}") from error


def _causes(java: Any) -> str:
    """Return an exception and its causes, the deepest first: that is the one to tell of."""
    texts: list[str] = []
    while java is not None and len(texts) < _DEEPEST:
        texts.append(str(java.toString()))
        java = java.getCause()
    return "\n".join(reversed(texts))


def _died() -> SparkDied:
    return SparkDied(
        "The Java process of Spark is gone, and this session with it.",
        hint="icemelt.connect(…) starts a new one; nothing uncommitted was kept.",
    )


def _condition(error: PySparkException) -> str:
    return error.getCondition() or ""


def _parameters(error: PySparkException) -> Mapping[str, str]:
    return error.getMessageParameters() or {}


def _short(error: Exception) -> Exception | None:
    """Keep the cause for a debugger, without the JVM's stack in its text."""
    return None if isinstance(error, Py4JJavaError) else error.with_traceback(None)


def _explain(condition: str, parameters: Mapping[str, str], text: str) -> IcemeltError:
    own = _own_error(text)
    if own is not None:
        return own
    if condition.startswith("UNRESOLVED_COLUMN") or condition == "UNRESOLVED_FIELD":
        return _column(parameters)
    if condition.startswith("UNRESOLVED_ROUTINE"):
        name = parameters.get("routineName", "?").replace("`", "")
        return FunctionNotFound(
            f"Function {name!r} does not exist.",
            hint="docs/sql.md lists the functions; Spark SQL's own work too.",
        )
    if condition == "MERGE_CARDINALITY_VIOLATION":
        return DuplicateMatch(
            "Two source rows of the MERGE match one target row.",
            hint="Make the source unique by the ON columns: QUALIFY ROW_NUMBER() OVER (…) = 1.",
        )
    if "MALFORMED_RECORD_IN_PARSING" in text:
        record = _RECORD.search(text)
        shown = "A text" if record is None else f"The text {record.group(1)[:_SHOWN]!r}"
        return ValueRefused(
            f"{shown} is no JSON.", hint="TRY_PARSE_JSON gives NULL instead of an error."
        )
    if condition.startswith(_VALUE_CONDITIONS):
        return ValueRefused(_sentence(text), hint=_value_hint(condition))
    if _CANCELLED.search(text):
        return StatementCancelled("The statement was cancelled.", hint="Nothing of it was kept.")
    refused = _REFUSED.search(text)
    if refused is not None:
        return _refused_file(refused.group(), _PATH.search(text))
    if condition.startswith("FAILED_READ_FILE") or _MISSING.search(text):
        path = _PATH.search(text)
        name = path.group(1) if path is not None else "of the table"
        return FileDamaged(
            f"File {name!r} is missing or damaged.",
            hint="Restore it from a backup, or ask for a point at which it was not used.",
        )
    return QueryError(_sentence(text), hint=_HINTS.get(condition, _HINT))


def _refused_file(reason: str, path: re.Match[str] | None) -> FileRefused:
    name = "of the table" if path is None else repr(path.group(1))
    if reason in _NO_SPACE:
        hint = "Free disk space, then run this again; nothing was changed."
    else:
        hint = "Give this user the right to, or write elsewhere; nothing was changed."
    cause = "Permission denied" if reason.startswith("Mkdirs") else reason
    return FileRefused(f"File {name} cannot be written or opened: {cause}.", hint=hint)


def _own_error(text: str) -> IcemeltError | None:
    duplicate = _DUPLICATE_KEY.search(text)
    if duplicate is not None:
        key = duplicate.group(1).split(" SQLSTATE")[0].strip()
        return DuplicateKey(
            f"The key {key} was met twice, but its PRIMARY KEY is declared RELY.",
            hint="Remove the duplicate, or ALTER TABLE … DROP PRIMARY KEY (or declare it NORELY).",
        )
    length = _LENGTH.search(text)
    if length is not None:
        return ValueRefused(
            f"A value is longer than column {length.group(1)!r} takes: "
            f"expected at most {length.group(2)} characters.",
            hint="Shorten it with LEFT(value, n), or widen the column's VARCHAR.",
        )
    not_finite = _NOT_FINITE.search(text)
    if not_finite is not None:
        return ValueRefused(
            f"A NaN or an infinity is no {not_finite.group(1)}.",
            hint="Write NULLIF(value, 'NaN'::FLOAT), or keep it in a column of type FLOAT.",
        )
    no_hex = _NO_HEX.search(text)
    if no_hex is not None:
        return ValueRefused(
            f"The text {no_hex.group(1)!r} is no binary value: expected pairs of hexadecimal "
            "digits.",
            hint="TO_BINARY(text, 'UTF-8') gives the bytes of a text itself.",
        )
    return None


def _column(parameters: Mapping[str, str]) -> ColumnNotFound:
    name = parameters.get("objectName", parameters.get("fieldName", "?")).replace("`", "")
    proposed = re.findall(r"(?:`[^`]*`\.)*`([^`]*)`", parameters.get("proposal", ""))
    close = nearest(name.split(".")[-1], proposed)
    if name.split(".")[-1].upper().startswith("METADATA$"):
        hint = "FROM t CHANGES (INFORMATION => DEFAULT) AT (…) has it, a table does not."
    elif close is not None:
        hint = f"Did you mean {close!r}?"
    elif proposed:
        hint = f"Columns there are, for example: {', '.join(proposed)}."
    else:
        hint = "DESCRIBE TABLE lists the columns."
    return ColumnNotFound(f"Column {name!r} does not exist.", hint=hint)


def _value_hint(condition: str) -> str:
    if condition == "NOT_NULL_ASSERT_VIOLATION":
        return "Give a value, a DEFAULT, or drop the column's NOT NULL."
    return "TRY_CAST gives NULL instead of an error."


def _sentence(text: str) -> str:
    """Return the first line of Spark's message without its condition and hints for its settings."""
    first = next((line for line in text.splitlines() if line.strip()), "the query failed")
    first = re.sub(r"^\S*(Exception|Error): ", "", first.strip())
    first = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", first)
    first = re.sub(r"\s*SQLSTATE: .*$", "", first)
    first = re.sub(r"\s*(If necessary,? set|Use `?try_|To return NULL).*$", "", first)
    first = re.sub(r"`icemelt`\.`?(pins|w[0-9a-f]{32})`?\.`?[^`\s]+`?", "the table", first)
    return first.strip()
