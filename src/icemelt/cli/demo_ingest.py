"""The third act of the demonstration: flights land one by one, a board of totals follows."""

from __future__ import annotations

import csv
import time
from typing import TYPE_CHECKING

from icemelt.jobs import do_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from icemelt.cli.demo_steps import Demo
    from icemelt.ingest import Channel, StreamingIngestClient

__all__ = ["show_channels"]

_CREATE = """\
CREATE TABLE landed (line INT, carrier VARCHAR(2), flight INT, arr_delay INT)"""
_BOARD = "CREATE TABLE board (carrier VARCHAR(2), flights INT, late INT)"
_STREAM = "CREATE STREAM to_board ON TABLE landed APPEND_ONLY = TRUE"
_TOTALS = "carrier, count(*) AS flights, count_if(arr_delay > 15) AS late"
_MERGE = f"""\
MERGE INTO board b USING (SELECT {_TOTALS} FROM to_board GROUP BY carrier) s
ON b.carrier = s.carrier
WHEN MATCHED THEN UPDATE SET flights = b.flights + s.flights, late = b.late + s.late
WHEN NOT MATCHED THEN INSERT (carrier, flights, late) VALUES (s.carrier, s.flights, s.late)"""
# as the flights of a day land within some seconds
_PAUSE, _CRASH_AT = 0.005, 0.5

Row = dict[str, str]


def show_channels(demo: Demo) -> None:
    """Show a channel after a sender's crash, the next sender, and a stream on the table."""
    demo.step("What lands goes into a table", _CREATE)
    demo.step("A board has the totals of each airline", _BOARD)
    demo.step("A stream feeds it", _STREAM)
    with (demo.staged / "2013-12-31.csv").open() as file:
        flights = [_row(line, row) for line, row in enumerate(csv.DictReader(file), start=1)]
    with demo.session.ingest_client() as client:
        demo.console.print("\n[bold]Flights land one by one; the sender crashes half-way …[/bold]")
        first, _ = client.open_channel("tower", "main", "public", "landed")
        crash = round(len(flights) * _CRASH_AT)
        _send(demo, first, flights[:crash])
        _send_the_rest(demo, client, flights)
    demo.step("The last of them", _MERGE)
    _prove(demo)


def _row(line: int, flight: Row) -> Row:
    """Return a flight at its landing, with values as text, like a line of a log."""
    row = {"line": str(line), "carrier": flight["carrier"], "flight": flight["flight"]}
    # a cancelled flight has no delay
    return row | ({"arr_delay": flight["arr_delay"]} if flight["arr_delay"] else {})


def _send_the_rest(demo: Demo, client: StreamingIngestClient, flights: Sequence[Row]) -> None:
    """Open the channel again, and go on after the committed rows."""
    second, status = client.open_channel("tower", "main", "public", "landed")
    token = status.latest_committed_offset_token
    demo.console.print(
        f"[bold]The next sender asks how far the table is: line {token}, and goes on there[/bold]"
    )
    _send(demo, second, flights[int(token or 0) :])
    second.wait_for_flush()


def _send(demo: Demo, channel: Channel, flights: Sequence[Row]) -> None:
    """Send flights, with line numbers as offset tokens, and update the board meanwhile."""

    def send() -> None:
        for flight in flights:
            channel.append_row(flight, flight["line"])
            time.sleep(_PAUSE)  # flights land one by one

    sender = do_once("icemelt-demo", send).start()
    while sender.is_alive():
        sender.join(1)
        demo.session.sql(_MERGE)
        [(seen, late)] = demo.session.sql("SELECT sum(flights), sum(late) FROM board").fetchall()
        demo.console.print(
            f"  committed to line {channel.get_latest_committed_offset_token()}; "
            f"on the board {seen or 0} flights, {late or 0} late",
            highlight=False,
        )


def _prove(demo: Demo) -> None:
    """Show that every line landed once, and that the board equals a recompute."""
    result = demo.step(
        "The proof: every line is there once, and the board is what a recompute gives",
        "SELECT count(*) AS landed, count(*) - count(DISTINCT line) AS doubled,\n"
        "  max(line) - count(DISTINCT line) AS lost,\n"
        f"  (SELECT count(*) FROM (SELECT * FROM board EXCEPT\n"
        f"    SELECT {_TOTALS} FROM landed GROUP BY carrier)) AS rows_that_differ\n"
        "FROM landed",
    )
    demo.rows(result, ("landed", "doubled", "lost", "rows_that_differ"))
