"""The current database and schema of a session, and what else USE names."""

from __future__ import annotations

from icemelt.catalog.queries.reading import container
from icemelt.errors import NameRefused, ObjectNotFound
from icemelt.names import ObjectName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.session_parameters import alter_session
from icemelt.session.runtime.settings import Settings
from icemelt.sql.statements import AlterSession, ObjectKind, SetOptions, Use, UseNamed

__all__ = [
    "choose_existing_schema",
    "full_schema",
    "use",
    "use_named",
    "use_namespace",
]

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


def use_named(core: Core, statement: UseNamed) -> str:
    """Run USE WAREHOUSE, USE ROLE or USE SECONDARY ROLES, which scripts for Snowflake begin with.

    Nothing depends on the names; a notice says so.
    """
    match statement.what:
        case "WAREHOUSE":
            core.settings.warehouse = statement.name
            said = "There are no warehouses: Spark's resources are chosen when connecting."
        case _:
            said = f"There are no roles: CURRENT_ROLE() is the user, {core.user!r}."
    core.scope.notices[statement.what] = said
    return "Statement executed successfully."


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
