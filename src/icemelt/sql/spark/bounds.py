"""Bounds on the result of a call: a text of a few words must not fill the memory of the server.

A text has up to 16,777,216 characters, Snowflake's limit, and an array up to 10,000,000 elements.
The test stands inside the argument that gives the amount: Spark computes calls of constants while
planning, also in a branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.errors import ValueRefused
from icemelt.quoting import text_literal
from icemelt.schema import DecimalType, Primitive
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import is_numeric, kind_of
from icemelt.sql.analysis.units import UNITS
from icemelt.sql.spark.arguments import bytes_or_text, has_bytes, integer, long
from icemelt.sql.spark.arguments import text as argument_text
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["BOUNDED", "ELEMENTS", "SHORT", "SIZE_ERROR", "TEXT", "bound_value", "too_much_error"]

TEXT, ELEMENTS = 16_777_216, 10_000_000
# the length of a separator too short to make a text much longer
SHORT = 16
SIZE_ERROR = "icemelt-size:"
_ARRAY_TEXT = 134_217_728
_COMPARED = 1_000_000_000
# digits of a format, a format's length, a formatted text's length
_FORMAT_DIGITS, _FORMAT, _FORMATTED = 100, 16_384, 268_435_456
_LONG_WIDTH = "%[^a-zA-Z%]*[0-9]{5}"
_FIXED = ("boolean", "int", "long", "float", "double", "date", "timestamp", "timestamptz")
_MICROSECONDS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 604_800_000_000,
    "MONTH": 2_419_200_000_000,
    "QUARTER": 7_776_000_000_000,
    "YEAR": 31_536_000_000_000,
}
_INTERVAL_DIGITS = 9


def bound_value(name: str, amount: str, limit: int, value: str) -> str:
    """Return a value, or an error if an amount is over a limit.

    Args:
        name: the function's name, for the error.
        amount: Spark SQL for the amount.
        limit: the greatest allowed amount.
        value: Spark SQL for the value.

    >>> bound_value("SPACE", "`n`", 10, "`n`")
    "if(`n` > 10, raise_error('icemelt-size:SPACE:10'), `n`)"
    """
    error = text_literal(f"{SIZE_ERROR}{name}:{limit}")
    return f"if({amount} > {limit}, raise_error({error}), {value})"


def too_much_error(name: str, limit: int) -> ValueRefused:
    """Return the error for a call whose result is over a limit."""
    return ValueRefused(
        f"{name} makes more than {limit:,} characters or elements.",
        hint="Make less at once; TABLE(GENERATOR(ROWCOUNT => n)) gives many rows.",
    ).with_sqlstate("54000")


def _count(call: Call, position: int, limit: int, amount: str = "") -> str:
    """Return an argument that gives an amount, as an integer within a limit.

    `amount` is Spark SQL for the amount, if the argument itself is not the amount.
    """
    written = call.whole(position)
    if written is not None and not amount:
        if written > limit:
            raise too_much_error(call.name, limit)
        return call.sql(position)
    count = f"CAST({long(call, position)} AS BIGINT)"
    return bound_value(call.name, amount or count, limit, f"CAST({count} AS INT)")


def _length(sql: str) -> str:
    return f"CAST(length(CAST({sql} AS STRING)) AS BIGINT)"


def _repeat(call: Call) -> str:
    call.need(2)
    text, times = call.text(0), call.whole(1)
    if text is not None and times is not None:
        if len(text) * times > TEXT:
            raise too_much_error(call.name, TEXT)
        return f"repeat({call.all()})"

    def bounded_value(value: str) -> str:
        amount = f"{_length(value)} * CAST({long(call, 1)} AS BIGINT)"
        return f"repeat({value}, {_count(call, 1, TEXT, amount)})"

    return evaluate_once(argument_text(call, 0), bounded_value)


def _pad(call: Call) -> str:
    call.need(2, 3)
    has_pad = len(call.arguments) > 2  # noqa: PLR2004 - what fills
    if has_bytes(call) and not has_pad:
        call.refuse("what fills a binary is missing.", f"Write {call.name}(b, 8, X'00').")
    pad = f", {bytes_or_text(call, 2)}" if has_pad else ""
    return f"{call.name.lower()}({bytes_or_text(call, 0)}, {_count(call, 1, TEXT)}{pad})"


def _space(call: Call) -> str:
    call.need(1)
    return f"space({_count(call, 0, TEXT)})"


def _array_repeat(call: Call) -> str:
    call.need(2)
    kind = kind_of(call.arguments[0])
    is_small = isinstance(kind, DecimalType) or (
        isinstance(kind, Primitive) and kind.name in _FIXED
    )
    if is_small:
        return f"array_repeat({call.sql(0)}, {_count(call, 1, ELEMENTS)})"
    times = f"CAST({call.sql(1)} AS BIGINT)"
    # an element counts once for every 13 characters, which bounds all texts together as well
    size = f"CAST(ceil(coalesce({_length(call.sql(0))}, 0) / {_ARRAY_TEXT // ELEMENTS}) AS BIGINT)"
    amount = f"{times} * greatest({size}, 1L)"
    return f"array_repeat({call.sql(0)}, {_count(call, 1, ELEMENTS, amount)})"


def _sequence(call: Call) -> str:
    """Return SEQUENCE within a limit: steps are counted for numbers and for literal intervals."""
    call.need(2, 3)
    start, end = call.sql(0), call.sql(1)
    if len(call.arguments) == 2:  # noqa: PLR2004 - steps of 1, or of a day
        whole, days = _whole_span(call), f"{_span(call)} / {_MICROSECONDS['DAY']}L"
        has_number = any(is_numeric(argument) for argument in call.arguments)
        amount = whole if has_number else f"coalesce({whole}, {days}, 0)"
        return f"sequence({start}, {bound_value(call.name, amount, ELEMENTS, end)})"
    step = call.arguments[2]
    size = _microseconds(step)
    if size is not None:
        amount = f"{_span(call)} / {size}L"
    elif any(is_numeric(argument) for argument in call.arguments):
        amount = f"{_whole_span(call)} / greatest(abs({_whole(call, 2)}), 1)"
    else:
        call.refuse(
            "the step is neither a number nor an interval that is written as one whole number.",
            "Write INTERVAL '1 hour', or CAST(step AS INT).",
        )
    return f"sequence({start}, {bound_value(call.name, amount, ELEMENTS, end)}, {call.sql(2)})"


def _microseconds(step: exp.Expr) -> int | None:
    """Return the least length of a literal interval; None for any other step."""
    while isinstance(step, (exp.Paren, exp.Neg)):
        step = step.this
    if not isinstance(step, exp.Interval) or not isinstance(step.this, exp.Literal):
        return None
    size = _MICROSECONDS.get(UNITS.get(step.text("unit").upper(), ""))
    number = step.this.name.removeprefix("-")
    if size is None or not number.isdecimal() or len(number) > _INTERVAL_DIGITS:
        return None
    return max(int(number), 1) * size


def _span(call: Call) -> str:
    """Return the microseconds between two moments as SQL, NULL if an argument is not a moment."""
    first, last = (
        f"unix_micros(try_cast(CAST({call.sql(at)} AS STRING) AS TIMESTAMP))" for at in (0, 1)
    )
    return f"abs({last} - {first})"


def _whole_span(call: Call) -> str:
    return f"abs({_whole(call, 1)} - {_whole(call, 0)})"


def _whole(call: Call, position: int) -> str:
    """Return an argument as a whole number in SQL, NULL if the argument is not a number."""
    sql = call.sql(position)
    if is_numeric(call.arguments[position]):
        return f"CAST({sql} AS DECIMAL(38,0))"
    return f"try_cast(CAST({sql} AS STRING) AS DECIMAL(38,0))"


def _format_number(call: Call) -> str:
    call.need(2)
    if call.text(1) is not None:
        return f"format_number({call.all()})"
    if is_numeric(call.arguments[1]):
        return f"format_number({call.sql(0)}, {_count(call, 1, _FORMAT_DIGITS)})"
    amount = f"coalesce(try_cast(CAST({call.sql(1)} AS STRING) AS BIGINT), 0)"
    bounded_value = bound_value(call.name, amount, _FORMAT_DIGITS, call.sql(1))
    return f"format_number({call.sql(0)}, {bounded_value})"


def _format_string(call: Call) -> str:
    """Return FORMAT_STRING with widths up to four digits, and a bound on the text's length.

    The bound is the length that all arguments and conversions can give together.
    """
    if not call.arguments:
        call.need(1, 2)
    form, *values = (call.sql(at) for at in range(len(call.arguments)))
    return evaluate_once(form, lambda text: _format_checked(call.name, text, values))


def _format_checked(name: str, form: str, values: list[str]) -> str:
    wide = f"CAST({form} RLIKE '{_LONG_WIDTH}' AS BIGINT) * {_FORMATTED + 1}L"
    lengths = [f"coalesce({_length(value)}, 0L)" for value in values]
    total = f"{_length(form)} * ({' + '.join(['1L', *lengths])})"
    long = f"if({_length(form)} > {_FORMAT}, {_FORMATTED + 1}L, 0L)"
    amount = f"{total} + {wide} + {long}"
    bounded_value = bound_value(name, amount, _FORMATTED, form)
    return f"{name.lower()}({', '.join([bounded_value, *values])})"


def _replace(call: Call) -> str:
    call.need(2, 3)
    if len(call.arguments) == 2:  # noqa: PLR2004 - nothing is put in
        return f"replace({argument_text(call, 0)}, {argument_text(call, 1)}, '')"
    old, new = call.text(1), call.text(2)
    value, part, other = (argument_text(call, at) for at in range(3))
    if old is not None and new is not None and len(new) <= max(len(old), 1):
        return f"replace({value}, {part}, {other})"
    return evaluate_once(value, lambda text: _replace_checked(call.name, text, part, other))


def _replace_checked(name: str, text: str, part: str, other: str) -> str:
    most = f"{_length(text)} * {_length(other)} > {TEXT}"
    removed = f"{_length(text)} - {_length(f'replace({text}, {part}, {_EMPTY})')}"
    result_size = (
        f"({removed}) / greatest({_length(part)}, 1L) * {_length(other)} + {_length(text)}"
    )
    bounded_value = bound_value(name, f"if({most}, {result_size}, 0D)", TEXT, other)
    return f"replace({text}, {part}, {bounded_value})"


def _array_join(call: Call) -> str:
    call.need(2, 3)
    separator = call.text(1)
    bounded_value = call.sql(1)
    if separator is None or len(separator) > SHORT:
        amount = f"CAST(size({call.sql(0)}) AS BIGINT) * {_length(bounded_value)}"
        bounded_value = bound_value(call.name, amount, TEXT, bounded_value)
    null = f", {call.sql(2)}" if len(call.arguments) > 2 else ""  # noqa: PLR2004
    return f"array_join({call.sql(0)}, {bounded_value}{null})"


def _compared(call: Call) -> tuple[str, str]:
    """Return two texts that are compared, within a bound on pairs of characters.

    Spark hears no cancel during the comparison.
    """
    left, right = (argument_text(call, at) for at in range(2))
    return left, bound_value(call.name, f"{_length(left)} * {_length(right)}", _COMPARED, right)


def _distance(call: Call) -> str:
    """Return the edit distance of texts, or the maximum if the distance is longer.

    Spark's LEVENSHTEIN stays: the distance is -1 if the distance is longer than the maximum.
    """
    call.need(2, 3)
    left, right = _compared(call)
    if len(call.arguments) == 2:  # noqa: PLR2004 - no maximum
        return f"levenshtein({left}, {right})"
    if call.name == "LEVENSHTEIN":
        return f"levenshtein({left}, {right}, {integer(call, 2)})"

    def within(most: str) -> str:
        return f"coalesce(nullif(levenshtein({left}, {right}, {most}), -1), greatest({most}, 0))"

    most = integer(call, 2)
    nulls = " OR ".join(f"{each} IS NULL" for each in (left, argument_text(call, 1), most))
    return evaluate_once(most, lambda most: f"if({nulls}, NULL, {within(most)})")


def _similarity(call: Call) -> str:
    call.need(2)
    left, right = _compared(call)
    return f"icemelt_similarity({left}, {right})"


def _random_text(call: Call) -> str:
    call.need(2)
    return f"icemelt_random_text({_count(call, 0, TEXT)}, {long(call, 1)})"


_EMPTY = "''"

BOUNDED: Mapping[str, Entry] = {
    "REPEAT": _repeat,
    **dict.fromkeys(("LPAD", "RPAD"), _pad),
    "SPACE": _space,
    "ARRAY_REPEAT": _array_repeat,
    "SEQUENCE": _sequence,
    "FORMAT_NUMBER": _format_number,
    **dict.fromkeys(("FORMAT_STRING", "PRINTF"), _format_string),
    "REPLACE": _replace,
    "ARRAY_JOIN": _array_join,
    **dict.fromkeys(("EDITDISTANCE", "LEVENSHTEIN"), _distance),
    "JAROWINKLER_SIMILARITY": _similarity,
    "RANDSTR": _random_text,
}
