"""Files of stages: listed, loaded, written and removed, by users and by a server's guests."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ONE_DAY, Lake, TestClock
from icemelt.errors import FileRefused, IcemeltError, LoadFailed, ObjectNotFound
from icemelt.session.files import stage_rows
from icemelt.session.files.scans import scan_files
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

HEADER = "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)"


@pytest.fixture
def land(tmp_path: Path) -> Path:
    """Return a folder with three files of rows, two of them in the folder `2024`."""
    folder = tmp_path / "land"
    for name in ("2024/a.csv", "2024/b.csv", "2024.csv"):
        write(folder / name, name)
    return folder


@pytest.fixture
def shop(session: Session, land: Path) -> Session:
    session.sql("CREATE TABLE t (v VARCHAR)")
    session.sql(f"CREATE STAGE shop URL = '{land}' {HEADER}")
    session.sql("CREATE STAGE mine")
    return session


@pytest.fixture
def guest(shop: Session, land: Path) -> Iterator[Session]:
    with open_guest(shop, "ann", [str(land)]) as opened:
        yield opened


def write(path: Path, value: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"v\n{value}\n")


def listed(session: Session, place: str) -> list[str]:
    return [row[0] for row in session.sql(f"LIST {place}").fetchall()]


def loaded(session: Session, place: str, options: str = "") -> list[str]:
    session.sql("TRUNCATE TABLE t")
    session.sql(f"COPY INTO t FROM {place} {options}")
    return sorted(row[0] for row in session.sql("SELECT v FROM t").fetchall())


def readers(place: str) -> tuple[str, ...]:
    """Return statements that read the files of a place."""
    return (
        f"COPY INTO t FROM {place}",
        f"COPY INTO t FROM (SELECT $1 FROM {place})",
        f"SELECT $1 FROM {place}",
    )


def test_list_tells_name_size_and_time_of_each_file(shop: Session, land: Path) -> None:
    before = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=5)
    found = shop.sql("LIST @shop").fetchall()
    assert [row[:3] for row in found] == [
        (f"{land}/2024.csv", 11, None),
        (f"{land}/2024/a.csv", 13, None),
        (f"{land}/2024/b.csv", 13, None),
    ]
    assert all(row[3].replace(tzinfo=dt.UTC) > before for row in found)
    assert shop.sql("LIST @shop").columns == ("name", "size", "md5", "last_modified")


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("@shop", ["2024.csv", "2024/a.csv", "2024/b.csv"]),
        ("@shop/", ["2024.csv", "2024/a.csv", "2024/b.csv"]),
        ("@shop/2024", ["2024.csv", "2024/a.csv", "2024/b.csv"]),
        ("@shop/2024/", ["2024/a.csv", "2024/b.csv"]),
        ("@shop/2024/a.csv", ["2024/a.csv"]),
        ("@main.public.shop/2024/b", ["2024/b.csv"]),
        ("'@\"shop\"/2024/b'", ["2024/b.csv"]),
        ("@shop/2025", []),
    ],
)
def test_a_path_in_a_stage_is_the_beginning_of_the_files_paths(
    shop: Session, land: Path, place: str, names: list[str]
) -> None:
    assert listed(shop, place) == [f"{land}/{name}" for name in names]
    assert loaded(shop, place) == sorted(names)


def test_pattern_and_files_choose_in_a_stage(shop: Session, land: Path) -> None:
    assert listed(shop, "@shop PATTERN = '.*b[.]csv'") == [f"{land}/2024/b.csv"]
    assert loaded(shop, "@shop", "PATTERN = '.*a[.]csv'") == ["2024/a.csv"]
    assert loaded(shop, "@shop/2024", "FILES = ('b.csv')") == ["2024/b.csv"]
    with pytest.raises(LoadFailed, match=r"There is no file at .*c\.csv"):
        loaded(shop, "@shop", "FILES = ('c.csv')")
    with pytest.raises(FileRefused, match=r"has '\.\.' in it"):
        loaded(shop, "@shop/2024", "FILES = ('../../outside.csv')")


@pytest.mark.parametrize(
    "name", ["a b.csv", "50%.csv", "é.csv", "a,b;c.csv", "x(1).csv", "it's.csv", "*[?].csv"]
)
def test_a_name_of_any_characters_stands_in_quotes(shop: Session, land: Path, name: str) -> None:
    write(land / "odd" / name, "found")
    write(land / "odd" / "other.csv", "other")
    quoted = f"'@shop/odd/{name.replace(chr(39), 2 * chr(39))}'"
    assert listed(shop, quoted) == [f"{land}/odd/{name}"]
    assert loaded(shop, quoted) == ["found"]


def test_bare_paths_end_at_spaces_and_signs(shop: Session, land: Path) -> None:
    write(land / "day=2024-01-01" / "x.y_z-1.csv", "one")
    assert loaded(shop, "@shop/day=2024-01-01/x.y_z-1.csv", "FORCE = TRUE;") == ["one"]


def test_a_file_is_loaded_once_by_its_path_or_by_its_stage(shop: Session, land: Path) -> None:
    shop.sql("COPY INTO t FROM @shop")
    shop.sql(f"CREATE STAGE again URL = 'file://{land}/2024' {HEADER}")
    for place in ("@shop", "@again", f"'{land}'"):
        rows = shop.sql(f"COPY INTO t FROM {place} {HEADER}").fetchall()
        assert {row[1] for row in rows} == {"LOAD_SKIPPED"}
    assert shop.sql("SELECT COUNT(*) FROM t").fetchall() == [(3,)]


def test_the_statements_format_wins_over_the_stages(shop: Session) -> None:
    found = loaded(shop, "@shop/2024/a", "FILE_FORMAT = (TYPE = CSV)")
    assert found == ["2024/a.csv", "v"]
    shop.sql("CREATE FILE FORMAT whole TYPE = CSV")
    shop.sql("ALTER STAGE shop SET FILE_FORMAT = (FORMAT_NAME = whole)")
    assert loaded(shop, "@shop/2024/a") == ["2024/a.csv", "v"]
    shop.sql("ALTER FILE FORMAT whole SET SKIP_HEADER = 1")
    assert loaded(shop, "@shop/2024/a") == ["2024/a.csv"]


def test_the_format_of_a_stage_is_of_the_schema_where_it_was_named(shop: Session) -> None:
    shop.sql("CREATE FILE FORMAT f TYPE = CSV SKIP_HEADER = 1")
    shop.sql("ALTER STAGE shop SET FILE_FORMAT = f")
    shop.sql("CREATE SCHEMA other")
    shop.sql("CREATE TABLE other.t (v VARCHAR)")
    shop.sql("USE SCHEMA other")
    shop.sql("COPY INTO t FROM @public.shop/2024/a")
    assert shop.sql("SELECT v FROM t").fetchall() == [("2024/a.csv",)]


def test_rows_are_written_to_a_stage_and_read_back(shop: Session) -> None:
    shop.sql("INSERT INTO t VALUES ('a'), ('b')")
    written = shop.sql(
        "COPY INTO @mine/out FROM t FILE_FORMAT = (TYPE = PARQUET) DETAILED_OUTPUT = TRUE"
    ).fetchall()
    names = [f"mine/out/{row[0]}" for row in written]
    assert set(names) < set(listed(shop, "@mine/out"))
    assert loaded(shop, "@mine/out/", "FILE_FORMAT = (TYPE = PARQUET)") == ["a", "b"]


def test_remove_removes_the_files_that_list_shows(shop: Session, land: Path) -> None:
    removed = shop.sql("REMOVE @shop/2024/a").fetchall()
    assert removed == [(f"{land}/2024/a.csv", "removed")]
    assert shop.sql("RM @shop PATTERN = '.*/.*'").fetchall() == [(f"{land}/2024/b.csv", "removed")]
    assert listed(shop, "@shop") == [f"{land}/2024.csv"]


def test_a_folder_that_is_missing_is_named(shop: Session, land: Path) -> None:
    shutil.rmtree(land)
    for statement in ("LIST @shop", "COPY INTO t FROM @shop/2024", "REMOVE @shop"):
        with pytest.raises(LoadFailed, match=f"There is no file at '{land}"):
            shop.sql(statement)


def test_a_url_may_begin_at_the_working_directory(
    shop: Session, land: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(land.parent)
    shop.sql("CREATE STAGE near URL = './land/2024'")
    monkeypatch.chdir("/")
    assert listed(shop, "@near") == [f"{land}/2024/a.csv", f"{land}/2024/b.csv"]


def test_a_dropped_stage_keeps_its_files_until_it_cannot_come_back(
    clock: TestClock, lake: Lake
) -> None:
    session = lake.open()
    session.sql("CREATE TABLE t (v VARCHAR) AS SELECT 'a'")
    session.sql("CREATE STAGE s")
    session.sql("COPY INTO @s FROM t")
    session.sql("DROP STAGE s")
    session.maintain(safe_age=0)
    session.sql("UNDROP STAGE s")
    assert len(listed(session, "@s")) > 0
    session.sql("DROP STAGE s")
    clock.set(clock.time + 2 * ONE_DAY)
    (folder,) = (lake.folder / "warehouse" / "stages").iterdir()
    maintained = session.maintain(safe_age=0)
    assert maintained.objects_removed == 1
    assert not folder.exists()
    with pytest.raises(ObjectNotFound):
        session.sql("UNDROP STAGE s")


def test_a_temporary_stage_ends_with_its_session(lake: Lake, tmp_path: Path) -> None:
    session = lake.open()
    write(tmp_path / "kept" / "a.csv", "a")
    session.sql("CREATE TABLE t (v VARCHAR) AS SELECT 'a'")
    session.sql("CREATE TEMPORARY STAGE s")
    session.sql(f"CREATE TEMPORARY STAGE u URL = '{tmp_path / 'kept'}'")
    session.sql("COPY INTO @s FROM t")
    (folder,) = (lake.folder / "warehouse" / "stages").iterdir()
    session.close()
    assert not folder.exists()
    assert (tmp_path / "kept" / "a.csv").exists()
    with lake.open() as other:
        assert other.sql("SHOW STAGES").fetchall() == []


def test_a_guest_uses_stages_below_the_servers_places_only(
    guest: Session, shop: Session, tmp_path: Path
) -> None:
    write(tmp_path / "outside" / "secret.csv", "secret")
    shop.sql(f"CREATE STAGE outside URL = '{tmp_path / 'outside'}'")
    assert loaded(guest, "@shop/2024/a") == ["2024/a.csv"]
    for statement in (
        "LIST @outside",
        "REMOVE @outside",
        "COPY INTO t FROM @outside",
        "COPY INTO @outside FROM t",
        "SELECT $1 FROM @outside",
        "SELECT $1 FROM '@shop/../outside/'",
        "COPY INTO t FROM (SELECT $1 FROM @outside)",
        f"CREATE STAGE other URL = '{tmp_path / 'outside'}'",
        f"ALTER STAGE shop SET URL = '{tmp_path}'",
        f"CREATE STAGE other URL = '{tmp_path / 'land' / '..' / 'outside'}'",
        "LIST '@shop/../outside'",
        "COPY INTO t FROM @shop FILES = ('../outside/secret.csv')",
    ):
        with pytest.raises(FileRefused):
            guest.sql(statement)
    assert (tmp_path / "outside" / "secret.csv").exists()


def test_a_guest_follows_no_link_out_of_a_stage(guest: Session, land: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside" / "secret.csv", "secret")
    (land / "link").symlink_to(tmp_path / "outside")
    (land / "one.csv").symlink_to(tmp_path / "outside" / "secret.csv")
    for place in ("@shop/link/", "@shop/one.csv", "@shop"):
        for statement in (f"LIST {place}", f"REMOVE {place}", *readers(place)):
            with pytest.raises(IcemeltError) as refused:
                guest.sql(statement)
            assert "secret" not in str(refused.value)
    assert (tmp_path / "outside" / "secret.csv").exists()


def test_a_guest_has_files_in_the_warehouse_and_sees_no_path_of_it(
    guest: Session, shop: Session, lake: Lake, tmp_path: Path
) -> None:
    guest.sql("INSERT INTO t VALUES ('a')")
    guest.sql("COPY INTO @mine/out FROM t FILE_FORMAT = (TYPE = CSV)")
    rows: list[tuple[Any, ...]] = guest.sql("COPY INTO t FROM @mine/out FORCE = TRUE").fetchall()
    assert [row[0].startswith("@mine/out/data_") for row in rows] == [True]
    assert all(name.startswith("mine/out/") for name in listed(guest, "@mine"))
    with pytest.raises(IcemeltError) as failed:
        guest.sql("COPY INTO t FROM @mine FILES = ('none.csv')")
    assert "warehouse" not in str(failed.value)
    assert str(tmp_path) not in str(failed.value)
    shown = listed(guest, "@mine")
    assert guest.sql("REMOVE @mine").fetchall() == [(name, "removed") for name in shown]
    assert listed(shop, "@mine") == []
    assert [
        path for path in (lake.folder / "warehouse" / "stages").rglob("*") if path.is_file()
    ] == []


def test_a_guest_reads_files_of_stages_as_rows(guest: Session) -> None:
    rows = guest.sql("SELECT $1, METADATA$FILENAME FROM @shop/2024/ ORDER BY 1").fetchall()
    assert rows == [("2024/a.csv", "2024/a.csv"), ("2024/b.csv", "2024/b.csv")]


def test_a_guest_sees_no_row_of_a_file_that_took_a_checked_path(
    guest: Session, land: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "outside" / "secret.csv", "secret")

    def scan(*given: Any) -> Any:
        (land / "2024.csv").unlink()
        (land / "2024.csv").symlink_to(tmp_path / "outside" / "secret.csv")
        return scan_files(*given)

    guest.sql("CREATE FILE FORMAT plain TYPE = CSV")
    monkeypatch.setattr(stage_rows, "scan_files", scan)
    with pytest.raises(LoadFailed, match="changed while it was read"):
        guest.sql("SELECT $1 FROM @shop/2024.csv (FILE_FORMAT => plain)").fetchall()


def test_a_query_reads_files_by_the_format_of_its_own_moment(
    shop: Session, lake: Lake, land: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (land / "2024.csv").write_text('{"v": 1}\n')
    shop.sql("CREATE FILE FORMAT f TYPE = CSV")
    find, calls = stage_rows.find_format, []

    def alter_before(*given: Any) -> Any:
        if not calls:
            calls.append(given)
            with lake.open() as other:
                other.sql("CREATE OR REPLACE FILE FORMAT f TYPE = JSON")
        return find(*given)

    monkeypatch.setattr(stage_rows, "find_format", alter_before)
    query = "SELECT $1 FROM @shop/2024.csv (FILE_FORMAT => f)"
    assert shop.sql(query).fetchall() == [('{"v": 1}',)]
    assert shop.sql(query.replace("$1", "$1:v::INT")).fetchall() == [(1,)]


def test_rows_are_numbered_in_each_file_however_large(shop: Session, land: Path) -> None:
    for number in range(3):
        lines = (f"{number},{line}\n" for line in range(200_000))
        (land / f"large{number}.csv").write_text("".join(lines))
    shop.sql("CREATE FILE FORMAT plain TYPE = CSV")
    shop.spark.conf.set("spark.sql.files.maxPartitionBytes", "262144")
    try:
        counted = shop.sql(
            "SELECT COUNT(*), COUNT_IF($2::INT + 1 <> METADATA$FILE_ROW_NUMBER) "
            "FROM @shop/large (FILE_FORMAT => plain)"
        ).fetchall()
    finally:
        shop.spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert counted == [(600_000, 0)]


def test_a_folder_is_no_file_of_files(shop: Session, land: Path) -> None:
    with pytest.raises(LoadFailed, match="There is no file"):
        shop.sql("COPY INTO t FROM @shop FILES = ('2024')")
    with pytest.raises(LoadFailed, match="There is no file"):
        shop.sql(f"COPY INTO t FROM '{land}' FILES = ('2024')")


def test_a_wide_file_has_the_type_of_each_column(session: Session, tmp_path: Path) -> None:
    kinds = {
        "1": "BIGINT",
        "1.5": "NUMBER(2,1)",
        "1e5": "DOUBLE",
        "2024-01-01": "DATE",
        "2024-01-01 10:00": "TIMESTAMP_NTZ",
        "true": "BOOLEAN",
        "007": "VARCHAR",
        "": "VARCHAR",
    }
    values = [*kinds] * 40
    header = ",".join(f"c{position}" for position in range(len(values)))
    (tmp_path / "rows.csv").write_text(f"{header}\n{','.join(values)}\n{','.join(values)}\n")
    (tmp_path / "none.csv").write_text(f"{header}\n")
    session.sql("CREATE FILE FORMAT f TYPE = CSV PARSE_HEADER = TRUE")
    session.sql(f"CREATE STAGE wide URL = '{tmp_path}'")

    def inferred(file: str) -> list[str]:
        return [
            row[0]
            for row in session.sql(
                "SELECT type FROM TABLE(INFER_SCHEMA(LOCATION => '@wide', FILE_FORMAT => 'f',"
                f" FILES => ('{file}'))) ORDER BY order_id"
            ).fetchall()
        ]

    assert inferred("rows.csv") == [kinds[value] for value in values]
    assert inferred("none.csv") == ["VARCHAR"] * len(values)
