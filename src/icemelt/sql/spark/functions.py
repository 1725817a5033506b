"""FUNCTIONS: a table from Snowflake's functions to Spark SQL.

A function without an entry goes to Spark unchanged. The query keeps the name, so that the session
can check whether Spark has the function. An entry is a template or a Python function, see `calls`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from icemelt.errors import Never, NotYet, SqlError, SqlSyntaxError
from icemelt.quoting import is_plain_word, quote, text_literal
from icemelt.schema import DecimalType
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.sql.analysis.kinds import is_kind, is_variant, kind_of
from icemelt.sql.spark.arithmetic import DIVISIONS
from icemelt.sql.spark.bags import BAGS
from icemelt.sql.spark.bounds import BOUNDED
from icemelt.sql.spark.calls import Call, Entry, expand, null_if_any
from icemelt.sql.spark.dates import DATES
from icemelt.sql.spark.encodings import ENCODINGS
from icemelt.sql.spark.logic import LOGIC
from icemelt.sql.spark.patterns import PATTERNS
from icemelt.sql.spark.semistructured import SEMISTRUCTURED
from icemelt.sql.spark.sketches import SKETCHES
from icemelt.sql.spark.splitting import SPLITTING
from icemelt.sql.spark.strings import STRINGS
from icemelt.sql.spark.system import SYSTEM
from icemelt.sql.spark.texts import TEXTS

__all__ = ["FUNCTIONS", "USER_ERROR", "count_mentions", "render_call"]

# the most arguments of a call whose mentions are counted, and the size of the cache of counts
_MOST_ARGUMENTS, _CALLS = 32, 4_096

USER_ERROR = "icemelt-user:"

# TO_NUMBER(x, precision, scale)
_MOST_WITHOUT_FORMAT = 3
# words at which Spark begins a query or a clause, not a call
_QUERY_WORDS = frozenset({"FROM", "IDENTIFIER", "SELECT", "TABLE", "VALUES", "WITH"})
_CONTEXT = (
    "CURRENT_DATABASE",
    "CURRENT_SCHEMA",
    "CURRENT_USER",
    "CURRENT_ROLE",
    "CURRENT_SESSION",
    "CURRENT_TRANSACTION",
    "CURRENT_VERSION",
)


def _context(call: Call) -> str:
    call.need(0)
    return call.context(call.name)


def _last_query_id(call: Call) -> str:
    call.need(0, 1)
    number = call.whole(0) if call.arguments else -1
    if number is None:
        call.refuse("the number is not a literal.", "Write LAST_QUERY_ID(-1).")
    return call.context(f"LAST_QUERY_ID({number})")


def _number(word: str) -> Entry:
    """Return an entry for `TO_NUMBER(x [, format] [, precision [, scale]])`."""

    def build(call: Call) -> str:
        call.need(1, 2, 3, 4)
        form = call.text(1)
        if form is None and len(call.arguments) > _MOST_WITHOUT_FORMAT:
            call.refuse("the format is no literal.", f"Write {call.name}(x, '999.99', 5, 2).")
        sizes = [call.whole(at) for at in range(1 if form is None else 2, len(call.arguments))]
        if None in sizes:
            call.refuse("precision and scale are literals.", f"Write {call.name}(x, 10, 2).")
        precision, scale = (*(size or 0 for size in sizes), *(38, 0)[len(sizes) :])
        operand, kind = call.render(call.arguments[0]), kind_of(call.arguments[0])
        if form is not None:
            function = "try_to_number" if word == "TRY_CAST" else "to_number"
            operand, kind = f"{function}({operand}, {call.sql(1)})", DecimalType(38, 0)
        convert = try_convert if word == "TRY_CAST" else convert_value
        return convert(operand, kind, DecimalType(precision, scale))

    return build


def _decode(call: Call) -> str:
    """Return DECODE: NULL equals NULL, as in Spark's `decode` with three and more arguments."""
    if len(call.arguments) < 3:  # noqa: PLR2004 - a subject, a value, a result
        call.need(3, 4)
    return f"decode({call.all()})"


def _array_agg(call: Call) -> str:
    """Return ARRAY_AGG with elements in the order of WITHIN GROUP; both systems leave NULLs out."""
    call.need(1)
    if not call.order:
        return expand(_SORTED if call.distinct else "collect_list({0}){over}", call)
    if call.distinct:
        call.refuse("DISTINCT with an order is not supported.", "Use ARRAY_SORT(ARRAY_AGG(…)).")
    return _in_order(call)


