"""The locations of metadata files of tables and views, as Iceberg names them."""

from __future__ import annotations

import uuid

__all__ = ["first_metadata_file", "folder_of"]


def first_metadata_file(folder: str) -> str:
    """Return the location of the metadata file of a new table or view.

    >>> first_metadata_file("/lake/v-1").startswith("/lake/v-1/metadata/00000-")
    True
    """
    return f"{folder}/metadata/00000-{uuid.uuid4()}.metadata.json"


def folder_of(location: str) -> str:
    """Return the folder of a table or view, by the location of its metadata file.

    >>> folder_of(first_metadata_file("/lake/v-1"))
    '/lake/v-1'
    """
    return location.rsplit("/metadata/", 1)[0]
