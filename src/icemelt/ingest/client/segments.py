"""The appends of many channels of a table in one body: an Arrow stream with metadata of appends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from icemelt.ingest.answers import MOST_REJECT_BYTES, REJECT_BYTES, Append, OnError, Reject
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.json_text import parse_json

__all__ = ["ARROW", "Segment", "body_of", "segments_of"]

ARROW = "application/vnd.apache.arrow.stream"
_KEY = b"icemelt.segments"
_BEYOND = 2**63
# of one body: each takes far more as an object than its bytes are
_MOST_SEGMENTS, _MOST_REJECTS = 10_000, MOST_REJECT_BYTES // REJECT_BYTES


@dataclass(frozen=True, slots=True)
class Segment:
    """An append, and the handle of the append's channel."""

    channel_id: str
    client_sequencer: int
    append: Append


def body_of(segments: Sequence[Segment]) -> bytes:
    """Return appends to one table as a request's body; the rows have the same columns."""
    rows = pa.concat_tables([each.append.rows for each in segments])
    told = json.dumps([_told(each) for each in segments], ensure_ascii=False)
    # rows of many small appends are many small batches
    rows = rows.combine_chunks().replace_schema_metadata({_KEY: told.encode()})
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
    found, start = [], 0
    try:
        # json itself would let halves of characters through
        told = json.loads((rows.schema.metadata or {})[_KEY].decode())
        _refuse_many(told)
        for each in told:
            size = _number(each, "rows")
            found.append(_segment(each, plain.slice(start, size)))
            start += size
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _unsaid() from error
    if start != rows.num_rows:
        raise _unsaid()
    return found


def _told(segment: Segment) -> dict[str, object]:
    append = segment.append
    told: dict[str, object] = {
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
        told["rejects"] = [(r.row, r.column, r.reason, r.data) for r in append.rejects]
    return told


def _segment(told: dict[str, object], rows: pa.Table) -> Segment:
    append = Append(
        _number(told, "number"),
        rows,
        _token(told, "start_offset_token"),
        _token(told, "end_offset_token"),
        OnError.ABORT,
        _number(told, "bad_rows"),
        _text(told, "last_error"),
        rejects=tuple(map(_reject, _list(told.get("rejects", [])))),
    )
    return Segment(_text(told, "channel_id"), _number(told, "client_sequencer"), append)


def _refuse_many(told: Sequence[dict[str, object]]) -> None:
    rejects = sum(len(_list(each.get("rejects", []))) for each in told)
    if len(told) > _MOST_SEGMENTS or rejects > _MOST_REJECTS:
        raise MalformedRows(
            f"The Arrow stream has {len(told):,} appends and {rejects:,} rows that were passed "
            f"over; {_MOST_SEGMENTS:,} and {_MOST_REJECTS:,} are as many as may be.",
            hint="Send them in several requests.",
        )


def _reject(told: object) -> Reject:
    row, column, reason, data = _list(told)
    each: dict[str, object] = {"row": row, "column": column, "reason": reason, "data": data}
    parse_json(_text(each, "data"))
    return Reject(
        _number(each, "row"), _token(each, "column"), _text(each, "reason"), _text(each, "data")
    )


def _list(told: object) -> list[object]:
    if isinstance(told, list):
        return told
    raise TypeError


def _text(told: dict[str, object], name: str) -> str:
    value = told[name]
    if isinstance(value, str):
        value.encode()
        return value
    raise TypeError(name)


def _token(told: dict[str, object], name: str) -> str | None:
    return None if told[name] is None else _text(told, name)


def _number(told: dict[str, object], name: str) -> int:
    value = told[name]
    if type(value) is int and 0 <= value < _BEYOND:
        return value
    raise TypeError(name)


def _unsaid() -> MalformedRows:
    return MalformedRows(
        "The Arrow stream does not say whose rows are in it.",
        hint="Send the rows of one channel to /v1/channels/{channel_id}/rows.",
    )