def _listagg(call: Call) -> str:
    """Return LISTAGG, an empty text for no values; both systems leave NULLs out.

    An ordered LISTAGG becomes a sorted array: Spark's `listagg` fails in the optimizer if several
    aggregates with DISTINCT are in the same query.
    """
    call.need(1, 2)
    separator = call.sql(1) if len(call.arguments) > 1 else "''"
    if len(call.arguments) > 1 and not isinstance(call.arguments[1], exp.Null):
        written = call.text(1)
        if written is None or len(written) > _LONGEST_SEPARATOR:
            call.refuse("the separator is not a short literal.", "Write it as a string literal.")
    if call.order and not call.distinct:
        return f"array_join(CAST({_in_order(call)} AS ARRAY<STRING>), {separator})"
    if call.distinct and not call.order and not is_kind(call.arguments[0], "binary"):
        listed = f"collect_list(DISTINCT {call.sql(0)}){call.over}"
        return f"array_join(array_sort(CAST({listed} AS ARRAY<STRING>)), {separator})"
    items = ", ".join(call.render(item) for item in call.order)
    within = f" WITHIN GROUP (ORDER BY {items})" if items else ""
    distinct = "DISTINCT " if call.distinct else ""
    return f"coalesce(listagg({distinct}{call.sql(0)}, {separator}){within}{call.over}, '')"


def _in_order(call: Call) -> str:
    """Return an array of a call's first argument, without NULLs, in the order of WITHIN GROUP."""
    keys = ", ".join(f"'k{at}', {call.render(item.this)}" for at, item in enumerate(call.order))
    pairs = f"collect_list(named_struct({keys}, 'v', {call.sql(0)})){call.over}"
    kept = f"filter({pairs}, x -> x.v IS NOT NULL)"
    compare = "".join(_comparison(at, item) for at, item in enumerate(call.order))
    return f"transform(array_sort({kept}, (l, r) -> CASE{compare} ELSE 0 END), x -> x.v)"


def _comparison(position: int, item: exp.Expr) -> str:
    left, right = f"l.k{position}", f"r.k{position}"
    null_side = -1 if item.args.get("nulls_first") else 1
    lower = 1 if item.args.get("desc") else -1
    return (
        f" WHEN {left} IS NULL AND {right} IS NOT NULL THEN {null_side}"
        f" WHEN {left} IS NOT NULL AND {right} IS NULL THEN {-null_side}"
        f" WHEN {left} < {right} THEN {lower} WHEN {left} > {right} THEN {-lower}"
    )


def _collect_set(call: Call) -> str:
    """Return an array of distinct values, in order; variants have no order."""
    call.need(1)
    return expand("collect_set({0})" if is_variant(call.arguments[0]) else _SET, call)


def _grouping(call: Call) -> str:
    """Return GROUPING with a bit for every key, as in GROUPING_ID."""
    function = "grouping" if len(call.arguments) == 1 else "grouping_id"
    return f"{function}({call.all()})"


def _mode(call: Call) -> str:
    """Return MODE: the least among the most frequent values."""
    if call.distinct:
        call.refuse("of distinct values each is there once.", "Leave DISTINCT out, or use MIN.")
    call.need(1)
    return expand("mode({0})" if is_variant(call.arguments[0]) else "mode({0}, true)", call)


def _order_within_group(entry: Entry) -> Entry:
    """Return an entry for an aggregate with WITHIN GROUP in Spark, too."""

    def build(call: Call) -> str:
        items = ", ".join(call.render(item) for item in call.order)
        within = f" WITHIN GROUP (ORDER BY {items})" if items else ""
        return expand(entry, replace(call, order=(), over=within + call.over))

    return build


def _minimum_by(call: Call) -> str:
    if len(call.arguments) == 3:  # noqa: PLR2004 - the number of values
        call.refuse("several values are not supported.", "Use ARRAY_AGG … WITHIN GROUP.")
    return expand(f"{call.name.lower()}({{0}}, {{1}})", call)


def _not_yet(hint: str) -> Entry:
    return lambda call: call.refuse("it is not supported.", hint)


def _without_options(call: Call) -> str:
    if len(call.arguments) > 1:
        call.refuse("its options are not supported.", f"Write {call.name}(x).")
    return expand(f"{call.name.lower()}({{0}})", call)


