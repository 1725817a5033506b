"""What one call may make is a literal, or computed once beside the call that it bounds."""

from __future__ import annotations

import pytest
from sql.tables import columns_of

from icemelt.engine.functions import HARMLESS
from icemelt.errors import IcemeltError, NameRefused, NotYet
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import Select

ONE_OR_MANY = "IFF(UNIFORM(0, 1, RANDOM()) = 0, 1, 1000000000)"
REPEATED = (
    f"REPEAT(name, {ONE_OR_MANY})",
    f"REPEAT('ab', {ONE_OR_MANY})",
    f"LPAD('ab', {ONE_OR_MANY})",
    f"RPAD('ab', {ONE_OR_MANY}, name)",
    f"SPACE({ONE_OR_MANY})",
    f"ARRAY_REPEAT(1, {ONE_OR_MANY})",
    f"ARRAY_REPEAT(name, {ONE_OR_MANY})",
    f"SEQUENCE(1, {ONE_OR_MANY})",
    f"SEQUENCE({ONE_OR_MANY}, 1, 1)",
    f"ARRAY_GENERATE_RANGE(1, {ONE_OR_MANY})",
    f"ARRAY_INSERT(ARRAY_CONSTRUCT(1), {ONE_OR_MANY}, 1)",
    f"REPLACE(name, 'a', REPEAT('b', {ONE_OR_MANY}))",
    f"PRINTF(REPEAT('%d', {ONE_OR_MANY}), id)",
    f"EDITDISTANCE(name, REPEAT('b', {ONE_OR_MANY}))",
    f"CASE {ONE_OR_MANY} WHEN 1 THEN 'a' WHEN 1000000000 THEN 'b' END",
    f"DECODE({ONE_OR_MANY}, 1, 'a', 1000000000, 'b')",
    f"DIV0(1, {ONE_OR_MANY})",
    f"GREATEST(1, {ONE_OR_MANY})",
    f"ARRAY_EXCEPT(ARRAY_CONSTRUCT(1), ARRAY_CONSTRUCT({ONE_OR_MANY}))",
    f"({ONE_OR_MANY}, id) IN ((1, 1), (1000000000, 2))",
    f"RIGHT(name, {ONE_OR_MANY})",
)
TOO_EXACT = (
    "HLL(id, 0.0001)",
    "APPROX_COUNT_DISTINCT(id, 1e-9) OVER ()",
    "APPROX_PERCENTILE(id, 0.5, 2147483647)",
    "percentile_approx(id, 0.5, id)",
    "approx_top_k(id, 10, 1000000000)",
    "APPROX_TOP_K(id, id)",
    "HISTOGRAM_NUMERIC(id, 1000000000)",
    "HLL_SKETCH_ESTIMATE(X'00')",
    "HLL_UNION_AGG(X'00')",
    "SCHEMA_OF_CSV('a', map('maxColumns', '1000000000'))",
    "SCHEMA_OF_CSV('a', map('inputBufferSize', '1000000000'))",
    "SCHEMA_OF_JSON('{}', map('maxNestingDepth', '1000000000'))",
    "TO_CSV(st, map('a', 'b'))",
    "TO_JSON(st, map('a', 'b'))",
    "SEQUENCE(ts, ts, i)",
    "SEQUENCE(ts, ts, INTERVAL '1 hour' * 1)",
    "SEQUENCE(d, d, MAKE_DT_INTERVAL(0, 0, 0, 1))",
    "SEQUENCE(ts, ts, INTERVAL '0.000001 seconds')",
)


def written(expression: str) -> str:
    statement = parse_statement(f"SELECT {expression} AS x FROM t")
    assert isinstance(statement, Select)
    return statement.query.text


@pytest.mark.parametrize("call", REPEATED)
def test_a_random_operand_is_computed_once(call: str) -> None:
    assert written(call).count("rand()") == 1
    assert written(call).count("__icemelt_b") > 1


@pytest.mark.parametrize(
    "call",
    [
        "IFF(RANDOM() > 0, 1, 2)",
        "SUM(RANDOM())",
        "NVL(RANDOM(), 1)",
        f"{{'a': NULLIF({ONE_OR_MANY}, 1)}}",
    ],
)
def test_a_random_operand_that_is_mentioned_once_stays_where_it_is(call: str) -> None:
    assert "__icemelt_b" not in written(call)


@pytest.mark.parametrize(
    "call",
    [
        f"REPEAT((SELECT MAX(name) FROM t), {ONE_OR_MANY})",
        f"CASE {ONE_OR_MANY} WHEN 1 THEN (SELECT MAX(name) FROM t) END",
        # a view may have a random value, which is another one in each subquery
        "REPEAT('a', (SELECT n FROM v))",
        "REPEAT((SELECT n FROM v), 10)",
        "SPACE((SELECT n FROM v))",
        "ARRAY_GENERATE_RANGE(1, COALESCE((SELECT n FROM v), 1))",
        "SEQUENCE(1, (SELECT n FROM v))",
    ],
)
def test_what_a_subquery_gives_and_a_call_needs_twice_is_refused(call: str) -> None:
    with pytest.raises(NotYet, match="beside a subquery"):
        written(call)


def test_what_a_subquery_gives_and_a_call_needs_once_stays_where_it_is() -> None:
    assert "SELECT max(`name`)" in written("RIGHT((SELECT MAX(name) FROM t), 2)")
    assert "SELECT max(`n`)" in written("ROUND((SELECT MAX(n) FROM t), 2)")
    joined = parse_statement(
        "SELECT ARRAY_TO_STRING((SELECT ARRAY_AGG(name) FROM t), ',')", None, columns_of
    )
    assert isinstance(joined, Select)
    assert "transform((SELECT collect_list(`name`)" in joined.query.text


@pytest.mark.parametrize("call", TOO_EXACT)
def test_a_call_that_may_take_any_memory_is_refused(call: str) -> None:
    with pytest.raises(IcemeltError) as refused:
        written(call)
    assert refused.value.code in {"not-yet", "sql-syntax"}


def test_a_guest_reads_no_sketch_out_of_bytes() -> None:
    assert not {name for name in HARMLESS if name.startswith("hll_")}
    assert not {name for name in HARMLESS if name.endswith(("_estimate", "_combine"))}


@pytest.mark.parametrize("name", ["__icemelt_v", "__ICEMELT_b0", "__icemelt_x"])
def test_a_parameter_of_a_lambda_has_no_name_of_icemelt_s_own(name: str) -> None:
    with pytest.raises(NameRefused, match="parameter of a lambda"):
        written(f'TRANSFORM(arr, "{name}" -> REPLACE(\'a\', UPPER(name), "{name}"))')
