"""Names that a value gives: `IDENTIFIER('t')`, `IDENTIFIER($t)`, `FROM TABLE(?)`.

The tokens of such a call become the tokens of the name, before anything is parsed. So the value can
only ever be a name, and a name may stand wherever a written one may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from icemelt.errors import ParameterError, SqlSyntaxError
from icemelt.sql.analysis.parameters import Parameters
from icemelt.sql.dialect.written_names import written_name

__all__ = ["write_dynamic_names"]

_STRINGS = (TokenType.STRING, TokenType.RAW_STRING)
# TABLE(…) is a name in FROM alone
_WORDS_BEFORE_TABLE = ("FROM", "JOIN", ",", "USING")


def write_dynamic_names(
    tokens: Sequence[Token], parameters: Parameters
) -> tuple[list[Token], tuple[int, ...]]:
    """Return the tokens of a statement with written names, and the offsets of the replaced calls.

    Args:
        tokens: the tokens of the statement.
        parameters: the values of placeholders and session variables.

    Raises:
        SqlSyntaxError: the value is no name.
        ParameterError: the value is no text.
        QueryError: there is no session variable of the name.

    >>> from icemelt.sql.reader import tokenize
    >>> tokens = tokenize("SELECT * FROM IDENTIFIER('Sales.orders')")
    >>> [token.text for token in write_dynamic_names(tokens, Parameters(None))[0]]
    ['SELECT', '*', 'FROM', 'sales', '.', 'orders']
    """
    written: list[Token] = []
    offsets: list[int] = []
    placeholders = index = 0
    while index < len(tokens):
        end = _end_of_call(tokens, index)
        if end is None:
            placeholders += tokens[index].token_type == TokenType.PLACEHOLDER
            written.append(tokens[index])
            index += 1
            continue
        argument = tokens[index + 2 : end - 1]
        value = _value_of(argument, parameters, placeholders)
        placeholders += argument[0].token_type == TokenType.PLACEHOLDER
        written += _tokens_of_name(_require_text(value), tokens[index], tokens[end - 1])
        offsets.append(tokens[index].start)
        index = end
    return written, tuple(offsets)


def _end_of_call(tokens: Sequence[Token], index: int) -> int | None:
    """Return the index behind a call that gives a name, None where no such call begins."""
    first = tokens[index]
    if first.token_type in (*_STRINGS, TokenType.IDENTIFIER):
        return None
    word = first.text.upper()
    if word == "TABLE":
        before = tokens[index - 1].text.upper() if index else ""
        if before not in _WORDS_BEFORE_TABLE:
            return None
    elif word != "IDENTIFIER":
        return None
    kinds = [token.token_type for token in tokens[index + 1 : index + 5]]
    if kinds[:1] != [TokenType.L_PAREN]:
        return None
    if kinds[1:2] and kinds[1] in (*_STRINGS, TokenType.PLACEHOLDER):
        length = 1
    elif kinds[1:2] and kinds[1] in (TokenType.PARAMETER, TokenType.COLON):
        length = 2
    else:
        return None
    is_closed = kinds[1 + length : 2 + length] == [TokenType.R_PAREN]
    return index + 3 + length if is_closed else None


def _value_of(argument: Sequence[Token], parameters: Parameters, position: int) -> exp.Expr:
    """Return the literal that a call names.

    Args:
        argument: the tokens within the parentheses.
        parameters: the values of placeholders and session variables.
        position: how many `?` are before.
    """
    first = argument[0]
    if first.token_type == TokenType.PLACEHOLDER:
        return parameters.literal_at(position)
    if first.token_type == TokenType.COLON:
        return parameters.literal_by_name(argument[1].text)
    if first.token_type == TokenType.PARAMETER:
        return parameters.literal_of_variable(argument[1].text)
    return exp.Literal.string(first.text)


def _require_text(value: exp.Expr) -> str:
    if isinstance(value, exp.Literal) and value.is_string:
        return str(value.name)
    raise ParameterError(
        f"A name is given as a text, found {value.sql()}.", hint="IDENTIFIER('schema.name')"
    )


def _tokens_of_name(text: str, first: Token, last: Token) -> Iterator[Token]:
    """Yield the tokens of a name, which stand in the text where the call stands.

    Args:
        text: the name.
        first: the first token of the call.
        last: the last token of the call.
    """
    try:
        name = written_name(text)
    except SqlSyntaxError as error:
        hint = "IDENTIFIER takes a name: 'schema.name', other characters in double quotes."
        raise SqlSyntaxError(error.message, hint=hint) from error
    for number, part in enumerate(name.parts):
        if number:
            yield Token(TokenType.DOT, ".", first.line, first.col, first.start, last.end)
        yield Token(TokenType.IDENTIFIER, part, first.line, first.col, first.start, last.end)
