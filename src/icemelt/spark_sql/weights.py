"""Rows with identity and weight: the relations read by the algebra's scans and deltas.

The identity of a row is in `icemelt$id`. The weight, 1 for an inserted row and -1 for a deleted
row, is in `icemelt$weight`. The ends, 1 before, 2 after and 3 both, are in `icemelt$ends`.
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

    `relation` has the `columns`; an empty `key` stands for the row id.

    >>> from icemelt.schema import Primitive
    >>> with_identity("t", [Column("a", Primitive("long"))], ())
    '(SELECT `a`, `_row_id` AS `icemelt$id` FROM t)'
    """
    return prevent_pushdown(relation, columns, f"{_identity(key)} AS {quote(ROW)}")


def add_weights(
    parts: Sequence[tuple[str, int]], columns: Sequence[Column], key: Sequence[Column]
) -> str | None:
    """Return relations of rows together, with the rows' identity and weight as last columns.

    Args:
        parts: relations, and the weight of their rows.
        columns: the columns of the rows.
        key: the declared key, empty if the row id is the identity.
    """
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
    """Return rows with identity and weight as `add_weights` does, for many versions at once.

    The identity is a structure of `id` and `version`: rows of different versions are never one row.

    Args:
        parts: relations, the weight of their rows, and an expression of a row's version.
        columns: the columns of the rows.
        key: the declared key, empty if the row id is the identity.
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
    """Return relations of rows together, with the rows' identity and ends as last columns.

    Args:
        parts: relations, and an expression of a row's ends; 0 leaves the row out.
        columns: the columns of the rows.
        key: the declared key, empty if the row id is the identity.
    """
    behind = f"{_identity(key)} AS {quote(ROW)}"
    queries = []
    for relation, ends in parts:
        rows = prevent_pushdown(relation, columns, behind, f"{ends} AS {quote(ENDS)}")
        where = "" if ends.isdecimal() else f" WHERE {quote(ENDS)} <> 0"
        queries.append(f"SELECT * FROM {rows}{where}")
    return f"({' UNION ALL '.join(queries)})"


def ends_expression(since: int, deleted: Mapping[str, Sequence[int]] | None) -> str:
    """Return the expression of the ends of a row in the files of the table's end.

    Args:
        since: the sequence number of the start. A row updated later is of the end alone.
        deleted: the positions of deleted rows of the start, by file; None for all deleted rows that
            were not updated later.

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
    """An identity column: whether its values are whole numbers, and whether it has a version."""

    is_number: bool
    has_version: bool = False

    def text(self, name: str) -> str:
        """Return a text of the column `name`, equal for equal values and for no other values."""
        value = f"{name}.id" if self.has_version else name
        if self.is_number:
            return f"coalesce(CAST({value} AS STRING), 'null')"
        return f"to_json(array({normalize_numbers(value_as_text(value))}))"


def change_rows(
    changes: str, columns: Sequence[Column], identity: Sequence[IdColumn], domain: str
) -> str:
    """Return min-delta in the columns of a change query: columns by name, then METADATA columns.

    Args:
        changes: the columns, the identity, the weight, and whether the row is in an update.
        columns: the query's columns.
        identity: the identity columns. Their version, if any, is added as CARRIED.
        domain: the namespace of the row ids.
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
