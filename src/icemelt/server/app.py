"""The application: its resources, who may use them, and what it says of itself."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from icemelt import version
from icemelt.server import channels, rows, statements
from icemelt.server.failures import Failure, answer_failures
from icemelt.server.guard import Guard
from icemelt.server.metrics import measure
from icemelt.server.requests import Here
from icemelt.server.served import Served

__all__ = ["make_app"]


_ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Failure, "description": "It was not done, for this reason."},
    "503": {"model": Failure, "description": "The catalog is away, or the server is full."},
}


class Health(BaseModel):
    """The server answers, and so does the catalog."""

    status: str = "ok"


def make_app(served: Served) -> FastAPI:
    """Return the application that serves a lake."""
    app = FastAPI(
        title="icemelt", version=version(), responses=_ERRORS, docs_url=None, redoc_url=None
    )
    app.state.served = served
    app.add_middleware(Guard, access=served.access, most_bytes=served.most_bytes)
    app.add_api_route("/health", _health, tags=["server"], summary="Tell whether all answers")
    app.include_router(channels.routes)
    app.include_router(rows.routes)
    app.include_router(statements.routes)
    measure(app, served)
    answer_failures(app)
    return app


def _health(served: Here) -> Health:
    """Read the catalog; who asks needs no key."""
    with served.database.read() as connection:
        served.database.lake(connection)
    return Health()
