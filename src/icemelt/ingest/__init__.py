"""Row ingestion: channels with offset tokens, after Snowflake's Snowpipe Streaming.

A client needs neither Spark nor Java: importing this package imports neither.
"""

from __future__ import annotations

from icemelt.ingest.answers import Answer, ChannelStatus, OnError
from icemelt.ingest.client.aio import AsyncChannel, AsyncStreamingIngestClient
from icemelt.ingest.client.channel import Channel
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.ingest.client.transport import ChannelName
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
