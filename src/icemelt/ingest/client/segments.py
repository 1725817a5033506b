"""The appends of many channels of a table in one body: an Arrow stream with metadata of appends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from icemelt.ingest.answers import MOST_REJECT_BYTES, REJECT_BYTES, Append, OnError, Reject
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.json_text import parse_json
from icemelt.ingest.left_out import concat_marked

__all__ = ["ARROW", "Segment", "body_of", "segments_of"]

ARROW = "application/vnd.apache.arrow.stream"
_KEY = b"icemelt.segments"
_BEYOND = 2**63
# the most in one body: as an object an append takes far more memory than its bytes
_MOST_SEGMENTS, _MOST_REJECTS = 10_000, MOST_REJECT_BYTES // REJECT_BYTES


@dataclass(frozen=True, slots=True)
class Segment:
    """An append, and the handle of the append's channel."""

    channel_id: str
    client_sequencer: int
    append: Append


def body_of(segments: Sequence[Segment]) -> bytes:
    """Return appends to one table as a request's body; a column may be left out by some appends."""
    rows = concat_marked([segment.append.rows for segment in segments])
    documents = json.dumps([_document(segment) for segment in segments], ensure_ascii=False)
    # many small appends are many small batches
    rows = rows.combine_chunks().replace_schema_metadata({_KEY: documents.encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def segments_of(rows: pa.Table) -> list[Segment]:
    """Return the appends in the rows of a body.

    Raises:
        MalformedRows: the body does not name the channels of the rows, or has too many appends.
    """
    plain = rows.replace_schema_metadata(None)
    segments, first = [], 0
    try:
        # json itself would accept halves of surrogate pairs, and let no other thread go on
        documents = parse_json((rows.schema.metadata or {})[_KEY].decode())
        _validate_counts(documents)
        for document in documents:
            count = _number(document, "rows")
            segments.append(_segment(document, plain.slice(first, count)))
            first += count
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _unnamed_channels() from error
    if first != rows.num_rows:
        raise _unnamed_channels()
    return segments


def _document(segment: Segment) -> dict[str, object]:
    append = segment.append
    document: dict[str, object] = {
        "channel_id": segment.channel_id,
        "client_sequencer": segment.client_sequencer,
        "number": append.number,
        "rows": append.rows.num_rows,
        "start_offset_token": append.start_offset_token,
        "end_offset_token": append.end_offset_token,
        "bad_rows": append.bad_rows,
        "last_error": append.last_error,
    }
    if append.rejects:
        document["rejects"] = [(r.row, r.column, r.reason, r.data) for r in append.rejects]
    return document


def _segment(document: dict[str, object], rows: pa.Table) -> Segment:
    append = Append(
        _number(document, "number"),
        rows,
        _token(document, "start_offset_token"),
        _token(document, "end_offset_token"),
        OnError.ABORT,
        _number(document, "bad_rows"),
        _text(document, "last_error"),
        rejects=tuple(map(_reject, _list(document.get("rejects", [])))),
    )
    return Segment(_text(document, "channel_id"), _number(document, "client_sequencer"), append)


def _validate_counts(documents: Sequence[dict[str, object]]) -> None:
    rejects = sum(len(_list(document.get("rejects", []))) for document in documents)
    if len(documents) > _MOST_SEGMENTS or rejects > _MOST_REJECTS:
        raise MalformedRows(
            f"The Arrow stream has {len(documents):,} appends and {rejects:,} rows that were "
            f"passed over; {_MOST_SEGMENTS:,} and {_MOST_REJECTS:,} are as many as may be.",
            hint="Send them in several requests.",
        )


def _reject(values: object) -> Reject:
    row, column, reason, data = _list(values)
    document: dict[str, object] = {"row": row, "column": column, "reason": reason, "data": data}
    parse_json(_text(document, "data"))
    return Reject(
        _number(document, "row"),
        _token(document, "column"),
        _text(document, "reason"),
        _text(document, "data"),
    )


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    raise TypeError


def _text(document: dict[str, object], name: str) -> str:
    value = document[name]
    if isinstance(value, str):
        value.encode()
        return value
    raise TypeError(name)


def _token(document: dict[str, object], name: str) -> str | None:
    return None if document[name] is None else _text(document, name)


def _number(document: dict[str, object], name: str) -> int:
    value = document[name]
    if type(value) is int and 0 <= value < _BEYOND:
        return value
    raise TypeError(name)


def _unnamed_channels() -> MalformedRows:
    return MalformedRows(
        "The Arrow stream does not say whose rows are in it.",
        hint="Send the rows of one channel to /v1/channels/{channel_id}/rows.",
    )
