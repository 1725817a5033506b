"""Spans and metrics of OpenTelemetry, made of events; needs the extra `icemelt[otel]`.

A statement is a span. The statement's planning, Spark jobs, waits and attempts to publish are child
spans. Work outside of statements, such as a flush of channels, has spans of its own. No span has a
statement's text, a parameter's name or a parameter's value. No other module imports OpenTelemetry.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import Token
from dataclasses import dataclass, field
from typing import Any

from icemelt.errors import PackageMissing
from icemelt.observe import events
from icemelt.observe.emitting import subscribe
from icemelt.observe.instruments import INSTRUMENTS, Instrument, Measure
from icemelt.version import version

try:
    from opentelemetry import context, metrics, trace
    from opentelemetry.metrics import Counter, Histogram, MeterProvider
    from opentelemetry.trace import Span, SpanContext, StatusCode, TracerProvider
except ImportError as error:
    raise PackageMissing(
        "Python has no package 'opentelemetry-api', which traces need.",
        hint="pip install 'icemelt[otel]'",
    ) from error

__all__ = ["export_to_collector", "instrument"]

_SCOPE = "icemelt"
# how many ended statements keep their span's context, as the parent of a later fetch
_MOST_REMEMBERED = 1_000
# events with a duration, and the names of their spans
_STEPS: dict[type[events.Event], str] = {
    events.QueryPlanned: "plan",
    events.SparkJobRan: "spark job",
    events.RowsFetched: "fetch",
    events.PublishAttempted: "publish",
    events.TableRebased: "rebase",
    events.LockAwaited: "wait for lock",
    events.ReservationAwaited: "wait for reservation",
    events.RowsFlushed: "flush",
}
# `message` and `reason` may name files and are in the log only; the times are the span's own
_NOT_SENT = frozenset({"message", "reason", "is_usual", "began_at", "seconds"})


def instrument(
    tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None
) -> Callable[[], None]:
    """Make spans and metrics of all later events of the process; return the function to stop.

    Args:
        tracer_provider: where spans go, None for the process's own provider.
        meter_provider: where metrics go, None for the process's own provider.

    >>> uninstrument = instrument()
    >>> uninstrument()
    """
    tracer = trace.get_tracer(_SCOPE, version(), tracer_provider)
    meter = metrics.get_meter(_SCOPE, version(), meter_provider)
    unsubscribers = [subscribe(_Traces(tracer).take)]
    for metric in INSTRUMENTS:
        name = f"{_SCOPE}.{metric.name}"
        unit = "s" if metric.value == "seconds" else ""
        recorder = (
            meter.create_histogram(name, unit, metric.text)
            if metric.measure is Measure.SPREAD
            else meter.create_counter(name, unit, metric.text)
        )
        unsubscribers.append(subscribe(_Metric(metric, recorder).take, metric.event))

    def end() -> None:
        for unsubscribe in unsubscribers:
            unsubscribe()

    return end


def export_to_collector() -> Callable[[], None]:
    """Send spans and metrics to a collector by OTLP over HTTP; return the function to stop.

    OpenTelemetry's environment variables name the collector and set what is sent:
    OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES,
    OTEL_TRACES_SAMPLER. The service is `icemelt`, unless OTEL_SERVICE_NAME says otherwise. The
    returned function first sends all waiting spans and metrics.

    Raises:
        PackageMissing: the SDK or the exporter of OpenTelemetry is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import (  # noqa: PLC0415 - an extra
            OTLPMetricExporter,
        )
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.metrics import MeterProvider as Meters  # noqa: PLC0415
        from opentelemetry.sdk.metrics.export import (  # noqa: PLC0415
            PeriodicExportingMetricReader,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider as Tracers  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise PackageMissing(
            f"Python has no package {error.name!r}, which OpenTelemetry's export needs.",
            hint="pip install 'icemelt[otel]'",
        ) from error
    # the environment's settings win over these
    resource = Resource({"service.name": _SCOPE, "service.version": version()}).merge(
        Resource.create()
    )
    tracers = Tracers(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    meters = Meters(metric_readers=[reader], resource=resource)
    uninstrument = instrument(tracers, meters)

    def end() -> None:
        uninstrument()
        tracers.shutdown()
        meters.shutdown()

    return end


@dataclass(frozen=True, slots=True, eq=False)
class _Metric:
    """An instrument of icemelt with its counterpart in OpenTelemetry, which records the values."""

    instrument: Instrument
    recorder: Counter | Histogram

    def take(self, event: events.Event) -> None:
        value, labels = self.instrument.value_of(event), self.instrument.labels_of(event)
        if isinstance(self.recorder, Histogram):
            self.recorder.record(value, labels)
        else:
            self.recorder.add(value, labels)


@dataclass(slots=True, eq=False)
class _Traces:
    """Makes spans of events; the context of a statement's thread has the statement's span."""

    tracer: trace.Tracer
    _open: dict[str, tuple[Span, Token[context.Context]]] = field(default_factory=dict)
    _ended: OrderedDict[str, SpanContext] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, event: events.Event) -> None:
        """Begin, end or add a span for an event."""
        match event:
            case events.StatementBegan():
                self._begin(event)
            case events.StatementEnded():
                self._end(event)
            case events.RowsAppended():
                pass  # a client's request, with spans of its own
            case _ if type(event) in _STEPS:
                self._add_step(event)
            case _:
                trace.get_current_span().add_event(_name_of(event), _attributes_of(event))

    def _begin(self, event: events.StatementBegan) -> None:
        span = self.tracer.start_span(f"icemelt {event.kind}", attributes=_attributes_of(event))
        token = context.attach(trace.set_span_in_context(span))
        with self._lock:
            self._open[event.statement_id] = span, token

    def _end(self, event: events.StatementEnded) -> None:
        with self._lock:
            # a statement from before the subscription has no span
            opened = self._open.pop(event.statement_id, None)
            if opened is None:
                return
            self._ended[event.statement_id] = opened[0].get_span_context()
            if len(self._ended) > _MOST_REMEMBERED:
                self._ended.popitem(last=False)
        span, token = opened
        context.detach(token)
        _note_error(span, event.error_code)
        span.end()

    def _add_step(self, event: Any) -> None:
        """Add a span for a step that has just ended, or for a Spark job, which ended earlier."""
        ended = time.time()
        if isinstance(event, events.SparkJobRan):
            ended = event.began_at + event.seconds
        span = self.tracer.start_span(
            f"icemelt {_STEPS[type(event)]}",
            context=self._parent_of(event),
            attributes=_attributes_of(event),
            start_time=_nanoseconds(ended - event.seconds),
        )
        _note_error(span, getattr(event, "error_code", None))
        span.end(_nanoseconds(ended))

    def _parent_of(self, event: events.Event) -> context.Context | None:
        """Return the context of the event's statement if the statement has ended.

        None stands for the context of the thread, which has the span of a running statement.
        """
        statement_id = getattr(event, "statement_id", None)
        with self._lock:
            ended = self._ended.get(statement_id or "")
        if ended is None:
            return None
        return trace.set_span_in_context(trace.NonRecordingSpan(ended))


def _name_of(event: events.Event) -> str:
    return f"icemelt {type(event).__name__}"


def _attributes_of(event: events.Event) -> dict[str, Any]:
    return {
        f"icemelt.{name}": value
        for name, value in event.details.items()
        if value is not None and name not in _NOT_SENT
    }


def _note_error(span: Span, error_code: str | None) -> None:
    if error_code is not None:
        span.set_attribute("error.type", error_code)
        span.set_status(StatusCode.ERROR, error_code)


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1_000_000_000)
