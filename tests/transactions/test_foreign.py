"""Tables that another engine dropped, renamed or replaced: the registry follows the catalog."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from conftest import Lake
from icemelt import Session
from icemelt.errors import Conflict, FileDamaged, ObjectNotFound, PointError

THEIRS = "TBLPROPERTIES ('format-version' = '3')"


@pytest.fixture
def foreign(lake: Lake, session: Session) -> SparkSession:
    """Another engine, beside a session with a table of one row."""
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    return lake.foreign()


def test_a_table_dropped_elsewhere_is_gone_and_its_name_free(
    session: Session, foreign: SparkSession
) -> None:
    foreign.sql("DROP TABLE icemelt.main.public.t")
    for statement in ("SELECT * FROM t", "INSERT INTO t VALUES (2)", "DROP TABLE t"):
        with pytest.raises(ObjectNotFound, match=r"main\.public\.t"):
            session.sql(statement)
    assert session.sql("SHOW TABLES").fetchall() == []
    session.sql("CREATE TABLE t (name VARCHAR)")
    session.sql("INSERT INTO t VALUES ('new')")
    assert session.sql("SELECT * FROM t").fetchall() == [("new",)]
    assert foreign.sql("SELECT name FROM icemelt.main.public.t").collect()[0].name == "new"


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t (id INT)",
        "CREATE TABLE IF NOT EXISTS t (id INT)",
        "CREATE OR REPLACE TABLE t (id INT)",
        "CREATE TABLE t AS SELECT 7 AS id WHERE false",
        "ALTER TABLE other RENAME TO t",
    ],
)
def test_its_name_is_free_at_once(session: Session, foreign: SparkSession, statement: str) -> None:
    session.sql("CREATE TABLE other (id INT)")
    foreign.sql("DROP TABLE icemelt.main.public.t")
    session.sql(statement)
    assert session.sql("SELECT * FROM t").fetchall() == []


def test_show_tables_lists_no_table_dropped_elsewhere(
    session: Session, foreign: SparkSession
) -> None:
    foreign.sql("DROP TABLE icemelt.main.public.t")
    assert session.sql("SHOW TABLES").fetchall() == []
    [(_, name, *_)] = session.sql("SHOW TABLES HISTORY").fetchall()
    assert name == "t"


def test_a_table_dropped_elsewhere_can_be_brought_back(
    session: Session, foreign: SparkSession
) -> None:
    foreign.sql("DROP TABLE icemelt.main.public.t")
    with pytest.raises(ObjectNotFound):
        session.sql("SELECT * FROM t")
    session.sql("UNDROP TABLE t")
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]
    assert foreign.sql("SELECT * FROM icemelt.main.public.t").count() == 1


def test_a_table_purged_elsewhere_names_the_file_that_is_gone(
    session: Session, foreign: SparkSession
) -> None:
    foreign.sql("DROP TABLE icemelt.main.public.t PURGE")
    session.sql("SHOW TABLES")
    session.sql("UNDROP TABLE t")
    with pytest.raises(FileDamaged, match="/t-"):
        session.sql("SELECT * FROM t").fetchall()


def test_a_table_renamed_elsewhere_keeps_its_history(
    session: Session, foreign: SparkSession
) -> None:
    before = session.sql("INSERT INTO t VALUES (2)").statement_id
    foreign.sql("ALTER TABLE icemelt.main.public.t RENAME TO main.public.u")
    session.sql("INSERT INTO u VALUES (3)")
    changes = session.sql(f"SELECT id FROM u CHANGES AT (STATEMENT => '{before}')")
    assert changes.fetchall() == [(3,)]
    assert len(session.sql("DESC HISTORY u").fetchall()) == 4
    with pytest.raises(ObjectNotFound):
        session.sql("SELECT * FROM t")
    session.sql("CREATE TABLE t (id INT)")


def test_a_renamed_table_is_found_when_its_old_name_is_asked_for(
    session: Session, foreign: SparkSession
) -> None:
    foreign.sql("ALTER TABLE icemelt.main.public.t RENAME TO main.public.u")
    with pytest.raises(ObjectNotFound):
        session.sql("SELECT * FROM t")
    assert len(session.sql("DESC HISTORY u").fetchall()) == 2


def test_a_table_made_anew_elsewhere_is_another_table(
    session: Session, foreign: SparkSession
) -> None:
    start = session.sql("INSERT INTO t VALUES (2)").statement_id
    foreign.sql("DROP TABLE icemelt.main.public.t")
    foreign.sql(f"CREATE TABLE icemelt.main.public.t (id INT) USING iceberg {THEIRS}")
    foreign.sql("INSERT INTO icemelt.main.public.t VALUES (3)")
    assert session.sql("SELECT * FROM t").fetchall() == [(3,)]
    session.sql("INSERT INTO t VALUES (4)")
    assert foreign.sql("SELECT * FROM icemelt.main.public.t").count() == 2
    with pytest.raises(PointError):
        session.sql(f"SELECT * FROM t CHANGES AT (STATEMENT => '{start}')").fetchall()
    [row] = [r for r in session.sql("SHOW TABLES").fetchall() if r[1] == "t"]
    assert row[6] == 2


def test_a_table_that_cannot_be_read_does_not_stop_transactions_of_others(
    lake: Lake, session: Session, foreign: SparkSession
) -> None:
    session.sql("CREATE TABLE other (id INT)")
    foreign.sql("INSERT INTO icemelt.main.public.t VALUES (2)")
    [newest] = sorted((lake.folder / "warehouse").glob("t-*/metadata/00002-*.metadata.json"))
    newest.unlink()
    session.execute_script("BEGIN; INSERT INTO other VALUES (1); COMMIT")
    assert session.sql("SELECT * FROM other").fetchall() == [(1,)]
    with pytest.raises(FileDamaged, match="00002-"):
        session.sql("SELECT * FROM t")


def test_a_table_made_elsewhere_under_the_name_of_a_new_one_is_a_conflict(
    session: Session, foreign: SparkSession
) -> None:
    session.execute_script("CREATE STREAM s ON TABLE t; INSERT INTO t VALUES (2)")
    session.execute_script("BEGIN; CREATE TABLE x AS SELECT id FROM s")
    foreign.sql(f"CREATE TABLE icemelt.main.public.x (id INT) USING iceberg {THEIRS}")
    with pytest.raises(Conflict, match="rolled back"):
        session.sql("COMMIT")
    assert session.sql("SELECT id FROM s").fetchall() == [(2,)]
    assert session.sql("SELECT * FROM x").fetchall() == []
