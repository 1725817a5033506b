"""How a server tells of what happens: lines on standard error, and OpenTelemetry."""

from __future__ import annotations

import contextlib
import enum
import logging
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["LogLevel", "Telling"]

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LogLevel(enum.StrEnum):
    """From which consequence on something is told."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Telling:
    """What is told on standard error, and whether traces and metrics go to a collector."""

    level: LogLevel = LogLevel.WARNING
    open_telemetry: bool = False

    @contextlib.contextmanager
    def begun(self) -> Iterator[None]:
        """Tell until the end of the block; what waits for the collector is sent then.

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
