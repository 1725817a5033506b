"""Aggregates and window functions: Snowflake's results of exact numbers, duplicates and no rows.

Spark averages whole numbers as doubles, a sum of no rows is NULL, and equal rows cancel in its
`bit_xor`. An aggregate that becomes several aggregates of Spark repeats FILTER and OVER.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from sqlglot import exp

from icemelt.schema import DataType, DecimalType, ListType, Primitive, spark_type
from icemelt.sql.analysis.kinds import (
    MAX_DIGITS,
    average_kind,
    exact_digits,
    interpolated_kind,
    is_kind,
    is_numeric,
    is_variant,
    kind_of,
    ratio_kind,
    set_kind,
    sum_kind,
)
from icemelt.sql.spark.arguments import double, long
from icemelt.sql.spark.arithmetic import divide
from icemelt.sql.spark.calls import Call, Entry, expand
from icemelt.sql.spark.plain_words import SparkText

__all__ = ["AGGREGATE_FUNCTIONS"]

# an average of Spark has so many more digits than the numbers
_MORE_DIGITS = 4
_LONGEST_SEPARATOR = 1_000
# as many as Snowflake gives
_MOST_VALUES = 1_000
# SQL leaves the order open, or the choice among several values: icemelt always chooses alike.
_SET = "array_sort(collect_set({0}){over})"
_VARIANT_SET = (
    "transform(array_sort(collect_set(icemelt_variant_key({0})){over}),"
    " x -> icemelt_variant_of_key(x))"
)
# names of lambdas' parameters: no column that an argument reads has such a name
_X, _Y, _Z, _AT = "__icemelt_x", "__icemelt_y", "__icemelt_z", "__icemelt_at"


def _apply(call: Call, function: str, argument: str) -> str:
    """Return an aggregate of Spark over an argument, with the call's DISTINCT, FILTER and OVER."""
    return f"{function}({'DISTINCT ' if call.distinct else ''}{argument}){call.over}"


def _known(sql: str, kind: DataType | None) -> SparkText:
    node = SparkText(this=sql)
    set_kind(node, kind)
    return node


def _average(call: Call) -> str:
    """Return AVG: of exact numbers an exact number with six more digits, up to twelve."""
    call.need(1)
    written, digits = call.render(call.arguments[0]), exact_digits(kind_of(call.arguments[0]))
    if digits is None:
        return _apply(call, "avg", written)
    kind = average_kind(digits)
    if kind.precision < MAX_DIGITS:
        term = DecimalType(kind.precision - _MORE_DIGITS, kind.scale - _MORE_DIGITS)
        return _apply(call, "avg", f"CAST({written} AS {spark_type(term)})")
    total = _apply(call, "sum", f"CAST({written} AS {spark_type(digits)})")
    count = f"nullif({_apply(call, 'count', written)}, 0)"
    return divide(_known(total, sum_kind(digits)), _known(count, Primitive("long")), call.render)


def _median(call: Call) -> str:
    call.need(1)
    median = _apply(call, "median", call.render(call.arguments[0]))
    return _with_digits(median, call.arguments[0])


def _with_digits(sql: str, value: exp.Expr) -> str:
    """Return an interpolated value: of exact numbers an exact number with three more digits."""
    digits = exact_digits(kind_of(value))
    return sql if digits is None else f"CAST({sql} AS {spark_type(interpolated_kind(digits))})"


def _continuous(call: Call) -> str:
    return _with_digits(_percentile(call, "percentile_cont"), _ordered_value(call).this)


def _discrete(call: Call) -> str:
    """Return PERCENTILE_DISC: one of the values, in their own type."""
    item = _ordered_value(call)
    kind = kind_of(item.this)
    if kind is None or is_kind(item.this, "float", "double"):
        return _percentile(call, "percentile_disc")
    if exact_digits(kind) is not None:
        return f"CAST({_percentile(call, 'percentile_disc')} AS {spark_type(kind)})"
    values = f"array_sort(collect_list({call.render(item.this)}){call.over})"
    values = f"reverse({values})" if item.args.get("desc") else values
    place = f"CAST(greatest(ceil({call.sql(0)} * size({_X})), 1) AS INT) - 1"
    return f"get(transform(array({values}), {_X} -> get({_X}, {place})), 0)"


