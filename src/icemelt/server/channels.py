"""The resource `/v1/channels`: open, append rows, status, tokens, flush, close, drop, list."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Annotated, Any

import pyarrow as pa
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, FailFast, Field, TypeAdapter

from icemelt.catalog.activity_records import KeyRecord
from icemelt.ingest.answers import Append, OnError
from icemelt.ingest.client.segments import ARROW
from icemelt.ingest.column_documents import to_documents
from icemelt.ingest.errors import ChannelInvalid
from icemelt.ingest.left_out import find_defaulted
from icemelt.ingest.rows.rows import read_arrow, read_json
from icemelt.ingest.writer.table_writer import OpenChannel
from icemelt.names import QualifiedName
from icemelt.server.failures import Failure, RowProblem, failure
from icemelt.server.flushing import wait_for_flush, wait_for_flushes
from icemelt.server.handles import find_open_channel, find_open_channels, require_owner
from icemelt.server.requests import Holder, InThread, Name, State, as_json
from icemelt.server.state import ServerState
from icemelt.server.unread import LargeResponse
from icemelt.session.runtime.hiding import hide_folders
from icemelt.times import as_datetime

__all__ = ["routes"]

_MOST_NAMES = 10_000
_TOKEN_LENGTH = 4_096
_LONGEST_WAIT, _SHORT_WAIT = 30.0, 1.0
_Token = Annotated[str | None, Field(max_length=_TOKEN_LENGTH)]


class ChannelName(BaseModel):
    """A channel's name, with case, and the name of the channel's table."""

    database: Name
    schema_name: Name = Field(alias="schema")
    table: Name
    name: Name

    @property
    def full(self) -> QualifiedName:
        """The table's name."""
        return QualifiedName(self.database, self.schema_name, self.table)


class Opening(ChannelName):
    """A channel to open; `offset_token` replaces the last committed token."""

    offset_token: _Token = None


class Status(BaseModel):
    """How far a channel is; row counts begin when the channel is opened."""

    database_name: str
    schema_name: str
    table_name: str
    channel_name: str
    client_sequencer: int
    row_sequencer: int
    latest_committed_offset_token: str | None
    rows_inserted: int
    rows_error: int
    rows_waiting: int
    last_error: str
    last_error_offset_token: str | None
    reason: str = Field(description="why it is invalid; empty while it takes rows")


class Opened(Status):
    """An open channel: the handle is the channel's id and client sequencer.

    Appends are numbered on from `row_sequencer`.
    """

    channel_id: str
    columns: list[dict[str, Any]] = Field(description="the table's columns, to check rows by")
    logs_errors: bool = Field(description="whether rows that are passed over are kept")
    most_bytes: int = Field(description="how large a request may be")


class Taken(BaseModel):
    """The outcome of an append: the number of rows taken, and the reasons for refusing the rest."""

    rows: int
    errors: list[RowProblem]
    bad_rows: int


class Closed(BaseModel):
    """The channel is closed: all appended rows are committed."""

    closed: bool = True


class Listed(BaseModel):
    """A channel of a table in the registry; times are ISO 8601 in UTC."""

    name: str
    created_on: dt.datetime
    active_on: dt.datetime = Field(description="when it was last opened or written")
    client_sequencer: int
    row_sequencer: int
    offset_token: str | None


class Dropped(BaseModel):
    """Whether there was a channel of the name."""

    dropped: bool


class Flushed(BaseModel):
    """Whether all appended rows are committed, and how far the channel is."""

    committed: bool
    status: Status


class Progress(BaseModel):
    """Whether all appended rows are committed; `error` says why some rows never will be."""

    committed: bool
    error: Failure | None


_BODIES = {
    "required": True,
    "content": {
        "application/x-ndjson": {"schema": {"type": "string"}},
        "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
        ARROW: {"schema": {"type": "string", "format": "binary"}},
    },
}


_LISTED, _PROGRESS = TypeAdapter(list[Listed]), TypeAdapter(list[Progress])
_TOKENS = TypeAdapter(list[str | None])


class Handle(BaseModel):
    """The client sequencer: together with the channel's id, the handle of an open channel."""

    client_sequencer: int = Field(ge=1, lt=2**63, description="as the opening answered")


