"""Defaults that another engine has set: Iceberg's `write-default` as the SQL of a value."""

from __future__ import annotations

from typing import Any

from icemelt.quoting import text_literal
from icemelt.schema import DataType, DecimalType, Primitive

__all__ = ["write_default_text"]

_CASTS = {"date": "DATE", "timestamp": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP_LTZ"}


def write_default_text(data_type: DataType, value: Any) -> str | None:
    r"""Return the Spark SQL of a `write-default`, None for no default and for a nested one.

    Args:
        data_type: the type of the column.
        value: Iceberg's single-value JSON (spec, *Appendix D*).

    >>> write_default_text(Primitive("string"), "it's"), write_default_text(Primitive("long"), 7)
    ("'it\\'s'", '7')
    >>> write_default_text(Primitive("timestamp"), "2024-01-02T03:04:05.000000")
    "CAST('2024-01-02 03:04:05.000000' AS TIMESTAMP_NTZ)"
    """
    match data_type, value:
        case _, None:
            return None
        case Primitive("boolean"), bool():
            return "TRUE" if value else "FALSE"
        case Primitive("string"), str():
            return text_literal(value)
        case Primitive("binary"), str():
            return f"X'{value}'"
        case Primitive(name), str() if name in _CASTS:
            return f"CAST({text_literal(value.replace('T', ' '))} AS {_CASTS[name]})"
        case DecimalType(), str():
            return value
        case Primitive("int" | "long" | "float" | "double"), int() | float():
            return repr(value)
        case _:
            return None
