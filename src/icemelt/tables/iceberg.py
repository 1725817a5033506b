"""Iceberg's Java API as one Spark session sees it, in bulk calls through py4j.

Statements run in a private in-memory Iceberg catalog of the session, in which an identifier is a
pointer to a metadata file and nothing else. A read pins a pointer. A write moves a private copy of
the pointer, which is published elsewhere. The Java classes are of the pinned Iceberg release.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from icemelt.file_modes import umask_in
from icemelt.quoting import quote
from icemelt.spark_java import (
    java_class,
    java_context,
    java_gateway,
    java_session,
)
from icemelt.storage.by_location import FilesByLocation
from icemelt.storage.iceberg_files import IcebergFiles
from icemelt.storage.local import LocalFiles
from icemelt.storage.locations import local_path
from icemelt.storage.store import FileStore
from icemelt.tables.jvm_functions import JvmFunctions, functions_of
from icemelt.tables.lru_cache import WeightedLRUCache
from icemelt.tables.metadata.document import TableMetadata, parse_metadata
from icemelt.tables.unreadable import reading_file

__all__ = ["CATALOG", "Iceberg", "clearing", "connect_iceberg", "folder_of"]

CATALOG = "icemelt"
STAGED_CATALOG = "icemelt_staged"
# characters of metadata files, which take ten times that as objects, and data files
_CACHED_METADATA, _CACHED_FILES = 16 << 20, 20_000
_PLAIN = ".metadata.json"
_COMPRESSED = (".gz.metadata.json", ".metadata.json.gz")
_PINS = "pins"
_RESTORE = "Restore the file from a backup; other tables are not affected."
# no statement needs as many; each keeps some objects of both languages
_MOST_PINS = 10_000
_MANIFEST_THREADS = "iceberg.scan.plan-in-worker-pool"
# Iceberg copies the whole configuration for every Parquet file opened, one task after the other:
# most of its thousand settings are YARN's, and copying them takes as long as reading a small file
_FILE_SETTINGS = ("dfs.", "fs.", "hadoop.", "io.")
_CATALOGS = "icemelt.spark.SessionCatalogs"


@dataclass(slots=True)
class Iceberg:
    """The session's Iceberg catalog.

    Args:
        spark: the Spark session.
        java: Iceberg's `InMemoryCatalog`.
        pointers: the catalog's pointers, a Java map from an identifier to a metadata file.
        io: Iceberg's `FileIO`.
        functions: functions that run inside the JVM.
        cores: the number of tasks that run at once.
        steps: the changes made by snapshots, a cache of `ManifestReader`.
        files: the files of tables, and others beside these, by location.
    """

    spark: SparkSession
    java: Any
    pointers: Any
    io: Any
    functions: JvmFunctions
    cores: int
    # what snapshots did, by their ids; `ManifestReader` reads it
    steps: WeightedLRUCache[tuple[int, int | None, int], Any] = field(
        default_factory=lambda: WeightedLRUCache(_CACHED_FILES)
    )
    _metadata: WeightedLRUCache[str, TableMetadata] = field(
        default_factory=lambda: WeightedLRUCache(_CACHED_METADATA)
    )
    # what this session has registered in its catalog, by namespace and name
    _names: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    # the namespaces that Java knows too, which only a new table needs
    _namespaces: set[tuple[str, ...]] = field(default_factory=set)
    _keep_all_rows: Any = None
    _lock: Lock = field(default_factory=Lock)
    _pins: WeightedLRUCache[str, str] = field(init=False)
    files: FileStore = field(init=False)

    def __post_init__(self) -> None:
        """Forget the oldest pins when there are too many; open the files of tables."""
        self._pins = WeightedLRUCache(_MOST_PINS, partial(self.forget_table, (_PINS,)))
        elsewhere = IcebergFiles(self.functions, self.io, self.spark)
        self.files = FilesByLocation(elsewhere, here=LocalFiles())

    def java_class(self, class_name: str) -> Any:
        """Return a class of Iceberg's by its name below `org.apache.iceberg`."""
        return self.functions.java_class(f"org.apache.iceberg.{class_name}")

    @property
    def keep_all_rows(self) -> Any:
        """Iceberg's `ResidualEvaluator` that filters no row out, made once."""
        if self._keep_all_rows is None:
            always = self.java_class("expressions.Expressions").alwaysTrue()
            evaluators = self.java_class("expressions.ResidualEvaluator")
            self._keep_all_rows = evaluators.unpartitioned(always)
        return self._keep_all_rows

    def metadata(self, location: str) -> TableMetadata:
        """Return the content of a metadata file. The file never changes, so the content is cached.

        Raises:
            FileDamaged: the file is missing or not readable.
        """
        known = self._metadata.get(location)
        if known is not None:
            return known
        with reading_file(f"Metadata file {location!r}", hint=_RESTORE):
            text = _local_text(location)
            if text is None:
                parser = self.java_class("TableMetadataParser")
                text = parser.toJson(parser.read(self.io, location))
            return self.cache_metadata(location, text)

    def properties(self, location: str) -> Mapping[str, str]:
        """Return the properties in a metadata file, of a table or a view.

        Raises:
            FileDamaged: the file is missing or not readable.
        """
        with reading_file(f"Metadata file {location!r}", hint="Restore it, or remove it."):
            content = self.files.read(location)
            if location.endswith(_COMPRESSED):
                content = gzip.decompress(content)
            properties: Mapping[str, str] = json.loads(content)["properties"]
        return properties

    def cache_metadata(self, location: str, text: str) -> TableMetadata:
        """Parse and cache a metadata file's JSON that is at hand already."""
        metadata = parse_metadata(text, location)
        self._metadata.keep(location, metadata, min(len(text), _CACHED_METADATA))
        return metadata

    def pin(self, location: str) -> str:
        """Return a relation (Spark SQL) that reads a metadata file's current snapshot.

        The relation never changes, and exists until many others were asked for since.
        """
        file = location.rsplit("/", 1)[-1].removesuffix(_PLAIN).replace(".", "-")
        name = f"{folder_of(location)}-{file}"
        is_known = self._pins.get(name) is not None
        self.register((_PINS,), name, location)
        if not is_known:
            self._pins.keep(name, name)
        return relation((_PINS,), name)

    def register(self, namespace: Sequence[str], name: str, location: str) -> None:
        """Let an identifier point to a metadata file, unless the identifier exists.

        Args:
            namespace: the identifier's namespace.
            name: the identifier's name.
            location: the metadata file.
        """
        with self._lock:
            if name in self._names.get(tuple(namespace), ()):
                return
            identifier = self._identifier(namespace, name)
            if self._is_readable(location):
                self.pointers.put(identifier, location)
            else:
                self._create_namespace(namespace)
                self._register_unread(identifier, location)
            self._names.setdefault(tuple(namespace), {})[name] = identifier

    def forget(self, namespace: Sequence[str]) -> None:
        """Remove a namespace and its identifiers; no file is removed."""
        with clearing(), self._lock:
            names = self._names.get(tuple(namespace), {})
            while names:
                _, identifier = names.popitem()
                self.java.dropTable(identifier, False)  # noqa: FBT003 - Java has no keywords
            self._names.pop(tuple(namespace), None)
            if tuple(namespace) in self._namespaces:
                self._namespaces.remove(tuple(namespace))
                self.java.dropNamespace(self._namespace(namespace))

    def forget_table(self, namespace: Sequence[str], name: str) -> None:
        """Remove one identifier; no file is removed."""
        with self._lock:
            identifier = self._names[tuple(namespace)].pop(name)
            self.java.dropTable(identifier, False)  # noqa: FBT003 - Java has no keywords

    def table(self, namespace: Sequence[str], name: str) -> Any:
        """Return Iceberg's `Table` of a registered identifier."""
        return self.java.loadTable(self._names[tuple(namespace)][name])

    def current(self, namespace: Sequence[str], name: str) -> TableMetadata:
        """Return the metadata that an identifier points to now, as written by this process."""
        location: str = self.pointers[self._names[tuple(namespace)][name]]
        known = self._metadata.get(location)
        if known is not None:
            return known
        text = _local_text(location)
        if text is None:
            # Java has read it: not once more from far away
            metadata = self.table(namespace, name).operations().current()
            location = metadata.metadataFileLocation()
            text = self.java_class("TableMetadataParser").toJson(metadata)
        return self.cache_metadata(location, text)

    def create(
        self,
        namespace: Sequence[str],
        name: str,
        definition: Mapping[str, Any],
        location: str,
    ) -> TableMetadata:
        """Create a table and return its metadata.

        Args:
            namespace: the table's namespace.
            name: the table's name.
            definition: `schema`, `spec` and `properties`, as Iceberg's JSON.
            location: the table's folder.
        """
        schema = self.java_class("SchemaParser").fromJson(json.dumps(definition["schema"]))
        identifier = self._identifier(namespace, name)
        self._create_namespace(namespace)
        builder = self.java.buildTable(identifier, schema)
        properties = self.functions.java_class("java.util.HashMap")()
        properties.putAll(dict(definition["properties"]))
        builder = builder.withLocation(location).withProperties(properties)
        if definition.get("spec") is not None:
            spec = self.java_class("PartitionSpecParser").fromJson(
                schema, json.dumps(definition["spec"])
            )
            builder = builder.withPartitionSpec(spec)
        builder.create()
        self._names.setdefault(tuple(namespace), {})[name] = identifier
        return self.current(namespace, name)

    def detached_table(
        self, metadata: TableMetadata, fields: Sequence[Mapping[str, Any]] = ()
    ) -> Any:
        """Return a `Table` fixed to one metadata file, whatever is committed later.

        `fields` are added to the table's schemas: scans then show these fields beside the rows.
        """
        static = self.java_class("StaticTableOperations")
        if metadata.has_tightened_columns or fields:
            document = metadata.relax_columns()
            document["schemas"] = [
                {**schema, "fields": [*schema["fields"], *fields]} for schema in document["schemas"]
            ]
            text = json.dumps(document)
            parsed = self.java_class("TableMetadataParser").fromJson(metadata.location, text)
            return self.java_class("BaseTable")(static(parsed, self.io), metadata.table_uuid)
        operations = static(metadata.location, self.io)
        return self.java_class("BaseTable")(operations, metadata.table_uuid)

    def _is_readable(self, location: str) -> bool:
        """Return whether a metadata file of this machine is there, and was read before."""
        path = local_path(location)
        if path is None or self._metadata.get(location) is None:
            return False
        return Path(path).is_file()

    def _register_unread(self, identifier: Any, location: str) -> None:
        """Let an identifier point to a metadata file that Java reads first.

        Raises:
            FileDamaged: the file is missing or not readable.
        """
        with reading_file(f"Metadata file {location!r}", hint=_RESTORE):
            self.java.registerTable(identifier, location)

    def _identifier(self, namespace: Sequence[str], name: str) -> Any:
        """Return Iceberg's `TableIdentifier`: names in this catalog are icemelt's, without dots."""
        return self.java_class("catalog.TableIdentifier").parse(".".join((*namespace, name)))

    def _create_namespace(self, namespace: Sequence[str]) -> None:
        """Create a namespace in Java's catalog, unless the namespace is there."""
        if tuple(namespace) not in self._namespaces:
            self.java.createNamespace(self._namespace(namespace))
            self._namespaces.add(tuple(namespace))

    def _namespace(self, namespace: Sequence[str]) -> Any:
        parse = self.java_class("catalog.TableIdentifier").parse
        return parse(".".join((*namespace, "_"))).namespace()


