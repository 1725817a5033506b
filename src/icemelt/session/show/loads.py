"""The files that COPY INTO and pipes have read, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.records import Listing
from icemelt.errors import FileRefused
from icemelt.session.files.file_places import stage_folder
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.hiding import shown_error
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.times import as_datetime

__all__ = ["LOAD_COLUMNS", "load_rows"]

LOAD_COLUMNS = (
    "database_name",
    "schema_name",
    "table_name",
    "file_name",
    "file_size",
    "loaded_on",
    "status",
    "rows_loaded",
    "rows_parsed",
    "errors_seen",
    "first_error",
    "first_line",
    "first_column",
    "pipe_database",
    "pipe_schema",
    "pipe_name",
)


def load_rows(core: Core, listing: Listing) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each file loaded into the tables of a listing, with its stages.

    A file of a stage in the warehouse is `@database.schema.stage/path`, any other file has its
    path. Of a file outside of the places that a guest may name, the guest sees the file's own name.
    """
    show = _path_shower(core, listing)
    for listed in listing.loads:
        table, load, pipe = listed.table.name, listed.load, listed.pipe
        parsed = load.rows_parsed
        yield (
            table.database,
            table.schema,
            table.name,
            show(load.path),
            load.size,
            as_datetime(listed.loaded_at),
            load.status.replace("_", " "),
            load.rows_loaded,
            load.rows_loaded + load.errors if parsed is None else parsed,
            load.errors,
            shown_error(core, load.first_error),
            load.first_line,
            load.first_column,
            *((None, None, None) if pipe is None else (pipe.database, pipe.schema, pipe.name)),
        )


def _path_shower(core: Core, listing: Listing) -> Callable[[str], str]:
    """Return the function that tells how the path of a loaded file is shown."""
    folders = {
        f"{stage_folder(core, stage).rstrip('/')}/": f"@{stage.name}/"
        for stage in listing.of(StageRecord)
        if stage.url is None
    }

    @cache
    def may_name(folder: str) -> bool:
        try:
            core.reach.validate_inside(folder, folder, hadoop_locations(core.iceberg))
        except FileRefused:
            return False
        return True

    def show(path: str) -> str:
        for folder, stage in folders.items():
            if path.startswith(folder):
                return f"{stage}{path.removeprefix(folder)}"
        folder, _, name = path.rpartition("/")
        return path if not core.is_guest or may_name(folder) else name

    return show
