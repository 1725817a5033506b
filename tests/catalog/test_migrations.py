"""Lakes that an older icemelt made are migrated when they are opened, and work on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from pyspark.sql import SparkSession

from conftest import Lake, TestClock, postgres_url, sqlite_url
from icemelt import Session
from icemelt.catalog import migrations
from icemelt.catalog.database import open_database
from icemelt.catalog.model import catalog_metadata, metadata
from icemelt.catalog.registry_version import MIGRATIONS, known_versions
from icemelt.errors import PointError

LAKES = Path(__file__).parent / "lakes"
REVISIONS = sorted(path.stem for path in LAKES.glob("*.sql"))
CATALOGS = ["sqlite", "postgresql"]
SECOND = 1_000


@pytest.mark.turns(8)
@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_lake_of_an_older_revision_works_on(
    catalog: str,
    revision: str,
    spark: SparkSession,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    url = _restored(revision, tmp_path)
    if catalog == "postgresql":
        url = _moved_to(postgres_url(request.getfixturevalue("postgres_server")), url, revision)
    clock = TestClock(_last_commit(tmp_path / "catalog.db") + SECOND)
    lake = Lake(spark, url, tmp_path, clock)
    session = lake.open()
    assert [row[1] for row in session.sql("SHOW SCHEMAS").fetchall()] == ["other", "public"]
    history = session.sql("DESC HISTORY events").fetchall()
    assert len(history) == 3
    session.sql("USE SCHEMA other")
    [created] = [r for r in session.history() if r.text.startswith("CREATE TABLE empty")]
    session.sql("INSERT INTO empty (id) VALUES (1)")
    assert session.sql("SELECT * FROM empty").fetchall() == [(1, "x")]
    if revision >= "0002":
        assert session.sql("SELECT id FROM watched").fetchall() == [(1,)]
    if revision >= "0003":
        assert session.sql("SELECT id FROM shown").fetchall() == [(1,)]
    if revision >= "0004":
        changes = session.sql("SELECT __change_type, id FROM rows").fetchall()
        assert changes == [("INSERT", 1)]
    if revision >= "0005":
        [channel] = session.sql("SHOW CHANNELS IN TABLE kept").fetchall()
        assert (channel[1], channel[-1]) == ("first", "7")
    if revision >= "0011":
        # its definition is what an alteration compares with
        session.sql("ALTER STAGE landing SET DIRECTORY = (ENABLE = TRUE)")
        session.sql("CREATE STREAM files ON STAGE landing")
        assert session.sql("SELECT * FROM files").fetchall() == []
        session.sql("CREATE PIPE IF NOT EXISTS arriving AS COPY INTO kept FROM @landing")
        session.sql("ALTER PIPE arriving SET COMMENT = 'each file once'")
        assert session.sql("ALTER PIPE arriving REFRESH").fetchall() == []
    if revision >= "0015":
        session.sql("INSERT INTO twin VALUES (1)")
        assert session.sql("SELECT * FROM model").fetchall() == []
    _works_on_with_tasks(session, revision)
    _works_on_with_streams(session, created.statement_id)
    lake.close()


def _works_on_with_tasks(session: Session, revision: str) -> None:
    """Use the tasks of the lake; one that has none gets one with the name of a table."""
    if revision < "0018":
        session.sql("CREATE TASK empty AS SELECT 1")
        return
    session.sql("ALTER TASK nightly RESUME")
    history = "SELECT state, config FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY()) ORDER BY 1, 2"
    kept = [("SCHEDULED", '{"at": "night"}')] if revision >= "0019" else []
    assert session.sql(history).fetchall() == [*kept, ("SCHEDULED", None)]
    session.sql("EXECUTE TASK nightly")
    session.sql("SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS('nightly')")
    session.sql("ALTER TASK model SET COMMENT = 'as the table'")
    tasks = session.sql("SELECT task_name, state FROM INFORMATION_SCHEMA.TASKS").fetchall()
    assert sorted(tasks) == [("model", "suspended"), ("nightly", "started")]


def _works_on_with_streams(session: Session, created_id: str) -> None:
    """Make and consume a stream of `empty`, look at its changes, and bring a table back."""
    session.sql("CREATE STREAM later ON TABLE empty AT (OFFSET => -1)")
    session.sql("BEGIN")
    session.sql("INSERT INTO empty SELECT 2, v FROM later")
    session.sql("COMMIT")
    assert session.sql("SELECT id FROM later").fetchall() == [(2,)]
    session.sql("DELETE FROM empty WHERE id = 2")
    switched_on = "SELECT id FROM empty CHANGES AT (OFFSET => -1)"
    assert session.sql(switched_on).fetchall() == [(1,)]
    with pytest.raises(PointError):
        session.sql(f"SELECT * FROM empty CHANGES AT (STATEMENT => '{created_id}')").fetchall()
    session.sql("UNDROP TABLE gone")
    assert session.sql("SELECT * FROM gone").fetchall() == []


def test_the_newest_revision_has_a_lake() -> None:
    script = Path(migrations.__file__).parent / "versions"
    newest = max(path.name.split("_")[0] for path in script.glob("[0-9]*.py"))
    assert newest in REVISIONS, "run tests/catalog/write_lake.py"


# the one index over expressions is looked at on PostgreSQL
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning")
@pytest.mark.filterwarnings("ignore:autogenerate skipping:UserWarning")
@pytest.mark.parametrize("catalog", CATALOGS)
def test_the_migrations_make_what_the_model_says(
    catalog: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if catalog == "sqlite":
        url = sqlite_url(tmp_path)
    else:
        url = postgres_url(request.getfixturevalue("postgres_server"))
    database = open_database(url, "w")
    options = {"version_table": "icemelt_migrations", "include_name": _is_ours}
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
    database.close()


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    return kind != "table" or (name or "").startswith("icemelt_")


def _restored(revision: str, folder: Path) -> str:
    """Restore a lake into a folder; return its catalog's URL."""
    text = (LAKES / f"{revision}.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(folder / "catalog.db")) as connection:
        connection.executescript(text.replace("{lake}", str(folder)))
    files = LAKES / revision
    shutil.copytree(files, folder, dirs_exist_ok=True)
    for file in folder.rglob("*.metadata.json"):
        content = file.read_text(encoding="utf-8")
        file.write_text(content.replace("{lake}", str(folder)), encoding="utf-8")
    return sqlite_url(folder)


def _last_commit(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT commit_time FROM icemelt_lake").fetchone()[0])


def _moved_to(url: str, source_url: str, revision: str) -> str:
    """Make the same lake of the same revision on PostgreSQL."""
    source = sa.create_engine(source_url)
    target = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))
    found = sa.MetaData()
    with source.connect() as reading, target.begin() as writing:
        _upgrade(writing, revision)
        catalog_metadata.create_all(writing)
        found.reflect(writing)
        for table in found.sorted_tables:
            if table.name != "icemelt_migrations":
                _copy(reading, writing, table)
    source.dispose()
    target.dispose()
    return url


def _upgrade(connection: sa.Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _copy(reading: sa.Connection, writing: sa.Connection, table: sa.Table) -> None:
    for row in reading.execute(sa.text(f'SELECT * FROM "{table.name}"')).mappings():
        values = {name: _value(table.c[name], value) for name, value in row.items()}
        writing.execute(table.insert().values(values))


def _value(column: sa.Column[Any], value: Any) -> Any:
    if isinstance(column.type, sa.Boolean):
        return bool(value)
    is_text = isinstance(column.type, sa.JSON) and value is not None
    return json.loads(value) if is_text else value


def test_the_version_of_a_registry_is_known_without_alembic() -> None:
    script = ScriptDirectory(str(MIGRATIONS))
    assert max(known_versions()) == script.get_current_head()
    assert known_versions() == {each.revision for each in script.walk_revisions()}
