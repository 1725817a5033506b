"""Tasks: sessions that alter one graph at once, scripts with blocks, tasks past retention."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import Lake, TestClock
from icemelt.errors import DefinitionRefused, IcemeltError, SqlSyntaxError
from icemelt.session.session import Session

ROUNDS = 6
DAY_MILLISECONDS = 86_400_000


def names(session: Session) -> dict[str, str]:
    """Return the predecessors of each task, as SHOW TASKS has them."""
    return {row[1]: row[9] for row in session.sql("SHOW TASKS").fetchall()}


def at_once(lake: Lake, *statements: str) -> list[IcemeltError | None]:
    """Run a statement in each of some sessions at once; return what each has raised."""
    barrier = threading.Barrier(len(statements))

    def run(statement: str) -> IcemeltError | None:
        session = lake.open()
        barrier.wait()
        try:
            session.sql(statement)
        except IcemeltError as error:
            return error
        finally:
            session.close()
        return None

    with ThreadPoolExecutor(len(statements)) as pool:
        return list(pool.map(run, statements))


def test_two_statements_make_no_circle_together(lake: Lake) -> None:
    session = lake.open()
    for number in range(ROUNDS):
        one, two = f"one_{number}", f"two_{number}"
        for name in (one, two):
            session.sql(f"CREATE TASK {name} AS SELECT 1")
        errors = at_once(
            lake, f"ALTER TASK {one} ADD AFTER {two}", f"ALTER TASK {two} ADD AFTER {one}"
        )
        assert sorted(error is None for error in errors) == [False, True]
        assert any(isinstance(error, DefinitionRefused) for error in errors)
        assert sorted(names(session)[name] == "[]" for name in (one, two)) == [False, True]


def test_two_statements_give_a_graph_no_two_finalizers(lake: Lake) -> None:
    session = lake.open()
    for number in range(ROUNDS):
        session.sql(f"CREATE TASK root_{number} AS SELECT 1")
        errors = at_once(
            lake,
            f"CREATE TASK a_{number} FINALIZE = root_{number} AS SELECT 1",
            f"CREATE TASK b_{number} FINALIZE = root_{number} AS SELECT 1",
        )
        assert sorted(error is None for error in errors) == [False, True]


def test_no_child_is_left_behind_a_task_that_is_dropped_meanwhile(lake: Lake) -> None:
    session = lake.open()
    for number in range(ROUNDS):
        session.sql(f"CREATE TASK root_{number} AS SELECT 1")
        at_once(
            lake,
            f"CREATE TASK child_{number} AFTER root_{number} AS SELECT 1",
            f"DROP TASK root_{number}",
        )
        found = names(session)
        assert f"root_{number}" not in found
        assert found.get(f"child_{number}", "[]") == "[]"


def test_a_script_has_blocks_of_tasks(session: Session) -> None:
    results = session.execute_script(
        """
        CREATE TABLE t (id INT);
        CREATE TASK a AS BEGIN
          INSERT INTO t SELECT CASE WHEN 1 = 1 THEN 1 END; -- a comment; with END;
          BEGIN TRANSACTION; DELETE FROM t; COMMIT;
        END;
        ALTER TASK a MODIFY AS BEGIN DELETE FROM t; END;
        BEGIN; INSERT INTO t VALUES (1); COMMIT;
        CREATE OR REPLACE TASK "begin" AFTER a AS DELETE FROM t;
        """
    )
    assert len(results) == 7
    assert names(session) == {"a": "[]", "begin": '["main.public.a"]'}
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]


def test_the_place_of_an_error_in_a_body_is_a_place_in_the_statement(session: Session) -> None:
    text = "CREATE TASK a AS BEGIN\n  DELETE FROM t;\n  INSERT INTO t VALUES (1,;\nEND"
    with pytest.raises(SqlSyntaxError) as raised:
        session.sql(text)
    assert raised.value.span is not None
    assert raised.value.text == text
    assert text[: raised.value.span[0]].count("\n") == 2


def test_a_dropped_task_is_removed_past_retention(lake: Lake, clock: TestClock) -> None:
    session = lake.open()
    session.sql("CREATE TASK a AS SELECT 1")
    session.sql("DROP TASK a")
    clock.set(clock.time + 2 * DAY_MILLISECONDS)
    session.maintain()
    with pytest.raises(IcemeltError, match="not among the dropped"):
        session.sql("UNDROP TASK a")
