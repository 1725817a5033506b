"""The lake of a command."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from icemelt.cli.loading import loading_while_java_starts
from icemelt.errors import CatalogUnavailable
from icemelt.lake_folder import resolve_lake_folder

if TYPE_CHECKING:
    from icemelt.engine.start.configuration import LaunchOptions
    from icemelt.session import Session

__all__ = ["DEFAULT_FOLDER", "Lake", "choose_lake"]

DEFAULT_FOLDER = "./lake"
_CATALOG_FILE = "catalog.db"
_WAREHOUSE_FOLDER = "warehouse"
_PASSWORD = re.compile(r"(://[^:/@]*):[^@/]*@")


@dataclass(frozen=True, slots=True)
class Lake:
    """A lake as named on the command line: a folder, a catalog and a warehouse, or all three."""

    folder: str | None
    catalog: str | None = None
    warehouse: str | None = None

    @property
    def label(self) -> str:
        """The lake's name for people, without a password.

        >>> Lake(None, "postgresql://ann:secret@db/lake", "s3a://b/l").label
        'postgresql://ann:•••@db/lake'
        """
        if self.catalog is not None:
            return _PASSWORD.sub(r"\1:•••@", self.catalog)
        return str(self.folder)

    @property
    def path(self) -> Path | None:
        """The folder's full path."""
        return None if self.folder is None else resolve_lake_folder(self.folder)

    @property
    def catalog_file(self) -> Path | None:
        """The SQLite file of the catalog, None for a catalog elsewhere."""
        if self.catalog is not None or self.path is None:
            return None
        return self.path / _CATALOG_FILE

    @property
    def warehouse_place(self) -> str:
        """The folder or bucket of the tables' files."""
        if self.warehouse is not None:
            return self.warehouse.rstrip("/")
        return str((self.path or Path()) / _WAREHOUSE_FOLDER)

    @property
    def is_new(self) -> bool:
        """Whether opening would make the lake; unknown, and False, for a catalog elsewhere."""
        return self.catalog_file is not None and not self.catalog_file.exists()

    def require_existing(self) -> None:
        """Require an existing lake, for a command that makes no lake.

        Raises:
            CatalogUnavailable: opening would make the lake.
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
        """Open the lake in a new session.

        Args:
            database: the current database, None for the default.
            schema: the current schema, None for the default.
            maintain_every: seconds between runs of maintenance, None for none.
            launching: the options with which Spark starts.

        Raises:
            IcemeltError: the lake cannot be opened, or the database or schema does not exist.
        """
        from icemelt.engine.start.configuration import LaunchOptions  # noqa: PLC0415

        options = launching or LaunchOptions(has_ml=False)
        with loading_while_java_starts(options):
            from icemelt.session.opening import Origin, find_places, open_lake  # noqa: PLC0415

            url, warehouse = find_places(self.folder, self.catalog, self.warehouse)
            origin = Origin(url, warehouse, maintain_every=maintain_every, options=options)
            session = open_lake(origin)
        if database is not None:
            session.sql(f"USE DATABASE {_quote(database)}")
        if schema is not None:
            session.sql(f"USE SCHEMA {'.'.join(_quote(part) for part in schema.split('.'))}")
        return session


def choose_lake(folder: str | None, catalog: str | None, warehouse: str | None) -> Lake:
    """Return the lake named by arguments; without arguments, the folder `./lake`.

    Args:
        folder: the lake's folder.
        catalog: the URL of the catalog's database.
        warehouse: the folder or bucket of the tables' files.

    Raises:
        CatalogUnavailable: a catalog was given without the place of its tables, or the folder is
            not on this machine.

    >>> choose_lake(None, None, None).label
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
        resolve_lake_folder(folder)
    return Lake(folder, catalog, warehouse)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
