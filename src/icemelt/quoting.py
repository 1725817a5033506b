"""Quoting: the only place where a user's text becomes part of Spark SQL.

A name is put into backticks, a text into single quotes. A word without quotes (the name of a
function or of an argument) is plain: ASCII letters, digits, `_` and `$`.
"""

from __future__ import annotations

import re

__all__ = ["is_plain_word", "quote", "text_literal"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_SLOT, _NO_SLOT = "__icemelt", r"\u005f_icemelt"


def quote(name: str) -> str:
    """Return a name as a quoted Spark SQL identifier.

    >>> quote("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def text_literal(text: str) -> str:
    r"""Return a text as a Spark SQL literal.

    Spark substitutes variables in `${`, and icemelt puts the relation of a table for a slot. The
    literal escapes both.

    >>> print(text_literal("it's a \\ and ${x}"))
    'it\'s a \\ and \u0024{x}'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped.replace(_SLOT, _NO_SLOT)}'"


def is_plain_word(word: str) -> bool:
    """Return whether a word may stand in Spark SQL without quotes.

    >>> is_plain_word("to_date"), is_plain_word("to_date(1), x")
    (True, False)
    """
    return _PLAIN.fullmatch(word) is not None
