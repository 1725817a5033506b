"""Kept rows: a relation that is computed once for all its readers, when a reader first asks."""

from __future__ import annotations

from pyspark.sql import DataFrame

from icemelt.engine.resources import KeptRows, StatementResources
from icemelt.spark_java import java_class, java_frame, python_frame

__all__ = ["keep_rows"]

_FRAMES = "icemelt.spark.Frames"


def keep_rows(frame: DataFrame, resources: StatementResources) -> DataFrame:
    """Return a data frame with the rows of another one, which are computed once.

    Spark plans the relation once, and reads the kept rows, in memory or on disk, for each reader.

    Args:
        frame: the relation, analysed and not run.
        resources: drops the rows at the end of the statement.
    """
    spark = frame.sparkSession
    frames = java_class(spark, _FRAMES)
    kept = frames.keep(java_frame(frame), len(resources.kept) + 1)
    resources.kept.append(KeptRows(frame, lambda: frames.drop(kept)))
    return python_frame(spark, kept)
