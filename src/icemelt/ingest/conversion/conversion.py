"""Conversion of a client's rows to a table's columns, with an error for every value refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.answers import Append, OnError
from icemelt.ingest.conversion.arrays import EXACT_IN_DOUBLE, Kind, kind_of, plain, text_of
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.refusals import Refusal, Taken, distinct_places, numbered
from icemelt.ingest.conversion.typed import typed
from icemelt.ingest.conversion.unions import each_refused
from icemelt.ingest.errors import MalformedRows, RowError, RowsRefused
from icemelt.names import fold, nearest
from icemelt.schema import Column

__all__ = ["LISTED_ERRORS", "Converted", "arrow_schema", "convert", "taken"]

# Of more errors only their number is kept.
LISTED_ERRORS = 1000
# With the columns that are left out: few bytes may stand for many NULLs.
_MOST_VALUES = 32_000_000
_SHOWN, _HINTED = 50, 20
_LONGEST_REASON = 200
# a name is the sender's where the table has no such column, and each of the errors repeats it
_LONGEST_NAME = 255
_FIELD_ID = "PARQUET:field_id"
# Chunks smaller than this are put together first, as far as Arrow's 32-bit offsets allow.
_SMALL_CHUNK = 10_000
_MOST_BYTES = 2**30


@dataclass(frozen=True, slots=True)
class Converted:
    """The good rows, in their order, and the errors of the bad rows.

    `errors` has the first `LISTED_ERRORS` errors, by row and then by column; `unlisted_errors`
    counts the rest. `bad_rows` counts the bad rows. `bad` is an Arrow array of the row numbers of
    all bad rows, None if there are none.
    """

    rows: Any
    errors: tuple[RowError, ...]
    bad_rows: int
    unlisted_errors: int = 0
    bad: Any = None


def arrow_schema(columns: Sequence[Column]) -> Any:
    """Return the Arrow schema for the rows of a table.

    A field carries its Iceberg id in the metadata key read by Parquet writers.

    Raises:
        DefinitionRefused: Rows cannot be loaded into a column's type.

    >>> from icemelt.schema import Primitive
    >>> field = arrow_schema([Column("id", Primitive("long"), nullable=False, field_id=1)]).field(0)
    >>> field, field.metadata
    (pyarrow.Field<id: int64 not null>, {b'PARQUET:field_id': b'1'})
    """
    return pa.schema([_field(column) for column in columns])


def convert(table: Any, columns: Sequence[Column], *, time_zone: str = "UTC") -> Converted:
    """Convert an Arrow table from a client into rows of a table's columns.

    Args:
        table: the rows as sent. Columns are found by name, in any case; a missing column is NULL.
        columns: the columns of the target table.
        time_zone: the zone of clocks without a zone, for columns of type TIMESTAMP_LTZ.

    Raises:
        MalformedRows: Two of the table's columns are one by name, or the zone is not known.
        DefinitionRefused: Rows cannot be loaded into a column's type.

    >>> from icemelt.schema import Primitive
    >>> columns = [Column("id", Primitive("int"), nullable=False)]
    >>> converted = convert(pa.table({"ID": ["1", "two", None]}), columns)
    >>> converted.rows.to_pylist()
    [{'id': 1}]
    >>> for error in converted.errors:
    ...     print(error.row, error.reason)
    1 INT takes numbers and their text, found 'two'.
    2 A NOT NULL column takes no NULL.
    """
    if len(table) * len(columns) > _MOST_VALUES:
        message = f"{len(table):,} rows of {len(columns):,} columns are too many for one append."
        raise MalformedRows(message, hint=f"Append at most {_MOST_VALUES // len(columns):,} rows.")
    try:
        return _converted(table, columns, time_zone)
    except (pa.ArrowException, MemoryError) as error:
        message = f"Arrow cannot convert these rows: {error}."
        raise MalformedRows(message, hint="Send them as other types, or in fewer rows.") from error


def _converted(table: Any, columns: Sequence[Column], time_zone: str) -> Converted:
    schema = arrow_schema(columns)
    _check_zone(time_zone)
    sources = _matched(table, columns)
    taken, refused_by_column = [], []
    for column in columns:
        index = sources.pop(column.name, None)
        found = _column(
            None if index is None else table.column(index), column, len(table), time_zone
        )
        taken.append(found.values)
        refused_by_column.append((column.name, found.refusals))
    for place, (name, index) in enumerate(sources.items()):
        # to look for the nearest name takes long where there are many
        known = columns if place < _HINTED else ()
        refused_by_column.append((name, _unknown(table.column(index), name, known)))
    rows = pa.Table.from_arrays(taken, schema=schema)
    return _separated(rows, refused_by_column)


def taken(append: Append, converted: Converted) -> tuple[Any, str | None]:
    """Return the rows of an append to load, and the offset token to commit, by the append's mode.

    Raises:
        RowsRefused: A row is bad, and the append's mode is ABORT.

    >>> append = Append(1, pa.table({"id": [1]}), end_offset_token="7")
    >>> taken(append, Converted(append.rows, (), 0))[1]
    '7'
    """
    if converted.errors and append.on_error is OnError.ABORT:
        raise RowsRefused(converted.errors)
    if converted.errors and append.on_error is OnError.SKIP_BATCH:
        return converted.rows.slice(0, 0), None
    return converted.rows, append.end_offset_token


def _field(column: Column) -> Any:
    metadata = None if column.field_id is None else {_FIELD_ID: str(column.field_id)}
    return pa.field(column.name, arrow_type(column.type), column.nullable, metadata)


def _check_zone(time_zone: str) -> None:
    if time_zone == "UTC":
        return
    try:
        pc.assume_timezone(pa.array([0], pa.timestamp("us")), time_zone)
    except pa.ArrowInvalid:
        message = f"No time zone is called {time_zone[:_SHOWN]!r}."
        raise MalformedRows(message, hint="Use a name such as Europe/Berlin, or UTC.") from None


def _matched(table: Any, columns: Sequence[Column]) -> dict[str, int]:
    """Return the index of every source column, by the name of the target or by its own name."""
    exact = {column.name for column in columns}
    folded: dict[str, str] = {}
    for column in columns:
        folded.setdefault(fold(column.name), column.name)
    found: dict[str, int] = {}
    origin: dict[str, str] = {}
    for index, name in enumerate(table.column_names):
        target = name if name in exact else folded.get(fold(name), name)
        key = target if target in exact else fold(name)
        if key in origin:
            message = f"Columns {origin[key]!r} and {name!r} of the rows are one by name."
            raise MalformedRows(
                message, hint="Send each column once; case does not tell them apart."
            )
        origin[key], found[target] = name, index
    return found


def _column(source: Any, column: Column, count: int, time_zone: str) -> Taken:
    if source is None:
        source = pa.chunked_array([pa.nulls(count)])
    values, refusals, start = [], [], 0
    for piece in _pieces(source):
        taken = _not_null(typed(piece, column.type, time_zone), column)
        values.append(taken.values)
        refusals += [each.shifted(start) for each in taken.refusals]
        start += len(piece)
    return Taken(pa.chunked_array(values, arrow_type(column.type)), tuple(refusals))


def _pieces(column: Any) -> Sequence[Any]:
    """Return the column's chunks; many small chunks are combined."""
    small = column.num_chunks > 1 and len(column) < _SMALL_CHUNK * column.num_chunks
    if not small or column.nbytes > _MOST_BYTES:
        chunks: Sequence[Any] = column.chunks
        return chunks
    combined = column.combine_chunks()
    return combined.chunks if isinstance(combined, pa.ChunkedArray) else [combined]


