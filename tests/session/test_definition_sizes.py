"""What a definition keeps is in the metadata of each version: it has a size."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.errors import DefinitionRefused, IcemeltError, NameRefused
from icemelt.session.session import Session

LONG = "c" * 16_385
REFUSED = (
    "CREATE TABLE u (a VARCHAR DEFAULT REPEAT('a', 16000000), b INT)",
    f"CREATE TABLE u (a VARCHAR DEFAULT '{LONG}')",
    "CREATE TABLE u (a BINARY DEFAULT TO_BINARY(REPEAT('a', 16386), 'UTF-8'))",
    "ALTER TABLE t ADD COLUMN c VARCHAR DEFAULT REPEAT('b', 16000000)",
    f"ALTER TABLE t ADD COLUMN c VARCHAR DEFAULT LEFT('{LONG}', 1)",
    "ALTER TABLE t ALTER COLUMN name SET DEFAULT REPEAT('b', 16385)",
    "ALTER TABLE t ADD COLUMN c VARIANT DEFAULT PARSE_JSON(CONCAT('\"', REPEAT('b', 16385), '\"'))",
)
COMMENTED = (
    f"CREATE TABLE u (a INT COMMENT '{LONG}')",
    f"CREATE TABLE u (a INT) COMMENT = '{LONG}'",
    f"COMMENT ON TABLE t IS '{LONG}'",
    f"COMMENT ON COLUMN t.id IS '{LONG}'",
    f"ALTER TABLE t SET COMMENT = '{LONG}'",
    f"ALTER TABLE t ALTER COLUMN id COMMENT '{LONG}'",
    f"CREATE SCHEMA other COMMENT = '{LONG}'",
    f"CREATE VIEW w COMMENT = '{LONG}' AS SELECT 1 AS a",
    f"CREATE VIEW w (a COMMENT '{LONG}') AS SELECT 1 AS a",
    f"CREATE STREAM s ON TABLE t COMMENT = '{LONG}'",
)


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, name VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    return session


@pytest.mark.turns(8)
def test_a_default_is_short_as_text_and_as_value(table: Session, subtests: pytest.Subtests) -> None:
    for statement in REFUSED:
        with subtests.test(statement[:60]), pytest.raises(DefinitionRefused, match="as may be"):
            table.sql(statement)
    table.sql("ALTER TABLE t ADD COLUMN c VARCHAR DEFAULT REPEAT('b', 16384)")
    assert table.sql("SELECT LENGTH(c) FROM t").fetchall() == [(16_384,)]


def test_a_comment_is_short(table: Session, subtests: pytest.Subtests) -> None:
    for statement in COMMENTED:
        with subtests.test(statement[:40]), pytest.raises(DefinitionRefused, match="A comment"):
            table.sql(statement)
    table.sql(f"COMMENT ON TABLE t IS '{LONG[1:]}'")


@pytest.mark.slow
def test_the_schemas_of_a_table_have_a_size_in_all(session: Session, tmp_path: Path) -> None:
    columns = ", ".join(f"a{number} INT COMMENT '{LONG[385:]}'" for number in range(64))
    session.sql(f"CREATE TABLE t ({columns})")
    added = ", ADD COLUMN ".join(f"b{number} INT" for number in range(20))
    with pytest.raises(DefinitionRefused, match="those before included") as refused:
        session.sql(f"ALTER TABLE t ADD COLUMN {added}")
    assert "CREATE TABLE … AS SELECT * FROM" in refused.value.hint
    session.sql("ALTER TABLE t ADD COLUMN b INT")
    session.sql("CREATE TABLE u AS SELECT * FROM t")
    sizes = [file.stat().st_size for file in tmp_path.rglob("*.metadata.json")]
    assert max(sizes) < 20 << 20


@pytest.mark.turns(8)
def test_a_table_has_ten_thousand_columns_and_fields(table: Session) -> None:
    fields = ", ".join(f"a{number} INT" for number in range(10_000))
    for statement in (
        f"CREATE TABLE u ({fields}, b INT)",
        f"CREATE TABLE u (o OBJECT({fields}))",
        f"ALTER TABLE t ADD COLUMN o ARRAY(OBJECT({fields}))",
    ):
        with pytest.raises(IcemeltError, match="10,000 are as many as may be"):
            table.sql(statement)


def test_a_field_has_a_short_name(table: Session) -> None:
    with pytest.raises(NameRefused, match="255"):
        table.sql(f"CREATE TABLE u (o OBJECT({'a' * 256} INT))")
