"""Parameters of lambdas: the types that the elements of an array give them."""

from __future__ import annotations

from sqlglot import exp

from icemelt.names import fold
from icemelt.schema import DataType, ListType, Primitive
from icemelt.sql.analysis.kinds import kind_of, set_kind

__all__ = ["note_parameters"]

# functions whose lambda has an element as first parameter, and the position as second
_OF_ELEMENTS = frozenset({"FILTER", "TRANSFORM", "EXISTS", "FORALL"})
# its lambda has the value so far as first parameter, and an element as second
_REDUCE = "REDUCE"


def note_parameters(node: exp.Expr) -> None:
    """Note the types of a lambda's parameters, where the array of the call is resolved already.

    >>> array = exp.Array(expressions=[exp.Literal.number(1)])
    >>> body = exp.Paren(this=exp.to_identifier("x"))
    >>> function = exp.Lambda(this=body, expressions=[exp.to_identifier("x")])
    >>> call = exp.Anonymous(this="FILTER", expressions=[array, function])
    >>> note_parameters(function)
    >>> kind_of(body.this)
    Primitive(name='long', length=None)
    """
    call = node.parent
    if not isinstance(node, exp.Lambda) or not isinstance(call, exp.Anonymous):
        return
    name, array = call.name.upper(), kind_of(call.expressions[0])
    if not isinstance(array, ListType) or name not in {*_OF_ELEMENTS, _REDUCE}:
        return
    types: tuple[DataType | None, ...] = (array.element, Primitive("long"))
    if name == _REDUCE:
        types = (kind_of(call.expressions[1]), array.element)
    kinds = dict(zip(map(_name, node.expressions), types, strict=False))
    for part in node.this.find_all(exp.Identifier):
        is_name = not isinstance(part.parent, exp.Column) and part.arg_key == "this"
        if fold(part.name) in kinds and (is_name or not isinstance(part.parent, exp.Dot)):
            set_kind(part, kinds[fold(part.name)])


def _name(parameter: exp.Expr) -> str:
    return fold(parameter.name)
