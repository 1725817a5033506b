"""Databases and schemas: CREATE, DROP, UNDROP and ALTER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from icemelt.catalog.edits import (
    DropObject,
    Edit,
    MakeContainer,
    Options,
    RestoreObject,
    SetObjectOptions,
)
from icemelt.catalog.parameters import find_own_options
from icemelt.catalog.queries.finding import find_streams, find_views
from icemelt.catalog.queries.reading import (
    container,
    containers,
    dropped_object,
    tables,
)
from icemelt.catalog.records import ContainerRecord, TableRecord
from icemelt.errors import (
    DefinitionRefused,
    NameRefused,
    ObjectExists,
    ObjectNotFound,
    WrongObjectKind,
)
from icemelt.names import ObjectName, validate_name, validate_namespace
from icemelt.session.ddl.lifecycle import DONE, change_options, validate_retention
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.current import choose_existing_schema, full_schema
from icemelt.session.runtime.options import PROPERTIES, table_options
from icemelt.sql.statements import (
    AlterContainer,
    CreateContainer,
    Drop,
    Existing,
    ObjectKind,
    SetOptions,
    Undrop,
)
from icemelt.transactions.pending import Attempt, Pending

__all__ = [
    "PUBLIC",
    "ContainerPlace",
    "adopt_tables",
    "alter_container",
    "create_container",
    "drop",
    "find_place",
    "require_existing",
    "undrop",
    "validate_new_name",
    "within_place",
]

PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class ContainerPlace:
    """The place of a database or schema, and the existing object there.

    Attributes:
        kind: database or schema.
        name: the name in the statement.
        parent: the database of a schema, None for a database.
        found: the existing database or schema with the name, None where there is none.
    """

    kind: ObjectKind
    name: str
    parent: ContainerRecord | None
    found: ContainerRecord | None

    @property
    def word(self) -> str:
        """The kind at the beginning of a sentence."""
        return self.kind.value.capitalize()

    @property
    def full(self) -> str:
        """The full name, which is also the name of Iceberg's namespace."""
        return self.name if self.parent is None else f"{self.parent.name}.{self.name}"


def create_container(core: Core, statement: CreateContainer, history: History) -> str:
    """Run CREATE DATABASE or CREATE SCHEMA; the new object becomes current, as in Snowflake.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        NameClash: an existing name differs by case only.
    """
    place = find_place(core, statement.kind, statement.name)
    validate_new_name(place)
    options = _container_options(statement.kind, statement.options, Options())
    if place.found is not None:
        core.refuse_clash(place.word, place.name, place.found.name)
        if statement.existing is Existing.KEPT:
            core.record(history(0))
            return f"{place.word} {place.full!r} already exists, statement succeeded."
        if statement.existing is Existing.REFUSED:
            raise ObjectExists(
                f"{place.word} {place.full!r} already exists.",
                hint=f"CREATE {place.word.upper()} IF NOT EXISTS keeps it, OR REPLACE replaces it.",
            )
        if statement.existing is Existing.ALTERED:
            return _alter_options(
                core, history, place.found, f"{place.word} {place.full!r}", options
            )
    edits: list[Edit] = []
    if place.found is not None:
        adopt_tables(core, place)
        edits.append(DropObject(place.found.object_id))
    parent_id = None if place.parent is None else place.parent.object_id
    creation = MakeContainer(new_id(), place.name, place.full, parent_id, options)
    edits.append(creation)
    if place.parent is None:
        edits.append(MakeContainer(new_id(), PUBLIC, f"{place.name}.{PUBLIC}", creation.object_id))
    _publish(core, history, edits)
    core.settings.database = place.name if place.parent is None else place.parent.name
    core.settings.schema = PUBLIC if place.parent is None else place.name
    return f"{place.word} {place.full!r} successfully created; it is current now."


def drop(core: Core, statement: Drop, history: History) -> str:
    """Run DROP DATABASE or DROP SCHEMA; the object can be restored until the retention ends.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such object.
        DefinitionRefused: the object is not empty, and the statement says RESTRICT.
    """
    try:
        place, record = require_existing(core, statement.kind, statement.name)
    except ObjectNotFound:
        if not statement.if_exists:
            raise
        core.record(history(0))
        word = statement.kind.value.capitalize()
        return f"{word} {str(statement.name)!r} does not exist; nothing to do."
    inside = _names_inside(core, place)
    if inside and not statement.cascade:
        raise DefinitionRefused(
            f"{place.word} {place.full!r} is not empty: it holds {', '.join(inside[:3])}.",
            hint=f"DROP {place.word.upper()} {place.full} CASCADE drops what is in it.",
        )
    _publish(core, history, [DropObject(record.object_id)])
    return f"{place.word} {place.full!r} successfully dropped.{choose_existing_schema(core)}"


