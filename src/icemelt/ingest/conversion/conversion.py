"""Conversion of a client's rows to a table's columns, with an error for every value refused.

Example, for a table of one column, `id INT NOT NULL`:

    row sent         row stored   error
    {"ID": " 7 "}    {"id": 7}
    {"id": "two"}                 INT takes numbers and their text, found 'two'.
    {"id": null}                  A NOT NULL column takes no NULL.
    {"id": 6.5}      {"id": 7}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.answers import Append, OnError
from icemelt.ingest.conversion.arrays import EXACT_IN_DOUBLE, Kind, kind_of, text_of, to_plain_array
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.converted_array import (
    ConversionError,
    ConvertedArray,
    distinct_places,
    row_numbers,
)
from icemelt.ingest.conversion.dispatch import convert_array
from icemelt.ingest.conversion.partitions import PartitionRule, reject_unpartitionable
from icemelt.ingest.conversion.unions import reject_values
from icemelt.ingest.errors import MalformedRows, RowError, RowsRefused
from icemelt.ingest.left_out import has_default, mark_left_out, split_marks
from icemelt.names import find_nearest, fold
from icemelt.schema import Column

__all__ = [
    "LISTED_ERRORS",
    "ConvertedRows",
    "DefaultValues",
    "apply_on_error",
    "arrow_schema",
    "convert",
]

# gives an Arrow array of default values, by the name of a column and the number of values
DefaultValues = Callable[[str, int], Any]

# Further errors are only counted.
LISTED_ERRORS = 1000
# Missing columns included: few bytes may stand for many NULLs.
_MOST_VALUES = 32_000_000
_SHOWN, _HINTED = 50, 20
_LONGEST_REASON = 200
# an unknown column has the sender's name, and every error of the column repeats the name
_LONGEST_NAME = 255
_FIELD_ID = "PARQUET:field_id"
# Smaller chunks are combined first, as far as Arrow's 32-bit offsets allow.
_SMALL_CHUNK = 10_000
_MOST_BYTES = 2**30


@dataclass(frozen=True, slots=True)
class ConvertedRows:
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


def convert(
    table: Any,
    columns: Sequence[Column],
    *,
    time_zone: str = "UTC",
    partitions: Sequence[PartitionRule] = (),
    defaults: DefaultValues | None = None,
) -> ConvertedRows:
    """Convert an Arrow table from a client into rows of a table's columns.

    Args:
        table: the rows as sent. Columns are found by name, in any case. A missing column has its
            default, or NULL; the marks of `left_out.py` say which rows lack a column.
        columns: the columns of the target table.
        time_zone: the zone of clocks without a zone, for columns of type TIMESTAMP_LTZ.
        partitions: the partition fields of the table; values that no partition can hold are bad.
        defaults: gives the default values of a column. Without it the rows returned lack them: a
            column left out by all rows is missing, others have marks.

    Raises:
        MalformedRows: A row has two values for one column, whose names differ by case, or the zone
            is not known.
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
        return _convert(table, columns, time_zone, partitions, defaults)
    except (pa.ArrowException, MemoryError) as error:
        message = f"Arrow cannot convert these rows: {error}."
        raise MalformedRows(message, hint="Send them as other types, or in fewer rows.") from error


def _convert(
    table: Any,
    columns: Sequence[Column],
    time_zone: str,
    partitions: Sequence[PartitionRule],
    defaults: DefaultValues | None,
) -> ConvertedRows:
    schema = arrow_schema(columns)
    _check_zone(time_zone)
    table, marks = split_marks(table) if any(map(has_default, columns)) else (table, {})
    sources = _match_columns(table, columns)
    fields: list[Any] = []
    arrays, errors_by_column, masks = [], [], {}
    for column, field in zip(columns, schema, strict=True):
        indexes = sources.pop(column.name, [])
        left_out = _find_left_out(table, indexes, column, marks)
        if left_out is not None and defaults is None:
            # rows without any column would have no number
            if not indexes and (fields or column is not columns[-1]):
                continue
            masks[column.name] = left_out
        converted = _convert_given(table, indexes, column, left_out, time_zone)
        if left_out is not None and defaults is not None:
            converted = _fill(converted, column, left_out, defaults(column.name, len(table)))
        converted = _reject_partitions(converted, column, partitions)
        fields.append(field.with_nullable(field.nullable or column.name in masks))
        arrays.append(converted.values)
        errors_by_column.append((column.name, converted.errors))
    errors_by_column += _reject_unknown_columns(table, sources, columns)
    rows = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    return _separate_bad_rows(mark_left_out(rows, masks), errors_by_column)


