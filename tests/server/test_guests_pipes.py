"""Pipes of a server's guests: whoever runs a pipe, its maker's rights bound what is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest

from icemelt.catalog.defined_records import PipeRecord
from icemelt.catalog.queries.finding import find_defined
from icemelt.errors import (
    FileRefused,
    IcemeltError,
    LoadFailed,
    PipeBroken,
)
from icemelt.session.copy.pipe_cores import open_pipe_core
from icemelt.session.session import Session, core_of

# what a text may call that reads or tells of the machine
FUNCTIONS = (
    "reflect('java.lang.System', 'getProperty', 'user.home')",
    "java_method('java.lang.System', 'getProperty', 'user.home')",
    "input_file_name()",
    "from_xml('<a/>', 'a INT', map('rowValidationXSDPath', '{secret}'))",
    "system.builtin.reflect('java.lang.System', 'getProperty', 'user.home')",
)


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[HostAndGuest]:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    with open_host_and_guest(session, tmp_path) as opened:
        yield opened


def rows_of(server: HostAndGuest) -> list[tuple[object, ...]]:
    """Return the rows of the table."""
    return sorted(server.host.sql("SELECT * FROM t").fetchall())


def pipe_of(server: HostAndGuest) -> PipeRecord:
    """Return the only pipe."""
    with core_of(server.host).database.read() as connection:
        [pipe] = find_defined(connection, PipeRecord)
    return pipe


def test_a_guest_makes_pipes_only_where_copy_into_would_read(server: HostAndGuest) -> None:
    refused = [
        f"FROM '{server.secret}'",
        f"FROM '{server.place}/../secret'",
        f"FROM 'file://{server.secret}'",
        f"FROM '{server.place}/{{a,../../secret}}'",
        "FROM @theirs",
    ]
    server.host.sql(f"CREATE STAGE theirs URL = '{server.secret}'")
    for source in refused:
        with pytest.raises(FileRefused):
            server.guest.sql(f"CREATE PIPE p AUTO_INGEST = TRUE AS COPY INTO t {source}")
    assert server.host.run_pipes() == {}
    for function in FUNCTIONS:
        select = f"SELECT $1, {function.format(secret=server.secret)}"
        server.guest.sql(f"CREATE OR REPLACE STAGE mine URL = '{server.place}'")
        with pytest.raises(IcemeltError):
            server.guest.sql(f"CREATE PIPE p AS COPY INTO t FROM ({select} FROM @mine)")
    assert server.host.sql("SHOW PIPES").fetchall() == []


def test_a_guests_pipe_run_by_the_host_reads_what_the_guest_may(server: HostAndGuest) -> None:
    server.guest.sql(f"CREATE STAGE mine URL = '{server.place}/in'")
    (server.place / "in").mkdir()
    (server.place / "in" / "a.csv").write_text("2,open\n")
    server.guest.sql("CREATE PIPE p AUTO_INGEST = TRUE AS COPY INTO t FROM @mine")
    assert server.host.run_pipes() == {"main.public.p": 1}
    # a link among the files, a link in the place of the folder
    (server.place / "in" / "link.csv").symlink_to(server.secret / "s.csv")
    assert server.host.run_pipes() == {}
    with pytest.raises(FileRefused):
        server.host.sql("ALTER PIPE p REFRESH")
    (server.place / "in").rename(server.place / "gone")
    (server.place / "in").symlink_to(server.secret)
    assert server.host.run_pipes() == {}
    with pytest.raises(FileRefused):
        server.host.sql("ALTER PIPE p REFRESH")
    assert rows_of(server) == [(2, "open")]
    [[text]] = server.guest.sql("SELECT SYSTEM$PIPE_STATUS('p')").fetchall()
    assert str(server.secret) not in text


def test_the_host_runs_a_guests_pipe_with_harmless_functions_alone(server: HostAndGuest) -> None:
    server.guest.sql(f"CREATE STAGE mine URL = '{server.place}'")
    server.guest.sql("CREATE PIPE p AS COPY INTO t FROM (SELECT $1, UPPER($2) FROM @mine)")
    (server.place / "a.csv").write_text("2,open\n")
    with open_pipe_core(core_of(server.host), pipe_of(server)) as core:
        assert core.wall.for_guest
        with pytest.raises(Exception, match="reflect"):
            core.spark.sql("SELECT reflect('java.lang.System', 'getProperty', 'user.home')")
    server.host.sql("ALTER PIPE p REFRESH")
    assert rows_of(server) == [(2, "OPEN")]


def test_a_guest_who_runs_a_pipe_of_the_host_reads_no_more_than_before(
    server: HostAndGuest,
) -> None:
    server.host.sql(f"CREATE PIPE p AS COPY INTO t FROM '{server.secret}'")
    with pytest.raises(FileRefused):
        server.guest.sql("ALTER PIPE p REFRESH")
    assert rows_of(server) == []
    server.host.sql("ALTER PIPE p REFRESH")
    assert rows_of(server) == [(1, "hidden")]
    # at the guest's own place it may
    server.host.sql(f"CREATE PIPE open AS COPY INTO t FROM '{server.place}'")
    (server.place / "a.csv").write_text("2,open\n")
    server.guest.sql("ALTER PIPE open REFRESH")
    assert (2, "open") in rows_of(server)


def test_a_stage_that_a_guest_moves_or_replaces_stops_the_hosts_pipe(server: HostAndGuest) -> None:
    (server.place / "in").symlink_to(server.secret)
    server.host.sql(f"CREATE STAGE s URL = '{server.place}/real'")
    (server.place / "real").mkdir()
    server.host.sql("CREATE PIPE p AUTO_INGEST = TRUE AS COPY INTO t FROM @s")
    for moved in (
        f"ALTER STAGE s SET URL = '{server.place}'",
        f"CREATE OR REPLACE STAGE s URL = '{server.place}'",
    ):
        server.guest.sql(moved)
        assert server.host.run_pipes() == {}
        with pytest.raises(PipeBroken):
            server.host.sql("ALTER PIPE p REFRESH")
    assert rows_of(server) == []


def test_a_pipe_that_a_guest_alters_is_the_guests(server: HostAndGuest) -> None:
    server.host.sql(f"CREATE PIPE p AUTO_INGEST = TRUE AS COPY INTO t FROM '{server.secret}'")
    copy = f"COPY INTO t FROM '{server.place}/in'"
    server.guest.sql(f"CREATE OR ALTER PIPE p AUTO_INGEST = TRUE AS {copy}")
    (server.place / "in").symlink_to(server.secret)
    assert server.host.run_pipes() == {}
    assert rows_of(server) == []
    # a comment of the host's does not widen it
    server.host.sql("ALTER PIPE p SET COMMENT = 'seen'")
    assert server.host.run_pipes() == {}


def test_what_a_guest_is_told_of_a_hosts_pipe_names_no_folder(server: HostAndGuest) -> None:
    server.host.sql(f"CREATE STAGE s URL = '{server.secret}'")
    server.host.sql("CREATE PIPE p AS COPY INTO t FROM @s")
    (server.secret / "bad.csv.gz").write_bytes(b"no gzip")
    server.host.sql("ALTER PIPE p REFRESH")
    [[text]] = server.guest.sql("SELECT SYSTEM$PIPE_STATUS('p')").fetchall()
    history = server.guest.sql("SELECT * FROM INFORMATION_SCHEMA.LOAD_HISTORY").fetchall()
    assert str(server.secret) not in text + str(history)
    server.secret.rename(server.secret.with_name("moved"))
    with pytest.raises(LoadFailed):
        server.host.sql("ALTER PIPE p REFRESH")
    [[text]] = server.guest.sql("SELECT SYSTEM$PIPE_STATUS('p')").fetchall()
    assert str(server.secret) not in text
