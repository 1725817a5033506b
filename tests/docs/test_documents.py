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
    *sorted((_ROOT / "tests").rglob("README.md")),
    *sorted((_ROOT / "benchmarks").rglob("*.md")),
]
_FOLDERS = ("src", "tests", "scripts", "examples", "benchmarks")
_MODULES = [path for folder in _FOLDERS for path in (_ROOT / folder).rglob("*.py")]
_GLOSSARY = (
    (_DOCS / "GLOSSARY.md").read_text(encoding="utf-8").partition("\n## Words that the code")[0]
)
_WORDS = re.findall(r"^\| \*\*(.+?)\*\* \|.*\| (.+?) \|$", _GLOSSARY, re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_PATH = re.compile(r"(?<![\w./*<>-])(?:\.\./)*([\w./-]+\.py)\b")
# words in capitals are mostly SQL's, and `icemelt_…` names are the registry's
_NAME, _FILE = r"((?!icemelt_|[A-Z][A-Z_]*`)\w+)", r"([\w./-]+\.py)"
_NAMED = re.compile(rf"`{_NAME}(?:\(\))?`,?\s+(?:\((?=`[^`]+`[),])|(?:in|of)\s)`{_FILE}`")
_NAMING = re.compile(rf"`{_FILE} {_NAME}(?:\(\))?`")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["sql.md", "streams.md", "files.md", "tasks.md", "dialects.md", "ingest.md", "runbook.md"],
)
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


@pytest.mark.parametrize("document", _DOCUMENTS, ids=lambda path: str(path.relative_to(_ROOT)))
def test_modules_exist_with_the_names_that_a_document_gives(document: Path) -> None:
    assert _dead_names(document.read_text(encoding="utf-8")) == []


def test_a_dead_module_or_name_is_found() -> None:
    text = (
        "`room.py`, `writer/room.py` and ../src/icemelt/lasting.py; `_LISTS` (`show/listing.py`),\n"
        "`_source` of\n`session/queries/binding.py`, `catalog/database.py note`, `made_again()` in "
        "`timeline/stream_state.py`; `capacity.py`, `DELETE` (`sql/grammar/merges.py`), "
        "`*/program.py`, `rules/<operator>.py`, `publish` (`catalog/publishing.py`)\n"
        "```\npython program.py\n```\n"
    )
    assert _dead_names(text) == [
        *("room.py", "writer/room.py", "src/icemelt/lasting.py"),
        *("_LISTS of show/listing.py", "_source of session/queries/binding.py"),
        "made_again of timeline/stream_state.py",
        "note of catalog/database.py",
    ]


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


def _dead_names(document: str) -> list[str]:
    """Return the modules of a document that do not exist, and the names that are not in theirs."""
    text = _FENCED.sub("", document)
    pairs = _NAMED.findall(text) + [(name, path) for path, name in _NAMING.findall(text)]
    return [path for path in _PATH.findall(text) if not _find_modules(path)] + [
        f"{name} of {path}"
        for name, path in pairs
        if (modules := _find_modules(path))
        and not any(re.search(rf"\b{name}\b", m.read_text(encoding="utf-8")) for m in modules)
    ]


def _find_modules(path: str) -> list[Path]:
    """Return the modules whose path is a path, or ends with it."""
    return [module for module in _MODULES if module.as_posix().endswith(f"/{path}")]


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
