"""The resource `/v1/rows`: the appends of many channels of a table in one request."""

from __future__ import annotations

from fastapi import APIRouter, Request

from icemelt.ingest.client.segments import ARROW, segments_of
from icemelt.ingest.rows.rows import read_arrow
from icemelt.server.failures import Failure, failure
from icemelt.server.handles import find_open_channels
from icemelt.server.requests import Holder, InThread, State

__all__ = ["routes"]


_BODY = {
    "required": True,
    "content": {ARROW: {"schema": {"type": "string", "format": "binary"}}},
}
routes = APIRouter(prefix="/v1/rows", tags=["channels"])


@routes.post("", summary="Append rows to many channels", openapi_extra={"requestBody": _BODY})
async def append(
    request: Request, state: State, key: Holder, in_thread: InThread
) -> list[Failure | None]:
    """Append the rows of an Arrow stream whose metadata names the channels, as the client sends.

    The answer has null for each append taken, also for an append taken by an earlier request.
    """
    body = await request.body()

    def work() -> list[Failure | None]:
        rows = read_arrow(body, request.scope["icemelt.body"].unpack)
        segments = segments_of(rows)
        handles = [(segment.channel_id, segment.client_sequencer) for segment in segments]
        appends = [segment.append for segment in segments]
        channels = find_open_channels(state, handles, key)
        plain = rows.replace_schema_metadata(None)
        outcomes = state.ingestor.append_all(plain, list(zip(channels, appends, strict=True)))
        return [
            None if outcome is None else Failure(**failure(outcome, state.hidden))
            for outcome in outcomes
        ]

    return await in_thread(work)
