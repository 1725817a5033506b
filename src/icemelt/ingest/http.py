"""The transport of a client that reaches a server over HTTP.

What is sent again is not taken twice: appends carry their number. So a request whose answer was
lost, or that came while the server was busy, is repeated with growing pauses.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
import pyarrow as pa
import tenacity

from icemelt.errors import CatalogUnavailable, IcemeltError
from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.client import ChannelName, Link
from icemelt.ingest.errors import IngestError, RowError, RowsRefused, ServerAway

__all__ = ["ARROW", "HttpTransport"]

ARROW = "application/vnd.apache.arrow.stream"
_CONNECT_SECONDS, _ANSWER_SECONDS, _FLUSH_SECONDS = 10.0, 90.0, 30.0
_AGAIN = frozenset({502, 503, 504})


class HttpTransport:
    """Talks to one server under one key; `patience` is how many seconds a request is repeated."""

    def __init__(self, url: str, token: str | None, patience: float) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        timeout = httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS)
        self._url = url
        self._client = httpx.Client(base_url=url, headers=headers, timeout=timeout)
        self._retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type((ServerAway, CatalogUnavailable)),
            wait=tenacity.wait_random_exponential(multiplier=0.1, max=5),
            stop=tenacity.stop_after_delay(patience),
            reraise=True,
        )

    def open(self, channel: ChannelName, offset_token: str | None) -> Link:
        """Open a channel."""
        body = _named(channel) | {"offset_token": offset_token}
        opened = self.post("/v1/channels", json=body)
        return _HttpLink(self, opened["channel_id"], opened["client_sequencer"])

    def committed(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of each channel."""
        tokens: list[str | None] = self.post(
            "/v1/channels/tokens", json=[_named(each) for each in channels]
        )
        return tokens

    def drop(self, channel: ChannelName) -> bool:
        """Drop a channel blindly."""
        return bool(self.post("/v1/channels/drop", json=_named(channel))["dropped"])

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def post(self, path: str, **request: Any) -> Any:
        """Post a request and return its answer.

        Raises:
            IcemeltError: as the server says.
            ServerAway: it did not answer, however often it was asked.
        """
        return self._retrying(self._once, "POST", path, **request)

    def get(self, path: str, **request: Any) -> Any:
        """Get an answer; errors are as with `post`."""
        return self._retrying(self._once, "GET", path, **request)

    def _once(self, method: str, path: str, **request: Any) -> Any:
        try:
            response = self._client.request(method, path, **request)
        except httpx.TransportError as error:
            raise ServerAway(
                f"The server at {self._url!r} does not answer: {error}.",
                hint="Is it there? icemelt serve starts it.",
            ) from error
        if response.is_success:
            return response.json()
        raise _error(response)


@dataclass(frozen=True, slots=True)
class _HttpLink:
    transport: HttpTransport
    channel_id: str
    client_sequencer: int

    def append(self, append: Append) -> Answer:
        query: dict[str, Any] = {"number": append.number, "on_error": append.on_error.value}
        query |= {
            name: token
            for name, token in (
                ("start_offset_token", append.start_offset_token),
                ("end_offset_token", append.end_offset_token),
            )
            if token is not None
        }
        body = _arrow(append.rows)
        answer = self._post("rows", query, content=body, headers={"Content-Type": ARROW})
        return Answer(answer["rows"], _row_errors(answer), answer["bad_rows"])

    def status(self) -> ChannelStatus:
        path = f"/v1/channels/{self.channel_id}"
        return ChannelStatus(**self.transport.get(path, params=self._handle))

    def flush(self, timeout: float | None) -> bool:
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _FLUSH_SECONDS if ends is None else max(0.0, ends - time.monotonic())
            flushed = self._post("flush", {"wait_seconds": min(left, _FLUSH_SECONDS)})
            status = ChannelStatus(**flushed["status"])
            if flushed["committed"] or left == 0:
                return bool(flushed["committed"])
            status.refuse_invalid()

    def ask(self) -> None:
        self._post("flush", {"wait_seconds": 0})

    def close(self, *, drop: bool) -> None:
        self._post("close", {"drop": drop})

    def _post(self, what: str, query: Mapping[str, Any], **request: Any) -> Any:
        path = f"/v1/channels/{self.channel_id}/{what}"
        return self.transport.post(path, params={**self._handle, **query}, **request)

    @property
    def _handle(self) -> dict[str, Any]:
        return {"client_sequencer": self.client_sequencer}


def _named(channel: ChannelName) -> dict[str, Any]:
    table = channel.table
    place = {"database": table.database, "schema": table.schema, "table": table.name}
    return place | {"name": channel.name}


def _arrow(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _error(response: httpx.Response) -> IcemeltError:
    """Return what the server says as the error that it was there."""
    try:
        told = response.json()
        code, message, hint = told["code"], told["message"], told["hint"]
    except (ValueError, KeyError, TypeError):
        code, message, hint = "", f"The server answered {response.status_code}.", ""
    if code == RowsRefused.code:
        return RowsRefused(_row_errors(told))
    if response.status_code in _AGAIN and not code:
        return ServerAway(message, hint="Is it there? icemelt serve starts it.")
    return _known().get(code, IngestError)(message, hint=hint)


@cache
def _known() -> dict[str, type[IcemeltError]]:
    """Return the errors that have a message and a hint alone, by their codes."""
    found: dict[str, type[IcemeltError]] = {}
    kinds: list[type[IcemeltError]] = [IcemeltError]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.__init__ is IcemeltError.__init__:
            found[kind.code] = kind
    return found


def _row_errors(told: Mapping[str, Any]) -> tuple[RowError, ...]:
    return tuple(RowError(e["row"], e["column"], e["reason"]) for e in told["errors"])
