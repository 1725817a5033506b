"""Conversion to numbers: exact if the type is exact, rounded half away from zero to the scale."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import EXACT_IN_DOUBLE, Kind, kind_of, text_of, trimmed
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.refusals import Taken, refused
from icemelt.schema import DecimalType, Primitive, display

__all__ = ["decimals", "floats", "integers"]

# An exponent of more digits is of no number that anything can keep.
_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?"
_FLOAT = rf"(?i)^([+-]?(inf|infinity|nan)|{_NUMBER})$"
_WHOLE = DecimalType(38, 0)
_LIMITS = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}
_SAFE_DIGITS = {"int": 9, "long": 18}
# Of decimal128, in which all is reckoned: Arrow does not round wider ones rightly.
_MOST_DIGITS = 38
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_UP)


def integers(array: Any, data_type: Primitive) -> Taken:
    """Convert values to whole numbers; fractions are rounded.

    >>> integers(pa.array(["1.5", "-2.5", " 7 ", "1e3"]), Primitive("int")).values.to_pylist()
    [2, -3, 7, 1000]
    """
    low, high = _LIMITS[data_type.name]
    beyond = f"{display(data_type)} takes whole numbers from {low} to {high}"
    match kind_of(array):
        case Kind.INTEGER:
            return _narrowed(Taken(array), array, data_type, beyond)
        case Kind.FLOAT:
            taken = _whole_floats(array, beyond, display(data_type))
        case Kind.DECIMAL:
            taken = _fitted(array, _WHOLE, beyond)
        case Kind.STRING:
            return _whole_texts(array, data_type, beyond)
        case _:
            return refused(array, arrow_type(data_type), _expected(display(data_type)))
    return _narrowed(taken, array, data_type, beyond)


def decimals(array: Any, data_type: DecimalType) -> Taken:
    """Convert values to a decimal type; digits beyond the scale are rounded.

    >>> decimals(pa.array([2.675, 1.005]), DecimalType(5, 2)).values.to_pylist()
    [Decimal('2.68'), Decimal('1.01')]
    """
    beyond = _beyond(data_type)
    match kind_of(array):
        case Kind.INTEGER:
            return _fitted(array.cast(pa.decimal128(20, 0)), data_type, beyond, source=array)
        case Kind.FLOAT:
            taken = Taken(array).without(_infinite(array), array, _expected(display(data_type)))
            texts = _decimal_texts(text_of(taken.values), data_type, beyond, source=array)
            return Taken(texts.values, taken.refusals + texts.refusals)
        case Kind.DECIMAL:
            return _fitted(array, data_type, beyond)
        case Kind.STRING:
            return _decimal_texts(trimmed(array), data_type, beyond, source=array)
        case _:
            return refused(array, arrow_type(data_type), _expected(display(data_type)))


def floats(array: Any, data_type: Primitive) -> Taken:
    """Convert values to a floating-point type: to the nearest number of the type.

    >>> floats(pa.array(["1e3", "-inf", "nan"]), Primitive("double")).values.to_pylist()
    [1000.0, -inf, nan]
    """
    expected = _expected(display(data_type))
    match kind_of(array):
        case Kind.INTEGER:
            taken = Taken(array.cast(pa.float64(), safe=False))
        case Kind.FLOAT:
            if array.type == arrow_type(data_type):
                return Taken(array)
            taken = Taken(array.cast(pa.float64()))
        case Kind.DECIMAL:
            # through text: Arrow's own cast is not always the nearest double
            taken = Taken(array.cast(pa.string()).cast(pa.float64()))
        case Kind.STRING:
            taken = _float_texts(array, expected, display(data_type))
        case _:
            return refused(array, arrow_type(data_type), expected)
    if data_type.name == "double":
        return taken
    small = taken.values.cast(pa.float32(), safe=False)
    lost = pc.and_(pc.is_inf(small), pc.is_finite(taken.values))
    return taken.holding(small).without(lost, array, "FLOAT takes numbers up to 3.4e38")


def _expected(name: str) -> str:
    return f"{name} takes numbers and their text"


def _beyond(data_type: DecimalType) -> str:
    digits = data_type.precision - data_type.scale
    return f"{display(data_type)} takes numbers of at most {digits} digits before the point"


def _infinite(array: Any) -> Any:
    return pc.invert(pc.is_finite(array))


def _narrowed(taken: Taken, source: Any, data_type: Primitive, expected: str) -> Taken:
    """Cast whole numbers of any type to 32 or 64 bits."""
    target = arrow_type(data_type)
    found = taken.values.type
    if found == target:
        return taken
    low, high = _LIMITS[data_type.name]
    if pa.types.is_integer(found):
        if found.bit_width < target.bit_width:
            return taken.holding(taken.values.cast(target))
        bad = pc.greater(taken.values, pa.scalar(high, found))
        if pa.types.is_signed_integer(found):
            bad = pc.or_(bad, pc.less(taken.values, pa.scalar(low, found)))
    else:
        limits = [pa.scalar(Decimal(each), found) for each in (low, high)]
        bad = pc.or_(pc.less(taken.values, limits[0]), pc.greater(taken.values, limits[1]))
    kept = taken.without(bad, source, expected)
    return kept.holding(kept.values.cast(target))


def _whole_floats(array: Any, beyond: str, name: str) -> Taken:
    taken = Taken(array).without(_infinite(array), array, _expected(name))
    small = pc.less(pc.abs(taken.values), pa.scalar(float(EXACT_IN_DOUBLE), array.type))
    near = pc.round(pc.if_else(small, taken.values, None), 0, "half_towards_infinity")
    whole = near.cast(pa.int64())
    if pc.all(small).as_py():
        return taken.holding(whole)
    texts = text_of(pc.if_else(small, None, taken.values))
    large = _decimal_texts(texts, _WHOLE, beyond, source=array)
    wide = whole.cast(pa.decimal128(19, 0)).cast(pa.decimal128(38, 0))
    return Taken(pc.coalesce(wide, large.values), taken.refusals + large.refusals)


def _whole_texts(array: Any, data_type: Primitive, beyond: str) -> Taken:
    texts = trimmed(array)
    target = arrow_type(data_type)
    simple = _matches(texts, rf"^-?[0-9]{{1,{_SAFE_DIGITS[data_type.name]}}}$")
    if pc.all(simple).as_py():
        return Taken(texts.cast(target))
    easy = pc.if_else(simple, texts, None).cast(target)
    rest = pc.if_else(simple, None, texts)
    taken = _decimal_texts(rest, _WHOLE, beyond, source=array, name=display(data_type))
    taken = _narrowed(taken, array, data_type, beyond)
    return taken.holding(pc.coalesce(easy, taken.values))


def _float_texts(array: Any, expected: str, name: str) -> Taken:
    texts = trimmed(array)
    taken = Taken(texts).without(pc.invert(_matches(texts, _FLOAT)), array, expected)
    numbers = taken.values.cast(pa.float64())
    infinite = pc.is_inf(numbers)
    if not pc.any(infinite).as_py():
        return taken.holding(numbers)
    lost = pc.and_(infinite, _matches(taken.values, r"^[^iI]*$"))
    return taken.holding(numbers).without(lost, array, f"{name} takes numbers up to 1.8e308")


def _fitted(array: Any, data_type: DecimalType, beyond: str, *, source: Any = None) -> Taken:
    """Round decimals to a scale; numbers too large for the precision are refused."""
    source = array if source is None else source
    target, found = arrow_type(data_type), array.type
    if found == target:
        return Taken(array)
    if found.bit_width > target.bit_width or found.scale >= _MOST_DIGITS:
        return _decimal_texts(text_of(array), data_type, beyond, source=source)
    digits = data_type.precision - data_type.scale
    if found.scale <= data_type.scale and found.precision - found.scale <= digits:
        return Taken(array.cast(target))
    taken = _below(Taken(array.cast(pa.decimal128(38, found.scale))), digits, source, beyond)
    if found.scale <= data_type.scale:
        return taken.holding(taken.values.cast(target))
    # what may take a digit more than there are is rounded one by one
    small = _is_below(taken.values, 37 - found.scale)
    near = pc.if_else(small, taken.values, None)
    rounded = pc.round(near, data_type.scale, "half_towards_infinity")
    fit = _below(Taken(rounded), digits, source, beyond)
    large = text_of(pc.if_else(small, None, taken.values))
    rest = _one_by_one(large, data_type, beyond, source)
    values = pc.coalesce(fit.values.cast(target), rest.values)
    return Taken(values, taken.refusals + fit.refusals + rest.refusals)


def _below(taken: Taken, digits: int, source: Any, beyond: str) -> Taken:
    return taken.without(pc.invert(_is_below(taken.values, digits)), source, beyond)


def _is_below(values: Any, digits: int) -> Any:
    """Tell which decimals of 38 digits have at most `digits` digits before the point."""
    if digits + values.type.scale >= _MOST_DIGITS:
        return pc.or_kleene(pc.is_valid(values), True)  # noqa: FBT003 - Arrow's own
    if digits + values.type.scale < 0:
        return pc.is_null(values)
    return pc.less(pc.abs(values), pa.scalar(Decimal(10) ** digits, values.type))


def _decimal_texts(
    texts: Any, data_type: DecimalType, beyond: str, *, source: Any, name: str = ""
) -> Taken:
    """Read trimmed texts as decimals.

    Texts of few digits are read at once, long texts with 38 digits, texts with exponents one by
    one.
    """
    target = arrow_type(data_type)
    digits, scale = data_type.precision - data_type.scale, data_type.scale
    whole = rf"[0-9]{{1,{digits}}}" if digits else "0"
    simple = _matches(texts, rf"^[+-]?{whole}(\.[0-9]{{0,{scale}}})?$")
    if pc.all(simple).as_py():
        return Taken(texts.cast(target))
    easy = pc.if_else(simple, texts, None).cast(target)
    rest = pc.if_else(simple, None, texts)
    expected = _expected(name or display(data_type))
    bad = pc.invert(_matches(rest, f"^{_NUMBER}$"))
    taken = Taken(rest).without(bad, source, expected)
    plain, numbers = _without_exponents(taken.values, scale)
    wide = _fitted(numbers, data_type, beyond, source=source)
    hard = _one_by_one(pc.if_else(plain, None, taken.values), data_type, beyond, source)
    values = pc.coalesce(easy, wide.values, hard.values)
    return Taken(values, taken.refusals + wide.refusals + hard.refusals)


def _without_exponents(texts: Any, scale: int) -> tuple[Any, Any]:
    """Tell which texts are short enough for 38 digits, and read the short texts.

    Digits without an effect on rounding are cut.
    """
    # one for the digit that is rounded, one for what rounding adds
    room = _MOST_DIGITS - scale - 2
    if room < 1:
        return pc.is_null(texts), pa.nulls(len(texts), pa.decimal128(_MOST_DIGITS, 0))
    plain = _matches(texts, rf"^[+-]?0*[0-9]{{0,{room}}}(\.[0-9]*)?$")
    found = pc.if_else(plain, texts, None)
    found = pc.replace_substring_regex(found, r"^([+-]?)0+([0-9])", r"\1\2")
    seen = pc.replace_substring_regex(found, rf"(\.[0-9]{{{scale + 1}}})[0-9]+$", r"\1")
    return plain, seen.cast(pa.decimal128(_MOST_DIGITS, scale + 1))


def _one_by_one(texts: Any, data_type: DecimalType, beyond: str, source: Any) -> Taken:
    """Read texts that Arrow's cast would refuse as a whole array: with exponents, or very long."""
    target = arrow_type(data_type)
    if texts.null_count == len(texts):
        return Taken(pa.nulls(len(texts), target))
    numbers = [_rounded(text, data_type) for text in texts.to_pylist()]
    values = pa.array(numbers, target)
    lost = pc.and_(pc.is_null(values), pc.is_valid(texts))
    return Taken(values).without(lost, source, beyond)


def _rounded(text: str | None, data_type: DecimalType) -> Decimal | None:
    """Return the number of a text at a type's scale, None if the number has too many digits."""
    if text is None:
        return None
    number = Decimal(text)
    digits = data_type.precision - data_type.scale
    if not number or number.adjusted() < -data_type.scale - 1:
        return Decimal(0)
    if number.adjusted() >= digits:
        return None
    found = number.quantize(Decimal(1).scaleb(-data_type.scale), context=_CONTEXT)
    return found if found.is_zero() or found.adjusted() < digits else None


def _matches(texts: Any, pattern: str) -> Any:
    return pc.match_substring_regex(texts, pattern)
