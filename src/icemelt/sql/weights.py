"""Rows with identity and weight: what the algebra's scans and deltas read, and what it gives.

A row's identity is in `icemelt$id`; its weight, 1 for a row that came and -1 for one that went, in
`icemelt$weight`.
"""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.names import quote
from icemelt.schema import Column
from icemelt.sql.change_relations import canonical_key, hashed, text_of, texts
from icemelt.sql.equality import compared_here, trimmed

__all__ = ["ROW", "WEIGHT", "change_rows", "weighted", "with_identity"]

_COMMA, _NOTHING = ", ',', ", "''"
ROW, WEIGHT = "icemelt$id", "icemelt$weight"
_ACTION, _ISUPDATE, _ROW_ID = (
    quote(f"METADATA${name}") for name in ("ACTION", "ISUPDATE", "ROW_ID")
)


def with_identity(relation: str, columns: Sequence[Column], key: Sequence[Column]) -> str:
    """Return a table's rows with their identity: the row id, or a declared key.

    >>> from icemelt.schema import Primitive
    >>> with_identity("t", [Column("a", Primitive("long"))], ())
    '(SELECT `a`, `_row_id` AS `icemelt$id` FROM t)'
    """
    return compared_here(relation, columns, f"{_identity(key)} AS {quote(ROW)}")


def weighted(
    parts: Sequence[tuple[str, int]], columns: Sequence[Column], key: Sequence[Column]
) -> str | None:
    """Return relations of rows with a weight each, their identity and that weight behind them."""
    names = ", ".join(quote(column.name) for column in columns)
    behind = f"{_identity(key)} AS {quote(ROW)}"
    queries = [
        f"SELECT {names}, {behind}, {weight} AS {quote(WEIGHT)} FROM {relation}"
        for relation, weight in parts
    ]
    return f"({' UNION ALL '.join(queries)})" if queries else None


def change_rows(
    changes: str, columns: Sequence[Column], numbers: Sequence[bool], domain: str
) -> str:
    """Return min-delta as a change query gives it: the columns by name, then the METADATA columns.

    `changes` has the columns, those of the identity, the weight, and whether it is of an update;
    `numbers` says of each column of the identity whether it is a whole number.
    """
    width = len(columns)
    names = ", ".join(f"c{at} AS {quote(column.name)}" for at, column in enumerate(columns))
    ids = [_text(f"c{width + at}", is_number) for at, is_number in enumerate(numbers)]
    action = f"if(c{width + len(ids)} > 0, 'INSERT', 'DELETE') AS {_ACTION}"
    update = f"c{width + len(ids) + 1} AS {_ISUPDATE}"
    row_id = f"{hashed(domain, _COMMA.join(ids) or _NOTHING)} AS {_ROW_ID}"
    return f"(SELECT {names}, {action}, {update}, {row_id} FROM {changes})"


def _text(value: str, is_number: bool) -> str:  # noqa: FBT001 - what the value is
    """Return a text that equal values share; no other value has it."""
    if is_number:
        return f"coalesce(CAST({value} AS STRING), 'null')"
    return f"to_json(array({trimmed(text_of(value))}))"


def _identity(key: Sequence[Column]) -> str:
    return texts([canonical_key(column) for column in key]) if key else quote("_row_id")
