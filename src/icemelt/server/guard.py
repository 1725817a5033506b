"""What comes before a request is read: who asks, and how much may be read."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icemelt.catalog.records import KeyRecord
from icemelt.server.failures import Unauthorized, answer
from icemelt.server.served import Access

__all__ = ["Guard"]

# whoever reaches the address may know that there is a server, and how one speaks to it
_OPEN = frozenset({"/health", "/openapi.json"})
_EVERYBODY = KeyRecord("everybody", "everybody", 0)
_MOST_JSON_BYTES = 4 << 20
_SCHEME = "bearer "


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets nobody in without a key, and reads no body further than it may be large.

    Bodies of rows have at most `most_bytes`. Whose key it is, is in the request's scope.
    """

    app: ASGIApp
    access: Access
    most_bytes: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] not in _OPEN:
            key = await self._key(Headers(scope=scope).get("authorization", ""))
            if key is None:
                await self._refused()(scope, receive, send)
                return
            scope["icemelt.key"] = key
        most = self.most_bytes if scope["path"].endswith("/rows") else _MOST_JSON_BYTES
        await self.app(scope, _limited(receive, min(most, self.most_bytes)), send)

    async def _key(self, header: str) -> KeyRecord | None:
        if self.access.is_open:
            return _EVERYBODY
        text = header[len(_SCHEME) :].strip()
        if not header.lower().startswith(_SCHEME) or not text:
            return None
        return self.access.remembered(text) or await run_in_threadpool(self.access.key, text)

    def _refused(self) -> JSONResponse:
        return answer(
            Unauthorized(
                "The request has no key that is in force.",
                hint="Send it as Authorization: Bearer ice_…; icemelt keys create makes one.",
            )
        )


def _limited(receive: Receive, most: int) -> Receive:
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            # FastAPI lets this pass where it reads a body by itself
            raise HTTPException(413, f"A request has at most {most >> 20} MiB")
        return message

    return limited
