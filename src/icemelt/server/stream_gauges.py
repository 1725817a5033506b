"""How far each stream is behind, as gauges of Prometheus."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from icemelt.catalog.database import Database
from icemelt.catalog.queries.lags import StreamLag, stream_lags
from icemelt.errors import CatalogError
from icemelt.observe.emitting import tolerate

__all__ = ["StreamGauges"]

# the most streams shown, first the soonest stale; a stream has four series
_MOST_STREAMS = 1_000
# a request within these seconds gets the same values again
_KEPT_SECONDS = 10.0
_GAUGES = (
    ("rows_behind", "Rows that unread versions changed."),
    ("versions_behind", "Versions that a stream has not read."),
    ("seconds_behind", "Age of the oldest version that a stream has not read."),
    ("seconds_to_stale", "Until a stream is stale, if it is not consumed."),
)


@dataclass(slots=True, eq=False)
class StreamGauges(Collector):
    """Reads the lag of all streams from the registry, at most once in `kept_seconds`.

    Of more than `most` streams, the gauges have the streams that become stale first. While the
    catalog is away there is `icemelt_streams_known 0`, and no stream.
    """

    database: Database
    most: int = _MOST_STREAMS
    kept_seconds: float = _KEPT_SECONDS
    _found: tuple[list[StreamLag], int] | None = None
    _asked_at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges of all streams."""
        answer = self._ask()
        lags, count = answer or ([], 0)
        yield GaugeMetricFamily(
            "icemelt_streams_known",
            "1 where the catalog told of the streams.",
            value=float(answer is not None),
        )
        yield GaugeMetricFamily("icemelt_streams", "Streams of the lake.", value=count)
        for name, text in _GAUGES:
            yield _gauge(name, text, lags)

    def _ask(self) -> tuple[list[StreamLag], int] | None:
        """Return lags and the number of streams, cached for seconds; None without the catalog."""
        with self._lock:
            if time.monotonic() - self._asked_at < self.kept_seconds:
                return self._found
            self._found = None
            tolerating = tolerate(CatalogError, to="ask how far streams are behind")
            with tolerating, self.database.read() as connection:
                self._found = stream_lags(connection, self.database, self.most)
            self._asked_at = time.monotonic()
            return self._found


def _gauge(name: str, text: str, lags: Sequence[StreamLag]) -> GaugeMetricFamily:
    """Return one field of the lags by stream; a stream without a value has no sample."""
    family = GaugeMetricFamily(f"icemelt_stream_{name}", text, labels=["stream"])
    for lag in lags:
        value = getattr(lag, name)
        if value is not None:
            family.add_metric([str(lag.name)], value)
    return family
