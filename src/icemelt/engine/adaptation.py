"""Adaptive query execution (AQE): whether Spark plans a query again after every stage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pyspark.sql import SparkSession

__all__ = ["disable_adaptive_execution"]

_ADAPTIVE = "spark.sql.adaptive.enabled"


@contextlib.contextmanager
def disable_adaptive_execution(spark: SparkSession) -> Iterator[None]:
    """Turn AQE off within the block, if Spark runs on this machine.

    The changes of a view have many small stages. With AQE every stage would be a Spark job of its
    own, followed by new planning of the rest. On a cluster AQE stays on: the statistics of a stage
    may be worth the time.
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
