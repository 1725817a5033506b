"""The SQL that icemelt reads: Snowflake's SQL, with the parts unknown to sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, NoReturn

from sqlglot import exp
from sqlglot.dialects.snowflake import Snowflake
from sqlglot.errors import ParseError
from sqlglot.parser import Parser
from sqlglot.parsers.snowflake import SnowflakeParser
from sqlglot.tokenizer_core import Token, TokenType

from icemelt.names import fold
from icemelt.quoting import is_plain_word
from icemelt.spark_sql.own_columns import METADATA_COLUMNS
from icemelt.sql.dialect.frames import fold_frame, reverse_rows
from icemelt.sql.effort import count_step

__all__ = [
    "VARIABLE",
    "ChangesOption",
    "IcemeltDialect",
    "IcemeltParser",
    "ParseFailure",
    "has_comment",
    "is_variable",
]

# the kind of a placeholder that stands for a session variable
VARIABLE = "$"
_SHORT_METADATA = {name.removeprefix("METADATA$"): name for name in METADATA_COLUMNS}
_NO_PARENTHESES = {
    TokenType.CURRENT_DATE: "CURRENT_DATE",
    TokenType.CURRENT_TIMESTAMP: "CURRENT_TIMESTAMP",
    TokenType.CURRENT_TIME: "CURRENT_TIME",
    TokenType.CURRENT_USER: "CURRENT_USER",
    TokenType.CURRENT_ROLE: "CURRENT_ROLE",
    TokenType.LOCALTIME: "LOCALTIME",
    TokenType.LOCALTIMESTAMP: "LOCALTIMESTAMP",
}
_HISTORY = {"AT": ("(",), "BEFORE": ("(",), "CHANGES": ("(", "AT", "BEFORE", "FROM")}
_WORDS_THAT_ARE_NAMES = ("FILE://", "FILE FORMAT", "GET", "LS", "PUT", "REMOVE", "RM")
# what ends a place that is not in quotes
_ENDS_OF_ROWS = ("FIRST", "LAST")
_ENDS_OF_PLACE = ",;)"
_FILES_OPTIONS = {"FILE_FORMAT": "format", "PATTERN": "pattern"}
# what would be a comment, a text or a parameter, if it were read as SQL
_NOT_BARE = ("--", "//", "/*", "'", '"', "?")


def has_comment(place: str) -> bool:
    """Tell whether a part of a place without quotes would be a comment, a text or a `?` in SQL.

    >>> has_comment('@"My stage"/2024'), has_comment("@s/a--b")
    (False, True)
    """
    return any(sign in place.rpartition('"')[2] for sign in _NOT_BARE)


def is_variable(sign: str, name: str) -> bool:
    """Tell whether two tokens are a session variable: not `$1`, and not `$ACTION`.

    >>> is_variable("$", "total"), is_variable("$", "1"), is_variable("$", "action")
    (True, False, False)
    """
    return sign == "$" and is_plain_word(name) and name.upper() not in _SHORT_METADATA


def _ends_text(character: str, ends: str) -> bool:
    return character.isspace() or character in ends


class ChangesOption(NamedTuple):
    """An option of CHANGES FROM as written: name in small letters, value, and span in the text."""

    name: str
    value: str
    span: tuple[int, int]


class ParseFailure(ParseError):  # type: ignore[misc, unused-ignore]
    """A syntax error with a place: the offsets `start` and `end` in the text."""

    def __init__(self, description: str, start: int, end: int) -> None:
        """Keep sqlglot's description of the expected text."""
        super().__init__(description)
        self.description = description
        self.start = start
        self.end = end


