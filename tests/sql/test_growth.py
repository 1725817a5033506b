"""The time that a statement takes to read grows with its length, not by a factor for each level.

Work is counted by the calls of functions: that is the same on any machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from sql.tables import columns_of

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Project, Relation, Scan
from icemelt.algebra.plan_parts import split_plan
from icemelt.changes.choice import choose_plan
from icemelt.changes.cost import TableSize
from icemelt.changes.rule import columns_read
from icemelt.changes.shape import Shape
from icemelt.errors import IcemeltError, NotYet, StatementCancelled
from icemelt.spark_sql.column_barriers import put_barriers
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.effort import check_cancellation_with
from icemelt.sql.parse import lower, parse_statement

# four levels more, of what doubles with each, would take sixteen times as long
SHALLOW, DEEP, MOST = 8, 12, 3.0
_TOO_MANY = 3_000_000
SIZE = TableSize(200 << 20, 1_000_000, 1 << 20, 9, 1, {}, at_hand=True, once=True, again=0)


class TooMuchError(BaseException):
    """So many calls that the reading would take minutes: no handler is to catch it."""


def calls(read: Callable[..., object], *arguments: object) -> int:
    """Return how many functions of Python something calls."""
    count = 0

    def counted(_frame: FrameType, event: str, _value: Any) -> None:
        nonlocal count
        count += event == "call"
        if count > _TOO_MANY:
            raise TooMuchError

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        read(*arguments)
    finally:
        sys.setprofile(before)
    return count


def nested(template: str, depth: int, inner: str) -> str:
    for _ in range(depth):
        inner = template.replace("@", inner)
    return inner


CALLS = [
    # passed on by name, by a template, by a function
    *("MADE_UP(@)", "UPPER(@)", "TRIM(@)", "IFF(id > 1, @, 'a')", "NVL(@, 'b')", "CONCAT(@, 'a')"),
    *("SUBSTR(@, 1)", "REPLACE(@, 'a', 'b')", "MADE_UP(f => @)", "LEAST_IGNORE_NULLS('x', @)"),
    # in what follows a call
    *("SUM(@) OVER (ORDER BY id)", "MAX(UPPER(@)) OVER (PARTITION BY id)"),
    *("MAX(@) FILTER (WHERE id > 1)", "COUNT(DISTINCT @)", "ARRAY_AGG(DISTINCT @)"),
    *("FIRST_VALUE(@) IGNORE NULLS OVER (ORDER BY id)", "(SELECT MAX(@) FROM t)"),
    # whose name is a type's, too
    *("DATE(@)", "CHAR(@)", "VARCHAR(@, 1)"),
    # functions of functions
    *("TRANSFORM(arr, x -> @)", "FILTER(arr, x -> UPPER(@) = 'a')"),
    *("REDUCE(arr, 0, (p, q) -> @)", "ARRAY_CONSTRUCT(@)", "OBJECT_CONSTRUCT('a', @)"),
    # whose type is asked for
    *("COALESCE(@, 1.25)", "COALESCE(1, @, 1.5)", "CASE WHEN id > 1 THEN @ ELSE 1.25 END"),
    *("NVL(@ + 1, 1.25)", "(@) / 2.5", "(@) + 1.5", "(@)::VARCHAR(5)", "(@):a.b", "[@]"),
]


@pytest.mark.parametrize("read", [parse_statement, lower])
@pytest.mark.parametrize("template", CALLS)
def test_calls_within_calls_are_made_once_each(template: str, read: Callable[..., object]) -> None:
    counts = [calls(outcome, read, template, depth) for depth in (SHALLOW, DEEP)]
    assert counts[1] < MOST * counts[0]


def outcome(read: Callable[..., object], template: str, depth: int) -> object:
    query = f"SELECT {nested(template, depth, 'name')} AS made FROM t"
    try:
        return read(query, columns_of=columns_of)
    except IcemeltError as refused:
        return refused


@pytest.mark.parametrize("template", ["TYPEOF(@)", "AS_INTEGER(@)", "ADD_MONTHS(@, 1)"])
def test_calls_that_repeat_their_argument_are_refused_soon(template: str) -> None:
    query = f"SELECT {nested(template, 30, 'v')} FROM t"

    def refused() -> None:
        with pytest.raises(NotYet, match="becomes too long for Spark"):
            parse_statement(query, None, columns_of)

    assert calls(refused) < 300_000


def test_a_call_gives_its_argument_as_often_as_its_template_names_it() -> None:
    query = parse_statement(
        "SELECT RATIO_TO_REPORT(UPPER(UPPER(name))) OVER () AS r FROM t", None, None
    )
    text = query.query.text  # type: ignore[attr-defined]
    assert text.count("upper(upper(`name`))") == 2


@pytest.mark.parametrize("kind", ["", "INNER "])
def test_joins_without_a_condition_are_parsed_once(kind: str) -> None:
    def query(count: int) -> str:
        joins = " ".join(f"{kind}JOIN t t{at}" for at in range(count))
        return f"SELECT 1 FROM t {joins} JOIN t z ON TRUE"

    counts = [calls(parse_statement, query(count)) for count in (SHALLOW, DEEP)]
    assert counts[1] < MOST * counts[0]


def chain(count: int) -> str:
    steps = ", ".join(f"a{at} + a{at} AS a{at + 1}" for at in range(count))
    return f"SELECT id AS a0, {steps}"


@pytest.mark.parametrize(
    "query",
    [
        chain(40) + " FROM t",
        chain(40) + " FROM t GROUP BY id HAVING a40 > 1",
        chain(40).replace("a0 + a0", "SUM(a0) OVER (ORDER BY a0)") + " FROM t",
        "SELECT id AS a0, "
        + ", ".join(f"CONCAT({', '.join([f'a{at}'] * 60)}) AS a{at + 1}" for at in range(4))
        + " FROM t",
    ],
)
def test_aliases_of_aliases_are_refused_before_they_fill_the_memory(query: str) -> None:
    def refused() -> None:
        with pytest.raises(NotYet, match="its aliases repeat what they stand for"):
            lower(query, columns_of)

    calls(refused)


def test_short_chains_of_aliases_are_lowered() -> None:
    assert lower(chain(8) + " FROM t", columns_of).names[-1] == "a8"


_STEPS = [
    "SELECT x.id FROM c{0} x, c{0} y",
    "SELECT id FROM c{0} UNION ALL SELECT id FROM c{0}",
    "SELECT id FROM c{0} WHERE id IN (SELECT id FROM c{0})",
    "SELECT MAX(id) AS id FROM c{0} GROUP BY id",
]


def over_one_another(step: str, depth: int) -> str:
    """Return a query of WITH queries, each of which reads the one before."""
    steps = ", ".join(f"c{at + 1} AS ({step.format(at)})" for at in range(depth))
    return f"WITH c0 AS (SELECT id FROM t), {steps} SELECT * FROM c{depth}"


@pytest.mark.parametrize("step", _STEPS)
def test_a_query_of_with_is_lowered_once_for_all_readers(step: str) -> None:
    counts = [calls(lower, over_one_another(step, depth), columns_of) for depth in (15, 30)]
    assert counts[1] < MOST * counts[0]


@pytest.mark.parametrize("step", _STEPS)
def test_the_changes_of_queries_over_one_another_are_planned_in_linear_work(step: str) -> None:
    def plan(relation: Relation) -> None:
        slots = columns_read(relation)
        sizes = dict.fromkeys(slots, SIZE)
        choice = choose_plan(relation, dict.fromkeys(slots, Shape.BOTH), sizes)
        assert choice.both_ends is not None
        parts, rest = split_plan(put_barriers(choice.both_ends))
        for part in (*(part.relation for part in parts), rest):
            render_relation(part, str)

    lowered = [lower(over_one_another(step, depth), columns_of).relation for depth in (20, 40)]
    counts = [calls(plan, relation) for relation in lowered]
    # the rules of groups of groups and joins of joins restrict all below, until they give up
    assert counts[1] < 2 * MOST * counts[0]


def test_stars_that_double_the_columns_are_refused() -> None:
    with pytest.raises(NotYet, match="too many columns"):
        lower(over_one_another("SELECT * FROM c{0} x, c{0} y", 24), columns_of)


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("CUBE (id, name, d, ts, n, f, g, v, id + 1, id + 2)", "1,024"),
        ("CUBE (" + ", ".join(f"id + {at}" for at in range(900)) + ")", "2 [*][*] 900"),
        (", ".join(f"ROLLUP (id + {at})" for at in range(10)), "1,024"),
        ("id, name, d, ts, n, f, g, id + 1, id + 2, id + 3 WITH CUBE", "1,024"),
        ("CUBE (id, name, d), GROUPING SETS (CUBE (n, f, g, ts, id + 1, id + 2), (v))", "520"),
    ],
)
@pytest.mark.parametrize("read", [parse_statement, lower])
def test_more_sets_of_keys_than_a_query_may_have_are_refused(
    read: Callable[..., object], group: str, sets: str
) -> None:
    with pytest.raises(NotYet, match=f"GROUP BY stands for {sets} sets of keys; 512 are as many"):
        read(f"SELECT COUNT(*) AS n FROM t GROUP BY {group}", columns_of=columns_of)


@pytest.mark.parametrize(
    ("behind", "before"),
    [("id, name WITH CUBE", "CUBE (id, name)"), ("id, name WITH ROLLUP", "ROLLUP (id, name)")],
)
def test_with_cube_is_cube(behind: str, before: str) -> None:
    first, second = (
        lower(f"SELECT id, COUNT(*) AS n FROM t GROUP BY {group}", columns_of).relation
        for group in (behind, before)
    )
    assert first == second


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + "1 + 1, " * 5_000 + "2 FROM t",
        "SELECT 1 FROM t WHERE " + "id = 1 OR " * 2_000 + "id = 2",
    ],
)
@pytest.mark.parametrize("read", [parse_statement, lower])
def test_a_statement_that_is_cancelled_is_read_no_further(
    read: Callable[..., object], query: str
) -> None:
    asked = 0

    def refuse() -> None:
        nonlocal asked
        asked += 1
        if asked == 10:
            raise StatementCancelled("It was cancelled.", hint="")

    with check_cancellation_with(refuse), pytest.raises(StatementCancelled):
        read(query, columns_of=columns_of)
    assert asked == 10


def test_every_stage_of_reading_asks_whether_to_go_on() -> None:
    stages = asking(lower, "SELECT " + "UPPER(name), " * 500 + "id FROM t", columns_of)
    assert {"_advance", "settle", "sql", "to_expression"} <= stages


def asking(read: Callable[..., object], *arguments: object) -> set[str]:
    """Return the functions that run, or wait for others, where it is asked whether to go on."""
    stages = set()

    def refuse() -> None:
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            stages.add(frame.f_code.co_name)
            frame = frame.f_back

    with check_cancellation_with(refuse):
        read(*arguments)
    return stages


def test_queries_in_with_that_double_what_they_read_are_bounded() -> None:
    def chain(depth: int) -> str:
        doubled = [
            f"q{at + 1} AS (SELECT id FROM q{at} UNION ALL SELECT id FROM q{at})"
            for at in range(depth)
        ]
        return f"WITH {', '.join(['q0 AS (SELECT id FROM t)', *doubled])} SELECT * FROM q{depth}"

    random = "SELECT id, RANDOM() AS r FROM t"
    parse_statement(chain(10).replace("SELECT id FROM t", random), None, columns_of)
    with pytest.raises(NotYet, match="2,000 tables at most"):
        parse_statement(chain(11).replace("SELECT id FROM t", random), None, columns_of)
    # without random values each is computed once
    parse_statement(chain(60), None, columns_of)
    # one that nobody reads is read by nobody
    parse_statement(chain(10).replace("SELECT * FROM q10", "SELECT 1"), None, columns_of)


def test_values_with_a_query_in_a_row_have_no_changes() -> None:
    with pytest.raises(NotYet, match="UNION ALL"):
        lower("SELECT * FROM (VALUES ((SELECT 1))) AS q", columns_of)


def test_queries_in_with_that_are_read_once_are_only_moved() -> None:
    steps = ", ".join(f"c{at + 1} AS (SELECT id FROM c{at} WHERE id > {at})" for at in range(100))
    lower(f"WITH c0 AS (SELECT id FROM t), {steps} SELECT * FROM c100", columns_of)


def test_aliases_are_put_into_a_condition_without_reading_it_again_for_each() -> None:
    def query(aliases: int, conditions: int) -> str:
        chain = "".join(f", a{at} AS a{at + 1}" for at in range(aliases))
        return f"SELECT id AS a0{chain} FROM t WHERE a{aliases} > 1{' AND id > 0' * conditions}"

    counts = [calls(parse_statement, query(size, 20 * size), None, columns_of) for size in (10, 20)]
    assert counts[1] < MOST * counts[0]


def test_what_puts_aliases_into_a_condition_asks_whether_to_go_on() -> None:
    chain = "".join(f", a{at} + 1 AS a{at + 1}" for at in range(60))
    conditions = " AND ".join(f"a{at} > 1" for at in range(60))
    query = f"SELECT id AS a0{chain} FROM t WHERE {conditions}"
    assert "substitute_into" in asking(parse_statement, query, None, columns_of)


def test_projections_are_rendered_in_work_that_grows_with_their_number() -> None:
    def work(depth: int) -> int:
        relation: Relation = Scan("t", ("a",))
        for _ in range(depth):
            relation = Project(relation, (Expression((0, " + ", 0)),))
        return calls(render_relation, relation, lambda scan: scan.source)

    assert work(80) < 2.5 * work(40)
