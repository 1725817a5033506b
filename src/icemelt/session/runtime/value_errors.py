"""Errors for refused values, from Spark's conditions and from the errors of icemelt's SQL."""

from __future__ import annotations

import re

from icemelt.errors import (
    DuplicateKey,
    DuplicateMatch,
    IcemeltError,
    NotYet,
    QueryError,
    ValueRefused,
)
from icemelt.session.runtime.spark_words import TRY_CAST_HINT, explain_query
from icemelt.sql.spark.bounds import SIZE_ERROR, too_much_error
from icemelt.sql.spark.functions import USER_ERROR

__all__ = ["EXTERNAL_FILE_HINT", "first_sentence", "strip_alias", "value_error"]

_HIDDEN_ALIAS = re.compile(r"`?__icemelt\d*_s\d+`?\.")
_DUPLICATE_KEY = re.compile(r"icemelt-duplicate-key:([^\n]*)")
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
_LENGTH = re.compile(r"icemelt-length:([^:\n]*):(\d+)")
_NULL_PATH = re.compile(r"non-nullable field:\s*\n(.+?)\nIf the schema", re.DOTALL)
_SIZE = re.compile(rf"{SIZE_ERROR}([A-Z_]+):(\d+)")
_PATTERN = re.compile(r"icemelt-pattern:([^\n]*?)(?: SQLSTATE|\n|$)")
_ARGUMENT = re.compile(r"icemelt-argument:([^\n]*?)(?: SQLSTATE|\n|$)")
_RECORD = re.compile(r"detected in record parsing: (.*?)\.\s*\n?Parse Mode", re.DOTALL)
_IN_VALUES = re.compile(r'Failed to evaluate the SQL expression "(.+?)"\.', re.DOTALL)
_MAX_CHARACTERS_SHOWN = 100
EXTERNAL_FILE_HINT = (
    "Mend the file and REFRESH, or ALTER EXTERNAL TABLE … SET ON_ERROR = SKIP_FILE."
)
_POSITION_HINT = "Positions and occurrences count from 1: REGEXP_SUBSTR(v, p, 1, 2)."
# The errors that icemelt's SQL raises: `icemelt-`, a word, and the message's parts after colons.
# `sql/spark/` and `spark_sql/` write the words: `json-number` is from `sql/spark/json_parsing.py`.
_UNFIT_TEXTS = {
    "not-finite": (
        "A NaN or an infinity is no {}.",
        "Write NULLIF(value, 'NaN'::FLOAT), or keep it in a column of type FLOAT.",
    ),
    "hex": (
        "The text '{}' is no binary value: expected pairs of hexadecimal digits.",
        "TO_BINARY(text, 'UTF-8') gives the bytes of a text itself.",
    ),
    "number-text": (
        "The text '{}' is no number of the given format.",
        "A format has a 9 or a 0 for each digit: '999,999.99'. " + TRY_CAST_HINT,
    ),
    "binary-length": (
        "A binary value is longer than BINARY({}).",
        "Write BINARY for any length. " + TRY_CAST_HINT,
    ),
    "cast-length": (
        "A text is longer than VARCHAR({}): '{}'.",
        "LEFT(text, {}) cuts it; " + TRY_CAST_HINT,
    ),
    "moment": (
        "The value is no {}: '{}'.",
        "Write it as '2024-12-31', or give its format: TO_DATE(text, 'DD.MM.YYYY'). "
        + TRY_CAST_HINT,
    ),
    "truncation": (
        "Column '{}' partitions the table by TRUNCATE({}, …): expected numbers from {} on.",
        "Leave such numbers out, or partition by another transform: a new table AS SELECT.",
    ),
    "json-number": (
        "The text '{}' has a number that is too long for a FLOAT.",
        "Write it as a string in the JSON.",
    ),
    "file-value": (
        "File '{1}' has a record that is refused: {0}.",
        "Mend the file, or leave it out with PATTERN; COPY INTO … ON_ERROR = CONTINUE goes on.",
    ),
    "external-value": (
        "File '{1}' has a record that is refused: {0}.",
        EXTERNAL_FILE_HINT,
    ),
    "base64": (
        "The text '{}' is no Base64.",
        "TRY_BASE64_DECODE_STRING and TRY_BASE64_DECODE_BINARY give NULL instead.",
    ),
}
# the SQLSTATE by word
_UNFIT_STATES = {
    "not-finite": "22003",
    "hex": "22018",
    "number-text": "22018",
    "binary-length": "22001",
    "cast-length": "22001",
    "moment": "22007",
    "truncation": "22003",
    "json-number": "22003",
    "base64": "22018",
    "file-value": "22000",
    "external-value": "22000",
}
_UNFIT = re.compile(
    rf"icemelt-(?P<what>{'|'.join(_UNFIT_TEXTS)}):"
    r"(?P<parts>[^\n]*?)(?: SQLSTATE|\n|$)"
)
_VALUE_CONDITIONS = (
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "CANNOT_PARSE_TIMESTAMP",
    "INVALID_VARIANT",
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
)


_UNORDERED_CONDITIONS = (
    "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
    "EXPRESSION_TYPE_IS_NOT_ORDERABLE",
    "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
    "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
    "UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE",
)


