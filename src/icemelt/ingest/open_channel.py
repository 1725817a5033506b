"""A channel that is open in this process: what it has taken, and how far it is committed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from icemelt.catalog.records import ChannelRecord
from icemelt.ingest.answers import Answer, Append, ChannelStatus
from icemelt.ingest.errors import IngestError
from icemelt.ingest.flush import Chunk
from icemelt.ingest.target import Target

if TYPE_CHECKING:
    from icemelt.ingest.table_writer import TableWriter

__all__ = ["OpenChannel"]

# a client that never saw the answer to an append asks again before it sends many more; the errors
# are kept of the newest answer alone
_ANSWERS = 16


@dataclass(slots=True)
class OpenChannel:
    """An open channel; `taken` appends are numbered on from those committed before.

    Its rows wait at its table's `writer`. `void` says why it takes none any more. Appends come one
    at a time: `turn` is held meanwhile.
    """

    record: ChannelRecord
    target: Target
    writer: TableWriter
    taken: int = 0
    committed: int = 0
    offset_token: str | None = None
    void: str | None = None
    rows_inserted: int = 0
    rows_error: int = 0
    rows_waiting: int = 0
    last_error: str = ""
    last_error_token: str | None = None
    turn: threading.Lock = field(default_factory=threading.Lock)
    _answers: OrderedDict[int, tuple[str, Answer]] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self.taken = self.committed = self.record.row_sequencer
        self.offset_token = self.record.offset_token

    @property
    def handle(self) -> tuple[str, int]:
        """Its id, and the client sequencer of this opening."""
        return self.record.channel_id, self.record.client_sequencer

    def refuse_void(self) -> None:
        """Let only a channel go on that is not void.

        Raises:
            ChannelInvalid: it is.
        """
        self.status().refuse_invalid()

    def answered(self, append: Append) -> Answer | None:
        """Return the answer to an append that was taken before; None for the next one.

        Raises:
            IngestError: appends before it are missing, or another one was taken under its number.
        """
        number = append.number
        if number <= self.taken:
            digest, answer = self._answers.get(number, ("", Answer(0)))
            if append.digest and append.digest != digest:
                raise IngestError(
                    f"Another append than this one was taken as number {number} of channel "
                    f"{self.record.name!r}.",
                    hint="Open the channel again, and send what comes after its committed token.",
                )
            return answer
        if number > self.taken + 1:
            raise IngestError(
                f"Append {number} of channel {self.record.name!r} came, {self.taken + 1} was "
                "expected.",
                hint="Appends of one channel are sent in order, one after the other.",
            )
        return None

    def answer(self, append: Append, answer: Answer) -> Answer:
        """Take note of an append that is dealt with, and of its answer."""
        self.taken = append.number
        self.rows_error += answer.bad_rows + append.bad_rows
        last_error = answer.errors[-1].reason if answer.errors else append.last_error
        if last_error:
            self.last_error = last_error
            self.last_error_token = append.end_offset_token
        self._keep_counts()
        self._answers[append.number] = append.digest, answer
        while len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        return answer

    def keep_last_answer(self) -> None:
        """Forget the answers that nobody asks for any more."""
        while len(self._answers) > 1:
            self._answers.popitem(last=False)
        self._keep_counts()

    def _keep_counts(self) -> None:
        """Forget the errors of the last answer: there may be a thousand of them."""
        if self._answers:
            number, (digest, answer) = self._answers.popitem()
            self._answers[number] = digest, replace(answer, errors=())

    def commit(self, chunk: Chunk) -> None:
        """Take note that the rows of an append are committed."""
        self.committed = max(self.committed, chunk.number)
        self.rows_waiting -= chunk.rows.num_rows
        self.rows_inserted += chunk.rows.num_rows
        if chunk.offset_token is not None:
            self.offset_token = chunk.offset_token

    def status(self) -> ChannelStatus:
        """Return how far it is."""
        name = self.target.name
        return ChannelStatus(
            name.database,
            name.schema,
            name.name,
            self.record.name,
            self.record.client_sequencer,
            self.committed,
            self.offset_token,
            self.rows_inserted,
            self.rows_error,
            self.rows_waiting,
            self.last_error,
            self.last_error_token,
            self.void or "",
        )
