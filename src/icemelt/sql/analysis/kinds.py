"""Kinds: the types of expressions, as far as text and known columns determine the types.

Spark chooses a function by the arguments' types where Snowflake converts the arguments, so some
translations ask for types. A type is None where it is not known. The translation then takes a form
that fits all types.
"""

from __future__ import annotations

import math

from sqlglot import exp

from icemelt.errors import ObjectError, UnsupportedError
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, StructType
from icemelt.sql.analysis.data_types import data_type
from icemelt.sql.analysis.system_calls import OF_TASKS

__all__ = [
    "MAX_DIGITS",
    "exact_digits",
    "exact_operand",
    "is_kind",
    "is_numeric",
    "is_variant",
    "kind_of",
    "product_scale",
    "quotient_scale",
    "set_kind",
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

_RESULTS: dict[str, DataType] = {
    **dict.fromkeys(
        ("COUNT", "COUNT_IF", "DATEDIFF", "TIMESTAMPDIFF", "TIMEDIFF", "LENGTH", "LEN", "YEAR"),
        _LONG,
    ),
    **dict.fromkeys(
        ("MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "QUARTER", "WEEK", "DATE_PART", "ARRAY_SIZE"),
        _LONG,
    ),
    **dict.fromkeys(
        ("ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "APPROX_COUNT_DISTINCT", "HASH"), _LONG
    ),
    **dict.fromkeys(
        ("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "SUBSTR", "SUBSTRING", "CONCAT", "REPLACE"),
        _STRING,
    ),
    **dict.fromkeys(
        ("LISTAGG", "TO_CHAR", "TO_VARCHAR", "LEFT", "RIGHT", "SPLIT_PART", "UUID_STRING"), _STRING
    ),
    **dict.fromkeys(("STRING_AGG", "INITCAP", "REVERSE", "REGEXP_REPLACE", "TRANSLATE"), _STRING),
    **dict.fromkeys(("CONCAT_WS", "CHR", "CHAR", "DAYNAME", "MONTHNAME", "STRTOK"), _STRING),
    **dict.fromkeys(("HEX_ENCODE", "HEX_DECODE_STRING", "TRY_HEX_DECODE_STRING"), _STRING),
    **dict.fromkeys(("BASE64_ENCODE", "BASE64_DECODE_STRING", "SHA1_HEX", "SHA2_HEX"), _STRING),
    **dict.fromkeys(("TRY_BASE64_DECODE_STRING", "MD5_HEX"), _STRING),
    **dict.fromkeys(("UNICODE", "ASCII", "CHARINDEX", "POSITION"), _LONG),
    **dict.fromkeys(("MD5_NUMBER_UPPER64", "MD5_NUMBER_LOWER64"), DecimalType(20, 0)),
    **dict.fromkeys(("MD5", "SHA1", "SHA2", "TO_JSON", "TYPEOF", "LPAD", "RPAD"), _STRING),
    **dict.fromkeys(
        ("CURRENT_DATE", "TO_DATE", "DATE", "TRY_TO_DATE", "DATE_FROM_PARTS", "LAST_DAY"), _DATE
    ),
    **dict.fromkeys(("NEXT_DAY", "PREVIOUS_DAY", "DATEFROMPARTS"), _DATE),
    **dict.fromkeys(
        ("TO_TIMESTAMP", "TO_TIMESTAMP_NTZ", "TRY_TO_TIMESTAMP", "TRY_TO_TIMESTAMP_NTZ"), _NTZ
    ),
    **dict.fromkeys(("SYSDATE", "TIMESTAMP_FROM_PARTS", "TIMESTAMP_NTZ_FROM_PARTS"), _NTZ),
    **dict.fromkeys(
        ("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "GETDATE", "SYSTIMESTAMP", "TO_TIMESTAMP_LTZ"),
        _LTZ,
    ),
    **dict.fromkeys(("TRY_TO_TIMESTAMP_LTZ",), _LTZ),
    **dict.fromkeys(
        ("PARSE_JSON", "TRY_PARSE_JSON", "TO_VARIANT", "GET", "GET_PATH", "TO_OBJECT"), _VARIANT
    ),
    **dict.fromkeys(
        ("OBJECT_CONSTRUCT", "OBJECT_CONSTRUCT_KEEP_NULL", "OBJECT_AGG", "OBJECT_INSERT"), _VARIANT
    ),
    **dict.fromkeys(("OBJECT_DELETE", "OBJECT_PICK", "STRIP_NULL_VALUE"), _VARIANT),
    **dict.fromkeys(("TO_DOUBLE", "TRY_TO_DOUBLE", "SQRT", "EXP", "LN"), _DOUBLE),
    **dict.fromkeys(("TO_BINARY", "TRY_TO_BINARY", "BASE64_DECODE_BINARY"), _BINARY),
    **dict.fromkeys(("HEX_DECODE_BINARY", "MD5_BINARY", "SHA1_BINARY", "SHA2_BINARY"), _BINARY),
    **dict.fromkeys(("TRY_HEX_DECODE_BINARY", "TRY_BASE64_DECODE_BINARY"), _BINARY),
    **dict.fromkeys(("BOOLAND", "BOOLOR", "BOOLXOR", "BOOLNOT", "TRY_TO_BOOLEAN"), _BOOLEAN),
    **dict.fromkeys(("IS_NULL_VALUE",), _BOOLEAN),
    "CHECK_JSON": _STRING,
    **dict.fromkeys(("TO_BOOLEAN", "STARTSWITH", "ENDSWITH", "CONTAINS", "EQUAL_NULL"), _BOOLEAN),
    **dict.fromkeys(("SYSTEM$PIPE_STATUS", *OF_TASKS), _STRING),
    "SYSTEM$STREAM_HAS_DATA": _BOOLEAN,
    "SYSTEM$STREAM_GET_TABLE_TIMESTAMP": _LONG,
    **dict.fromkeys(("SPLIT", "OBJECT_KEYS", "STRTOK_TO_ARRAY"), ListType(_STRING)),
    **dict.fromkeys(("TO_ARRAY",), ListType(_VARIANT)),
}
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
    "LAG": 0,
    "LEAD": 0,
    "DATE_TRUNC": 1,
    "TIME_SLICE": 0,
    "ABS": 0,
}
# Functions whose result is one of the arguments from the position on.
_ONE_OF = {"COALESCE": 0, "NVL": 0, "IFNULL": 0, "IFF": 1, "NVL2": 1, "GREATEST": 0, "LEAST": 0}
# Arrays of the argument.
_LISTS = {"ARRAY_AGG", "ARRAY_UNIQUE_AGG", "COLLECT_LIST", "COLLECT_SET"}
_LONG_DIGITS = DecimalType(19, 0)
MAX_DIGITS = 38
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
        case exp.Paren() | exp.Alias() | exp.Neg() | exp.Window() | exp.WithinGroup():
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
    return _is_number(kind_of(node))


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


def _is_number(kind: DataType | None) -> bool:
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
        return _LONG
    if "e" in text.lower():
        return _DOUBLE
    whole, _, fraction = text.partition(".")
    return DecimalType(max(len(whole.lstrip("0")) + len(fraction), 1), len(fraction))


def _cast_kind(node: exp.Cast) -> DataType | None:
    if node.to.this in {exp.DType.ARRAY, exp.DType.LIST} and not node.to.expressions:
        return ListType(_VARIANT)
    try:
        return data_type(node.to)
    except (UnsupportedError, ObjectError):
        return None


def _function_kind(node: exp.Anonymous) -> DataType | None:
    name, arguments = node.name.upper(), node.expressions
    if name in _RESULTS:
        return _RESULTS[name]
    if name in {"DATEADD", "TIMESTAMPADD", "TIMEADD"} and len(arguments) == 3:  # noqa: PLR2004
        return _date_sum_kind(arguments[0].name.upper(), kind_of(arguments[2]))
    if name in _LISTS and arguments:
        element = kind_of(arguments[0])
        return None if element is None else ListType(element)
    if name == "ARRAY_CONSTRUCT":
        return _array_kind(exp.Array(expressions=[argument.copy() for argument in arguments]))
    if name in _ONE_OF:
        return _common_kind(arguments[_ONE_OF[name] :])
    if name in {"SUM", "AVG"} and arguments:
        return _total_kind(name, kind_of(arguments[0]))
    position = _LIKE_ARGUMENT.get(name)
    if position is None or position >= len(arguments):
        return None
    return kind_of(arguments[position])


def _date_sum_kind(unit: str, kind: DataType | None) -> DataType | None:
    if kind == _DATE and unit.rstrip("S") not in _DAYS_AND_LONGER:
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
    return _common_kind([*branches, node.args.get("default")])


def _common_kind(nodes: list[exp.Expr | None]) -> DataType | None:
    """Return the common type of expressions, or None for numbers of different types."""
    present = [node for node in nodes if node is not None and not isinstance(node, exp.Null)]
    kinds = [kind_of(node) for node in present]
    if not kinds or len(set(kinds)) == 1 or not all(map(_is_number, kinds)):
        return kinds[0] if kinds else None
    return _DOUBLE if _DOUBLE in kinds else None


def _total_kind(name: str, kind: DataType | None) -> DataType | None:
    match kind:
        case DecimalType(precision, scale) if name == "SUM":
            return DecimalType(min(MAX_DIGITS, precision + 10), scale)
        case Primitive("long") if name == "SUM":
            return _LONG
        case Primitive("long" | "double"):
            return _DOUBLE
        case _:
            return None


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
