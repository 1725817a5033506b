"""Files as a session's Spark reads and writes them, with Java's errors in icemelt's words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from icemelt.session.runtime.path_policy import PathPolicy
from icemelt.session.runtime.spark_errors import translated
from icemelt.storage.by_location import FilesByLocation
from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.hadoop_locations import HadoopLocations
from icemelt.storage.local import LocalFiles
from icemelt.storage.places import PlaceChecks, PlaceFiles, ResolvedPath, open_place
from icemelt.storage.store import FileStore
from icemelt.tables.iceberg import Iceberg

__all__ = ["hadoop_files", "hadoop_locations", "open_named_place", "spark_files"]


def hadoop_files(iceberg: Iceberg) -> HadoopFiles:
    """Return the files of all locations, of this machine too, by Hadoop and the settings of now."""
    return HadoopFiles(iceberg.functions, iceberg.spark, partial(translated, iceberg.spark))


def hadoop_locations(iceberg: Iceberg) -> HadoopLocations:
    """Return what reads locations as Hadoop does."""
    return HadoopLocations(iceberg.functions, iceberg.spark)


def open_named_place(
    iceberg: Iceberg, location: str, reach: PathPolicy, raise_if_cancelled: Callable[[], None]
) -> tuple[ResolvedPath, PlaceFiles]:
    """Return a place that a statement names, and the place's files.

    Args:
        iceberg: the connection to Iceberg, and through it to Hadoop.
        location: the location in the statement.
        reach: which paths the session may name.
        raise_if_cancelled: raises where the statement was cancelled.

    Raises:
        FileRefused: the session may not name the place, or the location is none.
    """
    hadoop = hadoop_locations(iceberg)
    place = reach.resolve(location, hadoop)
    validate = partial(reach.validate_inside, given=place.given, hadoop=hadoop)
    checks = PlaceChecks(validate, raise_if_cancelled)
    return place, open_place(place, hadoop_files(iceberg), checks)


def spark_files(iceberg: Iceberg) -> FileStore:
    """Return the files of all locations: by Python on this machine, by Hadoop elsewhere."""
    return FilesByLocation(elsewhere=hadoop_files(iceberg), here=LocalFiles())
