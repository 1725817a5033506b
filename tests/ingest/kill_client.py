"""A client as the tutorial tells to write one: it goes on after the committed token.

As a program: `python kill_client.py URL KEY CHANNEL,… GOAL`. Each channel's rows are numbered, and
their token is the number of the last; it ends when all are committed.
"""

from __future__ import annotations

import sys
import time

from icemelt.errors import IcemeltError
from icemelt.ingest import Channel, ChannelInvalid, StreamingIngestClient

WHERE = ("main", "public", "t")
PER_APPEND = 5


def main(url: str, key: str, names: list[str], goal: int) -> None:
    """Write rows 0 to `goal` into each channel."""
    client = StreamingIngestClient(url, key, patience=120)
    channels = {name: opened(client, name) for name in names}
    while any(next_row < goal for _, next_row in channels.values()):
        for name, (channel, next_row) in channels.items():
            if next_row >= goal:
                continue
            numbers = range(next_row, min(goal, next_row + PER_APPEND))
            rows = [{"channel": name, "n": number} for number in numbers]
            try:
                channel.append_rows(rows, end_offset_token=str(numbers[-1]))
                channels[name] = channel, numbers[-1] + 1
            except ChannelInvalid:
                channels[name] = opened(client, name)
        if min(next_row for _, next_row in channels.values()) >= goal:
            channels = {name: settled(client, name, *each) for name, each in channels.items()}
        time.sleep(0.01)


def opened(client: StreamingIngestClient, name: str) -> tuple[Channel, int]:
    """Open a channel; return the number of its next row."""
    while True:
        try:
            channel, status = client.open_channel(name, *WHERE)
        except IcemeltError:
            time.sleep(0.2)
        else:
            token = status.latest_committed_offset_token
            return channel, 0 if token is None else int(token) + 1


def settled(
    client: StreamingIngestClient, name: str, channel: Channel, next_row: int
) -> tuple[Channel, int]:
    """Wait until all is committed; else go on after what is."""
    try:
        channel.wait_for_flush(120)
    except IcemeltError:
        return opened(client, name)
    return channel, next_row


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3].split(","), int(sys.argv[4]))
