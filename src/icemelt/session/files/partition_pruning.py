"""Leave out the files of an external table whose partition no row of a result can be in."""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.catalog.listing_records import ListedFile
from icemelt.engine.resources import StatementResources
from icemelt.errors import DataError, QueryError
from icemelt.observe.emitting import tolerate
from icemelt.quoting import quote
from icemelt.schema import Column, Primitive
from icemelt.session.files.virtual_rows import FILENAME, partition_query
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import local_relation
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql

__all__ = ["prune_files"]


def prune_files(
    core: Core,
    table: ExternalTableRecord,
    files: Sequence[ListedFile],
    conditions: Sequence[str],
) -> list[ListedFile]:
    """Return the files whose partition meets all conditions; no file is opened.

    The partition columns are computed of the files' names, by Spark and without a job.

    Args:
        core: the session's parts.
        table: the external table.
        files: the files.
        conditions: conditions on the partition columns, as Spark SQL.
    """
    if not conditions or not files:
        return list(files)
    query = partition_query(table)
    (reference,) = query.references
    resources = StatementResources(core.iceberg)
    kept = None
    # a condition that fails for a name fails in the query, too, where that file is read
    to = f"prune the files of external table {table.name}"
    try:
        with tolerate(DataError, QueryError, to=to, is_usual=True), translated(core.spark):
            columns = (Column(FILENAME, Primitive("string")),)
            names = local_relation(resources, columns, [(file.path,) for file in files])
            rows = query.bind({reference.slot: names})
            meets = " AND ".join(f"({condition})" for condition in conditions)
            text = f"SELECT {quote(FILENAME)} FROM ({rows}) WHERE {meets}"
            kept = {row[0] for row in run_sql(core, text).collect()}
    finally:
        resources.release()
    return list(files) if kept is None else [file for file in files if file.path in kept]