def apply_on_error(append: Append, converted: ConvertedRows) -> tuple[Any, str | None]:
    """Return the rows of an append to load, and the offset token to commit, by the append's mode.

    Raises:
        RowsRefused: A row is bad, and the append's mode is ABORT.

    >>> append = Append(1, pa.table({"id": [1]}), end_offset_token="7")
    >>> apply_on_error(append, ConvertedRows(append.rows, (), 0))[1]
    '7'
    """
    if converted.errors and append.on_error is OnError.ABORT:
        raise RowsRefused(converted.errors)
    if converted.errors and append.on_error is OnError.SKIP_BATCH:
        return converted.rows.slice(0, 0), None
    return converted.rows, append.end_offset_token


def _find_left_out(
    table: Any, indexes: Sequence[int], column: Column, marks: Mapping[str, Any]
) -> Any | None:
    """Return which rows leave out a column with a default; None if no row does.

    Args:
        table: the rows as sent, without marks.
        indexes: the indexes of the source columns; a row leaves the column out if the row has it
            under no spelling.
        column: the column of the target table.
        marks: the marks of the rows, by the names of source columns.
    """
    if not has_default(column):
        return None
    names = [table.field(index).name for index in indexes]
    if not all(name in marks for name in names):
        return None
    left_out = pa.repeat(pa.scalar(True), len(table))  # noqa: FBT003 - Arrow's own
    for name in names:
        left_out = pc.and_(left_out, pc.fill_null(marks[name].combine_chunks(), False))  # noqa: FBT003
    return left_out


def _convert_given(
    table: Any, indexes: Sequence[int], column: Column, left_out: Any | None, time_zone: str
) -> ConvertedArray:
    """Convert the source columns of one column of the target.

    Args:
        table: the rows as sent, without marks.
        indexes: the indexes of the source columns: none, or those whose names differ by case.
        column: the column of the target table.
        left_out: which rows may have NULL in a column NOT NULL; None for no rows.
        time_zone: the zone of clocks without a zone.
    """
    relaxed = column if left_out is None else replace(column, nullable=True)
    if len(indexes) > 1:
        converted = _convert_spellings(table.select(indexes), relaxed, time_zone)
    else:
        source = table.column(indexes[0]) if indexes else None
        converted = _convert_column(source, relaxed, len(table), time_zone)
    return converted if left_out is None else _reject_null(converted, column, left_out)


def _fill(converted: ConvertedArray, column: Column, left_out: Any, values: Any) -> ConvertedArray:
    """Put default values where rows leave the column out.

    Args:
        converted: the values of the rows, NULL where left out.
        column: the column of the target table.
        left_out: a boolean array, true where a row leaves the column out.
        values: the default values, one for each row.
    """
    count, kind = len(left_out), converted.values.type
    filled = pa.chunked_array([values], kind)
    if not pc.all(left_out).as_py():
        # the numbers of the rows' own values, and of the defaults behind them
        numbers = pc.add(row_numbers(count), pc.if_else(left_out, count, 0))
        filled = pa.chunked_array([*converted.values.chunks, values], kind).take(numbers)
    # a default may be NULL, too
    return _reject_null(converted.with_values(filled), column)


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


def _match_columns(table: Any, columns: Sequence[Column]) -> dict[str, list[int]]:
    """Return the indexes of the source columns, by the name of the target or by their own name.

    Columns whose names differ by case have one target. A name that no target has is there once.
    """
    exact = {column.name for column in columns}
    folded: dict[str, str] = {}
    for column in columns:
        folded.setdefault(fold(column.name), column.name)
    sources: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for index, name in enumerate(table.column_names):
        target = name if name in exact else folded.get(fold(name), name)
        key = name if target in exact else fold(name)
        if key in names:
            raise _one_by_name(names[key], name, "Send each column once.")
        names[key] = name
        sources.setdefault(target, []).append(index)
    return sources


