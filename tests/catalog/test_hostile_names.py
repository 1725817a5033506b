"""Names and texts that would be SQL of the registry, were they not bound: none of them is."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from conftest import Lake, postgres_url
from icemelt.errors import IcemeltError
from icemelt.session.session import Session

NAMES = (
    "'",
    "''",
    '"',
    "\\",
    "\\'",
    "'; DROP TABLE icemelt_lake; --",
    "'; DELETE FROM icemelt_objects; --",
    "x'); DROP TABLE icemelt_objects CASCADE; --",
    "' OR '1'='1",
    "' OR 1=1 --",
    "1; SELECT pg_sleep(60)",
    "' || pg_sleep(60) || '",
    "'; COPY icemelt_lake TO PROGRAM 'touch /tmp/hostile'; --",
    "' UNION SELECT hash FROM icemelt_keys --",
    "$$; DROP TABLE icemelt_lake; $$",
    "E'\\x27'",
    "%s",
    "%(name)s",
    ":name",
    "{0.__class__}",
    "/* x */",
    "-- x",
    "\u02bc; DROP TABLE icemelt_lake; --",
    "\uff07 OR 1=1",
    "\u202e\u0000'",
)
# of each the name as an identifier, and as a text
STATEMENTS = (
    "DROP TABLE {name}",
    "UNDROP TABLE {name}",
    "DESCRIBE TABLE {name}",
    "ALTER TABLE {name} RENAME TO b",
    "ALTER TABLE t RENAME TO {name}.{name}",
    "COMMENT ON TABLE {name} IS {text}",
    "SELECT * FROM {name}",
    "SELECT * FROM t AT (STATEMENT => {text})",
    "SELECT * FROM t AT (STREAM => {text})",
    "SHOW TABLES LIKE {text}",
    "SHOW TABLES STARTS WITH {text} LIMIT 3 FROM {text}",
    "SHOW STREAMS IN SCHEMA {name}",
    "SHOW CHANNELS IN TABLE {name}",
    "CREATE SCHEMA {name}",
    "DROP SCHEMA {name}",
    "USE SCHEMA {name}",
    "CREATE STREAM {name} ON TABLE {name}",
    "CREATE VIEW {name} AS SELECT * FROM {name}",
    "SELECT SYSTEM$STREAM_HAS_DATA({text})",
    "SELECT SYSTEM$ABORT_TRANSACTION({text})",
    "SELECT GET_DDL('table', {text})",
)
_HELD = ("icemelt_lake", "icemelt_objects", "icemelt_keys")


def filled(statement: str, name: str) -> str:
    """Return a statement with a name quoted as SQL wants it."""
    identifier = '"' + name.replace('"', '""') + '"'
    text = "'" + name.replace("\\", "\\\\").replace("'", "''") + "'"
    return statement.replace("{name}", identifier).replace("{text}", text)


def outcome(session: Session, statement: str) -> str:
    """Run a statement; return `done`, or the code of its error."""
    try:
        session.sql(statement).close()
    except IcemeltError as error:
        return error.code
    return "done"


def held(session: Session) -> dict[str, int]:
    """Return how many rows each of the registry's tables has that the names would remove."""
    with session._core.database.read() as connection:
        return {
            name: connection.execute(sa.text(f"SELECT count(*) FROM {name}")).scalar() or 0
            for name in _HELD
        }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_registry_runs_no_name(lake: Lake, request: pytest.FixtureRequest, kind: str) -> None:
    assert len(NAMES) * len(STATEMENTS) >= 525
    if kind == "postgres":
        lake.url = postgres_url(request.getfixturevalue("postgres_server"))
    session = lake.open()
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    before = held(session)
    done = 0
    for name in NAMES:
        for statement in STATEMENTS:
            code = outcome(session, filled(statement, name))
            assert code not in {"internal", "catalog-unavailable"}, (statement, name)
            done += code == "done"
        session.sql("USE SCHEMA public")
    # a schema may have each of the names, and SHOW finds nothing under it
    assert done >= len(NAMES)
    after = held(session)
    assert all(after[name] >= before[name] for name in _HELD)
    assert session.sql("SELECT id FROM t").fetchall() == [(1,)]
