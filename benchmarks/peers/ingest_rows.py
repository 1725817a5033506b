"""What the programs of the ingestion benchmark share: rows of ten columns, and a query."""

from __future__ import annotations

import io
import json

import httpx
import numpy as np
import pyarrow as pa

__all__ = ["COLUMNS", "arrow_body", "json_body", "query", "rows"]

COLUMNS = (
    "id BIGINT, at TIMESTAMP_NTZ, page VARCHAR, visitor VARCHAR, ms INT, price NUMBER(10,2), "
    "ok BOOLEAN, day DATE, score DOUBLE, tag VARCHAR"
)


def rows(count: int, first: int = 0) -> pa.Table:
    """Return rows with ids from `first` on, in the types of the table."""
    chance = np.random.default_rng(first)
    ids = np.arange(first, first + count)
    cents = pa.array(chance.integers(100, 100_000, count).astype("int32"))
    price = pa.compute.divide(cents.cast(pa.decimal128(12, 2)), pa.scalar(100))
    return pa.table(
        {
            "id": ids,
            "at": pa.array(1_714_550_400_000_000 + ids, pa.timestamp("us")),
            "page": [f"/products/{number}" for number in chance.integers(0, 5_000, count)],
            "visitor": [f"{number:016x}" for number in chance.integers(0, 1 << 48, count)],
            "ms": chance.integers(1, 2_000, count).astype("int32"),
            "price": pa.compute.round(price, 2).cast(pa.decimal128(10, 2)),
            "ok": chance.random(count) < 0.95,
            "day": pa.array(chance.integers(19_000, 20_000, count).astype("int32"), pa.date32()),
            "score": chance.random(count),
            "tag": pa.array(["new", "old", "vip", ""]).take(chance.integers(0, 4, count)),
        }
    )


def arrow_body(table: pa.Table) -> bytes:
    """Return rows as an Arrow stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def json_body(table: pa.Table) -> bytes:
    """Return rows as lines of JSON."""
    lines = (json.dumps(row, default=str, separators=(",", ":")) for row in table.to_pylist())
    return "\n".join(lines).encode()


def query(url: str, key: str, text: str) -> int:
    """Return the one number that a query gives."""
    headers = {"Authorization": f"Bearer {key}"}
    body = {"statement": text, "wait_seconds": 60}
    told = httpx.post(f"{url}/v1/statements", json=body, headers=headers, timeout=90).json()
    return int(told["data"][0][0])
