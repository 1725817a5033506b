"""COPY INTO reads and writes files by a file format of a schema."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conftest import Lake
from icemelt.errors import Never, ObjectNotFound, SqlSyntaxError
from icemelt.session.files.read_options import option_names
from icemelt.session.session import Session
from icemelt.sql.statements import FileFormat

OF_THE_SHOP = "TYPE = CSV FIELD_DELIMITER = ';' SKIP_HEADER = 1 NULL_IF = ('', 'none')"


@pytest.fixture
def shop(session: Session, tmp_path: Path) -> Session:
    """Return a session with a table, a file format, and a file in the file format."""
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql(f"CREATE FILE FORMAT shop {OF_THE_SHOP}")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id;v\n1;x\n2;none\n")
    return session


def rows(session: Session, table: str = "t") -> list[tuple[Any, ...]]:
    return session.sql(f"SELECT id, v FROM {table} ORDER BY id").fetchall()


@pytest.mark.parametrize(
    "named",
    [
        "shop",
        "'shop'",
        "main.public.shop",
        "(FORMAT_NAME = shop)",
        "(FORMAT_NAME = 'main.public.shop')",
    ],
)
def test_a_file_is_loaded_by_a_file_format(shop: Session, tmp_path: Path, named: str) -> None:
    shop.sql(f"COPY INTO t FROM '{tmp_path / 'in'}' FILE_FORMAT = {named}")
    assert rows(shop) == [(1, "x"), (2, None)]


def test_a_file_format_serves_reading_and_writing(shop: Session, tmp_path: Path) -> None:
    shop.sql(f"COPY INTO t FROM '{tmp_path / 'in'}' FILE_FORMAT = shop")
    shop.sql(
        f"COPY INTO '{tmp_path / 'out'}' FROM t FILE_FORMAT = shop HEADER = TRUE SINGLE = TRUE"
    )
    shop.sql("CREATE TABLE again (id INT, v VARCHAR)")
    shop.sql(f"COPY INTO again FROM '{tmp_path / 'out'}' FILE_FORMAT = (FORMAT_NAME = shop)")
    assert rows(shop, "again") == [(1, "x"), (2, None)]


def test_a_statement_takes_the_options_of_its_moment(shop: Session, tmp_path: Path) -> None:
    shop.sql("ALTER FILE FORMAT shop SET NULL_IF = ('x')")
    shop.sql(f"COPY INTO t FROM '{tmp_path / 'in'}' FILE_FORMAT = shop")
    assert rows(shop) == [(1, None), (2, "none")]


def test_a_file_format_belongs_to_the_current_schema(shop: Session, tmp_path: Path) -> None:
    shop.sql("CREATE SCHEMA other")
    shop.sql("CREATE TABLE other.t (id INT, v VARCHAR)")
    shop.sql("USE SCHEMA other")
    with pytest.raises(ObjectNotFound, match=r"main\.other\.shop"):
        shop.sql(f"COPY INTO t FROM '{tmp_path / 'in'}' FILE_FORMAT = shop")
    shop.sql(f"COPY INTO t FROM '{tmp_path / 'in'}' FILE_FORMAT = public.shop")
    assert rows(shop) == [(1, "x"), (2, None)]


def test_a_named_format_takes_no_options_beside_it(shop: Session) -> None:
    with pytest.raises(SqlSyntaxError, match=r"Expected \) after the name"):
        shop.sql("COPY INTO t FROM '/in' FILE_FORMAT = (FORMAT_NAME = shop SKIP_HEADER = 2)")


def test_what_writing_cannot_do_is_said_when_it_writes(shop: Session, tmp_path: Path) -> None:
    shop.sql("CREATE FILE FORMAT old ENCODING = 'WINDOWS1252'")
    with pytest.raises(Never, match="not in 'WINDOWS1252'"):
        shop.sql(f"COPY INTO '{tmp_path / 'out'}' FROM t FILE_FORMAT = old")


def test_each_option_is_described(session: Session) -> None:
    for kind in FileFormat:
        session.sql(f"CREATE FILE FORMAT of_{kind.value} TYPE = {kind.value}")
        described = session.sql(f"DESC FILE FORMAT of_{kind.value}").fetchall()
        assert {row[0] for row in described} == {"TYPE", *option_names(kind)}
        assert all(value == default for option, _, value, default in described if option != "TYPE")


def test_a_definition_makes_the_same_file_format_again(session: Session) -> None:
    written = r"""CREATE FILE FORMAT odd TYPE = CSV
        FIELD_DELIMITER = '\t' NULL_IF = ('it''s', '\\N', '')
        FIELD_OPTIONALLY_ENCLOSED_BY = '"' ESCAPE = '\\' TRIM_SPACE = TRUE
        COMMENT = 'a ''b'' \\c'"""
    session.sql(written)
    for nulls, kept in (
        (r"('it''s', '\\N', '')", ["it's", "\\N", ""]),
        ("()", []),
        ("('')", [""]),
        ("('', '')", [""]),
    ):
        session.sql(f"ALTER FILE FORMAT odd SET NULL_IF = {nulls}")
        shown = session.sql("SHOW FILE FORMATS").fetchall()
        session.sql(session.sql("SELECT GET_DDL('FILE_FORMAT', 'odd')").fetchall()[0][0])
        again = session.sql("SHOW FILE FORMATS").fetchall()
        assert [row[1:] for row in again] == [row[1:] for row in shown]
        assert json.loads(again[0][7])["NULL_IF"] == kept


def test_of_changes_at_once_all_are_kept(lake: Lake) -> None:
    one, other = lake.open(), lake.open()
    one.sql("CREATE FILE FORMAT f")

    def alter(session: Session, option: str) -> None:
        # a statement is tried eight times: the other session must not be first more than seven
        for number in range(1, 8):
            session.sql(f"ALTER FILE FORMAT f SET {option} = '{number}'")

    with ThreadPoolExecutor() as pool:
        done = [pool.submit(alter, one, "SKIP_HEADER"), pool.submit(alter, other, "ESCAPE")]
    assert [each.result() for each in done] == [None, None]
    options = json.loads(one.sql("SHOW FILE FORMATS").fetchall()[0][7])
    assert options == {"TYPE": "CSV", "SKIP_HEADER": "7", "ESCAPE": "7"}
