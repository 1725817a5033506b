"""PUT and GET: files of this machine into a stage and back, whole or not at all."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from conftest import Lake
from icemelt.errors import FileRefused, IcemeltError, LoadFailed, Never, StatementCancelled
from icemelt.session.copy import put_get
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session


@pytest.fixture
def shop(session: Session) -> Session:
    session.sql("CREATE STAGE mine")
    return session


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with two CSV files, a compressed one, a hidden one and a folder."""
    folder = tmp_path / "here"
    (folder / "folder.csv").mkdir(parents=True)
    for name, text in (("a.csv", "1,x\n"), ("b.csv", "2,y\n"), (".hidden.csv", "3,z\n")):
        (folder / name).write_text(text)
    (folder / "c.csv.gz").write_bytes(gzip.compress(b"4,w\n"))
    return folder


def rows(session: Session, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(statement).fetchall()]


def names(session: Session, place: str = "@mine") -> list[str]:
    return [row[0] for row in rows(session, f"LIST {place}")]


def test_put_copies_the_files_of_a_pattern_and_compresses_them(shop: Session, here: Path) -> None:
    found = rows(shop, f"PUT file://{here}/*.csv @mine/in/")
    size = found[0][3]
    assert found == [
        ("a.csv", "a.csv.gz", 4, size, "NONE", "GZIP", "UPLOADED", ""),
        ("b.csv", "b.csv.gz", 4, size, "NONE", "GZIP", "UPLOADED", ""),
    ]
    assert names(shop) == ["mine/in/a.csv.gz", "mine/in/b.csv.gz"]
    assert rows(shop, "SELECT $1, $2 FROM @mine/in/ ORDER BY 1") == [("1", "x"), ("2", "y")]


def test_put_keeps_files_that_are_compressed_or_shall_stay_as_they_are(
    shop: Session, here: Path
) -> None:
    put = rows(shop, f"PUT 'file://{here}/?.csv*' @mine AUTO_COMPRESS = FALSE PARALLEL = 1")
    assert [row[1] for row in put] == ["a.csv", "b.csv", "c.csv.gz"]
    (row,) = rows(shop, f"PUT 'file://{here}/c.csv.gz' @mine/other")
    assert row[:2] + row[4:7] == ("c.csv.gz", "c.csv.gz", "GZIP", "GZIP", "UPLOADED")


def test_a_compressed_file_gets_the_ending_by_which_it_is_unpacked(
    shop: Session, here: Path
) -> None:
    (here / "packed").write_bytes(gzip.compress(b"4,w\n"))
    (here / "packed.csv").write_bytes(gzip.compress(b"5,v\n"))
    (row,) = rows(shop, f"PUT 'file://{here}/packed' @mine")
    assert row[1] == "packed.gz"
    (row,) = rows(shop, f"PUT 'file://{here}/packed.csv' @mine SOURCE_COMPRESSION = GZIP")
    assert row[1] == "packed.csv.gz"
    assert rows(shop, "SELECT $1 FROM @mine ORDER BY 1") == [("4",), ("5",)]


def test_two_files_are_never_one_in_the_stage(shop: Session, here: Path) -> None:
    (here / "a.csv.gz").write_bytes(gzip.compress(b"9,q\n"))
    with pytest.raises(LoadFailed, match=r"would both be 'a\.csv\.gz'"):
        shop.sql(f"PUT file://{here}/a* @mine")
    assert names(shop) == []


