"""Row ingestion inside a session's process."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from icemelt.errors import ParameterError
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.ingest.embedded import EmbeddedTransport
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.table_writer import Limits
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import telling_death
from icemelt.transactions.resolve import Resolver

__all__ = ["open_client", "open_ingestor", "resume"]

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
    limits = Limits(lag=lag)
    return Ingestor(
        _resolver(core), core.author, limits, telling_death=partial(telling_death, core.spark)
    )


def _resolver(core: Core) -> Resolver:
    """Return who finds the tables that rows are for, as every session sees them.

    A temporary table of the session does not hide what others see.
    """
    return replace(core.newest, session_id="")


def resume(ingestor: Ingestor, core: Core) -> None:
    """Have an ingestor go on with a session whose Spark was started anew."""
    ingestor.resume(_resolver(core), partial(telling_death, core.spark))


def open_client(core: Core, lag: float) -> StreamingIngestClient:
    """Return a client of an ingestor of its own; the lag is as there."""
    transport = EmbeddedTransport(open_ingestor(core, lag), core.user)
    return StreamingIngestClient(transport=transport)
