"""Whether Spark plans a query anew after each of its stages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pyspark.sql import SparkSession

__all__ = ["planned_once"]

_ADAPTIVE = "spark.sql.adaptive.enabled"


@contextlib.contextmanager
def planned_once(spark: SparkSession) -> Iterator[None]:
    """Have Spark plan queries once meanwhile, where it runs on this machine.

    The changes of a view have many small stages. Each would be a job of its own, after which the
    rest is planned again; on a cluster what is learned so may be worth it.
    """
    before = spark.conf.get(_ADAPTIVE)
    if before != "true" or not str(spark.sparkContext.master).startswith("local"):
        yield
        return
    spark.conf.set(_ADAPTIVE, "false")
    try:
        yield
    finally:
        spark.conf.set(_ADAPTIVE, before)
