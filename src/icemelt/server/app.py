"""The HTTP application of the server: routes, access control, metrics and error answers."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from icemelt.server import channels, health, rows, statements
from icemelt.server.bodies import BodyLimits
from icemelt.server.failures import Failure, answer_failures
from icemelt.server.guard import Guard
from icemelt.server.metrics import measure
from icemelt.server.state import ServerState
from icemelt.version import version

__all__ = ["make_app"]


_ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Failure, "description": "It was not done, for this reason."},
    "503": {"model": Failure, "description": "The catalog is away, or the server is full."},
}


def make_app(state: ServerState) -> FastAPI:
    """Return the application that serves a lake."""
    app = FastAPI(
        title="icemelt", version=version(), responses=_ERRORS, docs_url=None, redoc_url=None
    )
    app.state.served = state
    bodies = BodyLimits(by_key=not state.access.is_open)
    app.add_middleware(
        Guard,
        access=state.access,
        most_bytes=state.most_bytes,
        bodies=bodies,
        threads=state.threads,
    )
    app.include_router(health.routes)
    app.include_router(channels.routes)
    app.include_router(rows.routes)
    app.include_router(statements.routes)
    measure(app, state)
    answer_failures(app)
    return app
