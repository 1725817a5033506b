"""Open a lake: the catalog, Spark, and a session of both."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from icemelt.catalog.database import Database, open_database, sqlite_url
from icemelt.engine.slots import MAINTENANCE
from icemelt.engine.start.launch import LaunchOptions, check_compatible, launch_spark, running_spark
from icemelt.errors import CatalogUnavailable
from icemelt.file_modes import make_folder
from icemelt.lake_folder import resolve_lake_folder
from icemelt.session.background_maintenance import (
    HOUR,
    REFRESH_SECONDS,
    start_background_maintenance,
    start_background_pipes,
    start_background_refresh,
)
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.cores import make_core, open_spark_session
from icemelt.session.runtime.spark_errors import telling_failed_start, translated
from icemelt.session.session import Session, core_of
from icemelt.session.show.information import information_rows

if TYPE_CHECKING:
    from icemelt.session.tasks.scheduler import Scheduler

__all__ = [
    "Origin",
    "connect",
    "find_places",
    "open_lake",
    "open_session",
]


def connect(  # noqa: PLR0913 - each is one thing a user may set
    lake: str | Path | None = None,
    *,
    catalog: str | None = None,
    warehouse: str | None = None,
    spark: SparkSession | None = None,
    user: str | None = None,
    master: str = "local[*]",
    memory: str | None = None,
    log_level: str = "ERROR",
    conf: Mapping[str, str] | None = None,
    packages: Sequence[str] = (),
    scratch: str | None = None,
    maintain_every: float | None = HOUR,
) -> Session:
    """Open a lake, or create a new lake.

    A lake is a folder, with SQLite as the catalog and the tables as files below. In production a
    lake is a `catalog` (a PostgreSQL URL) and a `warehouse` (a location for Spark to write).

    Args:
        lake: the folder of the lake.
        catalog: the URL of the catalog's database.
        warehouse: the location of the tables.
        spark: a running SparkSession with Iceberg's extensions. Without one, Spark is started once
            in a process, with the options below.
        user: the user in the history, by default the user of the operating system.
        master: Spark's master.
        memory: Java's memory, as `4g`.
        log_level: Spark's log level.
        conf: more of Spark's settings.
        packages: Maven packages for Spark.
        scratch: where reads put temporary files. Executors on other machines need a shared place.
        maintain_every: the seconds between two runs of maintenance in the background, None for no
            maintenance. With it the stages with AUTO_REFRESH are listed, and the pipes with
            AUTO_INGEST run, at least every minute.

    Raises:
        SetupError: Java, the jars or Spark are not as needed.
        CatalogError: the catalog cannot be opened.

    >>> import tempfile
    >>> with connect(tempfile.mkdtemp()) as lake:
    ...     lake.sql("SELECT 1 AS one").fetchall()
    [(1,)]
    """
    options = None
    if spark is None:
        options = LaunchOptions(
            master=master,
            memory=memory,
            log_level=log_level,
            conf=conf or {},
            packages=tuple(packages),
        )
    url, place = find_places(lake, catalog, warehouse)
    return open_lake(Origin(url, place, user, scratch, maintain_every, options), spark)


@dataclass(frozen=True, slots=True)
class Origin:
    """The arguments of `connect` for a session, to open another session of the same lake.

    `url` is the URL of the catalog. `options` is None where a running SparkSession was handed in.
    """

    url: str
    warehouse: str
    user: str | None = None
    scratch: str | None = None
    maintain_every: float | None = None
    options: LaunchOptions | None = None


def open_lake(origin: Origin, spark: SparkSession | None = None) -> Session:
    """Open a lake as `connect` does, on a SparkSession or on a Spark that is started.

    Raises:
        SetupError: Java, the jars or Spark are not as needed.
        CatalogError: the catalog cannot be opened.
    """
    database = open_database(origin.url, origin.warehouse)
    if spark is None:
        spark = launch_spark(origin.options)
    else:
        check_compatible(spark)
    with telling_failed_start(spark):
        session = open_session(
            spark, database, user=origin.user, scratch=origin.scratch, options=origin.options
        )
    if origin.maintain_every is not None:
        # by the next run Spark may have been started again; a SparkSession from outside stays
        given = None if origin.options is not None else spark
        open_other = partial(_open_other, origin, given, core_of(session))
        start_background_maintenance(database, open_other, session.ended, origin.maintain_every)
        seconds = min(REFRESH_SECONDS, origin.maintain_every)
        start_background_refresh(database, open_other, session.ended, seconds)
        start_background_pipes(database, open_other, session.ended, seconds)
    return session


def _open_other(origin: Origin, given: SparkSession | None, first: Core) -> Session:
    """Open a second session of the lake, for maintenance.

    Args:
        origin: the arguments of the first session.
        given: the SparkSession that was handed in, None where icemelt has started Spark.
        first: the parts of the first session: the files under which Spark died are known there, and
            the limit of guests; all else is new.
    """
    spark = running_spark() if given is None else given
    with translated(spark):
        own, database = open_spark_session(spark), open_database(origin.url, origin.warehouse)
        user = origin.user or getpass.getuser()
        core = make_core(own, database, user, information_rows, origin.scratch, MAINTENANCE)
        shared = replace(core, suspects=first.suspects, guest_limit=first.guest_limit)
        return Session(shared)


def open_session(
    spark: SparkSession,
    database: Database,
    *,
    user: str | None = None,
    scratch: str | None = None,
    options: LaunchOptions | None = None,
) -> Session:
    """Return a session of an open catalog, with a Spark session of its own.

    Args:
        spark: the application's Spark session.
        database: the open catalog.
        user: the user in the history, None for the user of the operating system.
        scratch: where reads put temporary files, None for the default place of this machine.
        options: how a scheduler of the session starts Spark again after Spark died; None where
            Spark was started elsewhere.
    """
    own = open_spark_session(spark)
    core = make_core(own, database, user or getpass.getuser(), information_rows, scratch)
    return Session(core, make_scheduler=partial(_make_scheduler, options))


def _make_scheduler(
    options: LaunchOptions | None, session: Session, parallel: int, lease: float
) -> Scheduler:
    # webhooks need a client of HTTP, which few sessions do
    from icemelt.session.tasks.hosts import SessionHost  # noqa: PLC0415
    from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions  # noqa: PLC0415

    chosen = SchedulerOptions(parallel=parallel, lease_seconds=lease)
    return Scheduler(SessionHost(session, options), chosen)


def find_places(
    lake: str | Path | None, catalog: str | None, warehouse: str | None
) -> tuple[str, str]:
    """Return the URL of the catalog and the location of the warehouse.

    Args:
        lake: the lake's folder, None for a lake of a catalog and a warehouse.
        catalog: the URL of the catalog, None for SQLite in the folder.
        warehouse: the location of the tables, None for a folder below the lake's.
    """
    if lake is not None:
        folder = resolve_lake_folder(lake)
        try:
            make_folder(folder)
            make_folder(folder / "warehouse")
        except OSError as error:
            raise CatalogUnavailable(
                f"Lake folder {str(folder)!r} cannot be made: {error.strerror}.",
                hint="Give another folder, or the right to write this one.",
            ) from error
        place = warehouse or str(folder / "warehouse")
        if catalog is not None:
            return catalog, place
        return sqlite_url(folder / "catalog.db"), place
    if catalog is None or warehouse is None:
        raise CatalogUnavailable(
            "A lake is a folder, or a catalog and a warehouse.",
            hint='icemelt.connect("./lake"), or connect(catalog="postgresql://…", warehouse="…").',
        )
    return catalog, warehouse.rstrip("/")
