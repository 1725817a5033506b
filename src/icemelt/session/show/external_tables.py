"""SHOW EXTERNAL TABLES and DESCRIBE EXTERNAL TABLE."""

from __future__ import annotations

import json

from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.catalog.queries.definitions import defined_by_id
from icemelt.catalog.queries.listings import last_listing
from icemelt.catalog.queries.moments import time_of_commit
from icemelt.names import ObjectName, QualifiedName, fold
from icemelt.schema import sql_type
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import find_defined, flag, list_tersely
from icemelt.session.show.stages import POLLING
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["describe_external_table", "show_external_tables"]

_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "invalid",
    "invalid_reason",
    "owner",
    "comment",
    "stage",
    "location",
    "file_format_name",
    "file_format_type",
    "cloud",
    "region",
    "notification_channel",
    "last_refreshed_on",
    "table_format",
    "last_refresh_details",
    "owner_role_type",
    # of icemelt
    "partition_by",
    "pattern",
    "on_error",
)
_DESCRIBE_COLUMNS = (
    "name",
    "type",
    "kind",
    "null?",
    "default",
    "primary key",
    "unique key",
    "check",
    "expression",
    "comment",
)


def show_external_tables(core: Core, statement: Show) -> LocalRows:
    """Run SHOW EXTERNAL TABLES: Snowflake's columns, then the partitions, PATTERN and ON_ERROR."""
    listed = find_defined(core, statement, ExternalTableRecord)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(_COLUMNS, tuple(_row(core, each) for each in listed))


def describe_external_table(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE EXTERNAL TABLE: a row for each column, with its expression."""
    table = core.object_of(ExternalTableRecord, name)
    expressions = {fold(each.column.name): each.expression for each in table.virtual_columns}
    rows = tuple(
        (
            column.name,
            sql_type(column.type),
            "VIRTUAL" if fold(column.name) in expressions else "COLUMN",
            flag(column.nullable),
            None,
            "N",
            "N",
            None,
            expressions.get(fold(column.name)),
            column.comment,
        )
        for column in table.columns
    )
    return LocalRows(_DESCRIBE_COLUMNS, rows)


def _row(core: Core, table: ExternalTableRecord) -> tuple[object, ...]:
    with core.database.read() as connection:
        stage = defined_by_id(connection, table.stage_id)
        commit = last_listing(connection, table.object_id)
        listed = as_datetime(time_of_commit(connection, commit)) if commit else None
    is_gone = stage is None or stage.dropped_at is not None
    name = QualifiedName(*table.stage_name) if stage is None else stage.name
    reason = f"Its stage {str(name)!r} was dropped or replaced." if is_gone else None
    file_format = None
    if table.format_name is not None:
        file_format = full_name(QualifiedName(*table.format_name))
    return (
        as_datetime(table.created_at),
        table.name.name,
        table.name.database,
        table.name.schema,
        "true" if is_gone else "false",
        reason,
        table.owner,
        table.comment or "",
        str(name),
        f"@{name}/{table.path}",
        file_format,
        None if table.format_name is not None else table.file_type,
        None,
        None,
        POLLING if table.refreshes_itself else None,
        listed,
        "UNKNOWN",
        None,
        "ROLE",
        json.dumps(list(table.partition_by)) if table.partition_by else "",
        table.pattern,
        "SKIP_FILE" if table.skips_files else "ABORT_STATEMENT",
    )
