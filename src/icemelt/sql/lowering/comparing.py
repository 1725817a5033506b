"""Write both sides of an equality in one type, so that equal values are one value everywhere.

Spark compares values of two types in a third type, and values that differ in their own type may be
equal in the third. Here `orders.day` is a DATE and `notes.day` is a text, and Spark compares dates:

    orders.day      notes.day       CAST(notes.day AS DATE)
    2024-01-01      2024-1-1        2024-01-01
                    2024-01-01      2024-01-01

Both rows of `notes` join with the row of `orders`. As texts the two rows have different keys, so a
GROUP BY or a restriction by `notes.day` would separate the rows. So lowering writes the type out:

    orders.day = notes.day    becomes    orders.day = CAST(notes.day AS DATE)

Groups, keys and restrictions are then made of the CAST. Where the type of a side is not known, the
equality stays a condition like any other, and no key passes through the condition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.nodes import Project, Relation
from icemelt.schema import Primitive, spark_type
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.lowering.domain_joins import equality
from icemelt.sql.lowering.exact import Exact, Kind, Types, kind_of_column

__all__ = ["EqualitySide", "align_column_types", "cast_to_common_type", "split_equalities"]

_MAX_DIGITS = 38
# whole numbers of up to so many digits are different doubles
_DIGITS_TOLD_APART = 10
_FLOATING = {"float", "double"}
_DATES_AND_TIMES = {"date", "timestamp", "timestamptz"}
_UNCHANGED = ""
_CHOICE_FUNCTIONS = (
    *("COALESCE", "NVL", "NVL2", "IFNULL", "IFF", "DECODE", "GREATEST", "LEAST"),
    *("GREATEST_IGNORE_NULLS", "LEAST_IGNORE_NULLS", "ZEROIFNULL"),
)
_TYPES_BESIDE_TEXT = {
    "float": "DOUBLE",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "timestamptz": "TIMESTAMP",
    "boolean": "BOOLEAN",
    "binary": _UNCHANGED,
}


@dataclass(frozen=True, slots=True)
class EqualitySide:
    """A side of an equality, and where to find the type of the side.

    Attributes:
        expression: the side as an expression of the algebra.
        relation: the relation whose columns the expression reads; None where the relation is
            unknown.
        tree: the side as a settled sqlglot tree, which is asked where the relation gives no type.
    """

    expression: Expression
    relation: Relation | None = None
    tree: exp.Expr | None = None

    def kind(self, types: Types) -> Kind | None:
        """Return the type of the side, or None where the type is not known."""
        known_kind = None
        if self.relation is not None:
            known_kind = types.kind(self.expression, self.relation)
        if known_kind is not None or self.tree is None or any(map(_is_choice, self.tree.walk())):
            return known_kind
        kind = kind_of(self.tree)
        return None if kind is None else kind_of_column(kind)


def cast_to_common_type(
    left: EqualitySide, right: EqualitySide, types: Types
) -> tuple[Expression, Expression] | None:
    """Return both sides of an equality in the type of Spark's comparison.

    Return None where that type is not known. A side that Spark would compare in its own type is
    returned as the side is.

    Args:
        left: the left side of the equality.
        right: the right side of the equality.
        types: the types of the tables' columns.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import Scan
    >>> types = Types({"t": {"day": Primitive("date")}, "u": {"text": Primitive("string")}})
    >>> day, text = (
    ...     EqualitySide(column(0), Scan("t", ("day",))),
    ...     EqualitySide(column(0), Scan("u", ("text",))),
    ... )
    >>> [str(each) for each in cast_to_common_type(day, text, types) or ()]
    ['#0', 'CAST(#0 AS DATE)']
    """
    kinds = (left.kind(types), right.kind(types))
    target = _common_type(*kinds)
    if target is None:
        return None
    return _cast(left.expression, kinds[0], target), _cast(right.expression, kinds[1], target)


def split_equalities(
    sides: Iterable[tuple[EqualitySide, EqualitySide]], start: int, types: Types
) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
    """Split equalities into pairs of the same type, and conditions for pairs of unknown types.

    Args:
        sides: the equalities, as pairs of a left side and a right side.
        start: the number of the right side's first column in a condition over both sides. In a pair
            the right side counts its own columns from 0.
        types: the types of the tables' columns.
    """
    pairs, conditions = [], []
    for left, right in sides:
        pair = cast_to_common_type(left, right, types)
        if pair is None:
            conditions.append(
                equality(left.expression, right.expression.remap_columns(lambda at: start + at))
            )
        else:
            pairs.append(pair)
    return pairs, conditions


def align_column_types(left: Relation, right: Relation, types: Types) -> tuple[Relation, Relation]:
    """Return two inputs of a set operation with their columns in the common types.

    A column without a known common type stays unchanged.

    Args:
        left: the left input.
        right: the right input, of the same width.
        types: the types of the tables' columns.
    """
    pairs = [
        cast_to_common_type(EqualitySide(value, left), EqualitySide(value, right), types)
        or (value, value)
        for value in columns(0, left.width)
    ]
    return _project(left, [left_value for left_value, _ in pairs]), _project(
        right, [value for _, value in pairs]
    )


def _project(relation: Relation, values: list[Expression]) -> Relation:
    if values == list(columns(0, relation.width)):
        return relation
    return Project(relation, tuple(values))


def _cast(expression: Expression, kind: Kind | None, target: str) -> Expression:
    is_whole = isinstance(kind, Exact) and kind.whole
    is_it = isinstance(kind, Primitive) and spark_type(kind) == target
    if target == _UNCHANGED or is_it or (is_whole and target == "BIGINT"):
        return expression
    return Expression(("CAST(", *expression.parts, f" AS {target})"))


def _common_type(left: Kind | None, right: Kind | None) -> str | None:
    """Return Spark's name of the type in which values of two types are compared.

    Return `_UNCHANGED` where values are equal in their own types exactly if Spark takes the values
    for equal, and None where the type of comparison is not known.
    """
    if left is None or right is None:
        return None
    if left == right:
        return _UNCHANGED
    if isinstance(left, Exact) and isinstance(right, Exact):
        digits = max(left.precision - left.scale, right.precision - right.scale)
        return _UNCHANGED if digits + max(left.scale, right.scale) <= _MAX_DIGITS else None
    if isinstance(left, Exact):
        left, right = right, left
    match left, right:
        case Primitive(name), Exact() if name in _FLOATING:
            is_told_apart = (
                name == "double" and right.whole and right.precision <= _DIGITS_TOLD_APART
            )
            return _UNCHANGED if is_told_apart else "DOUBLE"
        case Primitive("string"), Exact():
            return "BIGINT" if right.whole else "DOUBLE"
        case (Primitive("string"), Primitive(name)) | (Primitive(name), Primitive("string")):
            return _TYPES_BESIDE_TEXT.get(name)
        case Primitive(name), Primitive(other_name):
            return _common_primitive({name, other_name})
        case _:
            return None


def _common_primitive(names: set[str]) -> str | None:
    if names == _FLOATING:
        return _UNCHANGED
    if names == {"timestamp", "timestamptz"}:
        return "TIMESTAMP"
    return _UNCHANGED if names <= _DATES_AND_TIMES else None


def _is_choice(node: exp.Expr) -> bool:
    """Tell whether a node chooses between several values, as CASE and COALESCE do.

    The values may differ from the node in type, so the tree does not show Spark's type.
    """
    return isinstance(node, exp.Case) or (
        isinstance(node, exp.Anonymous) and node.name.upper() in _CHOICE_FUNCTIONS
    )
