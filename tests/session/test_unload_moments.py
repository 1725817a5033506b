"""Dates and times that COPY INTO a location writes as text are read back, or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.errors import ValueRefused
from icemelt.session.session import Session

CSV, JSON = "TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"'", "TYPE = JSON"
# an offset with seconds, the beginning of standard time, both ends of summer time, and the last day
INSTANTS = (
    "0001-01-02 00:00:00Z",
    "1880-01-01 00:00:00Z",
    "1880-01-01 00:00:00.000001Z",
    "1937-06-30 23:40:28Z",
    "1940-05-15 23:40:00Z",
    "2024-03-31 01:00:00Z",
    "2024-10-27 00:30:00.5Z",
    "2024-10-27 01:30:00.5Z",
    "9999-12-30 00:00:00Z",
)
WITH_ZONE = "YYYY-MM-DD HH24:MI:SS.FF6 TZH:TZM"
WITHOUT_ZONE = "YYYY-MM-DD HH24:MI:SS.FF6"


@pytest.fixture(params=["Europe/Amsterdam", "Africa/Monrovia", "America/Sao_Paulo", "UTC"])
def zoned(session: Session, request: pytest.FixtureRequest) -> Session:
    session.sql(f"ALTER SESSION SET TIMEZONE = '{request.param}'")
    return session


def read_back(session: Session, place: Path, query: str, column: str, options: str) -> list[object]:
    """Return what a column `v` of a query is once it was unloaded and loaded."""
    session.sql(f"COPY INTO '{place}' FROM ({query}) FILE_FORMAT = ({options})")
    session.sql(f"CREATE OR REPLACE TABLE loaded (n INT, v {column})")
    by_name = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE" if JSON in options else ""
    session.sql(f"COPY INTO loaded FROM '{place}' FILE_FORMAT = ({options}) {by_name}")
    return session.sql("SELECT v FROM loaded ORDER BY n").fetchall()


@pytest.mark.turns(4)
@pytest.mark.parametrize("options", [CSV, JSON])
@pytest.mark.parametrize("column", ["TIMESTAMP_LTZ", "ARRAY(TIMESTAMP_LTZ)"])
def test_an_instant_is_read_back_whatever_its_offset_is(
    zoned: Session, tmp_path: Path, options: str, column: str
) -> None:
    value = "t" if column == "TIMESTAMP_LTZ" else f"ARRAY_CONSTRUCT(t)::{column}"
    rows = ", ".join(f"({n}, '{instant}'::TIMESTAMP_LTZ)" for n, instant in enumerate(INSTANTS))
    query = f"SELECT n, {value} AS v FROM (VALUES {rows}) AS given (n, t)"
    expected = zoned.sql(f"SELECT v FROM ({query}) ORDER BY n").fetchall()
    assert read_back(zoned, tmp_path / "o", query, column, options) == expected


@pytest.mark.parametrize("options", [CSV, JSON])
@pytest.mark.parametrize(
    ("value", "written", "is_kept"),
    [
        ("'1880-01-01 00:00:00Z'::TIMESTAMP_LTZ", WITH_ZONE, False),
        ("'1880-01-01 00:00:00Z'::TIMESTAMP_LTZ", WITHOUT_ZONE, True),
        ("'2024-10-27 01:30:00Z'::TIMESTAMP_LTZ", WITH_ZONE, True),
        # the second of two times of one clock
        ("'2024-10-27 01:30:00Z'::TIMESTAMP_LTZ", WITHOUT_ZONE, False),
        ("'2024-10-27 00:30:00Z'::TIMESTAMP_LTZ", WITHOUT_ZONE, True),
        # no zone has this time
        ("'2024-03-31 02:30:00'::TIMESTAMP_NTZ", WITH_ZONE, False),
        ("'2024-03-31 02:30:00'::TIMESTAMP_NTZ", WITHOUT_ZONE, True),
        ("'2024-03-31 03:30:00'::TIMESTAMP_NTZ", WITH_ZONE, True),
        ("'1880-01-01 00:00:00'::TIMESTAMP_NTZ", WITHOUT_ZONE, True),
        # a format of two digits of the year
        ("'1924-03-31 03:30:00'::TIMESTAMP_NTZ", "YY-MM-DD HH24:MI:SS", False),
        ("NULL::TIMESTAMP_NTZ", WITH_ZONE, True),
    ],
)
def test_a_time_that_its_format_moves_is_refused(
    session: Session, tmp_path: Path, options: str, value: str, written: str, *, is_kept: bool
) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'Europe/Amsterdam'")
    query, place = f"SELECT 1 AS n, {value} AS v", tmp_path / "o"
    options = f"{options} TIMESTAMP_FORMAT = '{written}'"
    if not is_kept:
        with pytest.raises(ValueRefused, match="would be read back as another date or time"):
            session.sql(f"COPY INTO '{place}' FROM ({query}) FILE_FORMAT = ({options})")
        return
    expected = session.sql(f"SELECT v FROM ({query})").fetchall()
    kind = value.partition("::")[2]
    assert read_back(session, place, query, kind, options) == expected


def test_a_format_may_leave_small_parts_out(session: Session, tmp_path: Path) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'America/Sao_Paulo'")
    for value, written, read in (
        (
            "'2024-10-27 01:30:59.75Z'::TIMESTAMP_LTZ",
            "YYYY-MM-DD HH24:MI:SS",
            "2024-10-27 01:30:59Z",
        ),
        ("'2024-10-27 01:30:59.75Z'::TIMESTAMP_LTZ", "YYYY-MM-DD HH24:MI", "2024-10-27 01:30:00Z"),
        # midnight was left out on this day
        ("'2018-11-04 20:00:00Z'::TIMESTAMP_LTZ", "YYYY-MM-DD", "2018-11-04 03:00:00Z"),
    ):
        options = f"{CSV} TIMESTAMP_FORMAT = '{written}'"
        place = tmp_path / str(len(written))
        found = read_back(session, place, f"SELECT 1 AS n, {value} AS v", "TIMESTAMP_LTZ", options)
        assert found == session.sql(f"SELECT '{read}'::TIMESTAMP_LTZ").fetchall(), written


def test_digits_that_are_no_time_are_refused_by_file_and_line(
    session: Session, tmp_path: Path
) -> None:
    digits = ["9" * count for count in range(18, 41)]
    place = tmp_path / "in"
    place.mkdir()
    (place / "a.json").write_text("\n".join(f'{{"t": {each}}}' for each in ["1", *digits]))
    (place / "a.csv").write_text("\n".join(["1", *digits]))
    for kind in ("TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE"):
        for name, options in (
            ("a.json", "FILE_FORMAT = (TYPE = JSON) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"),
            ("a.csv", "FILE_FORMAT = (TYPE = CSV)"),
        ):
            session.sql(f"CREATE OR REPLACE TABLE t (t {kind})")
            result = session.sql(f"COPY INTO t FROM '{place}/{name}' {options} ON_ERROR = CONTINUE")
            ((_, status, parsed, loaded, _, _, said, line, *_rest),) = result.fetchall()
            assert (status, parsed) == ("PARTIALLY_LOADED", len(digits) + 1)
            # 9999…9 of 22 digits is the largest count of nanoseconds
            assert (loaded, line) == (5, 6), kind
            assert said.startswith(f"Column 't' expects {kind}, found '{'9' * 22}")
    session.sql(f"CREATE STAGE s URL = '{place}'")
    session.sql(
        "CREATE EXTERNAL TABLE e (t TIMESTAMP_NTZ AS (VALUE:t::TIMESTAMP_NTZ)) LOCATION = @s"
        " PATTERN = '.*json' FILE_FORMAT = (TYPE = JSON)"
    )
    with pytest.raises(ValueRefused, match=r"a\.json.*line"):
        session.sql("SELECT count(t) FROM e").fetchall()
