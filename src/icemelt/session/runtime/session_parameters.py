"""The parameters of a session: those that icemelt has, and what it makes of Snowflake's."""

from __future__ import annotations

import math
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import PySparkException

from icemelt.errors import DefinitionRefused, NotYet, ValueRefused
from icemelt.names import find_nearest
from icemelt.session.runtime.core import TIME_ZONE, Core
from icemelt.session.runtime.options import parse_boolean
from icemelt.sql.statements import AlterSession, SetOptions
from icemelt.values import is_whole_number

__all__ = [
    "PARAMETERS",
    "SessionParameter",
    "alter_session",
    "find_parameter_setter",
    "parameter_value",
]

_VIEW_CHANGES = ("AUTO", "INCREMENTAL", "BOTH_ENDS", "ORIGINAL")
_MERGE_STRATEGIES = ("AUTO", "KEYS", "JOIN")
# some 68 years: no system waits longer than its clock counts
_LONGEST_WAIT = 2**31 - 1
_MOST_CHARACTERS = 2_000
_BOOLEAN, _NUMBER, _STRING = "BOOLEAN", "NUMBER", "STRING"


@dataclass(frozen=True, slots=True)
class SessionParameter:
    """A parameter of ALTER SESSION.

    Attributes:
        default: the value of a session that sets none.
        type: BOOLEAN, NUMBER or STRING.
        description: what it does, or why it does nothing.
        instead: what to write for another value than `accepted`; empty where values are kept.
        accepted: the values that say what holds here, in upper case; none where any may be kept.
    """

    default: str
    type: str
    description: str
    instead: str = ""
    accepted: tuple[str, ...] = ()

    @property
    def has_effect(self) -> bool:
        """Whether a session has something from the parameter."""
        return not self.description.startswith("No effect")


def _without_effect(default: str, type_: str, reason: str) -> SessionParameter:
    return SessionParameter(default, type_, f"No effect: {reason}")


def _fixed(default: str, type_: str, instead: str, *accepted: str) -> SessionParameter:
    return SessionParameter(
        default, type_, "The value that holds.", instead, (default.upper(), *accepted)
    )


_FORMAT = "TO_CHAR(value, 'format') writes a text, and unloading has DATE_FORMAT and its kin."
_INPUT = "TO_DATE(text, 'format') reads a text, and COPY INTO has DATE_FORMAT and its kin."
_CLIENT = "it is for Snowflake's drivers."
_PLANNED_BY_SPARK = "Spark plans and keeps the rows of queries."
_NO_TIMES = "there are no TIME and TIMESTAMP_TZ columns."

