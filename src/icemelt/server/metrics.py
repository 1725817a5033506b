"""The server's metrics, in the format of Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from prometheus_client import Counter, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icemelt.server.requests import Holder, InThread
from icemelt.server.state import ServerState
from icemelt.server.stream_gauges import StreamGauges
from icemelt.server.task_gauges import TaskGauges

__all__ = ["measure"]

_PREFIX = "icemelt_ingest_"
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
}
_WAITING = (
    ("open_channels", "channels", "Channels that are open."),
    ("open_tables", "tables", "Tables that they write."),
    ("waiting_bytes", "bytes", "Bytes of rows that are not committed yet."),
    ("oldest_waiting_seconds", "seconds", "How long the oldest of them has waited."),
)


def measure(app: FastAPI, state: ServerState) -> None:
    """Have an application count requests, and serve the metrics at `/metrics`."""
    registry = state.counters.registry
    registry.register(_Lake(state))
    registry.register(StreamGauges(state.access.database))
    registry.register(TaskGauges(state.access.database, state.scheduler))
    ProcessCollector(registry=registry)
    labels = ("method", "route")
    requests = Counter(
        "icemelt_http_requests", "Requests by answer.", (*labels, "status"), registry=registry
    )
    seconds = Histogram("icemelt_http_request_seconds", "Time.", labels, registry=registry)
    app.add_middleware(_Measured, requests=requests, seconds=seconds)
    routes = APIRouter(tags=["server"])

    @routes.get("/metrics", summary="Tell of the server in numbers", responses=_TEXT)
    async def metrics(_key: Holder, in_thread: InThread) -> Response:
        """Return the metrics in Prometheus' text format; a key is needed."""
        text = await in_thread(generate_latest, registry)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    app.include_router(routes)


@dataclass(frozen=True, slots=True)
class _Measured:
    app: ASGIApp
    requests: Counter
    seconds: Histogram

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and count the request under its route."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, begin = 499, time.perf_counter()

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self.requests.labels(scope["method"], route, status).inc()
            self.seconds.labels(scope["method"], route).observe(time.perf_counter() - begin)


@dataclass(frozen=True, slots=True, eq=False)
class _Lake(Collector):
    state: ServerState

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges of waiting rows, statements and Spark."""
        waiting = self.state.ingestor.waiting()
        for name, field, text in _WAITING:
            yield GaugeMetricFamily(_PREFIX + name, text, value=getattr(waiting, field))
        statements = GaugeMetricFamily(
            "icemelt_statements", "Statements that are kept, by status.", labels=["status"]
        )
        for status, count in self.state.statements.counts().items():
            statements.add_metric([status], count)
        yield statements
        yield GaugeMetricFamily(
            "icemelt_refused_keys",
            "Keys whose statements are refused, as Spark ended again and again while they ran.",
            value=self.state.statements.strikes.refused_keys,
        )
        supervisor = self.state.supervisor
        yield GaugeMetricFamily(
            "icemelt_spark_up", "1 while Spark is there.", value=float(not supervisor.is_away)
        )
        yield GaugeMetricFamily(
            "icemelt_stuck_tasks",
            "Tasks of statements that have ended, and go on.",
            value=self.state.statements.slots.stuck_tasks,
        )
