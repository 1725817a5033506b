"""Completion: from what is known, at the place where the cursor is."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from icemelt.cli.commands import COMMANDS
from icemelt.cli.completion import ShellCompleter
from icemelt.cli.vocabulary import Names, Vocabulary
from icemelt.names import QualifiedName
from icemelt.session.session import Session

COLUMNS = {
    "orders": ("id", "amount", "customer_id"),
    "Big Orders": ("id", "Total"),
    "customers": ("id", "name"),
}


class Known(Vocabulary):
    """What a lake of three tables holds."""

    def __init__(self) -> None:
        super().__init__()
        self.keywords = ("SELECT", "FROM", "ORDER", "CHANGES", "CREATE")
        self.names = Names(
            ("main", "sales"),
            (("main", "public"), ("main", "raw"), ("sales", "public")),
            {
                QualifiedName("main", "public", "orders"): "1",
                QualifiedName("main", "public", "Big Orders"): "2",
                QualifiedName("main", "raw", "customers"): "3",
            },
        )

    def columns(self, table: QualifiedName) -> tuple[str, ...]:
        return COLUMNS[table.name]


def completed(text: str, after: str = "", *, asked: bool = False) -> list[str]:
    completer = ShellCompleter(Known(), COMMANDS)
    document = Document(text + after, len(text))
    event = CompleteEvent(completion_requested=asked, text_inserted=not asked)
    return [each.text for each in completer.get_completions(document, event)]


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("sel", "", ["select"]),
        ("SEL", "", ["SELECT"]),
        ("SELECT * FROM or", "", ["orders", "order"]),
        ("SELECT * FROM big", "", ['"Big Orders"']),
        ('SELECT * FROM "or', "", ['"orders"']),
        ("SELECT am", " FROM orders", ["amount"]),
        ("SHOW CHANGE SUPPORT FOR VIEW cu", " FROM orders", []),
        ("SELECT o.", " FROM orders o", ["id", "amount", "customer_id"]),
        ("SELECT orders.cu", " FROM orders", ["customer_id"]),
        ("SELECT b.t", ' FROM "Big Orders" AS b', ['"Total"']),
        ("SELECT c.n", " FROM raw.customers c", ["name"]),
        ("SELECT * FROM raw.", "", ["customers"]),
        ("SELECT * FROM sales.", "", ["public"]),
        ("SELECT * FROM main.raw.", "", ["customers"]),
        ("USE ra", "", ["raw"]),
        ("USE s", "", ["sales", "select"]),
        ("SELECT METADATA$I", " FROM orders", ["METADATA$ISUPDATE"]),
        ("SELECT 'or", "", []),
        ("SELECT 1 -- or", "", []),
        ("\\f", "", ["\\format"]),
        ("\\format j", "", ["json"]),
        ("\\d ord", "", ["orders"]),
        ("SELECT a.b.c.d.", "", []),
    ],
)
def test_completes(text: str, after: str, expected: list[str]) -> None:
    assert completed(text, after) == expected


def test_nothing_pops_up_between_words_unless_asked() -> None:
    assert completed("SELECT ") == []
    assert "orders" in completed("SELECT * FROM ", asked=True)


def test_files_are_completed_after_i(tmp_path: Path) -> None:
    (tmp_path / "load.sql").touch()

    assert completed(f"\\i {tmp_path}/lo") == ["ad.sql"]


def test_a_stream_has_columns_of_its_own_behind_its_tables(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE STREAM snow ON TABLE t")
    session.sql("CREATE STREAM log ON TABLE t REDO_LOG = TRUE")
    session.sql(
        "CREATE TABLE STREAM sing ON TABLE t WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    )
    known = Vocabulary()
    known.learn(session)

    def columns(name: str) -> tuple[str, ...]:
        return known.columns(QualifiedName("main", "public", name))

    changes = ("METADATA$ACTION", "METADATA$ISUPDATE", "METADATA$ROW_ID")
    assert columns("snow") == ("id", *changes)
    assert columns("log") == (
        "id",
        *changes,
        "METADATA$COMMIT_VERSION",
        "METADATA$COMMIT_TIMESTAMP",
    )
    assert set(columns("sing")) == {"id", "__change_type", "__commit_version", "__commit_timestamp"}
    assert columns("t") == ("id",)
