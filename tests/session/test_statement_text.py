"""A statement is a text; anything else is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from icemelt.errors import SqlSyntaxError
from icemelt.session.session import Session


@pytest.mark.parametrize("text", [None, b"SELECT 1", 1])
def test_what_is_no_text_is_refused(session: Session, text: Any) -> None:
    for run in (session.sql, session.execute_script):
        with pytest.raises(SqlSyntaxError, match=f"found {type(text).__name__}"):
            run(text)