PARAMETERS: Mapping[str, SessionParameter] = {
    "ABORT_DETACHED_QUERY": _without_effect("FALSE", _BOOLEAN, _CLIENT),
    "AUTOCOMMIT": SessionParameter("TRUE", _BOOLEAN, "Whether a statement is its own transaction."),
    "BINARY_INPUT_FORMAT": _fixed("HEX", _STRING, "TO_BINARY(text, 'BASE64')"),
    "BINARY_OUTPUT_FORMAT": _fixed("HEX", _STRING, "BASE64_ENCODE(bytes)"),
    "CLIENT_MEMORY_LIMIT": _without_effect("1536", _NUMBER, _CLIENT),
    "CLIENT_METADATA_REQUEST_USE_CONNECTION_CTX": _without_effect("FALSE", _BOOLEAN, _CLIENT),
    "CLIENT_PREFETCH_THREADS": _without_effect("4", _NUMBER, _CLIENT),
    "CLIENT_RESULT_CHUNK_SIZE": _without_effect("160", _NUMBER, _CLIENT),
    "CLIENT_RESULT_COLUMN_CASE_INSENSITIVE": _without_effect("FALSE", _BOOLEAN, _CLIENT),
    "CLIENT_SESSION_KEEP_ALIVE": _without_effect("FALSE", _BOOLEAN, _CLIENT),
    "CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY": _without_effect("3600", _NUMBER, _CLIENT),
    "CLIENT_TIMESTAMP_TYPE_MAPPING": _without_effect("TIMESTAMP_LTZ", _STRING, _CLIENT),
    "DATE_INPUT_FORMAT": _fixed("AUTO", _STRING, _INPUT),
    "DATE_OUTPUT_FORMAT": _fixed("YYYY-MM-DD", _STRING, _FORMAT, "AUTO"),
    "DEFAULT_DDL_COLLATION": _fixed("", _STRING, "Compare LOWER(a) with LOWER(b)."),
    "DEFAULT_NULL_ORDERING": _fixed("LAST", _STRING, "ORDER BY column NULLS FIRST"),
    "ERROR_ON_NONDETERMINISTIC_MERGE": _fixed(
        "TRUE", _BOOLEAN, "Choose one source row for each key: QUALIFY ROW_NUMBER() OVER (…) = 1."
    ),
    "ERROR_ON_NONDETERMINISTIC_UPDATE": _fixed(
        "FALSE", _BOOLEAN, "MERGE is an error where several source rows match."
    ),
    "JDBC_TREAT_DECIMAL_AS_INT": _without_effect("TRUE", _BOOLEAN, _CLIENT),
    "JSON_INDENT": _without_effect("2", _NUMBER, "VARIANT values are shown on one line."),
    "LEARN_COSTS": SessionParameter(
        "TRUE", _BOOLEAN, "Whether what plans have taken mends what is expected of the next."
    ),
    "LOCK_TIMEOUT": SessionParameter(
        "60", _NUMBER, "How many seconds a statement waits for a lock."
    ),
    "LOG_LEVEL": _without_effect("OFF", _STRING, "there are no functions that log."),
    "MERGE_STRATEGY": SessionParameter("AUTO", _STRING, "How MERGE finds the rows of its target."),
    "MULTI_STATEMENT_COUNT": _without_effect("1", _NUMBER, _CLIENT),
    "ODBC_TREAT_DECIMAL_AS_INT": _without_effect("FALSE", _BOOLEAN, _CLIENT),
    "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": _without_effect("ARROW", _STRING, _CLIENT),
    "QUERY_TAG": _without_effect(
        "", _STRING, "QUERY_HISTORY has the texts, a comment in a text is kept with it."
    ),
    "QUOTED_IDENTIFIERS_IGNORE_CASE": _without_effect(
        "FALSE", _BOOLEAN, "names are looked up without their case, quoted or not."
    ),
    "ROWS_PER_RESULTSET": _fixed("0", _NUMBER, "SELECT … LIMIT n"),
    "SEARCH_PATH": _fixed("$current, $public", _STRING, "USE SCHEMA, or names with their schema."),
    "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS": _without_effect(
        "0", _NUMBER, "there are no warehouses that statements wait for."
    ),
    "STATEMENT_TIMEOUT_IN_SECONDS": _without_effect(
        "172800",
        _NUMBER,
        "a server has its own timeout, a task USER_TASK_TIMEOUT_MS, and session.cancel() ends a "
        "statement.",
    ),
    "STRICT_JSON_OUTPUT": _without_effect("FALSE", _BOOLEAN, "VARIANT values are strict JSON."),
    "TIMESTAMP_DAY_IS_ALWAYS_24H": _fixed("FALSE", _BOOLEAN, "DATEADD(hour, 24, t)"),
    "TIMESTAMP_INPUT_FORMAT": _fixed("AUTO", _STRING, _INPUT),
    "TIMESTAMP_LTZ_OUTPUT_FORMAT": _fixed("", _STRING, _FORMAT, "AUTO"),
    "TIMESTAMP_NTZ_OUTPUT_FORMAT": _fixed("", _STRING, _FORMAT, "AUTO"),
    "TIMESTAMP_OUTPUT_FORMAT": _fixed("", _STRING, _FORMAT, "AUTO"),
    "TIMESTAMP_TYPE_MAPPING": _fixed(
        "TIMESTAMP_NTZ", _STRING, "Write TIMESTAMP_LTZ in the columns and casts themselves."
    ),
    "TIMESTAMP_TZ_OUTPUT_FORMAT": _without_effect("", _STRING, _NO_TIMES),
    "TIMEZONE": SessionParameter("UTC", _STRING, "The zone of texts, and of TIMESTAMP_LTZ."),
    "TIME_INPUT_FORMAT": _without_effect("AUTO", _STRING, _NO_TIMES),
    "TIME_OUTPUT_FORMAT": _without_effect("HH24:MI:SS", _STRING, _NO_TIMES),
    "TRACE_LEVEL": _without_effect("OFF", _STRING, "docs/observing.md tells what is traced."),
    "TRANSACTION_ABORT_ON_ERROR": _fixed(
        "FALSE", _BOOLEAN, "ROLLBACK after an error; icemelt sql ends a script at the first one."
    ),
    "TRANSACTION_DEFAULT_ISOLATION_LEVEL": _without_effect(
        "READ COMMITTED", _STRING, "each transaction sees the state of its beginning."
    ),
    "TWO_DIGIT_CENTURY_START": _fixed("1970", _NUMBER, "Write years with four digits."),
    "UNSUPPORTED_DDL_ACTION": _without_effect(
        "IGNORE", _STRING, "what is not supported is an error."
    ),
    "USE_CACHED_RESULT": _without_effect("TRUE", _BOOLEAN, _PLANNED_BY_SPARK),
    "VIEW_CHANGES": SessionParameter("AUTO", _STRING, "How changes of views are computed."),
    "WEEK_OF_YEAR_POLICY": _fixed("0", _NUMBER, "WEEKISO(d) and YEAROFWEEKISO(d)"),
    "WEEK_START": _fixed("0", _NUMBER, "DAYOFWEEKISO(d), or DATE_TRUNC('week', d + 1) - 1."),
}
_NOTICE = "session parameters"


