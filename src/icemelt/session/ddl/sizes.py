"""Limits for the size of a definition: metadata keeps all schemas of a table, with defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from icemelt.errors import DefinitionRefused, NameRefused

__all__ = ["MAX_DEFAULT_LENGTH", "schema_size", "validate_default_length", "validate_schema_size"]

MAX_DEFAULT_LENGTH = 16_384
_MAX_FIELDS, _MAX_NAME_LENGTH = 10_000, 255
# every statement on the table reads these bytes, and every write copies them
_MAX_SCHEMA_BYTES = 16 << 20


def validate_default_length(column: str, length: int) -> None:
    """Refuse a DEFAULT whose text or value is too long.

    `length` is in characters for a text, in bytes for a binary value.

    Raises:
        DefinitionRefused: the default is too long.

    >>> validate_default_length("a", 20_000)
    Traceback (most recent call last):
    icemelt.errors.DefinitionRefused: The DEFAULT of column 'a' has 20,000 characters, 16,384 are \
    as many as may be.
    Hint: Leave it out, and give long values in INSERT and UPDATE.
    """
    if length > MAX_DEFAULT_LENGTH:
        raise DefinitionRefused(
            f"The DEFAULT of column {column!r} has {length:,} characters, {MAX_DEFAULT_LENGTH:,} "
            "are as many as may be.",
            hint="Leave it out, and give long values in INSERT and UPDATE.",
        )


def validate_schema_size(table: str, schemas: Sequence[Mapping[str, Any]], before: int = 0) -> None:
    """Refuse a table whose schemas are too large for metadata.

    Args:
        table: the table's name.
        schemas: all schemas of the metadata in Iceberg's JSON, the newest last.
        before: `schema_size` of the schemas before the change; a table that is too large already
            may stay as large.

    Raises:
        DefinitionRefused: a schema has too many columns and fields, or all have too many bytes.
        NameRefused: the name of a nested field is too long.
    """
    names = list(_names(schemas[-1])) if schemas else []
    if len(names) > _MAX_FIELDS:
        raise DefinitionRefused(
            f"Table {table!r} would have {len(names):,} columns and fields in them, "
            f"{_MAX_FIELDS:,} are as many as may be.",
            hint="Keep what is seldom read in one VARIANT column.",
        )
    longest = max(map(len, names), default=0)
    if longest > _MAX_NAME_LENGTH:
        raise NameRefused(
            f"A field name has 1 to {_MAX_NAME_LENGTH} characters, found {longest:,}.",
            hint="Choose shorter names for the fields of objects.",
        )
    size = schema_size(schemas)
    if size > max(_MAX_SCHEMA_BYTES, before):
        raise DefinitionRefused(
            f"The schemas of table {table!r}, those before included, would have {size:,} bytes, "
            f"{_MAX_SCHEMA_BYTES:,} are as many as may be.",
            hint=f"CREATE TABLE … AS SELECT * FROM {table} makes one that has the last one alone.",
        )


def schema_size(schemas: Sequence[Mapping[str, Any]]) -> int:
    """Return the size of schemas as JSON, in bytes.

    >>> schema_size([{"type": "struct", "fields": []}])
    34
    """
    return len(json.dumps(schemas, ensure_ascii=False).encode(errors="surrogatepass"))


def _names(part: Any) -> Iterator[str]:
    """Yield the names of all columns, and of all nested fields."""
    if not isinstance(part, Mapping):
        return
    for field in part.get("fields", ()):
        yield field["name"]
        yield from _names(field["type"])
    for inner in ("element", "key", "value"):
        yield from _names(part.get(inner))
