"""Write the load history, inside the SQL transaction of a publication."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.edits import AddLoads
from icemelt.catalog.model import loads
from icemelt.catalog.queries.loads import load_history
from icemelt.catalog.records import Moment

__all__ = ["add_loads", "forget_loads"]


def add_loads(connection: sa.Connection, moment: Moment, statement_id: str, edit: AddLoads) -> None:
    """Add or replace the records of files.

    A failed load leaves the record of a load of the same file: rows of the file are in the table.

    Args:
        connection: a connection in a write transaction.
        moment: the commit number and the time.
        statement_id: the id of the statement, empty without a statement.
        edit: the table and the records.
    """
    added = {load.path: load for load in edit.loads}
    failed = [load.path for load in added.values() if not load.is_loaded]
    for path, record in load_history(connection, edit.table_id, failed).items():
        if record.is_loaded and record.is_of(added[path].size, added[path].modified_at):
            del added[path]
    for part in split_values(list(added)):
        old = loads.c.table_id == edit.table_id, loads.c.path.in_(part)
        connection.execute(loads.delete().where(*old))
    rows = [
        {
            "table_id": edit.table_id,
            "path": load.path,
            "size": load.size,
            "modified_at": load.modified_at,
            "rows_loaded": load.rows_loaded,
            "errors": load.errors,
            "status": load.status,
            "loaded_at": moment.time,
            "statement_id": statement_id,
            "rows_parsed": load.rows_parsed,
            "pipe_id": load.pipe_id,
            "first_error": load.first_error,
            "first_line": load.first_line,
            "first_column": load.first_column,
        }
        for load in added.values()
    ]
    if rows:
        connection.execute(loads.insert(), rows)


def forget_loads(connection: sa.Connection, table_id: str) -> None:
    """Remove the records of all files of a table."""
    connection.execute(loads.delete().where(loads.c.table_id == table_id))
