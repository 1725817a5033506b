"""Parameters and session variables: values become typed literals in the tree, and never text."""

from __future__ import annotations

import datetime
import math
import numbers
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal

from sqlglot import exp

from icemelt.errors import ParameterError, QueryError
from icemelt.names import find_nearest, fold
from icemelt.sql.analysis.trees import replace_node
from icemelt.sql.dialect.parser import VARIABLE
from icemelt.sql.statements import Variable

__all__ = ["Parameters", "literal"]

_MAX_PRECISION = 38
_INT64 = range(-(2**63), 2**63)
_COLLECTIONS = (list, tuple, set, frozenset)


class Parameters:
    """The values for a statement's placeholders: a sequence for `?`, a mapping for `:name`.

    The values for `$name` are the session's variables.

    >>> Parameters([1, "a"]).literal_at(1).sql()
    "'a'"
    """

    def __init__(
        self,
        values: Sequence[object] | Mapping[str, object] | None = None,
        variables: Mapping[str, Variable] | None = None,
        results: int = 0,
    ) -> None:
        """Keep the values; a string or bytes would be one value, and is refused as a sequence.

        Args:
            values: the values of `?` or `:name`.
            variables: the session's variables by folded name.
            results: how many statements are before this one in a chain.
        """
        is_list = hasattr(values, "__getitem__") and hasattr(values, "__len__")
        if isinstance(values, (str, bytes)) or (values is not None and not is_list):
            message = f"Parameters are a list or a mapping, found {type(values).__name__}."
            raise ParameterError(message, hint="Put a single value into a list: [value].")
        self._values = values
        self._variables = variables or {}
        self.results = results
        self._used: set[str] = set()

    def bind(self, tree: exp.Expr, marks: Mapping[int, int]) -> exp.Expr:
        """Replace placeholders by literals; a column of a SELECT keeps the name of a placeholder.

        A list for the only placeholder of `IN (?)` is its elements; elsewhere a list is an array.

        Args:
            tree: the tree with placeholders.
            marks: the position of each `?` among all `?`, by its offset in the text.
        """
        for placeholder in list(tree.find_all(exp.Placeholder)):
            name, start = placeholder.args.get("this"), placeholder.meta.get("start", -1)
            if placeholder.args.get("kind") == VARIABLE:
                bound = self.literal_of_variable(placeholder.name)
            else:
                value, label = self._value_by_name(name) if name else self._value_at(marks[start])
                membership = _find_membership(placeholder)
                if membership is not None and isinstance(value, _COLLECTIONS):
                    expanded = _expand_membership(membership, [*value], label)
                    tree = expanded if membership is tree else tree
                    continue
                bound = literal(value, label)
            if "written" in placeholder.meta:
                bound.meta["written"] = placeholder.meta["written"]
            if placeholder is tree:
                return bound
            replace_node(bound, placeholder)
        return tree

    def literal_at(self, position: int) -> exp.Expr:
        """Return the literal for the `?` at a position, counted from 0."""
        return literal(*self._value_at(position))

    def _value_at(self, position: int) -> tuple[object, str]:
        """Return the value for the `?` at a position, and the value's name in errors."""
        values = self._values
        if values is None or isinstance(values, Mapping):
            message = f"The statement has a placeholder '?', found {_describe(values)}."
            raise ParameterError(message, hint="Pass the values as a list, one for each '?'.")
        if position >= len(values):
            message = (
                f"The statement needs at least {position + 1} parameters, found {len(values)}."
            )
            raise ParameterError(message, hint="Pass one value for each '?', in order.")
        return values[position], f"Parameter {position + 1}"

    def literal_by_name(self, name: str) -> exp.Expr:
        """Return the literal for `:name`."""
        return literal(*self._value_by_name(name))

    def _value_by_name(self, name: str) -> tuple[object, str]:
        """Return the value for `:name`, and the value's name in errors."""
        values = self._values
        if not isinstance(values, Mapping):
            message = f"The statement has a placeholder ':{name}', found {_describe(values)}."
            raise ParameterError(message, hint=f"Pass the value by name: {name}=….")
        if name not in values:
            known = ", ".join(map(repr, values)) or "none"
            message = f"Parameter '{name}' was not given; given: {known}."
            raise ParameterError(message, hint=f"Pass {name}=…; names are case-sensitive.")
        self._used.add(name)
        return values[name], f"Parameter '{name}'"

    def literal_of_variable(self, name: str) -> exp.Expr:
        """Return the literal for `$name`.

        Raises:
            QueryError: there is no session variable of the name.
        """
        variable = self._variables.get(fold(name))
        if variable is None:
            close = find_nearest(name, self._variables)
            raise QueryError(
                f"Session variable '${name}' does not exist.",
                hint=f"Did you mean ${close}?" if close else f"SET {name} = …",
            )
        return _variable_literal(variable)

    def require_all_used(self, placeholders: int) -> None:
        """Raise `ParameterError` for a value without a placeholder in the statement."""
        values = self._values
        if isinstance(values, Mapping):
            unused = [name for name in values if name not in self._used]
            if unused:
                # as Python writes the name: half of a surrogate pair has no other text
                shown = repr(unused[0])
                message = f"Parameter {shown} is not used by the statement."
                hint = f"Write :{shown.strip(shown[0])}, or leave it out."
                raise ParameterError(message, hint=hint)
        elif values is not None and len(values) != placeholders:
            message = (
                f"The statement has {placeholders} placeholders '?', found {len(values)} values."
            )
            raise ParameterError(message, hint="Pass one value for each '?', in order.")

    def strings(self) -> list[str]:
        """Return all strings among the values and the variables, at any depth."""
        values = self._values
        top = values.values() if isinstance(values, Mapping) else values
        kept = [variable.value for variable in self._variables.values()]
        return _strings_in([*(top or ()), *kept])


