"""The law of counts by file: a counter's are those of GROUP BY, whatever tasks read the rows."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.spark_java import java_class, java_frame, python_frame

_FILES = st.sampled_from(["a", "b", "a b.csv", "ü", "", None])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(_FILES, st.booleans()), max_size=40),
    tasks=st.integers(1, 4),
    is_sorted=st.booleans(),
)
@example(rows=[], tasks=1, is_sorted=False)
@example(rows=[("a", True), ("b", False), ("a", False), (None, True)], tasks=3, is_sorted=True)
def test_counts_of_a_counter_are_those_of_groups(
    with_functions: SparkSession,
    rows: list[tuple[str | None, bool]],
    tasks: int,
    *,
    is_sorted: bool,
) -> None:
    frame = with_functions.createDataFrame(rows, "file STRING, refused BOOLEAN").repartition(tasks)
    groups = frame.where("file IS NOT NULL").groupBy("file")
    counted = groups.agg(F.count("*"), F.count_if("refused")).collect()
    expected = {name: [parsed, errors] for name, parsed, errors in counted}

    counter = java_class(with_functions, "icemelt.spark.FileCounter").of(java_frame(frame))
    watched = counter.watch(java_frame(frame), "file", "refused", "accepted")
    read = python_frame(with_functions, watched)
    # a sort by ranges reads its rows twice: once for a sample
    read = read.orderBy("file", "accepted") if is_sorted else read
    accepted = [row["accepted"] for row in read.collect()]
    assert sorted(accepted) == sorted(not refused for _, refused in rows)
    assert json.loads(counter.value()) == expected
