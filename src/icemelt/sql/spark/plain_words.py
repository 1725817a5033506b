"""Plain words: every text in a tree is quoted in Spark SQL, or is a word that needs no quotes."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import ClassVar

from sqlglot import exp

from icemelt.errors import NameRefused, NotYet, SqlSyntaxError
from icemelt.names import fold
from icemelt.sql.analysis.table_functions import Flatten

__all__ = ["SparkText", "require_quoted_or_plain"]


class SparkText(exp.Expression):
    """Spark SQL made by icemelt, as a node of a tree; no statement is parsed to a SparkText."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


_WORD = re.compile(r"[A-Za-z0-9_$]*")
_BOUND = re.compile(r"[A-Z]+(?: ROW)?")
_NUMBER = re.compile(r"[0-9]*[.]?[0-9]*(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]*")
# The generator quotes the text of the first nodes, and drops the second with their parts.
_QUOTED = (exp.Identifier, exp.RawString, exp.JSONPathPart, exp.JSONPath, Flatten, SparkText)
_LEFT_OUT = (exp.Hint,)
# The beginning of names that icemelt gives to lambdas' parameters around a user's expression. Names
# that stand for a user's own parameters are excepted: no text of the statement begins like them.
_OWN = re.compile(r"__icemelt(?!\d*_(?:c\d+|l)\Z)")
# Literals whose text would stand in quotes unlike icemelt's.
_NEVER = (exp.BitString, exp.ByteString, exp.National, exp.UnicodeString, exp.Heredoc)


def require_quoted_or_plain(tree: exp.Expr) -> None:
    """Require that every text in a tree is quoted or a plain word.

    Raises:
        SqlSyntaxError: a text is neither.
        NameRefused: a lambda's parameter has a name of icemelt's own, and would hide that name.

    >>> require_quoted_or_plain(exp.Anonymous(this="abs", expressions=[exp.Literal.string("a b")]))
    >>> require_quoted_or_plain(exp.Anonymous(this="abs(1), x"))
    Traceback (most recent call last):
    icemelt.errors.SqlSyntaxError: 'abs(1), x' is no plain word.
    Hint: Write it of the letters A to Z, digits, _ and $.
    """
    for node in tree.walk(prune=lambda node: isinstance(node, _LEFT_OUT)):
        if isinstance(node, _NEVER):
            raise NotYet("Such a literal is not supported.", hint="Write '…', $$…$$ or X'00FF'.")
        if isinstance(node, exp.Lambda):
            _require_foreign_name(node)
        if isinstance(node, _LEFT_OUT) or _is_quoted(node):
            continue
        allowed = _allowed_pattern(node)
        for text in _texts(node):
            if allowed.fullmatch(text) is None:
                raise SqlSyntaxError(
                    f"{text!r} is no plain word.",
                    hint="Write it of the letters A to Z, digits, _ and $.",
                )


def _require_foreign_name(function: exp.Lambda) -> None:
    for parameter in function.expressions:
        if _OWN.match(fold(parameter.name)):
            raise NameRefused(
                f"A parameter of a lambda cannot be called {parameter.name!r}.",
                hint="Choose another name: TRANSFORM(a, x -> x + 1).",
            )


def _is_quoted(node: exp.Expr) -> bool:
    return isinstance(node, _QUOTED) or (isinstance(node, exp.Literal) and node.is_string)


def _allowed_pattern(node: exp.Expr) -> re.Pattern[str]:
    match node:
        case exp.Literal():
            return _NUMBER
        case exp.HexString():
            return _HEXADECIMAL
        case exp.WindowSpec():
            return _BOUND
        case _:
            return _WORD


def _texts(node: exp.Expr) -> Iterator[str]:
    """Return the texts among the arguments of a node."""
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and not isinstance(part, enum.Enum):
                yield part
