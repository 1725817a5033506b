"""Functions of users: which one a call means, and its expression in place of the call.

    CREATE FUNCTION area(w NUMBER, h NUMBER) RETURNS NUMBER AS 'w * h'
    SELECT area(a, b + 1) FROM t
    SELECT CAST((CAST(a AS NUMBER) * CAST(b + 1 AS NUMBER)) AS NUMBER) FROM t

The expression is resolved by itself, with typed stand-ins for the arguments: the names of the query
around mean nothing in it. Then the arguments, resolved where they are written, take the places of
the stand-ins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from icemelt.errors import DefinitionRefused, FunctionNotFound, NotYet
from icemelt.names import ObjectName, QualifiedName, fold
from icemelt.schema import DataType
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.analysis.trees import replace_node
from icemelt.sql.analysis.volatile import is_volatile
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition, count_step
from icemelt.sql.statements import type_word

__all__ = [
    "ArgumentSlot",
    "FunctionName",
    "Overloads",
    "UserArgument",
    "UserFunction",
    "choose_function",
    "find_called_names",
    "find_qualified_call",
    "make_body",
    "put_arguments",
    "validate_function",
]

_MOST_PARTS = 20_000
# in the names of slots and hidden columns
_OWN_NAMES = "__icemelt"
_OF_TEXT, _OF_VARIANT = "varchar", "variant"
_NUMBERS = frozenset({"number", "float"})
_TIMES = frozenset({"date", "timestamp_ntz", "timestamp_ltz"})


@dataclass(frozen=True, slots=True)
class FunctionName:
    """The name of a function in a call, as `ColumnsOf` is asked for it.

    Attributes:
        name: the name as written.
        home: the database and the schema of the function whose expression has the call; None for
            the statement's own.
    """

    name: ObjectName
    home: tuple[str, str] | None = None

    @property
    def last(self) -> str:
        """The function's own name, with parentheses, which tell it from a table's."""
        return f"{self.name.last}()"


@dataclass(frozen=True, slots=True)
class UserArgument:
    """An argument of a function: name, type, the type as a node, and the default, if it has one."""

    name: str
    type: DataType
    cast: exp.Expr
    default: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function of a user, with its expression as a tree.

    Attributes:
        name: the full name, with the types of the arguments.
        arguments: the arguments, in order.
        returns: the type of the result; `cast` is the type as a node.
        body: the expression, whose columns are the arguments.
        is_strict: whether the result is NULL where an argument is.
    """

    name: QualifiedName
    arguments: tuple[UserArgument, ...]
    returns: DataType
    cast: exp.Expr
    body: exp.Expr
    is_strict: bool = False


class Overloads(dict[str, DataType]):
    """The functions of a name: the type of each result, by the name with the arguments' types.

    No functions stand for a name that nothing else may have either.

    Attributes:
        functions: the functions.
    """

    def __init__(self, functions: Iterable[UserFunction]) -> None:
        self.functions = tuple(functions)
        super().__init__({function.name.name: function.returns for function in self.functions})


class ArgumentSlot(exp.Expression):
    """The stand-in for an argument in the expression of a function; `this` is its position."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


def find_qualified_call(node: exp.Expr) -> exp.Anonymous | None:
    """Return the call of `schema.f(…)` with the parts of the name on it, None for another node."""
    call = node.args.get("expression") if isinstance(node, exp.Dot) else None
    if not isinstance(call, exp.Anonymous):
        return None
    first, *others = node.this.flatten() if isinstance(node.this, exp.Dot) else [node.this]
    # the parts of a Dot leave out a first one that is no column
    parts = [*(first.parts if isinstance(first, exp.Column) else [first]), *others]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        return None
    call.meta["path"] = tuple(fold_identifier(part) for part in parts)
    return call


def find_called_names(function: UserFunction) -> list[ObjectName]:
    """Return the names in the calls of a function's expression and defaults, as written."""
    defaults = [each.default for each in function.arguments if each.default is not None]
    names: dict[ObjectName, None] = {}
    for node in (node for tree in (function.body, *defaults) for node in tree.walk()):
        call = find_qualified_call(node)
        if call is None and isinstance(node, exp.Anonymous) and "path" not in node.meta:
            call = node
        if call is not None:
            names[ObjectName((*call.meta.get("path", ()), call.name.lower()))] = None
    return list(names)


