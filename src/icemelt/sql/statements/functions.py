"""Functions of users: CREATE and ALTER FUNCTION, and signatures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, StructType
from icemelt.sql.statements.definitions import Existing, RenameTable, SetOptions, UnsetOptions

__all__ = [
    "AlterFunction",
    "Argument",
    "CreateFunction",
    "FunctionAction",
    "sign",
    "type_word",
]

_WORDS = {
    "int": "number",
    "long": "number",
    "float": "float",
    "double": "float",
    "string": "varchar",
    "uuid": "varchar",
    "unknown": "varchar",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp_ltz",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function: name, type, and default as written; None without a default."""

    name: str
    type: DataType
    default: str | None = None


@dataclass(frozen=True, slots=True)
class CreateFunction:
    """`CREATE FUNCTION name(arguments) RETURNS type … AS 'expression'`.

    Attributes:
        own_name: the name as written, without types.
        arguments: the arguments, in order.
        returns: the type of the result.
        body: the expression's text.
        is_strict: whether the result is NULL where an argument is.
        is_immutable: whether the function was declared IMMUTABLE.
        comment: the comment, None without a comment.
        existing: how CREATE treats a function of the same signature.
    """

    own_name: ObjectName
    arguments: tuple[Argument, ...]
    returns: DataType
    body: str
    is_strict: bool = False
    is_immutable: bool = False
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False

    @property
    def name(self) -> ObjectName:
        """The name with the types of the arguments, under which the registry has the function."""
        return sign(self.own_name, (argument.type for argument in self.arguments))


FunctionAction = RenameTable | SetOptions | UnsetOptions


@dataclass(frozen=True, slots=True)
class AlterFunction:
    """`ALTER FUNCTION [IF EXISTS] name(types) action`; RENAME TO has a name without types."""

    name: ObjectName
    action: FunctionAction
    if_exists: bool = False


def sign(name: ObjectName, types: Iterable[DataType]) -> ObjectName:
    """Return a function's name with the types of its arguments, without length and precision.

    >>> str(sign(ObjectName(("public", "f")), [DecimalType(10, 2), Primitive("string")]))
    'public.f(number, varchar)'
    """
    words = ", ".join(map(type_word, types))
    return replace(name, parts=(*name.parts[:-1], f"{name.last}({words})"))


def type_word(data_type: DataType) -> str:
    """Return the word that stands for a type in a signature.

    >>> type_word(Primitive("long")), type_word(ListType(Primitive("long")))
    ('number', 'array')
    """
    match data_type:
        case Primitive(name):
            return _WORDS.get(name, name)
        case DecimalType():
            return "number"
        case ListType():
            return "array"
        case MapType():
            return "map"
        case StructType():
            return "object"
