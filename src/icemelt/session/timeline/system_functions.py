"""The functions SYSTEM$…: what the registry says of streams, pipes and transactions."""

from __future__ import annotations

from icemelt.catalog import open_transactions
from icemelt.catalog.database import Connection
from icemelt.catalog.queries.listings import (
    added_files,
    file_changes,
    listed_files_at,
    listings_between,
    unread_files,
)
from icemelt.catalog.queries.moments import time_of_commit
from icemelt.catalog.queries.versions import version_at, versions_between
from icemelt.catalog.records import (
    APPEND_ONLY,
    DEFAULT,
    INSERT_ONLY,
    REDO_LOG,
    FileOwner,
    StreamRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.errors import QueryError
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.hiding import shown_location
from icemelt.session.timeline.pipe_state import pipe_status
from icemelt.session.timeline.stream_state import changes_rows, invalid_reason
from icemelt.session.timeline.task_functions import ask_running_task, is_task_function
from icemelt.sql.dialect.written_names import written_name
from icemelt.values import as_json

__all__ = ["ask"]


def ask(core: Core, function: str, argument: str | None) -> bool | int | str | None:
    """Answer a SYSTEM$ function; none of them starts a Spark job.

    Args:
        core: the session's parts.
        function: the function's name, in upper case.
        argument: the argument, None for a function of tasks without one.

    Raises:
        ObjectNotFound: there is no such stream or pipe.
        QueryError: there is no such open transaction, or no task runs.
    """
    if core.settings.transaction is not None:
        core.settings.transaction.mark_used()
    if argument is None or is_task_function(function):
        return ask_running_task(core.settings, function, argument)
    match function:
        case "SYSTEM$STREAM_HAS_DATA":
            return _has_data(core, argument)
        case "SYSTEM$STREAM_GET_TABLE_TIMESTAMP":
            return _table_timestamp(core, argument)
        case "SYSTEM$PIPE_STATUS":
            return pipe_status(core, argument)
        case "SYSTEM$GET_ICEBERG_TABLE_INFORMATION":
            return _table_information(core, argument)
        case "SYSTEM$ABORT_TRANSACTION":
            return _abort_transaction(core, argument)
    raise QueryError(f"{function} is not known.", hint="SYSTEM$STREAM_HAS_DATA('stream')")


def _table_information(core: Core, name: str) -> str:
    """Return, as JSON, where the metadata file of a table's last version is, for other engines."""
    location = shown_location(core, core.table(written_name(name)).known_location)
    return as_json({"metadataLocation": location, "status": "success"})


def _abort_transaction(core: Core, transaction_id: str) -> str:
    """End an open transaction of any session; a guest ends its own user's alone.

    Raises:
        QueryError: there is none of that id.
    """
    found = open_transactions.abort_transaction(
        core.database, transaction_id, core.user, only_own=core.is_guest
    )
    if found is None:
        raise QueryError(
            f"Transaction {transaction_id!r} is not open.",
            hint="SHOW TRANSACTIONS lists those that are.",
        )
    return f"Transaction {transaction_id} was aborted."


def _has_data(core: Core, name: str) -> bool:
    """Tell whether a stream may have rows; from the registry alone, never False when it has some.

    A stream that cannot be read has none.
    """
    stream, moment = core.object_now(StreamRecord, written_name(name))
    if invalid_reason(stream) is not None:
        return False
    if stream.frontier.shows_initial_rows and isinstance(stream.source, ViewRecord):
        return True  # a view may have rows where its tables have none
    if isinstance(stream.source, FileOwner):
        return _has_files(core, stream, stream.source.object_id, moment.commit_number)
    with core.database.read() as connection:
        return any(
            _has_changes(connection, stream, table, moment.commit_number) for table in stream.tables
        )


def _has_changes(
    connection: Connection, stream: StreamRecord, table: TableRecord, until: int
) -> bool:
    frontier = stream.frontier
    first = version_at(connection, table.object_id, frontier.commit_number)
    later = versions_between(connection, table.object_id, frontier.commit_number, until)
    whole = first if stream.mode == APPEND_ONLY or not later else later[-1]
    if frontier.shows_initial_rows and whole is not None and whole.total_rows != 0:
        return True
    before = None if first is None else first.snapshot_id
    for version in later:
        if changes_rows(stream, version, before):
            return True
        before = version.snapshot_id
    return False


def _has_files(core: Core, stream: StreamRecord, stage_id: str, until: int) -> bool:
    """Tell whether a stream on a stage has rows, which the registry knows."""
    after = stream.frontier.commit_number
    shows_all = stream.frontier.shows_initial_rows
    with core.database.read() as connection:
        if stream.mode == INSERT_ONLY:
            unread = unread_files(connection, stage_id, after, until, initial=shows_all)
            return bool(unread.given or unread.lost)
        if stream.mode == APPEND_ONLY:
            found = bool(added_files(connection, stage_id, after, until))
        elif stream.mode == REDO_LOG:
            found = bool(listings_between(connection, stage_id, after, until))
        else:
            found = bool(file_changes(connection, stage_id, after, until))
        if found or not shows_all:
            return found
        shown = until if stream.mode == DEFAULT else after
        return bool(listed_files_at(connection, stage_id, shown))


def _table_timestamp(core: Core, name: str) -> int:
    """Return the time of the version up to which a stream was read, in ns as Snowflake gives it.

    Of several tables it is the last one's: at that time all were as the stream has read them.
    """
    stream = core.stream(written_name(name))
    commit_number = stream.frontier.commit_number
    with core.database.read() as connection:
        if isinstance(stream.source, FileOwner):
            return time_of_commit(connection, commit_number) * 1_000_000
        found = [version_at(connection, each.object_id, commit_number) for each in stream.tables]
    return max((0 if each is None else each.moment.time * 1_000_000) for each in found)
