"""Write the load history, inside the SQL transaction of a publication."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.edits import AddLoads
from icemelt.catalog.model import former_loads, loads, open_transactions
from icemelt.catalog.queries.loads import load_history
from icemelt.catalog.records import Moment

__all__ = ["add_loads", "forget_loads"]

# the earliest commit that an open transaction sees
_OLDEST = sa.select(sa.func.min(open_transactions.c.commit_number)).where(
    open_transactions.c.aborted_by.is_(None)
)


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
        if added[path].is_hidden_by(record):
            del added[path]
    keeps = _forget_former(connection, moment, edit.table_id)
    for part in split_values(list(added)):
        _end(connection, moment, edit.table_id, loads.c.path.in_(part), keeps=keeps)
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


def forget_loads(connection: sa.Connection, moment: Moment, table_id: str) -> None:
    """Remove the records of all files of a table."""
    keeps = _forget_former(connection, moment, table_id)
    _end(connection, moment, table_id, sa.true(), keeps=keeps)


def _forget_former(connection: sa.Connection, moment: Moment, table_id: str) -> bool:
    """Remove former loads that no open transaction may list; return whether one may list loads."""
    oldest = connection.scalar(_OLDEST)
    ended = moment.commit_number if oldest is None else oldest
    unseen = former_loads.c.table_id == table_id, former_loads.c.ended_in <= ended
    connection.execute(former_loads.delete().where(*unseen))
    return oldest is not None


def _end(
    connection: sa.Connection,
    moment: Moment,
    table_id: str,
    condition: sa.ColumnElement[bool],
    *,
    keeps: bool,
) -> None:
    """Remove loads of a table; `keeps` says whether an open transaction may list them still."""
    these = loads.c.table_id == table_id, condition
    if keeps:
        columns = list(loads.columns)
        # what the same commit has added nobody has seen
        kept = sa.select(*columns, sa.literal(moment.commit_number)).where(
            *these, loads.c.loaded_at < moment.time
        )
        names = [*(column.name for column in columns), former_loads.c.ended_in.name]
        connection.execute(former_loads.insert().from_select(names, kept))
    connection.execute(loads.delete().where(*these))
