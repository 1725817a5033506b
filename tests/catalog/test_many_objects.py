"""Statements about thousands of objects ask the catalog few questions, each with few parameters."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from icemelt.catalog import batches
from icemelt.catalog.database import Database
from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.edits import (
    AddLoads,
    CommitRequest,
    DropObject,
    Edit,
    MakeContainer,
    MakeDefined,
    MakeStream,
    MakeTable,
    MakeView,
    RestoreObject,
    SourcePosition,
    StreamPosition,
    VersionStats,
)
from icemelt.catalog.leases import Claim, LeaseKind, find_leases_on, take_leases
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.model import iceberg_namespaces, iceberg_tables, objects
from icemelt.catalog.publishing import Published, publish
from icemelt.catalog.queries.finding import read_state
from icemelt.catalog.queries.information_schema import RELATIONS, find_relations
from icemelt.catalog.queries.listing import list_objects
from icemelt.catalog.queries.loads import load_history
from icemelt.catalog.queries.look_ups import LookUp
from icemelt.catalog.queries.reading import container, find_statements
from icemelt.catalog.queries.views import views_by_id
from icemelt.catalog.records import ViewSourceRecord, Wanted
from icemelt.names import QualifiedName
from icemelt.schema import Column, Primitive

MANY = 60
# relations of containers, and of kinds that the test does not make
WITHOUT_OBJECTS = (
    *("databases", "schemata", "file_formats", "pipes", "tasks"),
    *("functions", "sequences"),
)
COLUMN = Column("id", Primitive("long"))


def test_a_schema_of_many_tables_is_dropped_and_restored_by_few_statements(
    registry: Database,
) -> None:
    counts = []
    for schema, size in (("few", 3), ("many", MANY)):
        make_schema(registry, schema, size)
        made = catalog_rows(registry)
        with counted(registry) as dropping:
            change(registry, [DropObject(f"id-{schema}")])
        assert catalog_rows(registry)[0] == made[0] - size
        assert f"main.{schema}" not in catalog_rows(registry)[1]
        with counted(registry) as restoring:
            change(registry, [RestoreObject(f"id-{schema}")])
        assert catalog_rows(registry) == made
        counts.append((len(dropping), len(restoring)))
    assert counts[0] == counts[1]
    # the lake, the clock, the transaction, the statement, and the objects
    assert max(counts[0]) <= 10


def test_no_table_of_a_drop_is_compared_with_all_others(registry: Database) -> None:
    if registry.engine.dialect.name != "postgresql":
        pytest.skip("SQLite looks each up in an index")
    make_schema(registry, "many", MANY)
    plans: list[str] = []

    def explain(_connection: Any, cursor: Any, text: str, parameters: Any, *_: Any) -> None:
        if "drop_id" in text:
            cursor.execute(f"EXPLAIN {text}", parameters)
            plans.append("\n".join(line for (line,) in cursor.fetchall()))

    sa.event.listen(registry.engine, "before_cursor_execute", explain)
    change(registry, [DropObject("id-many")])
    change(registry, [RestoreObject("id-many")])
    assert len([plan for plan in plans if "Hash" in plan or "Merge" in plan]) >= 3
    assert not [plan for plan in plans if "Nested Loop" in plan]


def test_a_database_of_many_schemas_is_dropped_and_restored_as_a_whole(registry: Database) -> None:
    schemas = [MakeContainer(f"id-s{at}", f"s{at}", f"d.s{at}", "id-d") for at in range(MANY)]
    change(registry, [MakeContainer("id-d", "d", "d", None), *schemas])
    change(registry, [make_table("in", "id-s1", QualifiedName("d", "s1", "t"))])
    change(registry, [make_table("gone", "id-s1", QualifiedName("d", "s1", "u"))])
    change(
        registry,
        [make_table("mine", "id-s1", QualifiedName("d", "s1", "v"), session_id="a session")],
    )
    change(registry, [DropObject("gone")])
    made = catalog_rows(registry)
    change(registry, [DropObject("id-d")])
    assert live_objects(registry, "d") == []
    assert catalog_rows(registry) == (made[0] - 1, ["main", "main.public"])
    change(registry, [RestoreObject("id-d")])
    # neither what was dropped before, nor a pointer of a temporary table
    assert catalog_rows(registry) == made
    assert live_objects(registry, "d") == ["d", *sorted(f"s{at}" for at in range(MANY)), "t", "v"]


def test_many_names_and_ids_are_looked_up_in_parts(
    registry: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = make_schema(registry, "many", MANY)
    ids = [f"many-{number}" for number in range(MANY)]
    others = [*_streams(names, ids), *_views(names)]
    change(registry, others)
    named = [QualifiedName("main", "many", each.name) for each in others]
    with registry.read() as connection:
        whole = read_state(connection, registry, [*names, *named])
        moment = whole.moment
        views = views_by_id(connection, [f"id-v{number}" for number in range(MANY)])
    assert (len(whole.tables), len(whole.streams), len(whole.views), len(views)) == (MANY,) * 4
    monkeypatch.setattr(batches, "_BATCH_SIZE", 7)
    with counted(registry) as asked, registry.read() as connection:
        for as_of in (None, moment):
            state = read_state(connection, registry, [*names, *named], as_of=as_of)
            assert state.objects == whole.objects
        assert views_by_id(connection, list(views)) == views
        assert find_statements(connection, ids) == {}
        assert load_history(connection, "many-1", ids) == {}
    assert max(parameters for _, parameters in asked) < MANY
    claim = Claim(LeaseKind.TABLE, ids, "a holder", 30)
    with registry.write() as connection:
        token = take_leases(connection, registry, claim)
        assert take_leases(connection, registry, claim) == token
        other = Claim(LeaseKind.TABLE, ids[-1:], "another", 30)
        assert take_leases(connection, registry, other) is None
        found = find_leases_on(connection, LeaseKind.TABLE, ids)
    assert {lease.resource_id for lease in found} == set(ids)


@pytest.mark.parametrize("relation", RELATIONS)
def test_many_objects_are_listed_by_as_many_queries_as_few(
    registry: Database, relation: str
) -> None:
    counts = []
    for schema, size in (("few", 3), ("many", MANY)):
        names = make_schema(registry, schema, size)
        ids = [f"{schema}-{number}" for number in range(size)]
        change(registry, [*_streams(names, ids, schema), *_views(names, schema)])
        change(registry, [_make_stage(schema, number) for number in range(size)])
        loads = (LoadRecord("/f.csv", 1, 1, 1, 0, "LOADED"),)
        change(registry, [AddLoads(table_id, loads) for table_id in ids])
        listings = []
        for is_pinned in (False, True):
            with counted(registry) as asked, registry.read() as connection:
                last = registry.read_lake(connection).last
                at = LookUp(connection, registry, "a session", last, last if is_pinned else None)
                name = QualifiedName("main", "INFORMATION_SCHEMA", relation)
                find_relations(at, [name])
                wanted = Wanted(RELATIONS[relation], ("main", schema))
                listings.append(replace(list_objects(at, wanted), now=0))
            counts.append(len(asked))
        # a pinned look-up finds the same objects
        assert listings[0] == listings[1]
        listing = listings[0]
        parts = (listing.tables, listing.views, listing.streams, listing.defined, listing.loads)
        found = {len(each) for each in parts if each}
        assert found == (set() if relation in WITHOUT_OBJECTS else {size})
    assert counts[:2] == counts[2:]
    assert counts[0] <= 24


def _streams(
    names: Sequence[QualifiedName], ids: Sequence[str], schema: str = "many"
) -> list[MakeStream]:
    return [
        MakeStream(
            f"id-s{at}" if schema == "many" else f"id-{schema}-s{at}",
            f"id-{schema}",
            f"s{at}",
            ids[at],
            "table",
            "DEFAULT",
            StreamPosition((SourcePosition(ids[at], 1, name),), 1),
        )
        for at, name in enumerate(names)
    ]


def _views(names: Sequence[QualifiedName], schema: str = "many") -> list[MakeView]:
    return [
        MakeView(
            f"id-v{at}" if schema == "many" else f"id-{schema}-v{at}",
            f"id-{schema}",
            f"v{at}",
            f"main.{schema}",
            "SELECT id FROM t",
            (COLUMN,),
            (ViewSourceRecord(name, (COLUMN,), frozenset({"id"})),),
            "UTC",
        )
        for at, name in enumerate(names)
    ]


def _make_stage(schema: str, number: int) -> MakeDefined:
    name = QualifiedName("main", schema, f"g{number}")
    stage = StageRecord(f"id-{schema}-g{number}", name, "ann", None, 0)
    return MakeDefined(
        stage.object_id, f"id-{schema}", stage.kind, stage.name.name, stage.definition
    )


def live_objects(database: Database, name: str) -> list[str]:
    """Return the names of a live database and of all live objects in there."""
    with database.read() as connection:
        rows = connection.execute(sa.select(objects).where(objects.c.dropped_at.is_(None))).all()
    inside = {f"id-{name}"}
    for kind in ("schema", "table"):
        inside |= {row.object_id for row in rows if row.kind == kind and row.parent_id in inside}
    return sorted(row.name for row in rows if row.object_id in inside)


def make_table(
    object_id: str, schema_id: str, name: QualifiedName, session_id: str | None = None
) -> MakeTable:
    stats = VersionStats(None, "CREATE")
    namespace, uid = f"{name.database}.{name.schema}", str(uuid.uuid4())
    return MakeTable(
        object_id, schema_id, name, namespace, uid, "file", stats, session_id=session_id
    )


def make_schema(database: Database, name: str, size: int) -> list[QualifiedName]:
    """Make a schema with many tables; return their names."""
    with database.read() as connection:
        parent = container(connection, "main")
    assert parent is not None
    change(database, [MakeContainer(f"id-{name}", name, f"main.{name}", parent.object_id)])
    names = [QualifiedName("main", name, f"t{number}") for number in range(size)]
    made = [make_table(f"{name}-{at}", f"id-{name}", each) for at, each in enumerate(names)]
    change(database, made)
    return names


def change(database: Database, edits: Sequence[Edit]) -> None:
    commit = CommitRequest(str(uuid.uuid4()), "a session", "ann", tuple(edits))
    assert isinstance(publish(database, commit), Published)


def catalog_rows(database: Database) -> tuple[int, list[str]]:
    """Return how many pointers Iceberg's tables have, and which namespaces."""
    with database.read() as connection:
        count = connection.scalar(sa.select(sa.func.count()).select_from(iceberg_tables)) or 0
        names = connection.scalars(sa.select(iceberg_namespaces.c.namespace).distinct())
        return count, sorted(names)


@contextmanager
def counted(database: Database) -> Iterator[list[tuple[str, int]]]:
    """Give the statements that the catalog is asked meanwhile, and how many parameters each has."""
    asked: list[tuple[str, int]] = []

    def note(*event: Any) -> None:
        _, _, text, parameters, _, is_many = event
        asked.append((text, 0 if is_many else len(parameters)))

    sa.event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sa.event.remove(database.engine, "before_cursor_execute", note)
