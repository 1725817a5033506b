"""Parse text into statements. This module is the door of the room."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.keywords import KEYWORDS
from icemelt.names import ObjectName, QualifiedName
from icemelt.schema import DataType, sql_type
from icemelt.sql.analysis.failing_casts import probe_casts
from icemelt.sql.analysis.parameters import Parameters
from icemelt.sql.analysis.scopes import ColumnsOf
from icemelt.sql.analysis.user_functions import UserArgument, UserFunction, validate_function
from icemelt.sql.blocks import find_separators
from icemelt.sql.compose import LoweredQuery
from icemelt.sql.effort import check_cancellation, limit_effort
from icemelt.sql.grammar.alterations import read_alter, read_comment
from icemelt.sql.grammar.asking import read_call
from icemelt.sql.grammar.commands import (
    read_describe,
    read_optimize,
    read_restore,
    read_show,
    read_truncate,
    read_use,
)
from icemelt.sql.grammar.containers import read_drop, read_undrop
from icemelt.sql.grammar.functions import read_signature
from icemelt.sql.grammar.inserts import read_insert
from icemelt.sql.grammar.kept_texts import refuse_given_values
from icemelt.sql.grammar.loading import read_copy
from icemelt.sql.grammar.merges import read_merge
from icemelt.sql.grammar.queries import read_explain, read_select
from icemelt.sql.grammar.refusals import refuse_statement
from icemelt.sql.grammar.rows import read_delete
from icemelt.sql.grammar.stages import read_get, read_list, read_put, read_remove
from icemelt.sql.grammar.tables import read_create
from icemelt.sql.grammar.task_conditions import lower_condition
from icemelt.sql.grammar.tasks import read_execute
from icemelt.sql.grammar.transactions import (
    read_begin,
    read_commit,
    read_rollback,
    read_start,
)
from icemelt.sql.grammar.updates import read_update
from icemelt.sql.grammar.variables import read_set, read_unset
from icemelt.sql.reader import StatementReader, tokenize
from icemelt.sql.rebinding import Rebind, rebind_names
from icemelt.sql.statements import (
    AlterTask,
    Argument,
    BodyStatement,
    CreateTask,
    ExecuteImmediate,
    ModifyBody,
    Query,
    Statement,
    Variable,
)
from icemelt.sql.statements.task_conditions import Condition

__all__ = [
    "KEYWORDS",
    "LONG_TEXT",
    "ColumnsOf",
    "FunctionText",
    "LoweredQuery",
    "ScriptStatement",
    "lower",
    "parse_body",
    "parse_cast_probe",
    "parse_condition",
    "parse_signature",
    "parse_statement",
    "parse_type",
    "read_function",
    "rebind",
    "split_statements",
    "split_with_offsets",
    "wait_for_turn",
]

_AS_ARGUMENT = "give it as an argument of the function: f(a, $x)."
_READERS: Mapping[str, Callable[[StatementReader], Statement]] = {
    "(": read_select,
    "ALTER": read_alter,
    "BEGIN": read_begin,
    "CALL": read_call,
    "COMMENT": read_comment,
    "COMMIT": read_commit,
    "COPY": read_copy,
    "CREATE": read_create,
    "DELETE": read_delete,
    "DESC": read_describe,
    "DESCRIBE": read_describe,
    "DROP": read_drop,
    "EXECUTE": read_execute,
    "EXPLAIN": lambda reader: read_explain(reader, _read_statement),
    "GET": read_get,
    "INSERT": read_insert,
    "LIST": read_list,
    "LS": read_list,
    "MERGE": read_merge,
    "OPTIMIZE": read_optimize,
    "PUT": read_put,
    "REMOVE": read_remove,
    "RM": read_remove,
    "RESTORE": read_restore,
    "ROLLBACK": read_rollback,
    "SELECT": read_select,
    "SET": read_set,
    "SHOW": read_show,
    "START": read_start,
    "TRUNCATE": read_truncate,
    "UNDROP": read_undrop,
    "UNSET": read_unset,
    "UPDATE": read_update,
    "USE": read_use,
    "VALUES": read_select,
    "WITH": read_select,
}

# Python runs one thread at a time, so long texts that are read at once would slow all statements
LONG_TEXT = 20_000
_LONG_TEXT_LOCK = threading.RLock()
# a statement that keeps the body of a task
_BODY_STANDS_AFTER = "ALTER TASK t MODIFY AS "
# how often a waiting statement checks for a cancel
_SECONDS_BETWEEN_CHECKS = 0.5


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """One statement of a script.

    Attributes:
        text: the text of the statement.
        offset: the offset in the script, in characters, at which the text begins.
        tokens: the number of tokens of the statement.
    """

    text: str
    offset: int
    tokens: int


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A function of a user, with its expression as text; the fields are as in `UserFunction`."""

    name: QualifiedName
    arguments: tuple[Argument, ...]
    returns: DataType
    body: str
    is_strict: bool = False


