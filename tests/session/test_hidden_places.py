"""A server's guest does not learn where a stage or a pipe is that it may not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from icemelt.errors import FileRefused
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

SECRET = "kept-secret"
REFUSED_OF_STAGE = (
    "SELECT $1 FROM @s",
    "SELECT * FROM of_files",
    "SELECT * FROM TABLE(INFER_SCHEMA(LOCATION => '@s'))",
    "LIST @s/a",
    "REMOVE @s/a",
    "COPY INTO t FROM @s",
    "COPY INTO t FROM @s FILES = ('a.csv')",
    "COPY INTO t FROM (SELECT $1 FROM @s)",
    "COPY INTO @s/x FROM t",
    "ALTER STAGE s REFRESH",
    "ALTER STAGE s SET DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)",
    "CREATE PIPE mine AS COPY INTO t FROM @s",
    "EXPLAIN SELECT * FROM of_files",
)
REFUSED_OF_TABLE = (
    "SELECT * FROM e",
    "SELECT * FROM e AT (OFFSET => 0)",
    "SELECT * FROM of_table",
    "SELECT * FROM new_rows",
    "CREATE TABLE copied AS SELECT * FROM e",
    "ALTER EXTERNAL TABLE e REFRESH",
    "ALTER EXTERNAL TABLE e REFRESH 'a'",
    "ALTER EXTERNAL TABLE e ADD FILES ('a.csv')",
    "ALTER EXTERNAL TABLE e SET AUTO_REFRESH = TRUE",
)
ANSWERED = (
    "SELECT * FROM DIRECTORY(@s)",
    "SELECT * FROM new_files",
    "SHOW STAGES",
    "DESC STAGE s",
    "SHOW EXTERNAL TABLES",
    "SHOW PIPES",
    "DESC PIPE by_path",
    "SHOW STREAMS",
    "SELECT SYSTEM$PIPE_STATUS('by_path')",
    "SELECT GET_DDL('STAGE', 's')",
    "SELECT GET_DDL('PIPE', 'by_path')",
    "SELECT GET_DDL('EXTERNAL TABLE', 'e')",
    "SELECT * FROM INFORMATION_SCHEMA.STAGES",
    "SELECT * FROM INFORMATION_SCHEMA.LOAD_HISTORY",
    "SELECT * FROM TABLE(INFORMATION_SCHEMA.COPY_HISTORY('t', '2000-01-01'))",
    "CREATE SCHEMA twin CLONE public",
    "SELECT GET_DDL('PIPE', 'main.twin.by_path')",
)


@pytest.fixture
def guest(session: Session, tmp_path: Path) -> Iterator[Session]:
    """Return a guest of a lake whose stage and pipes are elsewhere than the guest may read."""
    secret, own = tmp_path / SECRET, tmp_path / "own"
    secret.mkdir()
    own.mkdir()
    (secret / "a.csv").write_text("1\n")
    for text in (
        f"CREATE STAGE s URL = '{secret}' DIRECTORY = (ENABLE = TRUE)",
        "ALTER STAGE s REFRESH",
        "CREATE TABLE t (id INT)",
        "CREATE FILE FORMAT f TYPE = CSV",
        "CREATE EXTERNAL TABLE e (id INT AS (VALUE:c1::INT)) LOCATION = @s FILE_FORMAT = f",
        "CREATE STREAM new_rows ON EXTERNAL TABLE e INSERT_ONLY = TRUE SHOW_INITIAL_ROWS = TRUE",
        "CREATE STREAM new_files ON STAGE s SHOW_INITIAL_ROWS = TRUE",
        "CREATE VIEW of_files AS SELECT $1 AS id FROM @s",
        "CREATE VIEW of_table AS SELECT id FROM e",
        "CREATE PIPE by_stage AS COPY INTO t FROM @s",
        f"CREATE PIPE by_path AS COPY INTO t FROM '{secret}' PATTERN = 'a.*'",
        "ALTER PIPE by_path REFRESH",
    ):
        session.sql(text)
    with open_guest(session, "ann", [str(own)]) as opened:
        yield opened


def test_errors_name_the_stage_and_who_reads_it(guest: Session) -> None:
    by_table = "Stage 'main.public.s', which external table 'main.public.e' reads, is not among"
    expected = (
        *((text, "Stage 'main.public.s' is not among") for text in REFUSED_OF_STAGE),
        *((text, by_table) for text in REFUSED_OF_TABLE),
        ("ALTER PIPE by_stage REFRESH", "Stage 'main.public.s', which pipe 'main.public.by_stage'"),
        ("ALTER PIPE by_path REFRESH", "The path of pipe 'main.public.by_path' is not among"),
    )
    for text, said in expected:
        with pytest.raises(FileRefused) as refused:
            guest.sql(text).fetchall()
        assert refused.value.message.startswith(said), text
        assert SECRET not in f"{refused.value.message} {refused.value.hint}", text
    # a path of the statement's own is named as it is
    with pytest.raises(FileRefused, match=r"^Path '/etc' is not among"):
        guest.sql("COPY INTO t FROM '/etc'")


def test_results_have_no_place_that_the_guest_may_not_name(
    guest: Session, session: Session, tmp_path: Path
) -> None:
    for text in ANSWERED:
        assert SECRET not in str(guest.sql(text).fetchall()), text
    shown = guest.sql("SELECT GET_DDL('PIPE', 'main.public.by_path')").fetchall()
    assert "FROM '…' PATTERN = 'a.*'" in shown[0][0]
    # its own places it sees, and the host sees all
    session.sql(f"CREATE STAGE main.public.own URL = '{tmp_path}/own'")
    assert f"{tmp_path}/own" in str(guest.sql("DESC STAGE main.public.own").fetchall())
    assert SECRET in str(session.sql("DESC STAGE main.public.s").fetchall())