class Appending(Handle):
    """The number of an append, its offset tokens and its treatment of bad rows."""

    number: int = Field(ge=1, lt=2**63, description="the append's number in its channel")
    start_offset_token: _Token = None
    end_offset_token: _Token = None
    on_error: OnError = OnError.ABORT


class Waiting(BaseModel):
    """The seconds to wait for a commit."""

    wait_seconds: float = Field(0, ge=0, le=_LONGEST_WAIT)


class Flushing(Handle, Waiting):
    """A channel to wait for."""


class Awaited(Handle):
    """One of many channels to wait for."""

    channel_id: Name


class Closing(Handle):
    """Whether to drop the channel and its offset token."""

    drop: bool = Field(default=False, description="forget the channel and its offset token")


routes = APIRouter(prefix="/v1/channels", tags=["channels"])


@routes.post("", summary="Open a channel")
async def open_channel(opening: Opening, state: State, key: Holder, in_thread: InThread) -> Opened:
    """Open a channel of a table; an older handle of the channel is invalid from now on."""
    token = opening.offset_token
    channel = await in_thread(state.ingestor.open, opening.full, opening.name, key.key_id, token)
    return Opened(
        **_status(state, channel).model_dump(),
        channel_id=channel.record.channel_id,
        columns=to_documents(channel.target.columns),
        logs_errors=channel.target.logs_errors,
        most_bytes=state.most_bytes,
    )