def _not_null(taken: Taken, column: Column) -> Taken:
    if column.nullable or not taken.values.null_count:
        return taken
    missing = pc.is_null(taken.values)
    if taken.refusals:
        places = distinct_places(taken.refusals)
        missing = pc.and_(missing, pc.invert(pc.is_in(numbered(len(taken.values)), places)))
    return taken.without(missing, pa.nulls(len(taken.values)), "A NOT NULL column takes no NULL")


def _unknown(source: Any, name: str, columns: Sequence[Column]) -> tuple[Refusal, ...]:
    likely = nearest(name, [column.name for column in columns])
    hint = f" (did you mean {likely[:_SHOWN]!r}?)" if likely else ""
    expected = f"The table has no column {name[:_SHOWN]!r}{hint}"
    start, refusals = 0, []
    for chunk in source.chunks:
        taken = each_refused(chunk, expected)
        refusals += [each.shifted(start) for each in taken.refusals]
        start += len(chunk)
    return tuple(refusals)


def _separated(rows: Any, by_column: Sequence[tuple[str, tuple[Refusal, ...]]]) -> Converted:
    """Remove the rows with a refusal, and list the errors."""
    by_column = [(name, refusals) for name, refusals in by_column if refusals]
    if not by_column:
        return Converted(rows, (), 0)
    places = [distinct_places(refusals) for _, refusals in by_column]
    bad = pc.unique(pa.chunked_array(places))
    good = pc.invert(pc.is_in(numbered(len(rows)), value_set=bad))
    errors = tuple(_listed(by_column))
    total = sum(len(each) for each in places)
    return Converted(rows.filter(good), errors, len(bad), total - len(errors), bad)


