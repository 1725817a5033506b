"""SHOW CHANNELS: the writers of tables, and how far each is committed."""

from __future__ import annotations

from icemelt.catalog.channels import channel_list
from icemelt.catalog.queries.reading import tables
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_range import chosen, range_of
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["show_channels"]

_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "table_name",
    "client_sequencer",
    "row_sequencer",
    "offset_token",
)
_TERSE = ("created_on", "name", "kind", "database_name", "schema_name")


def show_channels(core: Core, statement: Show) -> LocalRows:
    """Run SHOW CHANNELS (Snowflake, *SHOW CHANNELS*); of one table with IN TABLE."""
    scope = range_of(core, statement, of_tables=True)
    if scope.table is None:
        with core.database.read() as connection:
            known = tables(connection, core.database, within=scope.within)
    else:
        known = [core.table(scope.table)]
    names = {table.object_id: table.name for table in known}
    with core.database.read() as connection:
        found = channel_list(connection, names)
    listed = chosen(found, statement, lambda channel: channel.name)
    if statement.terse:
        rows = (
            (as_datetime(each.created_at), each.name, "CHANNEL", table.database, table.schema)
            for each in listed
            for table in (names[each.table_id],)
        )
        return LocalRows(_TERSE, tuple(rows))
    return LocalRows(
        _COLUMNS,
        tuple(
            (
                as_datetime(each.created_at),
                each.name,
                table.database,
                table.schema,
                table.name,
                each.client_sequencer,
                each.row_sequencer,
                each.offset_token,
            )
            for each in listed
            for table in (names[each.table_id],)
        ),
    )
