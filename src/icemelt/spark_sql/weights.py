"""Rows with identity and weight: what the algebra's scans and deltas read, and what it gives.

A row's identity is in `icemelt$id`; its weight, 1 for a row that came and -1 for one that went, in
`icemelt$weight`; and its ends in `icemelt$ends`, 1 before, 2 after and 3 both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.spark_sql.change_relations import (
    CARRIED,
    canonical_key,
    hash_row_id,
    value_as_text,
    values_as_text,
)
from icemelt.spark_sql.equality import normalize_numbers, prevent_pushdown

__all__ = [
    "ENDS",
    "ROW",
    "WEIGHT",
    "IdColumn",
    "add_weights",
    "add_weights_by_version",
    "change_rows",
    "ends_expression",
    "with_ends",
    "with_identity",
]

_COMMA, _NOTHING = ", ',', ", "''"
ROW, WEIGHT, ENDS = "icemelt$id", "icemelt$weight", "icemelt$ends"
_ACTION, _ISUPDATE, _ROW_ID = (
    quote(f"METADATA${name}") for name in ("ACTION", "ISUPDATE", "ROW_ID")
)


def with_identity(relation: str, columns: Sequence[Column], key: Sequence[Column]) -> str:
    """Return a table's rows with their identity: the row id, or a declared key.

    >>> from icemelt.schema import Primitive
    >>> with_identity("t", [Column("a", Primitive("long"))], ())
    '(SELECT `a`, `_row_id` AS `icemelt$id` FROM t)'
    """
    return prevent_pushdown(relation, columns, f"{_identity(key)} AS {quote(ROW)}")


def add_weights(
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


def add_weights_by_version(
    parts: Sequence[tuple[str, int, str]], columns: Sequence[Column], key: Sequence[Column]
) -> str:
    """Return relations of rows with a weight each, as `add_weights`, of many versions at once.

    An expression gives the version in each. It is in the identity, a structure of `id` and
    `version`: rows of different versions are never one row.
    """
    names = ", ".join(quote(column.name) for column in columns)
    queries = []
    for relation, weight, version in parts:
        row = f"named_struct('id', {_identity(key)}, 'version', {version}) AS {quote(ROW)}"
        queries.append(f"SELECT {names}, {row}, {weight} AS {quote(WEIGHT)} FROM {relation}")
    return f"({' UNION ALL '.join(queries)})"


def with_ends(
    parts: Sequence[tuple[str, str]], columns: Sequence[Column], key: Sequence[Column]
) -> str:
    """Return relations of rows, their identity and ends behind them.

    An expression tells these in each, 0 of a row that is of neither.
    """
    behind = f"{_identity(key)} AS {quote(ROW)}"
    queries = []
    for relation, ends in parts:
        rows = prevent_pushdown(relation, columns, behind, f"{ends} AS {quote(ENDS)}")
        where = "" if ends.isdecimal() else f" WHERE {quote(ENDS)} <> 0"
        queries.append(f"SELECT * FROM {rows}{where}")
    return f"({' UNION ALL '.join(queries)})"


def ends_expression(since: int, deleted: Mapping[str, Sequence[int]] | None) -> str:
    """Return the expression of the ends of a row that a table has at the end, or had in its files.

    A row is new that was last updated after a sequence number. Of deleted ones those at positions
    of files were there at the start, or all that are not new.

    >>> ends_expression(7, {})
    'if(`_last_updated_sequence_number` > 7, 2, 3)'
    """
    is_new = f"`_last_updated_sequence_number` > {since}"
    if deleted is None:
        return f"CASE WHEN {is_new} THEN if(`_deleted`, 0, 2) WHEN `_deleted` THEN 1 ELSE 3 END"
    if not deleted:
        return f"if({is_new}, 2, 3)"
    # in a raw string, as a constant that is read once; $ would be a variable of Spark's
    written = json.dumps(deleted).replace("'", "\\u0027").replace("$", "\\u0024")
    positions = f"from_json(r'{written}', 'map<string,array<bigint>>')[`_file`]"
    went = f"if(array_contains({positions}, `_pos`), 1, 0)"
    return f"CASE WHEN `_deleted` THEN {went} WHEN {is_new} THEN 2 ELSE 3 END"


@dataclass(frozen=True, slots=True)
class IdColumn:
    """A column of rows' identity: if it is a whole number, and if it has the version as well."""

    is_number: bool
    has_version: bool = False

    def text(self, name: str) -> str:
        """Return a text of it that equal values share; no other value has it."""
        value = f"{name}.id" if self.has_version else name
        if self.is_number:
            return f"coalesce(CAST({value} AS STRING), 'null')"
        return f"to_json(array({normalize_numbers(value_as_text(value))}))"


def change_rows(
    changes: str, columns: Sequence[Column], identity: Sequence[IdColumn], domain: str
) -> str:
    """Return min-delta as a change query gives it: the columns by name, then the METADATA columns.

    `changes` has the columns, those of the identity, the weight, and whether it is of an update.
    Where rows are of versions, theirs is behind as CARRIED.
    """
    width = len(columns)
    names = ", ".join(f"c{at} AS {quote(column.name)}" for at, column in enumerate(columns))
    ids = [each.text(f"c{width + at}") for at, each in enumerate(identity)]
    versions = [f"c{width + at}.version" for at, each in enumerate(identity) if each.has_version]
    carried = f", coalesce({', '.join(versions)}) AS {CARRIED}" if versions else ""
    action = f"if(c{width + len(ids)} > 0, 'INSERT', 'DELETE') AS {_ACTION}"
    update = f"c{width + len(ids) + 1} AS {_ISUPDATE}"
    row_id = f"{hash_row_id(domain, _COMMA.join(ids) or _NOTHING)} AS {_ROW_ID}"
    return f"(SELECT {names}, {action}, {update}, {row_id}{carried} FROM {changes})"


def _identity(key: Sequence[Column]) -> str:
    return values_as_text([canonical_key(column) for column in key]) if key else quote("_row_id")
