"""Options of Snowflake's file formats that have one value here: what icemelt does in any case.

Such a value may be written, so that a statement of Snowflake's runs as it is. Another one is
refused for good, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.errors import Never
from icemelt.session.files.format_values import option_error
from icemelt.sql.statements import FileFormat

__all__ = ["SETTLED_OPTIONS", "settled_names", "validate_settled"]

_TRUE, _FALSE = "TRUE", "FALSE"
_TEXTS = (FileFormat.CSV, FileFormat.JSON)


@dataclass(frozen=True, slots=True)
class SettledOption:
    """An option with one value.

    Attributes:
        formats: the types of files that have the option.
        accepted: the values that may be written, the one that is shown first.
        refused: other values that Snowflake has; none for any text.
        reason: why another value is refused.
        hint: what to do instead.
    """

    formats: tuple[FileFormat, ...]
    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    reason: str
    hint: str


SETTLED_OPTIONS: Mapping[str, SettledOption] = {
    "BINARY_AS_TEXT": SettledOption(
        (FileFormat.PARQUET,),
        (_FALSE,),
        (_TRUE,),
        "a column without a logical type is BINARY",
        "TO_VARCHAR(column, 'UTF-8') makes a text of it.",
    ),
    "ENABLE_OCTAL": SettledOption(
        (FileFormat.JSON,),
        (_FALSE,),
        (_TRUE,),
        "a number with a zero before it is no JSON",
        "Write the numbers in the files as decimals.",
    ),
    "SKIP_BYTE_ORDER_MARK": SettledOption(
        _TEXTS,
        (_TRUE,),
        (_FALSE,),
        "a byte order mark tells the encoding, and is no part of the first value",
        "Leave it out.",
    ),
    "TIME_FORMAT": SettledOption(
        _TEXTS,
        ("AUTO",),
        (),
        "there is no type TIME",
        "Read a time of day as VARCHAR.",
    ),
    "USE_LOGICAL_TYPE": SettledOption(
        (FileFormat.PARQUET,),
        (_TRUE,),
        (_FALSE,),
        "the logical types of the columns are read",
        "CAST gives a column another type.",
    ),
    "USE_VECTORIZED_SCANNER": SettledOption(
        (FileFormat.PARQUET,),
        (_TRUE, _FALSE),
        (),
        "the reader is Spark's",
        "Leave it out.",
    ),
}


def settled_names(file_format: FileFormat) -> tuple[str, ...]:
    """Return the names of the options of a type of files that have one value."""
    return tuple(name for name, each in SETTLED_OPTIONS.items() if file_format in each.formats)


def validate_settled(written: Mapping[str, str]) -> None:
    """Refuse another value of an option than the one it has.

    Args:
        written: the options in a statement, by upper-case name.

    Raises:
        Never: Snowflake has the value.
        DefinitionRefused: the option has no such value.

    >>> validate_settled({"TIME_FORMAT": "auto"})
    """
    for name in SETTLED_OPTIONS.keys() & written.keys():
        option, value = SETTLED_OPTIONS[name], written[name]
        if value.upper() in option.accepted:
            continue
        if option.refused and value.upper() not in option.refused:
            raise option_error(name, value, "TRUE or FALSE")
        raise Never(f"{name} = {value}: {option.reason}.", hint=option.hint)
