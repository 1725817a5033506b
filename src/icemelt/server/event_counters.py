"""The process's events as counters and histograms of Prometheus."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Histogram

from icemelt.observe.emitting import subscribe
from icemelt.observe.events import Event
from icemelt.observe.instruments import INSTRUMENTS, Instrument, Measure

__all__ = ["EventCounters", "count_events"]

_PREFIX = "icemelt_"
# seconds: a statement on metadata takes milliseconds, a backfill an hour
_BOUNDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_000)


@dataclass(frozen=True, slots=True)
class EventCounters:
    """Counters of events, in a Prometheus registry; counting begins with the object's creation.

    >>> from icemelt.observe.events import TableRebased
    >>> counters = EventCounters()
    >>> counters.count(TableRebased("4f", "main.public.t", 0.1))
    >>> counters.registry.get_sample_value("icemelt_rebases_total")
    1.0
    """

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    _metrics: dict[type[Event], list[tuple[Instrument, Counter | Histogram]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        for instrument in INSTRUMENTS:
            metrics = self._metrics.setdefault(instrument.event, [])
            metrics.append((instrument, _metric_of(instrument, self.registry)))

    def count(self, event: Event) -> None:
        """Count an event."""
        for instrument, metric in self._metrics.get(type(event), ()):
            labels = instrument.labels_of(event)
            series = metric.labels(**labels) if labels else metric
            value = instrument.value_of(event)
            if isinstance(series, Histogram):
                series.observe(value)
            else:
                series.inc(value)


@contextlib.contextmanager
def count_events() -> Iterator[EventCounters]:
    """Yield counters that count the events of the process until the end of the block."""
    counters = EventCounters()
    kinds = {instrument.event for instrument in INSTRUMENTS}
    unsubscribe = subscribe(counters.count, *kinds)
    try:
        yield counters
    finally:
        unsubscribe()


def _metric_of(instrument: Instrument, registry: CollectorRegistry) -> Counter | Histogram:
    name, text = _PREFIX + instrument.name, instrument.text
    if instrument.measure is Measure.SPREAD:
        return Histogram(name, text, instrument.labels, buckets=_BOUNDS, registry=registry)
    return Counter(name, text, instrument.labels, registry=registry)