def _uniform(call: Call) -> str:
    call.need(3)
    low, high = call.sql(0), call.sql(1)
    if any(kind_of(bound) != kind_of(exp.Literal.number(1)) for bound in call.arguments[:2]):
        return f"({low} + rand() * ({high} - {low}))"
    return f"CAST(floor({low} + rand() * ({high} - {low} + 1)) AS BIGINT)"


# SQL leaves the order open, or the choice among several values: icemelt always chooses alike.
_SET = "array_sort(collect_set({0}){over})"
_SORTED = "array_sort(collect_list({0}){over})"
_RANDOM = "CAST((rand({all}) - 0.5D) * 1.8446744073709552E19D AS BIGINT)"
_LONGEST_SEPARATOR = 1_000

FUNCTIONS: Mapping[str, Entry] = {
    **STRINGS,
    **SPLITTING,
    **ENCODINGS,
    **LOGIC,
    **PATTERNS,
    **DATES,
    **SEMISTRUCTURED,
    **BAGS,
    **TEXTS,
    **DIVISIONS,
    **BOUNDED,
    **SKETCHES,
    # conditions
    "IFF": "if({0}, {1}, {2})",
    **dict.fromkeys(("NVL", "IFNULL"), "coalesce({0}, {1})"),
    "NVL2": "if({0} IS NOT NULL, {1}, {2})",
    "ZEROIFNULL": "coalesce({0}, 0)",
    "NULLIFZERO": "nullif({0}, 0)",
    "DECODE": _decode,
    "EQUAL_NULL": "({0} <=> {1})",
    "GREATEST": null_if_any("greatest"),
    "LEAST": null_if_any("least"),
    "GREATEST_IGNORE_NULLS": "greatest({all})",
    "LEAST_IGNORE_NULLS": "least({all})",
    # numbers
    **dict.fromkeys(("TO_NUMBER", "TO_DECIMAL", "TO_NUMERIC"), _number("CAST")),
    **dict.fromkeys(("TRY_TO_NUMBER", "TRY_TO_DECIMAL", "TRY_TO_NUMERIC"), _number("TRY_CAST")),
    "TO_DOUBLE": "CAST({0} AS DOUBLE)",
    "TRY_TO_DOUBLE": "TRY_CAST({0} AS DOUBLE)",
    "MOD": "({0} % {1})",
    "SIGN": "CAST(sign({0}) AS INT)",
    "SQUARE": "power({0}, 2)",
    **dict.fromkeys(("BITAND", "BIT_AND"), "({0} & {1})"),
    **dict.fromkeys(("BITOR", "BIT_OR"), "({0} | {1})"),
    **dict.fromkeys(("BITXOR", "BIT_XOR"), "({0} ^ {1})"),
    **dict.fromkeys(("BITNOT", "BIT_NOT"), "(~{0})"),
    **dict.fromkeys(
        ("BITSHIFTLEFT", "BIT_SHIFTLEFT"), "shiftleft(CAST({0} AS BIGINT), CAST({1} AS INT))"
    ),
    **dict.fromkeys(
        ("BITSHIFTRIGHT", "BIT_SHIFTRIGHT"), "shiftright(CAST({0} AS BIGINT), CAST({1} AS INT))"
    ),
    "RANDOM": {0: _RANDOM, 1: _RANDOM},
    "UNIFORM": _uniform,
    "NORMAL": "({0} + {1} * randn())",
    "HASH": "xxhash64({all})",
    "HAVERSINE": _not_yet("Write the formula with SIN, COS and ASIN."),
    **dict.fromkeys(("RANDSTR", "ZIPF"), _not_yet("Use UUID_STRING() or UNIFORM.")),
    # aggregates and windows
    "COUNT": "count({all})",
    "COUNT_IF": "count_if({0})",
    "BOOLAND_AGG": "bool_and(CAST({0} AS BOOLEAN))",
    "BOOLOR_AGG": "bool_or(CAST({0} AS BOOLEAN))",
    "BOOLXOR_AGG": "(count_if(CAST({0} AS BOOLEAN)){over} = 1)",
    **dict.fromkeys(("BITAND_AGG", "BITANDAGG", "BIT_AND_AGG"), "bit_and({0})"),
    **dict.fromkeys(("BITOR_AGG", "BITORAGG", "BIT_OR_AGG"), "bit_or({0})"),
    **dict.fromkeys(("BITXOR_AGG", "BITXORAGG", "BIT_XOR_AGG"), "bit_xor({0})"),
    **dict.fromkeys(("LISTAGG", "STRING_AGG"), _listagg),
    "PERCENTILE_CONT": _order_within_group("percentile_cont({0})"),
    "PERCENTILE_DISC": _order_within_group("percentile_disc({0})"),
    **dict.fromkeys(("ARRAY_AGG", "COLLECT_LIST"), _array_agg),
    **dict.fromkeys(("ARRAY_UNIQUE_AGG", "COLLECT_SET"), _collect_set),
    "GROUPING": _grouping,
    "MODE": _mode,
    "HASH_AGG": "bit_xor(xxhash64({all}))",
    **dict.fromkeys(("VARIANCE_SAMP", "VAR_SAMP", "VARIANCE"), "var_samp({0})"),
    "VARIANCE_POP": "var_pop({0})",
    **dict.fromkeys(("MIN_BY", "MAX_BY"), _minimum_by),
    **dict.fromkeys(("KURTOSIS", "SKEW"), _not_yet("Write the formula with AVG and POWER.")),
    "RATIO_TO_REPORT": "({0} / sum({0}){over})",
    "CONDITIONAL_TRUE_EVENT": "count_if({0})",
    "CONDITIONAL_CHANGE_EVENT": _not_yet("Use LAG in a subquery and CONDITIONAL_TRUE_EVENT."),
    # the session
    **dict.fromkeys(_CONTEXT, _context),
    "LAST_QUERY_ID": _last_query_id,
    **SYSTEM,
    # Spark reads a type from a text argument: of any class, with expressions inside the type
    **dict.fromkeys(
        ("FROM_JSON", "FROM_CSV", "VARIANT_GET", "TRY_VARIANT_GET"),
        _not_yet("Write PARSE_JSON(v):a::INT, or PARSE_JSON(v)::OBJECT(a INT)."),
    ),
    # an option of these functions allocates a buffer of the given size
    **dict.fromkeys(("SCHEMA_OF_CSV", "SCHEMA_OF_JSON", "TO_CSV"), _without_options),
    "LAST_TRANSACTION": _not_yet("Use DESC HISTORY."),
    # with a prefix: a user's text must not pass for one of icemelt's own errors
    "RAISE_ERROR": f"raise_error(concat({text_literal(USER_ERROR)}, CAST({{0}} AS STRING)))",
    "ASSERT_TRUE": {
        1: "assert_true({0})",
        2: f"assert_true({{0}}, concat({text_literal(USER_ERROR)}, CAST({{1}} AS STRING)))",
    },
}


