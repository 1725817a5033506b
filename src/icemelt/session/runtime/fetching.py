"""Fetch the rows of a planned query when a client asks, and record the outcome in the history."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from icemelt.engine.adaptation import disable_adaptive_execution
from icemelt.errors import (
    DataError,
    IcemeltError,
    InternalError,
    QueryError,
    StatementCancelled,
)
from icemelt.observe.statements import watch_fetch
from icemelt.session.runtime.collecting import PartitionedRows, arrow_schema, collect, show_in_zone
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.query_note import QueryNote

__all__ = ["Fallback", "PlannedQuery"]


@dataclass(frozen=True, slots=True)
class Fallback:
    """Another way to run a query after a failure on a value.

    Attributes:
        run: plans the query in the other way; returns the data frame, and a third way or None.
        once: whether Spark plans the query once, and does not replan after every stage.
    """

    run: Callable[[], tuple[DataFrame, Fallback | None]]
    once: bool


@dataclass(slots=True)
class PlannedQuery:
    """A planned query.

    Attributes:
        frame: the query as a data frame.
        statement_id: the id of the statement in the history.
        jobs: the session's Spark jobs.
        fallback: another way to run the query, None where there is none.
        note: records the outcome in the history, None where the history keeps no record.
        locate: adds to an error the place in a file that it is about.
        validate: raises an error where a file that the query has read was written meanwhile.
        numbering: gives the rows numbers while a block computes them.
    """

    frame: DataFrame
    statement_id: str
    jobs: Jobs
    fallback: Fallback | None = None
    note: QueryNote | None = None
    locate: Callable[[IcemeltError], None] | None = None
    validate: Callable[[], None] | None = None
    numbering: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext

    def fetch(self, zone: str, count: int | None = None, most_bytes: int | None = None) -> pa.Table:
        """Run the query, return the rows, and record the outcome in the history.

        Args:
            zone: the time zone in which instants are shown.
            count: return the first so many rows, None for all rows.
            most_bytes: how many bytes the rows may have, None for no limit.

        Raises:
            NotYet: the rows have more than `most_bytes`.
            StatementCancelled: the session was cancelled during the fetch.
            FileChanged: a file of an external table was written since the query was planned.
        """
        watched = watch_fetch(self.statement_id, is_whole=count is None)
        with self.record_errors(), self.numbering(), watched:
            rows = show_in_zone(self._run(count, most_bytes), zone)
            if self.validate is not None:
                self.validate()
        if self.note is not None:
            self.note.note_success()
        return rows

    def stream(self, zone: str) -> pa.RecordBatchReader:
        """Return the rows in batches, which Spark computes anew for every reader.

        Instants are shown in the time zone `zone`. A query with another way to run is fetched as a
        whole: after a failure no reader has seen a row yet.
        """
        if self.fallback is not None:
            return self.fetch(zone).to_reader()
        schema = show_in_zone(arrow_schema(self.frame).empty_table(), zone).schema
        return pa.RecordBatchReader.from_batches(schema, self._batches(zone))

    def _batches(self, zone: str) -> Iterator[pa.RecordBatch]:
        self.hand_over()
        # take as many parts as tasks run at once
        width = self.jobs.spark.sparkContext.defaultParallelism
        with self._record_part():
            parts = PartitionedRows(self.frame)
        for first in range(0, parts.count, width):
            with self._record_part():
                rows = show_in_zone(parts.take(first, width), zone)
            yield from rows.to_batches()
        if self.validate is not None:
            with self.record_errors():
                self.validate()
        if self.note is not None:
            self.note.note_success()

    @contextlib.contextmanager
    def record_errors(self) -> Iterator[None]:
        """Record an error of a block in the history; the block takes the rows of the query."""
        try:
            yield
        except KeyboardInterrupt:
            self.refuse(StatementCancelled("Ctrl-C was pressed.", hint=""))
            raise
        except IcemeltError as error:
            if self.locate is not None:
                self.locate(error)
            self.refuse(error)
            raise
        except Exception as error:
            # a bug, or no memory: the rows were not fetched either
            self.refuse(InternalError(type(error).__name__, hint=""))
            raise

    @contextlib.contextmanager
    def _record_part(self) -> Iterator[None]:
        """Run a block that computes a part of the query."""
        watched = watch_fetch(self.statement_id, is_whole=False)
        with self.record_errors(), self.numbering(), watched, self.jobs.of(self.statement_id):
            yield

    def hand_over(self) -> None:
        """Record that somebody else runs the query."""
        if self.note is not None:
            self.note.note_handed_over()

    def refuse(self, error: IcemeltError) -> None:
        """Record that the client did not take the rows of the query."""
        if self.note is not None:
            self.note.note_failure(error)

    def _run(self, count: int | None, most_bytes: int | None) -> pa.Table:
        try:
            return self._collect(count, most_bytes)
        except (DataError, QueryError):
            if self.fallback is None:
                raise
        # the query failed on a value: run it in the other way
        with self.jobs.of(self.statement_id):
            self.frame, self.fallback = self.fallback.run()
        return self._run(count, most_bytes)

    def _collect(self, count: int | None, most_bytes: int | None) -> pa.Table:
        with self.jobs.of(self.statement_id):
            wanted = self.frame if count is None else self.frame.limit(count)
            if self.fallback is None or not self.fallback.once:
                return collect(wanted, most_bytes)
            with disable_adaptive_execution(self.jobs.spark):
                return collect(wanted, most_bytes)
