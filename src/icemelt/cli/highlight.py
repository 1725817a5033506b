"""Colours of SQL in the shell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from prompt_toolkit.styles import Style
from pygments.lexers.sql import SqlLexer
from pygments.token import Keyword, Name, _TokenType

if TYPE_CHECKING:
    from icemelt.cli.vocabulary import Vocabulary

__all__ = ["STYLE", "make_lexer"]

STYLE = Style.from_dict(
    {
        "prompt": "ansicyan bold",
        "continuation": "ansibrightblack",
        "bottom-toolbar": "noreverse ansibrightblack",
        "pygments.keyword": "ansiblue bold",
        "pygments.name.builtin": "ansiblue",
        "pygments.literal.string": "ansigreen",
        "pygments.literal.number": "ansimagenta",
        "pygments.comment": "ansibrightblack italic",
        "pygments.name.variable": "ansicyan",
    }
)


def make_lexer(vocabulary: Vocabulary) -> type[SqlLexer]:
    """Return a lexer with the vocabulary's keywords, present and future."""

    class ShellLexer(SqlLexer):
        """SQL with the words that the general lexer lacks."""

        name = "icemelt"
        aliases: ClassVar[list[str]] = ["icemelt"]

        def get_tokens_unprocessed(
            self, text: str, stack: Iterable[str] = ("root",)
        ) -> Iterator[tuple[int, _TokenType, str]]:
            """Yield the lexer's tokens, with keywords and METADATA$ columns recognized."""
            keywords = set(vocabulary.keywords)
            for place, kind, word in super().get_tokens_unprocessed(text, stack):
                if kind is Name and word.upper() in keywords:
                    yield place, Keyword, word
                elif kind is Name and "$" in word:
                    yield place, Name.Variable, word
                else:
                    yield place, kind, word

    return ShellLexer
