"""SHOW PRIMARY KEYS, UNIQUE KEYS, IMPORTED KEYS and EXPORTED KEYS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from icemelt.catalog.records import TableRecord, Wanted
from icemelt.errors import FileDamaged
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import ShowScope, find_scope
from icemelt.sql.statements import Show
from icemelt.tables.metadata.document import Constraint, Key, TableMetadata
from icemelt.times import as_datetime

__all__ = ["show_foreign_keys", "show_keys"]

_KEY_COLUMNS = (
    "created_on",
    "database_name",
    "schema_name",
    "table_name",
    "column_name",
    "key_sequence",
    "constraint_name",
    "rely",
    "comment",
)
_FOREIGN_COLUMNS = (
    "created_on",
    "pk_database_name",
    "pk_schema_name",
    "pk_table_name",
    "pk_column_name",
    "fk_database_name",
    "fk_schema_name",
    "fk_table_name",
    "fk_column_name",
    "key_sequence",
    "update_rule",
    "delete_rule",
    "fk_name",
    "pk_name",
    "deferrability",
    "rely",
    "comment",
)
_Table = tuple[TableRecord, TableMetadata]


def show_keys(core: Core, statement: Show, *, of_unique: bool) -> LocalRows:
    """Run SHOW PRIMARY KEYS or SHOW UNIQUE KEYS: Snowflake's columns, a row for each column.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        of_unique: whether UNIQUE KEYS are shown.
    """
    scope = find_scope(core, statement, of_tables=True)
    rows: list[tuple[Any, ...]] = []
    for table, metadata in _tables(core):
        if _is_within(core, scope, table):
            for key in _keys_of(metadata, of_unique=of_unique):
                rows += _key_rows(table, metadata, key)
    return LocalRows(_KEY_COLUMNS, tuple(rows))


def show_foreign_keys(core: Core, statement: Show, *, of_imported: bool) -> LocalRows:
    """Run SHOW IMPORTED KEYS, of tables with foreign keys, or EXPORTED KEYS, of the referenced.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        of_imported: whether the scope has the tables with the foreign keys.
    """
    scope = find_scope(core, statement, of_tables=True)
    tables = {table.object_id: (table, metadata) for table, metadata in _tables(core)}
    rows: list[tuple[Any, ...]] = []
    for own in tables.values():
        for key in own[1].constraints:
            other = own if key.table_id is None else tables.get(key.table_id)
            referenced = None if other is None else other[1].find_key(key.references)
            is_whole = len(own[1].key_columns(key)) == len(key.references)
            if not is_whole or other is None or referenced is None:
                continue
            if _is_within(core, scope, (own if of_imported else other)[0]):
                rows += _foreign_rows(own, other, key, referenced.name)
    return LocalRows(_FOREIGN_COLUMNS, tuple(rows))


def _tables(core: Core) -> Iterator[_Table]:
    """Yield the tables of the lake, each with its metadata; those with lost files are left out."""
    for listed in core.resolver.list_objects(Wanted(frozenset({TableRecord.kind}))).tables:
        try:
            yield listed.table, core.metadata(listed.table)
        except FileDamaged:
            continue


def _is_within(core: Core, scope: ShowScope, table: TableRecord) -> bool:
    if scope.table is not None:
        return core.table(scope.table).object_id == table.object_id
    database, schema = scope.within
    place = table.name
    return database in {None, place.database} and schema in {None, place.schema}


def _keys_of(metadata: TableMetadata, *, of_unique: bool) -> list[Key | Constraint]:
    if of_unique:
        return [each for each in metadata.constraints if not each.references]
    return [] if metadata.key is None else [metadata.key]


def _key_rows(
    table: TableRecord, metadata: TableMetadata, key: Key | Constraint
) -> Iterator[tuple[Any, ...]]:
    place = (table.name.database, table.name.schema, table.name.name)
    for number, column in enumerate(metadata.key_columns(key), start=1):
        created = as_datetime(table.created_at)
        yield (created, *place, column, number, key.name, str(key.rely).lower(), None)


def _foreign_rows(
    own: _Table, other: _Table, key: Constraint, key_name: str
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a foreign key.

    Args:
        own: the table with the foreign key.
        other: the referenced table.
        key: the foreign key.
        key_name: the name of the key that it references.
    """
    table, metadata = own
    referenced = Key(key.references, rely=False)
    pairs = zip(other[1].key_columns(referenced), metadata.key_columns(key), strict=True)
    for number, (to, column) in enumerate(pairs, start=1):
        there, here = other[0].name, table.name
        yield (
            as_datetime(table.created_at),
            *(there.database, there.schema, there.name, to),
            *(here.database, here.schema, here.name, column),
            number,
            *("NO ACTION", "NO ACTION"),
            key.name,
            key_name,
            "NOT DEFERRABLE",
            str(key.rely).lower(),
            None,
        )
