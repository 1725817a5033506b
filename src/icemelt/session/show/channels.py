"""SHOW CHANNELS: the channels of tables, with their committed offset tokens."""

from __future__ import annotations

from icemelt.catalog.channels import list_channels
from icemelt.catalog.queries.reading import tables
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, find_scope
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["show_channels"]

_CHANNEL_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "table_name",
    "client_sequencer",
    "row_sequencer",
    "offset_token",
)
_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name")


def show_channels(core: Core, statement: Show) -> LocalRows:
    """Run SHOW CHANNELS (Snowflake, *SHOW CHANNELS*); IN TABLE lists the channels of a table."""
    scope = find_scope(core, statement, of_tables=True)
    if scope.table is None:
        with core.database.read() as connection:
            in_scope = tables(connection, core.database, within=scope.within)
    else:
        in_scope = [core.table(scope.table)]
    names = {table.object_id: table.name for table in in_scope}
    with core.database.read() as connection:
        channels = list_channels(connection, names)
    listed = choose_records(channels, statement, lambda channel: channel.name)
    if statement.terse:
        rows = (
            (as_datetime(channel.created_at), channel.name, "CHANNEL", table.database, table.schema)
            for channel in listed
            for table in (names[channel.table_id],)
        )
        return LocalRows(_TERSE_COLUMNS, tuple(rows))
    return LocalRows(
        _CHANNEL_COLUMNS,
        tuple(
            (
                as_datetime(channel.created_at),
                channel.name,
                table.database,
                table.schema,
                table.name,
                channel.client_sequencer,
                channel.row_sequencer,
                channel.offset_token,
            )
            for channel in listed
            for table in (names[channel.table_id],)
        ),
    )
