"""Quoting: the one place where a text of a user becomes a part of Spark SQL.

A name is put into backticks, a text into single quotes. A word that stands without quotes (the name
of a function, or of an argument) is plain: letters of ASCII, digits, `_` and `$`.
"""

from __future__ import annotations

import re

__all__ = ["is_plain", "quote", "text_literal"]

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

    `${` is broken up, for Spark substitutes variables, and so is the beginning of a slot, for
    which icemelt puts the relation of a table.

    >>> print(text_literal("it's a \\ and ${x}"))
    'it\'s a \\ and \u0024{x}'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped.replace(_SLOT, _NO_SLOT)}'"


def is_plain(word: str) -> bool:
    """Tell whether a word may stand in Spark SQL without quotes.

    >>> is_plain("to_date"), is_plain("to_date(1), x")
    (True, False)
    """
    return _PLAIN.fullmatch(word) is not None
