"""CREATE VIEW and ALTER VIEW, as they are read."""

from __future__ import annotations

import pytest

from icemelt.errors import IcemeltError, Never, SqlSyntaxError
from icemelt.names import ObjectName
from icemelt.schema import DataType, Primitive
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import (
    AlterView,
    Ask,
    CreateView,
    Describe,
    Drop,
    Existing,
    ObjectKind,
    RenameTable,
    Select,
    SetOptions,
    Show,
    Statement,
    Undrop,
    UnsetOptions,
    ViewColumn,
)

V = ObjectName(("v",))


def test_the_query_is_kept_as_it_was_written() -> None:
    made = parse_statement(
        "CREATE VIEW v AS  SELECT \"A\", b -- of t\n  FROM t /* x */ WHERE c = '*' ;"
    )
    assert isinstance(made, CreateView)
    assert made.query == "SELECT \"A\", b -- of t\n  FROM t /* x */ WHERE c = '*'"


@pytest.mark.parametrize(
    ("query", "used"),
    [
        ("SELECT * FROM t", "a b c"),
        ("SELECT t.* FROM t JOIN u ON t.a = u.a", "a b c"),
        ("SELECT u.b, count(*) AS c FROM t JOIN u ON t.a = u.a GROUP BY u.b", "a"),
        ("SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE u.b = t.b)", "a b"),
        ("SELECT HASH(*) AS h FROM t", "a b c"),
        ("SELECT TOP 1 * FROM t", "a b c"),
        ("SELECT $3 AS x FROM t", "c"),
        ("SELECT d FROM t NATURAL JOIN u", "a b c"),
        ("SELECT d FROM t JOIN u USING (b)", "b"),
        ("WITH x AS (SELECT a AS z FROM t) SELECT * FROM x", "a"),
        ("SELECT * REPLACE (1 AS a) FROM (SELECT a, b FROM t)", "a b"),
        ("SELECT sum(C) OVER (PARTITION BY B) AS s FROM T", "b c"),
        ("SELECT a FROM t QUALIFY row_number() OVER (ORDER BY c) = 1", "a c"),
        ("SELECT count(*) AS n FROM t", ""),
        ("SELECT max(x.a) AS m FROM t AS x ORDER BY 1", "a"),
    ],
)
def test_the_columns_that_a_query_may_mean_are_noted(query: str, used: str) -> None:
    kinds = {"t": ("a", "b", "c"), "u": ("a", "b", "d")}

    def columns_of(name: ObjectName) -> dict[str, DataType]:
        return {column: Primitive("long") for column in kinds.get(name.last, ())}

    statement = parse_statement(query, None, columns_of)
    assert isinstance(statement, Select)
    [found] = [each for each in statement.query.references if each.name.last == "t"]
    assert " ".join(sorted(found.columns)) == used


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("ALTER VIEW v RENAME TO a.w", AlterView(V, RenameTable(ObjectName(("a", "w"))))),
        (
            "ALTER VIEW IF EXISTS v SET COMMENT = 'c'",
            AlterView(V, SetOptions({"COMMENT": "c"}), if_exists=True),
        ),
        ("ALTER VIEW v UNSET COMMENT", AlterView(V, UnsetOptions(("COMMENT",)))),
        ("ALTER VIEW v SET CHANGE_TRACKING = TRUE", AlterView(V, SetOptions({}))),
        ("COMMENT ON VIEW v IS 'c'", AlterView(V, SetOptions({"COMMENT": "c"}))),
        ("DROP VIEW IF EXISTS v", Drop(ObjectKind.VIEW, V, if_exists=True, cascade=True)),
        ("UNDROP VIEW v", Undrop(ObjectKind.VIEW, V)),
        ("DESC VIEW v", Describe(ObjectKind.VIEW, V)),
        ("SHOW VIEWS", Show("VIEWS")),
        ("SELECT GET_DDL('view', 'v') d", Ask("GET_DDL", "v", "d", ObjectKind.VIEW)),
    ],
)
def test_statements_about_views(text: str, statement: Statement) -> None:
    assert parse_statement(text) == statement


def test_columns_and_options_come_before_the_query() -> None:
    made = parse_statement(
        "CREATE OR REPLACE VIEW v (a COMMENT 'x', \"B\") CHANGE_TRACKING = TRUE COPY GRANTS "
        "COMMENT = 'c' AS SELECT 1, 2"
    )
    assert isinstance(made, CreateView)
    assert made.columns == (ViewColumn("a", "x"), ViewColumn("B"))
    assert (made.comment, made.existing) == ("c", Existing.REPLACED)


@pytest.mark.parametrize(
    ("text", "error", "hint"),
    [
        ("CREATE VIEW v", SqlSyntaxError, "CREATE VIEW v AS SELECT"),
        ("CREATE VIEW v (a INT) AS SELECT 1", SqlSyntaxError, "the query gives their types"),
        ("CREATE VIEW v AS", SqlSyntaxError, ""),
        ("CREATE TEMP VIEW v AS SELECT 1", SqlSyntaxError, "Leave TEMP out."),
        ("CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1", SqlSyntaxError, "CREATE OR REPLACE"),
        ("CREATE VIEW v WITH TAG (a = 'b') AS SELECT 1", Never, "what may be seen"),
        ("ALTER VIEW v SET SECURE", Never, "SECURE"),
        ("ALTER VIEW v AS SELECT 1", SqlSyntaxError, ""),
        ("SELECT GET_DDL('nothing', 'v')", SqlSyntaxError, "GET_DDL('VIEW', 'v')"),
    ],
)
def test_what_a_view_has_not(text: str, error: type[IcemeltError], hint: str) -> None:
    with pytest.raises(error) as raised:
        parse_statement(text)
    assert hint in raised.value.hint
