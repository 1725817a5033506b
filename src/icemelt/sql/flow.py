"""Chains of statements: `a ->> b ->> c`, where `$1` in FROM is the result of the one before.

Each statement of a chain runs by itself. `$n` counts back from the statement that has it, so it is
the result of LAST_QUERY_ID(-n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from icemelt.errors import SqlSyntaxError
from icemelt.sql.blocks import find_separators, has_task_block
from icemelt.sql.reader import tokenize

__all__ = ["Link", "Values", "split_flow"]

Values = Sequence[object] | Mapping[str, object] | None
_OPERATOR = "->>"


@dataclass(frozen=True, slots=True)
class Link:
    """One statement of a chain.

    Attributes:
        text: the text of the statement.
        parameters: the values of its placeholders.
        results: how many statements of the chain are before it.
    """

    text: str
    parameters: Values = None
    results: int = 0


def split_flow(text: str, parameters: Values = None) -> list[Link]:
    """Return the statements of a chain, or the one statement of another text.

    Args:
        text: the text of one statement, or of a chain.
        parameters: the values of all placeholders; those of `?` are counted through the chain.

    Raises:
        SqlSyntaxError: nothing stands before or behind an operator.

    >>> for link in split_flow("SHOW TABLES ->> SELECT '->>', ? FROM $1", [5]):
    ...     print(link)
    Link(text='SHOW TABLES', parameters=[], results=0)
    Link(text="SELECT '->>', ? FROM $1", parameters=[5], results=1)
    """
    tokens = tokenize(text) if _OPERATOR in text else []
    operators = [at for at, token in enumerate(tokens) if token.token_type == TokenType.DARROW]
    is_script = any(at < max(operators, default=0) for at in find_separators(tokens))
    if not operators or is_script or has_task_block(tokens):
        return [Link(text, parameters)]
    starts = [0, *(at + 1 for at in operators)]
    parts = [
        tokens[start:end] for start, end in zip(starts, [*operators, len(tokens)], strict=True)
    ]
    given = 0
    links: list[Link] = []
    for part, end in zip(parts, [*operators, None], strict=True):
        if not part:
            at = tokens[end if end is not None else operators[-1]]
            raise SqlSyntaxError(
                f"{_OPERATOR} stands between two statements.",
                hint="Write SHOW TABLES ->> SELECT * FROM $1.",
                text=text,
                span=(at.start, at.end + 1),
            )
        written = text[part[0].start : len(text) if end is None else tokens[end].start].rstrip()
        values, given = _values_of(part, parameters, given, is_last=end is None)
        links.append(Link(written, values, len(links)))
    return links


def _values_of(
    tokens: Sequence[Token], parameters: Values, given: int, *, is_last: bool
) -> tuple[Values, int]:
    """Return the values of a statement's placeholders, and how many `?` have values by then.

    The last statement gets all values that are left, and refuses those that are too many.

    Args:
        tokens: the tokens of the statement.
        parameters: the values of the chain.
        given: how many `?` are in the statements before.
        is_last: whether no statement follows.
    """
    if parameters is None or isinstance(parameters, Mapping):
        names = {
            name.text for colon, name in pairwise(tokens) if colon.token_type == TokenType.COLON
        }
        named = {name: value for name, value in (parameters or {}).items() if name in names}
        return (None if parameters is None else named), given
    count = sum(token.token_type == TokenType.PLACEHOLDER for token in tokens)
    end = len(parameters) if is_last else given + count
    return parameters[given:end], given + count