def parse_statement(
    text: str,
    parameters: Sequence[object] | Mapping[str, object] | None = None,
    columns_of: ColumnsOf | None = None,
    variables: Mapping[str, Variable] | None = None,
    *,
    results: int = 0,
) -> Statement:
    r"""Return the one statement in a text.

    Args:
        text: the text of one statement; a semicolon may follow.
        parameters: the values for `?` as a sequence, or for `:name` as a mapping.
        columns_of: a function that returns the columns of a table. Known types give faster and more
            exact Spark SQL.
        variables: the session's variables by folded name, for `$name`.
        results: how many statements are before it in a chain, for `$1` in FROM.

    Raises:
        SqlSyntaxError: the text is not one statement of the language.
        ParameterError: values and placeholders do not fit together.
        QueryError: there is no session variable of a name.
        UnsupportedError: the statement is understood, but icemelt does not run such a statement.

    >>> statement = parse_statement(
    ...     "SELECT id FROM orders AT (OFFSET => -60) WHERE note = ?", ["it's"]
    ... )
    >>> statement.query.text
    "SELECT `id` FROM __icemelt_0__ AS `orders` WHERE `note` = 'it\\'s'"
    >>> statement.query.references[0].point.expression
    '-60'
    """
    given = Parameters(parameters, variables, results)
    statement = _parse_without_body(text, given, columns_of)
    for part in _kept_statements(statement):
        _validate_kept(part, text)
    return statement


def lower(text: str, columns_of: ColumnsOf) -> LoweredQuery:
    """Return a query as algebra.

    Raises:
        SqlSyntaxError: the text is not one query.
        UnsupportedError: the query has a part without changes.

    >>> from icemelt.algebra.nodes import explain
    >>> from icemelt.schema import Primitive
    >>> query = lower("SELECT a + 1 FROM t WHERE a > 2", lambda name: {"a": Primitive("long")})
    >>> print(explain(query.relation))
    Project (#0 + 1)
      Filter #0 > 2
        Scan __icemelt_0__(a)
    """
    with _open_reader(text, Parameters(None), columns_of, "query") as reader:
        return reader.composer.lower(reader.read_query())


def parse_body(text: str) -> tuple[tuple[str, Statement], ...]:
    """Return the statements of a task's body, as CREATE TASK has kept its text, each with its text.

    Raises:
        SqlSyntaxError: the text is no body.
        UnsupportedError: a statement is understood, but icemelt does not run such a statement.

    >>> for written, statement in parse_body("BEGIN BEGIN TRANSACTION; COMMIT; END"):
    ...     print(written, statement)
    BEGIN TRANSACTION Begin(name=None)
    COMMIT Commit()
    """
    altered = _parse_without_body(f"{_BODY_STANDS_AFTER}{text}", Parameters(None), None)
    return tuple(
        (part.text, _parse_without_body(part.text, Parameters(None), None))
        for part in _kept_statements(altered)
    )


