"""A delta of ten million rows, read with two gibibytes of heap for driver and executor together."""

from __future__ import annotations

import resource
import tempfile
import time

from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_SIZES = (100_000, 1_000_000, 10_000_000)
_HEAP = "2g"
_KIBIBYTES = 1 << 10
_PYTHON_LIMIT = 256


def run() -> Outcome:
    """Update every row of tables, and read all that changed."""
    rows = []
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory=_HEAP) as session:
        for size in _SIZES:
            session.sql("CREATE OR REPLACE TABLE t (id INT, name VARCHAR, x DOUBLE)")
            loaded = session.sql(
                "INSERT INTO t SELECT id, 'name ' || id, id / 7 FROM "
                f"(SELECT SEQ8() AS id FROM TABLE(GENERATOR(ROWCOUNT => {size})))"
            ).statement_id
            session.sql("UPDATE t SET x = x + 1")
            started = time.perf_counter()
            frame = session.sql(
                f"SELECT * FROM t CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{loaded}')"
            ).to_spark()
            frame.write.format("noop").mode("overwrite").save()
            took = time.perf_counter() - started
            rows.append(
                {
                    "rows updated": size,
                    "rows read": frame.count(),
                    "seconds": round(took, 2),
                    "Python's peak, MiB": _python_peak(),
                }
            )
    last = rows[-1]
    targets = [
        Target("rows read for each row updated", last["rows read"] / _SIZES[-1], 2, at_least=True),
        Target("Python's peak, MiB", last["Python's peak, MiB"], _PYTHON_LIMIT),
    ]
    return Outcome(rows, targets)


def _python_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _KIBIBYTES


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw the seconds by the size of the delta."""
    axes.plot(_SIZES, [row["seconds"] for row in outcome.rows], marker="o")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rows updated (log)")
    axes.set_ylabel("seconds to read the changes (log)")
    axes.set_title("A delta that is far larger than the driver's memory allows to collect")


EXPERIMENT = Experiment(
    "memory",
    "Every row of a table is updated; both images of every row are read, all columns, in a Spark "
    "whose driver and executor share two gibibytes of heap. Python's own memory must not grow with "
    "the delta: no row passes through it.",
    run,
    draw,
)
