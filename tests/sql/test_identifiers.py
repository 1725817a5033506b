from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icemelt.names import ObjectName
from icemelt.quoting import quote
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import AlterTable, CreateTable, DropColumns, Select

NAMES = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12)
HOSTILE = [
    "@",
    "a b",
    "select",
    "a.b",
    "../../x",
    "a/b",
    "x'; DROP TABLE t; --",
    "`",
    "a``b",
    '"',
    "ÄÖ",
    "数",
    "🙂",
    "1",
    "$x",
    "${x}",
    "METADATA$action",
    "__icemelt_0__",
    "?",
    ":x",
    "--",
    "/*",
    "$$",
]


def written(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check(name: str) -> None:
    quoted = written(name)
    select = parse_statement(f"SELECT {quoted}, x AS {quoted} FROM {quoted}.{quoted} AS {quoted}")
    assert isinstance(select, Select)
    (reference,) = select.query.references
    assert reference.name == ObjectName((name, name))
    text = select.query.bind({reference.slot: "TABLE"})
    inner = quote(name)
    assert text == f"SELECT {inner}, `x` AS {inner} FROM TABLE AS {inner}"
    table = parse_statement(f"CREATE TABLE {quoted} ({quoted} INT)")
    assert isinstance(table, CreateTable)
    assert (table.name.last, table.columns[0].name) == (name, name)
    alter = parse_statement(f"ALTER TABLE t DROP COLUMN {quoted}, {quoted}")
    assert isinstance(alter, AlterTable)
    assert alter.actions == (DropColumns((name, name)),)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_quoted_name_is_data(name: str) -> None:
    check(name)


@given(NAMES)
def test_any_quoted_name_is_data(name: str) -> None:
    check(name)


def test_unquoted_names_fold_to_lower_case() -> None:
    select = parse_statement('SELECT Id, T.Name AS NaMe, "Id" FROM Db.Orders AS T')
    assert isinstance(select, Select)
    assert select.query.text == "SELECT `id`, `t`.`name` AS `name`, `Id` FROM __icemelt_0__ AS `t`"
    assert select.query.references[0].name == ObjectName(("db", "orders"))


@pytest.mark.parametrize("word", ["METADATA$ACTION", "metadata$Action", "$ACTION", "$action"])
def test_metadata_columns_have_one_spelling(word: str) -> None:
    select = parse_statement(f"SELECT {word}, t.{word} FROM t")
    assert isinstance(select, Select)
    assert select.query.text == (
        "SELECT `METADATA$ACTION`, `t`.`METADATA$ACTION` FROM __icemelt_0__ AS `t`"
    )


def test_slots_are_unlike_anything_in_the_statement() -> None:
    select = parse_statement(
        "SELECT '__icemelt_0__', ? FROM \"__ICEMELT1_1__\"", ["__icemelt2_2__"]
    )
    assert isinstance(select, Select)
    (reference,) = select.query.references
    assert reference.slot == "__icemelt3_0__"
    assert select.query.text.count(reference.slot) == 1


def test_a_relation_that_looks_like_a_slot_is_not_filled() -> None:
    select = parse_statement("SELECT * FROM a, b")
    assert isinstance(select, Select)
    first, second = (each.slot for each in select.query.references)
    text = select.query.bind({first: f"(SELECT 1 AS `{second}`)", second: "b"})
    assert text == f"SELECT * FROM (SELECT 1 AS `{second}`) AS `a`, b AS `b`"