def test_of_sessions_that_put_a_file_at_once_one_has_put_it(
    shop: Session, lake: Lake, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, others = put_get._copy, []

    def put_before(*given: Any, **named: Any) -> int:
        if not others:
            others.append("none")
            with lake.open() as other:
                others[0] = rows(other, f"PUT file://{here}/a.csv @mine")[0][6]
            (here / "a.csv").write_text("8,late\n")
        return copy(*given, **named)

    monkeypatch.setattr(put_get, "_copy", put_before)
    assert rows(shop, f"PUT file://{here}/a.csv @mine")[0][6] == "SKIPPED"
    assert others == ["UPLOADED"]
    assert rows(shop, "SELECT $2 FROM @mine") == [("x",)]
    assert names(shop) == ["mine/a.csv.gz"]


def test_put_skips_a_file_that_is_there_unless_it_shall_be_replaced(
    shop: Session, here: Path
) -> None:
    assert rows(shop, f"PUT file://{here}/a.csv @mine")[0][6] == "UPLOADED"
    (here / "a.csv").write_text("5,new\n")
    assert rows(shop, f"PUT file://{here}/a.csv @mine")[0][6] == "SKIPPED"
    assert rows(shop, "SELECT $2 FROM @mine") == [("x",)]
    assert rows(shop, f"PUT file://{here}/a.csv @mine OVERWRITE = TRUE")[0][6] == "UPLOADED"
    assert rows(shop, "SELECT $2 FROM @mine") == [("new",)]


def test_a_file_written_by_copy_into_is_replaced_with_its_checksum(
    shop: Session, here: Path, tmp_path: Path
) -> None:
    shop.sql(f"CREATE STAGE out URL = '{tmp_path / 'out'}'")
    shop.sql(
        "COPY INTO @out FROM (SELECT 1) SINGLE = TRUE FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE)"
    )
    (written,) = (name for name in names(shop, "@out") if name.endswith(".csv"))
    place = Path(written)
    assert (place.parent / f".{place.name}.crc").exists()
    (here / place.name).write_text("7\n")
    folder = place.parent.relative_to(tmp_path / "out")
    shop.sql(f"PUT file://{here}/{place.name} @out/{folder} AUTO_COMPRESS=FALSE OVERWRITE=TRUE")
    assert rows(shop, f"SELECT $1 FROM @out/{folder}") == [("7",)]


def test_get_copies_a_folder_of_a_stage(shop: Session, here: Path, tmp_path: Path) -> None:
    shop.sql(f"PUT file://{here}/a.csv @mine/in AUTO_COMPRESS = FALSE")
    shop.sql(f"PUT file://{here}/b.csv @mine/in/sub AUTO_COMPRESS = FALSE")
    for place in ("@mine/in", "@mine/in/"):
        target = tmp_path / f"out{len(place)}"
        assert rows(shop, f"GET {place} file://{target}/") == [
            ("a.csv", 4, "DOWNLOADED", ""),
            ("sub/b.csv", 4, "DOWNLOADED", ""),
        ]
        assert (target / "sub" / "b.csv").read_text() == "2,y\n"
    (row,) = rows(shop, f"GET @mine 'file://{tmp_path}/o' PATTERN = '.*/b[.]csv'")
    assert row[0] == "in/sub/b.csv"


def test_a_failed_file_is_told_and_leaves_nothing(
    shop: Session, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = put_get._copy

    def fail(*given: Any, **named: Any) -> int:
        copy(*given, **named)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(put_get, "_copy", fail)
    put = rows(shop, f"PUT file://{here}/*.csv @mine")
    assert [(row[6], row[7]) for row in put] == [("ERROR", "No space left on device")] * 2
    assert names(shop) == []
    monkeypatch.undo()
    shop.sql(f"PUT file://{here}/*.csv @mine")
    monkeypatch.setattr(put_get, "_copy", fail)
    target = tmp_path / "out"
    assert {row[2] for row in rows(shop, f"GET @mine file://{target}")} == {"ERROR"}
    assert list(target.iterdir()) == []


def test_a_cancelled_put_leaves_no_part_of_a_file(
    shop: Session, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancel(*_given: Any, **_named: Any) -> int:
        raise StatementCancelled("The statement was cancelled.", hint="")

    monkeypatch.setattr(put_get, "_copy", cancel)
    with pytest.raises(StatementCancelled):
        shop.sql(f"PUT file://{here}/*.csv @mine")
    monkeypatch.undo()
    assert names(shop) == []


def test_files_of_the_catalog_are_not_copied(shop: Session, tmp_path: Path) -> None:
    put = rows(shop, f"PUT file://{tmp_path}/*.db @mine")
    assert [row[6] for row in put] == ["ERROR"]
    assert "catalog's own" in put[0][7]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("PUT file://{here} @mine", LoadFailed),
        ("PUT file://{here}/none.csv @mine", LoadFailed),
        ("PUT file://{here}/none/*.csv @mine", LoadFailed),
        ("PUT file://{here}/a.csv '@mine/../x'", FileRefused),
        ("GET @mine file://{here}/a.csv", FileRefused),
        ("GET '@mine/../x' file://{here}/", FileRefused),
    ],
)
def test_what_cannot_be_copied(
    shop: Session, here: Path, statement: str, kind: type[IcemeltError]
) -> None:
    with pytest.raises(kind):
        shop.sql(statement.format(here=here))


def test_a_guest_copies_no_files_of_the_server(shop: Session, here: Path, tmp_path: Path) -> None:
    with open_guest(shop, "ann", [str(tmp_path)]) as guest:
        for statement in (f"PUT file://{here}/a.csv @mine", f"GET @mine file://{here}/"):
            with pytest.raises(Never):
                guest.sql(statement)


def test_a_file_of_several_chunks_is_copied_whole(shop: Session, here: Path) -> None:
    (here / "a.csv").write_text("1,x\n" * 3_000_000)
    shop.sql(f"PUT file://{here}/a.csv @mine")
    assert rows(shop, "SELECT COUNT(*) FROM @mine") == [(3_000_000,)]
