"""The thread of a client that sends what waits: it outlives whatever becomes of the rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pytest

from icemelt.ingest.answers import Append
from icemelt.ingest.client.segments import Segment
from icemelt.ingest.client.sending import ChannelQueue, Outcome, Sender
from icemelt.ingest.errors import ChannelInvalid, invalid

ROWS = pa.table({"n": [1]})


@dataclass
class Sent:
    """Stands for the server: notes the appends that come, and takes them."""

    appends: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, segments: Sequence[Segment]) -> list[Outcome]:
        self.appends += [(each.channel_id, each.append.number) for each in segments]
        return [None for _ in segments]


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def sender(sent: Sent) -> Iterator[Sender]:
    sender = Sender(sent, 5.0, 1 << 20)
    yield sender
    sender.close()


def put(sender: Sender, sending: ChannelQueue, number: int) -> None:
    sender.enqueue(sending, Segment(sending.name, 1, Append(number, ROWS)))


def test_rows_that_are_discarded_before_they_are_sent_do_not_end_the_sending(
    sender: Sender, sent: Sent
) -> None:
    older, newer = (ChannelQueue(name, "t", queued=0, sent=0) for name in ("older", "newer"))
    put(sender, older, 1)
    # the thread has seen the append, and lingers for more
    time.sleep(0.01)
    sender.discard(older, invalid("older", "it was opened again"))
    time.sleep(0.1)
    put(sender, newer, 1)
    assert sender.drain(newer, 5)
    assert sent.appends == [("newer", 1)]
    with pytest.raises(ChannelInvalid, match="opened again"):
        sender.drain(older, 0)
