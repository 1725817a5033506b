"""Errors for a text that does not parse: the place, and a guess at the intended word."""

from __future__ import annotations

import re

from icemelt.errors import SqlSyntaxError
from icemelt.keywords import KEYWORDS
from icemelt.names import find_nearest
from icemelt.sql.dialect.parser import ParseFailure

__all__ = ["clause", "syntax_error", "token_error"]

_CLAUSES: tuple[str, ...] = (
    "FROM",
    "WHERE",
    "GROUP",
    "HAVING",
    "QUALIFY",
    "ORDER",
    "LIMIT",
    "UNION",
    "JOIN",
)
_CLAUSES += ("INNER", "CROSS", "NATURAL", "CHANGES", "BEFORE", "USING", "VALUES", "INTO", "WHEN")
_NAMED = {"no-function": "a function", "no-argument": "an argument"}
# message and hint by the description of a failure; {} is the text found
_EXPLAINED = {
    "end-without-changes": (
        "END is the end of an interval of CHANGES.",
        "Write CHANGES (INFORMATION => DEFAULT) AT (…) END (…), or AT (…) for one point.",
    ),
    "no-alias:CHANGES": (
        "CHANGES names no start of its interval.",
        "Write CHANGES (INFORMATION => DEFAULT) AT (TIMESTAMP => '…').",
    ),
    "no-variable": (
        "$ has no name of a variable after it, found {}.",
        "Write $name for a session variable, $1 for a column of a file.",
    ),
    "no-result": (
        "FROM reads results of the statements before in a chain, and there is no {} here.",
        "Write a ->> b: in FROM of b, $1 is the result of a.",
    ),
    "no-number-here": (
        "A placeholder has a name, or none, found :{}.",
        "Write ? and give the values as a list, or :name and name=….",
    ),
    "no-path": (
        "':' has no VARIANT before it, or no name after it.",
        "Write v:name for a part of a VARIANT, ARRAY_SLICE(a, from, to) for one of an array.",
    ),
    "no-directory-here": (
        "A directory table is not a value.",
        "Write FROM DIRECTORY(@stage).",
    ),
    "no-directory-stage": (
        "DIRECTORY takes a stage, whose name begins with @ there.",
        "Write FROM DIRECTORY(@stage).",
    ),
    "no-directory-place": (
        "DIRECTORY takes a stage, without a path.",
        "Write FROM DIRECTORY(@stage) WHERE RELATIVE_PATH LIKE 'path/%'.",
    ),
    "no-stage-here": (
        "A stage is not a value.",
        "Write FROM @stage/path; in a text, '@' is as it is.",
    ),
    "no-files-option": (
        "Files of a stage have FILE_FORMAT and PATTERN in FROM, found {}.",
        "Write FROM @stage/path (FILE_FORMAT => 'my_format', PATTERN => '.*[.]csv').",
    ),
    "no-format-here": (
        "FILE_FORMAT takes the name of a file format in FROM, and no options.",
        "CREATE FILE FORMAT my_format TYPE = JSON, then FROM @stage (FILE_FORMAT => 'my_format').",
    ),
    "no-bare-place": (
        "A path with --, //, ? or quotes stands in quotes.",
        "Write the place as a string: '@stage/path'.",
    ),
}
_SHORTEST_GUESS = 3
_TOKEN_START = re.compile(r"from \d+:(\d+)$")


def token_error(cause: str, text: str) -> SqlSyntaxError:
    """Return the error for a text with an unfinished string, name or comment.

    `cause` is the tokenizer's message; the message has the offset of a token, but not of a comment.
    """
    match = _TOKEN_START.search(cause)
    start = int(match[1]) if match else max(text.rfind("/*"), 0)
    message = "A string, a quoted name or a comment does not end."
    hint = "Close it with the sign that opens it: ', \", $$ or */."
    if cause.startswith("Numeric"):
        message = "A binary literal holds characters that are no hexadecimal digits."
        hint = "Write X'00FF', or a string: '…'."
    return SqlSyntaxError(message, hint=hint, text=text, span=(start, start + 1))


def clause(word: str) -> str | None:
    """Return the first word of the clause that a misspelled word likely means, or None."""
    if len(word) < _SHORTEST_GUESS or word.upper() in KEYWORDS:
        return None
    return find_nearest(word, _CLAUSES)


def syntax_error(failure: ParseFailure, text: str) -> SqlSyntaxError:
    """Return the error for a text that sqlglot's parser refuses, with a hint."""
    found = text[failure.start : failure.end]
    where = f"'{found}'" if found.strip() else "the end"
    description = failure.description
    if description in _EXPLAINED:
        message, hint = _EXPLAINED[description]
        message = message.format(where)
    elif description.startswith("no-alias:"):
        word = description.removeprefix("no-alias:")
        message = f"{word} names no point in time."
        kind = "STATEMENT" if word == "BEFORE" else "TIMESTAMP"
        hint = f"Write {word} ({kind} => '…'), or put a name that is a keyword into double quotes."
    elif description in _NAMED:
        what = _NAMED[description]
        message = f"The name of {what} is a plain word, found {found}."
        hint = "Write it of the letters A to Z, digits, _ and $, without quotes."
    elif description.startswith("Expecting"):
        wanted = description.removeprefix("Expecting").strip()
        message, hint = f"Expected {wanted}, found {where}.", f"Write {wanted} before {where}."
    else:
        guess = clause(found) if found.isalpha() else None
        message = f"The statement does not parse at {where}."
        missing = (
            "Write what is missing here." if where == "the end" else "Check what is before it."
        )
        hint = f"Did you mean {guess}?" if guess else missing
    return SqlSyntaxError(message, hint=hint, text=text, span=(failure.start, failure.end))
