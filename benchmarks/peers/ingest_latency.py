"""Clients that send at a rate through the SDK, and a query that looks what is visible by then."""

from __future__ import annotations

import json
import sys
import threading
import time

from ingest_rows import query, rows

from icemelt.ingest import StreamingIngestClient

_ROWS = 10


def main(url: str, key: str, channels: int, rate: int, seconds: float) -> None:
    """Send so many rows a second over so many channels; write each row's time to be visible.

    An append has ten rows. A query runs all the time: what it counts of the appends of one second
    was visible when it came back.
    """
    sent_at: list[float] = []
    client = StreamingIngestClient(url, key)
    opened = [client.open_channel(f"c{n}", "main", "public", "t")[0] for n in range(channels)]
    batch = rows(_ROWS)
    seen: list[tuple[float, int]] = []
    is_over = threading.Event()
    reader = threading.Thread(target=watch, args=(url, key, seen, is_over))
    reader.start()
    pause = _ROWS / rate
    began = time.monotonic()
    while (now := time.monotonic()) - began < seconds:
        due = began + len(sent_at) * pause
        if now < due:
            time.sleep(due - now)
        number = len(sent_at)
        opened[number % channels].append_rows(batch, end_offset_token=str(number))
        sent_at.append(time.monotonic())
    sending = time.monotonic() - began
    client.wait_for_flush(120)
    while not seen or seen[-1][1] < len(sent_at) * _ROWS:
        time.sleep(0.05)
    is_over.set()
    reader.join()
    client.close()
    print(json.dumps({"rate": len(sent_at) * _ROWS / sending, **spread(sent_at, seen)}), flush=True)


def watch(url: str, key: str, seen: list[tuple[float, int]], is_over: threading.Event) -> None:
    """Note how many rows queries found, and when they came back."""
    while not is_over.is_set():
        count = query(url, key, "SELECT count(*) FROM t")
        seen.append((time.monotonic(), count))


def spread(sent_at: list[float], seen: list[tuple[float, int]]) -> dict[str, float]:
    """Return percentiles of how long appends took to be visible, in the order of sending."""
    waited, place = [], 0
    for moment, count in seen:
        while place < len(sent_at) and (place + 1) * _ROWS <= count:
            waited.append(moment - sent_at[place])
            place += 1
    waited.sort()
    return {
        "p50": waited[len(waited) // 2],
        "p99": waited[int(len(waited) * 0.99)],
        "queries": len(seen),
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
