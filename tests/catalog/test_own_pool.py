"""A catalog with a separate connection pool does not wait for connections of the first pool."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from conftest import sqlite_url
from icemelt.catalog.connections import MOST_CONNECTIONS
from icemelt.catalog.database import open_database
from icemelt.errors import CatalogUnavailable


def test_health_has_connections_while_all_others_are_taken(tmp_path: Path) -> None:
    database = open_database(sqlite_url(tmp_path), str(tmp_path / "warehouse"))
    health = database.with_own_pool(2)
    database.engine.pool._timeout = 0.1  # type: ignore[attr-defined]
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            stack.enter_context(database.read())
        with pytest.raises(CatalogUnavailable, match="All connections"), database.read():
            pass
        for _ in range(3):
            with health.read() as connection:
                assert health.read_lake(connection).lake_id == database.lake_id
    with database.read():
        pass
    health.close()
    database.close()
