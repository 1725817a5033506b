"""The law of doubles as texts: they have the digits that C's `printf` gives."""

from __future__ import annotations

import math

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

_ODD = [0.0, -0.0, 1e-5, 9.9999999999e-6, 1e15, -1e15, 999999999999999.9, 0.99999999999, 0.5, 1e16]
_MORE = [math.pi, math.e, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 1 / 3, 1e9]
_NUMBERS = st.one_of(
    st.floats(),
    st.floats(-1e3, 1e3),
    st.integers(-(10**12), 10**12).map(lambda number: number / 1_000),
    st.integers(-(2**53), 2**53).map(float),
)


def write(number: float) -> str:
    """Return a double as text, by C's rounding of its exact value."""
    if math.isnan(number) or math.isinf(number):
        return {"nan": "NaN"}.get(str(number), str(number))
    if 1e-5 <= abs(number) < 1e15:
        digits = 9 - int(f"{number:.17e}".partition("e")[2])
        if abs(number) >= 1:
            digits = min(9, 15 - len(str(int(abs(number)))))
        return strip_zeros(f"{number:.{digits}f}")
    mantissa, _, exponent = f"{number:.9e}".partition("e")
    return "0" if number == 0 else f"{strip_zeros(mantissa)}e{exponent}"


def strip_zeros(digits: str) -> str:
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(_NUMBERS, min_size=1, max_size=200))
@example(numbers=_ODD + _MORE)
def test_a_double_as_text_has_the_digits_of_printf(
    with_functions: SparkSession, numbers: list[float]
) -> None:
    frame = with_functions.createDataFrame([(number,) for number in numbers], "x DOUBLE")
    rows = frame.selectExpr("x", "icemelt_double_text(x) AS text").collect()
    assert [row["text"] for row in rows] == [write(row["x"]) for row in rows]