def alter_session(core: Core, statement: AlterSession) -> str:
    """Run ALTER SESSION; all parameters are checked before the first is changed.

    Raises:
        DefinitionRefused: there is no such parameter.
        ValueRefused: the parameter cannot have the value.
        NotYet: icemelt does not have what the value asks for.
    """
    action = statement.action
    values: Mapping[str, str]
    if isinstance(action, SetOptions):
        values = action.options
    else:
        values = {name: _find_parameter(name).default for name in action.options}
    changes = [_find_change(name, value) for name, value in values.items()]
    for change in changes:
        change(core)
    if isinstance(action, SetOptions):
        idle = [name for name in values if not PARAMETERS[name].has_effect]
        said = [f"{name} has no effect: {_reason(PARAMETERS[name])}" for name in idle]
        if said:
            core.scope.notices[_NOTICE] = " ".join(said)
    else:
        for name in values:
            core.settings.parameters.pop(name, None)
    return "Statement executed successfully."


def parameter_value(core: Core, name: str) -> str:
    """Return the value that a parameter has in a session, as text."""
    settings = core.settings
    match name:
        case "TIMEZONE":
            return settings.timezone
        case "LOCK_TIMEOUT":
            return f"{settings.lock_timeout:g}"
        case "AUTOCOMMIT":
            return str(settings.autocommit).upper()
        case "VIEW_CHANGES":
            return settings.view_changes
        case "MERGE_STRATEGY":
            return settings.merge_strategy
        case "LEARN_COSTS":
            return str(settings.learn_costs).upper()
        case _:
            return settings.parameters.get(name, PARAMETERS[name].default)


def find_parameter_setter(name: str, value: str) -> Callable[[Core], None]:
    """Check the value of one of icemelt's own parameters; return the function that sets it.

    >>> find_parameter_setter("VIEW_CHANGES", "never")
    Traceback (most recent call last):
    icemelt.errors.ValueRefused: VIEW_CHANGES is one of AUTO, INCREMENTAL, BOTH_ENDS, ORIGINAL, \
found 'never'.
    Hint: ALTER SESSION SET VIEW_CHANGES = 'AUTO'
    """
    match name:
        case "TIMEZONE":
            return _timezone_setter(value)
        case "LOCK_TIMEOUT":
            return _lock_timeout_setter(value)
        case "AUTOCOMMIT":
            return _autocommit_setter(value)
        case "MERGE_STRATEGY":
            return _merge_strategy_setter(value)
        case "LEARN_COSTS":
            return _learn_costs_setter(value)
        case _:
            return _view_changes_setter(value)


def _find_change(name: str, value: str) -> Callable[[Core], None]:
    """Check the value of a parameter; return the function that sets the parameter in a session."""
    parameter = _find_parameter(name)
    if parameter.has_effect and not parameter.accepted:
        return find_parameter_setter(name, value)
    kept = _validate_value(name, parameter, value)
    if parameter.accepted and kept.upper() not in parameter.accepted:
        raise NotYet(
            f"{name} is {parameter.default!r} in every session, found {value!r}.",
            hint=parameter.instead,
        )

    def change(core: Core) -> None:
        core.settings.parameters[name] = kept

    return change


