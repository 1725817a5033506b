"""The files of an external table by partitions, without those that no row of a result is in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.catalog.listing_records import ListedFile
from icemelt.engine.resources import StatementResources
from icemelt.errors import DataError, QueryError
from icemelt.names import fold
from icemelt.observe.emitting import tolerate
from icemelt.quoting import quote
from icemelt.schema import Column, Primitive
from icemelt.session.files.virtual_rows import partition_query
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import local_relation
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.spark_sql.own_columns import FILENAME
from icemelt.sql.statements import Query
from icemelt.tables.lru_cache import WeightedLRUCache

__all__ = ["partition_files"]

# the partitions of files: the query with the time zone and the path, and the values as text
_KNOWN = WeightedLRUCache[tuple[str, str, str], str](room=200_000)
# the partitions, each by the path of a file, that have met a condition
_KEPT = WeightedLRUCache[tuple[str, str, tuple[str, ...], str], frozenset[str]](room=100_000)


def partition_files(
    core: Core,
    table: ExternalTableRecord,
    files: Sequence[ListedFile],
    names: Collection[str],
    conditions: Sequence[str],
) -> list[list[ListedFile]]:
    """Return the files of each partition that meets all conditions; no file is opened.

    The partition columns are computed of the files' names, by Spark and without a job. Where no
    partition column is asked for, all files are together; where one cannot be computed, each file
    is by itself.

    Args:
        core: the session's parts.
        table: the external table.
        files: the files.
        names: the folded names of the columns that are read.
        conditions: conditions on the partition columns and METADATA$FILENAME, as Spark SQL.
    """
    is_asked = any(fold(name) in names for name in table.partition_by)
    if not files or not (conditions or is_asked):
        return [list(files)]
    groups: dict[str, list[ListedFile]] = {}
    # an expression or a condition that fails for a name fails in the query, too
    to = f"find the partitions of external table {table.name}"
    with tolerate(DataError, QueryError, to=to, is_usual=True), translated(core.spark):
        query = partition_query(table)
        partitions = _find_partitions(core, query, [file.path for file in files])
        for file in files:
            groups.setdefault(partitions[file.path], []).append(file)
        if not conditions:
            return list(groups.values())
        meets = " AND ".join(f"({condition})" for condition in conditions)
        if FILENAME in meets.lower():
            kept = _find_kept(core, query, tuple(file.path for file in files), meets)
            named = [[file for file in group if file.path in kept] for group in groups.values()]
            return [group for group in named if group]
        kept = _find_kept(core, query, tuple(group[0].path for group in groups.values()), meets)
        return [group for group in groups.values() if group[0].path in kept]
    return [[file] for file in files]


def _find_partitions(core: Core, query: Query, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the values of the partition columns by path, as text that tells partitions apart."""
    zone = core.settings.timezone
    known = {path: _KNOWN.get((query.text, zone, path)) for path in paths}
    unknown = [path for path, values in known.items() if values is None]
    if unknown:
        for path, *values in _select(core, query, unknown, "*", "true"):
            known[path] = repr(values)
            _KNOWN.keep((query.text, zone, path), repr(values))
    return {path: values for path, values in known.items() if values is not None}


def _find_kept(core: Core, query: Query, paths: tuple[str, ...], condition: str) -> frozenset[str]:
    """Return the paths whose partitions meet a condition."""
    key = (query.text, core.settings.timezone, paths, condition)
    kept = _KEPT.get(key)
    if kept is None:
        kept = frozenset(row[0] for row in _select(core, query, paths, quote(FILENAME), condition))
        _KEPT.keep(key, kept, weight=len(paths))
    return kept


def _select(
    core: Core, query: Query, paths: Iterable[str], columns: str, condition: str
) -> list[Sequence[Any]]:
    """Return columns of the partitions of some paths."""
    (reference,) = query.references
    resources = StatementResources(core.iceberg)
    try:
        column = Column(FILENAME, Primitive("string"))
        names = local_relation(resources, (column,), [(path,) for path in paths])
        rows = query.bind({reference.slot: names})
        return list(run_sql(core, f"SELECT {columns} FROM ({rows}) WHERE {condition}").collect())
    finally:
        resources.release()