def connect_iceberg(spark: SparkSession, warehouse: str) -> Iceberg:
    """Give a Spark session its private Iceberg catalogs: of tables, and of staged scans."""
    functions = functions_of(java_gateway(spark))
    folder = local_path(warehouse)
    if folder is not None:
        _read_manifests_in_turn(functions)
    prefix = f"spark.sql.catalog.{CATALOG}"
    settings = {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
        f"{prefix}.warehouse": warehouse,
        f"{prefix}.cache-enabled": "false",
        f"spark.sql.catalog.{STAGED_CATALOG}": "org.apache.iceberg.spark.SparkRewriteTableCatalog",
    }
    is_local = java_context(spark).isLocal()
    prefixes = _FILE_SETTINGS if is_local else ()
    # the access modes of the user, or of the group that owns the warehouse
    umask = None if folder is None else f"{umask_in(Path(folder)):03o}"
    opened = java_class(spark, _CATALOGS).open(
        java_session(spark), CATALOG, json.dumps(settings), json.dumps(prefixes), umask, is_local
    )
    cores = spark.sparkContext.defaultParallelism
    return Iceberg(spark, opened.get(0), opened.get(1), opened.get(2), functions, cores)


def _read_manifests_in_turn(functions: JvmFunctions) -> None:
    """Let a scan be planned in its own thread: local manifests take 2 ms each.

    With more threads Iceberg polls for their results every 10 ms, and a query plans each of its
    scans. The whole process has one setting; a setting that is there already stays.
    """
    system = functions.java_class("java.lang.System")
    if system.getProperty(_MANIFEST_THREADS) is None:
        system.setProperty(_MANIFEST_THREADS, "false")