def render_call(call: Call) -> str:
    """Return the SQL of a call by the table; unchanged for a function without an entry.

    >>> argument = exp.column("a")
    >>> render_call(Call("ZEROIFNULL", (argument,), lambda node: node.sql(), str))
    'coalesce(a, 0)'
    """
    entry = FUNCTIONS.get(call.name)
    if entry is None:
        if call.name.startswith("SYSTEM$"):
            raise Never(f"The function {call.name} is not supported.", hint="Use SHOW or DESC.")
        if call.name in _QUERY_WORDS:
            raise NotYet(f"{call.name}(…) is no function.", hint="Write names themselves.")
        if not is_plain_word(call.name):
            message = f"The name of a function is a plain word, found {call.name!r}."
            raise SqlSyntaxError(message, hint="Write it of letters, digits and _.")
        # Spark takes no name with $ outside quotes
        name = quote(call.name.lower()) if "$" in call.name else call.name.lower()
        entry = f"{name}({{all}})"
    return expand(entry, call)


@functools.lru_cache(_CALLS)
def count_mentions(name: str, arguments: int) -> int:
    """Return how often a call's SQL mentions an argument, for the most mentioned argument.

    >>> count_mentions("ABS", 1), count_mentions("RATIO_TO_REPORT", 1)
    (1, 2)
    """
    if name not in FUNCTIONS:
        return 1
    if arguments > _MOST_ARGUMENTS:
        return 2
    stand_ins = tuple(exp.column(f"argument_{at}_") for at in range(arguments))
    call = Call(name, stand_ins, lambda node: str(node.name), str)
    try:
        sql = render_call(call)
    except SqlError:
        return 1
    return max([1, *(sql.count(stand_in.name) for stand_in in stand_ins)])
