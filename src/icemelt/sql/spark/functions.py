"""FUNCTIONS: a table from Snowflake's functions to Spark SQL.

A function without an entry goes to Spark unchanged. The query keeps the name, so that the session
can check whether Spark has the function. An entry is a template or a Python function, see `calls`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from sqlglot import exp

from icemelt.errors import Never, NotYet, SqlError, SqlSyntaxError
from icemelt.quoting import is_plain_word, quote, text_literal
from icemelt.sql.analysis.volatile import SEQUENCES
from icemelt.sql.spark.aggregates import AGGREGATE_FUNCTIONS
from icemelt.sql.spark.arithmetic import DIVISIONS
from icemelt.sql.spark.arrays import ARRAYS
from icemelt.sql.spark.bags import BAGS
from icemelt.sql.spark.bounds import BOUNDED
from icemelt.sql.spark.calls import Call, Entry, expand, null_if_any
from icemelt.sql.spark.clocks import CLOCKS
from icemelt.sql.spark.context import CONTEXT
from icemelt.sql.spark.dates import DATES
from icemelt.sql.spark.encodings import ENCODINGS
from icemelt.sql.spark.hashes import HASHES
from icemelt.sql.spark.logic import LOGIC
from icemelt.sql.spark.maps import MAPS
from icemelt.sql.spark.number_conversions import NUMBER_CONVERSIONS
from icemelt.sql.spark.numbers import NUMBERS
from icemelt.sql.spark.patterns import PATTERNS
from icemelt.sql.spark.positions import POSITIONS
from icemelt.sql.spark.refused import REFUSED, refuse_family
from icemelt.sql.spark.rounding import ROUNDING
from icemelt.sql.spark.semistructured import SEMISTRUCTURED
from icemelt.sql.spark.sketches import SKETCHES
from icemelt.sql.spark.splitting import SPLITTING
from icemelt.sql.spark.strings import STRINGS
from icemelt.sql.spark.system import SYSTEM
from icemelt.sql.spark.texts import TEXTS
from icemelt.sql.spark.variant_types import VARIANT_TYPES

__all__ = ["FUNCTIONS", "USER_ERROR", "count_mentions", "render_call"]

# the most arguments of a call whose mentions are counted, and the size of the cache of counts
_MOST_ARGUMENTS, _CALLS = 32, 4_096

USER_ERROR = "icemelt-user:"

# words at which Spark begins a query or a clause, not a call
_QUERY_WORDS = frozenset({"FROM", "IDENTIFIER", "SELECT", "TABLE", "VALUES", "WITH"})


def _decode(call: Call) -> str:
    """Return DECODE: NULL equals NULL, as in Spark's `decode` with three and more arguments."""
    if len(call.arguments) < 3:  # noqa: PLR2004 - a subject, a value, a result
        call.need(3, 4)
    return f"decode({call.all()})"


def _not_yet(hint: str) -> Entry:
    return lambda call: call.refuse("it is not supported.", hint)


def _without_options(call: Call) -> str:
    if len(call.arguments) > 1:
        call.refuse("its options are not supported.", f"Write {call.name}(x).")
    return expand(f"{call.name.lower()}({{0}})", call)


_RANDOM = "CAST((rand({all}) - 0.5D) * 1.8446744073709552E19D AS BIGINT)"

FUNCTIONS: Mapping[str, Entry] = {
    **STRINGS,
    **POSITIONS,
    **NUMBERS,
    **ROUNDING,
    **SPLITTING,
    **ENCODINGS,
    **LOGIC,
    **PATTERNS,
    **NUMBER_CONVERSIONS,
    **DATES,
    **CLOCKS,
    **SEMISTRUCTURED,
    **BAGS,
    **ARRAYS,
    **MAPS,
    **VARIANT_TYPES,
    **TEXTS,
    **DIVISIONS,
    **BOUNDED,
    **SKETCHES,
    **HASHES,
    # icemelt's own, which `variant_keys` writes
    "ICEMELT_VARIANT_KEY": "icemelt_variant_key({0})",
    "ICEMELT_VARIANT_OF_KEY": "icemelt_variant_of_key({0})",
    "ICEMELT_VARIANT_TYPED_KEY": "icemelt_variant_typed_key({0})",
    "ICEMELT_VARIANT_DOUBLES": "icemelt_variant_doubles({0})",
    "ICEMELT_VARIANT_TYPED": "icemelt_variant_typed({0}, {1})",
    **AGGREGATE_FUNCTIONS,
    **REFUSED,
    # conditions
    "IFF": "if({0}, {1}, {2})",
    **dict.fromkeys(("NVL", "IFNULL"), "coalesce({0}, {1})"),
    "NVL2": "if({0} IS NOT NULL, {1}, {2})",
    "ZEROIFNULL": "coalesce({0}, 0)",
    "NULLIFZERO": "nullif({0}, 0)",
    "REGR_VALX": "if({0} IS NULL, NULL, {1})",
    "REGR_VALY": "if({1} IS NULL, NULL, {0})",
    "DECODE": _decode,
    "EQUAL_NULL": "({0} <=> {1})",
    "GREATEST": null_if_any("greatest"),
    "LEAST": null_if_any("least"),
    "GREATEST_IGNORE_NULLS": "greatest({all})",
    "LEAST_IGNORE_NULLS": "least({all})",
    # numbers
    "MOD": "({0} % {1})",
    "SIGN": "CAST(sign({0}) AS INT)",
    "RANDOM": {0: _RANDOM, 1: _RANDOM},
    "ZIPF": _not_yet("Use UNIFORM."),
    **dict.fromkeys(
        sorted(SEQUENCES), _not_yet("Select FROM TABLE(GENERATOR(ROWCOUNT => n)), or ROW_NUMBER().")
    ),
    "PARSE_IP": _not_yet("Use SPLIT_PART(address, '.', 1)."),
    **dict.fromkeys(
        ("COMPRESS", "DECOMPRESS_BINARY", "DECOMPRESS_STRING"),
        _not_yet("Compress the values where they are made; Parquet files are compressed."),
    ),
    "MD5_NUMBER": _not_yet("Use MD5_NUMBER_UPPER64 and MD5_NUMBER_LOWER64."),
    **CONTEXT,
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
        refuse_family(call.name)
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
