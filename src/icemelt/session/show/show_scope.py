"""Choose the objects of a SHOW: IN, LIKE, STARTS WITH and LIMIT."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from icemelt.catalog.defined_records import DefinedRecord
from icemelt.catalog.queries.reading import container
from icemelt.catalog.records import ContainerRecord, TableRecord, ViewRecord, Wanted
from icemelt.names import ObjectName
from icemelt.patterns import is_like
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.current import full_schema
from icemelt.session.runtime.result import LocalRows
from icemelt.sql.statements import ObjectKind, Show
from icemelt.times import as_datetime

__all__ = [
    "ShowScope",
    "Within",
    "choose_records",
    "dropped_values",
    "find_defined",
    "find_scope",
    "flag",
    "list_tersely",
]

_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name")
_Record = TypeVar("_Record")
_Defined = TypeVar("_Defined", bound=DefinedRecord)
Within = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class ShowScope:
    """The part of the lake that a SHOW looks in.

    Attributes:
        within: a database and a schema, None for all.
        table: the name of a table after IN, None where no table is named.
    """

    within: Within = (None, None)
    table: ObjectName | None = None


def find_scope(core: Core, statement: Show, *, of_tables: bool = False) -> ShowScope:
    """Return where a SHOW looks; without IN in the current database, as in Snowflake.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        of_tables: whether the name after IN may be a table's.
    """
    if statement.account:
        return ShowScope()
    kind, scope = statement.scope_kind, statement.scope
    if scope is None:
        if kind is ObjectKind.SCHEMA:
            return ShowScope((core.settings.database, core.settings.schema))
        return ShowScope((core.settings.database, None))
    if kind is None:
        kind = _guess_kind(core, scope, of_tables=of_tables)
    if kind is ObjectKind.DATABASE:
        return ShowScope((core.database_of(str(scope)).name, None))
    if kind is ObjectKind.SCHEMA:
        schema = core.schema_of(*full_schema(core, scope))
        return ShowScope((schema.database_name, schema.name))
    return ShowScope(table=scope)


def _guess_kind(core: Core, scope: ObjectName, *, of_tables: bool) -> ObjectKind:
    """Return the kind of a name after IN without a keyword: first schema, then database.

    Another name is a table's where `of_tables`, so that the error proposes tables with a similar
    name.
    """
    with core.database.read() as connection:
        if container(connection, *full_schema(core, scope)) is not None:
            return ObjectKind.SCHEMA
        is_database = len(scope.parts) == 1 and container(connection, scope.last) is not None
    if is_database:
        return ObjectKind.DATABASE
    return ObjectKind.TABLE if of_tables else ObjectKind.SCHEMA


def choose_records(
    records: Iterable[_Record], statement: Show, name: Callable[[_Record], str]
) -> list[_Record]:
    """Return the records that LIKE, STARTS WITH and LIMIT … FROM choose.

    Args:
        records: the records, in order.
        statement: the parsed SHOW.
        name: returns the name of a record.
    """
    if statement.like is not None:
        pattern = statement.like
        records = [record for record in records if is_like(name(record), pattern, escape="\\")]
    if statement.starts_with is not None:
        start = statement.starts_with
        records = [record for record in records if name(record).startswith(start)]
    if statement.limit_from is not None:
        cursor = statement.limit_from
        rest = itertools.dropwhile(lambda record: not name(record).startswith(cursor), records)
        records = itertools.islice(rest, 1, None)
    return list(itertools.islice(records, statement.limit))


def find_defined(
    core: Core,
    statement: Show,
    kind: type[_Defined],
    name: Callable[[_Defined], str] = lambda record: record.name.name,
) -> list[_Defined]:
    """Return the objects of a kind with a definition that a SHOW lists.

    Args:
        core: the session's parts.
        statement: the parsed SHOW.
        kind: the kind.
        name: returns the name of an object, for LIKE and the other clauses.
    """
    wanted = Wanted(frozenset({kind.kind}), find_scope(core, statement).within)
    return choose_records(core.resolver.list_objects(wanted).of(kind), statement, name)


def list_tersely(records: Iterable[ViewRecord | DefinedRecord]) -> LocalRows:
    """Return the rows of SHOW TERSE: when an object was made, its name, its kind and its place."""
    rows = (
        (as_datetime(r.created_at), r.name.name, r.kind.upper(), r.name.database, r.name.schema)
        for r in records
    )
    return LocalRows(_TERSE_COLUMNS, tuple(rows))


def dropped_values(
    statement: Show, record: TableRecord | ContainerRecord
) -> tuple[datetime.datetime | None, ...]:
    """Return the value of `dropped_on` for a SHOW with HISTORY, else none."""
    if not statement.history:
        return ()
    return (None if record.dropped_at is None else as_datetime(record.dropped_at),)


def flag(value: object) -> str:
    """Return Y or N, as Snowflake shows whether something is so."""
    return "Y" if value else "N"
