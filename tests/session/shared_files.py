"""Which files a lake has, and which files its tables name; for tests of clones."""

from __future__ import annotations

import sqlalchemy as sa

from conftest import Lake
from icemelt import Session
from icemelt.catalog.model import objects, versions

__all__ = ["find_lost_files", "find_unnamed_files", "named_files", "present_files"]


def present_files(lake: Lake) -> set[str]:
    """Return the files of all tables, without checksums."""
    found = (lake.folder / "warehouse").glob("*/*/**/*")
    return {str(path) for path in found if path.is_file() and not path.name.startswith(".")}


def named_files(session: Session, *, with_log: bool = False) -> set[str]:
    """Return the files that the live tables name, and those that UNDROP can restore.

    Args:
        session: a session of the lake.
        with_log: whether metadata files of earlier versions, which may be gone, are included.
    """
    database = session._core.database
    with database.read() as connection:
        query = sa.select(objects.c.known_location).where(objects.c.kind == "table")
        locations = [*connection.scalars(query)]
        earlier = sa.select(versions.c.location).where(versions.c.location.is_not(None))
        log = {*connection.scalars(earlier)} if with_log else set()
    return set().union(log, *(_files_of(session, location) for location in locations))


def find_lost_files(lake: Lake, session: Session) -> set[str]:
    """Return the files that tables name and that are gone; no such file may be."""
    lost = named_files(session) - present_files(lake)
    return {file for file in lost if not file.endswith(".metadata.json")}


def find_unnamed_files(lake: Lake, session: Session) -> set[str]:
    """Return the files that no table names."""
    return present_files(lake) - named_files(session, with_log=True)


def _files_of(session: Session, location: str) -> set[str]:
    iceberg = session._core.iceberg
    metadata = iceberg.metadata(location)
    files = {location}
    files |= {each["metadata-file"] for each in metadata.document.get("metadata-log", ())}
    files |= {each["manifest-list"] for each in metadata.document.get("snapshots", ())}
    if metadata.snapshots:
        relation = iceberg.pin(location)
        for table, column in (
            ("all_manifests", "path"),
            ("all_data_files", "file_path"),
            ("all_delete_files", "file_path"),
        ):
            rows = session._core.spark.table(f"{relation}.{table}").select(column).collect()
            files |= {row[0] for row in rows}
    return {file.removeprefix("file:") for file in files}
