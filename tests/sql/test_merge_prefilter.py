"""Leaving source rows out of a MERGE beforehand changes nothing a clause may take.

The filter and the conditions are evaluated by SQLite, which has SQL's three-valued logic and reads
Spark's quoted names.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import sqlite3

from hypothesis import given
from hypothesis import strategies as st
from sql.tables import LONG, columns_of

from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import RowLevel

VALUES = (None, 0, 1)
LEAVES = st.sampled_from(
    ["s.x = 1", "s.y = 0", "t.x = 1", "s.x < t.x", "s.y IS NULL", "s.x <> s.y"]
)
SOURCE_LEAVES = st.sampled_from(["s.x = 1", "s.y = 0", "s.y IS NULL", "s.x <> s.y"])
FILTER = re.compile(r"USING \(SELECT `s`\.\* FROM __icemelt_0__ AS `s` WHERE (.*?)\) AS `s` ON")


def conditions(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        both = st.tuples(inner, st.sampled_from(["AND", "OR"]), inner)
        return both.map(lambda each: f"({' '.join(each)})") | inner.map(
            lambda each: f"NOT ({each})"
        )

    return st.recursive(leaves, grow, max_leaves=5)


@given(conditions(LEAVES), conditions(LEAVES), conditions(SOURCE_LEAVES))
def test_a_row_that_a_clause_takes_passes_the_filter(first: str, second: str, absent: str) -> None:
    statement = parse_statement(
        f"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND {first} THEN DELETE"
        f" WHEN MATCHED AND {second} THEN UPDATE SET v = 1"
        f" WHEN NOT MATCHED AND {absent} THEN INSERT (id) VALUES (s.id)",
        None,
        lambda _name: {"id": LONG, "v": LONG, "x": LONG, "y": LONG},
    )
    assert isinstance(statement, RowLevel)
    found = FILTER.search(statement.text)
    if found is None:
        assert " USING __icemelt_0__ AS `s` ON " in statement.text
        return
    taken = " OR ".join(f"({each}) IS TRUE" for each in (first, second, absent))
    lost = f"({taken}) AND NOT coalesce({found[1]}, 0)"
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        for x, y, target in itertools.product(VALUES, repeat=3):
            source = "(SELECT ? AS x, ? AS y) AS s, (SELECT ? AS x) AS t"
            rows = database.execute(f"SELECT 1 FROM {source} WHERE {lost}", (x, y, target))
            assert not rows.fetchall(), (x, y, target, found[1])


DOCUMENTED = """
    MERGE INTO target t USING s ON t.id = s.id
    WHEN MATCHED AND s.METADATA$ACTION = 'DELETE' AND NOT s.METADATA$ISUPDATE THEN DELETE
    WHEN MATCHED AND s.METADATA$ACTION = 'INSERT' AND s.METADATA$ISUPDATE THEN UPDATE SET v = s.v
    WHEN NOT MATCHED AND s.METADATA$ACTION = 'INSERT' THEN INSERT (id, v) VALUES (s.id, s.v)
"""


def test_of_a_streams_rows_only_the_old_images_of_updates_are_left_out() -> None:
    statement = parse_statement(DOCUMENTED, None, columns_of)
    assert isinstance(statement, RowLevel)
    found = FILTER.search(statement.text)
    assert found is not None
    rows = list(itertools.product(("INSERT", "DELETE"), (False, True)))
    source = '(SELECT ? AS "METADATA$ACTION", ? AS "METADATA$ISUPDATE") AS s'
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        query = f"SELECT 1 FROM {source} WHERE {found[1]}"
        kept = [row for row in rows if database.execute(query, row).fetchall()]
    assert kept == [row for row in rows if row != ("DELETE", True)]
