"""Completion in the shell: keywords, databases, schemas, tables, columns, commands and files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from icemelt.cli.formats import OutputFormat
from icemelt.names import fold

if TYPE_CHECKING:
    from icemelt.cli.vocabulary import Vocabulary
    from icemelt.names import QualifiedName

__all__ = ["ShellCompleter"]

_MOST = 100
_PART = r'(?:"(?:[^"]|"")*"|[\w$]+)'
_TYPED = re.compile(rf'((?:{_PART}\.)*)("?[\w$]*)$')
_NAME = re.compile(rf"{_PART}(?:\.{_PART}){{0,2}}")
# a name and the next word, possibly an alias or another name
_NAMED = re.compile(rf"({_NAME.pattern})(?=(?:\s+(?:AS\s+)?([\w$]+))?)", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*|METADATA\$\w+")
_TABLE_WORDS = {"FROM", "JOIN", "INTO", "UPDATE", "TABLE", "VIEW", "USING", "DESC"} | {
    "DESCRIBE",
    "HISTORY",
}
_METADATA = ("METADATA$ACTION", "METADATA$ISUPDATE", "METADATA$ROW_ID")


class ShellCompleter(Completer):
    """Completes words by the vocabulary's names of the moment."""

    def __init__(self, vocabulary: Vocabulary, commands: Iterable[str]) -> None:
        """Complete names, and the shell's own commands."""
        self._vocabulary = vocabulary
        self._commands = tuple(commands)
        self._paths = PathCompleter(expanduser=True)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield the completions at the cursor."""
        text = document.text_before_cursor
        if text.lstrip().startswith("\\"):
            yield from self._of_command(text.lstrip(), complete_event)
            return
        typed = _TYPED.search(text)
        if typed is None or _inside_text(text):
            return
        path = tuple(_unquote(part) for part in re.findall(_PART, typed.group(1)))
        word = typed.group(2)
        if not word and not path and not complete_event.completion_requested:
            return
        before = text[: typed.start()]
        candidates = (
            self._below(path, document.text) if path else self._alone(before, word, document)
        )
        yield from _matching(candidates, word)

    def _of_command(self, text: str, event: CompleteEvent) -> Iterator[Completion]:
        """Yield completions for a command of the shell: commands, files, formats or tables."""
        command, space, rest = text.partition(" ")
        if not space:
            yield from _matching(((name, "command") for name in self._commands), command)
        elif command == "\\i":
            yield from self._paths.get_completions(Document(rest), event)
        elif command == "\\format":
            yield from _matching(((format_.value, "format") for format_ in OutputFormat), rest)
        elif command == "\\d":
            names = self._vocabulary.tables_in(*self._vocabulary.current)
            yield from _matching(((name, "table") for name in names), rest)

    def _below(self, path: tuple[str, ...], text: str) -> Iterator[tuple[str, str]]:
        """Yield completions after `path.`: columns, tables or schemas."""
        vocabulary = self._vocabulary
        table = self._aliases(text).get(fold(path[-1])) if len(path) == 1 else None
        table = table or vocabulary.table(path)
        if table is not None:
            yield from ((name, "column") for name in vocabulary.columns(table))
        if len(path) == 1:
            yield from (
                (name, "table") for name in vocabulary.tables_in(vocabulary.current[0], path[0])
            )
            yield from ((name, "schema") for name in vocabulary.schemas_in(path[0]))
        elif len(path) == 2:  # noqa: PLR2004 - database and schema
            yield from ((name, "table") for name in vocabulary.tables_in(*path))

    def _alone(self, before: str, word: str, document: Document) -> Iterator[tuple[str, str]]:
        """Yield completions without a path: tables after FROM, or else columns and keywords too."""
        vocabulary = self._vocabulary
        previous = (before.upper().split() or [""])[-1]
        tables = vocabulary.tables_in(*vocabulary.current)
        if previous not in _TABLE_WORDS and previous != "USE":
            mentioned = dict.fromkeys(self._aliases(document.text).values())
            for table in mentioned:
                yield from ((name, "column") for name in vocabulary.columns(table))
        if previous != "USE":
            yield from ((name, "table") for name in tables)
        yield from ((name, "schema") for name in vocabulary.schemas_in(vocabulary.current[0]))
        yield from ((name, "database") for name in vocabulary.names.databases)
        if word.upper().startswith("METADATA") or "changes" in document.text.lower():
            yield from ((name, "column") for name in _METADATA)
        for keyword in () if word.startswith('"') else vocabulary.keywords:
            yield (keyword.lower() if word[:1].islower() else keyword, "")

    def _aliases(self, text: str) -> dict[str, QualifiedName]:
        """Return the tables in a text, by name and by alias."""
        tables = {}
        for match in _NAMED.finditer(text):
            parts = tuple(_unquote(part) for part in re.findall(_PART, match.group(1)))
            table = self._vocabulary.table(parts)
            if table is not None:
                tables[fold(parts[-1])] = table
                tables[fold(match.group(2) or parts[-1])] = table
        return tables


def _matching(candidates: Iterable[tuple[str, str]], word: str) -> Iterator[Completion]:
    """Yield the candidates with a prefix, without repetitions, and no more than a menu shows."""
    prefix = fold(word.lstrip('"'))
    completed: set[str] = set()
    for name, kind in candidates:
        if name in completed or not fold(name).startswith(prefix):
            continue
        completed.add(name)
        text = name if not kind or kind in {"command", "format"} else _quote_if_needed(name, word)
        yield Completion(text, start_position=-len(word), display=name, display_meta=kind)
        if len(completed) == _MOST:
            return


def _quote_if_needed(name: str, word: str) -> str:
    """Return a name as written in a statement, with quotes if needed.

    >>> _quote_if_needed("orders", "or"), _quote_if_needed("Orders 2024", "or")
    ('orders', '"Orders 2024"')
    """
    if _PLAIN.fullmatch(name) and not word.startswith('"'):
        return name
    return '"' + name.replace('"', '""') + '"'


def _unquote(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part


def _inside_text(text: str) -> bool:
    """Return whether the cursor is inside a string or a comment.

    >>> _inside_text("SELECT 'a"), _inside_text("SELECT 'a'"), _inside_text("SELECT 1 -- al")
    (True, False, True)
    """
    without = re.sub(r"'(?:[^'\\]|\\.|'')*'", "", text)
    return "'" in without or "--" in without.rpartition("\n")[2]