def literal(value: object, label: str = "The parameter") -> exp.Expr:  # noqa: C901, PLR0911 - a table
    """Return the typed literal of a Python value; `label` names the value in errors.

    A constant that has been read, as by EXECUTE IMMEDIATE, is a literal already.

    >>> literal(datetime.date(2024, 1, 31)).sql()
    "CAST('2024-01-31' AS DATE)"
    >>> literal([1, None]).sql("spark")
    'ARRAY(1, NULL)'
    """
    match value:
        case None:
            return exp.Null()
        case exp.Expr():
            return value.copy()
        case bool():
            return exp.Boolean(this=value)
        case str():
            return exp.Literal.string(_require_encodable(value, label))
        case bytes() | bytearray() | memoryview():
            return exp.HexString(this=bytes(value).hex().upper())
        case uuid.UUID():
            return exp.Literal.string(str(value))
        case datetime.date():
            return _time_literal(value, label)
        case Decimal():
            return _decimal_literal(value, label)
        case numbers.Integral():
            return _integer_literal(int(value), label)
        case numbers.Real():
            return _double_literal(float(value))
        case Mapping():
            return _mapping_literal(value, label)
        case list() | tuple():
            return _array_literal([literal(element, label) for element in value])
        case _:
            message = f"{label} has the type {type(value).__name__}, which SQL values do not have."
            raise ParameterError(message, hint="Pass a number, a string, bytes, a date or a list.")


def _variable_literal(variable: Variable) -> exp.Expr:
    """Return the literal of a session variable, which keeps its type."""
    value = variable.value
    if value is None or isinstance(value, Decimal):
        text = exp.Null() if value is None else exp.Literal.string(f"{value:f}")
        return exp.cast(text, variable.type, dialect="snowflake")
    return literal(value, "The session variable")


def _find_membership(placeholder: exp.Expr) -> exp.In | None:
    """Return the `x IN (?)` whose only element is a placeholder."""
    around = placeholder.parent
    if not isinstance(around, exp.In) or placeholder.arg_key != "expressions":
        return None
    return around if len(around.expressions) == 1 else None


def _expand_membership(membership: exp.In, elements: Sequence[object], label: str) -> exp.Expr:
    """Return `x IN (?)` with the elements of a list; nothing is in an empty list.

    Args:
        membership: the condition.
        elements: the list.
        label: the name of the list in errors.
    """
    make = _row_literal if isinstance(membership.this, exp.Tuple) else literal
    if elements or isinstance(membership.parent, exp.Pivot):
        membership.set("expressions", [make(element, label) for element in elements])
        return membership
    # the operand is there for the check of its names
    operand = membership.this
    parts = operand.expressions if isinstance(operand, exp.Tuple) else [operand]
    is_null: list[exp.Expr] = [exp.Is(this=part, expression=exp.Null()) for part in parts]
    nowhere = exp.paren(exp.and_(exp.false(), *is_null, copy=False), copy=False)
    replace_node(nowhere, membership)
    return nowhere


