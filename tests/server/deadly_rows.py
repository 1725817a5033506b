"""`icemelt`, whose Java is killed whenever it is about to be given a row that says so.

As a program: `python deadly_rows.py serve LAKE …`. So it is where rows are more than Java can hold.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow.compute as pc
from pyspark import SparkContext

from icemelt.cli.main import main
from icemelt.ingest.writer import flush

__all__ = ["DEADLY"]

DEADLY = "deadly"


def kill_java_at_deadly_rows() -> None:
    append_rows = flush.append_rows

    def trapped(iceberg: Any, place: Any, metadata: Any, rows: Any) -> None:
        if pc.any(pc.equal(rows["channel"], DEADLY)).as_py():
            context: Any = SparkContext
            context._gateway.proc.kill()
            context._gateway.proc.wait()
        append_rows(iceberg, place, metadata, rows)

    flush.append_rows = trapped  # type: ignore[assignment]


if __name__ == "__main__":
    kill_java_at_deadly_rows()
    sys.exit(main())
