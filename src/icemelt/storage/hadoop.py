"""Files of any store that Spark reads, through Hadoop's file systems."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

from pyspark.sql import SparkSession

from icemelt.spark_java import hadoop_configuration
from icemelt.storage.java_streams import Java, JavaSink, JavaStream
from icemelt.storage.store import FolderEntry, NothingThere, StoredFile

__all__ = ["HadoopFiles"]

_PATH = "org.apache.hadoop.fs.Path"
_CODECS = "org.apache.hadoop.io.compress.CompressionCodecFactory"
# as Spark's readers unpack: Hadoop's own codec needs a native library, which Spark comes without
_ZSTD_ENDING, _ZSTD = ".zst", "com.github.luben.zstd.ZstdInputStream"
_LISTING = "icemelt.spark.FileListing"
# as many as an object store gives in one answer: a cancel is heard between two pages
_FILES_A_PAGE = 1_000
# of a page: the length of a text; size and time
_LENGTH, _NUMBERS = struct.Struct(">i"), struct.Struct(">qq")


class HadoopFiles:
    """A `FileStore` of all locations that Hadoop knows, with the session's settings of now.

    Args:
        java: Java's classes.
        spark: the session whose settings are used, from the first call on.
        errors: a context in which every call of Java runs, and which may raise Java's errors as
            other errors.
    """

    def __init__(
        self,
        java: Java,
        spark: SparkSession,
        errors: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._java, self._spark, self._errors = java, spark, errors
        self._settings: Any = None

    def exists(self, location: str) -> bool:
        """Tell whether a file or a folder is at a location."""
        with self._errors():
            system, path = self._at(location)
            return bool(system.exists(path))

    def is_file(self, location: str) -> bool:
        """Tell whether a file is at a location where something is."""
        with self._errors():
            system, path = self._at(location)
            return bool(system.getFileStatus(path).isFile())

    def find_file(self, location: str) -> StoredFile:
        """Return the file at a location.

        Raises:
            NothingThere: there is nothing, or a folder.
        """
        with self._errors():
            system, path = self._at(location)
            if not system.exists(path) or not (status := system.getFileStatus(path)).isFile():
                raise NothingThere(location)
            return self._file(status)

    def list_folder(self, folder: str) -> list[FolderEntry]:
        """Return the files and folders in a folder that exists."""
        with self._errors():
            system, path = self._at(folder)
            page = bytes(self._listing().folder(system, path))
            return [
                FolderEntry(file.path, file.size, is_folder) for file, is_folder in _read_page(page)
            ]

    def list_folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, none of a missing folder."""
        if not self.exists(folder):
            return []
        return [entry.name for entry in self.list_folder(folder) if entry.is_folder]

    def list_files(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files in a folder and in all folders below, none of a missing folder."""
        with self._errors():
            system, path = self._at(folder)
            if system.exists(path):
                yield from self._files_at(system, system.getFileStatus(path))

    def list_matching(self, location: str) -> Iterator[StoredFile]:
        """Yield the file at a location, the files of a folder, or those that match a pattern.

        Raises:
            NothingThere: there is nothing.
        """
        with self._errors():
            system, path = self._at(location)
            if system.exists(path):
                roots = [system.getFileStatus(path)]
            else:
                roots = list(system.globStatus(path) or ())
            if not roots:
                raise NothingThere(location)
            for root in roots:
                yield from self._files_at(system, root)

    def count_files(self, folder: str) -> int:
        """Return how many files are in a folder and in all folders below."""
        return sum(1 for _ in self.list_files(folder))

    def open(self, location: str) -> JavaStream:
        """Open a file for reading."""
        with self._errors():
            system, path = self._at(location)
            return JavaStream(system.open(path))

    def open_unpacked(self, location: str) -> JavaStream:
        """Open a file for reading, unpacked where the ending of its name is a compression's."""
        with self._errors():
            stream = self.open(location).stream
            if location.endswith(_ZSTD_ENDING):
                return JavaStream(self._java.java_class(_ZSTD)(stream))
            path = self._java.java_class(_PATH)(location)
            codec = self._java.java_class(_CODECS)(self._configuration()).getCodec(path)
            return JavaStream(stream if codec is None else codec.createInputStream(stream))

    def read(self, location: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `offset` on; all of them for None."""
        with self._errors(), closing(self.open(location)) as file:
            if offset:
                file.stream.seek(offset)
            return file.read(-1 if size is None else size)

    @contextmanager
    def create(self, location: str) -> Iterator[JavaSink]:
        """Open a file for writing, new or replaced, in a folder that is made if missing."""
        with self._errors():
            system, path = self._at(location)
            stream = system.create(path)
            try:
                yield JavaSink(stream)
            finally:
                stream.close()

    def write(self, location: str, content: bytes) -> None:
        """Write a whole file, as `create` does."""
        with self.create(location) as sink:
            sink.write(content)

    def remove_file(self, location: str) -> None:
        """Remove a file."""
        with self._errors():
            system, path = self._at(location)
            system.delete(path, False)  # noqa: FBT003 - Java has no keywords

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with everything in it."""
        with self._errors():
            system, path = self._at(folder)
            system.delete(path, True)  # noqa: FBT003 - Java has no keywords

    def move_folder(self, folder: str, target: str) -> bool:
        """Move a folder to a path where nothing is; tell whether the store has done so.

        Missing folders on the way are made. Where a folder is at the path, Hadoop would move the
        folder into that one.
        """
        with self._errors():
            system, path = self._at(folder)
            _, target_path = self._at(target)
            system.mkdirs(target_path.getParent())
            return bool(system.rename(path, target_path))

    def remove_empty_folder(self, folder: str) -> bool:
        """Remove a folder in which nothing is; tell whether there is no such folder any more."""
        with self._errors():
            system, path = self._at(folder)
            if not system.exists(path):
                return True
            if len(system.listStatus(path)):
                return False
            return bool(system.delete(path, False))  # noqa: FBT003 - Java has no keywords

    def _files_at(self, system: Any, root: Any) -> Iterator[StoredFile]:
        """Yield a file, or the files in a folder and in all folders below, a page in each call."""
        if not root.isDirectory():
            yield self._file(root)
            return
        listed = system.listFiles(root.getPath(), True)  # noqa: FBT003 - Java has no keywords
        while page := bytes(self._listing().nextPage(listed, _FILES_A_PAGE)):
            yield from (file for file, _ in _read_page(page))

    def _file(self, status: Any) -> StoredFile:
        ((file, _),) = _read_page(bytes(self._listing().file(status)))
        return file

    def _listing(self) -> Any:
        return self._java.java_class(_LISTING)

    def _at(self, location: str) -> tuple[Any, Any]:
        """Return Hadoop's file system of a location, and Hadoop's `Path`."""
        path = self._java.java_class(_PATH)(location)
        return path.getFileSystem(self._configuration()), path

    def _configuration(self) -> Any:
        if self._settings is None:
            self._settings = hadoop_configuration(self._spark)
        return self._settings


def _read_page(page: bytes) -> Iterator[tuple[StoredFile, bool]]:
    r"""Give the files of a page of Java's, and of each whether it is a folder.

    >>> page = b"\0\0\0\1a" + (7).to_bytes(8) + (9).to_bytes(8) + b"\0\0\0\1e" + b"\0"
    >>> list(_read_page(page))
    [(StoredFile(path='a', size=7, modified_at=9, etag='e', obstacle='', is_link=False), False)]
    """
    at = 0
    while at < len(page):
        path, at = _read_text(page, at)
        size, modified_at = _NUMBERS.unpack_from(page, at)
        etag, at = _read_text(page, at + _NUMBERS.size)
        yield StoredFile(path, size, modified_at, etag), bool(page[at])
        at += 1


def _read_text(page: bytes, at: int) -> tuple[str, int]:
    """Return the text at a place of a page, and the place after the text."""
    (length,) = _LENGTH.unpack_from(page, at)
    start = at + _LENGTH.size
    return page[start : start + length].decode(), start + length