@routes.get("", summary="List the channels of a table", response_model=list[Listed])
async def channels(
    database: Annotated[Name, Query()],
    schema: Annotated[Name, Query()],
    table: Annotated[Name, Query()],
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Response:
    """Return all channels of a table, open or not, in order of their names."""
    return await in_thread(_channel_list, state, key, QualifiedName(database, schema, table))


@routes.post("/{channel_id}/rows", summary="Append rows", openapi_extra={"requestBody": _BODIES})
async def append(
    channel_id: str,
    query: Annotated[Appending, Query()],
    request: Request,
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Taken:
    """Append rows in order: JSON objects, one a line or in an array, or an Arrow stream.

    An append sent again under its number gets the same answer as before, and is not taken twice.
    """
    body = await request.body()
    kind = request.headers.get("content-type", "")

    def read_rows(defaulted: frozenset[str]) -> pa.Table:
        if kind.split(";", maxsplit=1)[0].strip().lower() != ARROW:
            reading = partial(state.slow_bodies.reading, key_id=key.key_id)
            return read_json(body, reading, defaulted)
        return read_arrow(body, request.scope["icemelt.body"].unpack)

    def read_append(defaulted: frozenset[str]) -> Append:
        tokens = (query.start_offset_token, query.end_offset_token)
        rows, digest = read_rows(defaulted), _digest(body, kind, *tokens, query.on_error.value)
        return Append(query.number, rows, *tokens, query.on_error, digest=digest)

    def work() -> Taken:
        channel = find_open_channel(state, channel_id, query.client_sequencer, key)
        defaulted = find_defaulted(channel.target.columns)
        answer = state.ingestor.append_read(channel, partial(read_append, defaulted))
        errors = [RowProblem(row=e.row, column=e.column, reason=e.reason) for e in answer.errors]
        return Taken(rows=answer.rows, errors=errors, bad_rows=answer.bad_rows)

    return await in_thread(work)


@routes.get("/{channel_id}", summary="Tell how far a channel is")
async def status(
    channel_id: str,
    query: Annotated[Handle, Query()],
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Status:
    """Return the status of an open channel, also after the channel became invalid."""
    channel = await in_thread(find_open_channel, state, channel_id, query.client_sequencer, key)
    return _status(state, channel)


@routes.post("/{channel_id}/flush", summary="Commit what waits")
async def flush(
    channel_id: str,
    query: Annotated[Flushing, Query()],
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Flushed:
    """Have the appended rows committed at once, and wait for the commit up to `wait_seconds`."""
    channel = await in_thread(find_open_channel, state, channel_id, query.client_sequencer, key)
    committed = await wait_for_flush(state, channel, query.wait_seconds)
    return Flushed(committed=committed, status=_status(state, channel))


@routes.post("/flush", summary="Commit what waits of many channels", response_model=list[Progress])
async def flush_many(
    channels: Annotated[list[Awaited], Field(max_length=_MOST_NAMES), FailFast()],
    query: Annotated[Waiting, Query()],
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Response:
    """Have the appended rows of channels committed at once, and wait up to `wait_seconds`."""
    handles = [(channel.channel_id, channel.client_sequencer) for channel in channels]
    channels_or_errors = await in_thread(find_open_channels, state, handles, key)
    outcomes = await wait_for_flushes(state, channels_or_errors, query.wait_seconds)
    return await in_thread(_progress, state, outcomes)


@routes.post("/{channel_id}/close", summary="Commit what waits, and close a channel")
async def close(
    channel_id: str,
    query: Annotated[Closing, Query()],
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Closed:
    """Close a channel; the offset token is kept unless `drop` is true."""
    channel = await in_thread(find_open_channel, state, channel_id, query.client_sequencer, key)
    await _settle(state, channel)
    await in_thread(state.ingestor.close_channel, channel, drop=query.drop, timeout=_SHORT_WAIT)
    return Closed()


@routes.post(
    "/tokens",
    summary="Tell the committed offset tokens of many channels",
    response_model=list[str | None],
)
async def tokens(
    channels: Annotated[list[ChannelName], Field(max_length=_MOST_NAMES), FailFast()],
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Response:
    """Return the token of every channel, null for no token and for no channel."""
    return await in_thread(_tokens, state, key, channels)


@routes.post("/drop", summary="Drop a channel")
async def drop(channel: ChannelName, state: State, key: Holder, in_thread: InThread) -> Dropped:
    """Commit the waiting rows of a channel of this key, and drop channel and offset token."""
    record_and_channel = await in_thread(state.ingestor.find, channel.full, channel.name)
    if record_and_channel is None:
        return Dropped(dropped=False)
    record, channel_here = record_and_channel
    await in_thread(require_owner, state, record, key)
    if channel_here is not None:
        # rows of an invalid channel never will be committed: nothing to wait for
        with contextlib.suppress(ChannelInvalid):
            await _settle(state, channel_here)
    # drop this record only: the owner was checked for this opening
    is_dropped = await in_thread(state.ingestor.drop, record, channel_here, _SHORT_WAIT)
    return Dropped(dropped=is_dropped)


async def _settle(state: ServerState, channel: OpenChannel) -> None:
    """Wait, in no thread, until a channel has no append under way and all rows are committed."""
    await state.waits.wait_until(lambda: not channel.turn.locked(), _LONGEST_WAIT)
    await wait_for_flush(state, channel, _LONGEST_WAIT)


def _channel_list(state: ServerState, key: KeyRecord, table: QualifiedName) -> Response:
    channels = [
        Listed(
            name=record.name,
            created_on=as_datetime(record.created_at),
            active_on=as_datetime(record.active_at),
            client_sequencer=record.client_sequencer,
            row_sequencer=record.row_sequencer,
            offset_token=record.offset_token,
        )
        for record in state.ingestor.channels_of(table)
    ]
    return _large(state, key, _LISTED.dump_json(channels))


def _tokens(state: ServerState, key: KeyRecord, channels: Sequence[ChannelName]) -> Response:
    records = state.ingestor.find_records([(channel.full, channel.name) for channel in channels])
    records_in_order = (records.get((channel.full, channel.name)) for channel in channels)
    tokens = [None if record is None else record.offset_token for record in records_in_order]
    return _large(state, key, _TOKENS.dump_json(tokens))


def _progress(state: ServerState, outcomes: Sequence[bool | ChannelInvalid]) -> Response:
    progress = [
        Progress(committed=False, error=Failure(**failure(outcome, state.hidden)))
        if isinstance(outcome, ChannelInvalid)
        else Progress(committed=outcome, error=None)
        for outcome in outcomes
    ]
    return as_json(_PROGRESS, progress)


def _large(state: ServerState, key: KeyRecord, content: bytes) -> Response:
    """Return an answer of many offset tokens."""
    reserved = state.unread.require(key.key_id, len(content))
    return LargeResponse(content, 200, "application/json", reserved)


def _digest(body: bytes, *more: str | None) -> str:
    digest = hashlib.blake2b(body, digest_size=16)
    digest.update(repr(more).encode())
    return digest.hexdigest()


def _status(state: ServerState, channel: OpenChannel) -> Status:
    status = state.ingestor.status(channel)
    last_error, reason = (
        hide_folders(text, state.hidden) for text in (status.last_error, status.reason)
    )
    return Status(**asdict(replace(status, last_error=last_error, reason=reason)))
