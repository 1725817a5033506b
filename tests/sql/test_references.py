from __future__ import annotations

import pytest

from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import (
    ChangeFormat,
    Changes,
    Point,
    PointKind,
    Select,
    Side,
    TableReference,
    bind_context,
    context_names,
)


def references(text: str) -> tuple[TableReference, ...]:
    statement = parse_statement(text)
    assert isinstance(statement, Select)
    for reference in statement.query.references:
        assert statement.query.text.count(reference.slot) == 1
    return statement.query.references


def tables(text: str) -> list[str]:
    return [str(reference.name) for reference in references(text)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM a, b.c JOIN d.e.f ON true", ["a", "b.c", "d.e.f"]),
        ("SELECT * FROM a..b", ["a.public.b"]),
        ("SELECT * FROM (a JOIN b ON true) JOIN ((c)) ON true", ["a", "b", "c"]),
        (
            "SELECT (SELECT 1 FROM b) FROM a WHERE EXISTS (SELECT 1 FROM c) AND (SELECT 1 FROM d)",
            ["a", "b", "c", "d"],
        ),
        (
            "SELECT 1 FROM a WHERE x IN (SELECT 1 FROM b) ORDER BY (SELECT 1 FROM c)",
            ["a", "b", "c"],
        ),
        (
            "SELECT * FROM a UNION ALL SELECT * FROM b MINUS (SELECT * FROM c) ORDER BY 1",
            ["a", "b", "c"],
        ),
        ("SELECT * FROM a JOIN b ON a.x = (SELECT max(x) FROM c)", ["a", "b", "c"]),
        ("SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x) l", ["a", "b"]),
        ("SELECT * FROM a, LATERAL FLATTEN(a.x) f, TABLE(FLATTEN(f.value)) g", ["a"]),
        ("SELECT sum(x) OVER (PARTITION BY (SELECT 1 FROM b)) FROM a", ["a", "b"]),
        ("VALUES ((SELECT 1 FROM a))", ["a"]),
        # a CTE hides a table from where it is defined on
        ("WITH a AS (SELECT * FROM b) SELECT * FROM a, c", ["b", "c"]),
        ('WITH A AS (SELECT 1) SELECT * FROM a, "A", s.a', ["s.a"]),
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b", ["b"]),
        ("WITH a AS (WITH b AS (SELECT * FROM a) SELECT * FROM b) SELECT * FROM a, b", ["a", "b"]),
        (
            "WITH a AS (SELECT 1) SELECT * FROM (WITH a AS (SELECT * FROM b) SELECT * FROM a) x, a",
            ["b"],
        ),
        ("WITH a AS (SELECT 1) SELECT (SELECT 1 FROM a), (SELECT 1 FROM b) FROM a", ["b"]),
        ("WITH a AS (SELECT 1) SELECT * FROM a UNION SELECT * FROM a", []),
        ("SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a", ["a"]),
        # one that reads itself after UNION ALL is recursive, with the word or without
        ("WITH RECURSIVE r AS (SELECT 1 FROM b UNION ALL SELECT 1 FROM r) SELECT * FROM r", ["b"]),
        ("WITH r(n) AS (SELECT 1 UNION ALL SELECT n FROM r, b) SELECT * FROM r", ["b"]),
        ("WITH r AS (SELECT * FROM r UNION ALL SELECT 1) SELECT * FROM r", ["r"]),
    ],
)
def test_every_table_that_is_no_cte_in_scope_is_a_reference(text: str, read: list[str]) -> None:
    assert sorted(tables(text)) == sorted(read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT orders.id FROM orders", "SELECT `orders`.`id` FROM _ AS `orders`"),
        (
            "SELECT s.orders.id, s.orders.* FROM s.orders",
            "SELECT `orders`.`id`, `orders`.* FROM _ AS `orders`",
        ),
        ("SELECT d.s.orders.id FROM d.s.orders", "SELECT `orders`.`id` FROM _ AS `orders`"),
        (
            "SELECT a.t.x, b.t.x FROM a.t, b.t",
            "SELECT `t`.`x`, `b.t`.`x` FROM _ AS `t`, _ AS `b.t`",
        ),
        ("SELECT o.id FROM s.orders o", "SELECT `o`.`id` FROM _ AS `o`"),
        ("SELECT x.y FROM s.orders o", "SELECT `x`.`y` FROM _ AS `o`"),
        (
            "SELECT s.t.b FROM s.t WHERE EXISTS (SELECT * FROM u WHERE a = s.t.a)",
            (
                "SELECT `__icemelt_s1`.`b` FROM _ AS `__icemelt_s1`"
                " WHERE EXISTS(SELECT * FROM _ AS `u` WHERE `a` = `__icemelt_s1`.`a`)"
            ),
        ),
    ],
)
def test_columns_are_qualified_by_aliases_only(text: str, expected: str) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, Select)
    query = statement.query
    assert query.bind(dict.fromkeys((each.slot for each in query.references), "_")) == expected


