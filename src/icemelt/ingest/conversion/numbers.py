"""Conversion to numbers: exact if the type is exact, rounded half away from zero to the scale."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import (
    EXACT_IN_DOUBLE,
    Kind,
    iterate,
    kind_of,
    text_of,
    trim_texts,
)
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.converted_array import ConvertedArray, reject_all
from icemelt.schema import DecimalType, Primitive, sql_type

__all__ = ["convert_decimals", "convert_floats", "convert_integers"]

# No type can store a number with an exponent of more digits.
_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?"
_FLOAT = rf"(?i)^([+-]?(inf|infinity|nan)|{_NUMBER})$"
_WHOLE = DecimalType(38, 0)
_LIMITS = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}
_SAFE_DIGITS = {"int": 9, "long": 18}
# The digits of decimal128: Arrow rounds wider decimals wrongly.
_MOST_DIGITS = 38
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_UP)


def convert_integers(array: Any, data_type: Primitive) -> ConvertedArray:
    """Convert values to whole numbers; fractions are rounded.

    >>> convert_integers(
    ...     pa.array(["1.5", "-2.5", " 7 ", "1e3"]), Primitive("int")
    ... ).values.to_pylist()
    [2, -3, 7, 1000]
    """
    low, high = _LIMITS[data_type.name]
    beyond = f"{sql_type(data_type)} takes whole numbers from {low} to {high}"
    match kind_of(array):
        case Kind.INTEGER:
            return _narrow(ConvertedArray(array), array, data_type, beyond)
        case Kind.FLOAT:
            converted = _whole_floats(array, beyond, sql_type(data_type))
        case Kind.DECIMAL:
            converted = _fit(array, _WHOLE, beyond)
        case Kind.STRING:
            return _whole_texts(array, data_type, beyond)
        case _:
            return reject_all(array, arrow_type(data_type), _expectation(sql_type(data_type)))
    return _narrow(converted, array, data_type, beyond)


def convert_decimals(array: Any, data_type: DecimalType) -> ConvertedArray:
    """Convert values to a decimal type; digits beyond the scale are rounded.

    >>> convert_decimals(pa.array([2.675, 1.005]), DecimalType(5, 2)).values.to_pylist()
    [Decimal('2.68'), Decimal('1.01')]
    """
    beyond = _beyond(data_type)
    match kind_of(array):
        case Kind.INTEGER:
            return _fit(array.cast(pa.decimal128(20, 0)), data_type, beyond, source=array)
        case Kind.FLOAT:
            converted = ConvertedArray(array).reject(
                _infinite(array), array, _expectation(sql_type(data_type))
            )
            texts = _decimal_texts(text_of(converted.values), data_type, beyond, source=array)
            return ConvertedArray(texts.values, converted.errors + texts.errors)
        case Kind.DECIMAL:
            return _fit(array, data_type, beyond)
        case Kind.STRING:
            return _decimal_texts(trim_texts(array), data_type, beyond, source=array)
        case _:
            return reject_all(array, arrow_type(data_type), _expectation(sql_type(data_type)))


def convert_floats(array: Any, data_type: Primitive) -> ConvertedArray:
    """Convert values to a floating-point type: to the nearest number of the type.

    >>> convert_floats(pa.array(["1e3", "-inf", "nan"]), Primitive("double")).values.to_pylist()
    [1000.0, -inf, nan]
    """
    expected = _expectation(sql_type(data_type))
    match kind_of(array):
        case Kind.INTEGER:
            converted = ConvertedArray(array.cast(pa.float64(), safe=False))
        case Kind.FLOAT:
            if array.type == arrow_type(data_type):
                return ConvertedArray(array)
            converted = ConvertedArray(array.cast(pa.float64()))
        case Kind.DECIMAL:
            # through text: Arrow's own cast is not always the nearest double
            converted = ConvertedArray(array.cast(pa.string()).cast(pa.float64()))
        case Kind.STRING:
            converted = _float_texts(array, expected, sql_type(data_type))
        case _:
            return reject_all(array, arrow_type(data_type), expected)
    if data_type.name == "double":
        return converted
    small = converted.values.cast(pa.float32(), safe=False)
    lost = pc.and_(pc.is_inf(small), pc.is_finite(converted.values))
    return converted.with_values(small).reject(lost, array, "FLOAT takes numbers up to 3.4e38")


def _expectation(name: str) -> str:
    return f"{name} takes numbers and their text"


def _beyond(data_type: DecimalType) -> str:
    digits = data_type.precision - data_type.scale
    return f"{sql_type(data_type)} takes numbers of at most {digits} digits before the point"


def _infinite(array: Any) -> Any:
    return pc.invert(pc.is_finite(array))


def _narrow(
    converted: ConvertedArray, source: Any, data_type: Primitive, expected: str
) -> ConvertedArray:
    """Cast whole numbers of any type to 32 or 64 bits."""
    target = arrow_type(data_type)
    kind = converted.values.type
    if kind == target:
        return converted
    low, high = _LIMITS[data_type.name]
    if pa.types.is_integer(kind):
        if kind.bit_width < target.bit_width:
            return converted.with_values(converted.values.cast(target))
        bad = pc.greater(converted.values, pa.scalar(high, kind))
        if pa.types.is_signed_integer(kind):
            bad = pc.or_(bad, pc.less(converted.values, pa.scalar(low, kind)))
    else:
        limits = [pa.scalar(Decimal(limit), kind) for limit in (low, high)]
        bad = pc.or_(pc.less(converted.values, limits[0]), pc.greater(converted.values, limits[1]))
    kept = converted.reject(bad, source, expected)
    return kept.with_values(kept.values.cast(target))


def _whole_floats(array: Any, beyond: str, name: str) -> ConvertedArray:
    converted = ConvertedArray(array).reject(_infinite(array), array, _expectation(name))
    small = pc.less(pc.abs(converted.values), pa.scalar(float(EXACT_IN_DOUBLE), array.type))
    near = pc.round(pc.if_else(small, converted.values, None), 0, "half_towards_infinity")
    whole = near.cast(pa.int64())
    if pc.all(small).as_py():
        return converted.with_values(whole)
    texts = text_of(pc.if_else(small, None, converted.values))
    large = _decimal_texts(texts, _WHOLE, beyond, source=array)
    wide = whole.cast(pa.decimal128(19, 0)).cast(pa.decimal128(38, 0))
    return ConvertedArray(pc.coalesce(wide, large.values), converted.errors + large.errors)


def _whole_texts(array: Any, data_type: Primitive, beyond: str) -> ConvertedArray:
    texts = trim_texts(array)
    target = arrow_type(data_type)
    simple = _matches(texts, rf"^-?[0-9]{{1,{_SAFE_DIGITS[data_type.name]}}}$")
    if pc.all(simple).as_py():
        return ConvertedArray(texts.cast(target))
    easy = pc.if_else(simple, texts, None).cast(target)
    rest = pc.if_else(simple, None, texts)
    converted = _decimal_texts(rest, _WHOLE, beyond, source=array, name=sql_type(data_type))
    converted = _narrow(converted, array, data_type, beyond)
    return converted.with_values(pc.coalesce(easy, converted.values))


def _float_texts(array: Any, expected: str, name: str) -> ConvertedArray:
    texts = trim_texts(array)
    converted = ConvertedArray(texts).reject(pc.invert(_matches(texts, _FLOAT)), array, expected)
    numbers = converted.values.cast(pa.float64())
    infinite = pc.is_inf(numbers)
    if not pc.any(infinite).as_py():
        return converted.with_values(numbers)
    lost = pc.and_(infinite, _matches(converted.values, r"^[^iI]*$"))
    return converted.with_values(numbers).reject(lost, array, f"{name} takes numbers up to 1.8e308")


def _fit(array: Any, data_type: DecimalType, beyond: str, *, source: Any = None) -> ConvertedArray:
    """Round decimals to a scale; numbers too large for the precision are refused."""
    source = array if source is None else source
    target, kind = arrow_type(data_type), array.type
    if kind == target:
        return ConvertedArray(array)
    if kind.bit_width > target.bit_width or kind.scale >= _MOST_DIGITS:
        return _decimal_texts(text_of(array), data_type, beyond, source=source)
    digits = data_type.precision - data_type.scale
    if kind.scale <= data_type.scale and kind.precision - kind.scale <= digits:
        return ConvertedArray(array.cast(target))
    converted = _below(
        ConvertedArray(array.cast(pa.decimal128(38, kind.scale))), digits, source, beyond
    )
    if kind.scale <= data_type.scale:
        return converted.with_values(converted.values.cast(target))
    # a number that rounding may lengthen beyond 38 digits is rounded alone
    small = _is_below(converted.values, 37 - kind.scale)
    near = pc.if_else(small, converted.values, None)
    rounded = pc.round(near, data_type.scale, "half_towards_infinity")
    fit = _below(ConvertedArray(rounded), digits, source, beyond)
    large = text_of(pc.if_else(small, None, converted.values))
    rest = _one_by_one(large, data_type, beyond, source)
    values = pc.coalesce(fit.values.cast(target), rest.values)
    return ConvertedArray(values, converted.errors + fit.errors + rest.errors)


def _below(converted: ConvertedArray, digits: int, source: Any, beyond: str) -> ConvertedArray:
    return converted.reject(pc.invert(_is_below(converted.values, digits)), source, beyond)


def _is_below(values: Any, digits: int) -> Any:
    """Tell which decimals of 38 digits have at most `digits` digits before the point."""
    if digits + values.type.scale >= _MOST_DIGITS:
        return pc.or_kleene(pc.is_valid(values), True)  # noqa: FBT003 - Arrow's own
    if digits + values.type.scale < 0:
        return pc.is_null(values)
    return pc.less(pc.abs(values), pa.scalar(Decimal(10) ** digits, values.type))


def _decimal_texts(
    texts: Any, data_type: DecimalType, beyond: str, *, source: Any, name: str = ""
) -> ConvertedArray:
    """Read trimmed texts as decimals.

    Texts of few digits are read at once, long texts with 38 digits, texts with exponents one by
    one.
    """
    target = arrow_type(data_type)
    digits, scale = data_type.precision - data_type.scale, data_type.scale
    whole = rf"[0-9]{{1,{digits}}}" if digits else "0"
    simple = _matches(texts, rf"^[+-]?{whole}(\.[0-9]{{0,{scale}}})?$")
    if pc.all(simple).as_py():
        return ConvertedArray(texts.cast(target))
    easy = pc.if_else(simple, texts, None).cast(target)
    rest = pc.if_else(simple, None, texts)
    expected = _expectation(name or sql_type(data_type))
    bad = pc.invert(_matches(rest, f"^{_NUMBER}$"))
    converted = ConvertedArray(rest).reject(bad, source, expected)
    plain, numbers = _without_exponents(converted.values, scale)
    wide = _fit(numbers, data_type, beyond, source=source)
    hard = _one_by_one(pc.if_else(plain, None, converted.values), data_type, beyond, source)
    values = pc.coalesce(easy, wide.values, hard.values)
    return ConvertedArray(values, converted.errors + wide.errors + hard.errors)


def _without_exponents(texts: Any, scale: int) -> tuple[Any, Any]:
    """Tell which texts are short enough for 38 digits, and read the short texts.

    Digits without an effect on rounding are cut.
    """
    # room for the digit that is rounded, and for a digit that rounding adds
    room = _MOST_DIGITS - scale - 2
    if room < 1:
        return pc.is_null(texts), pa.nulls(len(texts), pa.decimal128(_MOST_DIGITS, 0))
    plain = _matches(texts, rf"^[+-]?0*[0-9]{{0,{room}}}(\.[0-9]*)?$")
    digits = pc.if_else(plain, texts, None)
    digits = pc.replace_substring_regex(digits, r"^([+-]?)0+([0-9])", r"\1\2")
    seen = pc.replace_substring_regex(digits, rf"(\.[0-9]{{{scale + 1}}})[0-9]+$", r"\1")
    return plain, seen.cast(pa.decimal128(_MOST_DIGITS, scale + 1))


def _one_by_one(texts: Any, data_type: DecimalType, beyond: str, source: Any) -> ConvertedArray:
    """Read texts that Arrow's cast would refuse as a whole array: with exponents, or very long."""
    target = arrow_type(data_type)
    if texts.null_count == len(texts):
        return ConvertedArray(pa.nulls(len(texts), target))
    numbers = [_round(text, data_type) for text in iterate(texts)]
    values = pa.array(numbers, target)
    lost = pc.and_(pc.is_null(values), pc.is_valid(texts))
    return ConvertedArray(values).reject(lost, source, beyond)


def _round(text: str | None, data_type: DecimalType) -> Decimal | None:
    """Return the number of a text at a type's scale, None if the number has too many digits."""
    if text is None:
        return None
    number = Decimal(text)
    digits = data_type.precision - data_type.scale
    if not number or number.adjusted() < -data_type.scale - 1:
        return Decimal(0)
    if number.adjusted() >= digits:
        return None
    rounded = number.quantize(Decimal(1).scaleb(-data_type.scale), context=_CONTEXT)
    return rounded if rounded.is_zero() or rounded.adjusted() < digits else None


def _matches(texts: Any, pattern: str) -> Any:
    return pc.match_substring_regex(texts, pattern)
