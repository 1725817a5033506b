"""Numbers beyond 64 bits are refused when a statement is read, before anything is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.errors import IcemeltError
from icemelt.session.session import Session

STATEMENTS = (
    "SELECT * FROM t LIMIT {n}",
    "SELECT * FROM t LIMIT 1 OFFSET {n}",
    "SELECT * FROM t AT (OFFSET => {n})",
    "SELECT * FROM t AT (TIMESTAMP => {n})",
    "SELECT * FROM t AT (VERSION => {n})",
    "SELECT * FROM t BEFORE (VERSION => -{n})",
    "SELECT * FROM t CHANGES (INFORMATION => DEFAULT) AT (VERSION => {n})",
    "CREATE STREAM s ON TABLE t AT (VERSION => {n})",
    "RESTORE TABLE t TO VERSION AS OF {n}",
    "SHOW TABLES LIMIT {n}",
    "SHOW STREAMS LIMIT {n}",
    "SHOW CHANNELS LIMIT {n}",
    "DESC HISTORY t LIMIT {n}",
    "ALTER TABLE t SET DATA_RETENTION_TIME_IN_DAYS = {n}",
    "ALTER TABLE t SET MAX_DATA_EXTENSION_TIME_IN_DAYS = {n}",
    "ALTER TABLE t SET SNAPSHOT_LOG_TIME_IN_MINUTES = {n}",
    "ALTER SESSION SET LOCK_TIMEOUT = {n}",
    "CREATE TABLE u (a INT) PARTITION BY (BUCKET({n}, a))",
    "CREATE TABLE u (a VARCHAR) PARTITION BY (TRUNCATE({n}, a))",
    "CREATE TABLE u (a VARCHAR({n}))",
    "COPY INTO t FROM '{in}' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = {n})",
    "COPY INTO t FROM '{in}' FILE_FORMAT = (TYPE = CSV) SIZE_LIMIT = {n}",
    "COPY INTO t FROM '{in}' FILE_FORMAT = (TYPE = CSV) ON_ERROR = 'SKIP_FILE_{n}'",
    "COPY INTO '{out}' FROM t FILE_FORMAT = (TYPE = CSV) MAX_FILE_SIZE = {n}",
)


@pytest.fixture
def loading(session: Session, tmp_path: Path) -> tuple[Session, dict[str, str]]:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("1\n")
    session.sql("CREATE TABLE t (id BIGINT)")
    return session, {"in": f"{tmp_path}/in", "out": f"{tmp_path}/out"}


def test_numbers_beyond_64_bits_are_refused_and_change_nothing(
    loading: tuple[Session, dict[str, str]], tmp_path: Path
) -> None:
    session, places = loading
    before = session.sql("DESC HISTORY t").fetchall()
    done = []
    for number in ("9" * 20, str(2**63), "9" * 5_000):
        for statement in STATEMENTS:
            outcome = run(session, statement.format(n=number, **places))
            if outcome in {"done", "internal", "no hint"}:
                done.append(f"{statement} with {len(number)} digits: {outcome}")
    assert done == []
    assert session.sql("DESC HISTORY t").fetchall() == before
    assert not (tmp_path / "out").exists()
    assert session.sql("SHOW STREAMS").fetchall() == []


def run(session: Session, statement: str) -> str:
    """Run a statement; return `done`, or the code of its error."""
    try:
        session.sql(statement).fetchall()
    except IcemeltError as error:
        return error.code if error.hint else "no hint"
    return "done"


def test_the_number_is_underlined(session: Session) -> None:
    with pytest.raises(
        IcemeltError, match=r"a number of rows up to 9223372036854775807"
    ) as refused:
        session.sql(f"SHOW TABLES LIMIT {'9' * 20}")
    assert str(refused.value).count("^") == 20
    with pytest.raises(IcemeltError, match="a number of rows as a whole number"):
        session.sql("SHOW TABLES LIMIT ?", [10**20])
    assert session.sql(f"SHOW TABLES LIMIT {2**63 - 1}").fetchall() == []
