"""Aggregates that estimate: the accuracy is a literal within bounds, because accuracy costs memory.

Spark plans a HyperLogLog as a column for every register, and keeps as many samples, bins or items
as the call asks for.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.sql.spark.calls import Call, Entry, expand

__all__ = ["SKETCHES"]

# 2^12 registers; with 2^14 a query takes a minute to plan. Spark's own error is 0.05
_LEAST_ERROR, _MOST_ERROR = 0.02, 0.4
# samples of APPROX_PERCENTILE, bins of HISTOGRAM_NUMERIC, items of APPROX_TOP_K
_MOST_SAMPLES, _MOST_BINS, _MOST_ITEMS = 100_000, 10_000, 100_000


def _approximate_count(call: Call) -> str:
    """Return APPROX_COUNT_DISTINCT of a value, or of a value and a relative error."""
    if len(call.arguments) == 2 and not call.distinct:  # noqa: PLR2004 - the error
        error = _fraction(call.arguments[1])
        if error is None or not _LEAST_ERROR <= error <= _MOST_ERROR:
            call.refuse(
                f"the error is a literal from {_LEAST_ERROR} to {_MOST_ERROR}.",
                f"Write {call.name}(x), whose error is 0.05, or COUNT(DISTINCT x).",
            )
        return expand("approx_count_distinct({0}, {1})", call)
    return expand("approx_count_distinct({0})", call)


def _fraction(node: exp.Expr) -> float | None:
    is_number = isinstance(node, exp.Literal) and not node.is_string
    return float(node.name) if is_number else None


def _with_bounded_sizes(function: str, example: str, **most: int) -> Entry:
    """Return an entry for an aggregate whose further arguments are literals within bounds.

    Args:
        function: the function's name in Spark.
        example: a valid call, for the error.
        most: the names of the arguments behind the first argument, with the greatest values.
    """
    names = tuple(most)

    def build(call: Call) -> str:
        call.need(*range(1, len(names) + 2))
        for position, name in enumerate(names[: len(call.arguments) - 1], start=1):
            size = call.whole(position)
            if size is None or not 1 <= size <= most[name]:
                call.refuse(f"the {name} is a literal from 1 to {most[name]:,}.", example)
        return expand(f"{function}({{all}})", call)

    return build


def _percentile(call: Call) -> str:
    call.need(2, 3)
    if len(call.arguments) == 2:  # noqa: PLR2004 - no accuracy
        return expand("approx_percentile({0}, {1})", call)
    accuracy = call.whole(2)
    if accuracy is None or not 1 <= accuracy <= _MOST_SAMPLES:
        hint = f"Write {call.name}(x, 0.5), or PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."
        call.refuse(f"the accuracy is a literal from 1 to {_MOST_SAMPLES:,}.", hint)
    return expand("approx_percentile({0}, {1}, {2})", call)


def _as_bytes(call: Call) -> str:
    call.refuse(
        "sketches that are kept as bytes are not supported.",
        "Use APPROX_COUNT_DISTINCT or APPROX_TOP_K over the rows.",
    )


SKETCHES: Mapping[str, Entry] = {
    **dict.fromkeys(("APPROX_COUNT_DISTINCT", "HLL"), _approximate_count),
    **dict.fromkeys(("APPROX_PERCENTILE", "PERCENTILE_APPROX"), _percentile),
    "APPROX_TOP_K": _with_bounded_sizes(
        "approx_top_k",
        "Write APPROX_TOP_K(x, 10).",
        **{"number of values": _MOST_ITEMS, "number of items that are counted": _MOST_ITEMS},
    ),
    "HISTOGRAM_NUMERIC": _with_bounded_sizes(
        "histogram_numeric",
        "Write HISTOGRAM_NUMERIC(x, 20), or WIDTH_BUCKET and COUNT.",
        **{"number of bins": _MOST_BINS},
    ),
    # Spark allocates a sketch of the size claimed by bytes that anybody may have written
    **dict.fromkeys(
        (
            *("APPROX_TOP_K_ACCUMULATE", "APPROX_TOP_K_COMBINE", "APPROX_TOP_K_ESTIMATE"),
            *("HLL_SKETCH_AGG", "HLL_SKETCH_ESTIMATE", "HLL_UNION", "HLL_UNION_AGG"),
            *("HLL_ACCUMULATE", "HLL_COMBINE", "HLL_ESTIMATE", "COUNT_MIN_SKETCH"),
        ),
        _as_bytes,
    ),
}
