"""Views over stages, read by a server's guests: no view is a way around what a guest may read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest

from icemelt.errors import FileRefused, Never
from icemelt.session.session import Session


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[HostAndGuest]:
    with open_host_and_guest(session, tmp_path) as opened:
        (opened.place / "p.csv").write_text("2,open\n")
        for name, folder in (("theirs", opened.secret), ("ours", opened.place)):
            session.sql(f"CREATE STAGE {name} URL = '{folder}' DIRECTORY = (ENABLE = TRUE)")
        yield opened


def test_a_guest_reads_a_hosts_view_where_it_may_read_the_stage(server: HostAndGuest) -> None:
    server.host.sql("CREATE VIEW hidden AS SELECT $1 AS id, $2 AS name FROM @theirs")
    server.host.sql("CREATE VIEW around AS SELECT COUNT(*) AS n FROM hidden")
    server.host.sql("CREATE VIEW shown AS SELECT $1::INT AS id, $2 AS name FROM @ours")
    assert server.host.sql("SELECT * FROM around").fetchall() == [(1,)]
    for read in ("SELECT $1 FROM @theirs", "SELECT * FROM hidden", "SELECT * FROM around"):
        with pytest.raises(FileRefused):
            server.guest.sql(read).fetchall()
    assert server.guest.sql("SELECT * FROM shown").fetchall() == [(2, "open")]


def test_a_guests_view_reads_no_more_than_its_query(server: HostAndGuest) -> None:
    server.guest.sql("CREATE VIEW mine AS SELECT $2 AS name FROM @theirs")
    with pytest.raises(FileRefused):
        server.guest.sql("SELECT * FROM mine").fetchall()
    server.guest.sql("CREATE VIEW own AS SELECT $2 AS name FROM @ours")
    (server.place / "link.csv").symlink_to(server.secret / "s.csv")
    for read in ("SELECT $2 FROM @ours", "SELECT * FROM own"):
        with pytest.raises(FileRefused):
            server.guest.sql(read).fetchall()


def test_a_view_over_a_directory_table_shows_a_guest_no_path_of_the_server(
    server: HostAndGuest,
) -> None:
    server.host.sql("CREATE VIEW files AS SELECT * FROM DIRECTORY(@theirs)")
    [direct] = server.guest.sql("SELECT FILE_URL FROM DIRECTORY(@theirs)").fetchall()
    assert direct == ("@main.public.theirs/s.csv",)
    assert server.guest.sql("SELECT FILE_URL FROM files").fetchall() == [direct]
    [(url,)] = server.host.sql("SELECT FILE_URL FROM files").fetchall()
    assert url == f"{server.secret}/s.csv"


def test_orc_files_stay_refused_behind_a_view(server: HostAndGuest) -> None:
    server.host.sql("CREATE FILE FORMAT orc TYPE = ORC")
    server.host.sql("CREATE VIEW v AS SELECT $1:a AS a FROM @ours (FILE_FORMAT => 'orc')")
    for read in ("SELECT $1 FROM @ours (FILE_FORMAT => 'orc')", "SELECT * FROM v"):
        with pytest.raises(Never):
            server.guest.sql(read).fetchall()
