"""The body of a task: one statement, or those of BEGIN …; END, kept as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.sql.blocks import is_block_begin
from icemelt.sql.grammar.kept_texts import refuse_given_values
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import BodyStatement, TaskBody

__all__ = ["read_body"]

# the words of Snowflake's scripting that begin no statement of icemelt
_SCRIPTING = frozenset(
    {"CASE", "DECLARE", "EXCEPTION", "FOR", "IF", "LET", "LOOP", "REPEAT", "RETURN", "SET"}
    | {"UNSET", "WHILE"}
)
_EXAMPLE = "AS BEGIN DELETE FROM a; INSERT INTO a SELECT * FROM b; END"


def read_body(reader: StatementReader, example: str) -> TaskBody:
    """Read `AS statement` or `AS BEGIN statement; … END`, up to the end of the text.

    The statements are taken apart, and not read: that is left to who has all readers.

    Args:
        reader: stands at AS.
        example: what to write, for the error of a missing body.

    Raises:
        SqlSyntaxError: there is no statement, or a block without END.
        DefinitionRefused: the body has a placeholder.
        NotYet: the body has variables, conditions, loops, or a block within a block.
    """
    start = reader.mark()
    if not reader.take("AS"):
        reader.fail(f"Expected AS, found {reader.next_text}.", hint=example)
    if reader.is_at_end:
        reader.fail("Expected the statement that the task runs, found the end.", hint=example)
    tokens = _skip_rest(reader, start)
    refuse_given_values(reader, tokens, "The body of a task")
    _refuse_scripting(reader.text, tokens[1:])
    text = reader.text[tokens[1].start : tokens[-1].end + 1]
    if not is_block_begin(tokens, 1):
        return TaskBody(text, (BodyStatement(text, tokens[1].start),))
    return TaskBody(text, tuple(_read_block(reader.text, tokens[1:])))


def _skip_rest(reader: StatementReader, start: int) -> list[Token]:
    """Step over all tokens that are left; return the tokens from a position on."""
    while not reader.is_at_end:
        reader.skip()
    return reader.tokens_since(start)


def _read_block(text: str, tokens: Sequence[Token]) -> Iterator[BodyStatement]:
    """Yield the statements of a block.

    Args:
        text: the text of the whole statement.
        tokens: the tokens of the block, from BEGIN to END.
    """
    begin, *_, end = tokens
    pieces = list(_split(tokens[1:]))
    if len(pieces[-1]) != 1 or end.text.upper() != "END":
        hint = f"A semicolon ends each statement of the block, END the block: {_EXAMPLE}"
        raise _syntax_error("The block of the task has no END.", hint, text, begin)
    statements = [piece for piece in pieces[:-1] if piece]
    if not statements:
        raise _syntax_error("The block of the task has no statement.", _EXAMPLE, text, begin)
    for piece in statements:
        _refuse_scripting(text, piece)
        if is_block_begin([begin, *piece], 1):
            raise NotYet("A block within a block is not supported.", hint=_EXAMPLE)
        first = piece[0].start
        yield BodyStatement(text[first : piece[-1].end + 1], first)


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens between semicolons; the last ones are after the last semicolon."""
    piece: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            yield piece
            piece = []
        else:
            piece.append(token)
    yield piece


def _refuse_scripting(text: str, tokens: Sequence[Token]) -> None:
    """Refuse a statement of Snowflake's scripting."""
    first = tokens[0]
    is_word = first.token_type not in {TokenType.IDENTIFIER, TokenType.STRING}
    is_assignment = len(tokens) > 1 and tokens[1].text == ":="
    if (is_word and first.text.upper() in _SCRIPTING) or is_assignment:
        end = tokens[-1].end + 1
        raise NotYet(
            "Variables, conditions and loops in a task are not supported: "
            f"{text[first.start : end]}",
            hint="A condition of the task: WHEN …. A condition on rows: WHERE …. For the rest: "
            "Python, over session.sql.",
        )


def _syntax_error(message: str, hint: str, text: str, token: Token) -> SqlSyntaxError:
    return SqlSyntaxError(message, hint=hint, text=text, span=(token.start, token.end + 1))
