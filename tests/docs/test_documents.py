"""The documents say what is true: their examples run, and print what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from readme_examples import run_examples

_ROOT = Path(__file__).parents[2]
_DOCS = _ROOT / "docs"
_INDEX = _DOCS / "reference" / "README.md"
_PAGES = sorted(set(_INDEX.parent.glob("*.md")) - {_INDEX})
_DOCUMENTS = [_ROOT / "README.md", _ROOT / "SECURITY.md", *sorted(_DOCS.rglob("*.md"))]
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sql.md", "streams.md", "dialects.md", "ingest.md"])
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


def _anchors(document: Path) -> set[str]:
    """Return what GitHub makes of a document's headings."""
    text = _FENCED.sub("", document.read_text(encoding="utf-8"))
    return {_anchor(heading) for heading in _HEADING.findall(text)}


def _anchor(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")