def _listed(by_column: Sequence[tuple[str, tuple[Refusal, ...]]]) -> Iterator[RowError]:
    """Yield the first errors, one for each value, by row and then by column."""
    found: dict[tuple[int, int], tuple[Refusal, int]] = {}
    for order, (_, refusals) in enumerate(by_column):
        for refusal in refusals:
            for index, row in enumerate(refusal.places[:LISTED_ERRORS].to_pylist()):
                found.setdefault((row, order), (refusal, index))
    for row, order in sorted(found)[:LISTED_ERRORS]:
        refusal, index = found[row, order]
        name = by_column[order][0]
        if len(name) > _LONGEST_NAME:
            name = name[: _LONGEST_NAME - 1] + "…"
        yield RowError(row, name, _reason(refusal, index))


def _reason(refusal: Refusal, index: int) -> str:
    value = refusal.source.slice(refusal.at[index].as_py(), 1)
    shown = ""
    if value.null_count == 0:
        shown = _shown_nested(value) if refusal.is_of_nested else _shown(plain(value))
    sentence = f"{refusal.expected}, found {shown}" if shown else refusal.expected
    if len(sentence) >= _LONGEST_REASON:
        sentence = sentence[: _LONGEST_REASON - 2] + "…"
    return sentence + "."


def _shown(value: Any) -> str:
    """Return an array's single value, shortened, as an error shows the value."""
    kind = kind_of(value)
    if kind is Kind.BYTES:
        text = pc.binary_slice(value, 0, _SHOWN)[0].as_py().hex()
        return f"bytes {_shortened(text)}"
    if kind is Kind.STRING:
        return repr(_shortened(pc.utf8_slice_codeunits(value, 0, _SHOWN + 1)[0].as_py()))
    if kind is Kind.FLOAT and abs(number := value[0].as_py()) < EXACT_IN_DOUBLE:
        # in JSON it is the same number with and without a point
        kind = Kind.INTEGER if number == int(number) else kind
    return _with_kind(kind, text_of(value)[0].as_py() or "")


def _shown_nested(text: Any) -> str:
    """Return the JSON text of an array or object, shortened, as an error shows the value."""
    value = pc.utf8_slice_codeunits(text, 0, _SHOWN + 1)[0].as_py()
    kinds = {"[": Kind.LIST, "{": Kind.STRUCT}
    kind = kinds.get(value[:1])
    return _shown(text) if kind is None else _with_kind(kind, value)


def _with_kind(kind: Kind, text: str) -> str:
    return f"{kind.value}: {_shortened(text)}".rstrip(": ")


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
