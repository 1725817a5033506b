"""Events as spans and metrics of OpenTelemetry, an extra: skipped where it is not installed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra icemelt[otel] is not installed")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from icemelt.errors import Conflict
from icemelt.observe import events as e
from icemelt.observe.emitting import emit
from icemelt.observe.open_telemetry import export_to_collector, instrument
from icemelt.observe.statements import watch_fetch, watch_statement
from icemelt.session.session import Session


class Telemetry:
    """What was traced and measured."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider(metric_readers=[self.reader])

    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.exporter.get_finished_spans()}

    def sums(self) -> dict[str, float]:
        data = self.reader.get_metrics_data()
        found = data.resource_metrics if data is not None else ()
        return {
            metric.name: sum(
                getattr(point, "value", getattr(point, "sum", 0))
                for point in metric.data.data_points
            )
            for resource in found
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    """Return what the events of the test become."""
    found = Telemetry()
    end = instrument(found.tracers, found.meters)
    yield found
    end()
    found.tracers.shutdown()
    found.meters.shutdown()


def test_what_a_statement_does_is_below_its_span(telemetry: Telemetry) -> None:
    with telemetry.tracers.get_tracer("app").start_as_current_span("request"):
        with watch_statement("4f", "b0", "INSERT"):
            emit(e.QueryPlanned(0.25))
            emit(e.SparkJobRan("4f", 7, 2, "succeeded", 1_000.0, 0.5))
            emit(e.PublishAttempted("70", "moved", 0.1))
            emit(e.TableRebased("70", "main.public.t", 0.1))
            emit(e.StatementRerun("70", 1, "main.public.t", "rows of 'secret' were changed"))
            emit(e.PublishAttempted("70", "published", 0.1))
        with watch_fetch("4f"):
            pass
    spans = telemetry.spans()
    statement, context = spans["icemelt INSERT"], spans["icemelt INSERT"].get_span_context()
    assert statement.parent == spans["request"].get_span_context()
    below = {name for name, span in spans.items() if span.parent == context}
    assert below == {
        "icemelt plan",
        "icemelt spark job",
        "icemelt publish",
        "icemelt rebase",
        "icemelt fetch",
    }
    job = spans["icemelt spark job"]
    assert (job.start_time, job.end_time) == (1_000_000_000_000, 1_000_500_000_000)
    assert dict(statement.attributes or {}) == {
        "icemelt.statement_id": "4f",
        "icemelt.session_id": "b0",
        "icemelt.kind": "INSERT",
    }
    # why it ran again is in the log: the reason is a text for people
    (rerun,) = statement.events
    assert (rerun.name, dict(rerun.attributes or {})) == (
        "icemelt StatementRerun",
        {
            "icemelt.transaction_id": "70",
            "icemelt.attempt": 1,
            "icemelt.table": "main.public.t",
        },
    )


def test_an_error_is_told_by_its_code(telemetry: Telemetry) -> None:
    with pytest.raises(Conflict), watch_statement("4f", "b0", "UPDATE"):
        raise Conflict("Row 'secret' was changed.", hint="")
    span = telemetry.spans()["icemelt UPDATE"]
    assert not span.status.is_ok
    assert (span.status.description, (span.attributes or {})["error.type"]) == ("conflict",) * 2
    assert "secret" not in span.to_json()


def test_what_is_of_no_statement_is_a_span_by_itself(telemetry: Telemetry) -> None:
    emit(e.RowsFlushed("main.public.t", 100, 0.1))
    assert telemetry.spans()["icemelt flush"].parent is None


def test_metrics_are_those_of_the_page(telemetry: Telemetry) -> None:
    with watch_statement("4f", "b0", "SELECT"):
        pass
    emit(e.RowsFlushed("main.public.t", 100, 0.5))
    sums = telemetry.sums()
    assert sums["icemelt.statements_ended"] == 1
    assert sums["icemelt.ingest_rows_committed"] == 100
    assert sums["icemelt.ingest_commit_seconds"] == 0.5


def test_a_real_statement_is_traced(telemetry: Telemetry, session: Session) -> None:
    # a small query would run in the driver, without a job
    session.spark.conf.set("spark.icemelt.driverRuns", "false")
    session.sql("CREATE TABLE t (id INT)")
    # constants are written without a job
    session.sql("INSERT INTO t SELECT 1 AS id")
    telemetry.exporter.clear()
    session.sql("INSERT INTO t SELECT id + 1 FROM t")
    spans = telemetry.spans()
    context = spans["icemelt INSERT"].get_span_context()
    below = {name for name, span in spans.items() if span.parent == context}
    assert below == {"icemelt plan", "icemelt spark job", "icemelt publish"}
    telemetry.exporter.clear()
    session.sql("SELECT count(*) FROM t, t AS u").fetchall()
    spans = telemetry.spans()
    context = spans["icemelt SELECT"].get_span_context()
    assert spans["icemelt fetch"].parent == spans["icemelt spark job"].parent == context


def test_a_collector_gets_traces_and_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if b"icemelt" in body:
                asked.add(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{collector.server_port}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        end = export_to_collector()
        with watch_statement("4f", "b0", "SELECT"):
            pass
        end()
        collector.shutdown()
        thread.join()
    assert asked == {"/v1/traces", "/v1/metrics"}
