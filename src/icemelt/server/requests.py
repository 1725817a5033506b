"""What each request is given: the lake that is served, and the key of who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from icemelt.catalog.records import KeyRecord
from icemelt.server.served import Served

__all__ = ["Here", "Holder"]

# for the description: the guard has let nobody in without a key
_BEARER = HTTPBearer(auto_error=False, description="a key of `icemelt keys create`")


async def _served(request: Request) -> Served:
    served: Served = request.app.state.served
    return served


async def _holder(request: Request, _given: Annotated[object, Security(_BEARER)]) -> KeyRecord:
    key: KeyRecord = request.scope["icemelt.key"]
    return key


Here = Annotated[Served, Depends(_served)]
Holder = Annotated[KeyRecord, Depends(_holder)]
