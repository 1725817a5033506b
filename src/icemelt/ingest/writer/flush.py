"""One flush: the rows waiting for one table become one snapshot, and channels' tokens move along.

Rows of a channel opened again elsewhere are left out; rows of other channels are committed. A
flush with a lost reply, run again, finds its appends committed and leaves the appends out.

Example: three chunks wait for a table, and channel b was opened again elsewhere.

    channel   number   offset token   outcome
    a         5        "a5"           committed
    b         9        "b9"           left out: another opening writes channel b now
    a         6        "a6"           committed

The rows of appends 5 and 6 become one snapshot. In the same SQL transaction channel a moves on to
append 6 and token "a6".
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

import pyarrow as pa

from icemelt.catalog.activity_records import ChannelRecord
from icemelt.catalog.channels import channels_by_id
from icemelt.catalog.database import Database
from icemelt.catalog.edits import MoveTokens, TokenMove
from icemelt.catalog.records import TableRecord
from icemelt.ingest.answers import memory_of
from icemelt.ingest.errors import OPENED_AGAIN, ChannelInvalid
from icemelt.ingest.writer.target import IngestTarget, error_log
from icemelt.tables.writes.appending import append_rows
from icemelt.transactions.next_in_line import NextInLine
from icemelt.transactions.pending import Attempt, Author, Pending, TableWrite, never_cancelled
from icemelt.transactions.resolver import Resolver
from icemelt.transactions.transaction import run_statement

__all__ = ["Chunk", "Flush", "find_ended_channels", "make_flush_author"]

_INGEST = "INGEST"
# a flush that waits for a reserved table keeps other tables' rows waiting: it is tried again later
_LOCK_TIMEOUT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """The rows of one append of a channel, in the columns of the channel's table.

    `rejected` are rows for the error table, None if there are none. `number` counts the appends of
    the channel. `client_sequencer` is the sequencer of the opening that took the append. `owner` is
    the id of the key, or the name, that opened the channel.
    """

    channel_id: str
    client_sequencer: int
    number: int
    rows: pa.Table
    offset_token: str | None
    rejected: pa.Table | None = None
    owner: str = ""
    # bytes in memory, which take long to count
    size: int = field(init=False)

    def __post_init__(self) -> None:
        rejected = 0 if self.rejected is None else memory_of(self.rejected)
        size = memory_of(self.rows) + rejected + sys.getsizeof(self.offset_token)
        object.__setattr__(self, "size", size)

    @property
    def handle(self) -> tuple[str, int]:
        """The channel's id and the client sequencer of the opening."""
        return self.channel_id, self.client_sequencer


@dataclass(slots=True)
class Flush:
    """The chunks of one table to commit, in the order of their arrival.

    After `run`, `void_reasons` says why the rows of some channels were left out, by handle.
    The context manager `alone` is entered while Spark or Arrow writes the rows, and left before the
    publication: a publication may wait for other transactions.
    """

    resolver: Resolver
    author: Author
    target: IngestTarget
    chunks: Sequence[Chunk]
    void_reasons: dict[tuple[str, int], str] = field(default_factory=dict)
    alone: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext

    def run(self) -> None:
        """Commit the chunks, each at most once.

        Raises:
            ChannelInvalid: the table was dropped, replaced or altered; nothing was committed.
            Conflict: others were first too often; nothing was committed.
            CatalogUnavailable: the outcome of the commit is not known; run the flush again.
        """
        run_statement(self.resolver, self.author, self._work)

    def _work(self, attempt: Attempt) -> Pending[None]:
        table = _table(self.resolver, self.target)
        with self.resolver.database.read() as connection:
            ids = dict.fromkeys(chunk.channel_id for chunk in self.chunks)
            records = channels_by_id(connection, ids)
        self.void_reasons = _find_void_channels((chunk.handle for chunk in self.chunks), records)
        new_chunks = _find_new_chunks(self.chunks, self.void_reasons, records)
        moves = MoveTokens(tuple(_token_moves(new_chunks, records)))
        edits = (moves,) if new_chunks else ()
        tables_of_rows = [chunk.rows for chunk in new_chunks if chunk.rows.num_rows]
        tables_of_rejects = [chunk.rejected for chunk in new_chunks if chunk.rejected is not None]
        writes = []
        with self.alone():
            if tables_of_rows:
                writes.append(self._append(attempt, table, tables_of_rows))
            if tables_of_rejects:
                errors = error_log(self.resolver, self.target)
                writes.append(self._append(attempt, errors, tables_of_rejects))
        return Pending(None, None, tuple(writes), edits)

    def _append(self, attempt: Attempt, table: TableRecord, rows: Sequence[pa.Table]) -> TableWrite:
        iceberg, base = self.resolver.iceberg, self.resolver.iceberg.metadata(table.known_location)
        attempt.workspace.add(table.object_id, table.known_location)
        table_of_workspace = (attempt.workspace.namespace, table.object_id)
        append_rows(iceberg, table_of_workspace, base, pa.concat_tables(rows))
        return TableWrite(table, base, attempt.workspace.current(table.object_id), _INGEST)


