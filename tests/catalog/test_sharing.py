"""No other engine drops or renames a table that shares files, on either kind of catalog."""

from __future__ import annotations

import uuid

import pytest
import sqlalchemy as sa

from icemelt.catalog.clone_edits import EndSharing, ShareFiles, SwapObjects
from icemelt.catalog.database import Database
from icemelt.catalog.edits import (
    CommitRequest,
    DropObject,
    Edit,
    MakeTable,
    MoveObject,
    VersionStats,
)
from icemelt.catalog.model import iceberg_tables, objects, sharing
from icemelt.catalog.publishing import Published, TableChanged, publish
from icemelt.catalog.queries.leftovers import forget_table, unnamed_tables
from icemelt.catalog.queries.reading import container
from icemelt.catalog.queries.sharing import family_ids, find_family
from icemelt.names import QualifiedName

TABLES = {name: str(uuid.uuid4()) for name in ("source", "clone", "other")}
ORDINARY = iceberg_tables.c.table_name == "other"


@pytest.fixture
def family(registry: Database) -> Database:
    """A source and its clone, and an ordinary table."""
    with registry.read() as connection:
        schema = container(connection, "main", "public")
    assert schema is not None
    made = [_table(name, schema.object_id) for name in TABLES]
    shared = ShareFiles(
        TABLES["source"], "/w/source/0", "/w/source/1", "/w/source", TABLES["clone"], "/w/clone"
    )
    _change(registry, *made[:1], shared, *made[1:])
    return registry


def _table(name: str, schema_id: str) -> MakeTable:
    full = QualifiedName("main", "public", name)
    stats = VersionStats(None, "CREATE")
    uid = str(uuid.uuid4())
    return MakeTable(TABLES[name], schema_id, full, full.namespace, uid, f"/w/{name}/0", stats)


def _change(database: Database, *edits: Edit) -> None:
    assert isinstance(_publish(database, *edits), Published)


def _publish(database: Database, *edits: Edit) -> object:
    return publish(database, CommitRequest(str(uuid.uuid4()), "a session", "ann", edits))


def _pointers(database: Database) -> dict[str, str]:
    with database.read() as connection:
        rows = connection.execute(sa.select(iceberg_tables)).all()
    return {row.table_name: row.metadata_location for row in rows}


@pytest.mark.parametrize("name", ["source", "clone"])
def test_a_shared_table_is_neither_dropped_nor_renamed_elsewhere(
    family: Database, name: str
) -> None:
    this = iceberg_tables.c.table_name == name
    before = _pointers(family)
    for statement in (
        iceberg_tables.delete().where(this),
        iceberg_tables.update().where(this).values(table_name="renamed"),
        iceberg_tables.update().where(this).values(table_namespace="main.elsewhere"),
    ):
        with (
            pytest.raises(Exception, match="shares files with a clone"),
            family.engine.begin() as connection,
        ):
            connection.execute(statement)
    assert _pointers(family) == before
    # other engines commit to it, and do what they want with others
    with family.engine.begin() as connection:
        connection.execute(iceberg_tables.update().where(this).values(metadata_location="9"))
        connection.execute(iceberg_tables.update().where(ORDINARY).values(table_name="renamed"))
        connection.execute(iceberg_tables.delete().where(iceberg_tables.c.table_name == "renamed"))
    assert sorted(_pointers(family)) == ["clone", "source"]


def test_icemelt_renames_swaps_and_drops_shared_tables(family: Database) -> None:
    with family.read() as connection:
        schema = container(connection, "main", "public")
    assert schema is not None
    _change(family, MoveObject(TABLES["clone"], schema.object_id, "twin", "main.public"))
    assert _pointers(family)["twin"] == "/w/clone/0"
    _change(family, SwapObjects(TABLES["source"], TABLES["clone"]))
    assert (_pointers(family)["twin"], _pointers(family)["source"]) == ("/w/source/1", "/w/clone/0")
    _change(family, SwapObjects(TABLES["other"], TABLES["clone"]))
    assert (_pointers(family)["other"], _pointers(family)["source"]) == ("/w/clone/0", "/w/other/0")
    _change(family, DropObject(TABLES["source"]), DropObject(TABLES["clone"]))
    assert _pointers(family) == {"source": "/w/other/0"}


def test_sharing_begins_at_the_state_that_was_cloned(family: Database) -> None:
    again = ShareFiles(TABLES["source"], "/w/source/0", "/w/source/2", "", "another", "/w/another")
    assert _publish(family, again) == TableChanged(TABLES["source"])
    swapped = iceberg_tables.update().where(iceberg_tables.c.table_name == "source")
    with family.engine.begin() as connection:
        connection.execute(swapped.values(metadata_location="of another engine"))
    for edit in (
        ShareFiles(TABLES["source"], "/w/source/1", "/w/source/1", "", "another", "/w/another"),
        SwapObjects(TABLES["source"], TABLES["clone"]),
    ):
        assert _publish(family, edit) == TableChanged(TABLES["source"])
    with family.read() as connection:
        assert len(connection.execute(sa.select(sharing)).all()) == 2


def test_a_table_is_alone_when_the_others_are_forgotten(family: Database) -> None:
    end = EndSharing(TABLES["source"], "/w/source/1", "/w/source/2")
    assert _publish(family, end) == TableChanged(TABLES["source"])
    _change(family, DropObject(TABLES["clone"]))
    # UNDROP may bring it back
    assert _publish(family, end) == TableChanged(TABLES["source"])
    assert forget_table(family, TABLES["clone"])
    with family.read() as connection:
        # its folder is not that of a table which was never published
        assert unnamed_tables(connection, [TABLES["clone"], "x"]) == ["x"]
        [family_id] = family_ids(connection)
        found = find_family(connection, family, family_id)
    assert [table.object_id for table in found.tables] == [TABLES["source"]]
    assert len(found.folders) == 2
    _change(family, end)
    with family.read() as connection:
        # while the folder has files that the source names
        assert len(connection.execute(sa.select(sharing)).all()) == 2
    with family.engine.begin() as connection:
        # alone, it is as free as any
        connection.execute(iceberg_tables.delete().where(iceberg_tables.c.table_name == "source"))
        rows = connection.execute(sa.select(objects).where(objects.c.kind == "table")).all()
    assert {row.name for row in rows} == {"source", "other"}