AT = Side.AT


@pytest.mark.parametrize(
    ("clause", "point", "changes"),
    [
        ("", None, None),
        ("AT (TIMESTAMP => '2024-01-01')", Point(AT, PointKind.TIMESTAMP, "'2024-01-01'"), None),
        (
            "AT (TS => '2024-01-01'::timestamp)",
            Point(AT, PointKind.TIMESTAMP, "CAST('2024-01-01' AS TIMESTAMP_NTZ)"),
            None,
        ),
        ("at(offset => -60*5)", Point(AT, PointKind.OFFSET, "-60L * 5L"), None),
        ("BEFORE (STATEMENT => 'x')", Point(Side.BEFORE, PointKind.STATEMENT, "'x'"), None),
        (
            "AT (STATEMENT => LAST_QUERY_ID(-2))",
            Point(AT, PointKind.STATEMENT, "__icemelt_ctx_last_query_id__2___"),
            None,
        ),
        (
            "CHANGES (INFORMATION => DEFAULT) AT (OFFSET => -1)",
            None,
            Changes(ChangeFormat.DEFAULT, Point(AT, PointKind.OFFSET, "-1")),
        ),
        (
            "CHANGES AT (OFFSET => -2) END (OFFSET => -1)",
            None,
            Changes(
                ChangeFormat.DEFAULT,
                Point(AT, PointKind.OFFSET, "-2"),
                Point(AT, PointKind.OFFSET, "-1"),
            ),
        ),
        (
            "changes(information => append_only) before(statement => 'x') end(timestamp => 'y')",
            None,
            Changes(
                ChangeFormat.APPEND_ONLY,
                Point(Side.BEFORE, PointKind.STATEMENT, "'x'"),
                Point(AT, PointKind.TIMESTAMP, "'y'"),
            ),
        ),
    ],
)
@pytest.mark.parametrize("alias", ["", " x", " AS x (a, b)"])
def test_points_and_intervals_leave_the_text(
    clause: str, point: Point | None, changes: Changes | None, alias: str
) -> None:
    text = f"SELECT * FROM t {clause}{alias} JOIN u ON true"
    first, second = references(text)
    assert (first.point, first.changes) == (point, changes)
    assert (second.point, second.changes) == (None, None)
    statement = parse_statement(text)
    assert isinstance(statement, Select)
    name = {"": "`t`", " x": "`x`", " AS x (a, b)": "`x`(`a`, `b`)"}[alias]
    assert (
        statement.query.text
        == f"SELECT * FROM __icemelt_0__ AS {name} JOIN __icemelt_1__ AS `u` ON TRUE"
    )


def test_words_of_points_are_names_elsewhere() -> None:
    assert tables("SELECT at.changes, before.x FROM at, changes AS before") == ["at", "changes"]


def test_the_statements_clock_fills_text_and_points() -> None:
    statement = parse_statement(
        "SELECT current_timestamp, CURRENT_DATE() AS d FROM t AT (TS => getdate())"
    )
    assert context_names(statement) == {"CURRENT_TIMESTAMP"}
    bound = bind_context(statement, {"CURRENT_TIMESTAMP": "NOW"})
    assert isinstance(bound, Select)
    assert bound.query.text.startswith(
        "SELECT NOW AS `current_timestamp`, CAST(NOW AS DATE) AS `d`"
    )
    assert bound.query.references[0].point == Point(AT, PointKind.TIMESTAMP, "NOW")
    assert not context_names(bound)


def test_functions_spark_may_lack_are_named() -> None:
    statement = parse_statement("SELECT IFF(foo(a), 1, 2), Bar(b) FROM t")
    assert isinstance(statement, Select)
    assert statement.query.functions == {"foo", "bar"}
