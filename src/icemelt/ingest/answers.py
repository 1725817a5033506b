"""Appends, answers and channel status: the data of row ingestion, shared by client and server."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from icemelt.ingest.errors import RowError, invalid
from icemelt.ingest.json_text import to_json_text

__all__ = [
    "MOST_REJECT_BYTES",
    "REJECT_BYTES",
    "Answer",
    "Append",
    "ChannelStatus",
    "OnError",
    "Reject",
    "memory_of",
]


# measured: a table of one row and twenty columns takes 21 KiB
_OWN_BYTES, _COLUMN_BYTES = 1_024, 1_024
# the overhead of one reject, and the most bytes of an append's rejects
REJECT_BYTES, MOST_REJECT_BYTES = 512, 64 << 20


def memory_of(rows: pa.Table) -> int:
    """Return the bytes of a table of rows in memory, with the overhead of Arrow and Python objects.

    >>> memory_of(pa.table({"id": [1, 2]}))
    2064
    """
    return int(rows.nbytes + rows.num_columns * _COLUMN_BYTES) + _OWN_BYTES


class OnError(enum.Enum):
    """What an append with a bad row does (Snowpipe Streaming, *ON_ERROR*)."""

    CONTINUE = "CONTINUE"
    SKIP_BATCH = "SKIP_BATCH"
    ABORT = "ABORT"


@dataclass(frozen=True)
class Reject:
    """A row passed over by an append: the first error of the row, and the row as a JSON object.

    `row` counts from 0. `column` is None if the error is about the row as a whole.
    """

    row: int
    column: str | None
    reason: str
    data: str

    @cached_property
    def size(self) -> int:
        """Bytes of the reject as JSON text in a request; the memory is little more."""
        texts = (to_json_text(self.data), self.reason, self.column or "")
        return sum(len(text.encode()) for text in texts) + REJECT_BYTES


@dataclass(frozen=True, slots=True)
class Append:
    """The rows of one append call, and the offset tokens of the first and the last row.

    `number` counts the appends of a channel, on from the row sequencer of the channel's opening.
    `rows` are the good rows; the sender has left `bad_rows` rows out, the last one for the reason
    `last_error`. `digest` tells two appends under one number apart; the digest is empty if the
    sender never uses a number twice. `rejects` are the rows left out, if the table keeps rejected
    rows.
    """

    number: int
    rows: pa.Table
    start_offset_token: str | None = None
    end_offset_token: str | None = None
    on_error: OnError = OnError.ABORT
    bad_rows: int = 0
    last_error: str = ""
    digest: str = ""
    rejects: tuple[Reject, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the append in memory."""
        return memory_of(self.rows) + sum(reject.size for reject in self.rejects)

    @property
    def request_size(self) -> int:
        """Bytes of the append in a request, or a little less."""
        return int(self.rows.nbytes) + sum(reject.size for reject in self.rejects)


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of an append: the number of rows taken, and the reasons for refusing the rest.

    `bad_rows` counts the refused rows; of very many, `errors` has the first.
    """

    rows: int
    errors: tuple[RowError, ...] = ()
    bad_rows: int = 0


@dataclass(frozen=True, slots=True)
class ChannelStatus:
    """How far a channel is; row counts begin when the channel is opened.

    `row_sequencer` is the number of the last committed append. `is_valid` is False after the
    channel was opened elsewhere or dropped, or after the table changed: `reason` says why.
    """

    database_name: str
    schema_name: str
    table_name: str
    channel_name: str
    client_sequencer: int
    row_sequencer: int
    latest_committed_offset_token: str | None
    rows_inserted: int = 0
    rows_error: int = 0
    rows_waiting: int = 0
    last_error: str = ""
    last_error_offset_token: str | None = None
    reason: str = ""

    @property
    def is_valid(self) -> bool:
        """Whether the channel takes rows."""
        return not self.reason

    def refuse_invalid(self) -> None:
        """Raise an error unless the channel takes rows.

        Raises:
            ChannelInvalid: the channel takes no rows any more.
        """
        if self.reason:
            raise invalid(self.channel_name, self.reason)
