"""Values that a client left out of its rows, marked by columns of booleans beside the rows.

A row that leaves out a column gets the column's default; a NULL in a row stays NULL. An Arrow table
has a NULL for both, so a *mark* tells them apart: a further column of the table, true where the row
leaves the value out. A column that no row has needs no mark: the table lacks the column.

Example: the rows {"id": 1} and {"id": 2, "source": null}, as an Arrow table.

    id   source   mark of source
    1    NULL     true
    2    NULL     false
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.names import fold
from icemelt.schema import Column

__all__ = [
    "concat_marked",
    "find_defaulted",
    "has_default",
    "is_mark",
    "mark_left_out",
    "split_marks",
]

# in the metadata of a mark's field: the name of the marked column
_KEY = b"icemelt.left_out"


def has_default(column: Column) -> bool:
    """Tell whether a column has a default other than NULL.

    >>> from icemelt.schema import Primitive
    >>> kind = Primitive("string")
    >>> (
    ...     has_default(Column("a", kind, default="'x'")),
    ...     has_default(Column("a", kind, default="NULL")),
    ... )
    (True, False)
    """
    return column.default is not None and column.default.strip("() ").upper() != "NULL"


def find_defaulted(columns: Iterable[Column]) -> frozenset[str]:
    """Return the folded names of the columns with a default: rows have to tell of these alone."""
    return frozenset(fold(column.name) for column in columns if has_default(column))


def mark_left_out(rows: Any, masks: Mapping[str, Any]) -> Any:
    """Return an Arrow table with marks of values left out.

    Args:
        rows: the Arrow table.
        masks: by the name of a column of `rows`, a boolean array: true where the row leaves the
            value out. A mask without a true value becomes no mark.

    >>> marked = mark_left_out(pa.table({"a": [1, None]}), {"a": pa.array([False, True])})
    >>> marked.column_names, split_marks(marked)[1]["a"].to_pylist()
    (['a', 'mark of a'], [False, True])
    """
    for name, mask in masks.items():
        if pc.any(mask).as_py():
            rows = rows.append_column(_mark_field(name), mask)
    return rows


def is_mark(field: pa.Field) -> bool:
    """Tell whether a field of an Arrow table is a mark."""
    return pa.types.is_boolean(field.type) and _KEY in (field.metadata or {})


def split_marks(rows: Any) -> tuple[Any, dict[str, Any]]:
    """Return an Arrow table without its marks, and the marks by the name of the marked column."""
    marks: dict[str, Any] = {}
    kept = []
    for index, field in enumerate(rows.schema):
        if is_mark(field):
            marks[field.metadata[_KEY].decode(errors="replace")] = rows.column(index)
        else:
            kept.append(index)
    return (rows.select(kept), marks) if marks else (rows, marks)


def concat_marked(tables: Sequence[Any]) -> Any:
    """Return the rows of Arrow tables one after the other; a column that a table lacks is left out.

    Columns of one name have one type.

    >>> one, two = pa.table({"a": [1], "b": ["x"]}), pa.table({"a": [2]})
    >>> rows, marks = split_marks(concat_marked([one, two]))
    >>> rows.to_pylist(), marks["b"].to_pylist()
    ([{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}], [False, True])
    """
    first = tables[0].schema
    if all(table.schema.equals(first) for table in tables):
        return pa.concat_tables(tables)
    parts = [split_marks(table) for table in tables]
    fields = {field.name: field for rows, _ in parts for field in rows.schema}
    # the columns that each part has whole
    whole = [set(rows.column_names) - marks.keys() for rows, marks in parts]
    partial = sorted(fields.keys() - set.intersection(*whole))
    return pa.concat_tables([_complete(*part, fields, partial) for part in parts])


def _complete(
    rows: Any, marks: Mapping[str, Any], fields: Mapping[str, pa.Field], partial: Sequence[str]
) -> Any:
    """Return rows with all columns of `fields`, and with marks of the columns `partial`."""
    count, names = rows.num_rows, set(rows.column_names)
    columns, schema = [], []
    for name, field in fields.items():
        columns.append(rows.column(name) if name in names else pa.nulls(count, field.type))
        schema.append(field.with_nullable(field.nullable or name in partial))
    for name in partial:
        is_left_out = pa.repeat(pa.scalar(name not in names), count)
        columns.append(marks.get(name, is_left_out))
        schema.append(_mark_field(name))
    return pa.Table.from_arrays(columns, schema=pa.schema(schema))


def _mark_field(name: str) -> pa.Field:
    return pa.field(f"mark of {name}", pa.bool_(), metadata={_KEY: name.encode()})
