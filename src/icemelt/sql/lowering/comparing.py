"""Both sides of an equality in one type, in which equality is the same for all that meet by it.

Spark compares values of two types in a third, where more may be equal than in their own: '2024-1-1'
and '2024-01-01' are one date. Groups and restrictions by one side's own values would part what the
other side takes for equal. So the type is written out, and what stands on each side is of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.nodes import Project, Relation
from icemelt.schema import Primitive, spark
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.lowering.domain_joins import equal
from icemelt.sql.lowering.exact import Exact, Kind, Types, stored

__all__ = ["Side", "alike", "compared", "parted"]

_MOST = 38
# What a whole number of so many digits is as a double is told apart from all others.
_FEW = 10
_FLOATING = {"float", "double"}
_TIMES = {"date", "timestamp", "timestamptz"}
_AS_IT_IS = ""
_ONE_OF_SEVERAL = (
    *("COALESCE", "NVL", "NVL2", "IFNULL", "IFF", "DECODE", "GREATEST", "LEAST"),
    *("GREATEST_IGNORE_NULLS", "LEAST_IGNORE_NULLS", "ZEROIFNULL"),
)
_BESIDE_TEXT = {
    "float": "DOUBLE",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "timestamptz": "TIMESTAMP",
    "boolean": "BOOLEAN",
    "binary": _AS_IT_IS,
}


@dataclass(frozen=True, slots=True)
class Side:
    """A side of an equality: an expression, and what tells its type: a relation, a settled tree."""

    expression: Expression
    relation: Relation | None = None
    tree: exp.Expr | None = None

    def kind(self, types: Types) -> Kind | None:
        """Return its type, None where it is not known."""
        found = None
        if self.relation is not None:
            found = types.kind(self.expression, self.relation)
        if found is not None or self.tree is None or any(map(_chooses, self.tree.walk())):
            return found
        kind = kind_of(self.tree)
        return None if kind is None else stored(kind)


def compared(one: Side, other: Side, types: Types) -> tuple[Expression, Expression] | None:
    """Return both sides in the type in which Spark compares them, None where it is not known.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import Scan
    >>> types = Types({"t": {"day": Primitive("date")}, "u": {"text": Primitive("string")}})
    >>> day, text = Side(column(0), Scan("t", ("day",))), Side(column(0), Scan("u", ("text",)))
    >>> [str(each) for each in compared(day, text, types) or ()]
    ['#0', 'CAST(#0 AS DATE)']
    """
    kinds = (one.kind(types), other.kind(types))
    target = _target(*kinds)
    if target is None:
        return None
    return _cast(one.expression, kinds[0], target), _cast(other.expression, kinds[1], target)


def parted(
    sides: Iterable[tuple[Side, Side]], start: int, types: Types
) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
    """Return equalities in one type, and conditions for those whose types are unknown.

    In the conditions those of the right side are counted from `start`.
    """
    pairs, others = [], []
    for one, other in sides:
        found = compared(one, other, types)
        if found is None:
            others.append(equal(one.expression, other.expression.mapped(lambda at: start + at)))
        else:
            pairs.append(found)
    return pairs, others


def alike(one: Relation, other: Relation, types: Types) -> tuple[Relation, Relation]:
    """Return the inputs of a set operation with columns in one type, as far as types are known."""
    pairs = [
        compared(Side(each, one), Side(each, other), types) or (each, each)
        for each in columns(0, one.width)
    ]
    return _picked(one, [mine for mine, _ in pairs]), _picked(other, [each for _, each in pairs])


def _picked(relation: Relation, values: list[Expression]) -> Relation:
    if values == list(columns(0, relation.width)):
        return relation
    return Project(relation, tuple(values))


def _cast(expression: Expression, kind: Kind | None, target: str) -> Expression:
    is_whole = isinstance(kind, Exact) and kind.whole
    is_it = isinstance(kind, Primitive) and spark(kind) == target
    if target == _AS_IT_IS or is_it or (is_whole and target == "BIGINT"):
        return expression
    return Expression(("CAST(", *expression.parts, f" AS {target})"))


def _target(one: Kind | None, other: Kind | None) -> str | None:
    """Return the type in which two are compared; nothing where equality is as in their own."""
    if one is None or other is None:
        return None
    if one == other:
        return _AS_IT_IS
    if isinstance(one, Exact) and isinstance(other, Exact):
        digits = max(one.precision - one.scale, other.precision - other.scale)
        return _AS_IT_IS if digits + max(one.scale, other.scale) <= _MOST else None
    if isinstance(one, Exact):
        one, other = other, one
    match one, other:
        case Primitive(name), Exact() if name in _FLOATING:
            is_told_apart = name == "double" and other.whole and other.precision <= _FEW
            return _AS_IT_IS if is_told_apart else "DOUBLE"
        case Primitive("string"), Exact():
            return "BIGINT" if other.whole else "DOUBLE"
        case (Primitive("string"), Primitive(name)) | (Primitive(name), Primitive("string")):
            return _BESIDE_TEXT.get(name)
        case Primitive(name), Primitive(others):
            return _of_both({name, others})
        case _:
            return None


def _of_both(names: set[str]) -> str | None:
    if names == _FLOATING:
        return _AS_IT_IS
    if names == {"timestamp", "timestamptz"}:
        return "TIMESTAMP"
    return _AS_IT_IS if names <= _TIMES else None


def _chooses(node: exp.Expr) -> bool:
    """Tell whether a value is one of several, whose types may be others than its own."""
    return isinstance(node, exp.Case) or (
        isinstance(node, exp.Anonymous) and node.name.upper() in _ONE_OF_SEVERAL
    )
