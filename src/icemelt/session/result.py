"""What a statement gave: rows, or a word about what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from rich.console import Console
from rich.table import Table

from icemelt.engine.adaptation import planned_once
from icemelt.engine.spark_types import type_of
from icemelt.errors import DataError, QueryError
from icemelt.schema import display
from icemelt.session.jobs import Jobs

__all__ = ["Again", "LocalRows", "Result"]

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class LocalRows:
    """Rows that are at hand already: of SHOW, DESCRIBE, or a statement's word."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Again:
    """How to run a query otherwise where it fails on a value; `once`: it is planned once.

    What it gives instead may be run otherwise again.
    """

    run: Callable[[], tuple[DataFrame, Again | None]]
    once: bool


class Result:
    """The outcome of one statement.

    `columns` are the names, `rowcount` the rows a statement changed (None for a query),
    `statement_id` the id for `AT (STATEMENT => …)`, `notice` what else the statement did, such as
    to commit the open transaction. A query runs when its rows are asked for, on
    the state its statement saw; rows are tuples, VARIANT values JSON text, times with zone UTC.
    """

    def __init__(
        self,
        source: DataFrame | LocalRows,
        *,
        statement_id: str,
        jobs: Jobs,
        rowcount: int | None = None,
        on_done: Callable[[], None] = lambda: None,
        again: Again | None = None,
    ) -> None:
        self._source = source
        self._again = again
        self._jobs = jobs
        self._on_done = on_done
        self._arrow: pa.Table | None = None
        self._rows: list[tuple[Any, ...]] | None = None
        self.statement_id = statement_id
        self.notice: str | None = None
        self.rowcount = rowcount
        self.columns: tuple[str, ...] = tuple(source.columns)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows.

        >>> session.sql("SELECT 1 AS one").fetchall()
        [(1,)]
        """
        if self._rows is None:
            if isinstance(self._source, LocalRows):
                self._rows = list(self._source.rows)
            else:
                self._rows = _tuples(self.to_arrow())
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row, None where there is none.

        >>> session.sql("SELECT 1 AS one WHERE false").fetchone()
        """
        rows = self.fetchall()
        return rows[0] if rows else None

    def head(self, count: int) -> list[tuple[Any, ...]]:
        """Return the first rows; of a query that has not run yet, only these are computed.

        >>> session.sql("SELECT n FROM (VALUES (1), (2), (3)) AS v (n)").head(2)
        [(1,), (2,)]
        """
        if self._rows is not None or isinstance(self._source, LocalRows):
            return self.fetchall()[:count]
        return _tuples(self._collected(self._source, count))

    def close(self) -> None:
        """Give back what a query that was not fetched holds in Spark; its rows are gone then.

        >>> session.sql("SELECT 1 AS one").close()
        """
        self._on_done()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    @property
    def types(self) -> tuple[str, ...]:
        """The columns' types as DESCRIBE shows them.

        >>> session.sql("SELECT 1 AS one, 'a' AS text").types
        ('INT', 'VARCHAR')
        """
        if isinstance(self._source, LocalRows):
            arrow = _to_arrow(self._source).schema
            schema = from_arrow_schema(arrow, prefer_timestamp_ntz=True)
        else:
            schema = self._source.schema
        return tuple(_shown_type(field.dataType) for field in schema.fields)

    def to_arrow(self, limit: int | None = None) -> pa.Table:
        """Return the rows as an Arrow table, or the first ones.

        With a `limit`, of a query that has not run yet only so many are computed.

        >>> session.sql("SELECT 1 AS one").to_arrow().num_rows
        1
        """
        if limit is not None and self._arrow is None and not isinstance(self._source, LocalRows):
            return self._collected(self._source, limit)
        if limit is not None:
            return self.to_arrow().slice(0, limit)
        if self._arrow is None:
            if isinstance(self._source, LocalRows):
                self._arrow = _to_arrow(self._source)
            else:
                self._arrow = self._collected(self._source)
                self._on_done()
        return self._arrow

    def _collected(self, frame: DataFrame, count: int | None = None) -> pa.Table:
        """Run a query; where it fails on a value, and there is another way, that way."""
        wanted = frame if count is None else frame.limit(count)
        try:
            with self._jobs.of(self.statement_id):
                if self._again is None or not self._again.once:
                    return _collect(wanted)
                with planned_once(self._jobs.spark):
                    return _collect(wanted)
        except (DataError, QueryError):
            if self._again is None:
                raise
            self._source, self._again = self._again.run()
            return self._collected(self._source, count)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame.

        >>> list(session.sql("SELECT 1 AS one").to_pandas().columns)
        ['one']
        """
        return self.to_arrow().to_pandas()

    def to_spark(self) -> DataFrame:
        """Return the rows as a Spark DataFrame, not run yet; it lives as long as the session.

        >>> session.sql("SELECT 1 AS one").to_spark().columns
        ['one']
        """
        if isinstance(self._source, DataFrame):
            self._on_done = lambda: None
            return self._source
        return self._jobs.spark.createDataFrame(self.to_pandas())

    def show(self, limit: int = _SHOWN) -> None:
        """Print the first rows as a table.

        >>> session.sql("SELECT 1 AS one").show()  # doctest: +ELLIPSIS
        ┏━━━━━┓
        ...
        """
        rows: Sequence[tuple[Any, ...]] = self.fetchall()
        table = Table()
        for name in self.columns:
            table.add_column(name, overflow="fold")
        for row in rows[:limit]:
            table.add_row(*map(_shown, row))
        console = Console()
        console.print(table)
        if len(rows) > limit:
            console.print(f"{limit} of {len(rows)} rows")


def _shown_type(found: spark_types.DataType) -> str:
    known = type_of(found)
    return found.simpleString().upper() if known is None else display(known)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL" if value is None else str(value)


def _to_arrow(local: LocalRows) -> pa.Table:
    columns = list(zip(*local.rows, strict=True)) or [()] * len(local.columns)
    return pa.Table.from_arrays([pa.array(list(c)) for c in columns], names=list(local.columns))


def _tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    columns = [column.to_pylist() for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows


def _collect(frame: DataFrame) -> pa.Table:
    """Collect through Arrow; names may repeat, and VARIANT becomes text on the way."""
    names, fields = frame.columns, frame.schema.fields
    numbered = [f"c{index}" for index in range(len(names))]
    shown = [_shown_by(*each) for each in zip(numbered, fields, strict=True)]
    if len(set(names)) < len(names) or any(column is not None for column in shown):
        frame = frame.toDF(*numbered).select(
            *(
                F.col(name) if column is None else column.alias(name)
                for name, column in zip(numbered, shown, strict=True)
            )
        )
    if _is_empty(frame):
        return to_arrow_schema(frame.schema).empty_table().rename_columns(names)
    return frame.toArrow().rename_columns(names)


def _is_empty(frame: DataFrame) -> bool:
    """Tell whether Spark's planner knows that there are no rows: then no job has to find out."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    is_local = plan.getClass().getSimpleName() == "LocalRelation"
    return is_local and bool(plan.data().isEmpty())


def _shown_by(name: str, field: spark_types.StructField) -> Column | None:
    """Return what shows a column, where Arrow does not take it as it is."""
    if _has_variant(field.dataType):
        return F.to_json(name)
    if "struct<" not in field.dataType.simpleString():
        return None
    nullable = _nullable(field.dataType)
    # to Arrow a part that is not NULL is so even where what is around it is
    return None if nullable == field.dataType else F.col(name).cast(nullable)


def _nullable(data_type: spark_types.DataType) -> spark_types.DataType:
    """Return a type all of whose parts may be NULL, but the keys of maps."""
    match data_type:
        case spark_types.ArrayType(elementType=element):
            return spark_types.ArrayType(_nullable(element))
        case spark_types.MapType(keyType=key, valueType=value):
            return spark_types.MapType(_nullable(key), _nullable(value))
        case spark_types.StructType(fields=fields):
            return spark_types.StructType(
                [spark_types.StructField(each.name, _nullable(each.dataType)) for each in fields]
            )
        case _:
            return data_type


def _has_variant(data_type: spark_types.DataType) -> bool:
    return "variant" in data_type.simpleString()