class IcemeltParser(SnowflakeParser):
    """Parses queries and expressions; `sql/grammar/` parses statements.

    Errors such as `no-path` are codes, which `syntax_errors.py` explains to the user.
    """

    # Functions stay as written: `sql/spark/functions.py` translates them to Spark.
    FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
        name: SnowflakeParser.FUNCTION_PARSERS[name]
        for name in ("CAST", "TRY_CAST", "EXTRACT", "POSITION")
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
        name: SnowflakeParser.NO_PAREN_FUNCTION_PARSERS[name] for name in ("ANY", "CASE")
    }
    NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, Any]] = {
        token: (lambda name=name: exp.Anonymous(this=name))
        for token, name in _NO_PARENTHESES.items()
    }
    COLUMN_OPERATORS: ClassVar[dict[TokenType, Any]] = {
        token: parser
        for token, parser in SnowflakeParser.COLUMN_OPERATORS.items()
        if token in {TokenType.DOT, TokenType.DCOLON}
    }
    LAMBDAS: ClassVar[dict[TokenType, Any]] = {
        **SnowflakeParser.LAMBDAS,
        TokenType.FARROW: lambda self, names: self.named_argument(names),
    }
    PLACEHOLDER_PARSERS: ClassVar[dict[TokenType, Any]] = {
        TokenType.PLACEHOLDER: lambda self: self.positional_parameter(),
        TokenType.COLON: lambda self: self.named_parameter(),
        TokenType.PARAMETER: lambda self: self.dollar_name(),
    }
    RANGE_PARSERS: ClassVar[dict[TokenType, Any]] = {
        token: parser
        for token, parser in SnowflakeParser.RANGE_PARSERS.items()
        if token
        in {
            TokenType.BETWEEN,
            TokenType.ILIKE,
            TokenType.IN,
            TokenType.IS,
            TokenType.LIKE,
            TokenType.RLIKE,
        }
    }

    def start_statement(self, text: str, tokens: list[Token], results: int = 0) -> None:
        """Start at the first token of a statement.

        Args:
            text: the text of the statement.
            tokens: the tokens of the text.
            results: how many statements are before it in a chain.
        """
        self.reset()
        self._results = results
        self.sql = text
        self._tokens = tokens
        self._tokens_size = len(tokens)
        self._index = -1
        self._joins_by_start: dict[tuple[int, bool], tuple[exp.Join, int]] = {}
        self._starts_without_type: set[int] = set()
        self._advance()

    def raise_error(self, message: str, token: Token | None = None) -> NoReturn:
        """Raise an error with offsets into the text; sqlglot's own message would copy the text."""
        token_at = token or self._curr
        if token_at:
            raise ParseFailure(message, token_at.start, token_at.end + 1)
        raise ParseFailure(message, len(self.sql.rstrip()), len(self.sql.rstrip()) + 1)

    def build_cast(self, strict: bool, **kwargs: Any) -> exp.Expr:  # noqa: FBT001 - as sqlglot's
        """Return a cast; sqlglot's parser for Snowflake makes TRY_CAST to BOOLEAN a function."""
        node: exp.Expr = Parser.build_cast(self, strict, **kwargs)
        return node

    def _advance(self, times: int = 1) -> None:
        count_step()
        super()._advance(times)

    def positional_parameter(self) -> exp.Expr:
        """Return a placeholder with the offset of the `?`."""
        placeholder = exp.Placeholder()
        placeholder.meta["start"] = self._prev.start
        return placeholder

    def named_parameter(self) -> exp.Expr | None:
        """Return a placeholder for the name after a `:` just read; None if no name follows."""
        is_slice = self._tokens[max(self._index - 2, 0)].token_type == TokenType.L_BRACKET
        if self._is_connected() and self._curr.text.isdecimal() and not is_slice:
            self.raise_error("no-number-here", self._curr)
        if not self._is_connected() or not self._curr.text.isidentifier():
            return None
        self._advance()
        return exp.Placeholder(this=self._prev.text)

    def dollar_name(self) -> exp.Expr:
        """Return the column meant by `$ACTION` or `$1`, or the placeholder of a session variable.

        Raises `no-variable` where no name follows.
        """
        if self._prev.text == "@":
            before = self._tokens[max(self._index - 3, 0)].text.upper()
            is_directory = before == "DIRECTORY"
            self.raise_error("no-directory-here" if is_directory else "no-stage-here", self._prev)
        self._advance()
        name = self._prev.text.upper()
        is_word = self._prev.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        if is_word and is_variable("$", name):
            return exp.Placeholder(this=self._prev.text, kind=VARIABLE)
        if name not in _SHORT_METADATA and not name.isdecimal():
            self.raise_error("no-variable", self._prev)
        identifier = exp.Identifier(this=_SHORT_METADATA.get(name, f"column{name}"), quoted=True)
        if name.isdecimal():
            identifier.meta["position"] = int(name)
        return identifier

    def named_argument(self, names: list[exp.Expr]) -> exp.Expr:
        """Return an argument `name => value`; raise `no-argument` for a name that needs quotes."""
        if not is_plain_word(names[0].name):
            self.raise_error("no-argument", self._tokens[self._index - 2])
        argument: exp.Expr = SnowflakeParser.LAMBDAS[TokenType.FARROW](self, names)
        return argument

    def _parse_function_call(self, *arguments: Any, **options: Any) -> exp.Expr | None:
        """Parse a call; raise `no-function` if the name, quoted or not, is not a plain word."""
        name = self._curr
        call: exp.Expr | None = super()._parse_function_call(*arguments, **options)
        if call is not None and not is_plain_word(name.text):
            self.raise_error("no-function", name)
        return call

    def _parse_colon_as_variant_extract(self, this: exp.Expr | None) -> exp.Expr | None:
        """Parse a path into a VARIANT; raise `no-path` for an empty part: sqlglot would drop it."""
        start, colon = self._index, self._curr
        path: exp.Expr | None = super()._parse_colon_as_variant_extract(this)
        kinds = [token.token_type for token in self._tokens[start : self._index]]
        is_empty = kinds[-1:] in ([TokenType.COLON], [TokenType.DOT])
        is_empty |= (TokenType.L_BRACKET, TokenType.R_BRACKET) in pairwise(kinds)
        if kinds and (is_empty or (isinstance(this, exp.Literal) and not this.is_string)):
            self.raise_error("no-path", colon)
        return path

    def _replace_lambda(
        self, node: exp.Expr | None, expressions: list[exp.Expr]
    ) -> exp.Expr | None:
        """Replace the names in a lambda's body that mean a parameter, in whatever case."""
        written = {fold(parameter.name): parameter.name for parameter in expressions}
        for column in [] if node is None else node.find_all(exp.Column):
            first = column.parts[0]
            first.set("this", written.get(fold(first.name), first.name))
        body: exp.Expr | None = super()._replace_lambda(node, expressions)
        return body

    def _parse_slice(self, this: exp.Expr | None) -> exp.Expr | None:
        """Parse the value after an object's key; raise `no-path` for `[from:to]` of an array."""
        is_key = self._prev.token_type not in {TokenType.L_BRACKET, TokenType.COMMA}
        if not is_key and self._curr.token_type == TokenType.COLON:
            self.raise_error("no-path", self._curr)
        part: exp.Expr | None = super()._parse_slice(this)
        return part

    def bare_text(self, ends: str = _ENDS_OF_PLACE) -> str:
        """Step over the text up to a space or one of the signs `ends`, and return the text.

        In double quotes these signs are part of the text.
        """
        start = end = self._curr.start
        is_quoted = False
        while end < len(self.sql) and (is_quoted or not _ends_text(self.sql[end], ends)):
            is_quoted ^= self.sql[end] == '"'
            end += 1
        while self._curr and self._curr.start < end:
            self._advance()
        return self.sql[start:end]

    def _parse_table_parts(
        self,
        schema: bool = False,  # noqa: FBT001, FBT002 - as sqlglot's
        is_db_reference: bool = False,  # noqa: FBT001, FBT002 - as sqlglot's
        wildcard: bool = False,  # noqa: FBT001, FBT002 - as sqlglot's
        fast: bool = False,  # noqa: FBT001, FBT002 - as sqlglot's
    ) -> exp.Table | exp.Dot | None:
        """Parse a table's name, or files of a stage: a table whose name is the written place.

        `DIRECTORY(@stage)` is such a table with `directory` in its `meta`.
        """
        first = self._curr
        if first.text.upper() == "DIRECTORY" and self._next.token_type == TokenType.L_PAREN:
            return self._parse_directory_table(first)
        if first.text == "$" and self._next.token_type == TokenType.NUMBER:
            return self._parse_result()
        is_text = first.token_type == TokenType.STRING and first.text.startswith("@")
        is_sign = first.text == "@" and first.token_type != TokenType.IDENTIFIER
        if not is_text and not is_sign:
            return super()._parse_table_parts(schema, is_db_reference, wildcard, fast)
        files = self._parse_place(f"{_ENDS_OF_PLACE}(")
        for option, value in self._parse_files_options().items():
            files.set(option, value)
        files.meta["span"] = (first.start, self._prev.end + 1)
        if not is_text and has_comment(files.name):
            self.raise_error("no-bare-place", first)
        return files

    def _parse_result(self) -> exp.Table:
        """Parse `$n`, the result of the nth statement before this one in a chain."""
        number = self._next
        if not number.text.isdecimal() or not 1 <= int(number.text) <= self._results:
            self.raise_error("no-result", number)
        self._advance(2)
        position = exp.Neg(this=exp.Literal.number(number.text))
        last = exp.Anonymous(this="LAST_QUERY_ID", expressions=[position])
        return exp.Table(this=exp.Anonymous(this="RESULT_SCAN", expressions=[last]))

    def _parse_place(self, ends: str) -> exp.Table:
        """Parse `@stage/path`, in quotes or up to one of the signs `ends`.

        The `meta` of the table has where the place is in the text, and whether it is in quotes.
        """
        first = self._curr
        is_quoted = first.token_type == TokenType.STRING
        if is_quoted:
            place = first.text
            self._advance()
            end = first.end + 1
        else:
            place = self.bare_text(ends)
            end = first.start + len(place)
        table = exp.Table(this=exp.Var(this=place))
        table.meta.update({"place": (first.start, end), "is_quoted": is_quoted})
        return table

    def _parse_directory_table(self, first: Token) -> exp.Table:
        """Parse `DIRECTORY(@stage)`."""
        self._advance(2)
        directory = self._parse_place(_ENDS_OF_PLACE)
        place = directory.name
        if not place.startswith("@"):
            self.raise_error("no-directory-stage", first)
        if "/" in place.rstrip("/"):
            self.raise_error("no-directory-place", first)
        if not self._match(TokenType.R_PAREN):
            self.raise_error("Expecting )")
        directory.meta["directory"] = True
        directory.meta["span"] = (first.start, self._prev.end + 1)
        directory.set("changes", self._parse_changes())
        directory.set("when", self._parse_historical_data())
        return directory

    def _parse_files_options(self) -> dict[str, exp.Expr | None]:
        """Parse `(FILE_FORMAT => 'f', PATTERN => '.*')` behind a stage in FROM."""
        options: dict[str, exp.Expr | None] = {}
        if not self._match(TokenType.L_PAREN):
            return options
        while not self._match(TokenType.R_PAREN):
            word = self._curr
            if word.text.upper() not in _FILES_OPTIONS:
                self.raise_error("no-files-option", word)
            self._advance()
            if not self._match(TokenType.FARROW):
                self.raise_error("Expecting =>")
            first = self._curr
            value = self._parse_string() or self._parse_placeholder()
            if value is not None:
                value.meta["span"] = (first.start, first.end + 1)
            if value is None and word.text.upper() == "FILE_FORMAT":
                if first.token_type == TokenType.L_PAREN:
                    self.raise_error("no-format-here", first)
                value = super()._parse_table_parts()
            if value is None:
                self.raise_error("Expecting a string")
            options[_FILES_OPTIONS[word.text.upper()]] = value
            if not self._match(TokenType.COMMA) and self._curr.token_type != TokenType.R_PAREN:
                self.raise_error("Expecting )")
        return options

    def _parse_as_command(self, start: Token) -> NoReturn:
        """Raise for a text that sqlglot would keep as an opaque command, with a line in the log."""
        self.raise_error("Invalid expression / Unexpected token", start)

    def _negate_range(self, this: exp.Expr | None = None) -> exp.Expr | None:
        return None if this is None else self.expression(exp.Not(this=this))

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        return self._parse_csv(self._parse_projection), None

    def _parse_projection(self) -> exp.Expr | None:
        first = self._curr
        projection = self._parse_expression()
        if projection is not None and not isinstance(projection, (exp.Alias, exp.Star)):
            projection.meta["written"] = " ".join(self._find_sql(first, self._prev).split())
        return projection

    def _parse_changes(self) -> exp.Changes | None:
        if not self._match_text_seq("CHANGES", advance=False):
            return None
        if self._next.text.upper() not in _HISTORY["CHANGES"]:
            return None
        self._advance()
        if self._match_text_seq("FROM"):
            return self._parse_changes_range()
        information: exp.Expr = exp.var("DEFAULT")
        if self._match_text_seq("(", "INFORMATION", "=>"):
            information = self._parse_var(any_token=True) or information
            information.update_positions(self._prev)
            self._match_r_paren()
        start, end = self._parse_start(), self._parse_end_of_interval()
        return self.expression(exp.Changes(information=information, at_before=start, end=end))

    def _parse_changes_range(self) -> exp.Changes:
        """Parse the rest of CHANGES FROM, in the syntax of Spark 4.2."""
        start, end = self._parse_bound(), None
        if self._match_text_seq("TO"):
            end = self._parse_bound()
        changes = exp.Changes(information=exp.var("REDO_LOG"), at_before=start, end=end)
        changes.meta["range"] = self._parse_changes_options()
        return changes

    def _parse_bound(self) -> exp.HistoricalData:
        word = self._curr
        if not self._match_texts(("VERSION", "TIMESTAMP")):
            self.raise_error("Expecting VERSION or TIMESTAMP")
        point = self._parse_named_point(word)
        if self._match_text_seq("EXCLUSIVE"):
            point.meta["exclusive"] = True
        else:
            self._match_text_seq("INCLUSIVE")
        return point

    def _parse_changes_options(self) -> list[ChangesOption]:
        """Parse `WITH (name = 'value', …)`."""
        options: list[ChangesOption] = []
        if not self._match_text_seq("WITH", "("):
            return options
        while not self._match(TokenType.R_PAREN):
            name = self._curr
            self._advance()
            if not self._match(TokenType.EQ):
                self.raise_error("Expecting =")
            span = (name.start, self._curr.end + 1)
            options.append(ChangesOption(name.text.lower(), self._curr.text, span))
            self._advance()
            if not self._match(TokenType.COMMA) and self._curr.token_type != TokenType.R_PAREN:
                self.raise_error("Expecting )")
        return options

    def _parse_table_alias(
        self, alias_tokens: Collection[TokenType] | None = None
    ) -> exp.TableAlias | None:
        word = self._curr.text.upper()
        is_quoted = self._curr.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
        is_cte = alias_tokens is self.ID_VAR_TOKENS
        goes_on = self._next.text.upper() in _HISTORY.get(word, ())
        if word in _HISTORY and not (is_quoted or is_cte):
            if goes_on:
                return None
            self.raise_error(f"no-alias:{word}", self._curr)
        alias: exp.TableAlias | None = super()._parse_table_alias(alias_tokens)
        return alias

    def _parse_join(self, *arguments: Any, **options: Any) -> exp.Join | None:
        tried = self._joins_by_start.get((self._index, options.get("alias_tokens") is None))
        if tried is not None:
            self._advance(tried[1] - self._index)
            return tried[0]
        join: exp.Join | None = super()._parse_join(*arguments, **options)
        if join is not None and self._prev.token_type == TokenType.ON:
            self.raise_error("Expecting a condition")
        return join

    def _parse_joins(self, alias_tokens: Collection[TokenType] | None = None) -> Iterator[exp.Join]:
        """Parse a sequence of joins, and remember joins not followed by ON or USING.

        After a join without a condition sqlglot tries to nest the following joins, and parses the
        following joins again if the attempt fails: the work would double with every join.
        """
        joins: list[exp.Join] = []
        tried: dict[tuple[int, bool], tuple[exp.Join, int]] = {}
        start = self._index
        while (join := self._parse_join(alias_tokens=alias_tokens)) is not None:
            joins.append(join)
            tried[start, alias_tokens is None] = join, self._index
            start = self._index
        if self._curr.token_type not in {TokenType.ON, TokenType.USING}:
            self._joins_by_start |= tried
        return iter(joins)

    def _parse_types(
        self,
        check_func: bool = False,  # noqa: FBT001, FBT002 - as sqlglot's
        *arguments: Any,
        **options: Any,
    ) -> exp.Expr | None:
        """Parse a type; remember a place without a type.

        sqlglot tries DATE(…) as a type first, and then as a call.
        """
        start = self._index
        if check_func and start in self._starts_without_type:
            return None
        parsed_type: exp.Expr | None = super()._parse_types(check_func, *arguments, **options)
        if check_func and parsed_type is None and self._index == start:
            self._starts_without_type.add(start)
        return parsed_type

    def _parse_window(
        self,
        this: exp.Expr | None,
        alias: bool = False,  # noqa: FBT001, FBT002 - as sqlglot's
    ) -> exp.Expr | None:
        """Parse OVER (…), also behind the FROM FIRST or FROM LAST of NTH_VALUE.

        The nth value from the last one is the nth of the rows in the other order.
        """
        is_nth = isinstance(this, exp.Anonymous) and this.name.upper() == "NTH_VALUE"
        is_from_last = False
        if is_nth and self._next.text.upper() in _ENDS_OF_ROWS and self._is_before_over():
            self._advance(2)
            is_from_last = self._prev.text.upper() == "LAST"
        window: exp.Expr | None = super()._parse_window(this, alias)
        if isinstance(window, exp.Window) and window.args.get("spec") is not None:
            fold_frame(window.args["spec"])
        if is_from_last and isinstance(window, exp.Window):
            reverse_rows(window)
        return window

    def _is_before_over(self) -> bool:
        """Tell whether FROM stands here, and OVER or IGNORE NULLS behind the word after it."""
        after = self._tokens[self._index + 2 : self._index + 4]
        words = [token.text.upper() for token in after]
        is_treatment = words[:1] in (["IGNORE"], ["RESPECT"]) and words[1:] == ["NULLS"]
        return self._curr.token_type == TokenType.FROM and (words == ["OVER", "("] or is_treatment)

    def _parse_historical_data(self) -> exp.HistoricalData | None:
        as_of = self._parse_as_of()
        if as_of is not None:
            return as_of
        point = self._parse_start()
        is_end = self._match_text_seq("END", "(", advance=False)
        if is_end and self._curr.token_type == TokenType.END:
            self.raise_error("end-without-changes")
        return point

    def _parse_as_of(self) -> exp.HistoricalData | None:
        """Parse a point of Singdata and Spark: `TIMESTAMP AS OF e`, `VERSION AS OF n`."""
        word = self._curr
        if not any(self._match_text_seq(word, "AS", "OF") for word in ("TIMESTAMP", "VERSION")):
            return None
        return self._parse_named_point(word)

    def _parse_named_point(self, word: Token) -> exp.HistoricalData:
        """Parse the expression of a point whose kind is the given word."""
        expression = self._parse_bitwise()
        if expression is None:
            self.raise_error("Expecting an expression")
        point = exp.HistoricalData(this="AT", kind=word.text.upper(), expression=expression)
        point.meta["span"] = (word.start, self._prev.end + 1)
        point.meta["kind_span"] = (word.start, word.end + 1)
        return point

    def _parse_start(self) -> exp.HistoricalData | None:
        if self._next.token_type != TokenType.L_PAREN:
            return None
        return self._parse_point() if self._match_texts(("AT", "BEFORE")) else None

    def _parse_end_of_interval(self) -> exp.HistoricalData | None:
        if self._next.token_type != TokenType.L_PAREN:
            return None
        return self._parse_point() if self._match_text_seq("END") else None

    def _parse_point(self) -> exp.HistoricalData:
        word = self._prev
        self._match_l_paren()
        kind = self._curr
        self._advance()
        if not self._match(TokenType.FARROW):
            self.raise_error("Expecting =>")
        expression = self._parse_disjunction()
        if expression is None:
            self.raise_error("Expecting an expression")
        self._match_r_paren()
        point = exp.HistoricalData(
            this=word.text.upper(), kind=kind.text.upper(), expression=expression
        )
        point.meta["span"] = (word.start, self._prev.end + 1)
        point.meta["kind_span"] = (kind.start, kind.end + 1)
        return point


class IcemeltDialect(Snowflake):
    """sqlglot's dialect of Snowflake, without sqlglot's fallback to an opaque Command."""

    Parser = IcemeltParser

    class Tokenizer(Snowflake.Tokenizer):
        """Keeps all words as tokens: no command takes the rest of the line as a string."""

        COMMANDS: ClassVar[set[TokenType]] = set()
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: token
            for word, token in Snowflake.Tokenizer.KEYWORDS.items()
            if word not in _WORDS_THAT_ARE_NAMES
        }
