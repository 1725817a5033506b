"""The site of the documents reads what git hosts read, and fetches nothing."""

from __future__ import annotations

from typing import Any

import pytest
from docs_site import (
    PAGES,
    ROOT,
    expand_folders,
    find_fetched,
    list_files,
    name_readmes,
    write_for_mkdocs,
)
from docstring_examples import fence_examples
from mkdocs.utils.yaml import yaml_load


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Two:\n- one\n- two\n", "Two:\n\n- one\n- two\n"),
        ("**Why.**\n1. one\n2. two\n", "**Why.**\n\n1. one\n2. two\n"),
        ("- one\n  - of it\n", "- one\n    - of it\n"),
        ("1. one\n   - of it\n", "1. one\n    - of it\n"),
        # what is a list already, a table, or code, stays
        ("- one\n  goes on\n- two\n", "- one\n  goes on\n- two\n"),
        ("```\ntext\n- no list\n```\n", "```\ntext\n- no list\n```\n"),
        ("| `a\\|b` | c |\n", "| `a|b` | c |\n"),
        ("| a \\| b | c |\n", "| a \\| b | c |\n"),
    ],
)
def test_lists_and_cells_of_git_hosts_are_written_for_mkdocs(text: str, written: str) -> None:
    assert write_for_mkdocs(text) == written


def test_a_link_to_a_folder_names_its_readme_and_others_stay() -> None:
    text = "[a](tests/spec) [b](tests/spec/#x) [c](docs/sql.md#match) [d](https://a.example/docs)"
    assert name_readmes(text, ROOT / "README.md") == (
        "[a](tests/spec/README.md) [b](tests/spec/README.md#x) [c](docs/sql.md#match)"
        " [d](https://a.example/docs)"
    )


def test_every_document_is_in_the_navigation_once() -> None:
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        nav = yaml_load(file)["nav"]
    assert sorted(_pages(expand_folders(nav))) == sorted(list_files(*PAGES))


def _pages(entries: list[Any]) -> list[str]:
    pages: list[str] = []
    for entry in entries:
        if isinstance(entry, str):
            pages.append(entry)
            continue
        for inner in entry.values():
            pages += _pages(inner if isinstance(inner, list) else [inner])
    return pages


@pytest.mark.parametrize(
    ("html", "fetched"),
    [
        ('<script async src="https://cdn.example/a.js"></script>', 1),
        ("<link rel=stylesheet href=\"//fonts.example/a.css\"><img src='a.png'>", 1),
        ('<img alt="a" src="http://a.example/b.png">', 1),
        ('<script src="assets/a.js"></script><a href="https://iceberg.apache.org">Iceberg</a>', 0),
    ],
)
def test_what_a_browser_would_fetch_from_elsewhere_is_found(html: str, fetched: int) -> None:
    assert len(find_fetched(html)) == fetched


def test_examples_of_docstrings_become_code() -> None:
    docstring = "Add.\n\n>>> 1 + 1\n2\n\nAnd so on."
    assert fence_examples(docstring) == "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nAnd so on."
