"""The resource `/v1/rows`: the appends of many channels of a table in one request."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from icemelt.catalog.records import KeyRecord
from icemelt.errors import IcemeltError
from icemelt.ingest.answers import Append
from icemelt.ingest.open_channel import OpenChannel
from icemelt.ingest.rows import checked
from icemelt.ingest.segments import ARROW, Segment, rows_of, segments_of
from icemelt.server.channels import found
from icemelt.server.failures import Failure, failure
from icemelt.server.requests import Here, Holder
from icemelt.server.served import Served

__all__ = ["routes"]


_BODY = {
    "required": True,
    "content": {ARROW: {"schema": {"type": "string", "format": "binary"}}},
}
routes = APIRouter(prefix="/v1/rows", tags=["channels"])


@routes.post("", summary="Append rows to many channels", openapi_extra={"requestBody": _BODY})
async def append(request: Request, served: Here, key: Holder) -> list[Failure | None]:
    """Append the rows of an Arrow stream whose metadata says whose they are, as the client does.

    The answer has null for each append that was taken, also one that was before.
    """
    body = await request.body()

    def work() -> list[Failure | None]:
        rows = checked(rows_of(body))
        appends = [_channel(served, each, key) for each in segments_of(rows)]
        outcomes = served.ingestor.append_all(rows.replace_schema_metadata(None), appends)
        return [None if each is None else Failure(**failure(each)) for each in outcomes]

    return await run_in_threadpool(work)


def _channel(
    served: Served, segment: Segment, key: KeyRecord
) -> tuple[OpenChannel | IcemeltError, Append]:
    try:
        channel = found(served, segment.channel_id, segment.client_sequencer, key)
    except IcemeltError as error:
        return error, segment.append
    return channel, segment.append
