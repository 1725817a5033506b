"""JSON files are documents: over several lines, several in a line, and one of each line."""

from __future__ import annotations

import bz2
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from icemelt.errors import LoadFailed
from icemelt.session.session import Session

_PEOPLE = [{"id": n, "tags": ["a", {"b": "{["}], "note": 'x "y" \\'} for n in range(6)]
_BROKEN = '{"id": 0}\n{\n  "id": 1\n  "v": 2\n}\n{\n  "id": 3\n}\n{"id": 4\n{"id": 5}\n{"id": 6}}\n'


@pytest.fixture
def docs(session: Session, tmp_path: Path) -> Session:
    (tmp_path / "in").mkdir()
    session.sql("CREATE TABLE docs (doc VARIANT)")
    session.sql(f"CREATE STAGE s URL = '{tmp_path}/in' FILE_FORMAT = (TYPE = JSON)")
    return session


def _write(tmp_path: Path, text: str, name: str = "a.json") -> None:
    content = text.encode()
    packed = bz2.compress(content) if name.endswith(".bz2") else content
    (tmp_path / "in" / name).write_bytes(packed)


def _load(session: Session, rest: str = "") -> list[tuple[object, ...]]:
    """Return status, rows parsed, rows loaded, first error and its line, of each file."""
    found = session.sql(f"COPY INTO docs FROM @s {rest}").fetchall()
    return [(*row[1:4], *row[6:8]) for row in found]


def _ids(session: Session) -> list[object]:
    return [row[0] for row in session.sql("SELECT doc:id::INT FROM docs ORDER BY 1").fetchall()]


@contextmanager
def _divided(session: Session) -> Iterator[None]:
    """Have Spark divide files among tasks every 64 bytes."""
    session.spark.conf.set("spark.sql.files.maxPartitionBytes", "64")
    try:
        yield
    finally:
        session.spark.conf.unset("spark.sql.files.maxPartitionBytes")


@pytest.mark.parametrize("name", ["a.json", "a.json.bz2"])
@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, _PEOPLE)),
        "\n".join(json.dumps(each, indent=2) for each in _PEOPLE),
        "\ufeff" + "\r\n".join(json.dumps(each, indent="\t") for each in _PEOPLE) + "\r\n\r\n",
        " ".join(map(json.dumps, _PEOPLE)),
        "".join(json.dumps(each, indent=0) for each in _PEOPLE),
    ],
    ids=["lines", "indented", "mark and CRLF", "one line", "no line ends between"],
)
def test_documents_are_read_whatever_lines_they_take(
    docs: Session, tmp_path: Path, text: str, name: str
) -> None:
    _write(tmp_path, text, name)
    assert _load(docs)[0][:3] == ("LOADED", 6, 6)
    with _divided(docs):
        assert _load(docs, "FORCE = TRUE")[0][:3] == ("LOADED", 6, 6)
    texts = docs.sql("SELECT DISTINCT TO_JSON(doc) FROM docs").fetchall()
    written = (json.dumps(each, separators=(",", ":"), sort_keys=True) for each in _PEOPLE)
    assert sorted(row[0] for row in texts) == sorted(written)


def test_a_file_may_have_documents_of_both_forms(docs: Session, tmp_path: Path) -> None:
    _write(tmp_path, '{"id": 1}\n{\n"id":\n2\n}{"id": 3} [\n4,\n5]\n"six" 7\nnull true\n')
    assert _load(docs) == [("LOADED", 8, 8, None, None)]
    numbered = docs.sql("SELECT TO_JSON($1), METADATA$FILE_ROW_NUMBER FROM @s ORDER BY 2")
    assert numbered.fetchall() == [
        ('{"id":1}', 1),
        ('{"id":2}', 2),
        ('{"id":3}', 3),
        ("[4,5]", 4),
        ('"six"', 5),
        ("7", 6),
        ("null", 7),
        ("true", 8),
    ]
    assert docs.sql("SELECT COUNT(*) FROM @s").fetchall() == [(8,)]