def parse_condition(text: str) -> Condition:
    """Return the condition of a task, as CREATE TASK has kept its text.

    Raises:
        SqlSyntaxError: the text is no condition.
        DefinitionRefused: the condition has a query, a column or an aggregate.
        NotYet: the condition cannot be evaluated without Spark.

    >>> parse_condition("SYSTEM$STREAM_HAS_DATA('s') AND TRUE")
    AllOf(operands=(StreamHasData(stream='s'), Constant(value=True)))
    """
    with _open_reader(text, Parameters(None), None, "condition") as reader:
        return lower_condition(reader.read_expression("the condition"), text)


def rebind(text: str, place: QualifiedName, target: Rebind, home: str | None = None) -> str:
    """Return the text of a query or a COPY INTO with other databases and schemas in its names.

    Args:
        text: the text of the query, or of the statement.
        place: a name in the database and schema that incomplete names belong to.
        target: returns, for a database and a schema, those to write instead.
        home: the database that names without a database belong to from now on; None for that of
            `place`.

    >>> def to_twin(database: str, schema: str) -> tuple[str, str]:
    ...     return (database, "twin") if schema == "public" else (database, schema)
    >>> place = QualifiedName("main", "public", "v")
    >>> rebind("SELECT public.t.id FROM public.t JOIN other.u JOIN w", place, to_twin)
    'SELECT main.twin.t.id FROM main.twin.t JOIN other.u JOIN w'
    >>> rebind("COPY INTO public.t FROM @public.s/a FILE_FORMAT = 'public.f'", place, to_twin)
    "COPY INTO main.twin.t FROM @main.twin.s/a FILE_FORMAT = 'main.twin.f'"
    """
    with _open_reader(text, Parameters(None), None, "query") as reader:
        read = read_copy if reader.is_at("COPY") else StatementReader.read_query
        return rebind_names(reader, read, place, target, home)


def read_function(definition: FunctionText) -> UserFunction:
    """Return a function of a user, with its expression as a tree.

    Raises:
        SqlSyntaxError: the body is no expression.
        DefinitionRefused: the expression names something that is no argument, or has an aggregate
            or a session variable.
        NotYet: the expression has a query over tables.

    >>> from icemelt.schema import Primitive
    >>> arguments = (Argument("w", Primitive("long")),)
    >>> name = QualifiedName("main", "public", "twice(number)")
    >>> function = read_function(FunctionText(name, arguments, Primitive("long"), "w * 2"))
    >>> function.body.sql()
    'w * 2'
    """
    title = f"Function {str(definition.name)!r}"
    with _open_reader(definition.body, Parameters(None), None, "expression") as reader:
        refuse_given_values(reader, reader.tokens_left(), title, _AS_ARGUMENT)
        body = _read_body(reader)
    arguments = tuple(
        UserArgument(
            argument.name,
            argument.type,
            _read_type(argument.type),
            None if argument.default is None else _read_default(argument.default, title),
        )
        for argument in definition.arguments
    )
    returns = definition.returns
    function = UserFunction(
        definition.name, arguments, returns, _read_type(returns), body, definition.is_strict
    )
    validate_function(function)
    return function


@functools.cache
def parse_type(text: str) -> DataType:
    """Return the type that a text in SQL names.

    >>> parse_type("NUMBER(10,2)")
    DecimalType(precision=10, scale=2)
    """
    with _open_reader(text, Parameters(None), None, "type") as reader:
        return reader.read_type()


def parse_signature(text: str) -> ObjectName:
    """Return the name of a function with types, as in the registry, of a text as `f(NUMBER)`.

    >>> str(parse_signature("public.f(NUMBER(10, 2), VARCHAR)"))
    'public.f(number, varchar)'
    """
    with _open_reader(text, Parameters(None), None, "name") as reader:
        return read_signature(reader)


