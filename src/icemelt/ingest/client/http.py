"""The transport of a client that reaches a server over HTTP.

The transport checks rows by the columns in the answer to the opening; a thread sends the rows
(`sending.py`). Appends carry their number, and the server takes no append twice. A request is
repeated with growing pauses if the answer was lost or the server was busy.
"""

from __future__ import annotations

import contextlib
import re
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

import httpx
import tenacity

from icemelt.errors import IcemeltError, ParameterError, SparkDied
from icemelt.ingest.answers import Answer, Append, ChannelStatus, OnError
from icemelt.ingest.client.segments import ARROW, Segment, body_of
from icemelt.ingest.client.sending import ChannelQueue, Outcome, Sender
from icemelt.ingest.client.transport import ChannelName, FlushOutcome
from icemelt.ingest.column_documents import columns_of
from icemelt.ingest.conversion.conversion import apply_on_error, convert
from icemelt.ingest.conversion.rejects import rejects_of
from icemelt.ingest.errors import (
    CLOSED,
    OPENED_AGAIN,
    ChannelInvalid,
    ChannelTaken,
    IngestBusy,
    IngestError,
    MalformedRows,
    RowError,
    RowsRefused,
    ServerAway,
    invalid,
    may_pass,
)
from icemelt.ingest.left_out import find_defaulted
from icemelt.schema import Column

__all__ = ["HttpTransport"]

_CONNECT_SECONDS, _ANSWER_SECONDS, _FLUSH_SECONDS = 10.0, 90.0, 30.0
# the bytes of a request beside the rows
_OVERHEAD = 1 << 20
_URL = re.compile(r"https?://[^/]", re.IGNORECASE)
_KEY = re.compile(r"[!-~]+$")
_AWAY, _BUSY = frozenset({502, 503, 504}), 429
# the longest pause, even if the server asks for more: a server may be back sooner
_LONGEST_PAUSE = 5.0
# so many channels of any names fit into a request
_AT_ONCE = 500
_BACKOFF = tenacity.wait_random_exponential(multiplier=0.1, max=_LONGEST_PAUSE)
_T = TypeVar("_T")