def _percentile(call: Call, function: str) -> str:
    items = ", ".join(call.render(item) for item in call.order)
    return f"{function}({call.all()}) WITHIN GROUP (ORDER BY {items}){call.over}"


def _ordered_value(call: Call) -> exp.Expr:
    """Return the item of the order of a percentile."""
    call.need(1)
    if len(call.order) != 1 or call.distinct:
        call.refuse("it takes a fraction, and values.", _hint_of_percentiles(call))
    fraction = call.arguments[0]
    if not isinstance(fraction, exp.Literal) or fraction.is_string or float(fraction.name) > 1:
        call.refuse("the fraction is a literal from 0 to 1.", _hint_of_percentiles(call))
    return call.order[0]


def _hint_of_percentiles(call: Call) -> str:
    return f"Write {call.name}(0.5) WITHIN GROUP (ORDER BY x)."


def _of_sample(formula: str, fewest: int, function: str) -> Entry:
    """Return an entry for a measure of a sample, from Spark's measure of the population.

    Args:
        formula: the sample's measure, with `{n}` values whose population has the measure `{of}`.
        fewest: of fewer values the measure is NULL.
        function: Spark's measure of the population.
    """

    def build(call: Call) -> str:
        call.need(1)
        argument = double(call, 0)
        count = _apply(call, "count", argument)
        measured = formula.format(n=f"CAST({count} AS DOUBLE)", of=_apply(call, function, argument))
        return f"CASE WHEN {count} >= {fewest} THEN {measured} END"

    return build


def _of_pairs(call: Call) -> str:
    """Return a measure of pairs; Spark leaves out what is equal in one value of the pairs."""
    call.need(2)
    if call.distinct:
        call.refuse("DISTINCT is not supported.", "Select the distinct pairs in a subquery.")
    return _apply(call, call.name.lower(), call.all())


def _truth(call: Call) -> str:
    """Return whether a number is not 0; texts are no truth values to aggregates."""
    call.need(1)
    if is_kind(call.arguments[0], "string", "binary"):
        call.refuse("a text is no truth value.", f"Write {call.name}(TO_BOOLEAN(x)).")
    if is_numeric(call.arguments[0]):
        return f"({call.sql(0)} <> 0)"
    return f"CAST({call.render(call.arguments[0])} AS BOOLEAN)"


def _exclusive_or(call: Call) -> str:
    """Return BOOLXOR_AGG: whether exactly one value is true; NULL where all are NULL."""
    value = _truth(call)
    test = _apply(call, "count_if", value)
    return f"CASE WHEN {_apply(call, 'count', value)} > 0 THEN {test} = 1 END"


def _truths(function: str) -> Entry:
    def build(call: Call) -> str:
        return _apply(call, function, _truth(call))

    return build


def _bits(function: str) -> Entry:
    def build(call: Call) -> str:
        call.need(1)
        if is_kind(call.arguments[0], "binary"):
            call.refuse("binaries are not supported.", "Convert them to whole numbers.")
        return _apply(call, function, long(call, 0))

    return build


def _ratio(call: Call) -> str:
    """Return RATIO_TO_REPORT: a value's part in the sum, NULL where the sum is 0."""
    call.need(1)
    value = call.arguments[0]
    total = f"nullif(sum({call.render(value)}){call.over}, 0)"
    kind = exact_digits(kind_of(value))
    if kind is None:
        return divide(value, _known(total, Primitive("double")), call.operand)
    ratio = divide(value, _known(total, sum_kind(kind)), call.operand)
    return f"CAST({ratio} AS {spark_type(ratio_kind(kind))})"


