"""What the server and the command line need of a session, beyond the public methods."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from icemelt.catalog.database import Database
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.start.jars import FUNCTIONS
from icemelt.engine.start.places import cache_folder, log_folder
from icemelt.engine.start.submit import spark_home
from icemelt.errors import FileRefused
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.schema import Column
from icemelt.session.ingestion import open_ingestor, resume
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.cores import make_core_on_new_spark, make_guest_core
from icemelt.session.runtime.guest_places import limit_guests
from icemelt.session.runtime.kept_results import KeptResults, ResultRows
from icemelt.session.runtime.spark_errors import telling_failed_start, translated
from icemelt.session.session import Session, core_of
from icemelt.spark_java import java_vm
from icemelt.storage.locations import is_within, local_form, local_path
from icemelt.tables.writes.appending import warm_up

__all__ = [
    "blame_files_alone",
    "catalog_of",
    "columns_at",
    "limit_to_locations",
    "open_guest",
    "open_host_ingestor",
    "reopen",
    "resume_ingestor",
    "share_results",
    "validate_locations",
    "warm_up_appends",
]

# rows of a script's earlier statements, which later ones may read by RESULT_SCAN
_MOST_RESULT_BYTES = 16 << 20


def catalog_of(session: Session) -> Database:
    """Return the catalog's database: the registry of objects, keys and channels."""
    return core_of(session).database


def columns_at(session: Session, location: str) -> tuple[Column, ...]:
    """Return the columns of a table from the metadata file at a location."""
    with translated(session.spark):
        return core_of(session).iceberg.metadata(location).columns


def open_host_ingestor(host: Session, lag: float) -> Ingestor:
    """Return an ingestor on the host's Spark, whose rows wait at most `lag` seconds.

    Raises:
        ParameterError: the lag is out of bounds.
    """
    return open_ingestor(core_of(host), lag)


def resume_ingestor(ingestor: Ingestor, host: Session) -> None:
    """Continue an ingestor with a host whose Spark was started again."""
    resume(ingestor, core_of(host))


def warm_up_appends(host: Session) -> None:
    """Load the Java classes of a commit: else the first commit of rows would wait for them.

    Raises:
        SparkDied: Spark ended meanwhile.
    """
    with telling_failed_start(host.spark):
        warm_up(core_of(host).iceberg)


def reopen(host: Session, options: LaunchOptions) -> Session:
    """Return a new session on a new Spark, in place of a host whose Spark died.

    The new session uses the host's catalog, and is closed before the host.

    Raises:
        SetupError: Spark does not start.
    """
    return Session(make_core_on_new_spark(core_of(host), options), owns_catalog=False)


def open_guest(
    host: Session,
    user: str,
    locations: Sequence[str],
    *,
    key_id: str | None = None,
    pool: str = "",
) -> Session:
    """Return a session on the host's lake for the statements of a server's client.

    A guest calls only functions that compute with their arguments. COPY INTO reads and writes below
    the `locations` alone. A query is added to the history once its rows were fetched. The guest is
    closed before its host.

    Args:
        host: the session that owns Spark and the catalog.
        user: the user in the history.
        locations: the folders and locations that COPY INTO may name.
        key_id: the id of the client's key in the history, None without keys.
        pool: the pool of Spark's scheduler for the guest's jobs, empty for the application's
            default.
    """
    core = core_of(host)
    guest_core = make_guest_core(core, user, locations, pool)
    guest_core = replace(guest_core, key_id=key_id, results=KeptResults(_MOST_RESULT_BYTES))
    return Session(guest_core, owns_catalog=False)


def share_results(guest: Session, find: Callable[[str], ResultRows | None]) -> None:
    """Let RESULT_SCAN of a guest find the results of the client's earlier sessions.

    Args:
        guest: the session of the client.
        find: returns the rows of a statement of the same client, None where there are none.
    """
    core_of(guest).results.find_elsewhere = find


def blame_files_alone(host: Session, ran_alone: Callable[[], bool]) -> None:
    """Suspect a file of COPY INTO of Spark's death only if its statement `ran_alone`."""
    core_of(host).suspects.ran_alone = ran_alone


def limit_to_locations(host: Session, locations: Sequence[str]) -> None:
    """Run what guests have left, as the bodies of their tasks and their pipes, within locations.

    It reads and writes where the guest might who wrote it, and below the locations alone: a process
    that is started with fewer locations than before narrows what was made before.

    Args:
        host: a session; those that maintain the lake beside it are limited, too.
        locations: the folders and locations that COPY INTO may name; none for nowhere.
    """
    limit_guests(core_of(host), tuple(locations))


def validate_locations(host: Session, locations: Sequence[str]) -> None:
    """Refuse locations for guests that overlap with icemelt's own files.

    Raises:
        FileRefused: through a location a guest could read or remove tables, results or programs.
        SparkDied: Spark ended meanwhile.
    """
    core = core_of(host)
    warehouse = core.database.warehouse
    with telling_failed_start(core.spark):
        own, parents = _own_folders(core), _temporary_folders(core)
    for location in locations:
        place = local_form(location)
        if place is None:
            if is_within(location, warehouse) or is_within(warehouse, location):
                raise _own_files_error(location, "the lake's own files")
            continue
        folder = Path(os.path.realpath(place))
        for path, what in own:
            if path.is_relative_to(folder) or folder.is_relative_to(path):
                raise _own_files_error(location, what)
        if any(path.is_relative_to(folder) for path in parents):
            raise _own_files_error(location, "temporary files")


def _own_folders(core: Core) -> list[tuple[Path, str]]:
    """Return the paths that no location may contain or lie in, with words for the error."""
    lake = [core.database.warehouse, core.database.engine.url.database or ""]
    places = [(path, "the lake's own files") for path in map(local_path, filter(None, lake))]
    places += [
        (local_path(core.relations.scratch.location), "temporary files"),
        (str(log_folder()), "logs"),
        (str(cache_folder("jars").parent), "the jars that Spark runs"),
        (str(spark_home()), "Spark's own files"),
        (str(FUNCTIONS.parent.parent), "icemelt's own files"),
    ]
    return [(Path(os.path.realpath(path)), what) for path, what in places if path]


def _temporary_folders(core: Core) -> list[Path]:
    """Return the folders in which programs create folders for temporary files."""
    java: Any = java_vm(core.spark)
    given = core.spark.sparkContext.getConf().get("spark.local.dir", "") or ""
    folders = [tempfile.gettempdir(), java.java.lang.System.getProperty("java.io.tmpdir")]
    return [Path(os.path.realpath(path)) for path in (*folders, *filter(None, given.split(",")))]


def _own_files_error(location: str, what: str) -> FileRefused:
    return FileRefused(
        f"Location {location!r} has {what} in it, or is among them.",
        hint="Give a folder beside the lake: icemelt serve --location /srv/exchange",
    )
