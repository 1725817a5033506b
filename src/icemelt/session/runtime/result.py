"""The result of a statement: rows, or a sentence about what the statement did."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import from_arrow_schema

from icemelt.drawing import PLAN, count_rows, print_rows
from icemelt.engine.spark_types import type_of
from icemelt.errors import IcemeltError, NotYet, PackageMissing, QueryError
from icemelt.schema import sql_type
from icemelt.session.runtime.collecting import is_deterministic, restore_frame
from icemelt.session.runtime.fetching import Fallback, PlannedQuery
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.kept_results import ResultRows, gone_error
from icemelt.session.runtime.next_values import Supplies
from icemelt.session.runtime.notebook import html_table
from icemelt.session.runtime.python_rows import to_pandas_frame, to_python_rows
from icemelt.session.runtime.query_note import QueryNote
from icemelt.values import make_unique

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["LocalRows", "Result"]

_DEFAULT_ROWS_SHOWN = 20
# a value of rows in Python takes about so much
_VALUE_BYTES = 100


@dataclass(frozen=True, slots=True)
class LocalRows:
    """Rows that are in Python already: of SHOW, DESCRIBE, or the sentence of another statement."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class Result:
    """The outcome of one statement: rows, or a sentence about what the statement did.

    A query runs when its rows are asked for, on the state that its statement saw. A row is a tuple;
    VARIANT values are JSON text.

    `fetchone` and `fetchmany` go on from row to row, as in Python's database API; `rownumber` is
    the position. `fetchall`, iteration and the other methods give all rows, however often and
    whatever was fetched before. pyarrow, Polars, DuckDB and pandas read a result as an Arrow stream
    (`__arrow_c_stream__`). A notebook shows the first rows.

    Attributes:
        columns: the names of the columns.
        rowcount: how many rows the statement changed, None for a query.
        statement_id: the id for `AT (STATEMENT => …)`.
        notice: what else the statement did, as to commit the open transaction, or None.
        zone: the time zone of TIMESTAMP_LTZ values: the session's TIMEZONE at the statement.

    >>> with session.sql("SELECT n FROM (VALUES (1), (2)) AS v (n)") as result:
    ...     [n for (n,) in result]
    [1, 2]
    """

    # how many rows `fetchmany` returns by default, as in Python's database API
    arraysize = 1

    def __init__(
        self,
        source: DataFrame | LocalRows,
        *,
        statement_id: str,
        jobs: Jobs,
        on_done: Callable[[], None] = lambda: None,
        fallback: Fallback | None = None,
        note: QueryNote | None = None,
    ) -> None:
        self._source: LocalRows | PlannedQuery = (
            source
            if isinstance(source, LocalRows)
            else PlannedQuery(source, statement_id, jobs, fallback, note)
        )
        self._jobs = jobs
        self._on_done = on_done
        self._arrow: pa.Table | None = None
        # the first rows of a query that has not run as a whole, and how many were asked for
        self._beginning: tuple[pa.Table, int] | None = None
        self._rows: list[tuple[Any, ...]] | None = None
        self._fetched = 0
        # whether somebody else has the rows, or nobody will have them
        self._is_given_away = False
        # whether the rows have next values of a sequence, other ones each time
        self._is_numbered = False
        self.on_rows: Callable[[ResultRows], None] = lambda _rows: None
        self.statement_id = statement_id
        self.notice: str | None = None
        self.zone = "UTC"
        self.rowcount: int | None = None
        self.columns: tuple[str, ...] = tuple(source.columns)

    def __repr__(self) -> str:
        """Return the columns and the statement's id; no query runs."""
        columns = ", ".join(self.columns)
        return f"<Result ({columns}) of statement {self.statement_id!r}>"

    @property
    def description(self) -> tuple[tuple[str, str, None, None, None, None, None], ...]:
        """The names and types of the columns, with None for the rest of Python's database API.

        >>> session.sql("SELECT 1 AS one").description
        (('one', 'INT', None, None, None, None, None),)
        """
        named = zip(self.columns, self.types, strict=True)
        return tuple((name, kind, None, None, None, None, None) for name, kind in named)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows, whatever `fetchone` and `fetchmany` have returned.

        >>> session.sql("SELECT 1 AS one").fetchall()
        [(1,)]
        """
        if self._rows is None:
            if isinstance(self._source, LocalRows):
                self._rows = list(self._source.rows)
            else:
                table = self.to_arrow()
                with self._record_errors():
                    self._rows = to_python_rows(table)
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, None after the last one.

        >>> result = session.sql("SELECT 1 AS one")
        >>> result.fetchone(), result.fetchone()
        ((1,), None)
        """
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """Return the next rows: `size` or `arraysize` rows at most, none after the last row.

        >>> result = session.sql("SELECT n FROM (VALUES (1), (2), (3)) AS v (n)")
        >>> result.fetchmany(2), result.fetchmany(2), result.fetchmany(2)
        ([(1,), (2,)], [(3,)], [])
        """
        begin = self._fetched
        wanted = self.arraysize if size is None else size
        rows = self.fetchall()[begin : begin + max(0, wanted)]
        self._fetched += len(rows)
        return rows

    @property
    def rownumber(self) -> int:
        """The number of rows returned by `fetchone` and `fetchmany`: the position of the next row.

        >>> result = session.sql("SELECT 1 AS one")
        >>> result.rownumber, result.fetchone(), result.rownumber
        (0, (1,), 1)
        """
        return self._fetched

    def head(self, count: int) -> list[tuple[Any, ...]]:
        """Return the first rows; a query that has not run computes only these rows.

        >>> session.sql("SELECT n FROM (VALUES (1), (2), (3)) AS v (n)").head(2)
        [(1,), (2,)]
        """
        if self._rows is not None or isinstance(self._source, LocalRows):
            return self.fetchall()[: max(0, count)]
        table = self.to_arrow(max(0, count))
        with self._record_errors():
            return to_python_rows(table)

    def close(self) -> None:
        """Release the resources of a query that was not fetched; the rows are gone then.

        >>> session.sql("SELECT 1 AS one").close()
        """
        self._is_given_away = True
        self._on_done()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    @property
    def types(self) -> tuple[str, ...]:
        """The columns' types as DESCRIBE shows them.

        >>> session.sql("SELECT 1 AS one, 'a' AS text").types
        ('INT', 'VARCHAR')
        """
        if isinstance(self._source, PlannedQuery):
            schema = self._source.frame.schema
        else:
            schema = from_arrow_schema(self.to_arrow().schema, prefer_timestamp_ntz=True)
        return tuple(_shown_type(field.dataType) for field in schema.fields)

    def to_arrow(self, limit: int | None = None, most_bytes: int | None = None) -> pa.Table:
        """Return the rows as an Arrow table.

        Args:
            limit: return the first so many rows, None for all. A query that has not run computes
                only these.
            most_bytes: with a limit, how many bytes the rows may have, None for no limit.

        Raises:
            NotYet: the rows have more than `most_bytes`.

        >>> session.sql("SELECT 1 AS one").to_arrow().num_rows
        1
        """
        if limit is not None and self._arrow is None and isinstance(self._source, PlannedQuery):
            return self._fetch_first(self._source, limit, most_bytes).slice(0, limit)
        if self._arrow is None:
            self._arrow = self._fetch_all()
            self._tell_rows(self._arrow)
        return self._arrow if limit is None else self._arrow.slice(0, limit)

    @property
    def spark_schema(self) -> spark_types.StructType:
        """The columns' types in Spark; a column without any value is text."""
        if isinstance(self._source, PlannedQuery):
            return self._source.frame.schema
        return from_arrow_schema(self._all_local_rows().schema, prefer_timestamp_ntz=True)

    @property
    def held_bytes(self) -> int | None:
        """How many bytes of memory the rows take, None before they were fetched."""
        if isinstance(self._source, LocalRows):
            return _VALUE_BYTES * len(self._source.columns) * len(self._source.rows)
        rows = self._find_all_rows()
        return None if rows is None else int(rows.nbytes)

    def all_rows(self) -> ResultRows:
        """Return all rows and their types in Spark; a query that has not run is run.

        Raises:
            ObjectNotFound: the result was closed, or somebody else computes the rows.
            QueryError: the first rows were computed, and the next run may give other rows.
        """
        if isinstance(self._source, LocalRows):
            return ResultRows(self._all_local_rows(), self.spark_schema)
        if self._find_all_rows() is None:
            if self._is_given_away:
                raise gone_error(self.statement_id)
            if self._beginning is not None and not is_deterministic(self._source.frame):
                raise QueryError(
                    f"The first rows of statement {self.statement_id!r} were fetched alone, and "
                    "its query has a volatile function, which would give other rows now.",
                    hint="Fetch all rows first, or CREATE TEMPORARY TABLE t AS SELECT ….",
                )
        return ResultRows(self.to_arrow(), self.spark_schema)

    def _all_local_rows(self) -> pa.Table:
        """Return local rows in Arrow, and text for the type of a column without any value."""
        table = self.to_arrow()
        fields = [
            field.with_type(pa.string()) if pa.types.is_null(field.type) else field
            for field in table.schema
        ]
        return table.cast(pa.schema(fields))

    def _fetch_all(self) -> pa.Table:
        if isinstance(self._source, LocalRows):
            return _to_arrow(self._source)
        rows = self._find_all_rows()
        if rows is None:
            rows = self._source.fetch(self.zone)
        self._on_done()
        return rows

    def _find_all_rows(self) -> pa.Table | None:
        """Return all rows if they were fetched, perhaps as the first rows of few."""
        if self._arrow is not None or self._beginning is None:
            return self._arrow
        rows, asked = self._beginning
        # the query gave fewer rows than asked for
        return rows if rows.num_rows < asked else None

    def _tell_rows(self, rows: pa.Table) -> None:
        if isinstance(self._source, PlannedQuery):
            self.on_rows(ResultRows(rows, self._source.frame.schema))

    def _fetch_first(self, query: PlannedQuery, limit: int, most_bytes: int | None) -> pa.Table:
        """Return the first rows of a query, at least `limit`; computed rows are kept."""
        if self._beginning is None or self._beginning[1] < limit:
            self._beginning = query.fetch(self.zone, limit, most_bytes), limit
            all_rows = self._find_all_rows()
            if all_rows is not None:
                self._tell_rows(all_rows)
        return self._beginning[0]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as a stream of Arrow's PyCapsule interface, as used by many libraries.

        The batches come from `to_arrow`: however many readers there are, the query runs once.

        >>> import pyarrow
        >>> pyarrow.table(session.sql("SELECT 1 AS one")).to_pydict()
        {'one': [1]}
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_reader(self) -> pa.RecordBatchReader:
        """Return the rows as Arrow batches that are computed while they are read, and not kept.

        This is for results larger than Python's memory: the reader holds the rows of a few Spark
        tasks at a time. Every call runs the query again, unless all rows are in Python already.

        >>> sum(batch.num_rows for batch in session.sql("SELECT 1 AS one").to_reader())
        1
        """
        if self._arrow is not None or isinstance(self._source, LocalRows):
            return self.to_arrow().to_reader()
        self._is_given_away = True
        return self._source.stream(self.zone)

    def locate_errors(self, locate: Callable[[IcemeltError], None]) -> None:
        """Give what adds to an error of the query the place in a file that it is about."""
        if isinstance(self._source, PlannedQuery):
            self._source.locate = locate

    def check_files(self, validate: Callable[[], None]) -> None:
        """Have the files that the query reads looked at once more after each read of rows."""
        if isinstance(self._source, PlannedQuery):
            self._source.validate = validate

    def number_rows(self, supplies: Supplies) -> None:
        """Take over the supplies of numbers for the rows, and close them at the end."""
        self._is_numbered = supplies.is_taken_over = True
        on_done = self._on_done

        def done() -> None:
            on_done()
            supplies.close()

        self._on_done = done
        if isinstance(self._source, PlannedQuery):
            self._source.numbering = supplies.running

    def refuse(self, error: IcemeltError) -> None:
        """Record in the history that the client did not take the rows of the query."""
        if isinstance(self._source, PlannedQuery):
            self._source.refuse(error)

    def _record_errors(self) -> contextlib.AbstractContextManager[None]:
        """Record in the history an error of a block that takes the rows of the query."""
        if isinstance(self._source, LocalRows):
            return contextlib.nullcontext()
        return self._source.record_errors()

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame.

        >>> list(session.sql("SELECT 1 AS one").to_pandas().columns)
        ['one']
        """
        table = self.to_arrow()
        with self._record_errors():
            return to_pandas_frame(table)

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a Polars DataFrame; a repeated column name gets a number.

        Raises:
            PackageMissing: Polars is not installed.

        >>> session.sql("SELECT 1 AS one").to_polars().columns  # doctest: +SKIP
        ['one']
        """
        try:
            import polars as pl  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise PackageMissing(
                "Python has no package 'polars', which to_polars() needs.",
                hint="pip install 'icemelt[polars]'",
            ) from error
        table = self.to_arrow()
        return pl.DataFrame(table.rename_columns(make_unique(table.column_names)))

    def to_spark(self) -> DataFrame:
        """Return the rows as a Spark DataFrame that lives as long as the session.

        No query runs yet.

        The history has the query as planned, with the status `succeeded`, whatever the later runs
        of the data frame give. If all rows were fetched before, the data frame has the fetched
        rows.

        >>> session.sql("SELECT 1 AS one").to_spark().columns
        ['one']
        """
        if isinstance(self._source, LocalRows):
            return self._jobs.spark.createDataFrame(self.to_arrow())
        frame = self._source.frame
        if self._arrow is not None:
            # the rows in Python outlive the query's resources
            return restore_frame(self._jobs.spark, self._arrow, frame.schema)
        if self._is_numbered:
            raise NotYet(
                "Rows with next values of a sequence are no data frame, which is computed anew.",
                hint="INSERT INTO t SELECT s.NEXTVAL, …, then session.table('t').",
            )
        self._on_done = lambda: None
        self._is_given_away = True
        self._source.hand_over()
        return frame

    def show(self, limit: int = _DEFAULT_ROWS_SHOWN) -> None:
        """Print the first rows as in the shell; a query computes only these rows.

        A row too wide for a table is printed with a line for every column.

        >>> session.sql("SELECT 1 AS one").show()
        ╭─────╮
        │ one │
        ├─────┤
        │   1 │
        ╰─────╯
        1 row
        """
        rows, below = self._rows_to_show(limit)
        print_rows(self.columns, rows, " · ".join(below))

    def _repr_html_(self) -> str:
        """Return the first rows as an HTML table, for notebooks.

        A query computes only these rows.
        """
        return html_table(self.columns, *self._rows_to_show(_DEFAULT_ROWS_SHOWN))

    def _rows_to_show(self, limit: int) -> tuple[list[tuple[Any, ...]], list[str]]:
        """Return the first rows, and the sentences to show below: number of rows, and notice."""
        if self.columns == PLAN and isinstance(self._source, LocalRows):
            # half of a plan explains nothing
            return self.fetchall(), []
        limit = max(0, limit)
        rows = self.head(limit + 1)
        count = count_rows(min(limit, len(rows)))
        if len(rows) > limit:
            # the number of rows is known if all rows are in Python
            is_known = isinstance(self._source, LocalRows) or self._arrow is not None
            of = f" of {self.to_arrow().num_rows:,}" if is_known else ""
            count = f"the first {limit:,}{of} rows"
        return rows[:limit], [count, *filter(None, [self.notice])]


def _shown_type(spark_type: spark_types.DataType) -> str:
    icemelt_type = type_of(spark_type)
    return spark_type.simpleString().upper() if icemelt_type is None else sql_type(icemelt_type)


def _to_arrow(local: LocalRows) -> pa.Table:
    columns = list(zip(*local.rows, strict=True)) or [()] * len(local.columns)
    return pa.Table.from_arrays([pa.array(list(c)) for c in columns], names=list(local.columns))
