"""Values that no partition can hold are bad rows of their append; all others are written."""

from __future__ import annotations

import datetime as dt
import string
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote_plus

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest.reaching import embedded

from icemelt.errors import ValueRefused
from icemelt.ingest.conversion.conversion import convert
from icemelt.ingest.conversion.partitions import PartitionRule, find_partition_rules
from icemelt.schema import Column, DecimalType, Primitive
from icemelt.session.session import Session
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshots
from icemelt.tables.writes.partition_bounds import find_least_truncated

TOO_LONG = "has at most 255 bytes, URL-encoded"
_KEPT = string.ascii_letters + string.digits + ".*_-"


def truncation(column: Column, width: int) -> PartitionRule:
    least = find_least_truncated(column.type, width)
    return PartitionRule(column.name, width, None, least=least)


def bad_rows(column: Column, rule: PartitionRule, values: list[Any]) -> list[int]:
    rows = pa.table({column.name: pa.array(values)})
    return [error.row for error in convert(rows, [column], partitions=[rule]).errors]


@settings(max_examples=60)
@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=20)),
    st.integers(0, 60),
    st.none() | st.integers(1, 12),
)
def test_a_text_is_refused_if_its_encoded_name_is_too_long(
    texts: list[str], most: int, width: int | None
) -> None:
    encoded = [quote_plus(text[:width], safe="*").replace("~", "%7E") for text in texts]
    encoded += ["", "null"]
    expected = [row for row, text in enumerate(encoded) if len(text) > most]
    rule = PartitionRule("s", width, most)
    assert bad_rows(Column("s", Primitive("string")), rule, [*texts, "", None]) == expected


