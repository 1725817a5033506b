"""Garbage collection of the registry: dead sessions, dropped objects, history past retention."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.defined_records import DefinedRecord
from icemelt.catalog.dependency_writer import remove_dependencies
from icemelt.catalog.leases import LeaseKind, remove_expired_leases
from icemelt.catalog.model import (
    channels,
    definitions,
    former_loads,
    frontiers,
    iceberg_tables,
    leases,
    listed_files,
    listings,
    loads,
    next_values,
    objects,
    pipes,
    queued_files,
    sequences,
    sharing,
    statements,
    streams,
    task_runs,
    tracking,
    transactions,
    versions,
    views,
)
from icemelt.catalog.open_transactions import remove_expired_transactions
from icemelt.catalog.queries.definitions import defined_query, defined_record
from icemelt.catalog.queries.dependencies import readers_of
from icemelt.catalog.queries.reading import (
    DEFAULT_EXTENSION_DAYS,
    DEFAULT_RETENTION_DAYS,
    table_record,
    table_row,
    tables_query,
)
from icemelt.catalog.queries.retention import DAY, ended_before, live_transactions
from icemelt.catalog.queries.versions import last_of_hours
from icemelt.catalog.records import SchemaObject, TableRecord
from icemelt.catalog.schedulers import forget_schedulers
from icemelt.catalog.webhooks import forget_webhooks
from icemelt.observe.emitting import emit
from icemelt.observe.events import LapsedLeasesRemoved

__all__ = [
    "close_lapsed",
    "dropped_defined",
    "dropped_tables",
    "dropped_views",
    "forget_containers",
    "forget_defined",
    "forget_streams",
    "forget_table",
    "forget_view",
    "left_temporary_objects",
    "prune_history",
    "remembered_since",
    "unnamed_tables",
]

_HISTORY_DAYS = 14


def close_lapsed(database: Database) -> int:
    """Remove expired open transactions, their locks, and expired reservations; return how many."""
    with database.write() as connection:
        now = database.clock(connection)
        lapsed = remove_expired_transactions(connection, now)
        lapsed += remove_expired_leases(connection, now, LeaseKind.TABLE)
    if lapsed:
        emit(LapsedLeasesRemoved(lapsed))
    return lapsed


def left_temporary_objects(connection: Connection, database: Database) -> list[SchemaObject]:
    """Return the temporary tables and stages of sessions without a statement for a day.

    A session with a live open transaction keeps its temporary objects.
    """
    long_ago = database.now(connection, database.read_lake(connection).last) - DAY
    live = [each.session_id for each in live_transactions(connection, database)]
    at_work = sa.exists().where(
        statements.c.session_id == table_row.c.session_id, statements.c.ended_at > long_ago
    )
    is_left = (
        table_row.c.session_id.is_not(None),
        table_row.c.session_id.not_in(live),
        table_row.c.dropped_at.is_(None),
        table_row.c.created_at <= long_ago,
        ~at_work,
    )
    left_tables = connection.execute(tables_query(database.catalog_name).where(*is_left)).all()
    left_stages = connection.execute(defined_query().where(*is_left)).all()
    return [*map(table_record, left_tables), *map(defined_record, left_stages)]


def dropped_tables(connection: Connection, database: Database) -> list[TableRecord]:
    """Return the dropped tables past retention and seen by no open transaction."""
    now = database.now(connection, database.read_lake(connection).last)
    begun = [each.started_at for each in live_transactions(connection, database)]
    query = tables_query(database.catalog_name).where(table_row.c.dropped_at.is_not(None))
    found = [table_record(row) for row in connection.execute(query)]
    return [
        table
        for table in found
        if (table.dropped_at or 0) <= _horizon(now, table.retention_days, begun)
        and not _is_elsewhere(connection, table)
    ]


def forget_streams(database: Database) -> int:
    """Remove the dropped streams past UNDROP; return how many."""
    with database.write() as connection:
        now = database.now(connection, database.read_lake(connection).last)
        begun = [each.started_at for each in live_transactions(connection, database)]
        query = (
            sa.select(streams.c.stream_id, streams.c.source_id, objects.c.dropped_at)
            .join(objects, objects.c.object_id == streams.c.stream_id)
            .where(objects.c.dropped_at.is_not(None))
        )
        gone = []
        for row in connection.execute(query).all():
            source = sa.select(objects).where(objects.c.object_id == row.source_id)
            days = _retention(connection, connection.execute(source).one())
            if row.dropped_at <= _horizon(now, days, begun):
                gone.append(row.stream_id)
        for stream_id in gone:
            connection.execute(frontiers.delete().where(frontiers.c.stream_id == stream_id))
            connection.execute(streams.delete().where(streams.c.stream_id == stream_id))
            _forget_object(connection, stream_id)
        return len(gone)


def dropped_views(connection: Connection, database: Database) -> list[tuple[str, str | None]]:
    """Return id and metadata file of the dropped views past any use.

    A view read by a stream is kept: UNDROP of the view mends the stream.
    """
    now = database.now(connection, database.read_lake(connection).last)
    begun = [each.started_at for each in live_transactions(connection, database)]
    query = sa.select(objects).where(objects.c.kind == "view", objects.c.dropped_at.is_not(None))
    return [
        (row.object_id, row.known_location)
        for row in connection.execute(query).all()
        if row.dropped_at <= _horizon(now, _retention(connection, row), begun)
        and not _is_read(connection, row.object_id)
    ]


def forget_view(database: Database, view_id: str) -> bool:
    """Remove a dropped view.

    Return False where the view is live again, or where a stream still reads the view.
    """
    with database.write() as connection:
        dropped_at = sa.select(objects.c.dropped_at).where(objects.c.object_id == view_id)
        if connection.scalar(dropped_at) is None or _is_read(connection, view_id):
            return False
        connection.execute(views.delete().where(views.c.view_id == view_id))
        _forget_object(connection, view_id)
        return True


def forget_table(database: Database, table_id: str) -> bool:
    """Remove a dropped table, with its versions, loads and channels.

    Return False where the table is live again, or where a stream still reads the table.
    """
    with database.write() as connection:
        dropped_at = sa.select(objects.c.dropped_at).where(objects.c.object_id == table_id)
        if connection.scalar(dropped_at) is None or _is_read(connection, table_id):
            return False
        for part in (versions, sequences, tracking, loads, former_loads, channels):
            connection.execute(part.delete().where(part.c.table_id == table_id))
        connection.execute(next_values.delete().where(next_values.c.owner_id == table_id))
        _forget_object(connection, table_id)
        return True


def forget_metadata_files(database: Database, table_id: str, before: int) -> None:
    """Forget the metadata files of old versions, except for the last version of every hour.

    Args:
        database: the catalog's database.
        table_id: the table's object id.
        before: the first version number whose metadata file is kept.
    """
    with database.write() as connection:
        connection.execute(
            versions.update()
            .where(versions.c.table_id == table_id, versions.c.version < before)
            .where(versions.c.location.is_not(None))
            .where(versions.c.version.not_in(last_of_hours(table_id)))
            .values(location=None)
        )


def unnamed_tables(connection: Connection, table_ids: Iterable[str]) -> list[str]:
    """Return the table ids used by no object and by no file in the catalog.

    A folder `name-<table id>` may hold files under another id: a foreign engine may have registered
    the files under another name, as another object. Such a folder's id is not returned, and neither
    is the id of a folder with files that clones may name.

    Args:
        connection: a connection to the catalog's database.
        table_ids: the ids in the names of the warehouse's folders.
    """
    known = set(connection.scalars(sa.select(objects.c.object_id)))
    known.update(connection.scalars(sa.select(sharing.c.table_id)))
    places = (
        objects.c.known_location,
        versions.c.location,
        iceberg_tables.c.metadata_location,
        iceberg_tables.c.previous_metadata_location,
    )
    return [
        table_id
        for table_id in table_ids
        if table_id not in known
        and not any(
            connection.execute(sa.select(place).where(place.like(f"%-{table_id}/%"))).first()
            for place in places
        )
    ]


def dropped_defined(connection: Connection, database: Database) -> list[DefinedRecord]:
    """Return the dropped file formats, stages and pipes past UNDROP.

    A stage read by a stream is kept: UNDROP of the stage mends the stream.
    """
    now = database.now(connection, database.read_lake(connection).last)
    query = defined_query().where(table_row.c.dropped_at.is_not(None))
    return [
        defined_record(row)
        for row in connection.execute(query).all()
        if row.dropped_at <= ended_before(now, _retention(connection, row))
        and not _is_read(connection, row.object_id)
    ]


def forget_defined(database: Database, object_id: str) -> bool:
    """Remove a dropped file format, stage or pipe, with the listings or the queue.

    Return False where the object is live again, or where a stream still reads the stage.
    """
    with database.write() as connection:
        dropped_at = sa.select(objects.c.dropped_at).where(objects.c.object_id == object_id)
        if connection.scalar(dropped_at) is None or _is_read(connection, object_id):
            return False
        for part in (listed_files, listings):
            connection.execute(part.delete().where(part.c.owner_id == object_id))
        for part in (queued_files, pipes):
            connection.execute(part.delete().where(part.c.pipe_id == object_id))
        connection.execute(next_values.delete().where(next_values.c.owner_id == object_id))
        connection.execute(definitions.delete().where(definitions.c.object_id == object_id))
        _forget_object(connection, object_id)
        return True


def forget_containers(database: Database) -> int:
    """Remove dropped schemas and databases that are empty and past retention; return how many."""
    gone = 0
    with database.write() as connection:
        now = database.now(connection, database.read_lake(connection).last)
        for kind in ("schema", "database"):
            inside = objects.alias("inside")
            holds = sa.exists().where(inside.c.parent_id == objects.c.object_id)
            query = sa.select(objects).where(
                objects.c.kind == kind, objects.c.dropped_at.is_not(None), ~holds
            )
            ended = [
                row.object_id
                for row in connection.execute(query).all()
                if row.dropped_at <= ended_before(now, _retention(connection, row))
            ]
            for object_id in ended:
                _forget_object(connection, object_id)
            gone += len(ended)
    return gone


def prune_history(database: Database) -> int:
    """Remove statements, transactions and runs of tasks older than any point in time may be.

    Return how many. A scheduler that was last seen before that is forgotten, too, and so is a
    webhook that was delivered or given up.

    The record of files loaded into a table stays with the table. Without the record COPY INTO would
    load the files again.
    """
    with database.write() as connection:
        now = database.now(connection, database.read_lake(connection).last)
        longest = connection.execute(
            sa.select(sa.func.max(objects.c.retention_days), sa.func.max(objects.c.extension_days))
        ).one()
        defaults = (_HISTORY_DAYS, DEFAULT_RETENTION_DAYS, DEFAULT_EXTENSION_DAYS)
        horizon = now - max(*defaults, *(days or 0 for days in longest)) * DAY
        old = (
            statements.delete().where(statements.c.ended_at < horizon),
            transactions.delete().where(transactions.c.committed_at < horizon),
            task_runs.delete().where(task_runs.c.completed_at < horizon),
        )
        forget_schedulers(connection, horizon)
        forget_webhooks(connection, horizon)
        return sum(connection.execute(each).rowcount for each in old)


def remembered_since(connection: Connection, database: Database) -> int:
    """Return the time since which the history is complete, independent of any retention."""
    return database.now(connection, database.read_lake(connection).last) - _HISTORY_DAYS * DAY


def _horizon(now: int, retention_days: int, begun: Iterable[int]) -> int:
    """Return the time before which a dropped object is past any use.

    Args:
        now: in milliseconds since 1970.
        retention_days: the object's retention.
        begun: when the live open transactions began, in milliseconds since 1970.
    """
    return min((ended_before(now, retention_days), *(time - 1 for time in begun)))


def _is_elsewhere(connection: sa.Connection, table: TableRecord) -> bool:
    """Return whether another object has the table's files, registered anew by a foreign engine."""
    return (
        connection.execute(
            sa.select(objects.c.object_id).where(
                objects.c.table_uuid == table.table_uuid,
                objects.c.object_id != table.object_id,
                sa.or_(objects.c.dropped_at.is_(None), objects.c.dropped_at > table.dropped_at),
            )
        ).first()
        is not None
    )


def _is_read(connection: sa.Connection, source_id: str) -> bool:
    """Return whether a stream reads a table, a view or a stage, directly or through a view."""
    return bool(readers_of(connection, source_id))


def _retention(connection: sa.Connection, row: Any) -> int:
    """Return an object's retention in days: its own, or inherited from schema or database."""
    while row.retention_days is None and row.parent_id is not None:
        around = sa.select(objects).where(objects.c.object_id == row.parent_id)
        row = connection.execute(around).one()
    return DEFAULT_RETENTION_DAYS if row.retention_days is None else int(row.retention_days)


def _forget_object(connection: sa.Connection, object_id: str) -> None:
    remove_dependencies(connection, object_id)
    # a stream's lock, or a table's reservation
    connection.execute(leases.delete().where(leases.c.resource_id == object_id))
    connection.execute(objects.delete().where(objects.c.object_id == object_id))
