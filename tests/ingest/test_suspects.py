"""Appends under which Spark died are found, wherever in a group they are."""

import pyarrow as pa

from icemelt.ingest.writer.flush import Chunk
from icemelt.ingest.writer.suspects import MOST_DEATHS, SuspectAppends

ROWS = pa.table({"n": [1]})


def count_deaths(size: int, fatal: int) -> int:
    """Write `size` appends together, of which one ends Spark; return how often Spark dies."""
    waiting = [Chunk("c", 1, number, ROWS, None) for number in range(size)]
    suspects = SuspectAppends()
    deaths = 0
    while True:
        due, rest = suspects.take(waiting)
        if all(chunk.number != fatal for chunk in due):
            waiting = rest
            suspects.clear(due)
            continue
        deaths += 1
        assert deaths < 20, (size, fatal)
        if suspects.note_death(due, spark=object()) == MOST_DEATHS:
            assert [chunk.number for chunk in due] == [fatal]
            return deaths


def test_a_fatal_append_is_found_at_every_place_of_a_group_of_every_size() -> None:
    most = {size: max(count_deaths(size, fatal) for fatal in range(size)) for size in range(1, 40)}
    # one death for each eighth, and three of the append alone
    assert {size: most[size] for size in (1, 2, 8, 39)} == {1: 3, 2: 4, 8: 4, 39: 5}
    assert count_deaths(512, 0) == count_deaths(512, 508) == count_deaths(512, 511) == 6
