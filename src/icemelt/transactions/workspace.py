"""A workspace: private pointers of the tables a transaction writes, until it is published."""

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
    """Tables are named by their object ids in it, so that no user's name can get in the way."""

    iceberg: Iceberg
    namespace: tuple[str, ...] = field(default_factory=lambda: (f"w{uuid.uuid4().hex}",))

    def add(self, object_id: str, location: str) -> str:
        """Give the workspace a private copy of a table's pointer; return its relation."""
        self.iceberg.register(self.namespace, object_id, location)
        return self.relation(object_id)

    def relation(self, object_id: str) -> str:
        """Return a table of the workspace in Spark SQL."""
        return relation(self.namespace, object_id)

    def current(self, object_id: str) -> TableMetadata:
        """Return where a table of the workspace points now."""
        return self.iceberg.current(self.namespace, object_id)


@contextmanager
def open_workspace(iceberg: Iceberg) -> Iterator[Workspace]:
    """Open a workspace for one attempt at a transaction; its pointers go with it."""
    workspace = Workspace(iceberg)
    try:
        yield workspace
    finally:
        iceberg.forget(workspace.namespace)
