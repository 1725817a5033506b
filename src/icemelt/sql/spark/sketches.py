"""Aggregates that estimate: the accuracy is a literal within bounds, because accuracy costs memory.

Spark plans a HyperLogLog as a column for every register, and keeps as many samples, bins or items
as the call asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from icemelt.sql.analysis.kinds import is_variant
from icemelt.sql.spark.calls import Builder, Call, Entry, expand
from icemelt.sql.spark.plain_words import SparkText

__all__ = ["SKETCHES"]

# 2^12 registers; with 2^14 a query takes a minute to plan. Spark's own error is 0.05
_LEAST_ERROR, _MOST_ERROR = 0.02, 0.4
# samples of APPROX_PERCENTILE, bins of HISTOGRAM_NUMERIC, items of APPROX_TOP_K
_MOST_SAMPLES, _MOST_BINS, _MOST_ITEMS = 100_000, 10_000, 100_000
# the name of a lambda's parameter: no column that an argument reads has such a name
_X = "__icemelt_x"


def _approximate_count(call: Call) -> str:
    """Return APPROX_COUNT_DISTINCT of a value, of several, or of a value and a relative error."""
    if len(call.arguments) > 1:
        error = _fraction(call.arguments[1]) if len(call.arguments) == 2 else None  # noqa: PLR2004
        if error is not None and not call.distinct:
            return _with_error(call, error)
        if any(argument.is_star for argument in call.arguments):
            call.refuse("of * is not supported.", f"Name the columns: {call.name}(a, b).")
        nulls = " OR ".join(f"{call.sql(at)} IS NULL" for at in range(len(call.arguments)))
        return f"approx_count_distinct(if({nulls}, NULL, struct({call.all()}))){call.over}"
    return expand("approx_count_distinct({0})", call)


def _with_error(call: Call, error: float) -> str:
    if not _LEAST_ERROR <= error <= _MOST_ERROR:
        call.refuse(
            f"the error is a literal from {_LEAST_ERROR} to {_MOST_ERROR}.",
            f"Write {call.name}(x), whose error is 0.05, or COUNT(DISTINCT x).",
        )
    return expand("approx_count_distinct({0}, {1})", call)


def _fraction(node: exp.Expr) -> float | None:
    is_number = isinstance(node, exp.Literal) and not node.is_string
    return float(node.name) if is_number else None


def _with_bounded_sizes(function: str, example: str, **most: int) -> Builder:
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
        found = expand("approx_percentile({0}, {1}){over}", call)
        is_one = call.name == "APPROX_PERCENTILE" and _fraction(call.arguments[1]) is not None
        return f"CAST({found} AS DOUBLE)" if is_one else found
    accuracy = call.whole(2)
    if accuracy is None or not 1 <= accuracy <= _MOST_SAMPLES:
        hint = f"Write {call.name}(x, 0.5), or PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."
        call.refuse(f"the accuracy is a literal from 1 to {_MOST_SAMPLES:,}.", hint)
    return expand("approx_percentile({0}, {1}, {2})", call)


def _top_values(call: Call) -> str:
    """Return APPROX_TOP_K: an array of pairs of a value and its count, by default of one pair."""
    sizes = {"number of values": _MOST_ITEMS, "number of items that are counted": _MOST_ITEMS}
    if len(call.arguments) == 1:
        call = replace(call, arguments=(*call.arguments, exp.Literal.number(1)))
    item = f"CAST({_X}.item AS VARIANT)"
    if call.arguments and is_variant(call.arguments[0]):
        # Spark counts texts, and no bytes
        key = f"hex(icemelt_variant_key({call.render(call.arguments[0])}))"
        call = replace(call, arguments=(SparkText(this=key), *call.arguments[1:]))
        item = f"icemelt_variant_of_key(unhex({_X}.item))"
    found = _with_bounded_sizes("approx_top_k", "Write APPROX_TOP_K(x, 10).", **sizes)(call)
    pair = f"array({item}, CAST({_X}.count AS VARIANT))"
    return f"transform({found}, {_X} -> {pair})"


def _not_over_bytes(hint: str) -> Entry:
    return lambda call: call.refuse("sketches that are kept as bytes are not supported.", hint)


SKETCHES: Mapping[str, Entry] = {
    **dict.fromkeys(("APPROX_COUNT_DISTINCT", "HLL"), _approximate_count),
    **dict.fromkeys(("APPROX_PERCENTILE", "PERCENTILE_APPROX"), _percentile),
    "APPROX_TOP_K": _top_values,
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
            *("HLL_ACCUMULATE", "HLL_COMBINE", "HLL_ESTIMATE", "HLL_EXPORT", "HLL_IMPORT"),
            "COUNT_MIN_SKETCH",
        ),
        _not_over_bytes("Use APPROX_COUNT_DISTINCT or APPROX_TOP_K over the rows."),
    ),
    **dict.fromkeys(
        tuple(f"APPROX_PERCENTILE_{step}" for step in ("ACCUMULATE", "COMBINE", "ESTIMATE")),
        _not_over_bytes("Use APPROX_PERCENTILE over the rows."),
    ),
    **dict.fromkeys(
        ("MINHASH", "MINHASH_COMBINE", "APPROXIMATE_SIMILARITY", "APPROXIMATE_JACCARD_INDEX"),
        _not_over_bytes("Compare ARRAY_UNIQUE_AGG(x) by ARRAY_INTERSECTION and ARRAY_SIZE."),
    ),
}
