"""Planning queries of many queries in WITH, and joins of views: seconds by their number."""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT", "chain", "twice"]

SIZES = (5, 10, 20, 40, 80)
_LARGEST = {"chain": 200, "twice": 60, "joins": 10}
_LIMIT, _REPEATS = 1.5, 3
# longer ones are not asked for more queries
_PATIENCE = 30.0
_TABLES = 10
# 80 CTEs for 5 may take so many times as long: linear times the logarithm
_MOST_GROWTH = 80 / 5 * math.log(80) / math.log(5)
_LEVELS = (
    "SELECT * FROM {below} WHERE v > -{at}",
    "SELECT id, g, v + 1 AS v FROM {below}",
    "SELECT id, MAX(g) AS g, SUM(v) AS v FROM {below} GROUP BY id",
)


def run() -> Outcome:
    """Plan each query as a SELECT, as a view and as the changes of the view; nothing is fetched."""
    rows: list[dict[str, Any]] = []
    with icemelt.connect(
        tempfile.mkdtemp(), master="local[2]", memory="3g", maintain_every=None
    ) as session:
        for table in ("t", *(f"t{at}" for at in range(_TABLES + 1))):
            session.sql(f"CREATE TABLE {table} (id INT, g INT, v INT)")
            session.sql(f"INSERT INTO {table} VALUES (1, 1, 1), (2, 1, 2), (3, 2, NULL)")
        start = session.sql("SELECT COUNT(*) FROM t").statement_id
        for table in ("t", "t0"):
            session.sql(f"INSERT INTO {table} VALUES (4, 2, 4)")
        _make_joined_views(session)
        for kind, write in _KINDS.items():
            rows += _rows_of(session, kind, write, start or "")
    return Outcome(rows, list(_targets(rows)))


def chain(number: int) -> str:
    """Return a query of CTEs, each a filter, a projection or a group of the one before.

    >>> chain(1)
    'WITH c0 AS (SELECT * FROM t), c1 AS (SELECT id, g, v + 1 AS v FROM c0) SELECT * FROM c1'
    """
    levels = [
        f"c{at} AS ({_LEVELS[at % len(_LEVELS)].format(below=f'c{at - 1}', at=at)})"
        for at in range(1, number + 1)
    ]
    return f"WITH {', '.join(['c0 AS (SELECT * FROM t)', *levels])} SELECT * FROM c{number}"


def twice(number: int) -> str:
    """Return a query of CTEs, each a join of the one before with itself.

    >>> twice(0)
    'WITH c0 AS (SELECT * FROM t) SELECT * FROM c0'
    """
    levels = [
        f"c{at} AS (SELECT a.id, b.g, a.v FROM c{at - 1} a JOIN c{at - 1} b ON a.id = b.id)"
        for at in range(1, number + 1)
    ]
    return f"WITH {', '.join(['c0 AS (SELECT * FROM t)', *levels])} SELECT * FROM c{number}"


def _joins(number: int) -> str:
    return _join([f"v{at}" for at in range(number)])


def _join(names: list[str]) -> str:
    first, *others = names
    joined = "".join(f" JOIN {name} ON {name}.id = {first}.id" for name in others)
    added = " + ".join(f"{name}.v" for name in names)
    return f"SELECT {first}.id, {first}.g, {added} AS v FROM {first}{joined}"


_KINDS: dict[str, Callable[[int], str]] = {"chain": chain, "twice": twice, "joins": _joins}


def _make_joined_views(session: icemelt.Session) -> None:
    for at in range(_TABLES):
        names = [f"t{(at + each) % (_TABLES + 1)}" for each in range(_TABLES + 1)]
        session.sql(f"CREATE VIEW v{at} AS {_join(names)}")


def _rows_of(
    session: icemelt.Session, kind: str, write: Callable[[int], str], start: str
) -> Iterator[dict[str, Any]]:
    """Yield the seconds of each statement, by the number of queries."""
    sizes = sorted({*(size for size in SIZES if size < _LARGEST[kind]), _LARGEST[kind]})
    missed: set[str] = set()
    for size in sizes:
        query, view = write(size), f"{kind}_{size}"
        row: dict[str, Any] = {"queries": kind, "number": size}
        statements = {
            "SELECT": query,
            "EXPLAIN": f"EXPLAIN {query}",
            "CREATE VIEW": f"CREATE OR REPLACE VIEW {view} AS {query}",
            "SELECT of the view": f"SELECT * FROM {view}",
            "CHANGES": f"SELECT * FROM {view} CHANGES (INFORMATION => DEFAULT) "
            f"AT (STATEMENT => '{start}')",
            "CREATE STREAM": f"CREATE OR REPLACE STREAM s_{view} ON VIEW {view}",
        }
        for name, statement in statements.items():
            seconds = math.inf if name in missed else _seconds(session, statement)
            if seconds > _PATIENCE:
                missed.add(name)
            row[f"{name}, s"] = round(seconds, 3)
        yield row


def _seconds(session: icemelt.Session, statement: str) -> float:
    """Return how long a statement takes without its rows, infinite for one that is refused."""
    times = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        try:
            with session.sql(statement):
                times.append(time.perf_counter() - started)
        except icemelt.IcemeltError as error:
            print(f"  {statement[:60]}…: {error}")
            return math.inf
        if times[0] > _PATIENCE:
            break
    return statistics.median(times)


def _targets(rows: list[dict[str, Any]]) -> Iterator[Target]:
    for kind in _KINDS:
        own = {row["number"]: row for row in rows if row["queries"] == kind}
        for name in [key for key in own[min(own)] if key.endswith(", s")]:
            largest = own[_LARGEST[kind]]
            yield Target(f"{name.removesuffix(', s')} of {kind} {_LARGEST[kind]}, seconds",
                         largest[name], _LIMIT)  # fmt: skip
            if SIZES[-1] in own:
                growth = own[SIZES[-1]][name] / own[SIZES[0]][name]
                yield Target(f"{name.removesuffix(', s')} of {kind}, 80 for 5", growth,
                             _MOST_GROWTH)  # fmt: skip


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw a line for each kind of queries, of SELECT and of changes."""
    for kind in _KINDS:
        own = [row for row in outcome.rows if row["queries"] == kind]
        for name, line in (("SELECT, s", "-"), ("CHANGES, s", "--")):
            points = [(row["number"], row[name]) for row in own if math.isfinite(row[name])]
            if points:
                axes.plot(*zip(*points, strict=True), line, marker="o", label=f"{kind}: {name}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("queries in WITH, or views joined (log)")
    axes.set_ylabel("seconds to plan (log)")
    axes.set_title("Planning queries over one another")
    axes.legend()


EXPERIMENT = Experiment(
    "ctes",
    "Queries of 5 to 200 queries in WITH: a chain, each a filter, a projection or a group of the "
    "one before, and each joined with itself; and joins of views of ten joins. How long does it "
    "take to plan them as a SELECT, as a view, and as the changes of the view? Nothing is fetched; "
    "medians of three, the first one included.",
    run,
    draw,
)
