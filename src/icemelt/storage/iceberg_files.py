"""Files of a lake in a store elsewhere, through the file access of Iceberg's tables."""

from __future__ import annotations

import io as python_io
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.java_streams import SHOWN, Java, JavaSink, JavaStream
from icemelt.storage.store import ByteSink, StoredFile

__all__ = ["IcebergFiles"]

_FILE = "org.apache.iceberg.io.FileInfo"


class IcebergFiles:
    """A `FileStore` of what Iceberg's `FileIO` reaches.

    Args:
        java: Java's classes.
        io: Iceberg's `FileIO`, with operations on prefixes.
        spark: the session whose Hadoop lists folders, if it has a connector: Iceberg knows files
            alone.
    """

    def __init__(self, java: Java, io: Any, spark: SparkSession) -> None:
        self._java, self._io, self._spark = java, io, spark

    def list_files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files in a folder and in all folders below, asked of Java in few calls."""
        listed = self._listed(folder)
        names = self._java.strings(listed, (_FILE, "location"))
        sizes = self._java.strings(listed, (_FILE, "size"), SHOWN)
        times = self._java.strings(listed, (_FILE, "createdAtMillis"), SHOWN)
        for name, size, time in zip(names, sizes, times, strict=True):
            yield StoredFile(name, int(size), int(time))

    def list_folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, none of a missing folder.

        Without a connector of Hadoop's for the store they are those of all files below.
        """
        try:
            return HadoopFiles(self._java, self._spark).list_folders(folder)
        except Py4JJavaError:
            below = self._java.strings(self._listed(folder), (_FILE, "location"))
            start = len(_prefix(folder))
            return sorted({name[start:].partition("/")[0] for name in below if "/" in name[start:]})

    def count_files(self, folder: str) -> int:
        """Return how many files are in a folder and in all folders below."""
        return int(self._listed(folder).size())

    def open(self, location: str) -> JavaStream:
        """Open a file for reading."""
        return JavaStream(self._io.newInputFile(location).newStream())

    def read(self, location: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `offset` on; all of them for None."""
        with closing(self.open(location)) as file:
            file.stream.seek(offset)
            return file.read(-1 if size is None else size)

    @contextmanager
    def create(self, location: str) -> Iterator[ByteSink]:
        """Collect a file's bytes in memory; write the file after the block, and not if it fails."""
        content = python_io.BytesIO()
        yield content
        self.write(location, content.getvalue())

    def write(self, location: str, content: bytes) -> None:
        """Write a whole file, new or replaced."""
        stream = self._io.newOutputFile(location).createOrOverwrite()
        try:
            JavaSink(stream).write(content)
        finally:
            stream.close()

    def remove_file(self, location: str) -> None:
        """Remove a file."""
        self._io.deleteFile(location)

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with everything in it."""
        self._io.deletePrefix(_prefix(folder))

    def _listed(self, folder: str) -> Any:
        return self._java.to_list(self._io.listPrefix(_prefix(folder)))


def _prefix(folder: str) -> str:
    """Return the beginning of the locations in a folder, and of no other folder's."""
    return f"{folder.rstrip('/')}/"