def test_what_is_no_document_costs_no_other(docs: Session, tmp_path: Path) -> None:
    _write(tmp_path, _BROKEN)
    with pytest.raises(LoadFailed, match=r"a\.json', line 2: .* all 3 of 6 rows are refused"):
        _load(docs)
    said = "this is no JSON value of its own"
    assert _load(docs, "ON_ERROR = SKIP_FILE") == [("LOAD_FAILED", 6, 0, said, 2)]
    loaded = _load(docs, "ON_ERROR = CONTINUE FORCE = TRUE")
    assert loaded == [("PARTIALLY_LOADED", 6, 3, said, 2)]
    assert _ids(docs) == [0, 3, 5]


@pytest.mark.parametrize(
    "text",
    ["{", "[1,\n2,\n", '{"id": "x\ny"}', "[" * 2000, '{"a": 1}}', "'a'", "\x00"],
)
def test_a_document_that_does_not_end_is_refused(docs: Session, tmp_path: Path, text: str) -> None:
    _write(tmp_path, text)
    with pytest.raises(LoadFailed, match=r"a\.json', line 1: this is no JSON value"):
        _load(docs)


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_elements_of_an_outer_array_are_documents(
    docs: Session, tmp_path: Path, indent: int | None
) -> None:
    _write(tmp_path, json.dumps(_PEOPLE, indent=indent))
    docs.sql("CREATE FILE FORMAT elements TYPE = JSON STRIP_OUTER_ARRAY = TRUE")
    with _divided(docs):
        assert _load(docs, "FILE_FORMAT = elements") == [("LOADED", 6, 6, None, None)]
    assert _ids(docs) == list(range(6))
    found = docs.sql(
        "SELECT $1:id::INT, METADATA$FILE_ROW_NUMBER FROM @s (FILE_FORMAT => elements) ORDER BY 1"
    )
    assert found.fetchall() == [(n, n + 1) for n in range(6)]
    docs.sql("CREATE TABLE people (note VARCHAR, id INT)")
    by_name = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    docs.sql(f"COPY INTO people FROM @s FILE_FORMAT = elements {by_name}")
    assert docs.sql("SELECT COUNT(*), SUM(id), MIN(note) FROM people").fetchall() == [
        (6, 15, 'x "y" \\')
    ]


def test_elements_before_a_broken_one_are_loaded(docs: Session, tmp_path: Path) -> None:
    lines = [f'{{"id": {n}}},' for n in range(2000)]
    _write(tmp_path, "\n".join(["[", *lines, '{"id": }]', '{"id": -1}']))
    strip = "FILE_FORMAT = (TYPE = JSON STRIP_OUTER_ARRAY = TRUE)"
    with pytest.raises(LoadFailed, match="all 1 of 2002 rows are refused"):
        _load(docs, strip)
    said = "this is no JSON value of its own"
    loaded = _load(docs, f"{strip} ON_ERROR = CONTINUE")
    assert loaded == [("PARTIALLY_LOADED", 2002, 2001, said, 2001)]
    assert _ids(docs) == list(range(-1, 2000))


def test_members_and_external_tables_are_of_documents(docs: Session, tmp_path: Path) -> None:
    _write(tmp_path, "\n".join(json.dumps(each, indent=2) for each in _PEOPLE))
    docs.sql("CREATE TABLE people (note VARCHAR, id INT)")
    docs.sql("COPY INTO people FROM @s MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE")
    assert docs.sql("SELECT COUNT(*), MAX(id), MIN(note) FROM people").fetchall() == [
        (6, 5, 'x "y" \\')
    ]
    docs.sql(
        "CREATE EXTERNAL TABLE e (id INT AS (VALUE:id::INT)) LOCATION = @s FILE_FORMAT = "
        "(TYPE = JSON)"
    )
    found = docs.sql("SELECT SUM(id), MAX(VALUE:tags[1]:b::VARCHAR) FROM e").fetchall()
    assert found == [(15, "{[")]
    docs.sql("CREATE PIPE p AS COPY INTO docs FROM @s")
    docs.sql("ALTER PIPE p REFRESH")
    docs.run_pipes()
    assert _ids(docs) == list(range(6))
