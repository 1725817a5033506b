"""The changes of TPC-H's queries as views: by their derivative, by both ends, and one end alone."""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from icemelt_peer import Icemelt

__all__ = ["Lake", "generate", "main"]

TABLES = "nation region part supplier partsupp customer orders lineitem"
GROWN = {"orders": "o_orderkey", "lineitem": "l_orderkey"}
APPENDS = 16
# Of so many orders one changes.
SHARES = {"0.01 %": 10_000, "0.1 %": 1_000, "1 %": 100, "10 %": 10}
MEDIANS_OF, OTHERS_OF = 3, 1
JOINED, PLANNED = 11, 20
WAYS = ("changes", "both", "one")
CHANGED = {
    "orders": "o_totalprice = o_totalprice + 1, "
    "o_orderstatus = CASE WHEN o_orderstatus = 'F' THEN 'O' ELSE 'F' END",
    "lineitem": "l_extendedprice = l_extendedprice + 1, l_quantity = l_quantity % 50 + 1, "
    "l_receiptdate = DATEADD(DAY, 1, l_receiptdate)",
}


class Lake(Icemelt):
    """TPC-H with a view for each of its queries.

    Attributes:
        most: the greatest key of an order as it was loaded.
        changes: how often orders were changed.
    """

    most = changes = 0

    def load(self, data: str) -> None:
        """Load all tables; orders and their lines as they grow, by key, in several appends."""
        spark = self.session.spark
        for table in TABLES.split():
            rows = spark.read.parquet(f"{data}/{table}.parquet")
            columns = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in rows.schema.fields)
            self.session.sql(f"CREATE TABLE {table} ({columns})")
            for number, part in enumerate(self._parts(table, rows)):
                folder = f"{data}/{table}-{number}"
                part.write.parquet(folder)
                self.session.sql(
                    f"COPY INTO {table} FROM '{folder}' FILE_FORMAT = (TYPE = PARQUET) "
                    "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
                )

    def _parts(self, table: str, rows: Any) -> list[Any]:
        key = GROWN.get(table)
        if key is None:
            return [rows.coalesce(1)]
        most = rows.selectExpr(f"max({key}) AS most").first()["most"]
        bounds = [most * number // APPENDS for number in range(APPENDS + 1)]
        return [
            rows.where(f"{key} > {low} AND {key} <= {high}").coalesce(1)
            for low, high in itertools.pairwise(bounds)
        ]

    def make_views(self, queries: str) -> list[str]:
        """Make a view of each query; return their names."""
        names = []
        for number, query in enumerate(queries.split(";\n")):
            if query.strip():
                names.append(f"q{number + 1}")
                self.session.sql(f"CREATE VIEW {names[-1]} AS {query}")
        return names

    def change(self, where: str, one_of: int) -> tuple[str, str]:
        """Change one order of so many, and its lines; return the points before and after.

        The orders that come have keys above all others, in a range of their own.
        """
        start = self.session.sql("SELECT 1").statement_id
        most, many = self.session.sql("SELECT max(o_orderkey), count(*) FROM orders").fetchall()[0]
        self.most, self.changes = self.most or most, self.changes + 1
        # of four keys one is an order's
        newest = f"> {self.most - 4 * (many // one_of)}"
        for table, key in GROWN.items():
            chosen = f"{key} {newest}" if where == "newest" else f"hash({key}) % {one_of} = 0"
            chosen += f" AND {key} <= {self.most}"
            # of those that change, one of ten goes and one of ten comes
            self.session.sql(f"DELETE FROM {table} WHERE {chosen} AND hash({key}, 1) % 10 = 0")
            self.session.sql(f"UPDATE {table} SET {CHANGED[table]} WHERE {chosen}")
            names = [row[0] for row in self.session.sql(f"DESCRIBE TABLE {table}").fetchall()]
            shown = ", ".join(
                f"{name} + {self.most * self.changes}" if name == key else name for name in names
            )
            self.session.sql(
                f"INSERT INTO {table} SELECT {shown} FROM {table} "
                f"WHERE {chosen} AND hash({key}, 1) % 10 = 1"
            )
        return start, self.session.sql("SELECT 1").statement_id

    def plannings(self) -> dict[str, float]:
        """Return the seconds until a view's changes are a DataFrame: eleven tables are joined.

        Of the tables one has changed, or all.
        """
        run = self.session.sql
        for at in range(JOINED):
            run(f"CREATE TABLE j{at} (id INT, k INT)")
            run(f"INSERT INTO j{at} SELECT seq4(), seq4() FROM TABLE(GENERATOR(ROWCOUNT => 1000))")
        joins = " ".join(f"JOIN j{at} ON j{at}.id = j{at - 1}.k" for at in range(1, JOINED))
        run(f"CREATE VIEW joined AS SELECT j0.id, j{JOINED - 1}.k FROM j0 {joins}")
        found = {}
        for name, tables in (("one", 1), ("all", JOINED)):
            start = run("SELECT 1").statement_id
            for at in range(tables):
                run(f"UPDATE j{at} SET k = k + 1 WHERE id % 100 = {at}")
            text = f"SELECT * FROM joined CHANGES AT (STATEMENT => '{start}')"
            seconds = []
            for _ in range(PLANNED):
                started = time.perf_counter()
                run(text).to_spark()
                seconds.append(time.perf_counter() - started)
            found[name] = statistics.median(seconds[len(seconds) // 2 :])
        return found

    def query(self, view: str, way: str, points: tuple[str, str]) -> str:
        """Return what one way runs."""
        start, end = points
        if way == "one":
            return f"SELECT * FROM {view} AT (STATEMENT => '{end}')"
        self.session.sql(
            f"ALTER SESSION SET VIEW_CHANGES = {'ORIGINAL' if way == 'both' else 'AUTO'}"
        )
        return (
            f"SELECT * FROM {view} CHANGES (INFORMATION => DEFAULT) "
            f"AT (STATEMENT => '{start}') END (STATEMENT => '{end}')"
        )

    def timed(self, text: str) -> tuple[float, int]:
        """Run a query to its end; return the seconds and the number of Spark's jobs."""
        scheduler = self.session.spark.sparkContext._jsc.sc().dagScheduler()
        jobs, started = scheduler.nextJobId(), time.perf_counter()
        self.session.sql(f"SELECT count(*), bitxor_agg(hash(*)) FROM ({text})").fetchall()
        return time.perf_counter() - started, scheduler.nextJobId() - jobs

    def warm_up(self, views: list[str], one_of: int) -> None:
        """Run all that is measured once: a lake's session lives for days, its JVM is warm."""
        points = self.change("newest", one_of)
        for view in views:
            for way in WAYS:
                self.timed(self.query(view, way, points))

    def explained(self, text: str) -> tuple[str, list[str]]:
        """Return which plan is taken, and all lines of EXPLAIN."""
        lines = [row[0] for row in self.session.sql(f"EXPLAIN {text}").fetchall()]
        return next(line.partition(":")[2].strip() for line in lines if "plan:" in line), lines

    def differences(self, view: str, points: tuple[str, str]) -> int:
        """Return how many changes the derivative tells otherwise than the original at both ends."""
        spark, net = self.session.spark, []
        for way in ("changes", "both"):
            rows = self.session.sql(self.query(view, way, points)).to_spark()
            values = ", ".join(f"`{name}`" for name in rows.columns if "METADATA$" not in name)
            rows.createOrReplaceTempView(f"bench_{way}")
            weight = "sum(if(`METADATA$ACTION` = 'INSERT', 1, -1))"
            text = f"SELECT {values}, {weight} FROM bench_{way} GROUP BY ALL HAVING {weight} <> 0"
            net.append(spark.createDataFrame(spark.sql(text).toArrow()))
        one, other = net
        return one.exceptAll(other).count() + other.exceptAll(one).count()


def generate(place: str, scale: str) -> str:
    """Write TPC-H's tables of a scale factor as Parquet files; return their folder."""
    data = Path(place) / f"tpch-{scale}"
    program = str(Path(sys.executable).parent / "tpchgen-cli")
    options = ["-s", scale, "--tables", TABLES.replace(" ", ","), "--output-dir", str(data)]
    subprocess.run([program, "parquet", *options], check=True, stdout=subprocess.DEVNULL)
    return str(data)


def main(  # noqa: PLR0913, PLR0917 - as on a command line
    place: str, out: str, scale: str, queries: str, wanted: str, shares: str, places: str
) -> None:
    """Measure the views of a scale factor; write a row for each view, share and place of keys."""
    lake = Lake()
    lake.load(generate(place, scale))
    views = lake.make_views(Path(queries).read_text())
    views = [each for each in views if not wanted or each in wanted.split(",")]
    lake.warm_up(views, SHARES["0.1 %"])
    rows = []
    for share in shares.split(","):
        for where in places.split(","):
            points = lake.change(where, SHARES[share])
            for view in views:
                rows.append(_measured(lake, view, points, full=share == "0.1 %"))
                rows[-1] = {"view": view, "share": share, "keys": where, **rows[-1]}
                print(rows[-1], flush=True)
    planning = lake.plannings() if scale == "1" else {}
    found = {"versions": lake.versions, "rows": rows, "planning": planning}
    Path(out).write_text(json.dumps(found, indent=1))


def _measured(lake: Lake, view: str, points: tuple[str, str], *, full: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for way in WAYS:
        text = lake.query(view, way, points)
        if full or way == "changes":
            # a plan that is new is compiled first
            lake.timed(text)
        runs = [lake.timed(text) for _ in range(MEDIANS_OF if full else OTHERS_OF)]
        found[way] = statistics.median(seconds for seconds, _ in runs)
        found[f"jobs {way}"] = runs[-1][1]
    found["plan"], _ = lake.explained(lake.query(view, "changes", points))
    found["differences"] = lake.differences(view, points) if full else 0
    return found


if __name__ == "__main__":
    tempfile.tempdir = sys.argv[1]
    main(*sys.argv[1:8])
