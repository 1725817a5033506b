"""Kinds: the types of expressions, as far as text and known columns determine the types.

Spark chooses a function by the arguments' types where Snowflake converts the arguments, so some
translations ask for types. A type is None where it is not known. The translation then takes a form
that fits all types.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from icemelt.errors import ObjectError, UnsupportedError
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, StructType
from icemelt.sql.analysis.data_types import cast_type
from icemelt.sql.analysis.function_results import RESULTS
from icemelt.sql.analysis.units import UNITS, is_unit_first

__all__ = [
    "MAX_DIGITS",
    "average_kind",
    "exact_digits",
    "exact_operand",
    "interpolated_kind",
    "is_kind",
    "is_number",
    "is_numeric",
    "is_variant",
    "kind_of",
    "product_scale",
    "quotient_scale",
    "ratio_kind",
    "results_of",
    "set_kind",
    "sum_kind",
    "unite_kinds",
    "united_kind",
]

_BOOLEAN = Primitive("boolean")
_LONG = Primitive("long")
_STRING = Primitive("string")
_DOUBLE = Primitive("double")
_DATE = Primitive("date")
_NTZ = Primitive("timestamp")
_LTZ = Primitive("timestamptz")
_VARIANT = Primitive("variant")
_BINARY = Primitive("binary")

_NUMBERS = frozenset(map(Primitive, ("int", "long", "float", "double")))

_PREDICATES = (
    exp.Predicate,
    exp.Connector,
    exp.Not,
    exp.Boolean,
    exp.Between,
    exp.In,
    exp.Is,
    exp.Like,
    exp.ILike,
    exp.RegexpLike,
    exp.Exists,
)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Mod)

_ROUNDING = frozenset({"ROUND", "BROUND", "CEIL", "CEILING", "FLOOR", "TRUNC", "TRUNCATE"})
_ROUNDED_AS_DOUBLE = ("float", "double", "string")
# Functions of texts that give a binary for binaries.
_OF_TEXT_OR_BYTES = frozenset(
    {"CONCAT", "CONCAT_WS", "INSERT", "LEFT", "LPAD", "REVERSE", "RIGHT", "RPAD", "SUBSTR"}
    | {"SUBSTRING"}
)
_OF_BITS = frozenset(
    {"BITAND", "BIT_AND", "BITOR", "BIT_OR", "BITXOR", "BIT_XOR", "BITNOT", "BIT_NOT"}
    | {"BITSHIFTLEFT", "BIT_SHIFTLEFT", "BITSHIFTRIGHT", "BIT_SHIFTRIGHT"}
)
_OF_NUMBERS_OR_BYTES = _ROUNDING | _OF_TEXT_OR_BYTES | _OF_BITS
# Functions whose result has the type of the argument at the position.
_LIKE_ARGUMENT = {
    "NULLIF": 0,
    "MIN": 0,
    "MAX": 0,
    "ANY_VALUE": 0,
    "FIRST_VALUE": 0,
    "LAST_VALUE": 0,
    "NTH_VALUE": 0,
    "FIRST": 0,
    "LAST": 0,
    "MIN_BY": 0,
    "MAX_BY": 0,
    "MODE": 0,
    "ARRAY_UNION_AGG": 0,
    "LAG": 0,
    "LEAD": 0,
    "TIME_SLICE": 0,
    "ADD_MONTHS": 0,
    "ABS": 0,
    "REGR_VALX": 1,
    "REGR_VALY": 0,
    "ZEROIFNULL": 0,
    "NULLIFZERO": 0,
    "FILTER": 0,
}
# functions whose result is one of the arguments from the position on
_FIRST_RESULT = {
    "COALESCE": 0,
    "NVL": 0,
    "IFNULL": 0,
    "IFF": 1,
    "NVL2": 1,
    "GREATEST": 0,
    "LEAST": 0,
    "GREATEST_IGNORE_NULLS": 0,
    "LEAST_IGNORE_NULLS": 0,
}
# Arrays of the argument.
_LISTS = frozenset(
    {"ARRAY_AGG", "ARRAY_UNIQUE_AGG", "COLLECT_LIST", "COLLECT_SET", "TRANSFORM", "ARRAY_CONSTRUCT"}
)
_LONG_DIGITS = DecimalType(19, 0)
_MOST_LONG = 2**63 - 1
MAX_DIGITS = 38
# an average of Spark has four more digits than the numbers, whose sum has up to 38
_SPARKS_AVERAGE, _LONGEST_AVERAGE = 4, 32
_MOMENTS = ("date", "timestamp", "timestamptz")
_DAYS_AND_LONGER = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY"}


def set_kind(node: exp.Expr, kind: DataType | None) -> None:
    """Note the type of an expression on its node."""
    node.meta["kind"] = kind


def kind_of(node: exp.Expr | None) -> DataType | None:
    """Return the type of an expression, or None where the type is not known.

    >>> from sqlglot import parse_one
    >>> kind_of(parse_one("CAST(a AS DATE)", read="snowflake"))
    Primitive(name='date', length=None)
    """
    if node is None:
        return None
    noted: DataType | None = node.meta.get("kind")
    return _kind_of(node) if "kind" not in node.meta else noted


def _kind_of(node: exp.Expr) -> DataType | None:  # noqa: C901, PLR0911 - a table
    match node:
        case exp.WithinGroup():
            return _ordered_kind(node)
        case exp.Paren() | exp.Alias() | exp.Neg() | exp.Window():
            return kind_of(node.this)
        case exp.IgnoreNulls() | exp.RespectNulls() | exp.Filter():
            return kind_of(node.this)
        case exp.Literal():
            return _literal_kind(node)
        case exp.Cast():
            return _cast_kind(node)
        case exp.Anonymous():
            return _function_kind(node)
        case exp.JSONExtract():
            return kind_inside(kind_of(node.this), *path_keys(node))
        case exp.Bracket():
            return kind_inside(
                kind_of(node.this), *[_path_key(element) for element in node.expressions]
            )
        case exp.Array():
            return _array_kind(node)
        case exp.Case():
            return _case_kind(node)
        case exp.DPipe() | exp.Concat() | exp.RawString():
            return _STRING
        case exp.HexString():
            return _BINARY
        case exp.Extract() | exp.StrPosition():
            return _LONG
        case exp.Struct():
            return _VARIANT
        case exp.Div():
            return _quotient_kind(node)
        case _ if isinstance(node, _PREDICATES):
            return _BOOLEAN
        case _ if isinstance(node, _ARITHMETIC):
            return _arithmetic_kind(node)
        case _:
            return None


def is_kind(node: exp.Expr | None, *names: str) -> bool:
    """Tell whether an expression is known to have a primitive type among `names`.

    >>> is_kind(exp.Literal.string("a"), "string", "binary")
    True
    """
    kind = kind_of(node)
    return isinstance(kind, Primitive) and kind.name in names


def is_variant(node: exp.Expr | None) -> bool:
    """Tell whether an expression is known to be a variant."""
    return is_kind(node, "variant")


def is_numeric(node: exp.Expr | None) -> bool:
    """Tell whether an expression is known to be a number."""
    return is_number(kind_of(node))


def exact_digits(kind: DataType | None) -> DecimalType | None:
    """Return the digits of an exact numeric type, or None for an inexact type.

    >>> exact_digits(Primitive("long"))
    DecimalType(precision=19, scale=0)
    """
    if isinstance(kind, Primitive) and kind.name in {"int", "long"}:
        return _LONG_DIGITS
    return kind if isinstance(kind, DecimalType) else None


def exact_operand(node: exp.Expr) -> DecimalType | None:
    """Return the digits of an operand; a written whole number has as many digits as its text.

    >>> exact_operand(exp.Literal.number(12))
    DecimalType(precision=2, scale=0)
    """
    return _digits_of(node, kind_of(node))


def quotient_scale(dividend: DecimalType) -> int:
    """Return the number of digits after the decimal point of a quotient of exact numbers.

    >>> quotient_scale(DecimalType(4, 2)), quotient_scale(DecimalType(38, 10))
    (8, 12)
    """
    return max(dividend.scale, min(dividend.scale + 6, 12))


def average_kind(digits: DecimalType) -> DecimalType:
    """Return the type of an average of exact numbers.

    >>> average_kind(DecimalType(10, 2)), average_kind(DecimalType(38, 0))
    (DecimalType(precision=16, scale=8), DecimalType(precision=38, scale=6))
    """
    scale = quotient_scale(digits)
    precision = digits.precision + scale - digits.scale
    is_short = precision <= _LONGEST_AVERAGE and scale - digits.scale >= _SPARKS_AVERAGE
    return DecimalType(precision if is_short else MAX_DIGITS, scale)


def interpolated_kind(digits: DecimalType) -> DecimalType:
    """Return the type of a median or percentile of exact numbers: three digits more.

    >>> interpolated_kind(DecimalType(10, 2))
    DecimalType(precision=38, scale=5)
    """
    return DecimalType(MAX_DIGITS, min(digits.scale + 3, MAX_DIGITS - 1))


def ratio_kind(digits: DecimalType) -> DecimalType:
    """Return the type of the part that an exact number is of a sum.

    >>> ratio_kind(DecimalType(11, 2))
    DecimalType(precision=19, scale=8)
    """
    scale = quotient_scale(digits)
    return DecimalType(min(MAX_DIGITS, digits.precision + scale), scale)


def sum_kind(digits: DecimalType) -> DecimalType:
    """Return the type of a sum of decimals.

    >>> sum_kind(DecimalType(11, 2))
    DecimalType(precision=21, scale=2)
    """
    return DecimalType(min(MAX_DIGITS, digits.precision + 10), digits.scale)


def product_scale(left: int, right: int) -> int:
    """Return the number of digits after the decimal point of a product, by the factors' scales.

    >>> product_scale(2, 4), product_scale(10, 10), product_scale(1, 13)
    (6, 12, 13)
    """
    return max(left, right, min(left + right, 12))


def path_keys(node: exp.JSONExtract) -> list[str | int]:
    """Return the keys and positions of a path `v:a.b[0]`."""
    keys: list[str | int] = []
    for part in node.expression.expressions:
        if isinstance(part, exp.JSONPathKey):
            keys.append(str(part.this))
        elif isinstance(part, exp.JSONPathSubscript):
            keys.append(part.this if isinstance(part.this, int) else str(part.this))
    return keys


def kind_inside(kind: DataType | None, *keys: str | int | None) -> DataType | None:
    """Return the type inside a type, under keys and positions; an unknown type is a variant.

    >>> kind_inside(ListType(Primitive("long")), 0)
    Primitive(name='long', length=None)
    """
    for key in keys:
        match kind:
            case ListType(element):
                kind = element
            case MapType(_, value):
                kind = value
            case StructType(fields):
                kind = next((field.type for field in fields if field.name == key), None)
            case _:
                return _VARIANT
    return kind


def is_number(kind: DataType | None) -> bool:
    """Tell whether a type is one of numbers.

    >>> is_number(Primitive("long")), is_number(None)
    (True, False)
    """
    return isinstance(kind, DecimalType) or kind in _NUMBERS


def _digits_of(node: exp.Expr, kind: DataType | None) -> DecimalType | None:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
        return DecimalType(len(node.name), 0)
    return exact_digits(kind)


def _path_key(node: exp.Expr) -> str | int | None:
    if isinstance(node, exp.Literal):
        if node.is_string:
            return node.name
        index = float(node.name)
        return int(index) if math.isfinite(index) else None
    return None


def _literal_kind(node: exp.Literal) -> DataType:
    if node.is_string:
        return _STRING
    text = node.name
    if text.isdecimal():
        digits = len(text.lstrip("0"))
        is_long = digits < _LONG_DIGITS.precision or digits > MAX_DIGITS or int(text) <= _MOST_LONG
        return _LONG if is_long else DecimalType(digits, 0)
    if "e" in text.lower():
        return _DOUBLE
    whole, _, fraction = text.partition(".")
    return DecimalType(max(len(whole.lstrip("0")) + len(fraction), 1), len(fraction))


def _cast_kind(node: exp.Cast) -> DataType | None:
    if node.to.this in {exp.DType.ARRAY, exp.DType.LIST} and not node.to.expressions:
        return ListType(_VARIANT)
    try:
        return cast_type(node.to)
    except (UnsupportedError, ObjectError):
        return None


def _function_kind(node: exp.Anonymous) -> DataType | None:
    name, arguments = node.name.upper(), _values_of(node)
    if name in RESULTS:
        return RESULTS[name]
    moment = _moment_of(name, arguments)
    if moment is not None:
        return moment
    if name in {"MIN_BY", "MAX_BY"} and len(arguments) > 2:  # noqa: PLR2004 - the number of values
        element = kind_of(arguments[0])
        return None if element is None else ListType(element)
    if name in _LISTS:
        return _list_kind(name, arguments)
    if name in _FIRST_RESULT or name == "DECODE":
        return united_kind(results_of(name, arguments))
    if name in {"SUM", "AVG", "MEDIAN", "RATIO_TO_REPORT"} and arguments:
        return _total_kind(name, kind_of(arguments[0]))
    if name in _OF_NUMBERS_OR_BYTES:
        return _kind_of_forms(name, arguments)
    position = _LIKE_ARGUMENT.get(name)
    if position is None or position >= len(arguments):
        return None
    kind = kind_of(arguments[position])
    if kind != _STRING:
        return kind
    # a text is read as the function takes it
    return {"TIME_SLICE": _NTZ, "ADD_MONTHS": _NTZ, "ABS": _DOUBLE}.get(name, kind)


def results_of(name: str, arguments: list[exp.Expr]) -> list[exp.Expr]:
    """Return the arguments of which a function gives one, none of another function.

    >>> len(results_of("DECODE", [exp.Null()] * 4)), len(results_of("IFF", [exp.Null()] * 3))
    (2, 2)
    """
    if name == "DECODE":
        # value, search, result, search, result, … [default]
        has_default = len(arguments) % 2 == 0
        return arguments[2::2] + (arguments[-1:] if has_default else [])
    return arguments[_FIRST_RESULT[name] :] if name in _FIRST_RESULT else []


def _values_of(call: exp.Anonymous) -> list[Any]:
    """Return the arguments of a call, without DISTINCT."""
    arguments: list[Any] = call.expressions
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        return list(arguments[0].expressions)
    return arguments


def _list_kind(name: str, arguments: list[exp.Expr]) -> DataType | None:
    """Return the type of an array that is made of the arguments, or of what a lambda gives."""
    if name == "ARRAY_CONSTRUCT":
        return _array_kind(exp.Array(expressions=[argument.copy() for argument in arguments]))
    made = arguments[0] if arguments else None
    if name == "TRANSFORM":
        is_call = len(arguments) > 1 and isinstance(arguments[1], exp.Lambda)
        made = arguments[1].this if is_call else None
    element = kind_of(made)
    return None if element is None else ListType(element)


def _moment_of(name: str, arguments: list[exp.Expr]) -> DataType | None:
    """Return the result of a sum of times, or of a time that is cut; None for other functions."""
    if name in {"DATEADD", "TIMESTAMPADD", "TIMEADD"} and len(arguments) == 3:  # noqa: PLR2004
        return _date_sum_kind(arguments[0].name.upper(), kind_of(arguments[2]))
    if name == "DATE_TRUNC" and len(arguments) == 2:  # noqa: PLR2004
        return _moment_kind(arguments[1 if is_unit_first(arguments) else 0])
    is_cut = name in {"TRUNC", "TRUNCATE"} and arguments and is_kind(arguments[0], *_MOMENTS)
    return kind_of(arguments[0]) if is_cut else None


def _moment_kind(node: exp.Expr) -> DataType | None:
    kind = kind_of(node)
    return _NTZ if kind == _STRING else kind


def _kind_of_forms(name: str, arguments: list[exp.Expr]) -> DataType | None:
    """Return the result of a function that has a form for binaries, or one for doubles."""
    if name in _ROUNDING:
        rounded = arguments[0] if arguments else None
        return _DOUBLE if is_kind(rounded, *_ROUNDED_AS_DOUBLE) else None
    if any(is_kind(argument, "binary") for argument in arguments):
        return _BINARY
    return _LONG if name in _OF_BITS else _STRING


def _date_sum_kind(unit: str, kind: DataType | None) -> DataType | None:
    if kind == _DATE and UNITS.get(unit) not in _DAYS_AND_LONGER:
        return _NTZ
    return _NTZ if kind == _STRING else kind


def _array_kind(node: exp.Array) -> DataType:
    kinds = {kind_of(element) for element in node.expressions if not isinstance(element, exp.Null)}
    if len(kinds) == 1:
        (kind,) = kinds
        if kind is not None:
            return ListType(kind)
    return ListType(_VARIANT)


def _case_kind(node: exp.Case) -> DataType | None:
    branches = [branch.args.get("true") for branch in node.args.get("ifs") or ()]
    return united_kind([*branches, node.args.get("default")])


def united_kind(nodes: Sequence[exp.Expr | None]) -> DataType | None:
    """Return the common type of expressions, or None where one of their types is not known.

    >>> united_kind([exp.Literal.number(1), exp.Null()])
    Primitive(name='long', length=None)
    """
    present = [node for node in nodes if node is not None and not isinstance(node, exp.Null)]
    return unite_kinds([kind_of(node) for node in present])


def unite_kinds(kinds: Sequence[DataType | None]) -> DataType | None:
    """Return the type of values of several types: None where one is a number, and another is not.

    Beside a variant all values are variants. Exact numbers have the most digits on both sides of
    the decimal point.

    >>> unite_kinds([Primitive("long"), Primitive("double")])
    Primitive(name='double', length=None)
    >>> unite_kinds([Primitive("long"), None]) is None
    True
    >>> unite_kinds([Primitive("date"), Primitive("timestamp")])
    Primitive(name='timestamp', length=None)
    >>> unite_kinds([Primitive("long"), DecimalType(4, 2)])
    DecimalType(precision=21, scale=2)
    """
    if _VARIANT in kinds:
        return _VARIANT
    if not kinds or len(set(kinds)) == 1 or not any(map(is_number, kinds)):
        moments = [kind for kind in kinds if kind in (_NTZ, _LTZ)]
        return moments[0] if kinds and kinds[0] == _DATE and moments else next(iter(kinds), None)
    if _DOUBLE in kinds:
        return _DOUBLE if all(map(is_number, kinds)) else None
    return _most_digits([exact_digits(kind) for kind in kinds])


def _most_digits(numbers: Sequence[DecimalType | None]) -> DecimalType | None:
    """Return the type of exact numbers together, or None where Spark cuts digits."""
    known = [digits for digits in numbers if digits is not None]
    scale = max((digits.scale for digits in known), default=0)
    precision = max((digits.precision - digits.scale for digits in known), default=0) + scale
    is_whole = len(known) == len(numbers) and precision <= MAX_DIGITS
    return DecimalType(precision, scale) if is_whole else None


def _ordered_kind(node: exp.WithinGroup) -> DataType | None:
    """Return the result of an aggregate with WITHIN GROUP: percentiles are of what is ordered."""
    name, order = node.this.name.upper(), node.args.get("expression")
    if order is None or name not in {"PERCENTILE_CONT", "PERCENTILE_DISC"}:
        return kind_of(node.this)
    kind = kind_of(order.expressions[0].this)
    digits = exact_digits(kind)
    if name == "PERCENTILE_CONT" and digits is not None:
        return interpolated_kind(digits)
    return kind


def _total_kind(name: str, kind: DataType | None) -> DataType | None:
    digits = exact_digits(kind)
    if digits is None:
        return _DOUBLE if kind == _DOUBLE else None
    match name:
        case "AVG":
            return average_kind(digits)
        case "MEDIAN":
            return interpolated_kind(digits)
        case "RATIO_TO_REPORT":
            return ratio_kind(digits)
    return sum_kind(digits) if isinstance(kind, DecimalType) else _LONG


def _arithmetic_kind(node: exp.Binary) -> DataType | None:
    left, right = kind_of(node.left), kind_of(node.right)
    if _DATE in (left, right):
        return _LONG if left == right else _DATE
    if left == right == _LONG:
        return _LONG
    if _DOUBLE in (left, right):
        return _DOUBLE
    first, second = _digits_of(node.left, left), _digits_of(node.right, right)
    return None if first is None or second is None else _result_digits(node, first, second)


def _result_digits(node: exp.Binary, left: DecimalType, right: DecimalType) -> DecimalType | None:
    """Return the digits of a result, or None where Spark cuts digits."""
    whole, scale = left.precision - left.scale, max(left.scale, right.scale)
    if isinstance(node, exp.Mul):
        precision, scale = left.precision + right.precision + 1, left.scale + right.scale
    else:
        precision = max(whole, right.precision - right.scale) + scale + 1
    return DecimalType(precision, scale) if precision <= MAX_DIGITS else None


def _quotient_kind(node: exp.Div) -> DataType | None:
    kinds = kind_of(node.left), kind_of(node.right)
    dividend, divisor = map(exact_digits, kinds)
    if dividend is not None and divisor is not None:
        return DecimalType(MAX_DIGITS, quotient_scale(dividend))
    return _DOUBLE if _DOUBLE in kinds else None
