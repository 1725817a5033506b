"""A statement is a text; anything else is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from icemelt.errors import SqlSyntaxError, StatementCancelled
from icemelt.session.session import Session
from icemelt.sql.parse import parse_statement


@pytest.mark.parametrize("text", [None, b"SELECT 1", 1])
def test_what_is_no_text_is_refused(session: Session, text: Any) -> None:
    for run in (session.sql, session.execute_script):
        with pytest.raises(SqlSyntaxError, match=f"found {type(text).__name__}"):
            run(text)


def test_a_text_is_read_no_further_when_its_statement_is_cancelled(session: Session) -> None:
    text, jobs = "SELECT " + "1 + 1, " * 1_000 + "2", session._core.jobs
    with jobs.of("a statement"):
        assert parse_statement(text)
        jobs.cancel()
        with pytest.raises(StatementCancelled):
            parse_statement(text)
    assert parse_statement(text)
