"""Row ingestion: channels with offset tokens.

A client needs neither Spark nor Java: what is imported here imports neither.
"""

from __future__ import annotations

from icemelt.ingest.aio import AsyncChannel, AsyncStreamingIngestClient
from icemelt.ingest.answers import Answer, ChannelStatus, OnError
from icemelt.ingest.channel import Channel
from icemelt.ingest.client import StreamingIngestClient
from icemelt.ingest.errors import (
    ChannelInvalid,
    ChannelOwned,
    ChannelTaken,
    IngestBusy,
    IngestError,
    RowError,
    RowsRefused,
    ServerAway,
    TableRefused,
    TokenRefused,
    TooLarge,
    TooManyChannels,
    Unauthorized,
)
from icemelt.ingest.transport import ChannelName

__all__ = [
    "Answer",
    "AsyncChannel",
    "AsyncStreamingIngestClient",
    "Channel",
    "ChannelInvalid",
    "ChannelName",
    "ChannelOwned",
    "ChannelStatus",
    "ChannelTaken",
    "IngestBusy",
    "IngestError",
    "OnError",
    "RowError",
    "RowsRefused",
    "ServerAway",
    "StreamingIngestClient",
    "TableRefused",
    "TokenRefused",
    "TooLarge",
    "TooManyChannels",
    "Unauthorized",
]