def make_flush_author(author: Author, database: Database) -> Author:
    """Return the author of the flushes of one table: a session's user, next at a reserved table.

    No cancel of the session's statements means the rows.
    """
    return replace(
        author,
        lock_timeout=_LOCK_TIMEOUT_SECONDS,
        raise_if_cancelled=never_cancelled,
        next_in_line=NextInLine(database),
    )


def _table(resolver: Resolver, target: IngestTarget) -> TableRecord:
    """Return the current table of a target."""
    table = resolver.resolve([target.name]).tables.get(target.name)
    if table is None:
        raise ChannelInvalid(
            f"Table {str(target.name)!r} was dropped or renamed.",
            hint="Open the channel of the table that is there now.",
        )
    if not target.is_still(table, resolver.iceberg.metadata(table.known_location)):
        raise ChannelInvalid(
            f"Table {str(target.name)!r} was altered or replaced since its channels were opened.",
            hint="Open the channel again, and go on after its committed offset token.",
        )
    return table


def find_ended_channels(
    resolver: Resolver, target: IngestTarget, handles: Collection[tuple[str, int]]
) -> dict[tuple[str, int], str]:
    """Return why channels of a table take no rows any more, by handle; open channels are left out.

    Args:
        resolver: looks up the table.
        target: the table as it was when the channels were opened.
        handles: the channels' ids and client sequencers.
    """
    try:
        _table(resolver, target)
    except ChannelInvalid as error:
        return dict.fromkeys(handles, error.message.rstrip("."))
    with resolver.database.read() as connection:
        records = channels_by_id(connection, dict.fromkeys(channel_id for channel_id, _ in handles))
    return _find_void_channels(handles, records)


def _find_void_channels(
    handles: Iterable[tuple[str, int]], records: dict[str, ChannelRecord]
) -> dict[tuple[str, int], str]:
    """Return the reasons for which rows of channels must not be committed, by handle."""
    reasons: dict[tuple[str, int], str] = {}
    for channel_id, client_sequencer in handles:
        record = records.get(channel_id)
        if record is None:
            reasons[channel_id, client_sequencer] = "it was dropped"
        elif record.client_sequencer != client_sequencer:
            reasons[channel_id, client_sequencer] = OPENED_AGAIN
    return reasons


def _find_new_chunks(
    chunks: Sequence[Chunk],
    void: Container[tuple[str, int]],
    records: dict[str, ChannelRecord],
) -> list[Chunk]:
    """Return the chunks to commit, every append number of a channel once."""
    last = {channel_id: record.row_sequencer for channel_id, record in records.items()}
    new_chunks = []
    for chunk in chunks:
        if chunk.handle not in void and chunk.number > last[chunk.channel_id]:
            last[chunk.channel_id] = chunk.number
            new_chunks.append(chunk)
    return new_chunks


def _token_moves(chunks: Sequence[Chunk], records: dict[str, ChannelRecord]) -> list[TokenMove]:
    """Return how far every channel is written; the last token of a channel counts."""
    moves: dict[str, TokenMove] = {}
    for chunk in chunks:
        record, last = records[chunk.channel_id], moves.get(chunk.channel_id)
        token = chunk.offset_token
        if token is None and last is not None:
            token = last.offset_token
        moves[chunk.channel_id] = TokenMove(
            chunk.channel_id, chunk.client_sequencer, record.row_sequencer, chunk.number, token
        )
    return list(moves.values())
