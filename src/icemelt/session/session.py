"""The session: the text of a statement goes in, a result comes out."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from pyspark.sql import DataFrame, SparkSession

from icemelt.catalog.activity_records import StatementRecord
from icemelt.errors import (
    CatalogError,
    IcemeltError,
    ParameterError,
    QueryError,
    SqlSyntaxError,
    StatementCancelled,
    TransactionError,
)
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.observe.emitting import tolerate
from icemelt.observe.statements import watch_statement
from icemelt.session.ddl.pipes import run_pipes
from icemelt.session.ddl.python_tasks import PythonTask, write_python_task
from icemelt.session.ddl.refreshing import refresh_files
from icemelt.session.dispatch import run
from icemelt.session.ingestion import open_client
from icemelt.session.maintenance import SAFE_AGE, Maintained, maintain
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.current import use_namespace
from icemelt.session.runtime.flows import run_flow
from icemelt.session.runtime.hiding import hiding_places
from icemelt.session.runtime.python_tasks import register_function
from icemelt.session.runtime.result import Result
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.task_schedulers import TaskScheduler
from icemelt.session.runtime.transacting import begin, commit, rollback
from icemelt.session.show.listing import is_in_history, statement_history
from icemelt.session.temporary_objects import drop_temporary_objects
from icemelt.session.timeline.stream_state import refuse_broken
from icemelt.session.timeline.system_functions import ask
from icemelt.session.transaction import Transaction
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.flow import Link
from icemelt.sql.parse import split_statements

__all__ = ["Session", "core_of"]

Bound = Sequence[Any] | Mapping[str, Any] | None
MakeScheduler = Callable[["Session", int, float], TaskScheduler]
_ATTEMPTS = 5
_MOST_PARALLEL_RUNS = 64
_LONGEST_LEASE = 3_600


class Session:
    """A connection to a lake, opened by `icemelt.connect`.

    A session runs one statement at a time. The sessions of a process share the Spark application
    and nothing else: every session has its own settings, temporary tables and Spark session.
    """

    def __init__(
        self, core: Core, *, owns_catalog: bool = True, make_scheduler: MakeScheduler | None = None
    ) -> None:
        self._core = core
        self._owns_catalog = owns_catalog
        self._make_scheduler = make_scheduler
        self._lock = threading.RLock()
        self._closed = False
        self._clients: list[StreamingIngestClient] = []
        self._ended = threading.Event()
        weakref.finalize(self, self._ended.set)

    @property
    def ended(self) -> threading.Event:
        """The event that is set when the session is closed or garbage-collected."""
        return self._ended

    @property
    def spark(self) -> SparkSession:
        """The session's own Spark session."""
        return self._core.spark

    @property
    def session_id(self) -> str:
        """The session's id, also the job group of Spark jobs from the session's data frames."""
        return self._core.session_id

    @property
    def database(self) -> str:
        """The current database."""
        return self._core.settings.database

    @property
    def schema(self) -> str:
        """The current schema."""
        return self._core.settings.schema

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction of many statements is open."""
        return self._core.settings.transaction is not None

    @property
    def warehouse(self) -> str:
        """The location of the lake's tables."""
        return self._core.database.warehouse

    def sql(self, text: str, parameters: Bound = None, **named: Any) -> Result:
        """Run one statement.

        `?` takes the values of a sequence, `:name` the values of a mapping or of keyword arguments.
        Values are bound with their types, and never pasted into the text.

        Args:
            text: the statement.
            parameters: a sequence for `?`, a mapping for `:name`, or None.
            named: keyword arguments for `:name`.

        Raises:
            IcemeltError: the statement was refused or failed; nothing of it was kept.
            KeyboardInterrupt: Ctrl-C was pressed; the statement's jobs are cancelled, and the
                session goes on.

        >>> session.sql("SELECT :n + 1 AS next", n=41).fetchall()
        [(42,)]
        """
        return self.run(text, parameters if parameters is not None else named or None)

    def run(
        self, text: str, parameters: Bound = None, *, statement_id: str | None = None
    ) -> Result:
        """Run one statement as `sql` does, under an id chosen by the caller.

        Args:
            text: the statement.
            parameters: the values of its placeholders, as in `sql`.
            statement_id: the statement's id in the history, which accepts an id once. A client that
                has lost the answer finds out by the id whether the statement was published.

        Raises:
            IcemeltError: the statement was refused or failed; nothing of it was kept.

        >>> import uuid
        >>> session.run("SELECT 1 AS one", statement_id=str(uuid.uuid4())).fetchall()
        [(1,)]
        """
        with self._lock:
            self._require_open()
            return run_flow(self._run_link, _validate_text(text), parameters, statement_id)

    def _run_link(self, link: Link, statement_id: str | None) -> Result:
        """Run one statement of a chain."""
        now = self._core.begin_statement()
        chosen, is_guest = statement_id or new_id(), self._core.is_guest
        kind = _first_word(link.text)
        history = History(self._core, chosen, link.text, kind, now, waits=is_guest)
        try:
            watched = watch_statement(chosen, self.session_id, history.kind)
            with watched, self.hiding_places(), self._core.jobs.of(chosen):
                result = run(self._core, link, history)
        except KeyboardInterrupt:
            self._record_failure(history, StatementCancelled("Ctrl-C was pressed.", hint=""))
            raise
        except IcemeltError as error:
            self._record_failure(history, error)
            raise
        self._core.settings.statement_ids.append(history.statement_id)
        return result

    def execute_script(self, text: str) -> list[Result]:
        """Run statements separated by semicolons, up to the first that fails.

        >>> [result.fetchall() for result in session.execute_script("SELECT 1; SELECT 2")]
        [[(1,)], [(2,)]]
        """
        return [self.sql(statement) for statement in split_statements(_validate_text(text))]

    def table(self, name: str) -> DataFrame:
        """Return a table's rows, or a stream's changes, as a data frame of this moment.

        Reading a stream this way does not consume it; `Transaction.consume` does.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> session.table("t").columns
        ['id']
        """
        return self.sql(f"SELECT * FROM {written_name(name)}").to_spark()

    @contextlib.contextmanager
    def transaction(self, name: str | None = None) -> Iterator[Transaction]:
        """Open a transaction for a block; it is committed at the end, rolled back on an error.

        Raises:
            QueryError: a transaction is open already.
            Conflict: another transaction was first; nothing was kept, running it again is safe.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> with session.transaction():
        ...     _ = session.sql("INSERT INTO t VALUES (1)")
        ...     _ = session.sql("INSERT INTO t VALUES (2)")
        >>> session.sql("SELECT count(*) FROM t").fetchall()
        [(2,)]
        """
        with self._lock:
            self._require_no_transaction()
            begin(self._core, name)
            opened = self._core.settings.transaction
            self._core.settings.in_block = True
        transaction = Transaction(self._core, "" if opened is None else opened.transaction_id)
        try:
            yield transaction
            with self._lock:
                if self._core.settings.transaction is opened:
                    commit(self._core)
        except BaseException:
            with self._lock, tolerate(IcemeltError, to="roll back a transaction that failed"):
                if self._core.settings.transaction is opened:
                    rollback(self._core)
            raise
        finally:
            self._core.settings.in_block = False
            transaction.release()

    def for_each_change(
        self,
        stream: str,
        function: Callable[[DataFrame, Transaction], None],
        *,
        every: float | None = None,
        stop: threading.Event | None = None,
    ) -> int:
        """Run a function on a stream's changes, with a new transaction for every run.

        A run that loses a race is rolled back and run again.

        Args:
            stream: the name of the stream.
            function: takes the changes and the transaction, which the session commits.
            every: the seconds between two runs; None for a single run, if there are changes.
            stop: the event that ends the runs, None for no end.

        Returns:
            How many runs were committed.

        Raises:
            Conflict: other transactions were first too often.
            QueryError: a transaction is open.
            StreamBroken: the stream's table was dropped or replaced.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT)")
        >>> _ = session.sql("CREATE OR REPLACE TABLE copy (id INT)")
        >>> _ = session.sql("CREATE OR REPLACE STREAM s ON TABLE t")
        >>> _ = session.sql("INSERT INTO t VALUES (1)")
        >>> session.for_each_change("s", lambda rows, tx: tx.append(rows.select("id"), "copy"))
        1
        """
        runs = 0
        while True:
            with self._lock, self._core.statement() as core, translated(core.spark):
                self._require_no_transaction()
                refuse_broken(core.stream(written_name(stream)))
                has_data = ask(core, "SYSTEM$STREAM_HAS_DATA", stream)
            if has_data:
                self._run_on_changes(stream, function)
                runs += 1
            if every is None or (stop or threading.Event()).wait(every):
                return runs

    def _run_on_changes(
        self, stream: str, function: Callable[[DataFrame, Transaction], None]
    ) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with self.transaction() as transaction:
                    function(transaction.consume(stream), transaction)
            except TransactionError as error:
                if not error.retryable or attempt == _ATTEMPTS:
                    raise
            else:
                return

    def history(self, limit: int = 100) -> list[StatementRecord]:
        """Return the latest statements of the lake, newest first.

        >>> session.history(1)[0].status
        'succeeded'
        """
        with self._lock:
            return statement_history(self._core, limit)

    def maintain(self, *, safe_age: float = SAFE_AGE) -> Maintained:
        """Expire old versions, compact small files, and clear the leftovers of dead sessions.

        Maintenance yields to everybody who works on the lake. Files and tables' folders without a
        name in the lake are removed when older than `safe_age` seconds.

        >>> session.maintain().transactions_closed
        0
        """
        with self._lock:
            self._require_open()
            with self._core.jobs.of(new_id()):
                return maintain(self._core, safe_age=safe_age)

    def refresh_files(self) -> dict[str, int]:
        """List the files of stages and external tables with AUTO_REFRESH, and register them.

        Sessions with maintenance in the background do so every minute. One whose files cannot be
        listed is left out, and the log tells why.

        Returns:
            how many files were found new, changed or gone, by the name of the stage or external
            table.

        >>> _ = session.sql("CREATE STAGE watched DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)")
        >>> session.refresh_files()
        {'main.public.watched': 0}
        """
        with self._lock:
            self._require_open()
            with self._core.jobs.of(new_id()):
                return refresh_files(self._core)

    def run_pipes(self) -> dict[str, int]:
        """Load the new files of the pipes with AUTO_INGEST, and the queued files of all pipes.

        Sessions with maintenance in the background do so every minute. A paused pipe, and a pipe
        that another session runs now, is left out; so is a pipe that cannot run, and the log and
        SYSTEM$PIPE_STATUS tell why.

        Returns:
            how many files were loaded, by the name of the pipe.

        >>> _ = session.sql("CREATE STAGE arriving")
        >>> _ = session.sql("CREATE OR REPLACE TABLE events (id INT)")
        >>> copy = "COPY INTO events FROM @arriving"
        >>> _ = session.sql(f"CREATE PIPE keep_up AUTO_INGEST = TRUE AS {copy}")
        >>> session.run_pipes()
        {'main.public.keep_up': 0}
        """
        with self._lock:
            self._require_open()
            with self._core.jobs.of(new_id()):
                return run_pipes(self._core)

    def task(
        self,
        name: str,
        function: Callable[[Session], object],
        *,
        after: str | Sequence[str] = (),
        when: str | None = None,
        **options: object,
    ) -> Result:
        """Make a task whose body is a function of Python, or alter the task of that name.

        The function runs in this process, or in another one that has called `session.task` for the
        same task: a scheduler without the function leaves the run to others. It takes a session of
        the task's owner in the task's schema, closed after the run. Its statements may be run again
        where the process dies before the run has ended; where the function fails, too, if the task
        is tried again.

        Args:
            name: the name of the task.
            function: takes a session. What it returns is ignored, its error fails the run.
            after: the name of the predecessor, or the names of several.
            when: the condition, as after WHEN.
            options: the options of CREATE TASK, as `schedule="1 HOUR"`, `comment="…"`,
                `finalize="root"`, `config={"environment": "test"}`, `user_task_timeout_ms=60_000`.

        Raises:
            Never: the session is a client's of a server.
            ParameterError: there is no function, or an option has no name of an option.
            DefinitionRefused: an option has a bad value, or the tasks would be no graph.
            ObjectNotFound: a predecessor does not exist.

        >>> _ = session.sql("CREATE OR REPLACE TABLE arrivals (id INT)")
        >>> def load(own):
        ...     own.sql("INSERT INTO arrivals VALUES (1)")
        ...     own.sql("CALL SYSTEM$SET_RETURN_VALUE('one row')")
        >>> _ = session.task("load", load, schedule="1 HOUR")
        >>> session.sql("SHOW TASKS LIKE 'load'").to_arrow()["definition"].to_pylist()
        ["CALL SYSTEM$PYTHON_TASK('main.public.load')"]
        """
        wanted = PythonTask(name, function, after, when, options)
        with self._lock:
            self._require_open()
            with self._core.statement() as core, translated(core.spark):
                place, text = write_python_task(core, wanted)
            result = self.sql(text)
            register_function(self._core.database, place, function)
            return result

    def ingest_client(self, *, max_client_lag: float = 1.0) -> StreamingIngestClient:
        """Return a client that writes rows to the lake's tables through channels.

        Rows are committed when they have waited `max_client_lag` seconds, 0.1 to 600, or when many
        rows wait. Close the client, and the waiting rows are committed. Closing the session closes
        the client.

        Raises:
            ParameterError: the lag is out of bounds.

        >>> _ = session.sql("CREATE OR REPLACE TABLE t (id INT, v VARCHAR)")
        >>> with session.ingest_client() as client:
        ...     channel, status = client.open_channel("first", "main", "public", "t")
        ...     _ = channel.append_rows([{"id": 1, "v": "a"}, {"id": 2}], end_offset_token="2")
        ...     channel.wait_for_flush()
        ...     channel.get_latest_committed_offset_token()
        '2'
        >>> session.sql("SELECT * FROM t ORDER BY id").fetchall()
        [(1, 'a'), (2, None)]
        """
        with self._lock:
            self._require_open()
            client = open_client(self._core, max_client_lag)
            self._clients.append(client)
            return client

    def scheduler(self, *, parallel: int = 4, lease: float = 30.0) -> TaskScheduler:
        """Return a scheduler that runs the tasks of the lake in this process.

        Any number of processes may have one at once. In a `with` block it runs until the end of the
        block, and waits for runs under way.

        Args:
            parallel: how many runs of a client it executes at once; without a server all are one's.
            lease: how many seconds after its last sign of life, should the process be killed, other
                schedulers take its runs over.

        Raises:
            ParameterError: `parallel` is not from 1 to 64, or `lease` not from 1 to 3600.
            TransactionError: the session executes a task, or belongs to a server's client.
            NoThreads: the machine gives the process no more threads, when the block begins.

        >>> import tempfile, time
        >>> from icemelt import connect
        >>> with connect(tempfile.mkdtemp(), maintain_every=None) as session:
        ...     _ = session.sql("CREATE TABLE runs (at TIMESTAMP)")
        ...     _ = session.sql("CREATE TASK tick AS INSERT INTO runs SELECT CURRENT_TIMESTAMP")
        ...     with session.scheduler():
        ...         _ = session.sql("EXECUTE TASK tick")
        ...         while not session.sql("SELECT * FROM runs").fetchall():
        ...             time.sleep(0.1)
        ...     session.sql("SELECT COUNT(*) FROM runs").fetchall()
        [(1,)]
        """
        self._require_open()
        if not 1 <= parallel <= _MOST_PARALLEL_RUNS:
            raise ParameterError(
                f"A scheduler executes 1 to {_MOST_PARALLEL_RUNS} runs at once, found {parallel}.",
                hint="session.scheduler(parallel=4)",
            )
        if not 1 <= lease <= _LONGEST_LEASE:
            raise ParameterError(
                f"The lease of a scheduler is 1 to {_LONGEST_LEASE} seconds, found {lease}.",
                hint="session.scheduler(lease=30)",
            )
        if self._make_scheduler is None:
            raise TransactionError(
                "A session of a task's body, or of a server's client, has no scheduler.",
                hint="icemelt.connect(…).scheduler()",
            )
        return self._make_scheduler(self, parallel, lease)

    def use(
        self, database: str | None = None, schema: str | None = None, timezone: str | None = None
    ) -> None:
        """Set the current database, the current schema and the time zone.

        Args:
            database: the database to use, None to keep the current one.
            schema: the schema to use, None to keep the current one.
            timezone: the time zone, as `Europe/Berlin`, None to keep the current one.

        Raises:
            ObjectNotFound: there is no such database or schema.
            ValueRefused: there is no such time zone.

        >>> session.use(schema="public")
        >>> session.schema
        'public'
        """
        with self._lock:
            self._require_open()
            use_namespace(self._core, database, schema, timezone)

    def cancel(self, *, for_good: bool = False) -> None:
        """Cancel the running statement; call this from another thread or a signal handler.

        Args:
            for_good: whether every later statement is refused as cancelled.
        """
        self._core.jobs.cancel(for_good=for_good)

    @property
    def publishes_nothing(self) -> bool:
        """Whether the session was cancelled for good before its statement could be published."""
        return self._core.jobs.publishes_nothing

    @contextlib.contextmanager
    def hiding_places(self) -> Iterator[None]:
        """Take the server's folders out of the errors of a block, if the session is a guest's."""
        with hiding_places(self._core):
            yield

    def running_jobs(self) -> list[int]:
        """Return the ids of the Spark jobs that the session runs now.

        >>> session.running_jobs()
        []
        """
        return self._core.jobs.running()

    def close(self) -> None:
        """Roll back the open transaction, and drop temporary tables and files; Spark goes on."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._ended.set()
            for client in self._clients:
                with tolerate(IcemeltError, to="close an ingest client of a session"):
                    client.close()
            with tolerate(IcemeltError, to="roll back the transaction of a session that ends"):
                rollback(self._core)
            with tolerate(IcemeltError, to="drop the temporary tables of a session that ends"):
                drop_temporary_objects(self._core)
            self._core.relations.scratch.close()
            if self._owns_catalog:
                self._core.plans.close()
                self._core.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _require_no_transaction(self) -> None:
        self._require_open()
        current = self._core.settings.transaction
        if current is not None:
            raise QueryError(
                f"Transaction {current.transaction_id} is open already.",
                hint="COMMIT or ROLLBACK it first.",
            )

    def _record_failure(self, history: History, error: IcemeltError) -> None:
        """Add a failed statement to the history, unless the statement was published anyway."""
        is_usual = isinstance(error, CatalogError)  # the statement failed as the catalog is away
        to = "note a statement that failed in the history"
        with tolerate(IcemeltError, to=to, is_usual=is_usual):
            if not is_in_history(self._core, history.statement_id):
                self._core.record(history.failed(error))

    def _require_open(self) -> None:
        if self._closed:
            raise QueryError("The session is closed.", hint="icemelt.connect(…) opens another.")


def core_of(session: Session) -> Core:
    """Return a session's parts, for the modules of this package."""
    return session._core  # noqa: SLF001 - the one way in


def _validate_text(text: object) -> str:
    if not isinstance(text, str):
        raise SqlSyntaxError(
            f"A statement is a text, found {type(text).__name__}.", hint='session.sql("SELECT 1")'
        )
    if "\0" in text:
        raise SqlSyntaxError(
            "A statement has no NUL characters.", hint=r"Write '\0' in a text, or bind a parameter."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SqlSyntaxError(
            "A statement has characters that are halves of others, and nothing can keep.",
            hint="Decode the text that it was made of as UTF-8.",
        ) from None
    return text


def _first_word(text: str) -> str:
    word = text.strip().split(maxsplit=1)[:1]
    return word[0].upper()[:32] if word else ""
