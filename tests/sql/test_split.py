from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icemelt.errors import SqlSyntaxError
from icemelt.sql.parse import split_statements, split_with_offsets

STATEMENTS = [
    "SELECT 1",
    "SELECT ';'",
    "SELECT 'it''s; \\'; x'",
    'SELECT ";" FROM "a;""b"',
    "SELECT $$;'$$",
    "SELECT 1 /* ; ' */ + 2",
    "SELECT 1 -- ; '\n + 2",
    "SELECT 1 // ;\n",
    "BEGIN",
    "INSERT INTO t\nVALUES (';')",
]


@given(st.lists(st.sampled_from(STATEMENTS), max_size=6), st.sampled_from([";", " ;\n", ";;\n\t;"]))
def test_splitting_undoes_joining(statements: list[str], separator: str) -> None:
    text = separator.join(statements)
    assert split_statements(text) == [statement.strip() for statement in statements]


@given(st.lists(st.sampled_from(STATEMENTS), max_size=6))
def test_each_piece_knows_its_place(statements: list[str]) -> None:
    text = "\n;  ".join(statements)
    for piece in split_with_offsets(text):
        assert text[piece.offset :].startswith(piece.text)


def test_comments_alone_are_no_statement() -> None:
    assert split_statements("-- a;\n; /* b */ ;") == []


def test_what_does_not_end_is_an_error_at_its_place() -> None:
    with pytest.raises(SqlSyntaxError) as raised:
        split_statements("SELECT 1;\nSELECT 'x; SELECT 2")
    assert raised.value.span == (17, 18)
