"""Large JSON is read so that other threads go on, and no text is deeper than may be."""

from __future__ import annotations

import json
import re
import threading
import time

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from server.ticking import lets_others_go_on
from waiting import wait_until

from icemelt.ingest.client.segments import segments_of
from icemelt.ingest.conversion.variants import convert_variants
from icemelt.ingest.errors import MalformedRows, TooLarge
from icemelt.ingest.json_text import MAX_DEPTH, _validate_brackets, parse_json
from icemelt.ingest.rows.json_rows import _BETWEEN_OBJECTS, _to_lines
from icemelt.ingest.rows.rows import read_json
from icemelt.server.slow_bodies import SlowBodies

MIB = 1 << 20
_PARTS = st.sampled_from(
    [
        *("[" * 60, "{" * 60, "]" * 60, "}" * 30, "[", "]", '"', "\\", "\\\\", '\\"', '"[[["'),
        *("\u00e9\n", "x" * 511, "x" * 513, '"' + "[" * 600 + '"', '"a",' * 300, '""' * 513),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PARTS, max_size=30).map("".join))
@example('"\\')
def test_the_levels_of_a_text_are_counted_over_all_its_pieces(text: str) -> None:
    assert _is_refused(text) == (_simple_depth(text) > MAX_DEPTH)


def _is_refused(text: str) -> bool:
    try:
        _validate_brackets(text)
    except ValueError:
        return True
    return False


def _simple_depth(text: str) -> int:
    """The simple way: without its strings, the whole text at once."""
    deepest = depth = 0
    for bracket in re.sub(r'"(?:[^"\\]|\\.)*+"?', "", text, flags=re.DOTALL):
        depth += (bracket in "[{") - (bracket in "]}")
        deepest = max(deepest, depth)
    return deepest


def test_other_threads_go_on_while_the_levels_of_a_long_text_are_counted() -> None:
    text = "[" * 100 + '"[[",' * (16 * MIB // 5)
    assert lets_others_go_on(lambda: _is_refused(text))


def test_other_threads_go_on_while_a_text_of_too_many_arrays_is_refused() -> None:
    text = f'{{"a":[{"[]," * (16 * MIB // 3)}[]]}}'

    def read() -> None:
        with pytest.raises(ValueError, match="more than 1,000,000 arrays"):
            parse_json(text)

    assert lets_others_go_on(read)


def test_other_threads_go_on_while_an_array_of_objects_becomes_lines() -> None:
    objects = b'{"a":1} , {},' * (16 * MIB // 13) + b"{}"
    assert _to_lines(objects) == _BETWEEN_OBJECTS.subn(b"}\n{", objects)
    assert lets_others_go_on(lambda: _to_lines(objects))


def test_a_text_of_more_arrays_than_may_be_is_refused() -> None:
    text = f"[{'[],' * 999_998}[]]"
    assert len(parse_json(text)) == 999_999
    with pytest.raises(ValueError, match="more than 1,000,000 arrays"):
        parse_json(f"[{text},[]]")
    # brackets in strings are none
    assert parse_json(json.dumps(["[" * 2_000_000])) == ["[" * 2_000_000]


def test_a_variant_that_is_too_long_is_refused_unread() -> None:
    text = json.dumps(["a"] * 4 * MIB)
    began = time.process_time()
    converted = convert_variants(pa.array([text, "[1]"]))
    assert converted.values.to_pylist() == [None, "[1]"]
    assert "at most 16777216 bytes" in converted.errors[0].expected
    assert time.process_time() - began < 0.5


def test_metadata_of_appends_with_more_arrays_than_may_be_is_refused() -> None:
    documents = f"[{'[],' * 1_000_000}[]]".encode()
    rows = pa.table({"a": [1]}).replace_schema_metadata({b"icemelt.segments": documents})
    with pytest.raises(MalformedRows) as refused:
        segments_of(rows)
    assert "1,000,000 arrays" in str(refused.value.__cause__)


def test_rows_that_python_reads_are_read_one_body_after_the_other() -> None:
    slow, done, begun = SlowBodies(), list[str](), threading.Event()
    long = json.dumps([{"a": [n]} for n in range(10_000)]).encode()

    def read() -> None:
        begun.set()
        assert read_json(long, slow.reading).num_rows == 10_000
        done.append("second")

    other = threading.Thread(target=read)
    with slow.reading(long):
        other.start()
        assert begun.wait(30)
        # a short body does not wait, nor does a body that Arrow reads
        assert read_json(b'{"a": [1]}', slow.reading).num_rows == 1
        assert read_json(b'{"a": 1}\n' * 10_000, slow.reading).num_rows == 10_000
        time.sleep(0.1)
        done.append("first")
    other.join(30)
    assert done == ["first", "second"]


def test_a_key_with_many_bodies_keeps_no_other_key_waiting_for_more_than_one() -> None:
    slow, done = SlowBodies(), list[str]()
    long = json.dumps([{"a": [n]} for n in range(10_000)]).encode()

    def read(name: str) -> None:
        with slow.reading(long, name[0]):
            done.append(name)

    threads = []
    with slow.reading(long, "a"):
        for count, name in enumerate(("a1", "a2", "a3", "b1", "c1"), start=1):
            threads.append(threading.Thread(target=read, args=(name,)))
            threads[-1].start()
            wait_until(lambda count=count: len(slow._line._owners) == count, 30)
    for thread in threads:
        thread.join(30)
    assert sorted(done[:3]) == ["a1", "b1", "c1"]
    assert done[3:] == ["a2", "a3"]


def test_a_body_that_fails_gives_its_turn_to_the_next() -> None:
    slow = SlowBodies()
    broken = b'[{"a": [1]},' + b" " * (1 << 20)
    for _ in range(2):
        with pytest.raises(MalformedRows):
            read_json(broken, slow.reading)


def test_a_body_of_more_values_than_python_reads_at_once_is_refused() -> None:
    # a line too long for Arrow's reader, and of few values
    text = "x" * 9 * MIB
    body = json.dumps({"a": text, "b": ["y"]}).encode()
    assert read_json(body, SlowBodies().reading).to_pylist() == [{"a": text, "b": ["y"]}]
    nested = b'{"a":[' + b"[]," * 3 * MIB + b"[]]}"
    with pytest.raises(TooLarge, match=r"these have 6,291,459\.") as told:
        read_json(nested, SlowBodies().reading)
    assert "Append fewer rows" in str(told.value)