def _row_literal(element: object, label: str) -> exp.Expr:
    """Return an element of a list for `(x, y) IN (?)`: a row of values."""
    if isinstance(element, list | tuple):
        return exp.Tuple(expressions=[literal(part, label) for part in element])
    return literal(element, label)


def _describe(values: object) -> str:
    match values:
        case None:
            return "no parameters"
        case Mapping():
            return "parameters by name"
        case _:
            return "parameters by position"


def _require_encodable(value: str, label: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in value):
        message = f"{label} holds half of a surrogate pair, which is no character."
        raise ParameterError(message, hint="Pass text that can be encoded as UTF-8.")
    return value


def _time_literal(value: datetime.date, label: str) -> exp.Expr:
    if not isinstance(value, datetime.datetime):
        return exp.cast(exp.Literal.string(value.isoformat()), exp.DType.DATE)
    if value.tzinfo is None:
        text = value.isoformat(sep=" ")
        return exp.cast(exp.Literal.string(text), exp.DType.TIMESTAMPNTZ)
    try:
        utc = value.astimezone(datetime.UTC)
    except OverflowError as error:
        message = f"{label} is outside the years 1 to 9999 in UTC."
        raise ParameterError(message, hint="Pass a moment between these years.") from error
    text = utc.replace(tzinfo=None).isoformat(sep=" ") + "Z"
    return exp.cast(exp.Literal.string(text), exp.DType.TIMESTAMPLTZ)


def _decimal_literal(value: Decimal, label: str) -> exp.Expr:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ParameterError(f"{label} is not a finite decimal.", hint="Pass float('nan') instead.")
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > _MAX_PRECISION:
        message = f"{label} needs {precision} digits; a decimal has up to {_MAX_PRECISION}."
        raise ParameterError(message, hint="Round it, or pass it as a float or a string.")
    return exp.cast(exp.Literal.string(f"{value:f}"), f"DECIMAL({precision}, {scale})")


def _integer_literal(value: int, label: str) -> exp.Expr:
    if value not in _INT64:
        return _decimal_literal(Decimal(value), label)
    if value == _INT64.start:
        return exp.cast(exp.Literal.string(str(value)), exp.DType.BIGINT)
    number = exp.Literal.number(abs(value))
    return number if value >= 0 else exp.Paren(this=exp.Neg(this=number))


def _double_literal(value: float) -> exp.Expr:
    if math.isnan(value):
        text = "NaN"
    elif math.isinf(value):
        text = "Infinity" if value > 0 else "-Infinity"
    else:
        text = repr(value)
    return exp.cast(exp.Literal.string(text), exp.DType.DOUBLE)


def _array_literal(elements: list[exp.Expr]) -> exp.Expr:
    """Return a typed array for elements of one kind, and an array of variants for several kinds."""
    if len({_kind_of_literal(element) for element in elements} - {"NULL"}) > 1:
        elements = [exp.cast(element, exp.DType.VARIANT) for element in elements]
    return exp.Array(expressions=elements)


def _mapping_literal(value: Mapping[object, object], label: str) -> exp.Expr:
    """Return an object for a mapping with string keys, and a map for any other mapping."""
    pairs = [(literal(key, label), literal(item, label)) for key, item in value.items()]
    if all(isinstance(key, str) for key in value):
        arguments = [part for pair in pairs for part in pair]
        return exp.Anonymous(this="OBJECT_CONSTRUCT_KEEP_NULL", expressions=arguments)
    keys, items = (
        _array_literal([key for key, _ in pairs]),
        _array_literal([item for _, item in pairs]),
    )
    return exp.Anonymous(this="MAP_FROM_ARRAYS", expressions=[keys, items])


def _kind_of_literal(element: exp.Expr) -> str:
    match element:
        case exp.Null():
            return "NULL"
        case exp.Cast():
            return str(element.to.this.value)
        case exp.Literal():
            return "string" if element.is_string else "integer"
        case exp.Paren():
            return "integer"
        case _:
            return type(element).__name__


def _strings_in(values: list[object]) -> list[str]:
    strings: list[str] = []
    for value in values:
        match value:
            case str():
                strings.append(value)
            case exp.Expr():
                strings += [part.name for part in value.walk()]
            case Mapping():
                strings += _strings_in([*value.keys(), *value.values()])
            case list() | tuple():
                strings += _strings_in(list(value))
            case _:
                pass
    return strings
