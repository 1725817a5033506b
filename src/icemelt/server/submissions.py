"""A submission: one or several statements of a client, with status and outcome."""

from __future__ import annotations

import sys
import time
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.publishing import taken_id_error
from icemelt.errors import (
    IcemeltError,
    NotYet,
    SqlSyntaxError,
    StatementCancelled,
)
from icemelt.ingest.errors import TooLarge
from icemelt.jobs import Job
from icemelt.server.pages import Pages
from icemelt.session import Session
from icemelt.sql.parse import split_with_offsets

__all__ = [
    "DONE",
    "Submission",
    "SubmissionRun",
    "SubmittedStatement",
    "is_part_id",
    "parts_of",
    "size_of",
]

DONE = frozenset({"succeeded", "failed", "cancelled"})
_MOST_PARTS = 1_000
# the longest text, also Snowflake's limit; the tree of a longer text takes gigabytes
_LONGEST_TEXT = 1_000_000
# tokens are parsed, resolved and rendered in Python: some seconds for so many
_MOST_TOKENS = 200_000
# nested values included; a statement has no placeholders for more
_MOST_VALUES = _MOST_TOKENS
# the characters kept of the text, and of the error, of an ended submission
_KEPT_TEXT = 1_000
_KEPT_ERROR = 8_192
# RFC 9562 leaves ids of version 8 to applications; the version begins at the bit
_PART_VERSION, _VERSION_BIT = 8, 76
# the bytes kept of an ended submission, of every statement, and of every column
_OWN_BYTES, _PART_BYTES, _COLUMN_BYTES = 2_048, 512, 256


@dataclass(frozen=True, slots=True)
class Submission:
    """A client's request to run one statement, or a script, in a session of its own.

    `statement_id` is the id of the first statement; a statement with the id is never run twice.
    """

    statement_id: str
    text: str
    parameters: list[Any] | dict[str, Any] | None = None
    database: str | None = None
    schema: str | None = None
    timezone: str | None = None
    timeout: float | None = None


@dataclass(slots=True)
class SubmittedStatement:
    """One statement of a submission, with status and outcome."""

    statement_id: str
    text: str
    status: str = "waiting"
    rowcount: int | None = None
    notice: str | None = None


@dataclass(slots=True, eq=False)
class SubmissionRun:
    """A submission under way, or done; `pages` has the rows of the last statement.

    - `timeout`: the seconds of running after which the submission is cancelled.
    - `reason`: the reason for a cancel, empty for a cancel by the client.
    - `size`: the bytes kept of the submission.
    - `began`: the time of submission; `started`: the time when the run began.
    - `job`: runs the submission; a cancelled submission may be done while the job still runs.
    - `spark`: the number of the Spark that the submission ran on, None for none.
    """

    submission: Submission
    owner: KeyRecord
    parts: list[SubmittedStatement]
    timeout: float | None = None
    size: int = 0
    status: str = "waiting"
    error: IcemeltError | None = None
    pages: Pages | None = None
    reason: str = ""
    is_cancelled: bool = False
    is_forgotten: bool = False
    is_revoked: bool = False
    spark: int | None = None
    job: Job | None = None
    began: float = field(default_factory=time.time)
    started: float | None = None
    ended_at: float = 0.0
    session: Session | None = None

    @property
    def is_done(self) -> bool:
        """Whether the submission has its final status."""
        return self.status in DONE

    def require_owner(self, owner: KeyRecord) -> SubmissionRun:
        """Return the submission itself if a key submitted it.

        Raises:
            ObjectExists: another key did.
        """
        if self.owner.key_id != owner.key_id:
            raise taken_id_error(self.submission.statement_id)
        return self

    def end(self, status: str, error: IcemeltError | None = None) -> None:
        """Note the end of the submission; an end noted before stays."""
        if self.is_done:
            return
        if self.reason and isinstance(error, StatementCancelled):
            error = StatementCancelled(
                f"The statement was cancelled: {self.reason}.", hint=error.hint
            )
        if error is not None:
            # release the frames of the traceback: the frames hold the statement's tokens
            error.with_traceback(None)
            error.__cause__ = error.__context__ = None
        for part in self.parts:
            part.status = {"running": status, "waiting": "not run"}.get(part.status, part.status)
        self.session, self.error, self.ended_at = None, error, time.monotonic()
        self._let_go()
        self.status = status

    def _let_go(self) -> None:
        """Drop the client's data from an ended submission, but for the data in its status."""
        text = self.submission.text[:_KEPT_TEXT]
        self.submission = replace(self.submission, text=text, parameters=None)
        for part in self.parts:
            part.text = ""
        if self.error is not None:
            self.error.message = self.error.message[:_KEPT_ERROR]
            self.error.hint = self.error.hint[:_KEPT_ERROR]
            self.error.args = (self.error.message,)
            if isinstance(self.error, SqlSyntaxError):
                self.error.text = ""
        columns = () if self.pages is None else self.pages.columns
        text_bytes = sum(
            sys.getsizeof(column.name) + sys.getsizeof(column.type) for column in columns
        )
        text_bytes += sum(sys.getsizeof(part.notice) for part in self.parts)
        text_bytes += 0 if self.error is None else sys.getsizeof(self.error.message)
        parts = len(self.parts) * _PART_BYTES
        self.size = (
            _OWN_BYTES + sys.getsizeof(text) + parts + len(columns) * _COLUMN_BYTES + text_bytes
        )