class HttpTransport:
    """Talks to one server under one key; a failing request is repeated for `patience` seconds."""

    def __init__(self, url: str, token: str | None, patience: float, buffer_bytes: int) -> None:
        _validate_address(url, token)
        headers = {} if token is None else {"Authorization": f"Bearer {token.strip()}"}
        timeout = httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS)
        self._url = url
        self._channels: dict[ChannelName, ChannelQueue] = {}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=timeout)
        self.sender = Sender(self._send, patience, buffer_bytes, _asked_pause)
        self._retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(may_pass),
            wait=_pause,
            stop=tenacity.stop_after_delay(patience),
            reraise=True,
        )

    def open(
        self, channel: ChannelName, offset_token: str | None
    ) -> tuple[_HttpLink, ChannelStatus]:
        """Open a channel; return the link and how far the channel is."""
        body = _channel_document(channel) | {"offset_token": offset_token}
        answer = self.post("/v1/channels", json=body)
        channel_id, most_bytes = answer.pop("channel_id"), answer.pop("most_bytes")
        logs_errors = answer.pop("logs_errors")
        columns, status = columns_of(answer.pop("columns")), ChannelStatus(**answer)
        number = status.row_sequencer
        sending = ChannelQueue(channel.name, (channel.table, columns), queued=number, sent=number)
        older = self._channels.get(channel)
        if older is not None:
            self.forget(channel, older, OPENED_AGAIN)
        self._channels[channel] = sending
        handle = channel_id, status.client_sequencer
        link = _HttpLink(self, channel, *handle, columns, logs_errors, most_bytes, sending)
        return link, status

    def forget(self, channel: ChannelName, sending: ChannelQueue, reason: str) -> None:
        """Send no more rows of one opening of a channel.

        Args:
            channel: the channel's name.
            sending: the opening's appends on their way.
            reason: the reason to give to later calls of the opening.
        """
        self.sender.discard(sending, invalid(channel.name, reason))
        if self._channels.get(channel) is sending:
            del self._channels[channel]

    def flush(self, links: Sequence[_HttpLink], timeout: float | None) -> list[FlushOutcome]:
        """Have the waiting rows of channels sent and committed, for up to `timeout` seconds."""
        ends = None if timeout is None else time.monotonic() + timeout
        outcomes: dict[int, FlushOutcome] = {}
        for position, link in enumerate(links):
            try:
                is_sent = self.sender.drain(link.sending, _remaining_seconds(ends))
            except ChannelInvalid as error:
                outcomes[position] = error
            else:
                if not is_sent:
                    outcomes[position] = False
        positions = [position for position in range(len(links)) if position not in outcomes]
        if len(positions) > _AT_ONCE:
            self._ask([links[position] for position in positions])
        for part in _parts(positions):
            outcomes_of_part = self._wait_until_committed(
                [links[position] for position in part], ends
            )
            outcomes |= zip(part, outcomes_of_part, strict=True)
        return [outcomes[position] for position in range(len(links))]

    def request_flush(self, links: Sequence[_HttpLink]) -> None:
        """Have the waiting rows of channels sent and written at once."""
        for link in links:
            self.sender.drain(link.sending, None)
        self._ask(links)

    def committed_tokens(self, channels: Sequence[ChannelName]) -> list[str | None]:
        """Return the committed offset token of every channel."""
        tokens: list[str | None] = []
        for part in _parts(channels):
            tokens += self.post(
                "/v1/channels/tokens", json=[_channel_document(channel) for channel in part]
            )
        return tokens

    def drop(self, channel: ChannelName) -> bool:
        """Drop a channel; rows appended by this client are sent before."""
        own = self._channels.get(channel)
        if own is not None:
            # an invalid channel has no rows to send
            with contextlib.suppress(ChannelInvalid):
                self.sender.drain(own, None)
        return bool(self.post("/v1/channels/drop", json=_channel_document(channel))["dropped"])

    def close(self) -> None:
        """Close the connections; unsent rows are discarded."""
        self.sender.close()
        self._client.close()

    def post(self, path: str, **request: Any) -> Any:
        """Post a request and return its answer.

        Raises:
            IcemeltError: the error in the server's answer.
            ServerAway: the server did not answer, however often the request was repeated.
        """
        return self._retrying(self._once, "POST", path, **request)

    def get(self, path: str, **request: Any) -> Any:
        """Get an answer; the errors are the errors of `post`."""
        return self._retrying(self._once, "GET", path, **request)

    def _ask(self, links: Sequence[_HttpLink]) -> None:
        for part in _parts(links):
            self._flush(part, 0)

    def _wait_until_committed(
        self, links: Sequence[_HttpLink], ends: float | None
    ) -> list[FlushOutcome]:
        """Wait until all rows of channels at the server are committed."""
        while True:
            left = _remaining_seconds(ends)
            wait = _FLUSH_SECONDS if left is None else min(left, _FLUSH_SECONDS)
            outcomes = self._flush(links, wait)
            if left == 0 or all(outcomes):
                return outcomes

    def _flush(self, links: Sequence[_HttpLink], wait: float) -> list[FlushOutcome]:
        handles = [{"channel_id": link.channel_id, **link.handle} for link in links]
        answers = self.post("/v1/channels/flush", json=handles, params={"wait_seconds": wait})
        return [
            answer["committed"] if answer["error"] is None else _void(answer["error"])
            for answer in answers
        ]

    def _send(self, segments: Sequence[Segment]) -> list[Outcome]:
        body, headers = body_of(segments), {"Content-Type": ARROW}
        answers = self._once("POST", "/v1/rows", content=body, headers=headers)
        return [None if answer is None else _to_error(answer) for answer in answers]

    def _once(self, method: str, path: str, **request: Any) -> Any:
        if self._client.is_closed:
            raise IngestError("The client is closed.", hint="Open another client.")
        try:
            response = self._client.request(method, path, **request)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, ssl.SSLError) as error:
            raise _unreachable(self._url, error) from error
        except httpx.TransportError as error:
            if isinstance(error.__context__, ssl.SSLError) or "SSL" in str(error):
                raise _unreachable(self._url, error) from error
            raise ServerAway(
                f"The server at {self._url!r} does not answer: {error}.",
                hint="Is it there? icemelt serve starts it.",
            ) from error
        if response.is_success:
            return response.json()
        raise _error(response) from httpx.HTTPStatusError(
            f"The server answered {response.status_code}.",
            request=response.request,
            response=response,
        )


@dataclass(frozen=True, slots=True)
class _HttpLink:
    transport: HttpTransport
    channel: ChannelName
    channel_id: str
    client_sequencer: int
    columns: tuple[Column, ...]
    logs_errors: bool
    most_bytes: int
    sending: ChannelQueue
    defaulted: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "defaulted", find_defaulted(self.columns))

    def append(self, append: Append) -> Answer:
        converted = convert(append.rows, self.columns)
        rows, token = apply_on_error(append, converted)
        errors, bad = converted.errors, converted.bad_rows
        last = errors[-1].reason if errors else ""
        rejects = rejects_of(append, converted) if self.logs_errors else ()
        checked = replace(
            append,
            rows=rows,
            end_offset_token=token,
            on_error=OnError.ABORT,
            bad_rows=bad,
            last_error=last,
            rejects=rejects,
        )
        if checked.request_size > self.most_bytes - _OVERHEAD:
            raise MalformedRows(
                f"The rows of an append have {checked.request_size >> 20} MiB, more than the "
                f"{self.most_bytes >> 20} MiB that a request may have.",
                hint="Append them in several calls, or icemelt serve --max-request 1024.",
            )
        segment = Segment(self.channel_id, self.client_sequencer, checked)
        self.transport.sender.enqueue(self.sending, segment)
        return Answer(rows.num_rows, errors, bad)

    def status(self) -> ChannelStatus:
        path = f"/v1/channels/{self.channel_id}"
        status = self.transport.get(path, params=self.handle)
        status["rows_waiting"] += self.sending.rows
        return ChannelStatus(**status)

    def close(self, *, drop: bool) -> None:
        try:
            self.transport.sender.drain(self.sending, None)
            path = f"/v1/channels/{self.channel_id}/close"
            self.transport.post(path, params={**self.handle, "drop": drop})
        except ChannelInvalid:
            self.transport.forget(self.channel, self.sending, CLOSED)
            raise
        # after any other error the channel stays open, to be closed again
        self.transport.forget(self.channel, self.sending, CLOSED)

    @property
    def handle(self) -> dict[str, Any]:
        """The handle of this opening, beside the channel's id."""
        return {"client_sequencer": self.client_sequencer}


