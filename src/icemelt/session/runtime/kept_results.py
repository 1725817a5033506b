"""The results of a session's last statements, which RESULT_SCAN reads again.

A query never runs a second time for RESULT_SCAN: a volatile function would give other rows. The
rows are those that the application has fetched, or fetches later.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa
from pyspark.sql.types import StructType

from icemelt.errors import ObjectNotFound

__all__ = [
    "HeldResult",
    "KeptResults",
    "ResultRows",
    "gone_error",
    "restore_rows",
    "with_spark_schema",
]

_DEFAULT_BYTES = 64 << 20
# a result that was not fetched keeps its plan, and the files of its moment
_MOST_UNFETCHED = 10
_MOST_KEPT = 1_000
_SCHEMA = b"icemelt.spark-schema"


@dataclass(frozen=True, slots=True)
class ResultRows:
    """All rows of a result: values as Arrow keeps them, and the types that Spark had for them."""

    table: pa.Table
    schema: StructType


class HeldResult(Protocol):
    """A result as `KeptResults` holds it."""

    statement_id: str
    on_rows: Callable[[ResultRows], None]

    @property
    def held_bytes(self) -> int | None:
        """How many bytes of memory the rows take, None before they were fetched."""
        ...

    def all_rows(self) -> ResultRows:
        """Return all rows; a query that has not run is run."""
        ...


@dataclass(slots=True)
class KeptResults:
    """The rows of the last results of a session, in memory, up to `most_bytes`.

    The oldest give way. A larger result is found for as long as the application holds it.

    Attributes:
        most_bytes: how many bytes of rows are kept.
        find_elsewhere: finds the rows of a statement of another session, None without such rows.
    """

    most_bytes: int = _DEFAULT_BYTES
    find_elsewhere: Callable[[str], ResultRows | None] = lambda _statement_id: None
    _kept: OrderedDict[str, HeldResult | ResultRows] = field(default_factory=OrderedDict)
    _held: weakref.WeakValueDictionary[str, HeldResult] = field(
        default_factory=weakref.WeakValueDictionary
    )
    # in bytes of each kept result, None before the rows were fetched: then `on_rows` tells
    _sizes: dict[str, int | None] = field(default_factory=dict)
    _unfetched: dict[str, None] = field(default_factory=dict)
    _total: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, result: HeldResult) -> None:
        """Keep a new result."""
        statement_id = result.statement_id

        def keep_rows(rows: ResultRows) -> None:
            self._keep(statement_id, rows)

        result.on_rows = keep_rows
        self._held[statement_id] = result
        self._keep(statement_id, result)

    def find(self, statement_id: str) -> ResultRows:
        """Return the rows of a statement; a query that nobody has fetched is run.

        Raises:
            ObjectNotFound: the rows are not kept.
        """
        with self._lock:
            found = self._kept.get(statement_id) or self._held.get(statement_id)
        if isinstance(found, ResultRows):
            return found
        if found is not None:
            return found.all_rows()
        elsewhere = self.find_elsewhere(statement_id)
        if elsewhere is None:
            raise gone_error(statement_id)
        return elsewhere

    def _keep(self, statement_id: str, rows: HeldResult | ResultRows) -> None:
        """Keep rows as the newest, and give up what is too much."""
        size = _size_of(rows)
        with self._lock:
            self._give_up(statement_id)
            self._kept[statement_id], self._sizes[statement_id] = rows, size
            self._total += size or 0
            if size is None:
                self._unfetched[statement_id] = None
            if len(self._unfetched) > _MOST_UNFETCHED:
                self._give_up(next(iter(self._unfetched)))
            while self._kept and (self._total > self.most_bytes or len(self._kept) > _MOST_KEPT):
                self._give_up(next(iter(self._kept)))

    def _give_up(self, statement_id: str) -> None:
        """Keep the rows of a statement no longer, if they are kept."""
        if self._kept.pop(statement_id, None) is not None:
            self._total -= self._sizes.pop(statement_id) or 0
            self._unfetched.pop(statement_id, None)


def with_spark_schema(rows: pa.Table, schema: StructType) -> pa.Table:
    """Return rows whose metadata has the types of the columns in Spark, for `restore_rows`.

    >>> rows = with_spark_schema(pa.table({"a": ["1"]}), StructType.fromDDL("a VARIANT"))
    >>> restore_rows(rows).schema.simpleString()
    'struct<a:variant>'
    """
    return rows.replace_schema_metadata({_SCHEMA: schema.json()})


def restore_rows(rows: pa.Table) -> ResultRows:
    """Return the rows of a result that `with_spark_schema` has given their types."""
    schema = StructType.fromJson(json.loads(rows.schema.metadata[_SCHEMA]))
    return ResultRows(rows.replace_schema_metadata(None), schema)


def gone_error(statement_id: str) -> ObjectNotFound:
    """Return the error of a result whose rows are not kept."""
    return ObjectNotFound(
        f"The rows of statement {statement_id!r} are not kept.",
        hint="RESULT_SCAN has the last results of this session, fetched ones and small ones. "
        "CREATE TEMPORARY TABLE t AS SELECT … keeps rows.",
    )


def _size_of(kept: HeldResult | ResultRows) -> int | None:
    return kept.table.nbytes if isinstance(kept, ResultRows) else kept.held_bytes
