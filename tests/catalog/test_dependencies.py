"""Who reads whom is kept as rows, asked in both directions by one question each; no Spark."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from conftest import postgres_url, sqlite_url
from icemelt.catalog import migrations
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.edits import (
    CommitRequest,
    MakeStream,
    MakeTable,
    MakeView,
    SourcePosition,
    StreamPosition,
    VersionStats,
)
from icemelt.catalog.publishing import Published, publish
from icemelt.catalog.queries.dependencies import readers_of
from icemelt.catalog.queries.finding import find_streams, find_views, read_state
from icemelt.catalog.queries.reading import container
from icemelt.catalog.records import ViewSourceRecord
from icemelt.names import QualifiedName
from icemelt.schema import Column, Primitive

ID = Column("id", Primitive("long"))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    return postgres_url(request.getfixturevalue("postgres_server"))


def test_both_directions_are_asked_whatever_the_number_of_views(url: str, tmp_path: Path) -> None:
    database = open_database(url, str(tmp_path))
    _make(database, [_table("t"), _table("u"), *_chain(2)])
    with _counted(database) as few, database.read() as connection:
        read_state(connection, database, [_name("v1")])
    _make(database, _chain(20, first=2))
    with _counted(database) as many, database.read() as connection:
        state = read_state(connection, database, [_name("v21")])
    assert {name.name for name in state.objects} == {"t", "u", *(f"v{n}" for n in range(22))}
    assert state.views[_name("v1")].sources[0].name == _name("v0")
    # the lake; tables, streams; views and what they read; tables under these; the clock
    assert len(many) == len(few) == 7
    with _counted(database) as listed, database.read() as connection:
        assert len(find_views(connection)) == 22
    assert len(listed) == 2
    with _counted(database) as asked, database.read() as connection:
        readers = readers_of(connection, "id-t", _name("T"))
    assert {reader.name.name for reader in readers} == {f"v{n}" for n in range(22)}
    assert {(reader.kind, reader.binding) for reader in readers} == {("view", "BY_NAME")}
    assert len(asked) == 1
    database.close()


def test_a_stream_reads_by_id_and_a_dropped_view_reads_still(url: str, tmp_path: Path) -> None:
    database = open_database(url, str(tmp_path))
    _make(database, [_table("t"), _table("u"), *_chain(1)])
    under = (SourcePosition("id-t", 3, _name("t")), SourcePosition("id-u", 4, _name("u")))
    _make(
        database,
        [MakeStream("id-s", "", "s", "id-v0", "view", "DEFAULT", StreamPosition(under, 1))],
    )
    with database.read() as connection:
        [found] = find_streams(connection, database)
        assert [reader.kind for reader in readers_of(connection, "id-u")] == ["stream"]
        assert [reader.name for reader in readers_of(connection, "id-v0")] == [_name("s")]
        state = read_state(connection, database, [_name("s")])
    assert found == state.streams[_name("s")]
    assert [(each.name, each.version) for each in found.sources] == [
        (_name("t"), 3),
        (_name("u"), 4),
    ]
    database.close()


def test_a_lake_of_the_revision_before_keeps_what_reads_what(url: str, tmp_path: Path) -> None:
    _make_lake_of_before(url, str(tmp_path))
    database = open_database(url, str(tmp_path))
    with database.read() as connection:
        views = {view.name.name: view for view in find_views(connection)}
        readers = {
            object_id: [reader.name.name for reader in readers_of(connection, object_id, name)]
            for object_id, name in (("t", _name("t")), ("v", None), ("w", None))
        }
        [stream_now] = find_streams(connection, database)
    assert views["v"].sources == (
        ViewSourceRecord(QualifiedName("Main", "public", "T"), (ID,), frozenset({"id"})),
    )
    assert (views["w"].sources, views["v"].version, stream_now.source_version) == ((), 0, 0)
    assert readers == {"t": ["s", "v"], "v": ["s"], "w": []}
    database.close()


def _make_lake_of_before(url: str, folder: str) -> None:
    """Make a lake of the revision before: a stream on a view over a table, and another view."""
    sources = [
        {
            "name": ["Main", "public", "T"],
            "columns": [{"id": 1, "name": "id", "required": False, "type": "long"}],
            "used": ["id"],
        }
    ]
    engine = sa.create_engine(sa.make_url(url).set(drivername=_driver(url)))
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(migrations.__file__).parent))
        config.attributes["connection"] = connection
        command.upgrade(config, "0006")
        lake = {"id": 1, "lake_id": "l", "catalog_name": "icemelt", "warehouse": folder}
        _insert(connection, "icemelt_lake", lake | {"commit_number": 1, "commit_time": 1})
        for row in _rows_of_before():
            _insert(connection, "icemelt_objects", row)
        for view, read in (("v", sources), ("w", [])):
            values = {"view_id": view, "query": "SELECT 1", "columns": "[]", "time_zone": "UTC"}
            _insert(connection, "icemelt_views", values | {"sources": json.dumps(read)})
        stream = {"stream_id": "s", "source_kind": "view", "source_id": "v", "mode": "DEFAULT"}
        _insert(
            connection, "icemelt_streams", stream | {"dialect": "SNOWFLAKE", "move": 1, "token": 0}
        )
        for move in (0, 1):
            place = {"stream_id": "s", "move": move, "source_id": "t", "kind": "table"}
            place |= {"position": '7@1@["Main", "public", "T"]', "initial": False}
            _insert(connection, "icemelt_frontiers", place | {"moved_in": 1, "moved_at": 1})
    engine.dispose()


def _rows_of_before() -> Iterator[dict[str, object]]:
    for object_id, kind, parent in (
        ("d", "database", None),
        ("p", "schema", "d"),
        ("t", "table", "p"),
        ("v", "view", "p"),
        ("w", "view", "p"),
        ("s", "stream", "p"),
    ):
        name = {"d": "main", "p": "public"}.get(object_id, object_id)
        table = {"known_location": "x", "catalog_table_name": "t", "version": 7}
        yield {
            "object_id": object_id,
            "kind": kind,
            "parent_id": parent,
            "name": name,
            "folded": name,
            "owner": "o",
            "created_at": 1,
            "namespace": "main.public",
            "table_uuid": "x",
            **(table if kind == "table" else {}),
        }


def _insert(connection: sa.Connection, table: str, values: dict[str, object]) -> None:
    names = ", ".join(f'"{name}"' for name in values)
    slots = ", ".join(f":{name}" for name in values)
    connection.execute(sa.text(f"INSERT INTO {table} ({names}) VALUES ({slots})"), values)


def _driver(url: str) -> str:
    return "sqlite" if url.startswith("sqlite") else "postgresql+psycopg"


def _name(name: str) -> QualifiedName:
    return QualifiedName("main", "public", name)


def _table(name: str) -> MakeTable:
    return MakeTable(
        f"id-{name}", "", _name(name), "main.public", name, f"/{name}", VersionStats(None, "CREATE")
    )


def _chain(count: int, first: int = 0) -> list[MakeView]:
    """Return views, each over t and over the view before it; the first is over t and u."""
    views = []
    for number in range(first, first + count):
        below = f"v{number - 1}" if number else "u"
        sources = tuple(
            ViewSourceRecord(_name(name), (ID,), frozenset({"id"})) for name in (below, "t")
        )
        name = f"v{number}"
        views.append(MakeView(f"id-{name}", "", name, "main.public", "…", (ID,), sources, "UTC"))
    return views


def _make(database: Database, edits: Sequence[MakeTable | MakeView | MakeStream]) -> None:
    """Publish objects of the first schema."""
    with database.read() as connection:
        schema = container(connection, "main", "public")
    assert schema is not None
    made = tuple(replace(edit, parent_id=schema.object_id) for edit in edits)
    commit = CommitRequest(str(uuid.uuid4()), "session", "tester", made)
    assert isinstance(publish(database, commit), Published)


@contextmanager
def _counted(database: Database) -> Iterator[list[str]]:
    """Collect the statements that the block sends to the catalog's database."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            found.append(statement)

    sa.event.listen(database.engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(database.engine, "before_cursor_execute", note)
