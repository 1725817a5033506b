"""Commits that Spark SQL does not make: those of engines that write through Iceberg's Java API."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from icemelt.tables.jvm_functions import JvmFunctions

__all__ = ["ForeignWriter"]

Values = Mapping[str, Any]


@dataclass(frozen=True)
class ForeignWriter:
    """Writes one unpartitioned table in the Spark session of a foreign engine."""

    spark: SparkSession
    name: str = "icemelt.main.public.t"

    @property
    def functions(self) -> JvmFunctions:
        return JvmFunctions(self.spark._jvm, self.spark.sparkContext._gateway)

    def table(self) -> Any:
        """Return Iceberg's `Table`, as it is now."""
        # Spark looks a catalog up for the first time in the settings of the session that is active
        self.spark.table(self.name)
        util = self._iceberg("spark.Spark3Util")
        return util.loadIcebergTable(self.spark._jsparkSession, self.name)

    def delete_equal(self, rows: Sequence[Values]) -> None:
        """Delete the rows that are equal to one of `rows` in its columns (all have the same)."""
        table = self.table()
        table.newRowDelta().addDeletes(self._equality_deletes(table, rows)).commit()

    def upsert(self, rows: Sequence[Values], key: str) -> None:
        """Delete what has a key of `rows` and add `rows`, in one commit, as Flink does."""
        table = self.table()
        deletes = self._equality_deletes(table, [{key: row[key]} for row in rows])
        added = self.data_file(table, rows)
        table.newRowDelta().addDeletes(deletes).addRows(added).commit()

    def rewrite_without_ids(self, rows: Sequence[Values]) -> None:
        """Compact all data files into one of `rows`, which have no row ids in it."""
        table = self.table()
        files = self.data_files(table)
        old = self.functions.java_class("java.util.HashSet")(files)
        new = self.functions.java_class("java.util.HashSet")([self.data_file(table, rows)])
        table.newRewrite().rewriteFiles(old, new).commit()

    def overwrite_without_ids(self, rows: Sequence[Values]) -> None:
        """Replace all data files by one of `rows`: an UPDATE by an engine that keeps no ids."""
        table = self.table()
        overwrite = table.newOverwrite()
        for file in self.data_files(table):
            overwrite.deleteFile(file)
        overwrite.addFile(self.data_file(table, rows)).commit()

    def data_files(self, table: Any) -> list[Any]:
        """Return the data files of the current snapshot."""
        tasks = self.functions.elements(table.newScan().planFiles())
        return [task.file() for task in tasks]

    def data_file(self, table: Any, rows: Sequence[Values]) -> Any:
        """Write a data file of rows that have no row ids, and return it uncommitted."""
        writer = self._writers(table).build().newDataWriter(self._file(table), table.spec(), None)
        for row in rows:
            writer.write(self._record(table.schema(), row))
        writer.close()
        return writer.toDataFile()

    def _equality_deletes(self, table: Any, rows: Sequence[Values]) -> Any:
        schema = table.schema().select(list(rows[0]))
        ids = [field.fieldId() for field in self.functions.elements(schema.columns())]
        java_ids = self.functions.gateway.new_array(self.spark._jvm.int, len(ids))
        for index, field_id in enumerate(ids):
            java_ids[index] = field_id
        factory = self._writers(table).equalityFieldIds(java_ids).equalityDeleteRowSchema(schema)
        file = self._file(table)
        writer = factory.build().newEqualityDeleteWriter(file, table.spec(), None)
        for row in rows:
            writer.write(self._record(schema, row))
        writer.close()
        return writer.toDeleteFile()

    def _writers(self, table: Any) -> Any:
        return self._iceberg("data.GenericFileWriterFactory$Builder")(table)

    def _record(self, schema: Any, row: Values) -> Any:
        fields = self.functions.elements(schema.columns())
        document = {str(field.fieldId()): row[field.name()] for field in fields}
        parser = self._iceberg("SingleValueParser")
        return parser.fromJson(schema.asStruct(), json.dumps(document))

    def _file(self, table: Any) -> Any:
        output = table.io().newOutputFile(f"{table.location()}/data/{uuid.uuid4()}.parquet")
        return self._iceberg("encryption.EncryptedFiles").plainAsEncryptedOutput(output)

    def _iceberg(self, name: str) -> Any:
        return self.functions.java_class(f"org.apache.iceberg.{name}")
