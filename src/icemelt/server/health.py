"""Whether the server answers, and so does all that it needs: for load balancers, without a key.

Nobody who asks learns more than that: why something is away is in the server's log.
"""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from icemelt.server.requests import Here

__all__ = ["routes"]

routes = APIRouter(tags=["server"])


class Health(BaseModel):
    """The server answers, and so does the catalog."""

    status: str = "ok"


# the description has GET alone: one operation has one id
@routes.head("/health", include_in_schema=False)
@routes.get("/health", summary="Tell whether all answers")
def health(served: Here) -> Health:
    """Read the catalog; who asks needs no key."""
    with served.database.read() as connection:
        served.database.lake(connection)
    return Health()
