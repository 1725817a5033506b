"""The second act of the demonstration: consumers of streams, with a consumer killed half-way."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from icemelt.cli.demo_steps import Demo

__all__ = ["show_streams"]

_KEY = "t.time_hour = s.time_hour AND t.carrier = s.carrier AND t.flight = s.flight"
_MIRROR = f"""\
MERGE INTO mirror t USING (
  SELECT * FROM to_mirror WHERE NOT (METADATA$ACTION = 'DELETE' AND METADATA$ISUPDATE)) s
ON {_KEY}
WHEN MATCHED AND s.METADATA$ACTION = 'DELETE' THEN DELETE
WHEN MATCHED THEN UPDATE SET dep_delay = s.dep_delay
WHEN NOT MATCHED AND s.METADATA$ACTION = 'INSERT' THEN
  INSERT (time_hour, carrier, flight, dep_delay)
  VALUES (s.time_hour, s.carrier, s.flight, s.dep_delay)"""
_TOTALS = """\
MERGE INTO totals t USING (
  SELECT carrier, sum(IFF(METADATA$ACTION = 'INSERT', 1, -1)) AS flights,
    sum(IFF(METADATA$ACTION = 'INSERT', 1, -1) * COALESCE(dep_delay, 0)) AS delay
  FROM to_totals GROUP BY carrier) s
ON t.carrier = s.carrier
WHEN MATCHED THEN UPDATE SET flights = t.flights + s.flights, delay = t.delay + s.delay
WHEN NOT MATCHED THEN INSERT (carrier, flights, delay) VALUES (s.carrier, s.flights, s.delay)"""
_MIRROR_COLUMNS = "time_hour, carrier, flight, dep_delay"
_TOTAL_COLUMNS = "carrier, count(*) AS flights, sum(COALESCE(dep_delay, 0)) AS delay"


def show_streams(demo: Demo, lake: Path) -> None:
    """Show two streams on one table and a killed consumer: no row is lost or doubled."""
    november = f"AT (STATEMENT => '{demo.points['november']}')"
    with _consumer(lake) as consumer:
        _make(demo, november)
        demo.step("Consuming moves the stream in the transaction that writes", _MIRROR)
        demo.step("Another consumer, at its own pace, keeps totals for each airline", _TOTALS)
        demo.step(
            "More corrections arrive",
            "UPDATE flights SET dep_delay = dep_delay + 2 WHERE carrier = 'AS'",
        )
        _kill(demo, consumer)
    demo.step("The next consumer finds what the dead one did not commit", _MIRROR)
    demo.step("And the totals", _TOTALS)
    _prove(demo)


def _make(demo: Demo, november: str) -> None:
    """Make two tables of the state of November, and a stream from November on for each."""
    demo.session.sql(f"CREATE TABLE mirror AS SELECT {_MIRROR_COLUMNS} FROM flights {november}")
    demo.session.sql(
        f"CREATE TABLE totals AS SELECT {_TOTAL_COLUMNS} FROM flights {november} GROUP BY carrier"
    )
    demo.session.sql(f"CREATE STREAM to_totals ON TABLE flights {november}")
    demo.step(
        "A stream remembers how far a table was read; this one begins where the mirror ends",
        f"CREATE STREAM to_mirror ON TABLE flights {november}",
    )


@contextmanager
def _consumer(lake: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a consumer process; the consumer starts a Spark during the first steps."""
    command = [sys.executable, "-m", "icemelt.cli.demo_consumer", str(lake), _MIRROR]
    with subprocess.Popen(  # noqa: S603 - our own program
        command,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _kill(demo: Demo, consumer: subprocess.Popen[str]) -> None:
    """Let the consumer run a MERGE in a transaction, and kill the consumer before the commit."""
    if consumer.stdin is None or consumer.stdout is None:
        raise AssertionError(consumer)
    with demo.console.status("Another process opens the lake …"):
        consumer.stdout.readline()
    consumer.stdin.write("go\n")
    consumer.stdin.flush()
    count = consumer.stdout.readline().strip()
    demo.console.print(
        f"\n[bold]Another process consumes too: {count} rows, not committed …[/bold]"
    )
    consumer.kill()
    consumer.wait()
    demo.console.print("… and is killed with SIGKILL", style="red")
    open_one = demo.step("It holds the stream's lock until it lapses", "SHOW TRANSACTIONS")
    demo.rows(open_one, ("user", "name", "state", "locks"))
    transaction_id = open_one.fetchall()[0][0]
    demo.step(
        "Nobody needs to wait for that", f"SELECT SYSTEM$ABORT_TRANSACTION('{transaction_id}')"
    )


def _prove(demo: Demo) -> None:
    """Show that both tables equal a full recompute."""
    pairs = (
        ("mirror", _MIRROR_COLUMNS, f"SELECT {_MIRROR_COLUMNS}", "flights"),
        (
            "totals",
            "carrier, flights, delay",
            f"SELECT {_TOTAL_COLUMNS}",
            "flights GROUP BY carrier",
        ),
    )
    both = "\nUNION ALL ".join(
        f"SELECT '{name}' AS kept, count(*) AS rows_that_differ FROM (\n"
        f"  SELECT sum(weight) AS total FROM (\n"
        f"    SELECT {columns}, 1 AS weight FROM {name}\n"
        f"    UNION ALL {recomputed}, -1 FROM {source})\n"
        f"  GROUP BY {columns} HAVING total <> 0)"
        for name, columns, recomputed, source in pairs
    )
    result = demo.step("The proof: both tables are what a full recompute gives", both)
    demo.rows(result, ("kept", "rows_that_differ"))
