"""The current database and schema of a session, and its parameters."""

from __future__ import annotations

import math
import zoneinfo
from collections.abc import Callable, Mapping

from pyspark.errors import PySparkException

from icemelt.catalog.queries.reading import container
from icemelt.errors import DefinitionRefused, NameRefused, ObjectNotFound, ValueRefused
from icemelt.names import ObjectName, find_nearest
from icemelt.session.runtime.core import TIME_ZONE, Core
from icemelt.session.runtime.options import parse_boolean
from icemelt.session.runtime.settings import Settings
from icemelt.sql.statements import AlterSession, ObjectKind, SetOptions, Use

__all__ = [
    "alter_session",
    "choose_existing_schema",
    "find_parameter_setter",
    "full_schema",
    "use",
    "use_namespace",
]

_STRATEGIES = ("AUTO", "INCREMENTAL", "BOTH_ENDS", "ORIGINAL")
# some 68 years: no system waits longer than its clock counts
_LONGEST_WAIT = 2**31 - 1
_PUBLIC = "public"


def use(core: Core, statement: Use) -> str:
    """Run USE; a single name without a kind is a database, as in Snowflake.

    Raises:
        ObjectNotFound: there is no such database or schema.
    """
    kind = statement.kind
    if kind is None:
        kind = ObjectKind.DATABASE if len(statement.name.parts) == 1 else ObjectKind.SCHEMA
    if kind is ObjectKind.SCHEMA:
        schema = core.schema_of(*full_schema(core, statement.name))
        core.settings.database = schema.database_name or core.settings.database
        core.settings.schema = schema.name
    else:
        _use_database(core, statement)
    return f"The current schema is {core.settings.database}.{core.settings.schema}."


def use_namespace(
    core: Core, database: str | None, schema: str | None, timezone: str | None
) -> None:
    """Set the current database, schema and time zone of a session.

    Args:
        core: the session's parts.
        database: the database to use, None to keep the current one.
        schema: the schema to use, None to keep the current one.
        timezone: the time zone, as `Europe/Berlin`, None to keep the current one.

    Raises:
        ObjectNotFound: there is no such database or schema.
        ValueRefused: there is no such time zone.
    """
    if database is not None:
        use(core, Use(ObjectKind.DATABASE, ObjectName((database,))))
    if schema is not None:
        use(core, Use(ObjectKind.SCHEMA, ObjectName((schema,))))
    if timezone is not None:
        alter_session(core, AlterSession(SetOptions({"TIMEZONE": timezone})))


def full_schema(core: Core, name: ObjectName) -> tuple[str, str]:
    """Return the database and the name of a schema.

    The current database where the name has none.
    """
    match name.parts:
        case (schema,):
            return core.settings.database, schema
        case (database, schema):
            return database, schema
        case _:
            raise NameRefused(
                f"A schema's name has one or two parts, found {str(name)!r}.",
                hint="Write database.schema.",
            )


def alter_session(core: Core, statement: AlterSession) -> str:
    """Run ALTER SESSION; all parameters are checked before the first is changed.

    Raises:
        DefinitionRefused: there is no such parameter.
        ValueRefused: the parameter cannot have the value.
    """
    action = statement.action
    values: Mapping[str, str]
    if isinstance(action, SetOptions):
        values = action.options
    else:
        before = Settings()
        unset = {
            "TIMEZONE": before.timezone,
            "LOCK_TIMEOUT": str(before.lock_timeout),
            "AUTOCOMMIT": "TRUE",
            "VIEW_CHANGES": before.view_changes,
        }
        values = {name: unset.get(name, "") for name in action.options}
    changes = [find_parameter_setter(name, value) for name, value in values.items()]
    for change in changes:
        change(core)
    return "Statement executed successfully."


def choose_existing_schema(core: Core) -> str:
    """Choose another current schema if the current one is gone.

    Return a sentence about the choice.
    """
    settings = core.settings
    with core.database.read() as connection:
        if container(connection, settings.database, settings.schema) is not None:
            return ""
        usual = Settings()
        for database, schema in ((settings.database, _PUBLIC), (usual.database, usual.schema)):
            if container(connection, database, schema) is not None:
                settings.database, settings.schema = database, schema
                return f" The current schema is {database}.{schema} now."
    settings.database, settings.schema = usual.database, usual.schema
    return " There is no current schema now: USE SCHEMA chooses one."


def _use_database(core: Core, statement: Use) -> None:
    if len(statement.name.parts) > 1:
        raise NameRefused(
            f"A database's name has one part, found {str(statement.name)!r}.",
            hint=f"USE SCHEMA {statement.name}",
        )
    name = statement.name.last
    try:
        database = core.database_of(name)
    except ObjectNotFound as error:
        with core.database.read() as connection:
            schema = container(connection, core.settings.database, name)
        if schema is None or statement.kind is not None:
            raise
        raise ObjectNotFound(error.message, hint=f"USE SCHEMA {schema.name}") from None
    core.settings.database, core.settings.schema = database.name, _PUBLIC


def find_parameter_setter(name: str, value: str) -> Callable[[Core], None]:
    """Check the value of a parameter; return the function that sets the parameter in a session."""
    match name:
        case "TIMEZONE":
            return _timezone_setter(value)
        case "LOCK_TIMEOUT":
            return _lock_timeout_setter(value)
        case "AUTOCOMMIT":
            return _autocommit_setter(value)
        case "VIEW_CHANGES":
            return _view_changes_setter(value)
    parameters = ("TIMEZONE", "LOCK_TIMEOUT", "AUTOCOMMIT", "VIEW_CHANGES")
    close = find_nearest(name, parameters)
    raise DefinitionRefused(
        f"Session parameter {name!r} is not known.",
        hint=f"Did you mean {close}?" if close else f"The parameters are {', '.join(parameters)}.",
    )


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
    if value.upper() not in _STRATEGIES:
        raise ValueRefused(
            f"VIEW_CHANGES is one of {', '.join(_STRATEGIES)}, found {value!r}.",
            hint="ALTER SESSION SET VIEW_CHANGES = 'AUTO'",
        )

    def change(core: Core) -> None:
        core.settings.view_changes = value.upper()

    return change


def _autocommit_setter(value: str) -> Callable[[Core], None]:
    on = parse_boolean("AUTOCOMMIT", value)

    def change(core: Core) -> None:
        core.settings.autocommit = on

    return change
