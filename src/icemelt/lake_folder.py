"""The folder of a lake, from the path given by a user."""

from __future__ import annotations

import re
from pathlib import Path

from icemelt.errors import CatalogUnavailable

__all__ = ["resolve_lake_folder"]

_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):/")
_DATABASES = ("postgres", "sqlite")


def resolve_lake_folder(lake: str | Path) -> Path:
    """Return the full path of a lake's folder.

    Raises:
        CatalogUnavailable: the text is no folder of this machine, but a URL.

    >>> resolve_lake_folder("/lakes/one")
    PosixPath('/lakes/one')
    >>> resolve_lake_folder("s3://bucket/one")
    Traceback (most recent call last):
    ...
    icemelt.errors.CatalogUnavailable: A lake is a folder of this machine, found 's3:/…'...
    """
    url = _URL.match(str(lake))
    if url is None:
        return Path(lake).expanduser().absolute()
    scheme = url.group(1)
    # the rest may hold a password
    message = f"A lake is a folder of this machine, found '{scheme}:/…'."
    if scheme.lower() == "file":
        raise CatalogUnavailable(message, hint="Give its path: /path/of/lake")
    catalog, warehouse = "postgresql://user@host/lake", str(lake)
    if scheme.lower().startswith(_DATABASES):
        catalog, warehouse = "…", "s3://bucket/lake"
    raise CatalogUnavailable(
        message,
        hint=f'Name the database, and where the tables are: icemelt.connect(catalog="{catalog}", '
        f'warehouse="{warehouse}"), or --catalog and --warehouse.',
    )
