"""Workspaces: private pointers of the tables written by a transaction, until publication."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from icemelt.tables.iceberg import Iceberg, relation
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["Workspace", "open_workspace"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """A private namespace of the session's in-memory Iceberg catalog.

    A table in the namespace is named by its object id. No name given by a user can collide.

    Args:
        iceberg: the session's Iceberg.
        namespace: the namespace, with a random name by default.
    """

    iceberg: Iceberg
    namespace: tuple[str, ...] = field(default_factory=lambda: (f"w{uuid.uuid4().hex}",))

    def add(self, object_id: str, location: str) -> str:
        """Copy a table's pointer into the workspace; return the table's name in Spark SQL.

        Args:
            object_id: the table's object id.
            location: the metadata file to which the private pointer points.
        """
        self.iceberg.register(self.namespace, object_id, location)
        return self.relation(object_id)

    def relation(self, object_id: str) -> str:
        """Return the Spark SQL name of a table in the workspace."""
        return relation(self.namespace, object_id)

    def current(self, object_id: str) -> TableMetadata:
        """Return the metadata of a table in the workspace, as of now."""
        return self.iceberg.current(self.namespace, object_id)


@contextmanager
def open_workspace(iceberg: Iceberg) -> Iterator[Workspace]:
    """Open a workspace for one attempt at a transaction; forget the pointers at the end."""
    workspace = Workspace(iceberg)
    try:
        yield workspace
    finally:
        iceberg.forget(workspace.namespace)
