"""Health checks of the server, of Spark and of the catalog: for load balancers, without a key.

A server that gets no threads for a while is not alive: whoever watches it starts it anew.

The answers give no reasons to strangers: the server's log has the reason for an outage.
"""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from icemelt.errors import NoThreads
from icemelt.ingest.errors import ServerAway
from icemelt.server.failures import TasksStuck
from icemelt.server.requests import State
from icemelt.server.state import ServerState

__all__ = ["routes"]

routes = APIRouter(tags=["server"])


class Health(BaseModel):
    """The server answers, and so do Spark and the catalog."""

    status: str = "ok"


async def _live(state: State) -> Health:
    """Tell whether the server is able to work: it has threads and Spark. It needs no key."""
    if state.thread_watch.is_starved:
        raise _no_threads()
    _require_spark(state)
    return Health()


async def _ready(state: State) -> Health:
    """Tell whether statements and rows are taken now: Spark and the catalog answer.

    The request needs no key.
    """
    await state.threads.look_after_health(_require_all, state)
    return Health()


def _no_threads() -> NoThreads:
    return NoThreads(
        "The machine gives the server no more threads.", hint="Start it anew; its log says more."
    )


def _require_spark(state: ServerState) -> None:
    if state.supervisor.is_away:
        raise ServerAway("Spark is gone, and being started anew.", hint="Ask again.")


def _require_all(state: ServerState) -> None:
    if state.supervisor.is_silent and not state.supervisor.is_away:
        raise ServerAway("Spark has not answered for some time.", hint="Ask again.")
    if state.thread_watch.lacks_threads:
        raise _no_threads()
    stuck = state.statements.slots.stuck_tasks
    if stuck:
        raise TasksStuck(
            f"Tasks of statements that have ended go on, {stuck}, and keep a core each.",
            hint="Spark is started anew by itself: ask again.",
        )
    # connections of its own: those of statements and rows may all be taken
    with state.health_database.read() as connection:
        state.health_database.read_lake(connection)
    _require_spark(state)


_ROUTES = (
    ("/livez", _live, "Tell whether the server need not be started anew"),
    ("/readyz", _ready, "Tell whether all answers"),
    ("/health", _ready, "Tell whether all answers, as /readyz"),
)
for _path, _work, _summary in _ROUTES:
    name = _path[1:]
    routes.add_api_route(_path, _work, methods=["GET"], summary=_summary, operation_id=name)
    # the OpenAPI description has only GET: an operation id is unique
    routes.add_api_route(_path, _work, methods=["HEAD"], include_in_schema=False)
