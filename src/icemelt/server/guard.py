"""What comes before a request is read: who asks, and how much may be read."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icemelt.catalog.records import KeyRecord
from icemelt.errors import IcemeltError
from icemelt.server.failures import BadText, answer, no_key
from icemelt.server.served import EVERYBODY, Access

__all__ = ["Guard"]

# whoever reaches the address may know that there is a server, and how one speaks to it
_OPEN = frozenset({"/health", "/livez", "/readyz", "/openapi.json"})
_MOST_JSON_BYTES = 4 << 20
_SCHEME = "bearer "
# of all requests together; a larger one alone is heard
_MOST_HELD_BYTES = 512 << 20
# a body may take so long, and longer as long as it comes at a modem's speed
_BODY_SECONDS, _BYTES_A_SECOND = 30.0, 4_096


@dataclass(slots=True)
class _Held:
    """What the bodies of all requests under way take."""

    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets nobody in without a key, and reads no body further than it may be large, or slow.

    Bodies of rows have at most `most_bytes`. Whose key it is, is in the request's scope.
    """

    app: ASGIApp
    access: Access
    most_bytes: int
    held: _Held = field(default_factory=_Held)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            if scope["path"] not in _OPEN:
                scope["icemelt.key"] = await self._key(Headers(scope=scope))
            _require_text(scope)
        except IcemeltError as error:
            await answer(error)(scope, receive, send)
            return
        most = self.most_bytes if scope["path"].endswith("/rows") else _MOST_JSON_BYTES
        body = _Body(receive, min(most, self.most_bytes), self.held)
        try:
            await self.app(scope, body.receive, send)
        finally:
            self.held.bytes -= body.size

    async def _key(self, headers: Headers) -> KeyRecord:
        """Return the key of who asks.

        Raises:
            Unauthorized: there is none that is in force.
            CatalogUnavailable: it cannot be told, for the catalog is away.
            HostRefused, OriginRefused: no key is needed, and the request is not for this server.
        """
        if self.access.is_open:
            self.access.hosts.require_own(headers)
            return EVERYBODY
        header = headers.get("authorization", "")
        text = header[len(_SCHEME) :].strip()
        if header.lower().startswith(_SCHEME) and text:
            remembered = self.access.remembered(text)
            key = remembered or await run_in_threadpool(self.access.key, text)
            if key is not None:
                return key
        raise no_key()


def _require_text(scope: Scope) -> None:
    """Let only an address through that is UTF-8: what is not would become another text silently.

    Raises:
        BadText: it is not, or has bytes that are not escaped.
    """
    for part in (scope["raw_path"], scope["query_string"]):
        try:
            part.decode("ascii")
            unquote_to_bytes(part).decode()
        except UnicodeDecodeError:
            raise BadText(
                "The request's address has bytes that are no UTF-8.",
                hint="Encode names and tokens as UTF-8, and escape them: %C3%A9 for é.",
            ) from None


@dataclass(slots=True)
class _Body:
    """A request's body: FastAPI lets the errors pass where it reads it by itself."""

    receiving: Receive
    most: int
    held: _Held
    size: int = 0
    is_whole: bool = False
    begun: float = field(default_factory=time.monotonic)

    async def receive(self) -> Message:
        """Return the next part of it."""
        message = await (self.receiving() if self.is_whole else self._in_time())
        self.is_whole = not message.get("more_body", False)
        size = len(message.get("body", b""))
        self.size += size
        self.held.bytes += size
        if self.size > self.most:
            raise HTTPException(413, f"A request has at most {self.most >> 20} MiB")
        if self.held.bytes > max(_MOST_HELD_BYTES, self.most):
            headers = {"Retry-After": "1"}
            raise HTTPException(429, "As many requests are being read as may", headers)
        return message

    async def _in_time(self) -> Message:
        left = self.begun + _BODY_SECONDS + self.size / _BYTES_A_SECOND - time.monotonic()
        try:
            async with asyncio.timeout(left):
                return await self.receiving()
        except TimeoutError:
            message = "The request did not come to its end in time"
            raise HTTPException(408, message, {"Connection": "close"}) from None
