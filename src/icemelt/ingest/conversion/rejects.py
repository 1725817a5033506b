"""Rows passed over by an append, as rows of a table's error table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from icemelt.ingest.answers import MOST_REJECT_BYTES, REJECT_BYTES, Append, OnError, Reject
from icemelt.ingest.conversion.arrays import json_of
from icemelt.ingest.conversion.conversion import LISTED_ERRORS, ConvertedRows, arrow_schema
from icemelt.ingest.conversion.text_values import MAX_TEXT_BYTES
from icemelt.ingest.errors import MalformedRows, RowError, RowsRefused
from icemelt.ingest.json_text import parse_json, to_json_text
from icemelt.ingest.left_out import split_marks
from icemelt.tables.error_log import ERROR_COLUMNS

__all__ = ["error_rows", "rejects_of"]

_UNTOLD = f"Of one append {LISTED_ERRORS:,} errors are told, and this is of a later row."
_TOO_LONG = to_json_text(f"The row has more than {MAX_TEXT_BYTES:,} bytes.")


def rejects_of(append: Append, converted: ConvertedRows) -> tuple[Reject, ...]:
    """Return the rows passed over by an append; only an append with CONTINUE passes rows over.

    Raises:
        MalformedRows: the rejects of the append are too large for the error table.

    >>> from icemelt.ingest.conversion.conversion import convert
    >>> from icemelt.schema import Column, Primitive
    >>> append = Append(1, pa.table({"id": ["1", "x"]}), on_error=OnError.CONTINUE)
    >>> converted = convert(append.rows, [Column("id", Primitive("int"))])
    >>> [(each.row, each.data) for each in rejects_of(append, converted)]
    [(1, '{"id":"x"}')]
    """
    if append.on_error is not OnError.CONTINUE or not converted.errors:
        return ()
    first: dict[int, RowError] = {}
    for error in converted.errors:
        first.setdefault(error.row, error)
    bad_rows = converted.bad.sort()
    tokens, size = _token_bytes(append), 0
    _validate_size(len(bad_rows) * (tokens + REJECT_BYTES), len(bad_rows))
    rows, marks = split_marks(append.rows.take(bad_rows))
    rejects = []
    for index, row in enumerate(bad_rows.to_pylist()):
        error = first.get(row) or RowError(row, None, _UNTOLD)
        rejects.append(Reject(row, error.column, error.reason, _data(rows, marks, index)))
        size += tokens + rejects[-1].size
        _validate_size(size, len(bad_rows))
    return tuple(rejects)


def error_rows(channel: str, append: Append, rejects: Sequence[Reject]) -> Any:
    """Return rejects of a channel's append as rows of an error table.

    Args:
        channel: the channel's name.
        append: the append, for the offset tokens.
        rejects: the rows passed over by the append.

    Raises:
        MalformedRows: the rejects are too large for one append.
    """
    tokens = _token_bytes(append)
    _validate_size(sum(tokens + reject.size for reject in rejects), len(rejects))
    now, code = dt.datetime.now(dt.UTC), RowsRefused.code
    rows = [
        {
            "timestamp": now,
            "query_id": None,
            "error_code": code,
            "error_metadata": _metadata(channel, append, reject),
            "error_data": reject.data,
        }
        for reject in rejects
    ]
    return pa.Table.from_pylist(rows, arrow_schema(ERROR_COLUMNS))


def _metadata(channel: str, append: Append, reject: Reject) -> str:
    return to_json_text(
        {
            "service": "INGEST",
            "channel_name": channel,
            "error_message": reject.reason,
            "column_name": reject.column,
            "row": reject.row,
            "start_offset_token": append.start_offset_token,
            "end_offset_token": append.end_offset_token,
        }
    )


def _token_bytes(append: Append) -> int:
    """Return the bytes of an append's offset tokens, repeated in every error row."""
    tokens = (append.start_offset_token, append.end_offset_token)
    return sum(len(to_json_text(token).encode()) for token in tokens if token is not None)


def _validate_size(size: int, count: int) -> None:
    if size > MOST_REJECT_BYTES:
        raise MalformedRows(
            f"{count:,} bad rows of one append would take {size >> 20:,} MiB or more in the error "
            f"table, {MOST_REJECT_BYTES >> 20} MiB are as much as may be.",
            hint="Append fewer rows at once, or with shorter offset tokens.",
        )


def _data(rows: Any, marks: Mapping[str, Any], index: int) -> str:
    """Return a row as a JSON object, as a VARIANT stores the object; marked values are left out."""
    values = zip(rows.column_names, rows.columns, strict=True)
    members = (
        f"{to_json_text(name)}:{json_of(column[index])}"
        for name, column in values
        if name not in marks or not marks[name][index].as_py()
    )
    text = f"{{{','.join(members)}}}"
    if len(text.encode()) > MAX_TEXT_BYTES:
        return _TOO_LONG
    try:
        parse_json(text)
    except ValueError:
        # very deep values, or numbers of very many digits, are no VARIANT
        return to_json_text(text)
    return text
