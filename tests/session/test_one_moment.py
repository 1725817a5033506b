"""A statement's names are looked up once: its analysis and its run see the tables of one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from conftest import Lake
from icemelt import Session
from icemelt.errors import Conflict, ValueRefused
from icemelt.names import ObjectName
from icemelt.session import dispatch
from icemelt.session.runtime.analysing import run_analysed
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.lookup import Lookup
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import Statement

Meanwhile = Callable[[Callable[[], object]], list[str]]

# what the registry is asked for the tables of some names
_LOOK_UP = "SELECT t.object_id"


@pytest.fixture
def other(lake: Lake, session: Session) -> Session:
    session.execute_script(
        "CREATE TABLE t (a INT, b INT); CREATE TABLE sink (x VARCHAR, y VARCHAR);"
        "INSERT INTO t VALUES (1, 2); CREATE VIEW v AS SELECT a, b FROM t;"
        "CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE"
    )
    return lake.open()


@contextmanager
def look_ups(session: Session) -> Iterator[list[str]]:
    """Note what the registry is asked for tables of some names."""
    engine = session._core.database.engine
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        if text.startswith(_LOOK_UP) and " IN (" in text and "dropped_at IS NULL" in text:
            asked.append(text)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


@pytest.fixture
def meanwhile(session: Session, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Give a function that has something done once a statement is analysed, before it is run."""

    def between(work: Callable[[], object]) -> list[str]:
        runs: list[str] = []
        prepare = dispatch.prepare

        def prepare_late(core: Core, statement: Statement) -> str | None:
            if core.session_id == session.session_id:
                runs.append(type(statement).__name__)
                if len(runs) == 1:
                    work()
            return prepare(core, statement)

        monkeypatch.setattr(dispatch, "prepare", prepare_late)
        return runs

    return between


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a FROM t",
        "SELECT x.a FROM t AS x, t AS y",
        "WITH w AS (SELECT a FROM t) SELECT * FROM w",
        "INSERT INTO sink SELECT a, b FROM t",
        "UPDATE sink SET x = 'n' WHERE x IN (SELECT b FROM t)",
        "MERGE INTO sink USING t ON sink.x = t.a WHEN MATCHED THEN DELETE",
        "DELETE FROM sink USING t WHERE sink.x = t.a",
    ],
)
@pytest.mark.usefixtures("other")
def test_the_registry_is_asked_once_for_all_names(session: Session, statement: str) -> None:
    with look_ups(session) as asked:
        session.sql(statement).fetchall()
    assert len(asked) == 1, asked


def test_a_table_altered_after_the_analysis_is_analysed_anew(
    session: Session, other: Session, meanwhile: Meanwhile
) -> None:
    session.sql("ALTER SESSION SET AUTOCOMMIT = FALSE")
    runs = meanwhile(
        lambda: other.execute_script(
            "ALTER TABLE t RENAME COLUMN b TO c; ALTER TABLE t ADD COLUMN d INT;"
            "INSERT INTO t VALUES (3, 4, 5)"
        )
    )
    result = session.sql("SELECT * FROM t ORDER BY a")
    # the transaction began after the change: both what * means and the rows are of then
    assert result.fetchall() == [(1, 2, None), (3, 4, 5)]
    assert [column[0] for column in result.description or ()] == ["a", "c", "d"]
    assert runs == ["Select", "Select"]
    assert "has begun" in (result.notice or "")


def test_the_moment_of_the_analysis_is_that_of_the_rows(
    session: Session, other: Session, meanwhile: Meanwhile
) -> None:
    runs = meanwhile(
        lambda: other.execute_script(
            "ALTER TABLE t RENAME COLUMN b TO c; INSERT INTO t VALUES (3, 4)"
        )
    )
    result = session.sql("SELECT * FROM t ORDER BY a")
    assert result.fetchall() == [(1, 2)]
    assert [column[0] for column in result.description or ()] == ["a", "b"]
    assert runs == ["Select"]


def test_information_schema_tells_of_the_moment_of_the_rows(
    session: Session, other: Session, meanwhile: Meanwhile
) -> None:
    asked = (
        "SELECT row_count, COUNT(*) FROM t, information_schema.tables"
        " WHERE table_name = 't' GROUP BY row_count"
    )
    runs = meanwhile(lambda: other.sql("INSERT INTO t VALUES (3, 4)"))
    assert session.sql(asked).fetchall() == [(1, 1)]
    assert runs == ["Select"]
    assert session.sql(asked).fetchall() == [(2, 2)]


def test_a_statement_that_lost_a_race_is_analysed_anew(
    session: Session, other: Session, meanwhile: Meanwhile
) -> None:
    runs = meanwhile(
        lambda: other.execute_script(
            "ALTER TABLE t ADD COLUMN c INT; INSERT INTO sink VALUES ('0', 'first')"
        )
    )
    # it replaces all rows, so it runs again on those of the other session: by then * has three
    with pytest.raises(ValueRefused, match="takes 2 values here, found 3"):
        session.sql("INSERT OVERWRITE INTO sink SELECT * FROM t")
    assert runs == ["Insert", "Insert"]
    assert session.sql("SELECT * FROM sink").fetchall() == [("0", "first")]


def test_a_table_altered_again_and_again_is_a_conflict(session: Session, other: Session) -> None:
    core, statements = session._core, []

    def run(statement: Statement, lookup: Lookup) -> None:
        statements.append(statement)
        with core.statement(lookup=lookup) as run_core:
            other.sql(f"ALTER TABLE t ADD COLUMN c{len(statements)} INT")
            lookup.state = None
            run_core.table(ObjectName(("t",)))

    text = "SELECT * FROM t"
    with pytest.raises(Conflict, match="was altered by others 8 times"):
        run_analysed(core, text, partial(parse_statement, text, None), run)
    assert len(set(map(str, statements))) == 8
