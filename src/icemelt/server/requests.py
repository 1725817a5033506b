"""What each request is given: the lake that is served, and the key of who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from icemelt.catalog.records import KeyRecord
from icemelt.server.failures import Unauthorized
from icemelt.server.served import Served

__all__ = ["Here", "Holder"]

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


Here = Annotated[Served, Depends(_served)]
Holder = Annotated[KeyRecord, Depends(_holder)]
