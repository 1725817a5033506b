"""The arguments of request handlers: the server's state, the client's key, a thread and names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ParamSpec, TypeVar

from fastapi import Depends, Request, Response, Security
from fastapi.security import HTTPBearer
from pydantic import Field, TypeAdapter

from icemelt.catalog.activity_records import KeyRecord
from icemelt.server.state import ServerState
from icemelt.server.threads import Threads

__all__ = ["Holder", "InThread", "Name", "State", "as_json"]

P = ParamSpec("P")
T = TypeVar("T")

# only for the OpenAPI description: the guard has checked the key before
_BEARER = HTTPBearer(auto_error=False, description="a key of `icemelt keys create`")


async def _server_state(request: Request) -> ServerState:
    state: ServerState = request.app.state.served
    return state


async def _holder(request: Request, _given: Annotated[object, Security(_BEARER)]) -> KeyRecord:
    key: KeyRecord = request.scope["icemelt.key"]
    return key


@dataclass(frozen=True, slots=True)
class _Turn:
    threads: Threads
    key_id: str

    async def __call__(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a function in a thread when the key's turn comes; return the function's result."""
        return await self.threads.run(self.key_id, work, *args, **named)


async def _turn(request: Request, key: Annotated[KeyRecord, Depends(_holder)]) -> _Turn:
    return _Turn(request.app.state.served.threads, key.key_id)


def as_json(kind: TypeAdapter[T], value: T) -> Response:
    """Return a long answer as JSON; FastAPI's own serialization would stop all other requests."""
    return Response(kind.dump_json(value), media_type="application/json")


State = Annotated[ServerState, Depends(_server_state)]
Holder = Annotated[KeyRecord, Depends(_holder)]
InThread = Annotated[_Turn, Depends(_turn)]
# no catalog has a NUL in a name, and PostgreSQL refuses a NUL in a query
Name = Annotated[str, Field(max_length=255, pattern=r"^[^\x00]*$")]