def _validate_address(url: str, token: str | None) -> None:
    """Refuse a malformed URL or key, before a request with either is repeated again and again."""
    if not _URL.match(url):
        raise ParameterError(
            f"The server's URL begins with http:// or https://, found {url!r}.",
            hint='StreamingIngestClient("http://127.0.0.1:8787", key)',
        )
    if token is not None and not _KEY.match(token.strip()):
        raise ParameterError(
            "The key has characters that no key has.",
            hint="It begins with ice_, and is one word: icemelt keys create shows it.",
        )


def _remaining_seconds(ends: float | None) -> float | None:
    return None if ends is None else max(0.0, ends - time.monotonic())


def _parts(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (values[first : first + _AT_ONCE] for first in range(0, len(values), _AT_ONCE))


def _unreachable(url: str, error: Exception) -> IngestError:
    return IngestError(
        f"The server cannot be spoken to at {url!r}: {error}.",
        hint="Is it http:// or https:// there? icemelt serve itself speaks http.",
    )


def _asked_pause(error: BaseException | None) -> float:
    """Return the seconds of pause in a server's answer (`Retry-After`), 0 if the answer has none.

    >>> _asked_pause(ServerAway("The server does not answer.", hint=""))
    0.0
    """
    answer = None if error is None else error.__cause__
    if not isinstance(answer, httpx.HTTPStatusError):
        return 0.0
    seconds = answer.response.headers.get("Retry-After", "")
    # a date is ignored: the clocks of client and server may differ
    return min(float(seconds), _LONGEST_PAUSE) if seconds.isdecimal() else 0.0


def _pause(state: tenacity.RetryCallState) -> float:
    """Return the seconds to wait before a request is sent again."""
    error = state.outcome.exception() if state.outcome else None
    return max(_BACKOFF(state), _asked_pause(error))


def _channel_document(channel: ChannelName) -> dict[str, Any]:
    table = channel.table
    document = {"database": table.database, "schema": table.schema, "table": table.name}
    return document | {"name": channel.name}


def _error(response: httpx.Response) -> IcemeltError:
    """Return the error in a server's answer, as the class of icemelt with the answer's code."""
    try:
        answer = response.json()
        # a gateway without room answers in a format of its own
        passes = response.status_code in {*_AWAY, _BUSY}
        if not passes or answer["code"] in _errors_by_code():
            return _to_error(answer)
        message = answer["message"]
    except (ValueError, KeyError, TypeError):
        message = f"The server answered {response.status_code}."
    if response.status_code == _BUSY:
        return IngestBusy(message, hint="Send it again a little later.")
    if response.status_code in _AWAY:
        return ServerAway(message, hint="Is it there? icemelt serve starts it.")
    return IngestError(message, hint="")


def _void(answer: Mapping[str, Any]) -> ChannelInvalid:
    kind = ChannelTaken if answer["code"] == ChannelTaken.code else ChannelInvalid
    return kind(answer["message"], hint=answer["hint"])


def _to_error(answer: Mapping[str, Any]) -> IcemeltError:
    if answer["code"] == RowsRefused.code:
        return RowsRefused(_row_errors(answer))
    if answer["code"] == SparkDied.code:
        # the server soon has another Spark
        return ServerAway(answer["message"], hint=answer["hint"])
    error = _errors_by_code().get(answer["code"], IngestError)(
        answer["message"], hint=answer["hint"]
    )
    # older servers send no SQLSTATE
    return error.with_sqlstate(str(answer.get("sqlstate", error.sqlstate)))


@cache
def _errors_by_code() -> dict[str, type[IcemeltError]]:
    """Return the error classes of only a message and a hint, by code."""
    errors: dict[str, type[IcemeltError]] = {}
    kinds: list[type[IcemeltError]] = [IcemeltError]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.__init__ is IcemeltError.__init__:
            errors[kind.code] = kind
    return errors


def _row_errors(answer: Mapping[str, Any]) -> tuple[RowError, ...]:
    return tuple(RowError(e["row"], e["column"], e["reason"]) for e in answer["errors"])
