"""Processes that are forked of a program with Spark, to be killed: Java lives on in the program."""

from __future__ import annotations

import threading
from typing import Any

from pyspark.sql import SparkSession

__all__ = ["connect_anew"]

_KEPT: list[Any] = []


def connect_anew(spark: SparkSession) -> None:
    """Give a forked process connections to Java of its own: its parent goes on with the others."""
    client: Any = spark.sparkContext._gateway._gateway_client
    inherited = list(client.deque), client.thread_connection
    client.deque.clear()
    client.thread_connection = threading.local()
    # what is closed here would be closed for the parent
    _KEPT.append(inherited)