def _read_body(reader: StatementReader) -> exp.Expr:
    """Read the expression of a function: also `SELECT expression`, without FROM."""
    if not reader.is_at("SELECT"):
        return reader.read_expression("the expression")
    query = reader.read_query()
    parts = {part for part, value in query.args.items() if value} - {"expressions", "kind"}
    if isinstance(query, exp.Select) and not parts and len(query.expressions) == 1:
        expression: exp.Expr = query.expressions[0]
        inner: exp.Expr = expression.this if isinstance(expression, exp.Alias) else expression
        return inner
    return exp.Subquery(this=query)


def _read_default(text: str, title: str) -> exp.Expr:
    """Return the default of an argument of a function, whose title errors begin with."""
    with _open_reader(text, Parameters(None), None, "expression") as reader:
        refuse_given_values(reader, reader.tokens_left(), title, _AS_ARGUMENT)
        return reader.read_expression("a default")


def _read_whole(text: str) -> exp.Expr:
    with _open_reader(text, Parameters(None), None, "expression") as reader:
        return reader.read_expression("a type")


@functools.cache
def _read_type(data_type: DataType) -> exp.Expr:
    """Return a type as a node of a tree."""
    node: exp.Expr = _read_whole(f"CAST(NULL AS {sql_type(data_type)})").args["to"]
    return node


def parse_cast_probe(text: str, kept: int, columns_of: ColumnsOf) -> Query | None:
    """Return the probe of a SELECT for casts that fail, None for a query without casts.

    Its columns are the texts that cannot be cast, then those that are kept.

    Args:
        text: the text of the SELECT.
        kept: how many columns at the end of the query the probe has, too.
        columns_of: a function that returns the columns of a table.

    >>> probe = parse_cast_probe("SELECT a::INT, b FROM t", 1, lambda name: None)
    >>> probe.text.rpartition("END AS ")[2]
    '`icemelt_cast_0`, `b` FROM __icemelt_0__ AS `t`'
    """
    with _open_reader(text, Parameters(None), columns_of, "query") as reader:
        node = reader.read_query()
        assert isinstance(node, exp.Select)  # noqa: S101 - as the caller wrote it
        probe = probe_casts(node, kept)
        return None if probe is None else reader.composer.compose_query(probe)


def split_statements(text: str) -> list[str]:
    r"""Return the statements of a script, without the semicolons between them.

    Semicolons in strings and comments separate nothing, nor do those in the BEGIN … END of a task.

    >>> split_statements("SELECT ';' /* ; */; -- one; two\nSELECT $$;$$;")
    ["SELECT ';' /* ; */", '-- one; two\nSELECT $$;$$']
    """
    return [piece.text for piece in split_with_offsets(text)]


def split_with_offsets(text: str) -> list[ScriptStatement]:
    r"""Return the statements of a script, with the offsets at which the statements begin.

    >>> for statement in split_with_offsets("BEGIN;\n COMMIT"):
    ...     print(statement)
    ScriptStatement(text='BEGIN', offset=0, tokens=1)
    ScriptStatement(text='COMMIT', offset=8, tokens=1)
    """
    statements: list[ScriptStatement] = []
    start, tokens = 0, 0
    with wait_for_turn(text):
        read = tokenize(text)
    separators = set(find_separators(read))
    for index, token in enumerate(read):
        if index not in separators:
            tokens += 1
            continue
        if tokens:
            statements.append(_script_statement(text, start, token.start, tokens))
        start, tokens = token.end + 1, 0
    if tokens:
        statements.append(_script_statement(text, start, len(text), tokens))
    return statements


@contextlib.contextmanager
def wait_for_turn(text: str) -> Iterator[None]:
    """Let one long text at a time into the block; a text of up to 20,000 characters does not wait.

    >>> with wait_for_turn("SELECT 1"):
    ...     pass
    """
    if len(text) <= LONG_TEXT:
        yield
        return
    while not _LONG_TEXT_LOCK.acquire(timeout=_SECONDS_BETWEEN_CHECKS):
        check_cancellation()
    try:
        yield
    finally:
        _LONG_TEXT_LOCK.release()


