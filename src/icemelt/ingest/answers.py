"""What clients send of rows, and what they are told: plain data of both sides of a connection."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from icemelt.ingest.errors import RowError, invalid
from icemelt.ingest.json_text import json_text

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
# of two texts and what holds them, and of all of one append
REJECT_BYTES, MOST_REJECT_BYTES = 512, 64 << 20


def memory_of(rows: pa.Table) -> int:
    """Return the bytes that rows take in memory, with what Arrow and Python keep beside the values.

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
    """A row that an append passed over: what was wrong first, and the row as a JSON object.

    `row` counts from 0; `column` None is the row as a whole.
    """

    row: int
    column: str | None
    reason: str
    data: str

    @cached_property
    def size(self) -> int:
        """Bytes that it takes as text in JSON, as it is sent; in memory it takes little else."""
        texts = (json_text(self.data), self.reason, self.column or "")
        return sum(len(text.encode()) for text in texts) + REJECT_BYTES


@dataclass(frozen=True, slots=True)
class Append:
    """The rows of one append call, and the offset tokens of the first and the last of them.

    `number` counts a channel's appends, on from the row sequencer that it had when it was opened.
    `bad_rows` were left out by its sender, the last of them for `last_error`. `digest` tells it
    from another one under its number, empty where its sender uses none twice. `rejects` are those
    rows that were left out, where the table keeps them.
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
        """Bytes that it takes in memory."""
        return memory_of(self.rows) + sum(each.size for each in self.rejects)

    @property
    def sent(self) -> int:
        """Bytes that it takes in a request, or a little less."""
        return int(self.rows.nbytes) + sum(each.size for each in self.rejects)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an append came to: how many rows were taken, and why others were not.

    `bad_rows` were not taken; of very many `errors` has the first.
    """

    rows: int
    errors: tuple[RowError, ...] = ()
    bad_rows: int = 0


@dataclass(frozen=True, slots=True)
class ChannelStatus:
    """How far a channel is; rows are counted since it was opened.

    `row_sequencer` is the number of its last append that is committed. `is_valid` is False once it
    was opened elsewhere or dropped, or its table changed: `reason` says which.
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
        """Whether it takes rows."""
        return not self.reason

    def refuse_invalid(self) -> None:
        """Let only a channel go on that takes rows.

        Raises:
            ChannelInvalid: it takes none any more.
        """
        if self.reason:
            raise invalid(self.channel_name, self.reason)