def size_of(submission: Submission) -> int:
    """Return the bytes of memory for a submission until its end, statements included.

    Raises:
        TooLarge: the submission has too many parameters, nested parameters counted.

    >>> size_of(Submission("id", "SELECT 1")) < 1_000
    True
    """
    size, values = 2 * sys.getsizeof(submission.text), [submission.parameters]
    count = 0
    while values:
        value = values.pop()
        size += sys.getsizeof(value)
        more = value if isinstance(value, list) else ()
        if isinstance(value, dict):
            more = [*value.keys(), *value.values()]
        count += len(more)
        if count > _MOST_VALUES:
            raise TooLarge(
                f"The parameters are more than {_MOST_VALUES:,} values, as many as may be.",
                hint="Many rows go through a channel, or COPY INTO.",
            )
        values.extend(more)
    return size


def parts_of(submission: Submission) -> list[SubmittedStatement]:
    """Return the statements with their ids: the first has the submission's own id.

    The ids of the others follow from the first, so a submission sent again, also to another server,
    finds what was run. Everybody can compute them from the history, but nobody may submit them.

    Raises:
        SqlSyntaxError: the text has no statement, or the end of a statement is unclear.
        TooLarge: there are too many statements, or their text is too long.
        NotYet: there are several statements, and parameters.
    """
    if len(submission.text) > _LONGEST_TEXT:
        raise TooLarge(
            f"The statements have {len(submission.text):,} characters, "
            f"{_LONGEST_TEXT:,} are as many as may be.",
            hint="Pass values as parameters; many rows go through a channel, or COPY INTO.",
        )
    statements = split_with_offsets(submission.text)
    tokens = sum(statement.tokens for statement in statements)
    if tokens > _MOST_TOKENS:
        raise TooLarge(
            f"The statements have {tokens:,} words and signs, {_MOST_TOKENS:,} are as many as may "
            "be.",
            hint="Pass values as parameters; many rows go through a channel, or COPY INTO.",
        )
    texts = [statement.text for statement in statements] or [submission.text]
    if len(texts) > _MOST_PARTS:
        raise TooLarge(
            f"The request has {len(texts):,} statements, {_MOST_PARTS:,} are as many as may be.",
            hint="Send them in several requests; many rows go into one INSERT, or a channel.",
        )
    if len(texts) > 1 and submission.parameters is not None:
        raise NotYet(
            "Parameters go with one statement, and the request has several.",
            hint="Send each in a request of its own, or write the values.",
        )
    first = uuid.UUID(submission.statement_id)
    ids = [submission.statement_id, *(str(_part_id(first, n)) for n in range(1, len(texts)))]
    return [
        SubmittedStatement(statement_id, text)
        for statement_id, text in zip(ids, texts, strict=True)
    ]


def is_part_id(statement_id: uuid.UUID) -> bool:
    """Tell whether an id is one of those that `parts_of` gives to later statements of a script.

    >>> is_part_id(_part_id(uuid.uuid4(), 1)), is_part_id(uuid.uuid4())
    (True, False)
    """
    return statement_id.version == _PART_VERSION


def _part_id(first: uuid.UUID, number: int) -> uuid.UUID:
    """Return the id of a script's later statement: the hash of `uuid5`, under another version."""
    hashed = uuid.uuid5(first, str(number))
    return uuid.UUID(int=hashed.int ^ ((5 ^ _PART_VERSION) << _VERSION_BIT))
