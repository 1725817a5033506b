"""How Hadoop reads a location: the path and the store behind the location's text."""

from __future__ import annotations

import os
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from icemelt.spark_java import hadoop_configuration
from icemelt.storage.java_streams import Java
from icemelt.storage.locations import no_location_error

__all__ = ["HadoopLocations"]

_VIEW_FS_CLASS = "org.apache.hadoop.fs.viewfs.ViewFileSystem"


class HadoopLocations:
    """Locations as Hadoop reads them: `#` and `?` are plain characters, `..` is resolved."""

    def __init__(self, java: Java, spark: SparkSession) -> None:
        self._java, self._spark = java, spark
        self._path_class: Any = java.java_class("org.apache.hadoop.fs.Path")
        self._forms: dict[str, str] = {}
        self._views: dict[str, Any] = {}

    def form(self, location: str) -> str:
        """Return a location in Hadoop's own spelling, which Hadoop reads as the same location.

        Raises:
            FileRefused: Hadoop cannot read the location.
        """
        if location in self._forms:
            return self._forms[location]
        try:
            read = str(self._path_class(location).toString())
            again = str(self._path_class(read).toString())
        except (PySparkException, Py4JJavaError) as error:
            raise no_location_error(location) from error
        if again != read:
            raise no_location_error(location)
        self._forms[location] = read
        return read

    def on_this_machine(self, location: str) -> str | None:
        """Return the local path behind a location of Hadoop's ViewFS, None for any other location.

        Raises:
            FileRefused: the store of the location cannot be reached.
        """
        try:
            path, missing = self._path_class(location), list[str]()
            view = self._view(path)
            if view is None:
                return None
            while not view.exists(path):
                missing.insert(0, str(path.getName()))
                path = path.getParent()
            uri = view.resolvePath(path).toUri()
        except (PySparkException, Py4JJavaError) as error:
            raise no_location_error(location) from error
        if uri.getScheme() != "file":
            return None
        return os.path.realpath("/".join([str(uri.getPath()), *missing]))

    def _view(self, path: Any) -> Any:
        """Return the file system of a path, or None if the file system is no ViewFS.

        A ViewFS shows the files of other stores.
        """
        uri = path.toUri()
        store = f"{uri.getScheme()}://{uri.getAuthority()}"
        if store not in self._views:
            conf = hadoop_configuration(self._spark)
            system = path.getFileSystem(conf)
            is_view = self._java.load_class(_VIEW_FS_CLASS).isInstance(system)
            self._views[store] = system if is_view else None
        return self._views[store]
