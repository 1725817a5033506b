"""How the changes of views are computed: what EXPLAIN says, what starts no job, and large ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame

from icemelt.errors import Never
from icemelt.session.session import Session
from icemelt.session.transaction import Transaction

# tables of tests are so small that both ends would be read
pytestmark = pytest.mark.view_changes("INCREMENTAL")

_JOINS = 50


def _changes(session: Session, view: str, since: str, start: str = "SELECT *") -> list[tuple]:
    text = f"{start} FROM {view} CHANGES AT (STATEMENT => '{since}')"
    return session.sql(text).fetchall()


def _jobs_started(session: Session, run: Callable[[], object]) -> int:
    """Return how many Spark jobs a function starts."""
    context = session.spark.sparkContext
    scheduler = context._jsc.sc().dagScheduler()
    before = scheduler.nextJobId()
    run()
    return scheduler.nextJobId() - before


def _of_two_tables(session: Session) -> str:
    session.sql("CREATE TABLE orders (id INT, customer INT)")
    session.sql("CREATE TABLE customers (id INT, name VARCHAR)")
    session.sql(
        "CREATE VIEW named AS SELECT o.id, c.name FROM orders o JOIN customers c "
        "ON o.customer = c.id"
    )
    session.sql("INSERT INTO customers VALUES (1, 'ada')")
    return session.sql("INSERT INTO orders VALUES (1, 1)").statement_id


def test_where_no_table_has_changed_no_job_is_started(session: Session) -> None:
    start = _of_two_tables(session)
    session.sql("CREATE TABLE other (id INT)")
    session.sql("INSERT INTO other VALUES (1)")
    assert _jobs_started(session, lambda: _changes(session, "named", start)) == 0
    session.sql("INSERT INTO orders VALUES (2, 1)")
    session.sql("INSERT INTO orders VALUES (3, 1)")
    newest = session.sql("OPTIMIZE orders").statement_id
    assert _jobs_started(session, lambda: _changes(session, "named", newest)) == 0
    assert _jobs_started(session, lambda: _changes(session, "named", start)) > 0


def test_explain_tells_the_plan_and_what_changed_of_each_table(session: Session) -> None:
    start = _of_two_tables(session)
    session.sql("INSERT INTO orders VALUES (2, 1), (3, 2)")
    explain = "EXPLAIN SELECT *"
    lines = [row[0] for row in _changes(session, "named", start, explain)]
    scan = "Scan main.public"
    came = "change scan, inserts, min-delta"
    join = "join, rows by customer, inserts, min-delta"
    assert lines[3].startswith("    derivative: ")
    assert lines[4].startswith("    both ends: ")
    del lines[3:5]
    assert lines[:9] == [
        "Changes of main.public.named",
        "  plan: the query's derivative",
        "    chosen: VIEW_CHANGES = INCREMENTAL",
        "    Project (CAST(id AS BIGINT), CAST(name AS STRING)): linear, inserts, min-delta",
        "      Project (orders.id, name): linear, inserts, min-delta",
        f"        Join inner on left customer = right id: {join}",
        f"          {scan}.orders(id, customer): {came}; 2 changed rows, 3 in all",
        f"          {scan}.customers(id, name): no change; 0 changed rows, 1 in all",
        "  shared: 1",
    ]
    assert _jobs_started(session, lambda: _changes(session, "named", start, explain)) == 0
    told = [line for line in lines if line.startswith("  Changes") or "shape" in line]
    assert told == [
        "  Changes of main.public.orders",
        "    shape: ADDED_ONLY",
        "  Changes of main.public.customers",
        "    shape: EMPTY",
    ]
    assert any(line.startswith("    added: ") and line.endswith(" 2 rows") for line in lines)
    now = session.sql("SELECT 1").statement_id
    unchanged = [row[0] for row in _changes(session, "named", now, "EXPLAIN SELECT *")]
    assert unchanged[1] == "  plan: no table has changed"


def test_of_small_tables_both_ends_are_read_and_explain_says_so(session: Session) -> None:
    start = _of_two_tables(session)
    session.sql("INSERT INTO orders VALUES (2, 1), (3, 2)")
    by_rules = _changes(session, "named", start)
    session.sql("ALTER SESSION SET VIEW_CHANGES = AUTO")
    lines = [row[0] for row in _changes(session, "named", start, "EXPLAIN SELECT *")]
    assert lines[1] == "  plan: the rows of both ends, in one pass"
    number = (
        r"\d\.\d\d s \(\d+\.\d MB read, \d+ rows worked on, \d+ moved, \d+ nodes planned, "
        r"\d jobs before\)"
    )
    assert re.fullmatch(rf"    derivative: {number}", lines[2])
    assert re.fullmatch(rf"    both ends: {number}", lines[3])
    assert _changes(session, "named", start) == by_rules
    session.sql("ALTER SESSION UNSET VIEW_CHANGES")
    again = [row[0] for row in _changes(session, "named", start, "EXPLAIN SELECT *")]
    assert again[:4] == lines[:4]


def test_small_changes_are_read_once_and_their_keys_bound_what_is_scanned(
    session: Session,
) -> None:
    start = _of_two_tables(session)
    session.sql("INSERT INTO customers SELECT n, 'x' FROM (SELECT explode(sequence(2, 90)) AS n)")
    session.sql("INSERT INTO orders VALUES (2, 40), (3, 44), (4, NULL)")
    first = session.sql("UPDATE customers SET name = 'eve' WHERE id = 40").statement_id
    session.sql("UPDATE orders SET customer = 41 WHERE id = 2")
    session.sql("INSERT INTO orders VALUES (5, NULL)")
    assert sorted(_changes(session, "named", start)) == [
        (2, "x", "INSERT", False, _row_id(session, start, 2)),
        (3, "x", "INSERT", False, _row_id(session, start, 3)),
    ]
    since = f"SELECT * FROM named CHANGES AT (STATEMENT => '{first}')"
    plan = session.sql(since).to_spark()._jdf.queryExecution().optimizedPlan().toString()
    # the rows of the change are in the plan, and no change scan
    assert "LocalRelation" in plan
    assert "staged" not in plan
    assert re.search(r"id#\d+L >= 40\).* <= 41\)", plan)


@pytest.mark.slow
def test_a_query_that_is_read_in_several_places_is_not_written_out_in_each(
    session: Session,
) -> None:
    session.sql("CREATE TABLE sales (shop INT, year INT, price INT)")
    session.sql("CREATE TABLE shops (id INT, city VARCHAR)")
    session.sql(
        "CREATE VIEW growth AS WITH ranked AS (SELECT city, year, sum(price) AS total, "
        "rank() OVER (PARTITION BY year ORDER BY sum(price) DESC) AS place FROM sales "
        "JOIN shops ON shop = id GROUP BY city, year), pairs AS (SELECT a.city, a.year, "
        "a.place AS now, b.place AS before FROM ranked a LEFT JOIN ranked b "
        "ON a.city = b.city AND a.year = b.year + 1) SELECT p.city, p.year, p.now, q.before "
        "FROM pairs p LEFT JOIN pairs q ON p.city = q.city AND p.year = q.year + 1"
    )
    session.sql("INSERT INTO shops VALUES (1, 'Oslo'), (2, 'Rome'), (3, 'Bonn')")
    session.sql(
        "INSERT INTO sales VALUES (1, 2020, 5), (1, 2021, 7), (1, 2022, 1), (2, 2020, 6), "
        "(2, 2021, 1), (2, 2022, 9), (3, 2021, 2), (3, 2022, 2)"
    )
    start = session.sql("UPDATE sales SET price = 4 WHERE shop = 3 AND year = 2021").statement_id
    session.sql("DELETE FROM sales WHERE shop = 1 AND year = 2021")
    session.sql("UPDATE shops SET city = 'Ghent' WHERE id = 3")
    explained = _changes(session, "growth", start, "EXPLAIN SELECT *")
    assert ("  plan: the query's derivative",) in explained
    found = _changes(session, "growth", start)
    assert found
    session.sql("ALTER SESSION SET VIEW_CHANGES = ORIGINAL")
    assert _net(found) == _net(_changes(session, "growth", start))


def _net(rows: list[tuple]) -> Counter:
    """Return how often rows come, less how often they go."""
    net: Counter = Counter()
    for *values, action, _, _ in rows:
        net[tuple(values)] += 1 if action == "INSERT" else -1
    return Counter({values: many for values, many in net.items() if many})


def _row_id(session: Session, since: str, key: int) -> str:
    text = f"SELECT METADATA$ROW_ID FROM named CHANGES AT (STATEMENT => '{since}') WHERE id = {key}"
    (row,) = session.sql(text).fetchall()
    return str(row[0])


def test_a_stream_on_a_view_is_consumed_in_python_and_into_files(
    session: Session, tmp_path: Path
) -> None:
    _of_two_tables(session)
    session.sql("CREATE TABLE copied (id INT, name VARCHAR)")
    session.sql("CREATE STREAM s ON VIEW named SHOW_INITIAL_ROWS = TRUE")

    def carry_on(rows: DataFrame, transaction: Transaction) -> None:
        transaction.append(rows.select("id", "name"), "copied")

    assert session.for_each_change("s", carry_on) == 1
    assert session.for_each_change("s", carry_on) == 0
    session.sql("INSERT INTO orders VALUES (2, 1)")
    with session.transaction() as transaction:
        transaction.append(transaction.consume("s").select("id", "name"), "copied")
    assert session.sql("SELECT * FROM copied ORDER BY id").fetchall() == [(1, "ada"), (2, "ada")]
    session.sql("DELETE FROM customers")
    files = f"COPY INTO '{tmp_path}/changes' FROM (SELECT id, METADATA$ACTION AS action FROM s)"
    assert session.sql(f"{files} FILE_FORMAT = (TYPE = JSON)").fetchall()[0][0] == 2
    assert session.sql("SELECT SYSTEM$STREAM_HAS_DATA('s')").fetchall() == [(False,)]


def test_function_of_the_users_has_no_changes(session: Session) -> None:
    session.spark.udf.register("twice", lambda value: value * 2, "bigint")
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE VIEW doubled AS SELECT twice(id) AS id FROM t")
    with pytest.raises(Never, match=r"\(function\)"):
        session.sql("CREATE STREAM s ON VIEW doubled")
    ((title, *_, incremental, append_only, reason, hint),) = session.sql(
        "SHOW CHANGE SUPPORT FOR VIEW doubled"
    ).fetchall()
    assert (title, incremental, append_only) == ("View main.public.doubled", False, False)
    assert reason.startswith("function: ")
    assert hint.startswith("Write it with functions of SQL")


def _star(session: Session) -> None:
    """Make a view that joins rows to one table fifty times."""
    session.sql("CREATE TABLE facts (id INT, k INT)")
    session.sql("CREATE TABLE names (k INT, name VARCHAR)")
    session.sql("INSERT INTO names VALUES (1, 'one'), (2, 'two')")
    session.sql("INSERT INTO facts VALUES (1, 1), (2, 2)")
    joins = " ".join(f"JOIN names n{at} ON n{at}.k = f.k" for at in range(_JOINS))
    session.sql(
        f"CREATE VIEW star AS SELECT f.id, n0.name, n{_JOINS - 1}.name AS again "
        f"FROM facts f {joins}"
    )


@pytest.mark.slow
def test_of_fifty_joins_with_one_table_that_changed_the_derivative_is_read(
    session: Session,
) -> None:
    _star(session)
    start = session.sql("INSERT INTO facts VALUES (3, 3)").statement_id
    session.sql("INSERT INTO facts VALUES (4, 2)")
    lines = [row[0] for row in _changes(session, "star", start, "EXPLAIN SELECT *")]
    assert lines[1] == "  plan: the query's derivative"
    assert [row[:4] for row in _changes(session, "star", start)] == [(4, "two", "two", "INSERT")]


@pytest.mark.slow
def test_past_the_planning_budget_both_ends_are_read_and_explain_says_so(session: Session) -> None:
    _star(session)
    start = session.sql("DELETE FROM facts WHERE id = 1").statement_id
    session.sql("UPDATE names SET name = 'TWO' WHERE k = 2")
    lines = [row[0] for row in _changes(session, "star", start, "EXPLAIN SELECT *")]
    assert lines[1:3] == [
        "  plan: the rows of both ends, in one pass",
        "    the derivative would take longer to plan",
    ]
    found = sorted(row[:5] for row in _changes(session, "star", start))
    assert found == [
        (2, "TWO", "TWO", "INSERT", True),
        (2, "two", "two", "DELETE", True),
    ]


@pytest.mark.slow
def test_lists_of_ten_thousand_values(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, k INT)")
    values = ", ".join(str(at * 3) for at in range(10_000))
    session.sql(
        f"CREATE VIEW some AS SELECT k, count(*) AS n FROM t WHERE id IN ({values}) GROUP BY k"
    )
    start = session.sql("INSERT INTO t VALUES (0, 1), (1, 1), (29997, 2)").statement_id
    session.sql("INSERT INTO t VALUES (3, 1), (4, 1)")
    rows = [(1, 1, "DELETE", True), (1, 2, "INSERT", True)]
    assert sorted(row[:4] for row in _changes(session, "some", start)) == rows
    session.sql("CREATE STREAM s ON VIEW some")
    session.sql("DELETE FROM t WHERE id = 29997")
    assert [row[:3] for row in session.sql("SELECT * FROM s").fetchall()] == [(2, 1, "DELETE")]


@pytest.mark.parametrize("way", ["AUTO", "BOTH_ENDS", "INCREMENTAL"])
@pytest.mark.parametrize(
    ("view", "left", "right", "changes"),
    [
        (
            "SELECT a FROM l WHERE a / (SELECT MAX(b) FROM r) > 1",
            "(1, 10)",
            "(1, 5)",
            ("DELETE FROM l", "UPDATE r SET b = 0"),
        ),
        (
            "SELECT a, b FROM l LEFT JOIN r USING (k) WHERE a / b > 1 OR b IS NULL",
            "(1, 10)",
            "(2, 5)",
            ("DELETE FROM l", "INSERT INTO r VALUES (1, 0)"),
        ),
    ],
)
def test_rows_that_never_met_are_no_error(
    session: Session, way: str, view: str, left: str, right: str, changes: tuple[str, str]
) -> None:
    session.sql("CREATE TABLE l (k INT, a INT)")
    session.sql("CREATE TABLE r (k INT, b INT)")
    session.sql(f"INSERT INTO l VALUES {left}")
    session.sql(f"INSERT INTO r VALUES {right}")
    session.sql(f"CREATE VIEW v AS {view}")
    start = session.sql(f"ALTER SESSION SET VIEW_CHANGES = {way}").statement_id
    for change in changes:
        session.sql(change)
    found = _changes(session, "v", start)
    assert [(row[0], row[-3]) for row in found] == [(10, "DELETE")]
    session.sql("CREATE TABLE copy (a INT)")
    text = f"SELECT a FROM v CHANGES AT (STATEMENT => '{start}')"
    session.sql(f"INSERT INTO copy {text}")
    assert session.sql("SELECT a FROM copy").fetchall() == [(10,)]


@pytest.mark.parametrize("way", ["BOTH_ENDS", "INCREMENTAL"])
def test_what_is_equal_to_a_date_need_not_be_equal_as_text(session: Session, way: str) -> None:
    session.sql("CREATE TABLE l (d DATE, a INT)")
    session.sql("CREATE TABLE g (s VARCHAR, x INT)")
    session.sql("CREATE TABLE kept (s VARCHAR)")
    session.sql("INSERT INTO g VALUES ('2020-1-1', 1)")
    session.sql("INSERT INTO kept VALUES ('2020-01-01')")
    session.sql(
        "CREATE VIEW v AS SELECT d, a FROM l WHERE d IN (SELECT s FROM kept) "
        "AND a > (SELECT AVG(x) FROM g WHERE g.s = l.d)"
    )
    start = session.sql(f"ALTER SESSION SET VIEW_CHANGES = {way}").statement_id
    session.sql("INSERT INTO l VALUES ('2020-01-01', 20)")
    session.sql("UPDATE g SET x = 2")
    session.sql("INSERT INTO kept VALUES ('2020-01-02')")
    assert [row[1:-1] for row in _changes(session, "v", start)] == [(20, "INSERT", False)]
