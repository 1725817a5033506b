"""A query whose rows are fetched when they are asked for, and what the history is told of that."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from icemelt.engine.adaptation import planned_once
from icemelt.errors import (
    DataError,
    IcemeltError,
    InternalError,
    QueryError,
    StatementCancelled,
)
from icemelt.observe.statements import watch_fetch
from icemelt.session.runtime.collecting import Parts, collect, in_zone, schema_of
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.query_note import QueryNote

__all__ = ["Again", "Query"]


@dataclass(frozen=True, slots=True)
class Again:
    """How to run a query otherwise where it fails on a value; `once`: it is planned once.

    What it gives instead may be run otherwise again.
    """

    run: Callable[[], tuple[DataFrame, Again | None]]
    once: bool


@dataclass(slots=True)
class Query:
    """A planned query; `again` is another way to run it, `note` what the history is told by."""

    frame: DataFrame
    statement_id: str
    jobs: Jobs
    again: Again | None = None
    note: QueryNote | None = None

    def fetch(self, zone: str, count: int | None = None, most_bytes: int | None = None) -> pa.Table:
        """Run the query and return its rows, or the first `count` of them.

        `zone` is the clock that instants are shown by. The history is told how it ended.

        Raises:
            NotYet: the rows have more than `most_bytes`.
            StatementCancelled: the session was cancelled meanwhile.
        """
        with self.telling(), watch_fetch(self.statement_id):
            rows = in_zone(self._run(count, most_bytes), zone)
        if self.note is not None:
            self.note.succeeded()
        return rows

    def stream(self, zone: str) -> pa.RecordBatchReader:
        """Return the rows in batches, which are computed as they are read, each time anew.

        `zone` is the clock that instants are shown by. A query that may have to run in another way
        is fetched as a whole: nobody has read any of its rows then.
        """
        if self.again is not None:
            return self.fetch(zone).to_reader()
        schema = in_zone(schema_of(self.frame).empty_table(), zone).schema
        return pa.RecordBatchReader.from_batches(schema, self._batches(zone))

    def _batches(self, zone: str) -> Iterator[pa.RecordBatch]:
        self.hand_over()
        # as many tasks as run at once
        width = self.jobs.spark.sparkContext.defaultParallelism
        with self._fetching():
            parts = Parts(self.frame)
        for first in range(0, parts.count, width):
            with self._fetching():
                rows = in_zone(parts.take(first, width), zone)
            yield from rows.to_batches()
        if self.note is not None:
            self.note.succeeded()

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Tell the history of an error of the block, in which rows are taken."""
        try:
            yield
        except KeyboardInterrupt:
            self.refuse(StatementCancelled("Ctrl-C was pressed.", hint=""))
            raise
        except IcemeltError as error:
            self.refuse(error)
            raise
        except Exception as error:
            # a bug, or no memory: the rows were not fetched all the same
            self.refuse(InternalError(type(error).__name__, hint=""))
            raise

    @contextlib.contextmanager
    def _fetching(self) -> Iterator[None]:
        """Run a part of the query in the block."""
        with self.telling(), watch_fetch(self.statement_id), self.jobs.of(self.statement_id):
            yield

    def hand_over(self) -> None:
        """Tell the history that somebody else runs the query."""
        if self.note is not None:
            self.note.handed_over()

    def refuse(self, error: IcemeltError) -> None:
        """Tell the history that the rows were not taken, though the query may have given them."""
        if self.note is not None:
            self.note.failed(error)

    def _run(self, count: int | None, most_bytes: int | None) -> pa.Table:
        try:
            return self._collect(count, most_bytes)
        except (DataError, QueryError):
            if self.again is None:
                raise
        # it failed on a value, and there is another way
        with self.jobs.of(self.statement_id):
            self.frame, self.again = self.again.run()
        return self._run(count, most_bytes)

    def _collect(self, count: int | None, most_bytes: int | None) -> pa.Table:
        with self.jobs.of(self.statement_id):
            wanted = self.frame if count is None else self.frame.limit(count)
            if self.again is None or not self.again.once:
                return collect(wanted, most_bytes)
            with planned_once(self.jobs.spark):
                return collect(wanted, most_bytes)