def choose_function(
    call: exp.Anonymous, overloads: Sequence[UserFunction]
) -> tuple[UserFunction, list[exp.Expr]]:
    """Return the function that a call means, and its arguments in order, defaults included.

    The function whose types are nearest to those of the arguments is meant.

    Raises:
        FunctionNotFound: no function takes these arguments.
        NotYet: several functions are as near.
    """
    fitting = []
    for function in overloads:
        arguments = _match_arguments(call, function)
        if arguments is None:
            continue
        costs = [
            _cost(given, argument.type)
            for given, argument in zip(arguments, function.arguments, strict=True)
        ]
        if None not in costs:
            fitting.append((sum(filter(None, costs)), function, arguments))
    signatures = ", ".join(sorted(function.name.name for function in overloads))
    if not fitting:
        raise FunctionNotFound(
            f"No function {call.name.lower()!r} takes these arguments.",
            hint=f"There is {signatures}.",
        )
    least = min(cost for cost, _, _ in fitting)
    nearest = [(function, arguments) for cost, function, arguments in fitting if cost == least]
    if len(nearest) > 1:
        raise NotYet(
            f"The call of {call.name.lower()!r} may mean several functions.",
            hint=f"Cast the arguments, as in f(a::NUMBER): there is {signatures}.",
        )
    return nearest[0]


def make_body(function: UserFunction) -> exp.Expr:
    """Return the expression of a function with stand-ins, cast to the type of the result."""
    body = exp.Paren(this=function.body.copy())
    positions = {fold(argument.name): at for at, argument in enumerate(function.arguments)}
    for column in list(body.find_all(exp.Column)):
        at = positions.get(fold(fold_identifier(column.this)))
        if at is not None and not column.args.get("table"):
            replace_node(_make_slot(function, at), column)
    result: exp.Expr = exp.Cast(this=body, to=function.cast.copy())
    if function.is_strict and function.arguments:
        tests = [
            exp.Is(this=_make_slot(function, at), expression=exp.Null())
            for at in range(len(function.arguments))
        ]
        branch = exp.If(this=exp.or_(*tests), true=exp.Null())
        result = exp.Cast(this=exp.Case(ifs=[branch], default=result), to=function.cast.copy())
    return exp.Paren(this=result)


def put_arguments(body: exp.Expr, function: UserFunction, given: Sequence[exp.Expr]) -> None:
    """Put the arguments of a call into a resolved body, cast to their types.

    Raises:
        NotYet: an argument that is random, or a query, would be computed several times; one with an
            aggregate would not be computed; a lambda around one takes a name that is in it; or the
            expression would be too large.
    """
    slots: dict[int, list[exp.Expr]] = {}
    for slot in list(body.find_all(ArgumentSlot)):
        slots.setdefault(int(slot.name), []).append(slot)
    copied = sum(len(places) * _count_parts(given[at]) for at, places in slots.items())
    _require_small(function, _count_parts(body) + copied)
    for position, value in enumerate(given):
        if position not in slots and any(map(_is_of_rows, value.walk())):
            raise NotYet(
                f"Function {function.name.name!r} does not use an argument that has an aggregate.",
                hint="Leave the call out, or compute the aggregate in a subquery.",
            )
    for position, places in slots.items():
        argument, value = function.arguments[position], given[position]
        _require_uncaptured(function, value, places)
        if len(places) > 1:
            _require_repeatable(function, argument, value)
        for place in places:
            cast = exp.Cast(this=exp.Paren(this=value.copy()), to=argument.cast.copy())
            set_kind(cast, argument.type)
            replace_node(cast, place)


def validate_function(function: UserFunction) -> None:
    """Refuse a function whose expression or defaults are of more than its arguments.

    Names that icemelt gives in its own SQL are refused anywhere in it: they would mean a part of
    the statement around a call.

    Raises:
        DefinitionRefused: a part names something that is no argument, or has an aggregate.
        NotYet: a part has a query over tables, or a default takes numbers of a sequence.
    """
    defaults = [each.default for each in function.arguments if each.default is not None]
    parts = (function.body, function.cast, *defaults, *(each.cast for each in function.arguments))
    names = [
        *(node.name for part in parts for node in part.find_all(exp.Identifier)),
        *(each.name for each in function.arguments),
    ]
    if any(_OWN_NAMES in fold(name) for name in names):
        raise DefinitionRefused(
            f"Function {str(function.name)!r} has a name that icemelt gives itself.",
            hint=f"Names with {_OWN_NAMES!r} in them are icemelt's.",
        )
    for default in defaults:
        if default.find(exp.Column, exp.Query) is not None:
            raise DefinitionRefused(
                f"A default of function {str(function.name)!r} is no constant.",
                hint="Write a value: DEFAULT 0.",
            )
    _validate_body(function)


