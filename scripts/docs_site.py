"""Hooks of mkdocs: the site of the documents is laid out as the repository is.

So a link between two documents leads to the same place on a git host and on the site, also where it
leaves `docs/`. A folder in the navigation stands for the pages in it; a link to a folder for its
README. Lists and tables that only git hosts understand are written as mkdocs reads them. What a
reader's browser would fetch from elsewhere is a warning, which `--strict` takes for an error.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = ("*.md", "docs/**/*.md", "tests/**/*.md", "benchmarks/**/*.md")
# what documents show or name beside pages
ASSETS = ("benchmarks/results/*.png", "examples/*.py")

_LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#\s]+)(?=[)#])")
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LIST_AFTER_TEXT = re.compile(r"^((?!- |[* ] |[0-9]+[.] |[|#])\S.*\n)(?=- |1[.] )", re.MULTILINE)
_NESTED_ITEM = re.compile(r"^ {2,3}(?=- )", re.MULTILINE)
_CELL_OF_CODE = re.compile(r"(?<=`)[^`\n]*\\\|[^`\n]*(?=`)")
_FETCHED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"')
_log = logging.getLogger("mkdocs.hooks.docs_site")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of each folder of the navigation in its place."""
    config.nav = expand_folders(config.nav or [])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of `docs/` by those of the whole repository, under their paths in it."""
    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)
    for path in list_files(*PAGES, *ASSETS):
        files.append(File(path, str(ROOT), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let a link to a folder lead to its README, and lists be lists."""
    return name_readmes(write_for_mkdocs(markdown), ROOT / page.file.src_uri)


def on_post_page(output: str, page: Page, **_: Any) -> str:
    """Warn of what a browser would fetch from another server."""
    for fetched in find_fetched(output):
        _log.warning("%s fetches %s", page.file.src_uri, fetched)
    return output


def list_files(*patterns: str) -> list[str]:
    """Return the paths of files under the repository's folder, a folder's README before the others.

    >>> list_files("docs/reference/[cR]*.md")[:2]
    ['docs/reference/README.md', 'docs/reference/changes.md']
    """
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)}
    ordered = sorted(paths, key=lambda path: (path.parent, path.name != "README.md", path.name))
    return [path.relative_to(ROOT).as_posix() for path in ordered]


def expand_folders(entries: list[Any]) -> list[Any]:
    """Return a navigation in which the pages of a folder stand for the folder.

    >>> expand_folders(["README.md", {"Specification": "tests/spec/"}])
    ['README.md', {'Specification': ['tests/spec/README.md']}]
    """
    return [
        {title: _expand(entry) for title, entry in each.items()} if isinstance(each, dict) else each
        for each in entries
    ]


def _expand(entry: Any) -> Any:
    if isinstance(entry, list):
        return expand_folders(entry)
    return list_files(f"{entry}**/*.md") if entry.endswith("/") else entry


def name_readmes(markdown: str, document: Path) -> str:
    """Return a document's text, in which links to folders name the README there.

    >>> name_readmes("[all](spec), [one](spec/README.md)", ROOT / "tests" / "README.md")
    '[all](spec/README.md), [one](spec/README.md)'
    """

    def named(link: re.Match[str]) -> str:
        target = link["target"]
        is_folder = (document.parent / target).is_dir()
        return f"]({target.rstrip('/')}/README.md" if is_folder else link[0]

    return _LINK.sub(named, markdown)


def write_for_mkdocs(markdown: str) -> str:
    r"""Return a document's text with an empty line before each list, nested ones indented by four.

    In the code of a table's cell a git host wants `\|`, and mkdocs `|`.

    >>> write_for_mkdocs("Two:\n- one\n  - of it\n")
    'Two:\n\n- one\n    - of it\n'
    """
    return "".join(
        part if part.startswith("```") else _write_text(part) for part in _FENCED.split(markdown)
    )


def _write_text(text: str) -> str:
    text = _NESTED_ITEM.sub("    ", _LIST_AFTER_TEXT.sub(r"\1\n", text))
    return _CELL_OF_CODE.sub(lambda code: code[0].replace("\\|", "|"), text)


def find_fetched(html: str) -> list[str]:
    """Return the tags of a page that fetch something from another server.

    >>> find_fetched('<script src="a.js"></script><a href="https://iceberg.apache.org">Iceberg</a>')
    []
    >>> find_fetched('<link href="https://fonts.example/roboto.css">')
    ['<link href="https://fonts.example/roboto.css"']
    """
    return _FETCHED.findall(html)
