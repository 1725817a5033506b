"""The open transaction for PySpark users, who read and write data frames."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame

from icemelt.errors import QueryError
from icemelt.session.dml.data_frames import Clause, append_frame, consume, merge_frame
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.given_frames import spark_frame_of
from icemelt.session.runtime.spark_errors import translated
from icemelt.sql.dialect.written_names import written_name

__all__ = ["Transaction"]


class Transaction:
    """The transaction of a `session.transaction()` block, whose changes are committed together.

    While the transaction is open, statements of `session.sql` belong to the transaction too.
    """

    def __init__(self, core: Core, transaction_id: str) -> None:
        self._core = core
        self._consumed = contextlib.ExitStack()
        self.transaction_id = transaction_id

    def _require_running(self) -> None:
        """Refuse work on a transaction that is over, as the work would be committed by itself.

        Raises:
            QueryError: the block was left, or a statement has ended the transaction.
        """
        current = self._core.settings.transaction
        if current is None or current.transaction_id != self.transaction_id:
            raise QueryError(
                f"Transaction {self.transaction_id} is over.",
                hint="Use what `session.transaction()` gives inside its block, before a COMMIT "
                "or ROLLBACK there.",
            )

    def consume(self, stream: str) -> DataFrame:
        """Return a stream's changes up to the transaction's beginning, and mark them as consumed.

        The columns are the table's columns, then METADATA$ACTION (text), METADATA$ISUPDATE
        (boolean) and METADATA$ROW_ID (text). Use the data frame before the transaction ends.

        Raises:
            LockTimeout: another transaction is consuming the stream.
            StreamError: the stream is stale or broken.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> _ = session.sql("CREATE OR REPLACE STREAM s ON TABLE t")
        >>> _ = session.sql("INSERT INTO t VALUES (1)")
        >>> with session.transaction() as tx:
        ...     tx.consume("s").count()
        1
        """
        self._require_running()
        # the data frame is read later, until the transaction's end
        core = self._consumed.enter_context(self._core.statement())
        with translated(core.spark):
            rows, bound = consume(core, written_name(stream))
        self._consumed.callback(bound.resources.release)
        return rows

    def append(self, rows: DataFrame | Any, table: str) -> int | None:
        """Insert the rows of a data frame, matching columns by name; return the number of rows.

        Args:
            rows: a data frame of Spark or pandas, or a table or batch of Arrow.
            table: the table's name.

        Raises:
            QueryError: the rows are anything else.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> with session.transaction() as tx:
        ...     tx.append(session.spark.createDataFrame([(1,), (2,)], "id int"), "t")
        2
        """
        self._require_running()
        with self._statement() as core:
            frame = spark_frame_of(core.spark, rows)
            return append_frame(core, frame, written_name(table)).inserted

    def overwrite(self, rows: DataFrame | Any, table: str) -> int | None:
        """Replace all rows of a table by the rows of a data frame; return the number of rows.

        Args:
            rows: the rows, as in `append`.
            table: the table's name.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> with session.transaction() as tx:
        ...     tx.overwrite(session.spark.createDataFrame([(1,)], "id int"), "t")
        1
        """
        self._require_running()
        with self._statement() as core:
            frame = spark_frame_of(core.spark, rows)
            return append_frame(core, frame, written_name(table), overwrite=True).inserted

    def merge(
        self,
        rows: DataFrame | Any,
        table: str,
        *,
        on: str | Sequence[str],
        when_matched: Clause = None,
        when_not_matched: Clause = None,
    ) -> int | None:
        """Merge a data frame into a table; return how many rows changed, None where unknown.

        An action is "update", "delete" or "insert", or a mapping of columns to SQL expressions. A
        clause is an action, or a list of pairs of a condition (or None) and an action.

        Args:
            rows: the rows, as in `append`; `source` in expressions.
            table: the table's name, `target` in expressions.
            on: a column of both, several columns, or a condition over `target` and `source`.
            when_matched: the clause for rows that match a row of the table.
            when_not_matched: the clause for rows that match no row of the table.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT, v INT)")
        >>> rows = session.spark.createDataFrame([(1, 5)], "id int, v int")
        >>> with session.transaction() as tx:
        ...     _ = tx.merge(rows, "t", on="id", when_matched="update", when_not_matched="insert")
        >>> session.sql("SELECT * FROM t").fetchall()
        [(1, 5)]
        """
        self._require_running()
        clauses = (when_matched, when_not_matched)
        with self._statement() as core:
            frame = spark_frame_of(core.spark, rows)
            return merge_frame(core, frame, written_name(table), on, clauses).total

    def release(self) -> None:
        """Release Spark's resources of the data frames that `consume` returned."""
        self._consumed.close()

    @contextlib.contextmanager
    def _statement(self) -> Iterator[Core]:
        with self._core.statement() as core, translated(core.spark):
            yield core