def _validate_body(function: UserFunction) -> None:
    """Refuse an expression that is none of its arguments alone.

    Raises:
        DefinitionRefused: the expression names something that is no argument, or has an aggregate.
        NotYet: the expression has a query over tables.
    """
    names = {fold(argument.name) for argument in function.arguments}
    known = ", ".join(argument.name for argument in function.arguments) or "none"
    for part in function.body.walk():
        if isinstance(part, exp.Query):
            raise NotYet(
                f"Function {str(function.name)!r} has a query in its expression.",
                hint="Join the table in the query that calls it, or make a view.",
            )
        if _is_of_rows(part):
            raise DefinitionRefused(
                f"Function {str(function.name)!r} has an aggregate or a window.",
                hint="Call the function within one: SUM(f(a)).",
            )
        is_lambda = isinstance(part, exp.Column) and part.find_ancestor(exp.Lambda) is not None
        if not isinstance(part, exp.Column) or is_lambda:
            continue
        if part.args.get("table") or fold(fold_identifier(part.this)) not in names:
            raise DefinitionRefused(
                f"Function {str(function.name)!r} names {part.sql('snowflake')}, which is no "
                "argument.",
                hint=f"Its arguments: {known}.",
            )


def _count_parts(node: exp.Expr) -> int:
    parts = 0
    for _ in node.walk():
        count_step()
        parts += 1
    return parts


def _require_small(function: UserFunction, parts: int) -> None:
    """Refuse a call whose expression would be too large, as functions repeat their arguments.

    Args:
        function: the function.
        parts: the parts of its expression and of all copies of the arguments.
    """
    if parts > _MOST_PARTS:
        raise NotYet(
            f"Calls of {function.name.name!r} within each other repeat their arguments too often.",
            hint="Compute the inner ones in a subquery in FROM.",
        )
    count_repetition(parts, Repeated.CALL)


def _make_slot(function: UserFunction, position: int) -> ArgumentSlot:
    slot = ArgumentSlot(this=str(position))
    set_kind(slot, function.arguments[position].type)
    return slot


def _require_repeatable(function: UserFunction, argument: UserArgument, value: exp.Expr) -> None:
    if value.find(exp.Query) is None and not any(map(is_volatile, value.walk())):
        return
    raise NotYet(
        f"Argument {argument.name!r} of {function.name.name!r} is random or a query, and its "
        "expression mentions it several times.",
        hint="Compute it in a subquery in FROM: SELECT f(q.x) FROM (SELECT RANDOM() AS x) AS q.",
    )


def _is_of_rows(node: exp.Expr) -> bool:
    """Tell whether a node computes a value of several rows: an aggregate or a window."""
    is_aggregate = isinstance(node, exp.Anonymous) and node.name.upper() in AGGREGATES
    return isinstance(node, exp.Window) or is_aggregate


def _require_uncaptured(
    function: UserFunction, value: exp.Expr, places: Sequence[exp.Expr]
) -> None:
    """Refuse an argument with a name that a lambda of the function takes around it."""
    names = {fold(each.name) for each in value.find_all(exp.Identifier)}
    for place in places:
        around = place.find_ancestor(exp.Lambda)
        while around is not None:
            taken = names & {fold(each.name) for each in around.expressions}
            if taken:
                raise NotYet(
                    f"An argument of {function.name.name!r} names {min(taken)!r}, as a lambda of "
                    "the function does.",
                    hint="Give the lambda's parameter, or the column, another name.",
                )
            around = around.find_ancestor(exp.Lambda)


def _match_arguments(call: exp.Anonymous, function: UserFunction) -> list[exp.Expr] | None:
    """Return the arguments of a call in the order of a function; None where they do not fit."""
    named: dict[str, exp.Expr] = {}
    for position, given in enumerate(call.expressions):
        if isinstance(given, (exp.Kwarg, exp.PropertyEQ)):
            named[fold(given.this.name)] = given.expression
        elif position < len(function.arguments):
            named[fold(function.arguments[position].name)] = given
        else:
            return None
    values = [named.pop(fold(each.name), each.default) for each in function.arguments]
    if named or len(call.expressions) > len(function.arguments):
        return None
    present = [value for value in values if value is not None]
    return present if len(present) == len(values) else None


def _cost(given: exp.Expr, wanted: DataType) -> int | None:
    """Return how far the type of an argument is from a function's; None where it does not fit."""
    kind = kind_of(given)
    if kind is None:
        return 0 if isinstance(given, exp.Null) else 1
    word, target = type_word(kind), type_word(wanted)
    if word == target:
        return 0
    if {word, target} <= _NUMBERS or {word, target} <= _TIMES:
        return 1
    if _OF_VARIANT in {word, target}:
        return 2
    return 3 if _OF_TEXT in {word, target} else None
