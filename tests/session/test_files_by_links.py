"""A file is loaded once, whatever links lead to it: by hosts, guests, stages, pipes, and before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from icemelt.catalog.model import loads
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session, core_of


@pytest.fixture
def land(session: Session, tmp_path: Path) -> Path:
    """Make a table, and a folder of two files to which `linked` leads."""
    land = tmp_path / "land"
    (land / "sub").mkdir(parents=True)
    (land / "a.csv").write_text("1\n")
    (land / "sub" / "b.csv").write_text("2\n")
    (tmp_path / "linked").symlink_to(land)
    session.sql("CREATE TABLE t (id INT)")
    return land


def copy(session: Session, place: object, rest: str = "") -> Counter[str]:
    """Run COPY INTO, and count the files of each status."""
    return Counter(row[1] for row in session.sql(f"COPY INTO t FROM {place} {rest}").fetchall())


def ids(session: Session) -> Counter[int]:
    return Counter(row[0] for row in session.sql("SELECT id FROM t").fetchall())


def test_a_file_is_loaded_once_by_every_path(session: Session, land: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    session.sql(f"CREATE STAGE s URL = '{linked}/'")
    session.sql(f"CREATE PIPE p AS COPY INTO t FROM '{linked}'")
    with open_guest(session, "ann", [str(land)]) as guest:
        assert copy(guest, f"'{land}'") == {"LOADED": 2}
        for place in (f"'{linked}'", f"'{linked}/sub/../a.csv'", f"'{linked}/*.csv'", "@s", "@s/s"):
            assert set(copy(session, place)) == {"LOAD_SKIPPED"}, place
        assert session.sql("ALTER PIPE p REFRESH").fetchall() == []
        (land / "sub" / "c.csv").write_text("3\n")
        assert len(session.sql("ALTER PIPE p REFRESH").fetchall()) == 1
        assert copy(guest, f"'{land}'") == {"LOAD_SKIPPED": 3}
    assert copy(session, f"'{land}'") == {"LOAD_SKIPPED": 3}
    assert ids(session) == Counter([1, 2, 3])


def test_a_link_beside_its_file_is_the_file(session: Session, land: Path) -> None:
    (land / "0.csv").symlink_to(land / "a.csv")
    (land / "inner").symlink_to(land / "sub")
    assert copy(session, f"'{land}'") == {"LOADED": 2}
    assert copy(session, f"'{land}/inner/'") == {"LOAD_SKIPPED": 1}
    assert ids(session) == Counter([1, 2])
    # a query reads what it names
    session.sql(f"CREATE STAGE s URL = '{land}'")
    assert sorted(session.sql("SELECT $1::INT FROM @s").fetchall()) == [(1,), (1,), (2,), (2,)]


def test_a_file_that_took_the_place_of_another_behind_a_link_is_loaded(
    session: Session, land: Path, tmp_path: Path
) -> None:
    assert copy(session, f"'{tmp_path}/linked'") == {"LOADED": 2}
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.csv").write_text("7\n")
    (tmp_path / "linked").unlink()
    (tmp_path / "linked").symlink_to(other)
    assert copy(session, f"'{tmp_path}/linked'") == {"LOADED": 1}
    assert copy(session, f"'{land}'") == {"LOAD_SKIPPED": 2}
    assert ids(session) == Counter([1, 2, 7])


def test_what_an_older_icemelt_has_recorded_by_a_link_is_loaded_no_more(
    session: Session, land: Path, tmp_path: Path
) -> None:
    linked = f"{tmp_path}/linked"
    assert copy(session, f"'{linked}'") == {"LOADED": 2}
    with core_of(session).database.write() as connection:
        text = sa.func.replace(loads.c.path, str(land), linked)
        connection.execute(loads.update().values(path=text))
    assert copy(session, f"'{linked}'") == {"LOAD_SKIPPED": 2}
    session.sql(f"CREATE PIPE p AS COPY INTO t FROM '{linked}'")
    assert session.sql("ALTER PIPE p REFRESH").fetchall() == []
    (land / "a.csv").write_text("1\n8\n")
    assert copy(session, f"'{linked}'") == {"LOADED": 1, "LOAD_SKIPPED": 1}
    assert copy(session, f"'{linked}'") == {"LOAD_SKIPPED": 2}
    assert ids(session) == Counter([1, 1, 2, 8])


def test_a_transaction_knows_its_own_loads_by_every_path(
    session: Session, land: Path, tmp_path: Path
) -> None:
    session.sql("BEGIN")
    assert copy(session, f"'{land}'") == {"LOADED": 2}
    assert copy(session, f"'{tmp_path}/linked'") == {"LOAD_SKIPPED": 2}
    session.sql("COMMIT")
    assert ids(session) == Counter([1, 2])
