"""Names in a statement, found by the words before the names, without parsing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from icemelt.names import ObjectName, fold
from icemelt.sql.reader import tokenize

__all__ = ["find_mentioned_names", "may_mention"]

_WORDS_BEFORE_NAMES = frozenset({"FROM", "JOIN", "INTO", "UPDATE", "USING"})
_NO_NAMES = frozenset({"LATERAL", "SELECT", "SET", "TABLE", "VALUES", "WITH"})
_WORD = re.compile(r"[^\W\d][\w$]*")
_MAX_PARTS = 3


def find_mentioned_names(text: str) -> tuple[ObjectName, ...]:
    """Return the names of tables, views and streams that a statement may read or write.

    The names are a guess, so that the catalog is asked for all the names at once: a name behind a
    comma of FROM is missing, and a name may be no object's name. Names of WITH are left out.

    >>> [str(name) for name in find_mentioned_names('INSERT INTO a.b SELECT * FROM t JOIN "U"')]
    ['a.b', 't', 'U']
    >>> find_mentioned_names("WITH t AS (SELECT 1) SELECT * FROM t")
    ()
    """
    tokens = tokenize(text)
    of_with = {tokens[index].text.lower() for index in _indexes_of_definitions(tokens)}
    names: dict[ObjectName, None] = {}
    for index, token in enumerate(tokens):
        if (
            token.token_type == TokenType.IDENTIFIER
            or token.text.upper() not in _WORDS_BEFORE_NAMES
        ):
            continue
        parts = _parts_of_name(tokens, index + 1)
        if parts and (len(parts) > 1 or parts[0].lower() not in of_with):
            names[ObjectName(parts)] = None
    return tuple(names)


def may_mention(text: str, own_name: str) -> bool:
    """Tell whether a text has the own name of an object as a word, or within quotes.

    The word may be a column, an alias, or in a comment: where the answer is no, the statement does
    not name the object.

    >>> may_mention('SELECT * FROM main."B"', "b"), may_mention("SELECT * FROM bb", "b")
    (True, False)
    """
    written = re.escape(fold(own_name.replace('"', '""')))
    return re.search(rf"(?<![\w$]){written}(?![\w$])", fold(text)) is not None


def _indexes_of_definitions(tokens: Sequence[Token]) -> list[int]:
    """Return where a word stands before AS and a parenthesis, as the names of WITH do."""
    return [
        index
        for index in range(len(tokens) - 2)
        if tokens[index + 1].token_type == TokenType.ALIAS
        and tokens[index + 2].token_type == TokenType.L_PAREN
    ]


def _parts_of_name(tokens: Sequence[Token], index: int) -> tuple[str, ...]:
    """Return the parts of the name that begins at a token; none where there is no plain name."""
    parts: list[str] = []
    while index < len(tokens) and len(parts) < _MAX_PARTS:
        token = tokens[index]
        if token.token_type == TokenType.IDENTIFIER:
            parts.append(token.text)
        elif _WORD.fullmatch(token.text) and (parts or token.text.upper() not in _NO_NAMES):
            parts.append(token.text.lower())
        else:
            return ()
        if index + 1 == len(tokens) or tokens[index + 1].token_type != TokenType.DOT:
            return tuple(parts)
        index += 2
    return ()
