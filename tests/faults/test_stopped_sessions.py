"""A session that is stopped by a signal for longer than its transaction lives, and goes on."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from processes import ProcessSession
from waiting import wait_until

from conftest import Lake

TAKE = "INSERT INTO sink SELECT id FROM s"
LEASE_SECONDS = 2
PATIENCE_SECONDS = 60


def stop_between_writes(process: subprocess.Popen[str], catalog: Path) -> None:
    """Stop a process while it has no write transaction: else it would keep SQLite's file locked."""

    def is_stopped() -> bool:
        process.send_signal(signal.SIGSTOP)
        with contextlib.closing(sqlite3.connect(catalog, timeout=0.5)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                process.send_signal(signal.SIGCONT)
                return False
            connection.rollback()
        return True

    wait_until(is_stopped, PATIENCE_SECONDS)


@pytest.mark.slow
def test_a_session_that_was_stopped_for_too_long_is_told_and_changes_nothing(lake: Lake) -> None:
    session = lake.open()
    for statement in (
        "CREATE TABLE t (id INT)",
        "CREATE TABLE sink (id INT)",
        "CREATE STREAM s ON TABLE t",
        "INSERT INTO t VALUES (1), (2)",
    ):
        session.sql(statement)
    with ProcessSession(lake.folder, lapse=LEASE_SECONDS) as stopped:
        stopped.sql("BEGIN")
        assert not stopped.sql(TAKE).code
        stop_between_writes(stopped.process, lake.folder / "catalog.db")
        wait_until(
            lambda: session.sql("SHOW TRANSACTIONS").fetchall()[0][5] == "lapsed", PATIENCE_SECONDS
        )
        # another one takes what it had
        session.sql(TAKE)
        session.sql("INSERT INTO t VALUES (3)")
        stopped.process.send_signal(signal.SIGCONT)
        refused = stopped.sql("COMMIT")
        assert refused.code == "transaction-ended"
        assert "has lapsed" in refused.message
        assert "BEGIN" in refused.hint
        assert session.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(1,), (2,)]
        assert session.sql("SELECT id FROM s").fetchall() == [(3,)]
        assert session.sql("SHOW LOCKS").fetchall() == []
        # it begins again, and goes on
        stopped.sql("ROLLBACK")
        stopped.sql("BEGIN")
        assert not stopped.sql(TAKE).code
        assert not stopped.sql("COMMIT").code
    assert session.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(1,), (2,), (3,)]
