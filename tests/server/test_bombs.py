"""Statements that would take a core, or the memory, for what they are: refused at once."""

from __future__ import annotations

import contextlib
import time
import uuid
from pathlib import Path

import pytest

from icemelt.catalog.activity_records import KeyRecord
from icemelt.errors import FileRefused, NotYet, SqlSyntaxError, ValueRefused
from icemelt.ingest.errors import TooLarge
from icemelt.server.submissions import Submission, SubmissionRun, parts_of
from icemelt.session.session import Session
from icemelt.sql.parse import parse_statement

LONG = "1" * 5_000
NUMBERS = (
    f"SELECT REPEAT('a', {LONG})",
    f"SELECT TO_NUMBER('1', {LONG}, 2)",
    f"SELECT DATEADD(day, {LONG}, CURRENT_DATE)",
    f"SELECT PARSE_JSON('[1]')[{LONG}]",
    f"CREATE TABLE u (a NUMBER({LONG}, 2))",
    f"SHOW TABLES LIMIT {LONG}",
    f"SELECT * FROM t AT (OFFSET => -{LONG})",
    f"COPY INTO t FROM '/x' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = {LONG})",
)


@pytest.mark.parametrize("statement", NUMBERS, ids=range(len(NUMBERS)))
def test_a_number_that_nobody_reads_is_a_syntax_error(session: Session, statement: str) -> None:
    with pytest.raises(SqlSyntaxError, match="5,000 digits"):
        session.sql(statement)


def test_texts_that_take_long_to_compare_are_refused(session: Session) -> None:
    for name in ("EDITDISTANCE", "levenshtein"):
        with pytest.raises(ValueRefused, match="more than 1,000,000,000"):
            session.sql(f"SELECT {name}(REPEAT('ab', 20000), REPEAT('ba', 20000))").fetchall()
    assert session.sql("SELECT EDITDISTANCE('kitten', 'sitting')").fetchall() == [(3,)]


def test_a_path_has_one_pattern_of_folders(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (id INT)")
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a.csv").write_text("1\n")
    with pytest.raises(FileRefused, match="more than once"):
        session.sql(f"COPY INTO t FROM '{tmp_path}/in/**/**/a.csv' FILE_FORMAT = (TYPE = CSV)")
    session.sql(f"COPY INTO t FROM '{tmp_path}/in/**/a.csv' FILE_FORMAT = (TYPE = CSV)")
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]


def test_a_request_has_a_million_characters() -> None:
    text = "SELECT 1 FROM t WHERE " + " AND ".join(["id = 1"] * 120_000)
    with pytest.raises(TooLarge, match="characters"):
        parts_of(Submission(str(uuid.uuid4()), text))


def test_a_request_has_two_hundred_thousand_tokens() -> None:
    text = "SELECT " + "+".join(["1"] * 101_000)
    with pytest.raises(TooLarge, match="202,000 words and signs"):
        parts_of(Submission(str(uuid.uuid4()), text))
    fits = "SELECT " + "+".join(["1"] * 99_000)
    [part] = parts_of(Submission(str(uuid.uuid4()), fits))
    assert part.text == fits


@pytest.mark.parametrize(
    "call",
    ["TYPEOF(", "ADD_MONTHS(", "AS_INTEGER(", "ARRAY_EXCEPT([1], ", "TO_ARRAY(", "IS_INTEGER("],
)
def test_calls_that_repeat_their_arguments_are_refused_as_they_grow(call: str) -> None:
    end = ", 1)" if call.startswith("ADD") else ")"
    for query in (
        f"SELECT {call * 30}v{end * 30} FROM t",
        f"SELECT {call * 12}(SELECT MAX(v) FROM t){end * 12} FROM t",
    ):
        began = time.monotonic()
        with contextlib.suppress(NotYet):
            assert len(str(parse_statement(query))) < 2_000_000
        assert time.monotonic() - began < 5
    with pytest.raises(NotYet, match="too long for Spark"):
        parse_statement("SELECT TYPEOF(TYPEOF(TYPEOF(TYPEOF(TYPEOF(v)))))")


def test_calls_of_functions_of_users_are_refused_before_their_arguments_are_copied(
    session: Session,
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql(f"CREATE FUNCTION f(a INT) RETURNS INT AS '{' + '.join(['a'] * 300)}'")
    sum_of_columns = " + ".join(["id"] * 2_000)
    for statement in (
        f"CREATE FUNCTION g(a INT) RETURNS INT AS '{' + '.join(['f(a)'] * 300)}'",
        "SELECT f(f(id)) FROM t",
        "SELECT f(f(f(id))) FROM t",
        f"SELECT f({sum_of_columns}) FROM t",
        f"SELECT {', '.join(['f(id)'] * 500)} FROM t",
    ):
        # of the processor: others keep the machine busy
        began = time.process_time()
        with pytest.raises(NotYet, match=r"too often|are long"):
            session.sql(statement)
        assert time.process_time() - began < 10


def test_a_from_has_a_thousand_tables(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(NotYet, match="1,000 tables"):
        session.sql("SELECT 1 FROM " + ", ".join(f"t t{n}" for n in range(1_001)))


def test_an_outcome_keeps_nothing_of_the_frames_of_its_error() -> None:
    submission = Submission(str(uuid.uuid4()), "SELECT")
    submitted = SubmissionRun(submission, KeyRecord("k", "k", 0), parts_of(submission))
    try:
        try:
            raise ValueError("the cause")  # noqa: TRY301 - a cause is wanted
        except ValueError as cause:
            raise SqlSyntaxError("It is wrong.", hint="Mend it.") from cause
    except SqlSyntaxError as error:
        submitted.end("failed", error)
    assert submitted.error is not None
    assert submitted.error.__traceback__ is None
    assert submitted.error.__cause__ is None
