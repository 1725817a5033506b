"""icemelt: change queries, streams and row ingestion on open lakehouse tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from icemelt.version import version

if TYPE_CHECKING:
    from icemelt.session import Result, Session, connect

__all__ = ["Result", "Session", "connect", "version"]


def __getattr__(name: str) -> Any:
    """Import the session on first use: `--help` does not import Spark."""
    if name in {"Result", "Session", "connect"}:
        from icemelt import session  # noqa: PLC0415 - late on purpose

        return getattr(session, name)
    raise AttributeError(name)
