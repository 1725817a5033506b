"""Turn types in SQL text into types of icemelt."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import DefinitionRefused, Never, NotYet
from icemelt.schema import (
    DataType,
    DecimalType,
    ListType,
    MapType,
    NestedField,
    Primitive,
    StructType,
)
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["binary_length", "cast_type", "data_type", "time_digits"]

_MAX_PRECISION = 38
_DEFAULT_SCALE = 0
_MOST_DIGITS = 18
_LONGEST_BINARY = 8 * 1024 * 1024
_TIME_DIGITS = range(6, 10)
_BINARIES = {exp.DType.BINARY, exp.DType.VARBINARY}
_TIMESTAMPS = {
    exp.DType.DATETIME,
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPNTZ,
    exp.DType.TIMESTAMPLTZ,
}
_PRIMITIVES = {
    exp.DType.TINYINT: "long",
    exp.DType.SMALLINT: "long",
    exp.DType.MEDIUMINT: "long",
    exp.DType.INT: "long",
    exp.DType.BIGINT: "long",
    exp.DType.FLOAT: "double",
    exp.DType.DOUBLE: "double",
    exp.DType.BOOLEAN: "boolean",
    exp.DType.DATE: "date",
    exp.DType.BINARY: "binary",
    exp.DType.VARBINARY: "binary",
    exp.DType.DATETIME: "timestamp",
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPNTZ: "timestamp",
    exp.DType.TIMESTAMPLTZ: "timestamptz",
    exp.DType.VARIANT: "variant",
    exp.DType.JSON: "variant",
}
_STRINGS = {exp.DType.CHAR: 1, exp.DType.NCHAR: 1, exp.DType.VARCHAR: None, exp.DType.TEXT: None}
_STRINGS |= {exp.DType.NVARCHAR: None}
_DECIMALS = {exp.DType.DECIMAL, exp.DType.BIGDECIMAL, exp.DType.DECIMAL128}
_TIME_HINT = "Use VARCHAR, as of TO_CHAR(t, 'HH24:MI:SS'), or a TIMESTAMP_NTZ column."
_NEVER = {
    **dict.fromkeys((exp.DType.TIME, exp.DType.TIMETZ), ("TIME", _TIME_HINT)),
    exp.DType.TIMESTAMPTZ: (
        "TIMESTAMP_TZ",
        "Use TIMESTAMP_LTZ, with a VARCHAR column for the zone; '…'::TIMESTAMP_TZ::DATE works.",
    ),
    exp.DType.GEOGRAPHY: ("GEOGRAPHY", "Use VARCHAR with well-known text, or BINARY."),
    exp.DType.GEOMETRY: ("GEOMETRY", "Use VARCHAR with well-known text, or BINARY."),
}


def data_type(written: exp.DataType) -> DataType:
    """Return the icemelt type of a written type.

    Raises:
        Never: no table can have the type.
        NotYet: tables do not have the type yet.
        DefinitionRefused: the size of the type is out of range.

    >>> data_type(exp.DataType.build("DECIMAL(10, 2)"))
    DecimalType(precision=10, scale=2)
    >>> data_type(exp.DataType.build("INT"))
    Primitive(name='long', length=None)
    """
    kind = written.this
    if kind in _NEVER:
        name, hint = _NEVER[kind]
        raise Never(f"The type {name} is not supported.", hint=hint)
    if kind in _PRIMITIVES:
        _validate_sizes(written)
        return Primitive(_PRIMITIVES[kind])
    if kind in _STRINGS:
        return Primitive("string", _string_length(written, _STRINGS[kind]))
    if kind in _DECIMALS:
        return _decimal_type(written)
    if kind in {exp.DType.ARRAY, exp.DType.LIST}:
        return _array_type(written)
    if kind == exp.DType.MAP:
        return _map_type(written)
    if kind in {exp.DType.OBJECT, exp.DType.STRUCT}:
        return _object_type(written)
    raise _unsupported_type_error(written)


def cast_type(written: exp.DataType) -> DataType:
    """Return the type of a cast; a cast cuts or checks sizes that columns do not have.

    Raises:
        Never, NotYet, DefinitionRefused: as `data_type`.

    >>> cast_type(exp.DataType.build("TIMESTAMP(3)")), cast_type(exp.DataType.build("BINARY(2)"))
    (Primitive(name='timestamp', length=None), Primitive(name='binary', length=None))
    """
    if time_digits(written) is None and binary_length(written) is None:
        return data_type(written)
    return Primitive(_PRIMITIVES[written.this])


def time_digits(written: exp.DataType) -> int | None:
    """Return the digits of TIMESTAMP(n) that are fewer than timestamps have, else None."""
    numbers = _type_numbers(written) if written.this in _TIMESTAMPS else []
    return numbers[0] if numbers and numbers[0] < _TIME_DIGITS.start else None


def binary_length(written: exp.DataType) -> int | None:
    """Return the length of BINARY(n), None where none is written."""
    numbers = _type_numbers(written) if written.this in _BINARIES else []
    return numbers[0] if numbers else None


def _unsupported_type_error(written: exp.DataType) -> NotYet:
    name = written.sql("snowflake")
    hint = (
        "Use a number, VARCHAR, BOOLEAN, DATE, a TIMESTAMP, BINARY, VARIANT, ARRAY, MAP or OBJECT."
    )
    return NotYet(f"The type {name} is not supported.", hint=hint)


def _type_numbers(written: exp.DataType) -> list[int]:
    numbers = []
    for parameter in written.expressions:
        text = parameter.name if isinstance(parameter, exp.DataTypeParam) else ""
        if not text.isdecimal() or len(text) > _MOST_DIGITS:
            raise _unsupported_type_error(written)
        numbers.append(int(text))
    return numbers


def _string_length(written: exp.DataType, default: int | None) -> int | None:
    numbers = _type_numbers(written)
    if numbers and numbers[0] < 1:
        message = f"The length of a string is at least 1, found {numbers[0]}."
        raise DefinitionRefused(message, hint="Write VARCHAR(n) with n from 1, or VARCHAR.")
    return numbers[0] if numbers else default


def _decimal_type(written: exp.DataType) -> DecimalType:
    precision, scale = [*_type_numbers(written), _MAX_PRECISION, _DEFAULT_SCALE][:2]
    if len(written.expressions) == 1:
        scale = _DEFAULT_SCALE
    if not 1 <= precision <= _MAX_PRECISION or not 0 <= scale <= precision:
        message = f"NUMBER({precision},{scale}) is not a number type."
        hint = "The precision is from 1 to 38, the scale from 0 to the precision."
        raise DefinitionRefused(message, hint=hint)
    return DecimalType(precision, scale)


def _validate_sizes(written: exp.DataType) -> None:
    """Require sizes that lose nothing of a value.

    Snowflake's default of nine digits for times is accepted, and icemelt keeps six digits. A BINARY
    of eight megabytes, Snowflake's longest, is accepted, too.
    """
    for number in _type_numbers(written):
        if written.this in _BINARIES:
            if number < _LONGEST_BINARY:
                message = f"The length of BINARY({number}) is not checked."
                raise NotYet(message, hint="Write BINARY without a length.")
        elif number not in _TIME_DIGITS:
            name = written.sql("snowflake").replace("STAMPNTZ", "STAMP_NTZ")
            name = name.replace("STAMPLTZ", "STAMP_LTZ")
            message = f"{name} has another precision than timestamps have: they keep 6 digits."
            hint = "Write no precision, or one from 6 to 9; DATE_TRUNC('SECOND', t) cuts a value."
            raise DefinitionRefused(message, hint=hint)


def _array_type(written: exp.DataType) -> DataType:
    if not written.expressions:
        return Primitive("variant")
    return ListType(data_type(_require_type(written.expressions[0], written)))


def _map_type(written: exp.DataType) -> DataType:
    if len(written.expressions) != 2:  # noqa: PLR2004 - a key and a value
        raise DefinitionRefused(
            "A MAP has a key and a value type.", hint="Write MAP(VARCHAR, INT)."
        )
    key, value = (data_type(_require_type(part, written)) for part in written.expressions)
    return MapType(key, value)


def _object_type(written: exp.DataType) -> DataType:
    if not written.expressions:
        return Primitive("variant")
    fields = []
    for field in written.expressions:
        if not isinstance(field, exp.ColumnDef) or field.args.get("kind") is None:
            raise _unsupported_type_error(written)
        constraints = [constraint.kind for constraint in field.args.get("constraints") or ()]
        nullable = not any(
            isinstance(constraint, exp.NotNullColumnConstraint) for constraint in constraints
        )
        fields.append(
            NestedField(fold_identifier(field.this), data_type(field.args["kind"]), nullable)
        )
    return StructType(tuple(fields))


def _require_type(part: exp.Expr, written: exp.DataType) -> exp.DataType:
    if not isinstance(part, exp.DataType):
        raise _unsupported_type_error(written)
    return part