def _event(call: Call) -> str:
    return f"count_if({_truth(call)}){call.over}"


def _count(call: Call) -> str:
    if any(isinstance(each, exp.Column) and each.is_star for each in call.arguments):
        call.refuse("the columns of the table are not known.", "Write COUNT(*), or COUNT(a, b).")
    if not (call.distinct and _has_window(call)):
        return expand("count({all})", call)
    # Spark's windows take no DISTINCT
    value = call.render(call.arguments[0])
    if len(call.arguments) > 1:
        nulls = " OR ".join(f"{call.sql(at)} IS NULL" for at in range(len(call.arguments)))
        value = f"if({nulls}, NULL, struct({call.all()}))"
    return f"CAST(size(collect_set({value}){call.over}) AS BIGINT)"


def _has_window(call: Call) -> bool:
    return " OVER (" in call.over


def _neighbour(call: Call) -> str:
    """Return LAG or LEAD: Spark takes an offset of 32 bits."""
    call.need(1, 2, 3)
    written = [call.render(argument) for argument in call.arguments]
    if len(written) > 1 and call.whole(1) is None:
        if call.arguments[1].find(exp.Column) is not None:
            call.refuse("the offset is a constant.", f"Write {call.name}(x, 2).")
        written[1] = f"CAST({written[1]} AS INT)"
    return f"{call.name.lower()}({', '.join(written)}){call.over}"


def _by(call: Call) -> str:
    """Return MIN_BY or MAX_BY: a value, or an array of as many as a third argument says."""
    call.need(2, 3)
    if len(call.arguments) == 2:  # noqa: PLR2004 - one value
        return expand(f"{call.name.lower()}({{0}}, {{1}})", call)
    count = call.whole(2)
    if count is None or not 1 <= count <= _MOST_VALUES:
        hint = f"Write {call.name}(value, key, 10)."
        call.refuse(f"the number of values is a literal from 1 to {_MOST_VALUES:,}.", hint)
    key = exp.Ordered(this=call.arguments[1], desc=call.name == "MAX_BY")
    pairs = f"collect_list(named_struct('k0', {call.sql(1)}, 'v', {call.sql(0)})){call.over}"
    kept = f"filter({pairs}, {_X} -> {_X}.k0 IS NOT NULL)"
    values = f"transform(slice({_sorted(kept, [key])}, 1, {count}), {_X} -> {_X}.v)"
    return f"get(transform(array({values}), {_X} -> if(size({_X}) > 0, {_X}, NULL)), 0)"


def _array_agg(call: Call) -> str:
    """Return ARRAY_AGG with elements in the order of WITHIN GROUP; both systems leave NULLs out."""
    call.need(1)
    if call.distinct:
        return _distinct_values(call)
    return _in_order(call) if call.order else expand("collect_list({0}){over}", call)


def _distinct_values(call: Call) -> str:
    """Return the distinct values of a call's first argument, in their order.

    A value that is written as a text, as a FLOAT of LISTAGG, is so after it is sorted.
    """
    value = call.arguments[0]
    if not call.order:
        return _sorted_set(call, value)
    item = call.order[0]
    sorted_by = _without_key(item.this)
    is_text = isinstance(value, exp.Cast) and value.this == sorted_by
    if len(call.order) > 1 or not (is_text or value == sorted_by):
        hint = f"Order by the value itself: {call.name}(DISTINCT x) WITHIN GROUP (ORDER BY x)."
        call.refuse("DISTINCT with another order is not supported.", hint)
    values = _sorted_set(call, sorted_by)
    values = f"reverse({values})" if item.args.get("desc") else values
    if not is_text:
        return values
    written = value.copy()
    written.set("this", _known(_X, kind_of(sorted_by)))
    return f"transform({values}, {_X} -> {call.render(written)})"


