"""How large a definition may be: a table's metadata has each of its schemas, with all defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from icemelt.errors import DefinitionRefused, NameRefused

__all__ = ["LONGEST_DEFAULT", "refuse_large", "refuse_long_default", "size_of"]

LONGEST_DEFAULT = 16_384
_MOST_FIELDS, _LONGEST_NAME = 10_000, 255
# every statement that touches the table reads and every one that writes it copies as many
_MOST_BYTES = 16 << 20


def refuse_long_default(column: str, length: int) -> None:
    """Let a DEFAULT pass whose text, or value, has so many characters or bytes.

    Raises:
        DefinitionRefused: it has too many.

    >>> refuse_long_default("a", 20_000)
    Traceback (most recent call last):
    icemelt.errors.DefinitionRefused: The DEFAULT of column 'a' has 20,000 characters, 16,384 are \
as many as may be.
    Hint: Leave it out, and give long values in INSERT and UPDATE.
    """
    if length > LONGEST_DEFAULT:
        raise DefinitionRefused(
            f"The DEFAULT of column {column!r} has {length:,} characters, {LONGEST_DEFAULT:,} are "
            "as many as may be.",
            hint="Leave it out, and give long values in INSERT and UPDATE.",
        )


def refuse_large(table: str, schemas: Sequence[Mapping[str, Any]], before: int = 0) -> None:
    """Let a table pass whose schemas, Iceberg's JSON, are of a size that metadata may have.

    Args:
        table: the table's name.
        schemas: all that its metadata has, the newest last.
        before: what `size_of` was of them; a table that another engine made large may be as it is.

    Raises:
        DefinitionRefused: a schema has too many columns and fields, or all have too many bytes.
        NameRefused: a field inside of a column has too long a name.
    """
    names = list(_names(schemas[-1])) if schemas else []
    if len(names) > _MOST_FIELDS:
        raise DefinitionRefused(
            f"Table {table!r} would have {len(names):,} columns and fields in them, "
            f"{_MOST_FIELDS:,} are as many as may be.",
            hint="Keep what is seldom read in one VARIANT column.",
        )
    longest = max(map(len, names), default=0)
    if longest > _LONGEST_NAME:
        raise NameRefused(
            f"A field name has 1 to {_LONGEST_NAME} characters, found {longest:,}.",
            hint="Choose shorter names for the fields of objects.",
        )
    size = size_of(schemas)
    if size > max(_MOST_BYTES, before):
        raise DefinitionRefused(
            f"The schemas of table {table!r}, those before included, would have {size:,} bytes, "
            f"{_MOST_BYTES:,} are as many as may be.",
            hint=f"CREATE TABLE … AS SELECT * FROM {table} makes one that has the last one alone.",
        )


def size_of(schemas: Sequence[Mapping[str, Any]]) -> int:
    """Return how many bytes schemas have as JSON.

    >>> size_of([{"type": "struct", "fields": []}])
    34
    """
    return len(json.dumps(schemas, ensure_ascii=False).encode(errors="surrogatepass"))


def _names(part: Any) -> Iterator[str]:
    """Yield the name of each column, and of each field in one."""
    if not isinstance(part, Mapping):
        return
    for field in part.get("fields", ()):
        yield field["name"]
        yield from _names(field["type"])
    for inner in ("element", "key", "value"):
        yield from _names(part.get(inner))
