"""Common mistakes in statements: each is told in icemelt's words, with what to type."""

from __future__ import annotations

import re
from pathlib import Path

from icemelt.errors import IcemeltError
from icemelt.session.session import Session

# statements before the first empty line make the tables; each line behind it has a mistake
SETUP, MISTAKES = (
    part.splitlines()
    for part in Path(__file__).with_name("mistakes.sql").read_text().split("\n\n", 1)
)
# of Spark's messages: conditions, types in quotes, names in backticks, addresses, its functions
SPARKS = re.compile(
    r"SQLSTATE|spark\.|\[[A-Z_]{4,}|\"(?:STRING|DECIMAL|BIGINT|TIMESTAMP|ARRAY)|`\w+`\."
    r"|Cannot resolve|data type mismatch|try_[a-z]+|lambda|Exception|\bPlease\b"
)
GENERAL_HINT = "Change the statement and run it again."


def test_no_mistake_is_told_in_the_words_of_spark(session: Session) -> None:
    for statement in SETUP:
        session.sql(statement)
    told = {statement: tell(session, statement) for statement in MISTAKES}
    assert {statement: said for statement, said in told.items() if SPARKS.search(said)} == {}


def tell(session: Session, statement: str) -> str:
    """Return what is said of a statement, as Spark's words where it is taken or has no hint."""
    try:
        session.sql(statement).fetchall()
    except IcemeltError as error:
        is_helpful = error.code != "internal" and error.hint not in {None, GENERAL_HINT}
        return str(error) if is_helpful else f"Exception {error}"
    return "Exception: it is taken."
