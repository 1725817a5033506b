"""Texts that are kept with an object: the query of a view, the statement of a pipe or a task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from icemelt.errors import DefinitionRefused
from icemelt.sql.dialect.parser import is_variable
from icemelt.sql.reader import StatementReader

__all__ = ["refuse_given_values"]


def refuse_given_values(
    reader: StatementReader,
    tokens: Sequence[Token],
    what: str,
    instead: str = "keep it in a table and read it from there.",
) -> None:
    """Refuse placeholders, session variables and IDENTIFIER(…) in a text that is kept.

    The text is read again in other sessions, which have other values or none.

    Args:
        reader: the reader of the statement.
        tokens: the tokens of the text.
        what: the text, as a sentence begins with it.
        instead: what can be done with the value of a variable but to write it, for the hint.

    Raises:
        DefinitionRefused: the text has one of them.
    """
    if any(token.token_type == TokenType.PLACEHOLDER for token in tokens):
        hint = "Write the value itself."
        raise DefinitionRefused(f"{what} has a placeholder, which a stored text cannot.", hint=hint)
    for sign, name in pairwise(tokens):
        if sign.token_type == TokenType.PARAMETER and is_variable(sign.text, name.text):
            raise DefinitionRefused(
                f"{what} has the session variable ${name.text}, which a stored text cannot.",
                hint=f"Write the value itself, or {instead}",
            )
    if any(token.start in reader.given_names for token in tokens):
        raise DefinitionRefused(
            f"{what} has a name in IDENTIFIER(…) or TABLE(…), which a stored text cannot.",
            hint="Write the name itself.",
        )
