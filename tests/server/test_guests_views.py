"""Views over stages, read by a server's guests: no view is a way around what a guest may read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from icemelt.errors import FileRefused, Never
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session


@dataclass
class Server:
    """A host, a guest of it, the guest's place, and a folder that is none."""

    host: Session
    guest: Session
    place: Path
    secret: Path


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[Server]:
    place, secret = tmp_path / "place", tmp_path / "secret"
    for folder in (place, secret):
        folder.mkdir()
    (secret / "s.csv").write_text("1,hidden\n")
    (place / "p.csv").write_text("2,open\n")
    session.sql(f"CREATE STAGE theirs URL = '{secret}' DIRECTORY = (ENABLE = TRUE)")
    session.sql(f"CREATE STAGE ours URL = '{place}' DIRECTORY = (ENABLE = TRUE)")
    with open_guest(session, "ann", [str(place)]) as guest:
        yield Server(session, guest, place, secret)


def test_a_guest_reads_a_hosts_view_where_it_may_read_the_stage(server: Server) -> None:
    server.host.sql("CREATE VIEW hidden AS SELECT $1 AS id, $2 AS name FROM @theirs")
    server.host.sql("CREATE VIEW around AS SELECT COUNT(*) AS n FROM hidden")
    server.host.sql("CREATE VIEW shown AS SELECT $1::INT AS id, $2 AS name FROM @ours")
    assert server.host.sql("SELECT * FROM around").fetchall() == [(1,)]
    for read in ("SELECT $1 FROM @theirs", "SELECT * FROM hidden", "SELECT * FROM around"):
        with pytest.raises(FileRefused):
            server.guest.sql(read).fetchall()
    assert server.guest.sql("SELECT * FROM shown").fetchall() == [(2, "open")]


def test_a_guests_view_reads_no_more_than_its_query(server: Server) -> None:
    server.guest.sql("CREATE VIEW mine AS SELECT $2 AS name FROM @theirs")
    with pytest.raises(FileRefused):
        server.guest.sql("SELECT * FROM mine").fetchall()
    server.guest.sql("CREATE VIEW own AS SELECT $2 AS name FROM @ours")
    (server.place / "link.csv").symlink_to(server.secret / "s.csv")
    for read in ("SELECT $2 FROM @ours", "SELECT * FROM own"):
        with pytest.raises(FileRefused):
            server.guest.sql(read).fetchall()


def test_a_view_over_a_directory_table_shows_a_guest_no_path_of_the_server(server: Server) -> None:
    server.host.sql("CREATE VIEW files AS SELECT * FROM DIRECTORY(@theirs)")
    [direct] = server.guest.sql("SELECT FILE_URL FROM DIRECTORY(@theirs)").fetchall()
    assert direct == ("@main.public.theirs/s.csv",)
    assert server.guest.sql("SELECT FILE_URL FROM files").fetchall() == [direct]
    [(url,)] = server.host.sql("SELECT FILE_URL FROM files").fetchall()
    assert url == f"{server.secret}/s.csv"


def test_orc_files_stay_refused_behind_a_view(server: Server) -> None:
    server.host.sql("CREATE FILE FORMAT orc TYPE = ORC")
    server.host.sql("CREATE VIEW v AS SELECT $1:a AS a FROM @ours (FILE_FORMAT => 'orc')")
    for read in ("SELECT $1 FROM @ours (FILE_FORMAT => 'orc')", "SELECT * FROM v"):
        with pytest.raises(Never):
            server.guest.sql(read).fetchall()
