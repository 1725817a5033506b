"""Row ingestion inside a session's process."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from icemelt.errors import ParameterError
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.ingest.embedded import EmbeddedTransport
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.ingest.writer.limits import WriterLimits
from icemelt.session.runtime.column_defaults import evaluate_defaults
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import telling_death
from icemelt.transactions.resolver import Resolver

__all__ = ["open_client", "open_ingestor", "resume"]

# seconds, as MAX_CLIENT_LAG of Snowpipe Streaming; a tenth of a second is icemelt's own
_MIN_LAG, _MAX_LAG = 0.1, 600.0


def open_ingestor(core: Core, lag: float) -> Ingestor:
    """Return an ingestor whose rows wait at most `lag` seconds.

    Raises:
        ParameterError: the lag is out of bounds.
    """
    if not _MIN_LAG <= lag <= _MAX_LAG:
        raise ParameterError(
            f"max_client_lag is {_MIN_LAG:g} to {_MAX_LAG:g} seconds, found {lag:g}.",
            hint="session.ingest_client(max_client_lag=1)",
        )
    limits = WriterLimits(lag=lag)
    return Ingestor(
        _resolver(core),
        core.author,
        limits,
        telling_death=partial(telling_death, core.spark),
        evaluate_defaults=partial(evaluate_defaults, core),
    )


def _resolver(core: Core) -> Resolver:
    """Return a resolver for the tables of rows, without the session's temporary tables.

    A temporary table must not hide the table that all sessions see.
    """
    return replace(core.newest, session_id="")


def resume(ingestor: Ingestor, core: Core) -> None:
    """Continue an ingestor with a session whose Spark was started again."""
    dying = partial(telling_death, core.spark)
    ingestor.resume(_resolver(core), dying, partial(evaluate_defaults, core))


def open_client(core: Core, lag: float) -> StreamingIngestClient:
    """Return a client with a new ingestor, in which rows wait at most `lag` seconds."""
    transport = EmbeddedTransport(open_ingestor(core, lag), core.user)
    return StreamingIngestClient(transport=transport)
