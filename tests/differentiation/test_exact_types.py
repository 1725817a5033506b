"""Types of exact numbers, and of their sums, are those that Spark finds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from differentiation.histories import in_one_task
from pyspark.sql import SparkSession

from icemelt.algebra.nodes import Project, Relation
from icemelt.schema import DataType, DecimalType, ListType, Primitive, spark_type
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.lowering.exact import Types
from icemelt.sql.parse import lower

COLUMNS: Mapping[str, DataType] = {
    "i": Primitive("int"),
    "k": Primitive("long"),
    "small": DecimalType(3, 2),
    "price": DecimalType(12, 2),
    "rate": DecimalType(15, 6),
    "long": DecimalType(38, 0),
    "fine": DecimalType(38, 20),
    "x": Primitive("double"),
    "f": Primitive("float"),
    "s": Primitive("string"),
    "d": Primitive("date"),
    "b": Primitive("boolean"),
    "v": Primitive("variant"),
    "a": ListType(Primitive("long")),
}
EXACT = """
    i; k; small; price; rate; long; fine; 1; -1; 3000000000; 0.1; 0.05; 1.50; 100.00; 0.00; .5; -2.5
    i + i; i + k; k - 1; -k; -(i); k * i; k % 7; MOD(i, 3); abs(price); k * (1 + 2)
    price + small; price - rate; price + 1; price * 2; 100 * price; price + k; price * i; price * k
    price * (1 - small); price * (1 - small) * (1 + rate); rate * rate * rate; long + 1; long * long
    fine + fine; fine * small; fine - long; price % small; long % 10; 0.1 * k; -1 * price; 1.5 * 2
    price * -0.5; price / 3; price / k; k / 3; price / rate; price * price / rate; fine / small
    i::number(10, 2); k::decimal; price::int; s::number(12, 3); small::bigint; price::decimal(38, 2)
    try_cast(s AS number(5, 1)); to_number(s, 10, 2)
    iff(b, price, 0); iff(b, k, NULL); iff(b, small, rate); iff(b, i, k); iff(b, 1, 0)
    CASE WHEN b THEN price END; CASE s WHEN 'a' THEN 1 WHEN 'b' THEN 2.5 ELSE k END
    CASE WHEN b THEN price * (1 - small) ELSE 0 END
    coalesce(price, 0); coalesce(k, i, 1); nvl(small, price); ifnull(k, 0); zeroifnull(price)
    nvl2(s, price, small); nullif(price, 0); nullifzero(k); coalesce(NULL, price)
    div0(k, i); div0(price, small)
"""
OTHERS = """
    x; f; x + 1; price * x; k + x; price / x; iff(b, price, x); coalesce(k, x); x::float; sqrt(k)
    s; d; v; v:n; NULL; 1e3; round(price, 1); a[0]; d - d; iff(b, fine, long); k::double; length(s)
"""
QUERIES = {
    "SELECT n FROM (SELECT k + 1 AS n FROM n UNION ALL SELECT price FROM n)": "DECIMAL(22,2)",
    "SELECT n FROM (SELECT i AS n FROM n UNION SELECT i FROM n)": "INT",
    "SELECT n FROM (SELECT i AS n FROM n EXCEPT SELECT k FROM n)": "BIGINT",
    "SELECT n FROM (SELECT count(*) AS n FROM n GROUP BY s)": "BIGINT",
    "SELECT n FROM (SELECT sum(price) AS n FROM n)": "DECIMAL(22,2)",
    "SELECT n FROM (SELECT max(small) FILTER (WHERE b) AS n FROM n GROUP BY k)": "DECIMAL(3,2)",
    "SELECT n FROM (SELECT sum(DISTINCT i) AS n FROM n GROUP BY k)": None,
    "SELECT k FROM (SELECT k, s FROM n GROUP BY ROLLUP (k, s))": None,
    "SELECT o.price FROM n JOIN n o ON n.k = o.k": "DECIMAL(12,2)",
    "SELECT n.small FROM n LEFT JOIN n o ON n.k = o.k WHERE o.price > 1": "DECIMAL(3,2)",
    "SELECT k FROM n FULL JOIN (SELECT k, i AS other FROM n) o USING (k)": "BIGINT",
    "SELECT n FROM (VALUES (1, 'a'), (2, 'b')) AS q(n, m)": "INT",
    "SELECT n FROM (VALUES (1), (2.5)) AS q(n)": "DECIMAL(11,1)",
    "SELECT k FROM (SELECT k, rank() OVER (ORDER BY k) AS r FROM n)": "BIGINT",
    "SELECT r FROM (SELECT sum(x) OVER (ORDER BY k) AS r FROM n)": None,
    "SELECT (SELECT count(*) FROM n o WHERE o.k = n.k) FROM n": "BIGINT",
    "SELECT n FROM (SELECT x AS n FROM n UNION ALL SELECT k FROM n)": None,
    "SELECT f.value FROM n, LATERAL FLATTEN(INPUT => a) f": None,
    "SELECT k FROM n, LATERAL FLATTEN(INPUT => a) f": "BIGINT",
}


def several(text: str) -> list[str]:
    return [each.strip() for line in text.splitlines() for each in line.split(";") if each.strip()]


def told(query: str) -> tuple[str | None, Relation]:
    """Return the type that is told of a query's only column, and the query."""
    relation = lower(query, lambda _: COLUMNS).relation
    assert isinstance(relation, Project)
    slots = dict.fromkeys(sources(relation), COLUMNS)
    kind = Types(slots).of(relation.expressions[0], relation.input)
    return None if kind is None else f"{kind} {kind.total}", relation


def sources(relation: Relation) -> set[str]:
    own = {relation.source} if hasattr(relation, "source") else set()
    return own.union(*map(sources, relation.inputs))


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    made = in_one_task(spark)
    columns = ", ".join(f"{name} {spark_type(kind)}" for name, kind in COLUMNS.items())
    made.createDataFrame([], columns).createOrReplaceTempView("exact_numbers")
    return made


def found(session: SparkSession, relation: Relation) -> str:
    """Return the type that Spark finds, and the one of the sum."""
    text = render_relation(relation, lambda _: "exact_numbers")
    (field,) = session.sql(text).schema.fields
    (total,) = session.sql(f"SELECT sum(c0) FROM ({text})").schema.fields
    return " ".join(each.dataType.simpleString().upper() for each in (field, total))


@pytest.mark.parametrize("expression", several(EXACT))
def test_the_type_of_an_exact_number_is_spark_s(session: SparkSession, expression: str) -> None:
    kind, relation = told(f"SELECT {expression} FROM n")
    assert kind == found(session, relation)


@pytest.mark.parametrize("expression", several(OTHERS))
def test_of_other_numbers_no_type_is_told(expression: str) -> None:
    assert told(f"SELECT {expression} FROM n")[0] is None


@pytest.mark.parametrize("query", QUERIES)
def test_the_type_of_a_column_is_that_of_what_it_is_made_of(
    session: SparkSession, query: str
) -> None:
    kind, relation = told(query)
    assert (None if kind is None else kind.split()[0]) == QUERIES[query]
    if kind is not None:
        assert kind == found(session, relation)