@contextlib.contextmanager
def _open_reader(
    text: str, parameters: Parameters, columns_of: ColumnsOf | None, what: str
) -> Iterator[StatementReader]:
    """Open a reader of the text of a statement; the block has to read the whole statement.

    Args:
        text: the text of the statement.
        parameters: the values of the placeholders.
        columns_of: a function that returns the columns of a table; None where the caller knows
            none.
        what: "statement" or "query", for errors.
    """
    with wait_for_turn(text):
        tokens = _tokenize_one_statement(text)
        with limit_effort(len(tokens)):
            reader = StatementReader(text, tokens, parameters, columns_of)
            try:
                yield reader
            except RecursionError as error:
                hint = "Split it, or put parts of it into WITH."
                raise SqlSyntaxError(f"The {what} is nested too deeply.", hint=hint) from error
            reader.finish()


def _parse_without_body(
    text: str, parameters: Parameters, columns_of: ColumnsOf | None
) -> Statement:
    """Return the one statement in a text; statements that it keeps for later are not parsed.

    Args:
        text: the text of the statement.
        parameters: the values of the placeholders.
        columns_of: a function that returns the columns of a table; None where the caller knows
            none.
    """
    with _open_reader(text, parameters, columns_of, "statement") as reader:
        statement = _read_statement(reader)
    parameters.require_all_used(reader.placeholders)
    return statement


def _script_statement(text: str, start: int, end: int, tokens: int) -> ScriptStatement:
    part = text[start:end]
    begin = start + len(part) - len(part.lstrip())
    return ScriptStatement(part.strip(), begin, tokens)


def _tokenize_one_statement(text: str) -> list[Token]:
    """Return the tokens of a text with one statement, without the semicolon at the end."""
    tokens = tokenize(text)
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise SqlSyntaxError(
            "The text holds no statement.", hint="Write one, or run a script: execute_script(text)."
        )
    separators = set(find_separators(tokens))
    for index, token in enumerate(tokens):
        if token.token_type == TokenType.UNKNOWN and token.text == "`":
            raise SqlSyntaxError(
                "A name is not put into backticks.",
                hint='Write it in double quotes, which keep its case: "my name".',
                text=text,
                span=(token.start, token.end + 1),
            )
        if index in separators:
            raise SqlSyntaxError(
                "The text holds more than one statement.",
                hint="Run them one by one with execute_script(text).",
                text=text,
                span=(token.start, token.end + 1),
            )
    return tokens


def _read_statement(reader: StatementReader) -> Statement:
    read = _READERS.get(reader.word)
    if read is None:
        refuse_statement(reader)
    return read(reader)


def _kept_statements(statement: Statement) -> Sequence[BodyStatement]:
    """Return the statements that a statement keeps for later, as the body of a task."""
    match statement:
        case CreateTask(body=body) | AlterTask(action=ModifyBody(body=body)):
            return body.statements
    return ()


def _validate_kept(part: BodyStatement, text: str) -> None:
    """Require that a statement that is kept for later can be parsed; its names are not looked up.

    A statement that the part keeps in turn, as the body of a task that a task makes, is parsed when
    the part runs: a text of tasks in tasks would be parsed as often as there are tasks.

    Args:
        part: the statement that is kept.
        text: the whole text, which the error underlines.
    """
    try:
        kept = _parse_without_body(part.text, Parameters(None), None)
        if isinstance(kept, ExecuteImmediate):
            raise NotYet(
                "EXECUTE IMMEDIATE in the body of a task is not supported.",
                hint="Write the statement itself, or a block: AS BEGIN …; END.",
            )
    except SqlSyntaxError as error:
        if error.span is None:
            raise
        start, end = error.span
        span = (start + part.offset, end + part.offset)
        message = error.message.split("\n", 1)[0]
        raise SqlSyntaxError(message, hint=error.hint, text=text, span=span) from error
