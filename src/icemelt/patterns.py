r"""LIKE and regular expressions on names, in time linear in the length of the name.

Python's `re` backtracks, and no other thread runs meanwhile: a user's pattern on a user's name
could stop a server for hours. RE2 is linear, without look-around and back-references. Snowflake's
regular expressions are RE2's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import re2

from icemelt.errors import QueryError

__all__ = ["compile_matcher", "is_like"]

_LONGEST = 1000
# the most bytes of a compiled expression; a larger expression is refused
_MEMORY = 1 << 20


def is_like(text: str, pattern: str, *, escape: str = "") -> bool:
    r"""Return whether a text matches a LIKE pattern, without regard to case.

    Args:
        text: a name.
        pattern: `%` stands for any text, `_` for any character.
        escape: the character before a literal `%` or `_`; empty for no such character.

    Raises:
        QueryError: the pattern is longer than 1,000 characters.

    >>> is_like("Orders_2026", "orders%"), is_like("a_b", r"A\_B", escape="\\")
    (True, True)
    """
    _require_short(pattern)
    # bit i of a set is the place after i characters of the pattern: all places are tried at once
    places, anything, taken_by, taken_by_all = 0, 0, defaultdict[str, int](int), 0
    escaped = False
    for character in pattern:
        if not escaped and character == escape:
            escaped = True
        elif not escaped and character == "%":
            anything |= 1 << places
        else:
            places += 1
            if not escaped and character == "_":
                taken_by_all |= 1 << places
            else:
                taken_by[_fold_character(character)] |= 1 << places
            escaped = False
    if escaped:
        places += 1
        taken_by[_fold_character(escape)] |= 1 << places
    if places > len(text):
        return False
    here = 1
    for character in text:
        taken = taken_by.get(_fold_character(character), 0) | taken_by_all
        here = ((here << 1) & taken) | (here & anything)
        if not here:
            return False
    return bool(here >> places & 1)


def compile_matcher(pattern: str) -> Callable[[str], bool]:
    r"""Return a function that tests whether a regular expression matches a whole text.

    Raises:
        QueryError: RE2 does not know the expression, or the expression is too large.

    >>> is_data = compile_matcher(r".*\.(csv|json)")
    >>> is_data("2026/a.csv"), is_data("a.csv.tmp")
    (True, False)
    """
    _require_short(pattern)
    options = re2.Options()
    options.max_mem = _MEMORY
    options.never_capture = True
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise QueryError(
            f"Pattern {pattern[:100]!r} is not a regular expression: {_reason(error)}.",
            hint="The syntax is RE2's, without look-around and back-references: '.*[.]csv'.",
        ) from error

    def matches(text: str) -> bool:
        # a file's name may be no UTF-8
        readable = text.encode(errors="replace").decode()
        return compiled.fullmatch(readable) is not None

    return matches


def _require_short(pattern: str) -> None:
    if len(pattern) > _LONGEST:
        raise QueryError(
            f"A pattern has at most {_LONGEST:,} characters, found {len(pattern):,}.",
            hint="Write a shorter one, such as 'orders%' or '.*[.]csv'.",
        )


def _reason(error: Exception) -> str:
    reason = str(error) if isinstance(error, UnicodeError) else error.args[0]
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


def _fold_character(character: str) -> str:
    small = character.lower()
    return small if len(small) == 1 else character
