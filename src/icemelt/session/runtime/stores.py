"""Files as a session's Spark reads and writes them, with Java's errors in icemelt's words."""

from __future__ import annotations

from functools import partial

from icemelt.session.runtime.spark_errors import translated
from icemelt.storage.by_location import FilesByLocation
from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.hadoop_locations import HadoopLocations
from icemelt.storage.local import LocalFiles
from icemelt.storage.store import FileStore
from icemelt.tables.iceberg import Iceberg

__all__ = ["hadoop_files", "hadoop_locations", "spark_files"]


def hadoop_files(iceberg: Iceberg) -> HadoopFiles:
    """Return the files of all locations, of this machine too, by Hadoop and the settings of now."""
    return HadoopFiles(iceberg.functions, iceberg.spark, partial(translated, iceberg.spark))


def hadoop_locations(iceberg: Iceberg) -> HadoopLocations:
    """Return what reads locations as Hadoop does."""
    return HadoopLocations(iceberg.functions, iceberg.spark)


def spark_files(iceberg: Iceberg) -> FileStore:
    """Return the files of all locations: by Python on this machine, by Hadoop elsewhere."""
    return FilesByLocation(elsewhere=hadoop_files(iceberg), here=LocalFiles())
