"""Arrow streams that stand for far more than they are, and streams with damaged bytes."""

from __future__ import annotations

import io
import random
import resource
import struct
from collections.abc import Callable, Iterator

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from server.test_channel_requests import opened
from server.test_odd_requests import told
from server.test_statements import holder

from icemelt.ingest.answers import Append
from icemelt.ingest.client.segments import ARROW, Segment, body_of
from icemelt.session.session import Session

MUTATIONS = 800
_PACKED = pa.ipc.IpcWriteOptions(compression="zstd")
ROWS = pa.table(
    {
        "id": pa.array([1, 2, None], "int64"),
        "v": pa.array(["a", None, "ccc"]),
        "d": pa.array(["x", "x", "y"]).dictionary_encode(),
        "l": pa.array([[1], [], None], pa.list_(pa.int32())),
    }
)


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    with served(session, 0.1) as url, holder(session, url) as client:
        yield client


def stream(table: pa.Table, options: pa.ipc.IpcWriteOptions | None = None) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _nested(levels: int) -> pa.Table:
    kind: pa.DataType = pa.int8()
    value: object = 1
    for _ in range(levels):
        kind, value = pa.list_(kind), [value]
    return pa.table({"id": pa.array([value], kind)})


def _runs(length: int, values: list[str]) -> pa.Table:
    ends = pa.array([length * (each + 1) for each in range(len(values))], "int32")
    return pa.table({"v": pa.RunEndEncodedArray.from_arrays(ends, pa.array(values))})


def _dictionary(size: int, count: int) -> pa.Table:
    indices = pa.repeat(pa.scalar(0, "int32"), count)
    return pa.table({"v": pa.DictionaryArray.from_arrays(indices, pa.array(["x" * size]))})


def _views(size: int, count: int) -> pa.Table:
    # of a view its length, its first letters, and which buffer has it from where on
    views = pa.py_buffer(struct.pack("<i4sii", size, b"xxxx", 0, 0) * count)
    buffers = [None, views, pa.py_buffer(b"x" * size)]
    return pa.table({"v": pa.Array.from_buffers(pa.string_view(), count, buffers)})


def _wide(columns: int, rows: int) -> pa.Table:
    return pa.table({f"c{each}": pa.repeat(pa.scalar(0, "int8"), rows) for each in range(columns)})


BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: stream(
        pa.table({"id": pa.repeat(pa.scalar(0, "int64"), 40_000_000)}), _PACKED
    ),
    "one letter": lambda: stream(pa.table({"v": ["x" * 300_000_000]}), _PACKED),
    "empty texts": lambda: stream(pa.table({"v": pa.repeat("", 70_000_000)}), _PACKED),
    "nothing at all": lambda: stream(pa.table({"v": pa.nulls(2_000_000_000)})),
    "a run": lambda: stream(_runs(2_000_000_000, ["x"])),
    "two runs": lambda: stream(_runs(1_000_000_000, ["x", "y"])),
    "a dictionary of one word": lambda: stream(_dictionary(50_000_000, 1_000), _PACKED),
    "a dictionary asked often": lambda: stream(_dictionary(1_000, 5_000_000), _PACKED),
    "views of one text": lambda: stream(_views(1_000_000, 100_000), _PACKED),
    "sixty levels": lambda: stream(_nested(60)),
    "columns": lambda: stream(_wide(12_000, 1)),
    "columns and rows": lambda: stream(_wide(400, 200_000), _PACKED),
    "flags": lambda: stream(
        pa.table({"id": pa.repeat(pa.scalar(value=True), 300_000_000)}), _PACKED
    ),
    "empty lists": lambda: stream(
        pa.table(
            {
                "v": pa.array([[]], pa.list_(pa.int8())).take(
                    pa.repeat(pa.scalar(0, "int32"), 70_000_000)
                )
            }
        ),
        _PACKED,
    ),
    "a nest of nothing": lambda: stream(
        pa.table({"v": pa.nulls(50_000_000, pa.struct([("a", pa.null())]))}), _PACKED
    ),
}


def memory() -> int:
    """Return the most bytes that this process, and so the server in it, has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@pytest.mark.slow
def test_streams_that_stand_for_far_more_than_they_are(client: httpx.Client) -> None:
    assert len(BOMBS) >= 15
    path, handle = opened(client)
    for name, make in BOMBS.items():
        body = make()
        before = memory()
        query = {**handle, "number": 1}
        headers = {"Content-Type": ARROW}
        for address, params in ((f"{path}/rows", query), ("/v1/rows", {})):
            answer = client.post(address, content=body, params=params, headers=headers)
            assert told(answer)["code"] in {"malformed-rows", "rows-refused", "too-large"}, name
        assert memory() - before < 1 << 30, name
    assert client.get(path, params=handle).json()["rows_waiting"] == 0


def mutated(body: bytes, choice: random.Random) -> bytes:
    """Return a body with some bytes that are others, gone, or there twice."""
    damaged = bytearray(body)
    for _ in range(choice.randint(1, 4)):
        at = choice.randrange(len(damaged))
        match choice.randrange(5):
            case 0:
                damaged[at] = choice.randrange(256)
            case 1:
                damaged[at] ^= 1 << choice.randrange(8)
            case 2:
                damaged[at : at + 4] = choice.choice(
                    (b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0" * 4)
                )
            case 3:
                del damaged[at : at + choice.randint(1, 9)]
            case _:
                damaged[at:at] = damaged[at : at + choice.randint(1, 64)]
    return bytes(damaged) or b"\0"


@pytest.mark.slow
def test_damaged_streams(client: httpx.Client) -> None:
    path, handle = opened(client)
    channel_id, sequencer = path.rsplit("/", 1)[1], handle["client_sequencer"]
    plain = ROWS.select(["id", "v"])
    seeds = [
        stream(ROWS),
        stream(ROWS, _PACKED),
        stream(plain),
        body_of([Segment(channel_id, sequencer, Append(1, plain))]),
    ]
    choice = random.Random(5)  # noqa: S311 - the same damage each time
    headers = {"Content-Type": ARROW}
    number, statuses = 1, set()
    for attempt in range(MUTATIONS):
        seed = attempt % len(seeds)
        body = mutated(seeds[seed], choice)
        if seed == len(seeds) - 1:
            answer = client.post("/v1/rows", content=body, headers=headers)
            outcomes = answer.json() if answer.status_code == 200 else []
            number += sum(each is None for each in outcomes)
        else:
            params = {**handle, "number": number, "on_error": "CONTINUE"}
            answer = client.post(f"{path}/rows", content=body, params=params, headers=headers)
            number += answer.status_code == 200
        statuses.add(answer.status_code)
        assert answer.status_code < 500, (attempt, answer.text)
    # some are whole by chance, and are taken
    assert {200, 400} <= statuses
    assert client.get(path, params=handle).status_code == 200
    assert client.get("/health").status_code == 200
