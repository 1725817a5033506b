"""Row ingestion inside a session's process."""

from __future__ import annotations

from dataclasses import replace

from icemelt.errors import ParameterError
from icemelt.ingest.client import StreamingIngestClient
from icemelt.ingest.embedded import EmbeddedTransport
from icemelt.ingest.ingestor import Ingestor
from icemelt.ingest.table_writer import Limits
from icemelt.session.core import Core

__all__ = ["open_client", "open_ingestor"]

# Snowpipe Streaming, MAX_CLIENT_LAG; a tenth of a second is ours
_SHORTEST_LAG, _LONGEST_LAG = 0.1, 600.0


def open_ingestor(core: Core, lag: float) -> Ingestor:
    """Return an ingestor whose rows wait no longer than a lag, in seconds.

    Raises:
        ParameterError: the lag is not within its bounds.
    """
    if not _SHORTEST_LAG <= lag <= _LONGEST_LAG:
        raise ParameterError(
            f"max_client_lag is {_SHORTEST_LAG:g} to {_LONGEST_LAG:g} seconds, found {lag:g}.",
            hint="session.ingest_client(max_client_lag=1)",
        )
    # a temporary table of the session does not hide what others see
    return Ingestor(replace(core.newest, session_id=""), core.author, Limits(lag=lag))


def open_client(core: Core, lag: float) -> StreamingIngestClient:
    """Return a client of an ingestor of its own; the lag is as there."""
    transport = EmbeddedTransport(open_ingestor(core, lag), core.user)
    return StreamingIngestClient(transport=transport)
