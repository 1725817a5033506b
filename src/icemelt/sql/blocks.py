"""Semicolons that end a statement, and those inside of a task's BEGIN … END, which do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["BLOCK_WORDS", "find_separators", "has_task_block", "is_block_begin"]

# the words after BEGIN that begin a transaction, and no block
BLOCK_WORDS = ("TRANSACTION", "WORK", "NAME")
_QUOTED = (TokenType.STRING, TokenType.RAW_STRING, TokenType.IDENTIFIER)
# CREATE OR REPLACE TASK: the word TASK is among so many words
_MOST_WORDS_BEFORE = 4


def find_separators(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the positions of the semicolons that end a statement.

    >>> from icemelt.sql.reader import tokenize
    >>> def separators(text):
    ...     return list(find_separators(tokenize(text)))
    >>> separators("BEGIN; SELECT 1; COMMIT")
    [1, 4]
    >>> separators(
    ...     "CREATE TASK t AS BEGIN DELETE FROM t; SELECT CASE WHEN a THEN 1 END; END; SELECT 1"
    ... )
    [18]
    """
    start = depth = 0
    for index, token in enumerate(tokens):
        if token.token_type == TokenType.SEMICOLON:
            if not depth:
                yield index
                start = index + 1
        elif is_block_begin(tokens, index) and (depth or _is_of_task(tokens, start, index)):
            depth += 1
        elif depth and _is_block_end(tokens, index):
            depth -= 1


def is_block_begin(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a token is the BEGIN of a block, which is no BEGIN of a transaction.

    Args:
        tokens: the tokens of a script or a statement.
        index: the position of the token.
    """
    if _word(tokens, index) != "BEGIN" or _ends_statement(tokens, index + 1):
        return False
    is_first = _word(tokens, index - 1) in {"AS", "BEGIN"} or _ends_statement(tokens, index - 1)
    return is_first and _word(tokens, index + 1) not in BLOCK_WORDS


def has_task_block(tokens: Sequence[Token]) -> bool:
    """Tell whether a statement defines a task whose body is a block.

    >>> from icemelt.sql.reader import tokenize
    >>> has_task_block(tokenize("CREATE TASK t AS BEGIN SELECT 1; END"))
    True
    """
    return any(
        is_block_begin(tokens, at) and _is_of_task(tokens, 0, at) for at in range(len(tokens))
    )


def _is_of_task(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Tell whether the BEGIN of a block is the body of a CREATE or ALTER TASK."""
    if _word(tokens, start) not in {"CREATE", "ALTER"} or _word(tokens, index - 1) != "AS":
        return False
    words = " ".join(_word(tokens, at) for at in range(start, start + _MOST_WORDS_BEFORE))
    return "TASK" in words.split()


def _is_block_end(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a token is the END of a block, and no END of CASE, IF or FOR."""
    is_last = _ends_statement(tokens, index + 1) or index + 1 == len(tokens)
    is_alone = _word(tokens, index - 1) == "BEGIN" or _ends_statement(tokens, index - 1)
    return _word(tokens, index) == "END" and is_alone and is_last


def _word(tokens: Sequence[Token], index: int) -> str:
    """Return a token in upper case; empty for a text or a quoted name, and where there is none."""
    if not 0 <= index < len(tokens) or tokens[index].token_type in _QUOTED:
        return ""
    return tokens[index].text.upper()


def _ends_statement(tokens: Sequence[Token], index: int) -> bool:
    return 0 <= index < len(tokens) and tokens[index].token_type == TokenType.SEMICOLON
