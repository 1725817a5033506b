"""CREATE … CLONE and ALTER TABLE … SWAP WITH as statements."""

from __future__ import annotations

import pytest

from icemelt.errors import SqlSyntaxError
from icemelt.names import ObjectName
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import (
    CreateClone,
    Existing,
    ObjectKind,
    Point,
    PointKind,
    Side,
    SwapTables,
)

TABLE, SCHEMA, DATABASE = ObjectKind.TABLE, ObjectKind.SCHEMA, ObjectKind.DATABASE
C, T = ObjectName(("c",)), ObjectName(("t",))
HOUR = Point(Side.AT, PointKind.OFFSET, "-3600")
BEFORE = Point(Side.BEFORE, PointKind.STATEMENT, "'x'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE c CLONE t", CreateClone(TABLE, C, T)),
        ("create table C clone T copy grants", CreateClone(TABLE, C, T)),
        (
            "CREATE OR REPLACE TABLE c CLONE a.b.t AT (OFFSET => -3600) COPY GRANTS",
            CreateClone(TABLE, C, ObjectName(("a", "b", "t")), HOUR, Existing.REPLACED),
        ),
        (
            "CREATE TEMPORARY TABLE IF NOT EXISTS c CLONE t BEFORE (STATEMENT => 'x')",
            CreateClone(TABLE, C, T, BEFORE, Existing.KEPT, temporary=True),
        ),
        ("CREATE TRANSIENT TABLE c CLONE t", CreateClone(TABLE, C, T)),
        ("CREATE SCHEMA c CLONE t", CreateClone(SCHEMA, C, T)),
        (
            "CREATE OR REPLACE DATABASE c CLONE t AT (OFFSET => -3600)",
            CreateClone(DATABASE, C, T, HOUR, Existing.REPLACED),
        ),
        ("ALTER TABLE c SWAP WITH t", SwapTables(C, T)),
        ("ALTER TABLE IF EXISTS c SWAP WITH t", SwapTables(C, T, if_exists=True)),
        ("ALTER ICEBERG TABLE c SWAP WITH t", SwapTables(C, T)),
    ],
)
def test_statements(text: str, expected: object) -> None:
    assert parse_statement(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE c CLONE",
        "CREATE TABLE c CLONE t AT",
        "CREATE TABLE c CLONE t AT (OFFSET => -1) BEFORE (STATEMENT => 'x')",
        "CREATE TABLE c CLONE t AS SELECT 1",
        "CREATE VIEW c CLONE t",
        "ALTER TABLE c SWAP t",
        "ALTER TABLE c SWAP WITH",
        "ALTER TABLE c SWAP WITH t, RENAME TO d",
    ],
)
def test_what_is_no_statement(text: str) -> None:
    with pytest.raises(SqlSyntaxError):
        parse_statement(text)
