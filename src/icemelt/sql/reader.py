"""The reader of statements: a cursor over the tokens of one statement.

Plain functions over a `StatementReader` read statements. sqlglot's parser, which the reader wraps,
reads the queries, expressions and types inside statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeVar

from sqlglot import exp
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from icemelt.errors import DefinitionRefused, ParameterError, SqlSyntaxError
from icemelt.names import ObjectName, find_nearest
from icemelt.schema import DataType
from icemelt.sql.analysis.data_types import data_type
from icemelt.sql.analysis.dynamic_names import write_dynamic_names
from icemelt.sql.analysis.parameters import Parameters
from icemelt.sql.analysis.scopes import ColumnsOf
from icemelt.sql.analysis.written_paths import WrittenPath, find_written_paths
from icemelt.sql.compose import Composer
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.dialect.parser import IcemeltDialect, IcemeltParser, ParseFailure
from icemelt.sql.dialect.syntax_errors import clause, syntax_error, token_error
from icemelt.values import is_whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["StatementReader", "tokenize"]

_Read = TypeVar("_Read")
_QUOTED = (TokenType.STRING, TokenType.RAW_STRING, TokenType.IDENTIFIER)
_TYPES = (
    *("VARCHAR", "STRING", "TEXT", "CHAR", "NUMBER", "DECIMAL", "INT", "BIGINT", "FLOAT", "DOUBLE"),
    *("BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "BINARY", "VARIANT"),
    *("ARRAY", "OBJECT", "MAP"),
)
# errors of sqlglot's parser for some texts that are no SQL
_PARSER_FAILURES = (AttributeError, IndexError, TypeError, ValueError)
_DIALECT = IcemeltDialect()
# the limit of Java and Python: a float has 309 digits at most
_LONGEST_NUMBER = 400
_LONGEST_COMMENT = 16_384
_LARGEST_INTEGER = 2**63 - 1


# a local file that is not in quotes, after all texts and comments that begin before the file
_FILE = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"[^"]*"|\$\$.*?\$\$|--[^\n]*|//[^\n]*|/\*.*?\*/"""
    r"""|(?<![\w$])(file://[^\s,;)]*)""",
    re.IGNORECASE | re.DOTALL,
)
_FILE_BEGINS = re.compile("file://", re.IGNORECASE).search


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text; `file:///tmp/*.csv` is one token, with other letters.

    Raises:
        SqlSyntaxError: a token has no end, or a number has too many digits.

    >>> [token.text for token in tokenize("SELECT 'a;b' -- c")]
    ['SELECT', 'a;b']
    """
    try:
        tokens = _DIALECT.tokenize(_FILE.sub(_mask_file, text) if _FILE_BEGINS(text) else text)
    except TokenError as error:
        raise token_error(str(error.__cause__), text) from error
    for token in tokens:
        if token.token_type == TokenType.NUMBER and len(token.text) > _LONGEST_NUMBER:
            shown = f"{token.text[:20]}…"
            raise SqlSyntaxError(
                f"The number {shown} has {len(token.text):,} digits, {_LONGEST_NUMBER} are as many "
                "as may be.",
                hint="A NUMBER has up to 38 digits.",
            )
    return tokens


def _mask_file(found: re.Match[str]) -> str:
    """Return a word of the same length for a local file: its slashes would begin comments."""
    return found[0] if found[1] is None else "f" * len(found[0])


class StatementReader:
    """A statement with tokens, parameters and a composer of Spark SQL."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        parameters: Parameters,
        columns_of: ColumnsOf | None = None,
    ) -> None:
        """Start before the first token.

        Args:
            text: the text of the statement.
            tokens: the tokens of the text.
            parameters: the values of the placeholders.
            columns_of: a function that returns the columns of a table; None where the caller knows
                none.
        """
        self.text = text
        written, self.given_names = write_dynamic_names(tokens, parameters)
        self._parser = IcemeltParser(dialect=_DIALECT)
        self._parser.start_statement(text, written, parameters.results)
        self.parameters = parameters
        self.composer = Composer(text, tokens, parameters, columns_of)
        # the names with a schema that are read, where somebody asks for them
        self.paths: list[WrittenPath] | None = None
        marks = [token.start for token in tokens if token.token_type == TokenType.PLACEHOLDER]
        self._marks = {start: position for position, start in enumerate(marks)}

    @property
    def placeholders(self) -> int:
        """The number of `?` in the statement."""
        return len(self._marks)

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens are read."""
        return not self._parser._curr

    @property
    def word(self) -> str:
        """The next word in upper case; empty at the end, and for strings and quoted names."""
        words = self._words_at(self._parser._index)
        return words[0] if words else ""

    @property
    def is_at_type(self) -> bool:
        """Whether the next word is the name of a type."""
        return self.word != "" and self._parser._curr.token_type in self._parser.TYPE_TOKENS

    def is_at(self, *words: str) -> bool:
        """Tell whether the next words are these, in this order."""
        return self._index_after(words) is not None

    def take(self, *words: str) -> bool:
        """Step over words if the words come next in this order, and tell whether they do."""
        index = self._index_after(words)
        if index is not None:
            self._parser._retreat(index)
        return index is not None

    def take_one(self, *words: str) -> str | None:
        """Step over the next word, if it is among `words`, and return the word in upper case."""
        if self.word not in words:
            return None
        self._parser._advance()
        return str(self._parser._prev.text.upper())

    def need(self, *words: str) -> None:
        """Step over words, or raise an error with the expected words."""
        if not self.take(*words):
            self.fail(
                f"Expected {' '.join(words)}, found {self.next_text}.", hint=self._guess_word(words)
            )

    def need_one(self, *words: str) -> str:
        """Step over the next word and return it, or raise an error with the expected words."""
        word = self.take_one(*words)
        if word is None:
            known = ", ".join(words[:-1]) + f" or {words[-1]}"
            hint = self._guess_word(words, f"Write {known} here.")
            self.fail(f"Expected {known}, found {self.next_text}.", hint=hint)
        return word

    @property
    def next_text(self) -> str:
        """The text of the next token, for errors."""
        return "the end" if self.is_at_end else f"'{self._parser._curr.text}'"

    def error(self, message: str, *, hint: str) -> SqlSyntaxError:
        """Return a syntax error at the next token."""
        token = self._parser._curr
        if self.is_at_end:
            end = len(self.text.rstrip())
            span = (end, end + 1)
        else:
            span = (token.start, token.end + 1)
        return SqlSyntaxError(message, hint=hint, text=self.text, span=span)

    def fail(self, message: str, *, hint: str) -> NoReturn:
        """Raise a syntax error at the next token."""
        raise self.error(message, hint=hint)

    def mark(self) -> int:
        """Return the position in the tokens, for `back`."""
        return int(self._parser._index)

    def back(self, mark: int) -> None:
        """Go back to a position."""
        self._parser._retreat(mark)

    def tokens_since(self, mark: int) -> list[Token]:
        """Return the tokens between a position and the next token."""
        return list(self._parser._tokens[mark : self._parser._index])

    def tokens_left(self) -> list[Token]:
        """Return the tokens that are not read yet."""
        return list(self._parser._tokens[self._parser._index :])

    def skip(self) -> str:
        """Step over one token and return the token's text."""
        self._parser._advance()
        return str(self._parser._prev.text)

    @property
    def next_start(self) -> int:
        """The offset at which the next token begins in the text; its length at the end."""
        return len(self.text) if self.is_at_end else int(self._parser._curr.start)

    @property
    def last_span(self) -> tuple[int, int]:
        """Where the last token that was read begins and ends in the text."""
        return self._parser._prev.start, self._parser._prev.end + 1

    @property
    def is_at_file(self) -> bool:
        """Whether `file://…` without quotes is next."""
        start = 0 if self.is_at_end else self._parser._curr.start
        return not self.is_at_end and self.text[start : start + 7].lower() == "file://"

    def read_bare_text(self) -> str:
        """Read the text up to a space, a comma, a semicolon or a closing parenthesis.

        In double quotes these signs are part of the text.
        """
        return self._parser.bare_text()

    def finish(self) -> None:
        """Raise an error if tokens are left, with a guess which clause was meant."""
        if self.is_at_end:
            return
        before = self._parser._prev
        if self._parser._curr.token_type == TokenType.DARROW:
            self.fail(
                "A chain of statements, a ->> b, stands by itself: not in a task or a text.",
                hint="Read the result before: SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID())).",
            )
        if before and before.text.upper() == "WINDOW":
            self.fail(
                "A window has no name.",
                hint="Write it at each function: OVER (PARTITION BY a ORDER BY b).",
            )
        if before and before.text.upper() in {"GROUP", "ORDER"}:
            self.fail(f"Expected BY, found {self.next_text}.", hint=f"{before.text.upper()} BY …")
        if before and before.token_type == TokenType.VAR:
            guess = clause(before.text)
            if guess is not None:
                raise SqlSyntaxError(
                    f"The statement does not go on with {self.next_text}.",
                    hint=f"Did you mean {guess}?",
                    text=self.text,
                    span=(before.start, before.end + 1),
                )
        guess = clause(self.word)
        hint = f"Did you mean {guess}?" if guess else "Remove it, or end the statement before it."
        self.fail(f"The statement does not go on with {self.next_text}.", hint=hint)

    def read_name(self, kind: str = "name") -> str:
        """Read one identifier."""
        identifier = self._parse_by(lambda: self._parser._parse_id_var(any_token=False))
        if not isinstance(identifier, exp.Identifier):
            hint = "Put a name that is a keyword into double quotes."
            self.fail(f"Expected a {kind}, found {self.next_text}.", hint=hint)
        return fold_identifier(identifier)

    def read_names(self, kind: str = "name") -> tuple[str, ...]:
        """Read identifiers in parentheses."""
        self.need("(")
        names = self.read_list(lambda: self.read_name(kind))
        self.need(")")
        return tuple(names)

    def read_object_name(self, kind: str = "table") -> ObjectName:
        """Read a name of one to three parts; `a..b` is in the schema public of a."""
        if self.is_at("@") or (
            not self.is_at_end and self._parser._curr.token_type == TokenType.STRING
        ):
            self.fail(f"Expected a {kind} name, found {self.next_text}.", hint="Write a name.")
        if self.is_at_end:
            self.fail(f"Expected a {kind} name, found the end.", hint=f"Write the {kind}'s name.")
        if self.is_at("IDENTIFIER", "("):
            self.fail(
                "IDENTIFIER takes a text, a placeholder or a session variable.",
                hint="IDENTIFIER('schema.name'), or IDENTIFIER($name).",
            )
        start = self.next_start
        parts = [self.read_name(f"{kind} name")]
        while self.take("."):
            parts.append("public" if self.is_at(".") else self.read_name(f"{kind} name"))
        name = ObjectName(tuple(parts))
        if len(parts) > 1:
            self.note_path(WrittenPath(name, start, self._parser._prev.start))
        return name

    def note_path(self, path: WrittenPath | None) -> None:
        """Keep a name with a schema that was read, where somebody asks for these."""
        if self.paths is not None and path is not None:
            self.paths.append(path)

    def read_list(self, read: Callable[[], _Read]) -> list[_Read]:
        """Read items with commas between them."""
        items = [read()]
        while self.take(","):
            items.append(read())
        return items

    def read_string(self, purpose: str) -> str:
        """Read a string literal, or a parameter with a string."""
        node = self._parse_by(
            lambda: self._parser._parse_string() or self._parser._parse_placeholder()
        )
        if node is not None:
            node = self.parameters.bind(node, self._marks)
        if isinstance(node, exp.RawString) or (isinstance(node, exp.Literal) and node.is_string):
            return str(node.name)
        raise self.error(
            f"Expected {purpose} as a string, found {self.next_text}.", hint="Write '…'."
        )

    def read_comment(self) -> str:
        """Read the text of a COMMENT.

        Raises:
            DefinitionRefused: the text is too long to be kept with the object.
            ParameterError: the text has a NUL.
        """
        text = self.read_string("the comment")
        if "\0" in text:
            raise ParameterError(
                "A comment has no NUL characters.", hint=r"Write the comment without '\0'."
            )
        if len(text) > _LONGEST_COMMENT:
            raise DefinitionRefused(
                f"A comment has {len(text):,} characters, {_LONGEST_COMMENT:,} are as many as may "
                "be.",
                hint="Write a shorter one, and keep the rest in a table.",
            )
        return text

    def is_at_string(self) -> bool:
        """Tell whether a string literal or a parameter is next."""
        kinds = (TokenType.STRING, TokenType.RAW_STRING, TokenType.PLACEHOLDER, TokenType.COLON)
        return not self.is_at_end and self._parser._curr.token_type in kinds

    def read_integer(self, purpose: str) -> int:
        """Read a whole number, or a parameter with a whole number."""
        node = self._parse_by(
            lambda: self._parser._parse_number() or self._parser._parse_placeholder()
        )
        if node is not None:
            node = self.parameters.bind(node, self._marks)
        if isinstance(node, exp.Literal) and node.name.isdecimal():
            return self._require_integer(node.name, purpose)
        message = f"Expected {purpose} as a whole number, found {self.next_text}."
        raise self.error(message, hint="Write 10.")

    def _require_integer(self, digits: str, purpose: str) -> int:
        """Return the number of the last token, refused where the number has more than 64 bits."""
        if is_whole_number(digits, _LARGEST_INTEGER):
            return int(digits)
        last = self._parser._prev
        raise SqlSyntaxError(
            f"Expected {purpose} up to {_LARGEST_INTEGER}, found one of {len(digits)} digits.",
            hint="Write a smaller number.",
            text=self.text,
            span=(last.start, last.end + 1),
        )

    def read_expression(self, purpose: str = "an expression") -> exp.Expr:
        """Read an expression without resolving its names."""
        node = self._parse_by(self._parser._parse_disjunction)
        if node is None:
            self.fail(f"Expected {purpose}, found {self.next_text}.", hint=f"Write {purpose}.")
        return self.parameters.bind(node, self._marks)

    def read_operand(self, purpose: str) -> exp.Expr:
        """Read an expression that ends before NOT, IN and similar operators."""
        node = self._parse_by(self._parser._parse_bitwise)
        if node is None:
            self.fail(f"Expected {purpose}, found {self.next_text}.", hint=f"Write {purpose}.")
        return self.parameters.bind(node, self._marks)

    def read_query(self) -> exp.Expr:
        """Read a query without resolving its names."""
        node = self._parse_by(self._parse_query)
        if node is None:
            self.fail(f"Expected a query, found {self.next_text}.", hint="Write SELECT … FROM ….")
        if self.paths is not None:
            self.paths += find_written_paths(node)
        return self.parameters.bind(node, self._marks)

    def _parse_query(self) -> exp.Expr | None:
        """Parse a query; clauses behind a query in parentheses belong to the query."""
        node = self._parser._parse_select(nested=True)
        if node is None:
            return None
        return self._parser._parse_query_modifiers(self._parser._parse_set_operations(node))

    def read_source(self, *, joins: bool = True) -> exp.Expr:
        """Read an entry of FROM with its joins, without resolving names."""
        node = self._parse_by(lambda: self._parser._parse_table(joins=joins))
        if node is None:
            self.fail(f"Expected a table, found {self.next_text}.", hint="Write a table's name.")
        return self.parameters.bind(node, self._marks)

    def read_point(self) -> exp.Expr:
        """Read `AT (…)` or `BEFORE (…)`, without checking the expression inside."""
        node = self._parse_by(self._parser._parse_start)
        if node is None:
            self.fail("Expected a point in time.", hint="Write AT (TIMESTAMP => '…').")
        return self.parameters.bind(node, self._marks)

    def read_as_of(self) -> exp.Expr:
        """Read `TIMESTAMP AS OF …` or `VERSION AS OF …`, without checking the expression inside."""
        node = self._parse_by(self._parser._parse_as_of)
        if node is None:
            example = "VERSION AS OF 3" if self.word == "VERSION" else "TIMESTAMP AS OF '…'"
            self.fail("Expected a point in time.", hint=f"Write {example}.")
        return self.parameters.bind(node, self._marks)

    def read_alias(self, *stops: str) -> str | None:
        """Read an alias, if the next token is an alias; words among `stops` are none."""
        if self.take("AS"):
            return self.read_name("alias")
        if self.is_at_end or self.word in stops or self.word in {"(", ",", ";", ")"}:
            return None
        return self.read_name("alias")

    def read_type(self) -> DataType:
        """Read a type."""
        start = self.mark()
        node = self._parse_by(
            lambda: self._parser._parse_types(schema=True, allow_identifiers=False)
        )
        if not isinstance(node, exp.DataType):
            self.back(start)
            guess = find_nearest(self.word, _TYPES)
            hint = f"Did you mean {guess}?" if guess else "Write a type such as INT or VARCHAR."
            self.fail(f"Expected a type, found {self.next_text}.", hint=hint)
        return data_type(node)

    def _words_at(self, index: int) -> list[str]:
        """Return the words of a token: sqlglot makes a single token of PRIMARY KEY and the like."""
        tokens = self._parser._tokens
        if index >= len(tokens) or tokens[index].token_type in _QUOTED:
            return []
        return tokens[index].text.upper().split()

    def _index_after(self, words: tuple[str, ...]) -> int | None:
        """Return the position behind words, or None where other words are next."""
        index, expected = self._parser._index, list(words)
        while expected:
            token_words = self._words_at(index)
            if not token_words or expected[: len(token_words)] != token_words:
                return None
            expected = expected[len(token_words) :]
            index += 1
        return int(index)

    def _guess_word(self, words: tuple[str, ...], otherwise: str = "") -> str:
        guess = find_nearest(self.word, words) if self.word else None
        if guess and guess != self.word:
            return f"Did you mean {guess}?"
        return otherwise or f"Write {' '.join(words)} here."

    def _parse_by(self, read: Callable[[], _Read]) -> _Read:
        with self._translate_errors():
            return read()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn sqlglot's errors into icemelt's errors, with the position in the user's own text."""
        try:
            yield
        except ParseFailure as failure:
            raise syntax_error(failure, self.text) from failure
        except _PARSER_FAILURES as failure:
            message = f"The statement does not parse at {self.next_text}."
            raise self.error(message, hint="Check what is before it.") from failure
