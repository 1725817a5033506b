"""What the version and time beside a change cost, and a redo log of many versions."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable

from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_ROWS, _CHANGED = 2_000_000, 200_000
_VERSIONS, _EACH = 1_000, 100
_WARM_UP, _ROUNDS = 8, 7
_WITH_LIMIT, _WITHOUT_LIMIT, _LOG_LIMIT = 1.15, 1.05, 3.0
_COMPACTED = ", after OPTIMIZE"
_GENERATED = "SELECT SEQ8() AS id, 'value ' || SEQ8() AS v FROM TABLE(GENERATOR(ROWCOUNT => {}))"


def run() -> Outcome:
    """Measure both, each reading all that it gives."""
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="3g") as session:
        rows, targets = _streams(session)
        for name, change in (("inserts", _insert), ("updates", _update)):
            of_logs, ratios = _logs(session, name, change)
            rows += of_logs
            targets += ratios
    return Outcome(rows, targets)


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw the seconds of each query."""
    names = [row["query"] for row in outcome.rows][::-1]
    axes.barh(names, [row["seconds"] for row in outcome.rows][::-1])
    axes.set_xlabel("seconds")
    axes.set_title("Commit columns, and redo logs of many versions")


def _streams(session: icemelt.Session) -> tuple[list[dict[str, object]], list[Target]]:
    session.sql(f"CREATE TABLE t AS {_GENERATED.format(_ROWS)}")
    session.sql("CREATE STREAM snow ON TABLE t")
    properties = "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    session.sql(f"CREATE TABLE STREAM sing ON TABLE t {properties}")
    session.sql(f"UPDATE t SET v = upper(v) WHERE id < {_CHANGED}")
    session.sql(f"DELETE FROM t WHERE id BETWEEN {_ROWS - _CHANGED} AND {_ROWS}")
    session.sql(f"INSERT INTO t {_GENERATED.format(_CHANGED)}")
    queries = {
        "a stream": "SELECT id, v, METADATA$ACTION, METADATA$ISUPDATE FROM snow",
        "a table stream, __change_type alone": "SELECT __change_type, id, v FROM sing",
        "a table stream, all columns": "SELECT * FROM sing",
    }
    taken: dict[str, list[float]] = {name: [] for name in queries}
    for _ in range(_WARM_UP + _ROUNDS):
        for name, query in queries.items():
            taken[name].append(_read(session, query))
    medians = {name: statistics.median(times[_WARM_UP:]) for name, times in taken.items()}
    plain, without, whole = medians.values()
    rows: list[dict[str, object]] = [
        {"query": name, "seconds": seconds, "first": taken[name][0]}
        for name, seconds in medians.items()
    ]
    says = "a table stream {} its commit columns: times a stream"
    return rows, [
        Target(says.format("without"), without / plain, _WITHOUT_LIMIT),
        Target(says.format("with"), whole / plain, _WITH_LIMIT),
    ]


def _logs(
    session: icemelt.Session, name: str, change: Callable[[icemelt.Session, str, int, int], None]
) -> tuple[list[dict[str, object]], list[Target]]:
    """Read the logs of many small versions, and those of one that is as large as all of them.

    Those of many are read once more after the table is compacted, and beside its own rows.
    """
    rows: list[dict[str, object]] = []
    medians: dict[str, float] = {}

    def timed(shown: str, query: str) -> None:
        times = [_read(session, query) for _ in range(_WARM_UP + _ROUNDS)]
        medians[shown] = statistics.median(times[_WARM_UP:])
        rows.append({"query": shown, "seconds": medians[shown], "first": times[0]})

    says = f"REDO_LOG of {{}}, {{:,}} versions of {{:,}} {name}{{}}"
    for versions in (_VERSIONS, 1):
        table = f"{name}_{versions}"
        made = session.sql(f"CREATE TABLE {table} AS {_GENERATED.format(_VERSIONS * _EACH)}")
        session.sql(f"CREATE VIEW of_{table} AS SELECT id + 1 AS next, v FROM {table} WHERE id > 0")
        each = _VERSIONS * _EACH // versions
        for number in range(versions):
            change(session, table, number * each, each)
        log = f"CHANGES (INFORMATION => REDO_LOG) AT (STATEMENT => '{made.statement_id}')"
        for when in ("", _COMPACTED) if versions > 1 else ("",):
            if when:
                session.sql(f"OPTIMIZE {table}")
            for source, of in ((table, "a table"), (f"of_{table}", "a view")):
                shown = says.format(of, versions, each, when)
                timed(shown, f"SELECT * FROM {source} {log}")
            if versions > 1:
                timed(f"the table itself, after those {name}{when}", f"SELECT * FROM {table}")
    return rows, [
        Target(
            f"{many}: times one version",
            medians[many] / medians[says.format(of, 1, _VERSIONS * _EACH, "")],
            _LOG_LIMIT,
        )
        for when in ("", _COMPACTED)
        for of in ("a table", "a view")
        for many in (says.format(of, _VERSIONS, _EACH, when),)
    ]


def _insert(session: icemelt.Session, table: str, _first: int, count: int) -> None:
    session.sql(f"INSERT INTO {table} {_GENERATED.format(count)}")


def _update(session: icemelt.Session, table: str, first: int, count: int) -> None:
    session.sql(f"UPDATE {table} SET v = v || '!' WHERE id BETWEEN {first} AND {first + count - 1}")


def _read(session: icemelt.Session, query: str) -> float:
    """Return how many seconds a query takes, from its text to the last row in the executors."""
    started = time.perf_counter()
    frame = session.sql(query).to_spark()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - started


EXPERIMENT = Experiment(
    "commits",
    f"What do the version and the time beside each change cost, in a STANDARD read of "
    f"{3 * _CHANGED:,} changes of a table of {_ROWS:,} rows? And what does a redo log cost of "
    f"{_VERSIONS:,} versions of {_EACH} rows, beside that of one version of as many, before and "
    f"after the small files are compacted? Each query is read {_WARM_UP + _ROUNDS} times by one "
    f"process: the seconds are the median of the last {_ROUNDS}, `first` is the first of all.",
    run,
    draw,
)
