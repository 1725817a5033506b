"""A program on a Spark of two executors of their own: prints the changes it read, as JSON.

Its arguments are a lake's folder and the jar of Iceberg. It runs by itself, since a process has one
Spark; `SPARK_HOME` is a folder in which Spark may make its workers' folders.
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

import icemelt

_HISTORY = (
    "UPDATE t SET v = 'updated' WHERE id % 50 = 0",
    "DELETE FROM t WHERE id % 50 = 1",
    """MERGE INTO t USING (SELECT 2 AS id UNION ALL SELECT 1000) q ON t.id = q.id
    WHEN MATCHED THEN UPDATE SET v = 'merged'
    WHEN NOT MATCHED THEN INSERT (id, v) VALUES (q.id, 'merged')""",
    "OPTIMIZE t",
    "INSERT INTO t VALUES (1001, 'late')",
)


def main(lake: str, jar: str) -> None:
    spark = _start(jar)
    with icemelt.connect(lake, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t (id INT, v VARCHAR)")
        for first in range(0, 200, 50):
            rows = ", ".join(f"({number}, 'old')" for number in range(first, first + 50))
            start = session.sql(f"INSERT INTO t VALUES {rows}").statement_id
        for statement in _HISTORY:
            session.sql(statement)
        read = "SELECT id, v, METADATA$ACTION, METADATA$ISUPDATE FROM t CHANGES"
        answers = {
            kind: sorted(
                session.sql(
                    f"{read} (INFORMATION => {kind}) AT (STATEMENT => '{start}')"
                ).fetchall()
            )
            for kind in ("DEFAULT", "APPEND_ONLY")
        }
        session.sql("CREATE SEQUENCE numbers")
        session.sql("CREATE TABLE numbered (id INT, n INT AUTOINCREMENT)")
        for _ in range(2):
            session.sql("INSERT INTO numbered (id) SELECT numbers.NEXTVAL FROM t")
            # rows that Spark computes as it plans, in no task
            session.sql("INSERT INTO numbered (id) SELECT numbers.NEXTVAL FROM VALUES (1), (2)")
        distinct = "SELECT COUNT(*), COUNT(DISTINCT id), COUNT(DISTINCT n) FROM numbered"
        answers["numbers"] = session.sql(distinct).fetchall()
        infos = spark._jsc.sc().statusTracker().getExecutorInfos()
        print(json.dumps({"processes": len(infos), **answers}))  # noqa: T201 - its answer
    spark.stop()


def _start(jar: str) -> SparkSession:
    extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    settings = {
        "spark.jars": jar,
        "spark.sql.extensions": extensions,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main(*sys.argv[1:])
