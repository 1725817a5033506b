"""The open transaction as PySpark users have it: data frames in, data frames out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from pyspark.sql import DataFrame

from icemelt.errors import QueryError
from icemelt.session.dml.data_frames import Clause, append_frame, consume, merge_frame
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.sql.dialect.written_names import written_name

__all__ = ["Transaction"]


class Transaction:
    """What `session.transaction()` gives: everything done with it is committed at once, or not.

    Statements of `session.sql` belong to it too while it is open.
    """

    def __init__(self, core: Core, transaction_id: str) -> None:
        self._core = core
        self._consumed = contextlib.ExitStack()
        self.transaction_id = transaction_id

    def _refuse_ended(self) -> None:
        """Let nothing be done with a transaction that is over: it would be committed by itself.

        Raises:
            QueryError: its block was left, or a statement has ended it.
        """
        current = self._core.settings.transaction
        if current is None or current.transaction_id != self.transaction_id:
            raise QueryError(
                f"Transaction {self.transaction_id} is over.",
                hint="Use what `session.transaction()` gives inside its block, before a COMMIT "
                "or ROLLBACK there.",
            )

    def consume(self, stream: str) -> DataFrame:
        """Return a stream's changes up to the transaction's beginning, and mark them consumed.

        Columns are those of the table, then METADATA$ACTION (text), METADATA$ISUPDATE (boolean)
        and METADATA$ROW_ID (text). The data frame is to be used before the transaction ends.

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
        self._refuse_ended()
        # what was consumed is read later, by whoever has the data frame
        core = self._consumed.enter_context(self._core.statement())
        with translated(core.spark):
            rows, bound = consume(core, written_name(stream))
        self._consumed.callback(bound.resources.release)
        return rows

    def append(self, rows: DataFrame, table: str) -> int | None:
        """Insert a data frame's rows, columns found by name; return how many there were.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> with session.transaction() as tx:
        ...     tx.append(session.spark.createDataFrame([(1,), (2,)], "id int"), "t")
        2
        """
        self._refuse_ended()
        with self._statement() as core:
            return append_frame(core, rows, written_name(table)).inserted

    def overwrite(self, rows: DataFrame, table: str) -> int | None:
        """Put a data frame's rows in the place of all of a table's; return how many there are.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> with session.transaction() as tx:
        ...     tx.overwrite(session.spark.createDataFrame([(1,)], "id int"), "t")
        1
        """
        self._refuse_ended()
        with self._statement() as core:
            return append_frame(core, rows, written_name(table), overwrite=True).inserted

    def merge(
        self,
        rows: DataFrame,
        table: str,
        *,
        on: str | Sequence[str],
        when_matched: Clause = None,
        when_not_matched: Clause = None,
    ) -> int | None:
        """Merge a data frame into a table; return how many rows changed, None where not known.

        `on` is a column of both, several, or a condition over `target` and `source`. An action is
        "update", "delete" or "insert", or a mapping of columns to SQL expressions; a clause is an
        action, or a list of pairs of a condition (or None) and an action.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT, v INT)")
        >>> rows = session.spark.createDataFrame([(1, 5)], "id int, v int")
        >>> with session.transaction() as tx:
        ...     _ = tx.merge(rows, "t", on="id", when_matched="update", when_not_matched="insert")
        >>> session.sql("SELECT * FROM t").fetchall()
        [(1, 5)]
        """
        self._refuse_ended()
        clauses = (when_matched, when_not_matched)
        with self._statement() as core:
            return merge_frame(core, rows, written_name(table), on, clauses).total

    def release(self) -> None:
        """Give back what the data frames of `consume` hold in Spark."""
        self._consumed.close()

    @contextlib.contextmanager
    def _statement(self) -> Iterator[Core]:
        with self._core.statement() as core, translated(core.spark):
            yield core
