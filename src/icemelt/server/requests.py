"""What each request is given: the lake that is served, the key of who asks, and names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from pydantic import Field

from icemelt.catalog.records import KeyRecord
from icemelt.server.served import Served

__all__ = ["Here", "Holder", "Name", "came_about"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.25

# for the description: the guard has let nobody in without a key
_BEARER = HTTPBearer(auto_error=False, description="a key of `icemelt keys create`")


async def _served(request: Request) -> Served:
    served: Served = request.app.state.served
    return served


async def _holder(request: Request, _given: Annotated[object, Security(_BEARER)]) -> KeyRecord:
    key: KeyRecord = request.scope["icemelt.key"]
    return key


async def came_about(event: Callable[[], bool], seconds: float) -> bool:
    """Wait for an event up to some seconds, and keep no thread meanwhile.

    Who has waited long is looked after less often: thousands may wait at once.
    """
    began = time.monotonic()
    while not event():
        waited = time.monotonic() - began
        if waited >= seconds:
            return False
        await asyncio.sleep(min(_FIRST_PAUSE + waited / 10, _LONGEST_PAUSE, seconds))
    return True


Here = Annotated[Served, Depends(_served)]
Holder = Annotated[KeyRecord, Depends(_holder)]
# no catalog has a NUL in a name, and PostgreSQL does not even look for one
Name = Annotated[str, Field(max_length=255, pattern=r"^[^\x00]*$")]