@settings(max_examples=60)
@given(
    st.lists(st.integers(-(2**63) + 1_000, 2**63 - 1)),
    st.integers(-2, 25),
    st.none() | st.integers(1, 1_000),
)
def test_a_number_is_refused_if_its_text_is_too_long(
    numbers: list[int], most: int, width: int | None
) -> None:
    numbers = [*numbers, 7, -1, 2**63 - 1]
    texts = [str(number if width is None else number // width * width) for number in numbers]
    expected = [row for row, text in enumerate([*texts, "null"]) if len(text) > most]
    rule = PartitionRule("n", width, most)
    assert bad_rows(Column("n", Primitive("long")), rule, [*numbers, None]) == expected


# the names of folders by Iceberg, URL-encoded
NAMES: dict[str, list[tuple[Any, str]]] = {
    "boolean": [(True, "true"), (False, "false")],
    "date": [(dt.date(2024, 1, 31), "2024-01-31")],
    "timestamp": [
        (dt.datetime.fromisoformat("2024-01-31T12:00"), "2024-01-31T12%3A00"),
        (dt.datetime.fromisoformat("1950-01-31T12:00:05"), "1950-01-31T12%3A00%3A05"),
        (dt.datetime.fromisoformat("1950-01-31T12:00:05.250"), "1950-01-31T12%3A00%3A05.250"),
        (dt.datetime.fromisoformat("2024-01-31T12:00:00.000001"), "2024-01-31T12%3A00%3A00.000001"),
    ],
    "timestamptz": [(dt.datetime(2024, 1, 31, 12, tzinfo=dt.UTC), "2024-01-31T12%3A00Z")],
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("most", range(34))
def test_a_moment_is_refused_if_its_text_is_too_long(kind: str, most: int) -> None:
    values = [value for value, _ in NAMES[kind]]
    texts = [*(text for _, text in NAMES[kind]), "null"]
    expected = [row for row, text in enumerate(texts) if len(text) > most]
    column = Column("v", Primitive(kind))
    assert bad_rows(column, PartitionRule("v", None, most), [*values, None]) == expected


@pytest.mark.parametrize(
    ("transform", "value_bytes"), [("bucket[100]", 2), ("day", 10), ("month", 7), ("hour", 13)]
)
def test_a_long_field_has_no_room_for_the_values_of_a_transform(
    transform: str, value_bytes: int
) -> None:
    for room in range(-1, 15):
        name = "n" * (254 - room)
        spec = {"name": name, "transform": transform, "source-id": 1}
        document = {"partition-specs": [{"spec-id": 0, "fields": [spec]}]}
        columns = (Column("t", Primitive("timestamp"), field_id=1),)
        metadata = TableMetadata(
            "/srv/t", "u", 3, columns, {}, None, cast("Snapshots", None), 0, document
        )
        rules = find_partition_rules(metadata)
        texts = [value_bytes, 4]
        values = pa.table({"t": pa.array([dt.datetime.fromisoformat("2024-01-31"), None])})
        errors = convert(values, columns, partitions=rules).errors
        assert [error.row for error in errors] == [
            row for row, size in enumerate(texts) if size > room
        ]


def test_rows_with_room_for_their_partition_are_written_beside_others(session: Session) -> None:
    long, name = "n" * 251, "d" * 243
    session.sql(f"CREATE TABLE p ({long} INT, {name} DATE, o INT) PARTITION BY ({long}, {name})")
    rows = [
        {long: 1, name: "2024-01-31", "o": 2},
        {long: 10_000, name: "2024-01-31", "o": 3},
        {long: 1, "o": 4},
        {name: "2024-01-31", "o": 5},
    ]
    with embedded(session) as client:
        channel = client.open_channel("c", "main", "public", "p", on_error="CONTINUE")[0]
        answer = channel.append_rows(rows, end_offset_token="1")
        assert [error.row for error in answer.errors] == [1, 3]
        channel.wait_for_flush(60)
        assert channel.get_latest_committed_offset_token() == "1"
    assert session.sql("SELECT o FROM p ORDER BY o").fetchall() == [(2,), (4,)]


@settings(max_examples=60)
@given(st.lists(st.integers(-(10**4) + 1, 10**4 - 1)), st.integers(1, 2_000))
def test_a_number_is_refused_if_its_truncation_has_too_many_digits(
    numbers: list[int], width: int
) -> None:
    expected = [n for n, number in enumerate(numbers) if number // width * width <= -(10**4)]
    values = [Decimal(number).scaleb(-2) for number in numbers]
    column = Column("d", DecimalType(4, 2))
    assert bad_rows(column, truncation(column, width), [*values, None]) == expected


def test_the_widest_decimals_are_exact() -> None:
    least = -(10**38 - 1) // 10 * 10 + 10
    column = Column("d", DecimalType(38, 0))
    values = [Decimal(least), Decimal(least - 1), Decimal(-least)]
    assert bad_rows(column, truncation(column, 10), values) == [1]


@pytest.mark.parametrize(("kind", "bits"), [("int", 32), ("long", 64)])
@pytest.mark.parametrize("width", [10, 16, 1_000, 2**30 - 1])
def test_a_whole_number_is_refused_if_its_truncation_overflows(
    kind: str, bits: int, width: int
) -> None:
    lowest = -(2 ** (bits - 1))
    values = [lowest, lowest + width - 1, lowest + width, -1, 5, -lowest - 1]
    expected = [n for n, value in enumerate(values) if value // width * width < lowest]
    column = Column("id", Primitive(kind))
    assert bad_rows(column, truncation(column, width), [*values, None]) == expected


def test_no_statement_writes_a_number_whose_truncation_leaves_the_type(
    session: Session, tmp_path: Path
) -> None:
    least, insert = -(2**63), "WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1, 1)"
    session.sql(
        "CREATE TABLE low (id BIGINT, n INT DEFAULT -9223372036854775807, d DECIMAL(4, 2)) "
        "PARTITION BY (TRUNCATE(10, id), TRUNCATE(100, n), TRUNCATE(10, d))"
    )
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.csv").write_text(f"{least},1,1\n")
    for statement in (
        f"INSERT INTO low VALUES ({least}, 1, 1)",
        f"INSERT INTO low (id, n) SELECT {least} + random() * 0, 1",
        "INSERT INTO low (id) VALUES (1)",
        "INSERT INTO low (n, d) VALUES (1, -99.91)",
        f"MERGE INTO low USING (SELECT {least} AS k) AS s ON false {insert}",
        f"COPY INTO low FROM '{folder}' FILE_FORMAT = (TYPE = CSV)",
    ):
        with pytest.raises(ValueRefused, match="partitions the table by TRUNCATE") as raised:
            session.sql(statement)
        assert raised.value.sqlstate == "22003"
    session.sql(f"INSERT INTO low VALUES ({least + 8}, 1, -99.90), (-5, NULL, NULL)")
    with pytest.raises(ValueRefused, match="'id' partitions the table"):
        session.sql("UPDATE low SET id = id - 1 WHERE id < -100")
    assert session.sql("SELECT id FROM low WHERE id < 0 ORDER BY id").fetchall() == [
        (least + 8,),
        (-5,),
    ]
    session.sql("DELETE FROM low WHERE id < 0")
    assert session.sql("SELECT * FROM low").fetchall() == []


def test_what_partitions_hold_is_written_and_the_rest_are_bad_rows(session: Session) -> None:
    session.sql(
        "CREATE TABLE p (n INT, s VARCHAR, t VARCHAR, b BINARY, d DECIMAL(10, 2), u VARCHAR) "
        "PARTITION BY (s, TRUNCATE(90, t), b, TRUNCATE(10, d))"
    )
    longest = ["x" * 253, "é" * 42 + "-", " " * 253, _KEPT * 3]
    rows: list[dict[str, Any]] = [{"n": n, "s": text} for n, text in enumerate(longest)]
    rows.append({"n": 4, "t": "x" * 1_000, "d": Decimal("-99999999.90"), "u": "x" * 1_000})
    # 244 characters of base 64, of which the last two take three bytes each
    rows.append({"n": 5, "b": b"x" * 181})
    bad = [
        {"s": "x" * 254},
        {"s": "é" * 43},
        {"t": "é" * 90},
        {"b": b"x" * 190},
        {"d": Decimal("-99999999.91")},
    ]
    with embedded(session) as client:
        channel = client.open_channel("c", "main", "public", "p", on_error="CONTINUE")[0]
        answer = channel.append_rows([*rows, *bad], end_offset_token="1")
        assert [(error.row, error.column) for error in answer.errors] == [
            (len(rows) + number, name)
            for number, name in enumerate(name for row in bad for name in row)
        ]
        assert all(TOO_LONG in error.reason for error in answer.errors[:-1])
        assert "by TRUNCATE(10, …), from -99999999.90 on, found" in answer.errors[-1].reason
        channel.wait_for_flush(60)
        assert channel.get_latest_committed_offset_token() == "1"
    found = session.sql("SELECT n FROM p ORDER BY n").fetchall()
    assert found == [(n,) for n in range(len(rows))]


@pytest.mark.parametrize(
    ("location", "properties", "is_bounded"),
    [
        ("file:/srv/t", {}, True),
        ("/srv/t", {}, True),
        ("s3://bucket/t", {}, False),
        ("file:/srv/t", {"write.data.path": "s3://bucket/t"}, False),
        (
            "file:/srv/t",
            {
                "write.object-storage.enabled": "true",
                "write.object-storage.partitioned-paths": "false",
            },
            False,
        ),
    ],
)
def test_stores_without_folders_hold_long_values(
    location: str, properties: dict[str, str], *, is_bounded: bool
) -> None:
    spec = {"name": "s t", "transform": "truncate[400]", "source-id": 1}
    document = {"partition-specs": [{"spec-id": 0, "fields": [spec]}]}
    columns = (Column("s", Primitive("string"), field_id=1),)
    metadata = TableMetadata(
        location, "u", 3, columns, properties, None, cast("Snapshots", None), 0, document
    )
    assert find_partition_rules(metadata) == (PartitionRule("s", 400, 251 if is_bounded else None),)