def _validate_value(name: str, parameter: SessionParameter, value: str) -> str:
    """Return the value of a parameter that is kept, as SHOW PARAMETERS shows it."""
    if parameter.type == _BOOLEAN:
        return str(parse_boolean(name, value)).upper()
    if parameter.type == _NUMBER and not is_whole_number(value, _LONGEST_WAIT):
        raise ValueRefused(
            f"{name} is a whole number, found {value!r}.",
            hint=f"ALTER SESSION SET {name} = {parameter.default}",
        )
    if len(value) > _MOST_CHARACTERS:
        raise ValueRefused(
            f"{name} has {len(value):,} characters, {_MOST_CHARACTERS:,} are as many as may be.",
            hint="Write a shorter text.",
        )
    return value


def _find_parameter(name: str) -> SessionParameter:
    parameter = PARAMETERS.get(name)
    if parameter is not None:
        return parameter
    close = find_nearest(name, PARAMETERS)
    raise DefinitionRefused(
        f"Session parameter {name!r} is not known.",
        hint=f"Did you mean {close}?" if close else "SHOW PARAMETERS lists the parameters.",
    )


def _reason(parameter: SessionParameter) -> str:
    return parameter.description.removeprefix("No effect: ")


def _timezone_setter(value: str) -> Callable[[Core], None]:
    zones = zoneinfo.available_timezones()
    if value not in zones:
        close = find_nearest(value, zones)
        raise ValueRefused(
            f"Time zone {value!r} is not known.",
            hint=f"ALTER SESSION SET TIMEZONE = '{close or 'Europe/Berlin'}'",
        )

    def change(core: Core) -> None:
        try:
            core.spark.conf.set(TIME_ZONE, value)
        except PySparkException as error:
            raise ValueRefused(
                f"Time zone {value!r} is not known to Spark.",
                hint="ALTER SESSION SET TIMEZONE = 'UTC'",
            ) from error
        core.settings.timezone = value

    return change


def _lock_timeout_setter(value: str) -> Callable[[Core], None]:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_WAIT:
        raise ValueRefused(
            f"LOCK_TIMEOUT is a number of seconds from 0 to {_LONGEST_WAIT}, found {value!r}.",
            hint="ALTER SESSION SET LOCK_TIMEOUT = 60",
        )

    def change(core: Core) -> None:
        core.settings.lock_timeout = seconds

    return change


def _view_changes_setter(value: str) -> Callable[[Core], None]:
    """Return the function that sets how changes of views are computed.

    AUTO lets the cost decide. INCREMENTAL computes the derivative, BOTH_ENDS compares both ends.
    ORIGINAL compares both ends too, and gives no row ids.
    """
    chosen = _require_one_of("VIEW_CHANGES", value, _VIEW_CHANGES)

    def change(core: Core) -> None:
        core.settings.view_changes = chosen

    return change


def _merge_strategy_setter(value: str) -> Callable[[Core], None]:
    """Return the function that sets how MERGE finds the rows of its target.

    KEYS broadcasts the keys of the source. JOIN is Spark's join with the whole target. AUTO takes
    KEYS where the target has many rows and the source few.
    """
    chosen = _require_one_of("MERGE_STRATEGY", value, _MERGE_STRATEGIES)

    def change(core: Core) -> None:
        core.settings.merge_strategy = chosen

    return change


def _learn_costs_setter(value: str) -> Callable[[Core], None]:
    chosen = parse_boolean("LEARN_COSTS", value)

    def change(core: Core) -> None:
        core.settings.learn_costs = chosen

    return change


def _require_one_of(name: str, value: str, known: Sequence[str]) -> str:
    if value.upper() not in known:
        raise ValueRefused(
            f"{name} is one of {', '.join(known)}, found {value!r}.",
            hint=f"ALTER SESSION SET {name} = '{known[0]}'",
        )
    return value.upper()


def _autocommit_setter(value: str) -> Callable[[Core], None]:
    on = parse_boolean("AUTOCOMMIT", value)

    def change(core: Core) -> None:
        core.settings.autocommit = on

    return change
