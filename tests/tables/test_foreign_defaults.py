"""Defaults that another engine has set: a row that omits the column gets the value."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from foreign_writer import ForeignWriter

from conftest import Lake
from icemelt.session.session import Session

# the columns, their types, and their defaults as texts that Iceberg reads as the type
DEFAULTS: dict[str, tuple[str, Any]] = {
    "n": ("INT", 7),
    "s": ("VARCHAR", "it's \\ ${x}"),
    "d": ("DATE", "2024-01-02"),
    "ts": ("TIMESTAMP_NTZ", "2024-01-02T03:04:05.123456"),
    "tz": ("TIMESTAMP_LTZ", "2024-01-02T03:04:05.000000+00:00"),
    "x": ("FLOAT", 0.1),
    "p": ("NUMBER(10, 2)", "-12.50"),
    "b": ("BOOLEAN", True),
}
VALUES = (
    *(7, "it's \\ ${x}", datetime.date(2024, 1, 2)),
    datetime.datetime(2024, 1, 2, 3, 4, 5, 123456),  # noqa: DTZ001 - without zone
    datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
    *(0.1, Decimal("-12.50"), True),
)


def set_default(writer: ForeignWriter, column: str, value: Any) -> None:
    """Set the default of a column as an engine does that knows Iceberg's format alone."""
    table = writer.table()
    literal = None
    if value is not None:
        expressions = writer.functions.java_class("org.apache.iceberg.expressions.Expressions")
        literal = expressions.lit(value)
        literal = literal.to(table.schema().findField(column).type())
    table.updateSchema().updateColumnDefault(column, literal).commit()


def make_table(lake: Lake) -> tuple[Session, ForeignWriter]:
    session = lake.open()
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in DEFAULTS.items())
    session.sql(f"CREATE TABLE t (id INT, {columns})")
    writer = ForeignWriter(lake.foreign())
    for name, (_, value) in DEFAULTS.items():
        set_default(writer, name, value)
    return session, writer


def test_rows_that_omit_a_column_take_its_write_default(lake: Lake, tmp_path: Path) -> None:
    session, _ = make_table(lake)
    (tmp_path / "rows.csv").write_text("3\n")
    session.sql("INSERT INTO t (id) VALUES (1)")
    session.sql("INSERT INTO t (id, n) VALUES (5, NULL), (6, DEFAULT)")
    session.sql(
        "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id"
        " WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    )
    session.sql(f"COPY INTO t (id) FROM '{tmp_path / 'rows.csv'}'")
    with session.ingest_client() as client:
        channel = client.open_channel("c", "main", "public", "t")[0]
        channel.append_row({"id": 4})
        channel.close()
    rows = {row[0]: row[1:] for row in session.sql("SELECT * FROM t").fetchall()}
    assert rows == {
        **dict.fromkeys((1, 2, 3, 4, 6), VALUES),
        5: (None, *VALUES[1:]),
    }


def test_a_default_is_shown_and_dropped(lake: Lake) -> None:
    session, writer = make_table(lake)
    shown = {row[0]: row[4] for row in session.sql("DESC TABLE t").fetchall()}
    assert shown["n"] == "7"
    assert shown["d"] == "CAST('2024-01-02' AS DATE)"
    session.sql("ALTER TABLE t ALTER COLUMN n DROP DEFAULT")
    set_default(writer, "s", None)
    session.sql("INSERT INTO t (id) VALUES (1)")
    assert session.sql("SELECT n, s, x FROM t").fetchall() == [(None, None, 0.1)]
