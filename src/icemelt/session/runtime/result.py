"""What a statement gave: rows, or a word about what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import from_arrow_schema
from rich.console import Console
from rich.table import Table

from icemelt.engine.adaptation import planned_once
from icemelt.engine.spark_types import type_of
from icemelt.errors import DataError, IcemeltError, QueryError, StatementCancelled
from icemelt.schema import display
from icemelt.session.runtime.collecting import collect, in_zone
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.query_note import QueryNote

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
    to commit the open transaction, `zone` the time zone of TIMESTAMP_LTZ values: the session's
    TIMEZONE at the statement. A query runs when its rows are asked for, on the state its statement
    saw; rows are tuples, VARIANT values JSON text.

    `fetchone` and `fetchmany` go on from row to row, as in Python's database API. `fetchall`,
    iteration and the others give all rows, however often and whatever was fetched before.
    """

    def __init__(
        self,
        source: DataFrame | LocalRows,
        *,
        statement_id: str,
        jobs: Jobs,
        on_done: Callable[[], None] = lambda: None,
        again: Again | None = None,
        note: QueryNote | None = None,
    ) -> None:
        self._source = source
        self._again = again
        self._note = note
        self._jobs = jobs
        self._on_done = on_done
        self._arrow: pa.Table | None = None
        self._rows: list[tuple[Any, ...]] | None = None
        self._fetched = 0
        self.statement_id = statement_id
        self.notice: str | None = None
        self.zone = "UTC"
        self.rowcount: int | None = None
        self.columns: tuple[str, ...] = tuple(source.columns)

    def __repr__(self) -> str:
        """Tell which result it is; no query runs for that."""
        columns = ", ".join(self.columns)
        return f"<Result ({columns}) of statement {self.statement_id!r}>"

    @property
    def description(self) -> tuple[tuple[str, str, None, None, None, None, None], ...]:
        """Of each column its name, its type, and None for what else Python's database API tells.

        >>> session.sql("SELECT 1 AS one").description
        (('one', 'INT', None, None, None, None, None),)
        """
        named = zip(self.columns, self.types, strict=True)
        return tuple((name, kind, None, None, None, None, None) for name, kind in named)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows, also those that `fetchone` and `fetchmany` have returned.

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
        """Return the next row, None after the last one.

        >>> result = session.sql("SELECT 1 AS one")
        >>> result.fetchone(), result.fetchone()
        ((1,), None)
        """
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """Return the next rows, at most `size`, and no more after the last one.

        >>> result = session.sql("SELECT n FROM (VALUES (1), (2), (3)) AS v (n)")
        >>> result.fetchmany(2), result.fetchmany(2), result.fetchmany(2)
        ([(1,), (2,)], [(3,)], [])
        """
        begin = self._fetched
        rows = self.fetchall()[begin : begin + max(0, size)]
        self._fetched += len(rows)
        return rows

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

    def to_arrow(self, limit: int | None = None, most_bytes: int | None = None) -> pa.Table:
        """Return the rows as an Arrow table, or the first ones.

        With a `limit`, of a query that has not run yet only so many are computed, and not on after
        `most_bytes`.

        Raises:
            NotYet: the rows have more bytes than that.

        >>> session.sql("SELECT 1 AS one").to_arrow().num_rows
        1
        """
        if limit is not None and self._arrow is None and not isinstance(self._source, LocalRows):
            return self._collected(self._source, limit, most_bytes)
        if limit is not None:
            return self.to_arrow().slice(0, limit)
        if self._arrow is None:
            if isinstance(self._source, LocalRows):
                self._arrow = _to_arrow(self._source)
            else:
                self._arrow = self._collected(self._source)
                self._on_done()
        return self._arrow

    def refuse(self, error: IcemeltError) -> None:
        """Take note that the rows were not taken, though the query gave them."""
        if self._note is not None:
            self._note.failed(error)

    def _collected(
        self, frame: DataFrame, count: int | None = None, most_bytes: int | None = None
    ) -> pa.Table:
        """Run a query, and tell the history how it ended."""
        wanted = frame if count is None else frame.limit(count)
        try:
            rows = self._run(wanted, most_bytes)
        except KeyboardInterrupt:
            self.refuse(StatementCancelled("Ctrl-C was pressed.", hint=""))
            raise
        except (DataError, QueryError) as error:
            if self._again is None:
                self.refuse(error)
                raise
        except IcemeltError as error:
            self.refuse(error)
            raise
        else:
            if self._note is not None:
                self._note.succeeded()
            return rows
        # it failed on a value, and there is another way
        try:
            self._source, self._again = self._again.run()
        except IcemeltError as error:
            self.refuse(error)
            raise
        return self._collected(self._source, count, most_bytes)

    def _run(self, frame: DataFrame, most_bytes: int | None) -> pa.Table:
        with self._jobs.of(self.statement_id):
            if self._again is None or not self._again.once:
                return in_zone(collect(frame, most_bytes), self.zone)
            with planned_once(self._jobs.spark):
                return in_zone(collect(frame, most_bytes), self.zone)

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
