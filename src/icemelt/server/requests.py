"""What each request is given: the lake that is served, and the key of who asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icemelt.catalog.records import KeyRecord
from icemelt.server.failures import Unauthorized
from icemelt.server.served import Served

__all__ = ["Here", "Holder", "LimitedBodies"]

_EVERYBODY = KeyRecord("everybody", "everybody", 0)
_BEARER = HTTPBearer(auto_error=False, description="a key of `icemelt keys create`")


def _served(request: Request) -> Served:
    served: Served = request.app.state.served
    return served


def _holder(
    served: Annotated[Served, Depends(_served)],
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
) -> KeyRecord:
    if served.access.is_open:
        return _EVERYBODY
    key = None if given is None else served.access.key(given.credentials)
    if key is None:
        raise Unauthorized(
            "The request has no key that is in force.",
            hint="Send it as Authorization: Bearer ice_…; icemelt keys create makes one.",
        )
    return key


@dataclass(frozen=True, slots=True)
class LimitedBodies:
    """Lets an application read no body further than `most` bytes."""

    app: ASGIApp
    most: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        size = 0

        async def limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.most:
                # FastAPI lets this pass where it reads a body by itself
                raise HTTPException(413, f"A request has at most {self.most >> 20} MiB")
            return message

        await self.app(scope, limited, send)


Here = Annotated[Served, Depends(_served)]
Holder = Annotated[KeyRecord, Depends(_holder)]
