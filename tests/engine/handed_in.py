"""A program that hands in a Spark with Iceberg alone, and uses icemelt's own Java in its tasks.

It calls functions of patterns, and writes CSV files.

Its arguments are the master, a lake's folder and the jar of Iceberg. A process has one Spark.
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

import icemelt

_QUERY = """SELECT REGEXP_SUBSTR(v, '[b-c]'), REGEXP_INSTR(v, '(x?)*c'), v LIKE '_%b%'
FROM t ORDER BY id"""


def main(master: str, lake: str, jar: str) -> None:
    builder = SparkSession.builder.master(master)
    settings = {
        "spark.jars": jar,
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    with icemelt.connect(lake, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t (id INT, v VARCHAR)")
        session.sql("INSERT INTO t VALUES (1, 'abc'), (2, 'abc')")
        session.sql(f"COPY INTO '{lake}-files' FROM t FILE_FORMAT = (TYPE = CSV)")
        print(json.dumps(session.sql(_QUERY).fetchall()))  # noqa: T201 - its answer
    spark.stop()


main(*sys.argv[1:])
