"""CREATE and ALTER FUNCTION, and the signature by which a function is dropped and described."""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.errors import DefinitionRefused, Never, NotYet
from icemelt.names import ObjectName, fold
from icemelt.schema import DataType
from icemelt.sql.grammar.options import read_options
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterFunction,
    Argument,
    CreateFunction,
    Existing,
    FunctionAction,
    RenameTable,
    SetOptions,
    UnsetOptions,
    sign,
)

__all__ = ["read_alter_function", "read_create_function", "read_signature"]

_LATER_LANGUAGES = ("PYTHON", "JAVASCRIPT", "JAVA", "SCALA")
_IN_PYTHON = "Write the expression in SQL; or in Python, session.spark.udf over session.table('t')."


@dataclass(slots=True)
class _Properties:
    """The words between RETURNS and AS."""

    is_strict: bool = False
    is_immutable: bool = False
    comment: str | None = None


def read_create_function(reader: StatementReader, existing: Existing) -> CreateFunction:
    """Read the rest of `CREATE [OR REPLACE] FUNCTION [IF NOT EXISTS]`."""
    name = reader.read_object_name("function")
    arguments = _read_arguments(reader)
    reader.need("RETURNS")
    if reader.is_at("TABLE"):
        raise NotYet(
            "Functions that return a table are planned.",
            hint="CREATE VIEW, and WHERE in the query that reads it.",
        )
    returns = reader.read_type()
    properties = _Properties()
    while not reader.take("AS"):
        _read_property(reader, properties)
    body = reader.read_string("the expression").strip().removesuffix(";").strip()
    if not body:
        reader.fail("The function has no expression.", hint="AS 'a + 1'")
    return CreateFunction(
        name,
        arguments,
        returns,
        body,
        properties.is_strict,
        properties.is_immutable,
        properties.comment,
        existing,
    )


def read_alter_function(reader: StatementReader) -> AlterFunction:
    """Read the rest of `ALTER FUNCTION`: `[IF EXISTS] name(types) {RENAME TO | SET | UNSET} …`."""
    if_exists = reader.take("IF", "EXISTS")
    return AlterFunction(read_signature(reader), _read_action(reader), if_exists)


def read_signature(reader: StatementReader) -> ObjectName:
    """Read `name(type, …)`; return the name under which the registry has the function."""
    name = reader.read_object_name("function")
    if not reader.take("("):
        hint = f"Write the types of its arguments: {name}(NUMBER, VARCHAR), or {name}()."
        reader.fail(f"Expected ( after the function's name, found {reader.next_text}.", hint=hint)
    types: list[DataType] = []
    if not reader.is_at(")"):
        types = reader.read_list(reader.read_type)
    reader.need(")")
    return sign(name, types)


def _read_action(reader: StatementReader) -> FunctionAction:
    match reader.need_one("RENAME", "SET", "UNSET"):
        case "RENAME":
            reader.need("TO")
            return RenameTable(reader.read_object_name("function"))
        case "SET":
            if not reader.is_at("COMMENT"):
                hint = "SET COMMENT = '…'; CREATE OR REPLACE FUNCTION for all else."
                reader.fail(f"A function has no option {reader.next_text}.", hint=hint)
            return SetOptions(read_options(reader))
        case _:
            reader.need("COMMENT")
            return UnsetOptions(("COMMENT",))


def _read_arguments(reader: StatementReader) -> tuple[Argument, ...]:
    reader.need("(")
    arguments: list[Argument] = []
    if not reader.is_at(")"):
        arguments = reader.read_list(lambda: _read_argument(reader))
    reader.need(")")
    names = [fold(argument.name) for argument in arguments]
    for before, argument in enumerate(arguments):
        if names.index(fold(argument.name)) < before:
            raise DefinitionRefused(
                f"The function has two arguments {argument.name!r}.", hint="Rename one of them."
            )
        if argument.default is None and before and arguments[before - 1].default is not None:
            raise DefinitionRefused(
                f"Argument {argument.name!r} has no DEFAULT, and one before it has.",
                hint="Put the arguments with a DEFAULT behind the others.",
            )
    return tuple(arguments)


def _read_argument(reader: StatementReader) -> Argument:
    name = reader.read_name("argument name")
    data_type = reader.read_type()
    if not reader.take("DEFAULT"):
        return Argument(name, data_type)
    start = reader.mark()
    reader.read_expression("a default")
    tokens = reader.tokens_since(start)
    return Argument(name, data_type, reader.text[tokens[0].start : tokens[-1].end + 1])


def _read_property(reader: StatementReader, properties: _Properties) -> None:
    """Read one of the words between RETURNS and AS."""
    if reader.take("LANGUAGE"):
        _read_language(reader)
    elif reader.take("STRICT") or reader.take("RETURNS", "NULL", "ON", "NULL", "INPUT"):
        properties.is_strict = True
    elif reader.take("CALLED", "ON", "NULL", "INPUT"):
        properties.is_strict = False
    elif reader.take("IMMUTABLE"):
        properties.is_immutable = True
    elif reader.take("VOLATILE"):
        properties.is_immutable = False
    elif reader.take("COMMENT"):
        reader.take("=")
        properties.comment = reader.read_comment()
    elif reader.is_at("MEMOIZABLE"):
        raise NotYet("MEMOIZABLE functions are not supported.", hint="Leave MEMOIZABLE out.")
    elif not (reader.take("NOT", "NULL") or reader.take("NULL")):
        hint = "RETURNS NUMBER LANGUAGE SQL AS 'a + 1'"
        reader.fail(f"A function does not go on with {reader.next_text}.", hint=hint)


def _read_language(reader: StatementReader) -> None:
    language = reader.word
    if language in _LATER_LANGUAGES:
        raise Never(f"Functions in {language} are not supported.", hint=_IN_PYTHON)
    reader.need("SQL")
