"""How far streams are behind, asked of the registry alone, on both kinds of catalogs."""

from __future__ import annotations

import uuid

import pytest

from conftest import ONE_DAY, TestClock
from icemelt.catalog.database import Database
from icemelt.catalog.edits import (
    CommitRequest,
    Edit,
    MakeStream,
    MakeTable,
    MovePointer,
    SourcePosition,
    StreamPosition,
    VersionStats,
)
from icemelt.catalog.publishing import Published, publish
from icemelt.catalog.queries.lags import StreamLag, stream_lags
from icemelt.catalog.queries.reading import container
from icemelt.names import QualifiedName

SECOND = 1_000
STALE_DAYS = 14


@pytest.fixture
def database(registry: Database) -> Database:
    make_table_with_streams(registry)
    return registry


def make(database: Database, edit: Edit) -> None:
    commit = CommitRequest(str(uuid.uuid4()), "session", "tester", (edit,))
    assert isinstance(publish(database, commit), Published)


def make_table_with_streams(database: Database) -> None:
    """Make table t with stream `early`, which has read its first version, and `late`."""
    with database.read() as connection:
        schema = container(connection, "main", "public")
    assert schema is not None
    name = QualifiedName("main", "public", "t")
    stats = VersionStats(None, "CREATE")
    make(database, MakeTable("t", schema.object_id, name, "main.public", "uuid", "0", stats))
    for version, stream in ((1, "early"), (2, "late")):
        place = StreamPosition((SourcePosition("t", version),), version)
        parts = (schema.object_id, stream, "t", "table", "DEFAULT", place)
        make(database, MakeStream(stream, *parts))


def write(database: Database, number: int, stats: VersionStats) -> None:
    make(database, MovePointer("t", str(number), str(number + 1), stats))


def lags(database: Database) -> dict[str, StreamLag]:
    with database.read() as connection:
        found, count = stream_lags(connection, database, 9)
        first, count_of_all = stream_lags(connection, database, 1)
    assert [lag.name for lag in first] == [found[0].name]
    assert count == count_of_all == len(found)
    return {lag.name.name: lag for lag in found}


def test_versions_and_their_rows_are_counted(database: Database, clock: TestClock) -> None:
    first = lags(database)["early"]
    assert (first.versions_behind, first.rows_behind, first.seconds_behind) == (0, 0, 0)
    write(database, 0, VersionStats(1, "INSERT", inserted=5, updated=0, deleted=0))
    # neither a compaction nor one of another engine changes rows
    write(database, 1, VersionStats(2, "OPTIMIZE"))
    write(database, 2, VersionStats(3, "foreign replace", foreign=True))
    write(database, 3, VersionStats(4, "MERGE", inserted=1, updated=2, deleted=3))
    clock.set(clock.time + 60 * SECOND)
    lag = lags(database)["early"]
    assert (lag.versions_behind, lag.rows_behind) == (4, 11)
    assert 59 < lag.seconds_behind <= 60
    # the other stream begins where the table stood after more commits
    assert lags(database)["late"].versions_behind <= lag.versions_behind


def test_rows_are_not_known_where_a_version_does_not_tell(database: Database) -> None:
    write(database, 0, VersionStats(1, "INSERT", inserted=5, updated=0, deleted=0))
    write(database, 1, VersionStats(2, "foreign append", foreign=True))
    lag = lags(database)["early"]
    assert (lag.versions_behind, lag.rows_behind) == (2, None)


def test_streams_come_by_when_they_are_stale(database: Database, clock: TestClock) -> None:
    found = lags(database)
    assert [*found] == ["early", "late"]
    before = found["early"].seconds_to_stale
    assert STALE_DAYS * 86_400 - 60 < before < STALE_DAYS * 86_400
    clock.set(clock.time + (STALE_DAYS + 1) * ONE_DAY)
    write(database, 0, VersionStats(1, "INSERT", inserted=5, updated=0, deleted=0))
    assert -86_460 < lags(database)["early"].seconds_to_stale < -86_000
