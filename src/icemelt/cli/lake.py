"""Which lake a command is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from icemelt.errors import CatalogUnavailable
from icemelt.lake_folder import lake_folder

if TYPE_CHECKING:
    from icemelt.engine.start.configuration import LaunchOptions
    from icemelt.session import Session

__all__ = ["DEFAULT_FOLDER", "Lake", "choose"]

DEFAULT_FOLDER = "./lake"
_CATALOG_FILE = "catalog.db"
_WAREHOUSE_FOLDER = "warehouse"
_PASSWORD = re.compile(r"(://[^:/@]*):[^@/]*@")


@dataclass(frozen=True, slots=True)
class Lake:
    """A lake as the command line names it: a folder, or a catalog and a warehouse, or both."""

    folder: str | None
    catalog: str | None = None
    warehouse: str | None = None

    @property
    def label(self) -> str:
        """What to call the lake; a password is never shown.

        >>> Lake(None, "postgresql://ann:secret@db/lake", "s3a://b/l").label
        'postgresql://ann:•••@db/lake'
        """
        if self.catalog is not None:
            return _PASSWORD.sub(r"\1:•••@", self.catalog)
        return str(self.folder)

    @property
    def path(self) -> Path | None:
        """The folder's full path."""
        return None if self.folder is None else lake_folder(self.folder)

    @property
    def catalog_file(self) -> Path | None:
        """The SQLite file of the catalog, None where the catalog is elsewhere."""
        if self.catalog is not None or self.path is None:
            return None
        return self.path / _CATALOG_FILE

    @property
    def warehouse_place(self) -> str:
        """Where the tables' files are."""
        if self.warehouse is not None:
            return self.warehouse.rstrip("/")
        return str((self.path or Path()) / _WAREHOUSE_FOLDER)

    @property
    def is_new(self) -> bool:
        """Whether opening makes the lake; not known, and False, of a catalog that is elsewhere."""
        return self.catalog_file is not None and not self.catalog_file.exists()

    def refuse_new(self) -> None:
        """Let a lake pass that is there: a command that works on what it has makes none.

        Raises:
            CatalogUnavailable: opening would make it.
        """
        if self.is_new:
            raise CatalogUnavailable(
                f"There is no lake at {self.label!r}.",
                hint=f"Mend the name: icemelt sql {self.label} makes one, and icemelt serve.",
            )

    def open(
        self,
        database: str | None = None,
        schema: str | None = None,
        *,
        maintain_every: float | None = None,
        launching: LaunchOptions | None = None,
    ) -> Session:
        """Open the lake, with a current database and schema, on a Spark that is `launching`.

        Raises:
            IcemeltError: it cannot be opened, or the database or schema does not exist.
        """
        from icemelt.engine.start import launch  # noqa: PLC0415 - loads Spark

        options = launching or launch.LaunchOptions()
        launch.launch_soon(options)
        # takes as long as Java does to start
        from icemelt.session.opening import Origin, open_lake, places_of  # noqa: PLC0415

        url, warehouse = places_of(self.folder, self.catalog, self.warehouse)
        session = open_lake(Origin(url, warehouse, maintain_every=maintain_every, options=options))
        if database is not None:
            session.sql(f"USE DATABASE {_quoted(database)}")
        if schema is not None:
            session.sql(f"USE SCHEMA {'.'.join(_quoted(part) for part in schema.split('.'))}")
        return session


def choose(folder: str | None, catalog: str | None, warehouse: str | None) -> Lake:
    """Return the lake that arguments name; without any it is the folder `./lake`.

    Raises:
        CatalogUnavailable: a catalog was given without the place of its tables, or the folder is
            none of this machine's.

    >>> choose(None, None, None).label
    './lake'
    """
    if catalog is not None and folder is None and warehouse is None:
        raise CatalogUnavailable(
            "A catalog needs the place of its tables too.",
            hint="Add --warehouse with a folder, or a location as s3a://bucket/lake.",
        )
    if catalog is None and folder is None:
        folder = DEFAULT_FOLDER
    if folder is not None:
        lake_folder(folder)
    return Lake(folder, catalog, warehouse)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