def _sorted_set(call: Call, value: exp.Expr) -> str:
    function = "collect_set(" if _has_window(call) else "collect_list(DISTINCT "
    sql = call.render(value)
    if not is_variant(value):
        return f"array_sort({function}{sql}){call.over})"
    keys = f"array_sort({function}icemelt_variant_key({sql})){call.over})"
    return f"transform({keys}, {_X} -> icemelt_variant_of_key({_X}))"


def _without_key(node: exp.Expr) -> exp.Expr:
    """Return the variant by whose key rows are sorted, or the expression itself."""
    is_key = isinstance(node, exp.Anonymous) and node.name.upper() == "ICEMELT_VARIANT_KEY"
    inner: exp.Expr = node.expressions[0] if is_key else node
    return inner


def _listagg(call: Call) -> str:
    """Return LISTAGG, an empty text for no values; both systems leave NULLs out.

    Ordered values are a sorted array: Spark's `listagg` fails in the optimizer if several
    aggregates with DISTINCT are in the same query.
    """
    call.need(1, 2)
    separator = call.sql(1) if len(call.arguments) > 1 else "''"
    if len(call.arguments) > 1 and not isinstance(call.arguments[1], exp.Null):
        written = call.text(1)
        if written is None or len(written) > _LONGEST_SEPARATOR:
            call.refuse("the separator is not a short literal.", "Write it as a string literal.")
    if call.distinct and not is_kind(call.arguments[0], "binary"):
        return f"array_join(CAST({_distinct_values(call)} AS ARRAY<STRING>), {separator})"
    if call.order and not call.distinct:
        return f"array_join(CAST({_in_order(call)} AS ARRAY<STRING>), {separator})"
    items = ", ".join(call.render(item) for item in call.order)
    within = f" WITHIN GROUP (ORDER BY {items})" if items else ""
    distinct = "DISTINCT " if call.distinct else ""
    return f"coalesce(listagg({distinct}{call.sql(0)}, {separator}){within}{call.over}, '')"


def _in_order(call: Call) -> str:
    """Return an array of a call's first argument, without NULLs, in the order of WITHIN GROUP."""
    keys = ", ".join(f"'k{at}', {call.render(item.this)}" for at, item in enumerate(call.order))
    pairs = f"collect_list(named_struct({keys}, 'v', {call.sql(0)})){call.over}"
    kept = f"filter({pairs}, x -> x.v IS NOT NULL)"
    return f"transform({_sorted(kept, call.order)}, x -> x.v)"


def _sorted(pairs: str, order: Sequence[exp.Expr]) -> str:
    """Return an array of structs in the order of their fields `k0`, `k1` and so on."""
    compare = "".join(_comparison(at, item) for at, item in enumerate(order))
    return f"array_sort({pairs}, (l, r) -> CASE{compare} ELSE 0 END)"


def _comparison(position: int, item: exp.Expr) -> str:
    left, right = f"l.k{position}", f"r.k{position}"
    null_side = -1 if item.args.get("nulls_first") else 1
    lower = 1 if item.args.get("desc") else -1
    return (
        f" WHEN {left} IS NULL AND {right} IS NOT NULL THEN {null_side}"
        f" WHEN {left} IS NOT NULL AND {right} IS NULL THEN {-null_side}"
        f" WHEN {left} < {right} THEN {lower} WHEN {left} > {right} THEN {-lower}"
    )


def _union_agg(call: Call) -> str:
    """Return ARRAY_UNION_AGG: each value as often as the array has it that has most of it.

    An array's values are numbered, so that `[1, 1, 2]` becomes (1, 1), (1, 2), (2, 1). The union is
    of these pairs.
    """
    call.need(1)
    if call.distinct or not isinstance(kind_of(call.arguments[0]), ListType):
        call.refuse("arrays of VARIANT are not supported.", "Write ARRAY_UNION_AGG(a::ARRAY(INT)).")
    kept = f"filter({_X}, {_Y} -> {_Y} IS NOT NULL)"
    number = f"size(filter(slice({kept}, 1, {_AT} + 1), {_Z} -> {_Z} = {_Y}))"
    numbered = f"transform({kept}, ({_Y}, {_AT}) -> struct({_Y} AS v, {number} AS n))"
    arrays = f"collect_list({call.render(call.arguments[0])}){call.over}"
    pairs = f"array_distinct(flatten(transform({arrays}, {_X} -> {numbered})))"
    return f"transform(array_sort({pairs}), {_X} -> {_X}.v)"


