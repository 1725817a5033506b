"""The law of numbers in texts: the fast way to read a DOUBLE gives the bits that Spark's gives."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

_ODD = [
    *("", " ", "1 ", " 1", "+", "-", ".", "1.", ".5", "-.5", "1e", "1e+", "e5", "1.e2", "1d", "1f"),
    *("NaN", "nan", "inf", "-Infinity", "0x1p3", "1_0", "1e5e", "1-", "--1", "+1", "-0", "-0.0"),
    *("1e999", "-1e999", "1e-999", "4.9e-324", "2e-324", "1e00005", "٣", "1e99999999999"),
    "9" * 400,
]
_DIGITS = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_TEXTS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(allow_nan=False).map("{:.17g}".format),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{0,4})?", fullmatch=True),
    st.text("0123456789+-.eEdfx ", max_size=8),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_TEXTS, min_size=1, max_size=200))
@example(texts=_ODD)
def test_a_plain_double_has_the_bits_of_a_cast(
    with_functions: SparkSession, texts: list[str]
) -> None:
    frame = with_functions.createDataFrame([(text,) for text in texts], "t STRING")
    plain, cast = "icemelt_plain_double(t)", "try_cast(t AS DOUBLE)"
    read = frame.selectExpr("t", f"{plain} AS plain", f"{cast} AS cast").collect()
    found = {row["t"]: row["plain"].hex() for row in read if row["plain"] is not None}
    assert found == {row["t"]: row["cast"].hex() for row in read if row["t"] in found}
    # what is left to the cast is no number of digits alone
    assert not {text for text in texts if _DIGITS.fullmatch(text)} - found.keys()
