"""Translate Spark's errors into icemelt's: no user sees a Java stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from icemelt.engine.functions import HARMLESS, OWN
from icemelt.engine.start.launch import is_alive
from icemelt.engine.start.places import log_folder
from icemelt.errors import (
    ColumnNotFound,
    FunctionNotFound,
    IcemeltError,
    QueryError,
    SparkDied,
    StatementCancelled,
    ValueRefused,
)
from icemelt.names import find_nearest
from icemelt.session.runtime.spark_words import explain_query
from icemelt.session.runtime.storage_errors import find_file_error, tells_of_file
from icemelt.session.runtime.value_errors import first_sentence, strip_alias, value_error
from icemelt.spark_sql.own_columns import METADATA_COLUMNS
from icemelt.sql.spark.functions import FUNCTIONS
from icemelt.tables.java_causes import causes_of

__all__ = [
    "is_about_memory",
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
_OUT_OF_MEMORY = re.compile(
    r"java\.lang\.OutOfMemoryError|SparkOutOfMemoryError|OutOfMemoryException"
    r"|OversizedAllocationException|UNABLE_TO_ACQUIRE_MEMORY|Unable to acquire \d+ bytes of memory"
)
# how much of a function's name and of a misspelt one is the same
_LIKENESS = 0.75
# the SQL standard has no class for it; PostgreSQL's and Spark's
_MEMORY_STATE = "53200"
# PostgreSQL's for a statement that is too complex
_DEPTH_STATE = "54001"
_MEMORY_HINT = "Read fewer rows at once, or give Spark more: icemelt.connect(…, memory='4g')."
_DEPTH_HINT = "Nest arrays, objects and calls less than 1,000 deep."
# Conditions about names and values of the statement, never about files.
_VALUE_CONDITIONS = (
    *("AMBIGUOUS_", "ARITHMETIC_", "CAST_", "COLLATION_", "DATATYPE_MISMATCH", "DATETIME_"),
    *("DIVIDE_BY_ZERO", "FIELD_", "GROUPING_", "INVALID_", "MALFORMED_", "MISSING_", "NUMERIC_"),
    *("PARSE_", "UNRESOLVED_", "VARIANT_", "WRONG_NUM_ARGS"),
)
_BRACKETED = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
_SQLSTATE = re.compile(r"SQLSTATE: ([0-9A-Z]{5})(?:;|\s*$)", re.MULTILINE)
# the SQL standard's classes for wrong values and queries; Spark has classes of its own
_SQLSTATE_CLASSES = frozenset({"21", "22", "42", "53"})
# how many characters of Spark's text are read: a user's value may make it long
_MAX_CHARACTERS = 8_192
_HINT = "Change the statement and run it again."
_HINT_OF_CONDITION = {
    "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE": "Give the rows of VALUES one type a "
    "column: 'NaN'::DOUBLE beside 0.5::DOUBLE.",
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


def is_about_memory(error: IcemeltError) -> bool:
    """Tell whether a statement has failed for lack of memory: less of it at once may fit.

    >>> is_about_memory(QueryError("Not enough.", hint="").with_sqlstate("53200"))
    True
    """
    return isinstance(error, QueryError) and error.sqlstate == _MEMORY_STATE


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
    if java is None or not tells_of_file(str(error)):
        return str(error)
    return f"{str(error)[: _MAX_CHARACTERS // 2]}\n{_causes(java)}"


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
            hint=_hint_of_function(name),
        )
    if condition.startswith(_VALUE_CONDITIONS):
        return _query_error(condition, text)
    if _CANCELLED.search(text):
        return StatementCancelled("The statement was cancelled.", hint="Nothing of it was kept.")
    if _OUT_OF_MEMORY.search(text) is not None:
        error = QueryError("Spark has not enough memory for the statement.", hint=_MEMORY_HINT)
        return error.with_sqlstate(_MEMORY_STATE)
    if "java.lang.StackOverflowError" in text:
        error = QueryError("A value or an expression is nested too deep.", hint=_DEPTH_HINT)
        return error.with_sqlstate(_DEPTH_STATE)
    of_file = find_file_error(text, reading)
    if of_file is not None:
        return of_file
    return _query_error(condition, text)


def _query_error(condition: str, text: str) -> IcemeltError:
    """Return the error for what Spark says of the query itself, in icemelt's words if there are."""
    hint = _HINT_OF_CONDITION.get(condition, _HINT)
    return explain_query(text) or QueryError(first_sentence(text), hint=hint)


def _hint_of_function(name: str) -> str:
    """Return the hint for a name of no function: the nearest name of one."""
    spark = (each.upper() for each in HARMLESS - OWN)
    close = find_nearest(name.rsplit(".", 1)[-1], (*spark, *FUNCTIONS), _LIKENESS)
    guess = "" if close is None else f"Did you mean {close}? "
    return f"{guess}docs/functions.md lists the functions; Spark SQL's own work too."


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
        hint = "Files of a stage, external tables and streams on them have it."
    elif close is not None:
        hint = f"Did you mean {close!r}?"
    elif proposed:
        hint = f"Columns there are, for example: {', '.join(proposed)}."
    else:
        hint = "DESCRIBE TABLE lists the columns."
    return ColumnNotFound(f"Column {name!r} does not exist.", hint=hint)