def _one_by_name(first: str, second: str, hint: str) -> MalformedRows:
    message = f"Columns {first!r} and {second!r} of the rows are one by name."
    return MalformedRows(message, hint=hint)


def _convert_spellings(sources: Any, column: Column, time_zone: str) -> ConvertedArray:
    """Convert columns whose names differ by case into one, of which a row has one value at most.

    Args:
        sources: an Arrow table of these columns.
        column: the column of the target table.
        time_zone: the zone of clocks without a zone.

    Raises:
        MalformedRows: a row has a value in two of them.
    """
    relaxed = replace(column, nullable=True)
    parts = [_convert_column(each, relaxed, len(sources), time_zone) for each in sources.columns]
    seen, first = None, ""
    for name, part in zip(sources.column_names, parts, strict=True):
        is_there = pc.is_valid(part.values.combine_chunks())
        if part.errors:
            places = distinct_places(part.errors)
            is_there = pc.or_(is_there, pc.is_in(row_numbers(len(sources)), places))
        if seen is not None and (row := pc.index(pc.and_(seen, is_there), True).as_py()) >= 0:
            hint = f"Row {row} has a value in both; case does not tell them apart."
            raise _one_by_name(first, name, hint)
        seen, first = is_there if seen is None else pc.or_(seen, is_there), first or name
    values = pc.coalesce(*(part.values.combine_chunks() for part in parts))
    errors = tuple(error for part in parts for error in part.errors)
    checked = _reject_null(ConvertedArray(values, errors), column)
    return ConvertedArray(pa.chunked_array([checked.values]), checked.errors)


def _convert_column(source: Any, column: Column, count: int, time_zone: str) -> ConvertedArray:
    if source is None:
        source = pa.chunked_array([pa.nulls(count)])
    values, errors, start = [], [], 0
    for piece in _pieces(source):
        converted = _reject_null(convert_array(piece, column.type, time_zone), column)
        values.append(converted.values)
        errors += [error.shift(start) for error in converted.errors]
        start += len(piece)
    return ConvertedArray(pa.chunked_array(values, arrow_type(column.type)), tuple(errors))


def _reject_partitions(
    converted: ConvertedArray, column: Column, partitions: Sequence[PartitionRule]
) -> ConvertedArray:
    rules = [rule for rule in partitions if rule.column == column.name]
    if not rules:
        return converted
    values, errors, start = [], [*converted.errors], 0
    for chunk in converted.values.chunks:
        checked = reject_unpartitionable(ConvertedArray(chunk), rules)
        values.append(checked.values)
        errors += [error.shift(start) for error in checked.errors]
        start += len(chunk)
    return ConvertedArray(pa.chunked_array(values, converted.values.type), tuple(errors))


def _pieces(column: Any) -> Sequence[Any]:
    """Return the column's chunks; many small chunks are combined."""
    small = column.num_chunks > 1 and len(column) < _SMALL_CHUNK * column.num_chunks
    if not small or column.nbytes > _MOST_BYTES:
        chunks: Sequence[Any] = column.chunks
        return chunks
    combined = column.combine_chunks()
    return combined.chunks if isinstance(combined, pa.ChunkedArray) else [combined]


def _reject_null(
    converted: ConvertedArray, column: Column, left_out: Any | None = None
) -> ConvertedArray:
    """Refuse NULL in a column NOT NULL, but for the rows that leave the column out."""
    if column.nullable or not converted.values.null_count:
        return converted
    missing = pc.is_null(converted.values)
    if left_out is not None:
        missing = pc.and_(missing, pc.invert(left_out))
    if converted.errors:
        places = distinct_places(converted.errors)
        missing = pc.and_(missing, pc.invert(pc.is_in(row_numbers(len(converted.values)), places)))
    return converted.reject(
        missing, pa.nulls(len(converted.values)), "A NOT NULL column takes no NULL"
    )


def _reject_unknown_columns(
    table: Any, sources: Mapping[str, Sequence[int]], columns: Sequence[Column]
) -> Iterator[tuple[str, tuple[ConversionError, ...]]]:
    """Yield the errors of columns that the target table lacks, by name.

    Args:
        table: the rows as sent, without marks.
        sources: the index of each such column, by its name.
        columns: the columns of the target table.
    """
    for position, (name, [index]) in enumerate(sources.items()):
        # the search for the nearest name is slow for many columns
        candidates = columns if position < _HINTED else ()
        yield name, _reject_unknown_column(table.column(index), name, candidates)


