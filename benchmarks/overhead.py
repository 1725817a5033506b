"""What a statement costs over `spark.sql` of the same text on the same table."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import icemelt

__all__ = ["run"]

_REPEATS = 15


def run() -> list[dict[str, Any]]:
    """Return one row for each statement: both medians and the difference, in milliseconds."""
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="2g") as session:
        session.sql("CREATE TABLE t (id INT, v INT)")
        session.sql("INSERT INTO t SELECT 1, 1")
        spark = session.spark
        plain = "icemelt.plain.t"
        core = session._core
        core.iceberg.register(("plain",), "t", core.table(_name("t")).known)
        rows = []
        for name, statement in {
            "SELECT": "SELECT * FROM {t} WHERE id = 1",
            "INSERT": "INSERT INTO {t} SELECT 2, 2",
            "UPDATE": "UPDATE {t} SET v = 3 WHERE id = 1",
        }.items():
            ours = _median(lambda s=statement: session.sql(s.format(t="t")).fetchall())
            theirs = _median(lambda s=statement: spark.sql(s.format(t=plain)).collect())
            rows.append(
                {
                    "statement": name,
                    "icemelt ms": round(ours, 1),
                    "spark.sql ms": round(theirs, 1),
                    "overhead ms": round(ours - theirs, 1),
                }
            )
        return rows


def _name(name: str) -> Any:
    from icemelt.names import ObjectName

    return ObjectName((name,))


def _median(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times[3:])