def undrop(core: Core, statement: Undrop, history: History) -> str:
    """Run UNDROP: restore the database or schema of a name that was dropped last, and its objects.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken again.
        ObjectNotFound: no object of the name was dropped, or its retention has ended.
    """
    place = find_place(core, statement.kind, statement.name)
    if place.found is not None:
        raise ObjectExists(
            f"{place.word} {place.found.name!r} exists; a dropped one cannot take its name.",
            hint=f"SHOW {place.word.upper()}S HISTORY lists both.",
        )
    parent_id = None if place.parent is None else place.parent.object_id
    with core.database.read() as connection:
        object_id = dropped_object(connection, statement.kind.value, parent_id, place.name)
        database = None if place.parent is None else place.parent.name
        dropped = {c.object_id: c for c in containers(connection, database, dropped=True)}
    if object_id is None:
        raise ObjectNotFound(
            f"{place.word} {place.full!r} is not among the dropped ones.",
            hint=f"SHOW {place.word.upper()}S HISTORY lists what was dropped.",
        )
    record = dropped[object_id]
    inherited = None if place.parent is None else place.parent.retention_days
    validate_retention(core, f"{place.word} {place.full!r}", record, inherited)
    _publish(core, history, [RestoreObject(object_id)])
    return f"{place.word} {place.full!r} successfully restored."


def alter_container(core: Core, statement: AlterContainer, history: History) -> str:
    """Run ALTER DATABASE or ALTER SCHEMA … SET or UNSET.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.
    """
    try:
        _, record = require_existing(core, statement.kind, statement.name)
    except ObjectNotFound:
        if not statement.if_exists:
            raise
        core.record(history(0))
        word = statement.kind.value.capitalize()
        return f"{word} {str(statement.name)!r} does not exist; nothing to do."
    with core.database.read() as connection:
        before = find_own_options(connection, record.object_id)
    action = statement.action
    if isinstance(action, SetOptions):
        options = _container_options(statement.kind, action.options, before)
    else:
        options = change_options(action, before)
    _publish(core, history, [SetObjectOptions(record.object_id, options)])
    return DONE


def validate_new_name(place: ContainerPlace) -> None:
    """Refuse a name that no new database or schema may have."""
    validate_name(place.kind.value, place.name)
    if place.parent is not None:
        validate_namespace(place.parent.name, place.name)
        return
    validate_namespace(place.name, PUBLIC)
    if "." in place.name:
        raise NameRefused(
            f"Database name {place.name!r} has a full stop, which parts database and schema.",
            hint="Choose a database name without one.",
        )


def _alter_options(
    core: Core, history: History, found: ContainerRecord, what: str, options: Options
) -> str:
    """Give a database or schema the parameters of CREATE OR ALTER; missing parameters are unset."""
    with core.database.read() as connection:
        before = find_own_options(connection, found.object_id)
    if options == before:
        core.record(history(0))
        return f"{what} is as the statement says already; nothing to do."
    _publish(core, history, [SetObjectOptions(found.object_id, options)])
    return f"{what} successfully altered."


def _publish(core: Core, history: History, edits: Sequence[Edit]) -> None:
    def work(_attempt: Attempt) -> Pending[None]:
        return Pending(None, lambda: history(0), edits=tuple(edits))

    core.run_alone(work)


def find_place(core: Core, kind: ObjectKind, name: ObjectName) -> ContainerPlace:
    """Return the place of the database or schema with a name."""
    if kind is ObjectKind.SCHEMA:
        database, own = full_schema(core, name)
        parent = core.database_of(database)
        with core.database.read() as connection:
            record = container(connection, parent.name, own)
        return ContainerPlace(kind, own, parent, record)
    if len(name.parts) > 1:
        raise NameRefused(
            f"A database's name has one part, found {str(name)!r}.",
            hint=f"Quote a name with a full stop, or write SCHEMA {name}.",
        )
    with core.database.read() as connection:
        record = container(connection, name.last)
    return ContainerPlace(kind, name.last, None, record)


def require_existing(
    core: Core, kind: ObjectKind, name: ObjectName
) -> tuple[ContainerPlace, ContainerRecord]:
    """Return the place of an existing database or schema, and the record there."""
    place = find_place(core, kind, name)
    if place.found is not None:
        return place, place.found
    if place.parent is None:
        return place, core.database_of(place.name)
    return place, core.schema_of(place.parent.name, place.name)


def _names_inside(core: Core, place: ContainerPlace) -> list[str]:
    """Return the names of the objects inside a database or schema."""
    within = within_place(place)
    inside = [str(table.name) for table in adopt_tables(core, place)]
    with core.database.read() as connection:
        streams = find_streams(connection, core.database, within=within)
        inside += [str(stream.name) for stream in streams]
        inside += [str(view.name) for view in find_views(connection, within=within)]
    return inside


def within_place(place: ContainerPlace) -> tuple[str, str | None]:
    """Return the names of database and schema in which a container's objects are listed."""
    return (place.name, None) if place.parent is None else (place.parent.name, place.name)


def adopt_tables(core: Core, place: ContainerPlace) -> list[TableRecord]:
    """Return the tables of a database or schema, after all foreign commits are adopted.

    A dropped table keeps the last state in the registry: a commit that is not adopted would be
    lost.
    """
    core.newest.adopt_tables()
    with core.database.read() as connection:
        within = within_place(place)
        inside = tables(connection, core.database, session_id=core.session_id, within=within)
    core.newest.resolve([table.name for table in inside])
    return inside


def _container_options(kind: ObjectKind, options: Mapping[str, str], before: Options) -> Options:
    for name in ("CHANGE_TRACKING", *PROPERTIES):
        if name in options:
            raise WrongObjectKind(
                f"{name} is a parameter of tables, found it for a {kind.value}.",
                hint=f"ALTER TABLE name SET {name} = {options[name]}",
            )
    return table_options(options, before)