@contextmanager
def clearing() -> Iterator[None]:
    """Clear something in Java's memory, and ignore that Java is gone: its memory is gone, too.

    A published transaction must not fail for this reason afterwards.
    """
    try:
        yield
    except Py4JJavaError:
        raise
    except (Py4JError, OSError, EOFError):
        return


def folder_of(location: str) -> str:
    """Return the end of a table's folder, of the location of one of its metadata files.

    >>> folder_of("/lake/main/public/t-0a1b/metadata/00001.metadata.json")
    't-0a1b'
    """
    most = 36
    folder = location.rsplit("/", 3)[-3] if location.count("/") > 2 else ""  # noqa: PLR2004
    return folder[-most:]


def relation(namespace: Sequence[str], name: str) -> str:
    """Return an identifier of the session's catalog in Spark SQL.

    >>> relation(("pins",), "a")
    '`icemelt`.`pins`.`a`'
    """
    return ".".join(quote(part) for part in (CATALOG, *namespace, name))


def _local_text(location: str) -> str | None:
    """Return the text of a metadata file of this machine, None if Java has to read the file.

    Longer texts take the JVM's socket 40 ms (Nagle's algorithm).
    """
    path = local_path(location)
    return None if path is None or path.endswith(_COMPRESSED) else Path(path).read_text("utf-8")
