"""What COPY INTO a location writes as CSV is read back, whatever separates values and means NULL.

A value that would not be is refused: `Separators` says which texts these are.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from icemelt.errors import DefinitionRefused, ValueRefused
from icemelt.quoting import text_literal
from icemelt.session.session import Session
from icemelt.spark_sql.unloading import Separators
from icemelt.sql.dialect.written_names import identifier

PLAIN = "TYPE = CSV COMPRESSION = NONE"
QUOTED = f"{PLAIN} FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"
NAMES = ("a", "a,b", 'a"b', '"', "a|", "|", " a ", "é", "''", "\\N", "a\tb", "\ufeffa", "a||b")
NAMES_OF_NO_HEADER = ("a\nb", "a\r", " ", "\t")
DELIMITERS = ("||", "ab", "aab", "aba", ",;", "|+|")


def texts_of(signs: str, most: int = 4) -> list[str]:
    """Return all texts of up to some signs."""
    lengths = range(1, most + 1)
    return ["".join(each) for n in lengths for each in itertools.product(signs, repeat=n)]


def read_back(session: Session, place: Path, query: str, options: str, written: str = "") -> None:
    """Unload `v, n, w` of a query, and compare what is loaded again."""
    session.sql(f"COPY INTO '{place}' FROM ({query}) FILE_FORMAT = ({options}) {written}")
    session.sql("CREATE OR REPLACE TABLE loaded (v VARCHAR, n INT, w VARCHAR)")
    session.sql(f"COPY INTO loaded FROM '{place}' FILE_FORMAT = ({options})")
    given = session.sql(f"SELECT * FROM ({query}) ORDER BY n").fetchall()
    assert session.sql("SELECT * FROM loaded ORDER BY n").fetchall() == given


@pytest.mark.turns(4)
@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("options", [PLAIN, QUOTED])
def test_a_text_beside_a_long_delimiter_is_read_back(
    session: Session, tmp_path: Path, options: str, delimiter: str
) -> None:
    signs = "".join(dict.fromkeys(delimiter + "x"))
    texts = texts_of(signs + '" ' if options == QUOTED else signs)
    quote = '"' if options == QUOTED else None
    separators = Separators(delimiter, "\n", quote, ("\\N",))
    ends = tuple(separators.starts)
    # a delimiter inside of a text is written with an escape character
    kept = [text for text in texts if quote or not text.endswith(ends)]
    assert len(kept) > len(signs) ** 2
    session.sql("CREATE TABLE t (v VARCHAR, n INT)")
    rows = ", ".join(f"({text_literal(text)}, {n})" for n, text in enumerate(kept))
    session.sql(f"INSERT INTO t VALUES {rows}")
    options = f"{options} FIELD_DELIMITER = '{delimiter}'"
    read_back(session, tmp_path / "o", "SELECT v, n, v AS w FROM t", options)
    for text in [each for each in texts if each not in kept][:3]:
        with pytest.raises(ValueRefused, match="holds a delimiter or ends in a part of one"):
            session.sql(
                f"COPY INTO '{tmp_path}/o' FROM (SELECT {text_literal(text)} AS v, 1 AS n)"
                f" FILE_FORMAT = ({options})"
            )


@pytest.mark.turns(8)
@pytest.mark.parametrize("options", [PLAIN, QUOTED])
@pytest.mark.parametrize(
    "nulls",
    ["", "NULL_IF = ()", "NULL_IF = ('')", "NULL_IF = ('none', '')", "NULL_IF = ('a', ',')"],
)
@pytest.mark.parametrize("empty", ["", "EMPTY_FIELD_AS_NULL = FALSE"])
def test_an_empty_text_and_null_are_read_back_or_refused(
    session: Session, tmp_path: Path, options: str, nulls: str, empty: str
) -> None:
    written = f"{options} {nulls} {empty}"
    kept = 0
    for number, value in enumerate(("''", "NULL", "'a'", "'none'", "','", "' '", "'\\t'")):
        query = f"SELECT {value}::VARCHAR AS v, 1 AS n, 'b' AS w UNION ALL SELECT 'c', 2, {value}"
        try:
            read_back(session, tmp_path / str(number), query, written)
        except ValueRefused:
            continue
        kept += 1
    assert kept >= 3


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("SELECT '' AS v, 1 AS n", PLAIN),
        ("SELECT NULL AS v, 1 AS n", f"{PLAIN} NULL_IF = () EMPTY_FIELD_AS_NULL = FALSE"),
        ("SELECT NULL AS v, 1 AS n", f"{PLAIN} NULL_IF = ('a,b')"),
        ("SELECT 'none' AS v, 1 AS n", f"{QUOTED} NULL_IF = ('\\\\N', 'none')"),
        ("SELECT 1 AS v, 2 AS n", f"{QUOTED} NULL_IF = ('\\\\N', '1')"),
        ("SELECT '' AS v, 1 AS n", f"{QUOTED} NULL_IF = ('')"),
        # readers pass over blank lines
        ("SELECT ' ' AS v", PLAIN),
        ("SELECT NULL AS v", f"{PLAIN} NULL_IF = (' ')"),
        (
            "SELECT '' AS v, ' ' AS w",
            f"{PLAIN} FIELD_DELIMITER = '\\t' EMPTY_FIELD_AS_NULL = FALSE",
        ),
        ("SELECT NULL AS v, NULL AS w", f"{PLAIN} FIELD_DELIMITER = '\\t' NULL_IF = ()"),
    ],
)
def test_a_value_that_means_another_one_is_refused(
    session: Session, tmp_path: Path, query: str, options: str
) -> None:
    with pytest.raises(ValueRefused) as refused:
        session.sql(f"COPY INTO '{tmp_path}/o' FROM ({query}) FILE_FORMAT = ({options})")
    assert "would not be read back" in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    "options",
    [
        f"{PLAIN} RECORD_DELIMITER = '##'",
        f"{PLAIN} FIELD_DELIMITER = ',\\n'",
        f"{PLAIN} FIELD_DELIMITER = ',;' RECORD_DELIMITER = ';'",
        f"{QUOTED} FIELD_DELIMITER = '\",\"'",
        f"{QUOTED} ESCAPE = '!' FIELD_DELIMITER = '!'",
        f"{QUOTED} RECORD_DELIMITER = '\"'",
    ],
)
def test_separators_that_are_parts_of_each_other_are_refused(
    session: Session, tmp_path: Path, options: str
) -> None:
    session.sql("CREATE TABLE t (v VARCHAR)")
    (tmp_path / "in.csv").write_text("a\n")
    for statement in (
        f"COPY INTO '{tmp_path}/o' FROM (SELECT 1 AS a) FILE_FORMAT = ({options})",
        f"COPY INTO t FROM '{tmp_path}/in.csv' FILE_FORMAT = ({options})",
    ):
        with pytest.raises(DefinitionRefused, match=r"(RECORD|FIELD)_DELIMITER cannot be"):
            session.sql(statement)


@pytest.mark.turns(2)
@pytest.mark.parametrize("delimiter", [",", "||", "\t"])
@pytest.mark.parametrize("options", [PLAIN, QUOTED])
def test_the_names_in_a_header_are_read_back_or_refused(
    session: Session, tmp_path: Path, options: str, delimiter: str
) -> None:
    sign = "\t" if delimiter == "\\t" else delimiter
    separators = Separators(sign, "\n", '"' if options == QUOTED else None, ())
    options = f"{options} FIELD_DELIMITER = '{delimiter}'"
    kept, refused = ["k"], []
    for name in (*NAMES, *NAMES_OF_NO_HEADER):
        (refused if separators.loses_name(name) else kept).append(name)
    assert set(NAMES_OF_NO_HEADER) <= set(refused)
    assert '"' not in options or set(NAMES) <= set(kept)
    # the first name is at the start of the file
    for names in (kept, kept[::-1]):
        place = tmp_path / str(len(names[0]))
        query = ", ".join(f"{n} AS {identifier(name)}" for n, name in enumerate(names))
        session.sql(
            f"COPY INTO '{place}' FROM (SELECT {query}) FILE_FORMAT = ({options}) HEADER = TRUE"
        )
        session.sql(f"CREATE OR REPLACE STAGE s URL = '{place}'")
        session.sql(f"CREATE OR REPLACE FILE FORMAT f {options} PARSE_HEADER = TRUE")
        found = session.sql(
            "SELECT column_name FROM TABLE(INFER_SCHEMA(LOCATION => '@s', FILE_FORMAT => 'f'))"
            " ORDER BY order_id"
        ).fetchall()
        assert found == [(name,) for name in names]
        session.sql(f"CREATE OR REPLACE FILE FORMAT f {options} SKIP_HEADER = 1")
        found = session.sql(f"SELECT $1, ${len(names)} FROM @s (FILE_FORMAT => 'f')").fetchall()
        assert found == [("0", str(len(names) - 1))]
    for name in refused:
        with pytest.raises(DefinitionRefused):
            session.sql(
                f"COPY INTO '{tmp_path}/o' FROM (SELECT 1 AS {identifier(name)}, 2 AS k)"
                f" FILE_FORMAT = ({options}) HEADER = TRUE"
            )
