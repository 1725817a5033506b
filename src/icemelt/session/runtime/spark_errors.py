"""Translate Spark's errors into icemelt's: no user sees a Java stack trace."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from icemelt.engine.start.launch import is_alive
from icemelt.engine.start.places import log_folder
from icemelt.errors import (
    ColumnNotFound,
    FileDamaged,
    FileRefused,
    FunctionNotFound,
    IcemeltError,
    QueryError,
    SparkDied,
    StatementCancelled,
    ValueRefused,
)
from icemelt.names import find_nearest
from icemelt.session.runtime.value_errors import first_sentence, strip_alias, value_error
from icemelt.spark_sql.own_columns import METADATA_COLUMNS
from icemelt.storage.locations import plain_form
from icemelt.tables.java_causes import NO_SPACE, causes_of

__all__ = [
    "is_about_value",
    "spark_died_error",
    "telling_death",
    "telling_failed_start",
    "translated",
]

_FILE_COLUMNS = ("METADATA$FILENAME", "METADATA$FILE_ROW_NUMBER", "METADATA$FILE_LAST_MODIFIED")
_CANCELLED = re.compile(
    r"cancelled (as part of|because|part of)|SPARK_JOB_CANCELLED", re.IGNORECASE
)
_FILE_DAMAGED = re.compile(
    r"(NotFoundException|FileNotFoundException|NoSuchFileException|File does not exist"
    r"|No such file or directory|is not a Parquet file|Not an Avro data file|FAILED_READ_FILE"
    r"|AvroRuntimeException|AvroTypeException|Malformed data|Invalid sync"
    r"|RuntimeIOException|InvalidAvroMagicException|Could not read|Failed to open)"
)
_NOT_UNPACKED = re.compile(r"EOFException|ZipException|IOException|DataFormatException")
_FILE_REFUSED = re.compile(
    r"Permission denied|Read-only file system|No space left on device|File too large"
    r"|Disk quota exceeded|Mkdirs failed to create|AccessDenied|Access Denied"
)
# the storage does not answer now: nothing is known of the file
_STORAGE_AWAY = re.compile(
    r"SocketTimeoutException|SocketException|ConnectException|UnknownHostException"
    r"|NoHttpResponseException|SdkClientException|ServiceUnavailable|SlowDown|Connection reset"
    r"|Input/output error|Stale file handle|Too many open files"
)
_OUT_OF_MEMORY = "java.lang.OutOfMemoryError"
_MEMORY_HINT = "Read fewer rows at once, or give Spark more: icemelt.connect(…, memory='4g')."
# Conditions about names and values of the statement, never about files.
_VALUE_CONDITIONS = (
    *("AMBIGUOUS_", "ARITHMETIC_", "CAST_", "COLLATION_", "DATATYPE_MISMATCH", "DATETIME_"),
    *("DIVIDE_BY_ZERO", "FIELD_", "GROUPING_", "INVALID_", "MALFORMED_", "MISSING_", "NUMERIC_"),
    *("PARSE_", "UNRESOLVED_", "VARIANT_", "WRONG_NUM_ARGS"),
)
_BRACKETED = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
# the address of the file, as Spark writes it without spaces
_FILE_READ = re.compile(r"Encountered error while reading file (\S+)\.(?:\s|$)")
_FILE_ENDING = re.compile(r"\.(?:parquet|avro|puffin|orc|metadata\.json)")
_SQLSTATE = re.compile(r"SQLSTATE: ([0-9A-Z]{5})(?:;|\s*$)", re.MULTILINE)
# the SQL standard's classes for wrong values and queries; Spark has classes of its own
_SQLSTATE_CLASSES = frozenset({"21", "22", "42"})
_SCHEME_CHARACTERS = string.ascii_lowercase + string.digits
# how many characters of Spark's text are read: a user's value may make it long
_MAX_CHARACTERS = 8_192
_HINT = "Change the statement and run it again."
_HINT_OF_CONDITION = {
    "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE": "Give the rows of VALUES one type a "
    "column: 'NaN'::DOUBLE beside 0.5::DOUBLE.",
    "AMBIGUOUS_REFERENCE": "Write the column with its table before it, as in o.status.",
}


@contextmanager
def translated(spark: SparkSession, *, reading: str | None = None) -> Iterator[None]:
    """Raise Spark's errors of a block as icemelt's errors.

    Args:
        spark: the session's own Spark session.
        reading: the path of the one file whose bytes the block reads, None for any other block. An
            error names the file; bytes that cannot be unpacked are a damaged file.
    """
    try:
        yield
    except IcemeltError:
        raise
    except PySparkException as error:
        explained = _explain(_condition(error), _parameters(error), _text(error), reading)
        raise explained from _short(error)
    except Py4JNetworkError as error:
        raise spark_died_error() from error
    except Py4JJavaError as error:
        text = _causes(error.java_exception)
        condition = _BRACKETED.search(text[:_MAX_CHARACTERS])
        name = condition.group(1) if condition else ""
        raise _explain(name, {}, text, reading) from _short(error)
    except (Py4JError, ConnectionError, EOFError) as error:
        if is_alive(spark):
            raise
        raise spark_died_error() from error
    except OSError as error:
        if error.filename is None:
            raise
        raise _explain("", {}, f"{error.strerror}: {error.filename}", reading) from error


@contextmanager
def telling_death(spark: SparkSession) -> Iterator[None]:
    """Raise SparkDied in place of an error caused by Spark's death; further errors pass."""
    try:
        yield
    except IcemeltError:
        raise
    except Py4JNetworkError as error:
        raise spark_died_error() from error
    except Exception as error:
        if is_alive(spark):
            raise
        raise spark_died_error() from error


