"""Checks before a request is read: the key of the client, and the limit of the body."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icemelt.catalog.activity_records import KeyRecord
from icemelt.errors import IcemeltError
from icemelt.ingest.errors import ServerAway
from icemelt.server.bodies import Body, BodyLimits
from icemelt.server.connections import REQUEST
from icemelt.server.failures import BadText, answer, no_key
from icemelt.server.state import EVERYBODY, Access
from icemelt.server.threads import Threads

__all__ = ["Guard"]

# paths without a key: strangers may know of the server and its protocol
_OPEN = frozenset({"/health", "/livez", "/readyz", "/openapi.json"})
_MOST_JSON_BYTES = 4 << 20
_SCHEME = "bearer "


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets no request through without a key, and no body that is too large or too slow.

    Bodies of rows have at most `most_bytes`. The guard puts the key and the body into a request's
    scope, as `icemelt.key` and `icemelt.body`.
    """

    app: ASGIApp
    access: Access
    most_bytes: int
    bodies: BodyLimits
    threads: Threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and have the application answer the request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        key_id, send = "", _announce_closing(scope, send)
        try:
            if scope["path"] not in _OPEN:
                key = scope["icemelt.key"] = await self._key(Headers(scope=scope))
                key_id = key.key_id
            _require_text(scope)
        except IcemeltError as error:
            await answer(error)(scope, receive, send)
            return
        is_rows = scope["path"].endswith("/rows")
        most = self.most_bytes if is_rows else min(_MOST_JSON_BYTES, self.most_bytes)
        body = scope["icemelt.body"] = Body(receive, key_id, most, self.bodies, is_rows)
        try:
            await _answer_to_the_end(self.app, scope, body.receive, send)
        finally:
            body.release()

    async def _key(self, headers: Headers) -> KeyRecord:
        """Return the key of a request.

        Raises:
            Unauthorized: the request has no key in force.
            CatalogUnavailable: the key cannot be checked, for the catalog is away.
            HostRefused, OriginRefused: no key is needed, and the request is not for this server.
        """
        if self.access.is_open:
            self.access.hosts.require_own(headers)
            return EVERYBODY
        header = headers.get("authorization", "")
        text = header[len(_SCHEME) :].strip()
        if header.lower().startswith(_SCHEME) and text:
            remembered = self.access.find_remembered(text)
            key = remembered or await self.threads.check_key(
                self.access.key, text, is_known=self.access.is_known(text)
            )
            if key is not None:
                return key
        raise no_key()


async def _answer_to_the_end(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Have the application answer a request; answer a request that the server's end cuts short."""
    has_begun = False

    async def send_noting(message: Message) -> None:
        nonlocal has_begun
        has_begun = True
        await send(message)

    try:
        await app(scope, receive, send_noting)
    except asyncio.CancelledError:
        # only the end of the server cancels a request; nobody waits for the task
        if has_begun:
            raise
        error = ServerAway(
            "The server ends, and the request was not done in time.",
            hint="Send it again to the next server; find out before what was done of it.",
        )
        await answer(error)(scope, receive, send)


def _announce_closing(scope: Scope, send: Send) -> Send:
    """Return a `send` that adds `Connection: close` to an answer before the request's end."""
    request = scope.get("extensions", {}).get(REQUEST)

    async def send_announcing(message: Message) -> None:
        if message["type"] == "http.response.start" and request is not None and request.more_body:
            headers = [header for header in message["headers"] if header[0] != b"connection"]
            message = {**message, "headers": [*headers, (b"connection", b"close")]}
        await send(message)

    return send_announcing


def _require_text(scope: Scope) -> None:
    """Raise an error unless an address is UTF-8: other bytes would silently become another text.

    Raises:
        BadText: the address is not UTF-8, or has bytes that are not escaped.
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
