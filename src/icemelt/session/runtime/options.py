"""Check the parameters of objects in statements: names, types and bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from icemelt.catalog.edits import Options
from icemelt.errors import DefinitionRefused
from icemelt.names import find_nearest
from icemelt.tables.metadata.document import ERROR_PROPERTY, LOG_PROPERTY
from icemelt.values import is_whole_number

__all__ = [
    "COMMENT",
    "DAYS",
    "PROPERTIES",
    "error_option",
    "parse_boolean",
    "property_options",
    "table_options",
    "tracking_option",
    "unset_options",
]

# parameters in days, and the fields of `Options` for them
DAYS = {
    "DATA_RETENTION_TIME_IN_DAYS": "retention_days",
    "MAX_DATA_EXTENSION_TIME_IN_DAYS": "extension_days",
}
_TRACKING = "CHANGE_TRACKING"
COMMENT = "COMMENT"
_LOG_MINUTES = "SNAPSHOT_LOG_TIME_IN_MINUTES"
_ERROR_LOGGING = "ERROR_LOGGING"
# parameters that are kept as table properties
PROPERTIES = {_LOG_MINUTES: LOG_PROPERTY, _ERROR_LOGGING: ERROR_PROPERTY}
_ALL_PARAMETERS = (*DAYS, *PROPERTIES, _TRACKING, COMMENT)
_MAX_DAYS = 90
_DAY_MINUTES = 24 * 60


def table_options(options: Mapping[str, str], before: Options) -> Options:
    """Return an object's parameters with a statement's parameters put in.

    Raises:
        DefinitionRefused: there is no such parameter, or its value is out of bounds.

    >>> table_options({"DATA_RETENTION_TIME_IN_DAYS": "3"}, Options()).retention_days
    3
    """
    result = before
    for name, value in options.items():
        if name == COMMENT:
            result = replace(result, comment=value)
        elif name in DAYS:
            result = _with_days(result, name, _days(name, value))
        elif name != _TRACKING and name not in PROPERTIES:
            raise _unknown_option(name)
    return result


def unset_options(options: Iterable[str], before: Options) -> Options:
    """Return an object's parameters with some unset; the schema's or database's values apply."""
    result = before
    for name in options:
        if name == COMMENT:
            result = replace(result, comment=None)
        elif name in DAYS:
            result = _with_days(result, name, None)
        else:
            raise _unknown_option(name)
    return result


def tracking_option(options: Mapping[str, str]) -> bool | None:
    """Return the value of CHANGE_TRACKING in a statement, or None."""
    return parse_boolean(_TRACKING, options[_TRACKING]) if _TRACKING in options else None


def property_options(options: Mapping[str, str]) -> dict[str, str | None]:
    """Return the table properties for a statement's parameters; the value None removes a property.

    Raises:
        DefinitionRefused: a value is out of bounds.

    >>> property_options({"SNAPSHOT_LOG_TIME_IN_MINUTES": "060", "COMMENT": "c"})
    {'icemelt.snapshot-log-minutes': '60'}
    """
    properties: dict[str, str | None] = {}
    if (minutes := options.get(_LOG_MINUTES)) is not None:
        properties[LOG_PROPERTY] = _minutes(minutes)
    if (logs := error_option(options)) is not None:
        properties[ERROR_PROPERTY] = "true" if logs else None
    return properties


def _minutes(value: str) -> str:
    most = _MAX_DAYS * _DAY_MINUTES
    if not is_whole_number(value, most):
        raise DefinitionRefused(
            f"Parameter {_LOG_MINUTES} is a whole number of minutes from 0 to {most}, "
            f"found {value!r}.",
            hint=f"{_LOG_MINUTES} = 60",
        )
    return str(int(value))


def error_option(options: Mapping[str, str]) -> bool | None:
    """Return the value of ERROR_LOGGING in a statement, or None."""
    return (
        parse_boolean(_ERROR_LOGGING, options[_ERROR_LOGGING])
        if _ERROR_LOGGING in options
        else None
    )


def parse_boolean(name: str, value: str) -> bool:
    """Return the value of a parameter that is TRUE or FALSE."""
    if value.upper() not in {"TRUE", "FALSE"}:
        raise DefinitionRefused(
            f"Parameter {name} is TRUE or FALSE, found {value!r}.", hint=f"{name} = TRUE"
        )
    return value.upper() == "TRUE"


def _with_days(options: Options, name: str, days: int | None) -> Options:
    if DAYS[name] == "retention_days":
        return replace(options, retention_days=days)
    return replace(options, extension_days=days)


def _days(name: str, value: str) -> int:
    if not is_whole_number(value, _MAX_DAYS):
        raise DefinitionRefused(
            f"Parameter {name} is a whole number of days from 0 to {_MAX_DAYS}, found {value!r}.",
            hint=f"{name} = 7",
        )
    return int(value)


def _unknown_option(name: str) -> DefinitionRefused:
    close = find_nearest(name, _ALL_PARAMETERS)
    hint = (
        f"Did you mean {close}?" if close else f"The parameters are {', '.join(_ALL_PARAMETERS)}."
    )
    return DefinitionRefused(f"Parameter {name!r} is not known.", hint=hint)