@contextmanager
def telling_failed_start(spark: SparkSession) -> Iterator[None]:
    """Raise SparkDied in place of an error caused by Spark's death while icemelt starts."""
    try:
        with telling_death(spark):
            yield
    except SparkDied as error:
        raise SparkDied(
            "The Java process of Spark ended while icemelt started.",
            hint="Start icemelt again. A machine that lacks memory may have ended Java: give Spark "
            "less, as export SPARK_DRIVER_MEMORY=1g does. Java's last words are in the newest log "
            f"below '{log_folder()}'.",
        ) from error


def _causes(java: Any) -> str:
    """Return the texts of a Java exception and its causes, the deepest cause first."""
    texts = [str(cause.toString()) for cause in causes_of(java)]
    return "\n".join(reversed(texts))


def is_about_value(error: QueryError) -> bool:
    """Tell whether a query has failed on a value of a record: its SQLSTATE is a data exception.

    >>> is_about_value(QueryError("Division by zero.", hint="").with_sqlstate("22012"))
    True
    """
    return error.sqlstate.startswith("22")


def spark_died_error() -> SparkDied:
    """Return the error of a statement whose Spark is gone."""
    return SparkDied(
        "The Java process of Spark is gone, and this session with it.",
        hint="icemelt.connect(…) starts a new one; a server does so by itself. Nothing uncommitted "
        "was kept.",
    )


def _text(error: PySparkException) -> str:
    """Return the text of an error; for a file that was not read also those of the causes."""
    java = getattr(error, "_origin", None)
    if java is None or not _condition(error).startswith("FAILED_READ_FILE"):
        return str(error)
    return f"{error}\n{_causes(java)}"


def _condition(error: PySparkException) -> str:
    return error.getCondition() or ""


def _parameters(error: PySparkException) -> Mapping[str, str]:
    return error.getMessageParameters() or {}


def _short(error: Exception) -> Exception | None:
    """Return the cause for a debugger, without the JVM's stack trace."""
    return None if isinstance(error, Py4JJavaError) else error.with_traceback(None)


def _explain(
    condition: str, parameters: Mapping[str, str], text: str, reading: str | None = None
) -> IcemeltError:
    text = text[:_MAX_CHARACTERS]
    error = value_error(condition, text) or _explain_failure(condition, parameters, text, reading)
    sqlstate = _SQLSTATE.search(text)
    is_open = (
        isinstance(error, QueryError | ValueRefused) and error.sqlstate == type(error).sqlstate
    )
    if sqlstate is not None and is_open and sqlstate.group(1)[:2] in _SQLSTATE_CLASSES:
        return error.with_sqlstate(sqlstate.group(1))
    return error


