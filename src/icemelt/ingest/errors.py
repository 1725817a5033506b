"""The errors of row ingestion; the tree of all other errors is in `icemelt.errors`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.errors import CatalogError, IcemeltError

__all__ = [
    "CLOSED",
    "OPENED_AGAIN",
    "ChannelInvalid",
    "ChannelOwned",
    "ChannelTaken",
    "IngestBusy",
    "IngestError",
    "MalformedRows",
    "RowError",
    "RowsRefused",
    "ServerAway",
    "TableRefused",
    "TokenRefused",
    "TooLarge",
    "TooManyChannels",
    "Unauthorized",
    "invalid",
    "may_pass",
]


# the reasons for refusing an older handle, and a closed handle
OPENED_AGAIN, CLOSED = "it was opened again", "it was closed"


@dataclass(frozen=True, slots=True)
class RowError:
    """The reason for refusing a row of an append; `row` counts from 0.

    `column` is None if the reason is about the row as a whole.
    """

    row: int
    column: str | None
    reason: str


class IngestError(IcemeltError):
    """A channel does not take rows."""

    code = "ingest"
    errno = 1800
    sqlstate = "55000"


class TableRefused(IngestError):
    """Rows cannot be ingested into a table of this kind."""

    code = "table-refused"
    errno = 1801
    sqlstate = "42809"


class TooManyChannels(IngestError):
    """A table has as many channels as are allowed, or a key has as many channels or tables."""

    code = "too-many-channels"
    errno = 1802
    sqlstate = "54000"


class ChannelInvalid(IngestError):
    """The channel was opened elsewhere or dropped, or the table changed; waiting rows are lost.

    Open the channel again, and send the rows after the last committed offset token.
    """

    code = "channel-invalid"
    errno = 1803
    sqlstate = "55000"


class ChannelTaken(ChannelInvalid):
    """The channel was opened again, here or elsewhere: the newest opening writes the channel now.

    Two programs that both open a channel again after this error keep each other from writing.
    """

    code = "channel-taken"
    errno = 1804
    sqlstate = "55006"


class ChannelOwned(IngestError):
    """The channel was opened by another key in force: only the other key may drop the channel."""

    code = "channel-owned"
    errno = 1805
    sqlstate = "42501"


def invalid(name: str, reason: str) -> ChannelInvalid:
    """Return the error of a channel that takes no more rows, with the reason."""
    kind = ChannelTaken if reason == OPENED_AGAIN else ChannelInvalid
    return kind(
        f"Channel {name!r} is invalid: {reason}. What it had not committed was discarded.",
        hint="Open it again, and send what comes after its committed offset token.",
    )


class RowsRefused(IngestError):
    """An append with ABORT has bad rows; `errors` has a reason for every bad row."""

    code = "rows-refused"
    errno = 1806
    sqlstate = "22000"

    def __init__(self, errors: Sequence[RowError]) -> None:
        """Make the message from the first error."""
        first = errors[0]
        column = "" if first.column is None else f", column {first.column!r}"
        super().__init__(
            f"Row {first.row}{column}: {first.reason}",
            hint="None of these rows was taken. Mend them, or open the channel with "
            "on_error='CONTINUE'.",
        )
        self.errors = tuple(errors)


class TokenRefused(IngestError):
    """An offset token is not a text, or not a text every catalog stores."""

    code = "token-refused"
    errno = 1807
    sqlstate = "22023"


class MalformedRows(IngestError):
    """The data sent are no rows: broken JSON, a line without an object, a column met twice."""

    code = "malformed-rows"
    errno = 1808
    sqlstate = "22P04"


class TooLarge(IngestError):
    """A request is larger than the server takes."""

    code = "too-large"
    errno = 1809
    sqlstate = "54000"


class Unauthorized(IngestError):
    """The request has no key in force."""

    code = "unauthorized"
    errno = 1810
    sqlstate = "28000"


class ServerAway(IngestError):
    """The server does not answer."""

    code = "server-away"
    errno = 1811
    sqlstate = "08006"
    retryable = True


class IngestBusy(IngestError):
    """As many rows wait to be written as are allowed."""

    code = "ingest-busy"
    errno = 1812
    sqlstate = "53000"
    retryable = True


def may_pass(error: BaseException) -> bool:
    """Tell whether the request that failed with `error` may succeed when sent again.

    >>> may_pass(ServerAway("The server does not answer.", hint=""))
    True
    >>> may_pass(Unauthorized("The key is not in force.", hint=""))
    False
    """
    return isinstance(error, IcemeltError) and (error.retryable or isinstance(error, CatalogError))
