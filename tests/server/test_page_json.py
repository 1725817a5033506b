"""Pages as JSON: the text of the simple way, made so that no other thread waits for long."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from server.ticking import lets_others_go_on

from icemelt.server.failures import Busy
from icemelt.server.large_pages import LargePages
from icemelt.server.page_json import to_json
from icemelt.server.pages import write_pages
from icemelt.values import as_json

# the years but for the first and the last, where a zone's clock may leave them
_MOMENTS = st.datetimes().filter(lambda moment: 1 < moment.year < 9999)
_DECIMALS = st.decimals(-99_999, 99_999, places=9)
LEAVES: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.bool_(), st.booleans()),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (pa.float32(), st.floats(width=32)),
    (pa.float64(), st.floats()),
    (pa.string(), st.text(max_size=8)),
    (pa.binary(), st.binary(max_size=4)),
    (pa.decimal128(20, 9), _DECIMALS),
    (pa.decimal128(5, 0), st.integers(-99_999, 99_999).map(Decimal)),
    (pa.date32(), st.dates()),
    (pa.timestamp("us"), _MOMENTS),
    (pa.timestamp("us", "UTC"), _MOMENTS),
    (pa.timestamp("us", "Europe/Berlin"), _MOMENTS),
    (pa.timestamp("us", "America/Caracas"), _MOMENTS),
    (pa.time64("us"), st.times()),
    (pa.duration("us"), st.timedeltas(dt.timedelta(-90_000), dt.timedelta(90_000))),
    (pa.null(), st.none()),
]


@st.composite
def columns(draw: st.DrawFn, depth: int = 0) -> tuple[pa.DataType, st.SearchStrategy[Any]]:
    """Draw a type, and the values of the type, NULL among them."""
    shape = draw(
        st.sampled_from(["leaf", "list", "large", "map", "struct"][: 5 if depth < 3 else 1])
    )
    if shape == "leaf":
        kind, values = draw(st.sampled_from(LEAVES))
    elif shape == "map":
        key, keys = draw(st.sampled_from(LEAVES[:3] + LEAVES[5:-1]))
        inner, values = draw(columns(depth + 1))
        kind = pa.map_(key, inner)
        values = st.lists(st.tuples(keys, values), max_size=3, unique_by=lambda pair: repr(pair[0]))
    elif shape == "struct":
        fields = draw(st.dictionaries(st.text(max_size=3), columns(depth + 1), max_size=3))
        kind = pa.struct([(name, inner) for name, (inner, _) in fields.items()])
        values = st.fixed_dictionaries({name: inner for name, (_, inner) in fields.items()})
    else:
        inner, values = draw(columns(depth + 1))
        kind = pa.list_(inner) if shape == "list" else pa.large_list(inner)
        values = st.lists(values, max_size=4)
    return kind, st.none() | values


@st.composite
def batches(draw: st.DrawFn) -> pa.RecordBatch:
    found, count = draw(st.lists(columns(), max_size=3)), draw(st.integers(0, 5))
    arrays = [
        pa.array(draw(st.lists(values, min_size=count, max_size=count)), kind)
        for kind, values in found
    ]
    batch = pa.RecordBatch.from_arrays(arrays, [f"c{place}" for place in range(len(arrays))])
    return batch.slice(draw(st.integers(0, count)))


@settings(max_examples=100, deadline=None)
@given(batches())
def test_json_of_a_page_is_what_the_simple_way_writes(batch: pa.RecordBatch) -> None:
    rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
    simple = f"[{','.join(as_json(row) for row in rows)}]"
    assert to_json(batch).decode() == simple
    json.loads(simple)


def test_a_long_text_is_quoted_piece_by_piece() -> None:
    text = 'a"\\\n\u00e9' * 700_000
    batch = pa.RecordBatch.from_pydict({"a": [text, "plain" * 500_000]})
    assert json.loads(to_json(batch)) == [[text], ["plain" * 500_000]]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(range(3_000_000), pa.int32()).cast(pa.date32()),
        pa.array(range(400_000), pa.float64()),
        pa.array(range(400_000), pa.timestamp("us", "Europe/Berlin")),
    ],
    ids=lambda values: str(values.type),
)
def test_other_threads_go_on_while_a_row_of_many_values_becomes_json(values: pa.Array) -> None:
    row = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    batch = pa.RecordBatch.from_arrays([row], ["d"])
    assert lets_others_go_on(lambda: to_json(batch))


def test_a_key_makes_one_large_page_at_a_time_and_another_key_waits() -> None:
    pages, made, began = LargePages(), list[str](), threading.Event()

    def make() -> None:
        began.set()
        with pages.making(600_000, "bob"):
            made.append("bob")

    other = threading.Thread(target=make)
    with pages.making(600_000, "ann"):
        with pytest.raises(Busy), pages.making(600_000, "ann"):
            pass
        with pages.making(500_000, "ann"):
            made.append("small")
        other.start()
        assert began.wait(30)
        time.sleep(0.1)
        made.append("ann")
    other.join(30)
    assert made == ["small", "ann", "bob"]
    with pages.making(600_000, "ann"):
        made.append("again")
    assert made[-1] == "again"


def test_the_values_of_a_page_are_counted(tmp_path: Path) -> None:
    rows = pa.table({"a": pa.array([[[1, 2], [3]], None])})
    assert write_pages(f"{tmp_path}/a", rows, ("ARRAY",)).json_values == (7,)