def _reject_unknown_column(
    source: Any, name: str, columns: Sequence[Column]
) -> tuple[ConversionError, ...]:
    nearest_name = find_nearest(name, [column.name for column in columns])
    hint = f" (did you mean {nearest_name[:_SHOWN]!r}?)" if nearest_name else ""
    expected = f"The table has no column {name[:_SHOWN]!r}{hint}"
    start, errors = 0, []
    for chunk in source.chunks:
        rejected = reject_values(chunk, expected)
        errors += [error.shift(start) for error in rejected.errors]
        start += len(chunk)
    return tuple(errors)


def _separate_bad_rows(
    rows: Any, by_column: Sequence[tuple[str, tuple[ConversionError, ...]]]
) -> ConvertedRows:
    """Remove the rows with an error, and list the errors."""
    by_column = [(name, errors) for name, errors in by_column if errors]
    if not by_column:
        return ConvertedRows(rows, (), 0)
    places = [distinct_places(errors) for _, errors in by_column]
    bad = pc.unique(pa.chunked_array(places))
    good = pc.invert(pc.is_in(row_numbers(len(rows)), value_set=bad))
    errors = tuple(_list_errors(by_column))
    total = sum(len(rows_of_column) for rows_of_column in places)
    return ConvertedRows(rows.filter(good), errors, len(bad), total - len(errors), bad)


def _list_errors(
    by_column: Sequence[tuple[str, tuple[ConversionError, ...]]],
) -> Iterator[RowError]:
    """Yield the first errors, one for each value, by row and then by column."""
    first_errors: dict[tuple[int, int], tuple[ConversionError, int]] = {}
    for order, (_, errors) in enumerate(by_column):
        for error in errors:
            for index, row in enumerate(error.places[:LISTED_ERRORS].to_pylist()):
                first_errors.setdefault((row, order), (error, index))
    for row, order in sorted(first_errors)[:LISTED_ERRORS]:
        error, index = first_errors[row, order]
        name = by_column[order][0]
        if len(name) > _LONGEST_NAME:
            name = name[: _LONGEST_NAME - 1] + "…"
        yield RowError(row, name, _reason(error, index))


def _reason(error: ConversionError, index: int) -> str:
    value = error.source.slice(error.at[index].as_py(), 1)
    value_text = ""
    if value.null_count == 0:
        value_text = (
            _show_nested(value) if error.is_nested_text else _show_value(to_plain_array(value))
        )
    sentence = f"{error.expected}, found {value_text}" if value_text else error.expected
    if len(sentence) >= _LONGEST_REASON:
        sentence = sentence[: _LONGEST_REASON - 2] + "…"
    return sentence + "."


def _show_value(value: Any) -> str:
    """Return an array's single value, shortened, as an error shows the value."""
    kind = kind_of(value)
    if kind is Kind.BYTES:
        text = pc.binary_slice(value, 0, _SHOWN)[0].as_py().hex()
        return f"bytes {_shorten(text)}"
    if kind is Kind.STRING:
        return repr(_shorten(pc.utf8_slice_codeunits(value, 0, _SHOWN + 1)[0].as_py()))
    if kind is Kind.FLOAT and abs(number := value[0].as_py()) < EXACT_IN_DOUBLE:
        # in JSON a number is the same with and without a point
        kind = Kind.INTEGER if number == int(number) else kind
    return _with_kind(kind, text_of(value)[0].as_py() or "")


def _show_nested(text: Any) -> str:
    """Return the JSON text of an array or object, shortened, as an error shows the value."""
    value = pc.utf8_slice_codeunits(text, 0, _SHOWN + 1)[0].as_py()
    kinds = {"[": Kind.LIST, "{": Kind.STRUCT}
    kind = kinds.get(value[:1])
    return _show_value(text) if kind is None else _with_kind(kind, value)


def _with_kind(kind: Kind, text: str) -> str:
    return f"{kind.value}: {_shorten(text)}".rstrip(": ")


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