def _explain_failure(
    condition: str, parameters: Mapping[str, str], text: str, reading: str | None
) -> IcemeltError:
    """Return the error for a failure that is not about a value: of a name, a file or a cancel."""
    if condition.startswith("UNRESOLVED_COLUMN") or condition == "UNRESOLVED_FIELD":
        return _column_error(parameters)
    if condition.startswith("UNRESOLVED_ROUTINE"):
        name = parameters.get("routineName", "?").replace("`", "")
        return FunctionNotFound(
            f"Function {name!r} does not exist.",
            hint="docs/sql.md lists the functions; Spark SQL's own work too.",
        )
    if condition.startswith(_VALUE_CONDITIONS):
        return QueryError(first_sentence(text), hint=_HINT_OF_CONDITION.get(condition, _HINT))
    if _CANCELLED.search(text):
        return StatementCancelled("The statement was cancelled.", hint="Nothing of it was kept.")
    if _OUT_OF_MEMORY in text:
        return QueryError("Spark has not enough memory for the statement.", hint=_MEMORY_HINT)
    refused = _FILE_REFUSED.search(text)
    if refused is not None:
        return _file_error(refused.group(), _path(text) or reading)
    away = _STORAGE_AWAY.search(text)
    if away is not None:
        return _file_error(away.group(), _path(text) or reading)
    is_damaged = condition.startswith("FAILED_READ_FILE") or _FILE_DAMAGED.search(text)
    if is_damaged or (reading is not None and _NOT_UNPACKED.search(text)):
        path = _path(text) or reading
        name = "of the table" if path is None else repr(path)
        return FileDamaged(
            f"File {name} is missing or damaged.",
            hint="Restore it from a backup, or ask for a point at which it was not used.",
        )
    return QueryError(first_sentence(text), hint=_HINT_OF_CONDITION.get(condition, _HINT))


def _path(text: str) -> str | None:
    """Return the path of the file that Spark could not read, or of the first table file in a text.

    A table file's path begins with the first slash of a line.

    >>> _path("Encountered error while reading file file:///in/a%20b.csv.  SQLSTATE: KD001")
    '/in/a b.csv'
    """
    read = _FILE_READ.search(text)
    if read is not None:
        return plain_form(unquote(read.group(1)))
    for line in text.split("\n"):
        start = line.find("/")
        end = _FILE_ENDING.search(line, start) if start >= 0 else None
        if end is not None:
            before = line[:start].removesuffix(":")
            scheme = len(before) - len(before.rstrip(_SCHEME_CHARACTERS))
            start = len(before) - scheme if scheme and len(before) < start else start
            return line[start : end.end()]
    return None


def _file_error(reason: str, path: str | None) -> FileRefused:
    name = "of the table" if path is None else repr(path)
    if reason in NO_SPACE:
        hint = "Free disk space, then run this again; nothing was changed."
    elif _STORAGE_AWAY.fullmatch(reason):
        hint = "Run this again when the storage answers; nothing was changed."
    else:
        hint = "Give this user the right to, or write elsewhere; nothing was changed."
    cause = "Permission denied" if reason.startswith("Mkdirs") else reason
    return FileRefused(f"File {name} cannot be written or opened: {cause}.", hint=hint)


def _column_error(parameters: Mapping[str, str]) -> ColumnNotFound:
    name = parameters.get("objectName", parameters.get("fieldName", "?")).replace("`", "")
    name = strip_alias(name[:_MAX_CHARACTERS])
    proposal = parameters.get("proposal", "")[:_MAX_CHARACTERS]
    # the one column of a relation that is read in no column is called 1
    proposed = [each for each in re.findall(r"(?:`[^`]*`\.)*`([^`]*)`", proposal) if each != "1"]
    close = find_nearest(name.split(".")[-1], proposed)
    if name.split(".")[-1].upper() in METADATA_COLUMNS:
        hint = "FROM t CHANGES (INFORMATION => DEFAULT) AT (…) has it, a table does not."
    elif name.split(".")[-1].upper() in _FILE_COLUMNS:
        hint = "SELECT … FROM @stage has it; an external table has a column AS (METADATA$FILENAME)."
    elif close is not None:
        hint = f"Did you mean {close!r}?"
    elif proposed:
        hint = f"Columns there are, for example: {', '.join(proposed)}."
    else:
        hint = "DESCRIBE TABLE lists the columns."
    return ColumnNotFound(f"Column {name!r} does not exist.", hint=hint)