def _collect_set(call: Call) -> str:
    """Return an array of distinct values, in order."""
    call.need(1)
    return expand(_VARIANT_SET if is_variant(call.arguments[0]) else _SET, call)


def _grouping(call: Call) -> str:
    """Return GROUPING with a bit for every key, as in GROUPING_ID."""
    function = "grouping" if len(call.arguments) == 1 else "grouping_id"
    return f"{function}({call.all()})"


def _mode(call: Call) -> str:
    """Return MODE: the least among the most frequent values."""
    if call.distinct:
        call.refuse("of distinct values each is there once.", "Leave DISTINCT out, or use MIN.")
    call.need(1)
    return expand("mode({0}, true)", call)


def _changes(call: Call) -> NoReturn:
    call.refuse("it is a window function.", f"Write {call.name}(x) OVER (ORDER BY t).")


AGGREGATE_FUNCTIONS: Mapping[str, Entry] = {
    "AVG": _average,
    "MEDIAN": _median,
    "PERCENTILE_CONT": _continuous,
    "PERCENTILE_DISC": _discrete,
    "COUNT": _count,
    "COUNT_IF": "count_if({0})",
    "MODE": _mode,
    **dict.fromkeys(("MIN_BY", "MAX_BY"), _by),
    **dict.fromkeys(("VARIANCE_SAMP", "VAR_SAMP", "VARIANCE"), "var_samp({0})"),
    "VARIANCE_POP": "var_pop({0})",
    "SKEW": _of_sample("sqrt({n} * ({n} - 1)) / ({n} - 2) * {of}", 3, "skewness"),
    "KURTOSIS": _of_sample(
        "({n} - 1) / (({n} - 2) * ({n} - 3)) * (({n} + 1) * {of} + 6)", 4, "kurtosis"
    ),
    # Spark's own `corr` divides by zero where all values of a side are equal
    "CORR": (
        "try_divide(regr_sxy({0}, {1}){over},"
        " sqrt(regr_sxx({0}, {1}){over} * regr_syy({0}, {1}){over}))"
    ),
    **dict.fromkeys(("REGR_AVGX", "REGR_AVGY", "REGR_SXX", "REGR_SYY"), _of_pairs),
    "BOOLAND_AGG": _truths("bool_and"),
    "BOOLOR_AGG": _truths("bool_or"),
    "BOOLXOR_AGG": _exclusive_or,
    **dict.fromkeys(("BITAND_AGG", "BITANDAGG", "BIT_AND_AGG"), _bits("bit_and")),
    **dict.fromkeys(("BITOR_AGG", "BITORAGG", "BIT_OR_AGG"), _bits("bit_or")),
    **dict.fromkeys(("BITXOR_AGG", "BITXORAGG", "BIT_XOR_AGG"), _bits("bit_xor")),
    **dict.fromkeys(("LISTAGG", "STRING_AGG"), _listagg),
    **dict.fromkeys(("ARRAY_AGG", "COLLECT_LIST"), _array_agg),
    **dict.fromkeys(("ARRAY_UNIQUE_AGG", "COLLECT_SET"), _collect_set),
    "ARRAY_UNION_AGG": _union_agg,
    "GROUPING": _grouping,
    "RATIO_TO_REPORT": _ratio,
    **dict.fromkeys(("LAG", "LEAD"), _neighbour),
    "CONDITIONAL_TRUE_EVENT": _event,
    "CONDITIONAL_CHANGE_EVENT": _changes,
}
