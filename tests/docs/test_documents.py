"""The documents say what is true: their examples run, and print what they show."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from readme_examples import run_examples

from icemelt import version

_ROOT = Path(__file__).parents[2]
_DOCS = _ROOT / "docs"
_INDEX = _DOCS / "reference" / "README.md"
_PAGES = sorted(set(_INDEX.parent.glob("*.md")) - {_INDEX})
_DOCUMENTS = [
    *sorted(_ROOT.glob("*.md")),
    *sorted(_DOCS.rglob("*.md")),
    _ROOT / "tests" / "README.md",
]
_GLOSSARY = (
    (_DOCS / "GLOSSARY.md").read_text(encoding="utf-8").partition("\n## Words that the code")[0]
)
_WORDS = re.findall(r"^\| \*\*(.+?)\*\* \|.*\| (.+?) \|$", _GLOSSARY, re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sql.md", "streams.md", "dialects.md", "ingest.md", "runbook.md"])
def test_examples_print_what_the_document_shows(spark: SparkSession, name: str) -> None:
    assert run_examples(_DOCS / name, complete=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_a_page_of_the_reference_prints_what_it_shows(spark: SparkSession, page: Path) -> None:
    assert run_examples(page, complete=False) == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_a_page_of_the_reference_is_in_its_index_and_has_all_parts(page: Path) -> None:
    assert f"]({page.name})" in _INDEX.read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    for part in ("\n```\n", "## Example\n", "\nSee also: ", "| when |"):
        assert part in text, part


@pytest.mark.parametrize("document", _DOCUMENTS, ids=lambda path: str(path.relative_to(_ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = _FENCED.sub("", document.read_text(encoding="utf-8"))
    for place, heading in _LINK.findall(text):
        target = (document.parent / place).resolve() if place else document
        assert target.exists(), place
        if heading:
            assert heading in _anchors(target), f"{place}#{heading}"


@pytest.mark.parametrize(("word", "homes"), _WORDS, ids=[word for word, _ in _WORDS])
def test_a_word_of_the_glossary_has_its_home(word: str, homes: str) -> None:
    for home in re.findall(r"`(.+?)`", homes):
        assert (_ROOT / "src" / "icemelt" / home).exists(), home
    assert [other for other, _ in _WORDS].count(word) == 1


def test_a_clock_of_examples_moves_on_and_the_lake_is_maintained(
    spark: SparkSession, tmp_path: Path
) -> None:
    document = tmp_path / "days.md"
    document.write_text(
        "```sql\nCREATE TABLE t (id INT);\nINSERT INTO t VALUES (1);\n```\n"
        "<!-- 3 days later, maintained -->\n```sql\nINSERT INTO t VALUES (2);\n"
        "SELECT count(*) AS n FROM t VERSION AS OF 1;\nSELECT CURRENT_DATE() AS today;\n```\n"
        "```text\n1 row inserted.\n…is past retention…\nHint:…\n today\n---…\n 2024-05-04\n```\n",
        encoding="utf-8",
    )
    assert run_examples(document, complete=False) == []


def _anchors(document: Path) -> set[str]:
    """Return what GitHub makes of a document's headings."""
    text = _FENCED.sub("", document.read_text(encoding="utf-8"))
    return {_anchor(heading) for heading in _HEADING.findall(text)}


def _anchor(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def test_the_version_is_in_one_place_and_in_the_changelog() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == version()
    changelog = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *versions = re.findall(r"^## (\S+)(?: \((.+)\))?$", changelog, re.MULTILINE)
    assert first == ("Unreleased", "")
    released = [number for number, when in versions if when != "not released yet"]
    # what was released last is what the package says it is; nothing is released without a date
    assert released[:1] in ([], [version()])
    assert all(when for _, when in versions)
