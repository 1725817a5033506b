"""The log of a server on standard error, and its OpenTelemetry export."""

from __future__ import annotations

import contextlib
import enum
import logging
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["EventReporting", "LogLevel"]

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LogLevel(enum.StrEnum):
    """The lowest level of events in the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class EventReporting:
    """How a server reports events.

    Args:
        level: the lowest level of events on standard error.
        open_telemetry: whether traces and metrics are sent to a collector.
    """

    level: LogLevel = LogLevel.WARNING
    open_telemetry: bool = False

    @contextlib.contextmanager
    def report(self) -> Iterator[None]:
        """Report events until the end of the block, and then send waiting traces and metrics.

        Raises:
            PackageMissing: OpenTelemetry is not installed.
        """
        logging.basicConfig(format=_LINE)
        logger = logging.getLogger("icemelt")
        before = logger.level
        logger.setLevel(self.level.upper())
        try:
            with self._exporting():
                yield
        finally:
            logger.setLevel(before)

    @contextlib.contextmanager
    def _exporting(self) -> Iterator[None]:
        if not self.open_telemetry:
            yield
            return
        from icemelt.observe.open_telemetry import export_to_collector  # noqa: PLC0415 - an extra

        end = export_to_collector()
        try:
            yield
        finally:
            end()