def value_error(condition: str, text: str) -> IcemeltError | None:
    """Return the error for a refused value, None where Spark failed for another reason."""
    first = _CONDITION.search(text)
    if first is not None and first.group(1) == "USER_RAISED_EXCEPTION":
        said = text[first.end() :].lstrip()
        return _user_error(said) if said.startswith(USER_ERROR) else _own_error(said)
    if condition == "MERGE_CARDINALITY_VIOLATION":
        return DuplicateMatch(
            "Two source rows of the MERGE match one target row.",
            hint="Make the source unique by the ON columns: QUALIFY ROW_NUMBER() OVER (…) = 1.",
        )
    if condition in _UNORDERED_CONDITIONS or "unsafe.types.VariantVal)" in text:
        return NotYet(
            "Values of VARIANT and MAP cannot be compared, grouped or ordered.",
            hint="Do it by a text or a number in them: j:name::VARCHAR, TO_JSON(m).",
        )
    in_values = _IN_VALUES.search(text)
    if in_values is not None:
        shown = in_values.group(1)[:_MAX_CHARACTERS_SHOWN]
        return explain_query(text) or ValueRefused(
            f"A value of VALUES cannot be computed: {shown}.", hint=TRY_CAST_HINT
        )
    if condition == "NOT_NULL_ASSERT_VIOLATION":
        return _null_error(text)
    if condition == "INVALID_UTF8_STRING":
        return ValueRefused(
            "The bytes are no text in UTF-8.",
            hint="TRY_HEX_DECODE_STRING and TRY_BASE64_DECODE_STRING give NULL instead.",
        ).with_sqlstate("22021")
    if "MALFORMED_RECORD_IN_PARSING" in text:
        record = _RECORD.search(text)
        shown = (
            "A text" if record is None else f"The text {record.group(1)[:_MAX_CHARACTERS_SHOWN]!r}"
        )
        is_twice = "VARIANT_DUPLICATE_KEY" in text
        said, state = ("has a key twice", "22030") if is_twice else ("is no JSON", "22032")
        return ValueRefused(
            f"{shown} {said}.", hint="TRY_PARSE_JSON gives NULL instead of an error."
        ).with_sqlstate(state)
    if condition.startswith(_VALUE_CONDITIONS):
        return explain_query(text) or ValueRefused(first_sentence(text), hint=TRY_CAST_HINT)
    return None


def strip_alias(name: str) -> str:
    """Return a column's name as in the statement, without the alias that icemelt added."""
    return _HIDDEN_ALIAS.sub("", name)


def first_sentence(text: str) -> str:
    """Return the first line of Spark's message, without its condition and hints about settings."""
    first = next((line for line in text.splitlines() if line.strip()), "the query failed")
    first = re.sub(r"^\S*(Exception|Error): ", "", first.strip())
    first = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", first)
    first = re.sub(r"\s*SQLSTATE: .*$", "", first)
    first = re.sub(r"\s*(If necessary,? set|Use `?try_|To return NULL).*$", "", first)
    first = re.sub(r"`icemelt`\.`?(pins|w[0-9a-f]{32})`?\.`?[^`\s]+`?", "the table", first)
    return strip_alias(first).strip()


def _own_error(said: str) -> IcemeltError | None:
    duplicate = _DUPLICATE_KEY.match(said)
    if duplicate is not None:
        key = duplicate.group(1).split(" SQLSTATE")[0].strip()
        return DuplicateKey(
            f"The key {key} was met twice, but its PRIMARY KEY is declared RELY.",
            hint="Remove the duplicate, or ALTER TABLE … DROP PRIMARY KEY (or declare it NORELY).",
        )
    length = _LENGTH.match(said)
    if length is not None:
        return ValueRefused(
            f"A value is longer than column {length.group(1)!r} takes: "
            f"expected at most {length.group(2)} characters.",
            hint="Shorten it with LEFT(value, n), or widen the column's VARCHAR.",
        ).with_sqlstate("22001")
    return _unfit_error(said)


def _unfit_error(said: str) -> IcemeltError | None:
    """Return the error for a value that a type or function cannot take."""
    size = _SIZE.match(said)
    if size is not None:
        return too_much_error(size.group(1), int(size.group(2)))
    pattern = _PATTERN.match(said)
    if pattern is not None:
        return QueryError(
            f"A regular expression was refused, {pattern.group(1)}.",
            hint="The syntax is RE2's, without look-around and back-references: docs/sql.md.",
        ).with_sqlstate("2201B")
    argument = _ARGUMENT.match(said)
    if argument is not None:
        sentence, _, hint = argument.group(1).rpartition("|")
        if not sentence:
            sentence, hint = hint, _POSITION_HINT
        return ValueRefused(sentence, hint=hint).with_sqlstate("22023")
    raised = _UNFIT.match(said)
    if raised is None:
        return None
    message, hint = _UNFIT_TEXTS[raised["what"]]
    count = message.count("{") - 1
    # the text of a record may have colons, the file behind it has none on this machine
    split = str.rsplit if raised["what"].endswith("-value") else str.split
    parts = split(raised["parts"], ":", count)
    error = ValueRefused(message.format(*parts), hint=hint.format(*parts))
    return error.with_sqlstate(_UNFIT_STATES[raised["what"]])


def _user_error(said: str) -> QueryError:
    """Return the error that a statement raises by RAISE_ERROR or ASSERT_TRUE."""
    text = re.sub(r"\s*SQLSTATE: .*$", "", said.removeprefix(USER_ERROR).partition("\n")[0])
    error = QueryError(text, hint="The statement raised it: RAISE_ERROR, or ASSERT_TRUE.")
    return error.with_sqlstate("P0001").about_statement()


def _null_error(text: str) -> ValueRefused:
    path = _NULL_PATH.search(text)
    column = "of the table" if path is None else repr(".".join(path.group(1).split("\n")))
    return ValueRefused(
        f"Column {column} is NOT NULL, found NULL.",
        hint="Give a value, a DEFAULT, or drop the column's NOT NULL.",
    ).with_sqlstate("23502")
