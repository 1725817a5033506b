"""The law of counts by file: an observer's are those of GROUP BY, whatever tasks read the rows."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

_FILES = st.sampled_from(["a", "b", "a b.csv", "ü", "", None])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(_FILES, st.sampled_from([True, False, None])), max_size=40),
    tasks=st.integers(1, 4),
)
@example(rows=[], tasks=1)
@example(rows=[("a", True), ("b", False), ("a", None), (None, True)], tasks=3)
def test_counts_of_an_observer_are_those_of_groups(
    with_functions: SparkSession, rows: list[tuple[str | None, bool | None]], tasks: int
) -> None:
    frame = with_functions.createDataFrame(rows, "file STRING, refused BOOLEAN").repartition(tasks)
    groups = frame.where("file IS NOT NULL").groupBy("file")
    counted = groups.agg(F.count("*"), F.count_if("refused")).collect()
    expected = sorted(tuple(group) for group in counted)

    counts = F.expr("icemelt_file_counts(file, refused)").alias("counts")
    seen = Observation()
    assert len(frame.observe(seen, counts).collect()) == len(rows)

    assert sorted(tuple(entry) for entry in seen.get["counts"]) == expected
    # merged after a shuffle, as an aggregate of a query is
    (merged,) = frame.agg(counts).collect()
    assert sorted(tuple(entry) for entry in merged["counts"]) == expected
