"""Types of expressions, above all of exact numbers: Spark's types of whole numbers and decimals.

Only sums of exact numbers are the same in any order of addition. The type of an expression is read
from its Spark SQL text, so the type is the type that Spark sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Join, Relation, Scan, SetOperation, UnionAll, Values
from icemelt.schema import DataType, DecimalType, Primitive

__all__ = ["Exact", "Kind", "Types", "kind_of_column"]

_MAX_DIGITS, _MIN_SCALE = 38, 6
_COLUMN = re.compile(r"c(\d+)")


@dataclass(frozen=True, slots=True)
class Exact:
    """A type of exact numbers.

    Attributes:
        precision: the number of digits.
        scale: the number of digits after the decimal point.
        whole: whether the type is one of TINYINT, SMALLINT, INT and BIGINT.
    """

    precision: int
    scale: int
    whole: bool = False

    def __str__(self) -> str:
        """Return Spark's name of the type."""
        if self.whole:
            return _WORDS[self]
        return f"DECIMAL({self.precision},{self.scale})"

    @property
    def total(self) -> Exact:
        """The type of a sum of values of the type."""
        return _BIGINT if self.whole else Exact(min(_MAX_DIGITS, self.precision + 10), self.scale)


_TINYINT, _SMALLINT = Exact(3, 0, whole=True), Exact(5, 0, whole=True)
_INT, _BIGINT = Exact(10, 0, whole=True), Exact(20, 0, whole=True)
_WORDS = {_TINYINT: "TINYINT", _SMALLINT: "SMALLINT", _INT: "INT", _BIGINT: "BIGINT"}
_WHOLE = {
    exp.DType.TINYINT: _TINYINT,
    exp.DType.SMALLINT: _SMALLINT,
    exp.DType.INT: _INT,
    exp.DType.BIGINT: _BIGINT,
}

Kind = Exact | DataType
_OfColumn = Callable[[int], Kind | None]
# functions in icemelt's own SQL; None stands for the type of the argument
_OF_ICEMELT: Mapping[str, Kind | None] = {
    "nanvl": None,
    "icemelt_variant_key": Primitive("binary"),
    "icemelt_variant_typed_key": Primitive("binary"),
    "icemelt_variant_doubles": _BIGINT,
}
_STRING, _DOUBLE, _DATE = Primitive("string"), Primitive("double"), Primitive("date")
_NAMES = {
    exp.DType.TEXT: "string",
    exp.DType.VARCHAR: "string",
    exp.DType.BOOLEAN: "boolean",
    exp.DType.FLOAT: "float",
    exp.DType.DOUBLE: "double",
    exp.DType.DATE: "date",
    exp.DType.BINARY: "binary",
    exp.DType.TIMESTAMP: "timestamptz",
    exp.DType.TIMESTAMPLTZ: "timestamptz",
    exp.DType.TIMESTAMPNTZ: "timestamp",
}
_TEXTS = (exp.Upper, exp.Lower, exp.Trim, exp.Substring, exp.Concat, exp.ConcatWs, exp.DPipe)
_LIKE_THE_FIRST = (
    *(exp.Paren, exp.Nullif, exp.Filter, exp.Window, exp.IgnoreNulls),
    *(exp.RespectNulls, exp.AnyValue, exp.ArgMin, exp.ArgMax, exp.First, exp.Last),
    *(exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.Mode),
)
_FLOATING = {Primitive("float"), _DOUBLE}
_INTS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Year, exp.Month, exp.Day)


@dataclass(frozen=True, slots=True)
class Types:
    """Finds the types of expressions over the tables of one query.

    Attributes:
        tables: the types of the tables' columns, by slot and column name.
    """

    tables: Mapping[str, Mapping[str, DataType]]
    _cache: dict[tuple[int, int], tuple[Relation, Kind | None]] = field(default_factory=dict)

    def of(self, expression: Expression, relation: Relation) -> Exact | None:
        """Return the type of an expression over a relation if the type is exact, else None.

        >>> types = Types({"t": {"price": DecimalType(12, 2), "part": DecimalType(3, 2)}})
        >>> scan = Scan("t", ("price", "part"))
        >>> print(types.of(Expression((0, " * (1 - ", 1, ")")), scan))
        DECIMAL(17,4)
        """
        kind = self.kind(expression, relation)
        return kind if isinstance(kind, Exact) else None

    def kind(self, expression: Expression, relation: Relation) -> Kind | None:
        """Return the type of an expression over a relation, or None where the type is not known.

        >>> Types({"t": {"day": Primitive("date")}}).kind(Expression((0,)), Scan("t", ("day",)))
        Primitive(name='date', length=None)
        """
        if expression.as_column is not None and expression.as_column >= 0:
            return self._column_kind(relation, expression.as_column)
        try:
            tree = sqlglot.parse_one(expression.to_sql(_placeholder), read="spark")
            return _kind_of(tree, lambda number: self._column_kind(relation, number))
        except (SqlglotError, RecursionError):
            return None

    def is_whole(self, expression: Expression, relation: Relation) -> bool:
        """Tell whether an expression over a relation is known to be a whole number."""
        kind = self.of(expression, relation)
        return kind is not None and kind.whole

    def _column_kind(self, relation: Relation, number: int) -> Kind | None:
        key = (id(relation), number)
        if key not in self._cache:
            self._cache[key] = (relation, self._compute_kind(relation, number))
        return self._cache[key][1]

    def _compute_kind(self, relation: Relation, number: int) -> Kind | None:
        """Return the type of a relation's column, from the relation's inputs."""
        match relation:
            case Scan(source, columns) if number < len(columns):
                return kind_of_column(self.tables[source][columns[number]])
            case Values(rows):
                return _widest_kind([self.kind(row[number], relation) for row in rows])
            case UnionAll() | SetOperation():
                return _widest_kind([self._column_kind(child, number) for child in relation.inputs])
            case Join(left=left, right=right):
                start = left.width
                at_left = number < start
                return (
                    self._column_kind(left, number)
                    if at_left
                    else self._column_kind(right, number - start)
                )
        origin = relation.origins[number]
        return None if origin is None else self.kind(origin, *relation.inputs)


def _placeholder(number: int) -> str:
    return f"c{number}" if number >= 0 else "outer"


def kind_of_column(kind: DataType) -> Kind:
    """Return the type that Spark has for a table's column.

    >>> kind_of_column(DecimalType(12, 2))
    Exact(precision=12, scale=2, whole=False)
    """
    match kind:
        case DecimalType(precision, scale):
            return Exact(precision, scale)
        case Primitive("int"):
            return _INT
        case Primitive("long"):
            return _BIGINT
        case Primitive("uuid"):
            return _STRING
        case Primitive(name):
            return Primitive(name)
        case _:
            return kind


def _kind_of(tree: exp.Expr | None, column: _OfColumn) -> Kind | None:  # noqa: C901, PLR0911 - a table
    match tree:
        case exp.Column():
            name = _COLUMN.fullmatch(tree.name)
            return column(int(name[1])) if name and len(tree.parts) == 1 else None
        case exp.Literal():
            return _STRING if tree.is_string else _literal_kind(tree.name)
        case exp.Cast():
            return _cast_kind(tree.to)
        case exp.Anonymous() if tree.name.lower() in _OF_ICEMELT:
            return _OF_ICEMELT[tree.name.lower()] or _kind_of(tree.expressions[0], column)
        case exp.TsOrDsToDate():
            return _DATE
        case exp.Neg() | exp.Abs():
            kind = _kind_of(tree.this, column)
            return _DOUBLE if kind == _STRING else kind
        case exp.Avg():
            return _average_kind(_kind_of(tree.this, column))
        case _ if isinstance(tree, _TEXTS):
            return _text_kind([_kind_of(child, column) for child in tree.iter_expressions()])
        case _ if isinstance(tree, _INTS):
            return _INT
        case _ if isinstance(tree, _LIKE_THE_FIRST):
            return _kind_of(tree.this, column)
        case exp.Min() | exp.Max() if not tree.expressions:
            return _kind_of(tree.this, column)
        case exp.Count() | exp.CountIf():
            return _BIGINT
        case exp.Sum():
            summed = _kind_of(tree.this, column)
            if isinstance(summed, Exact):
                return summed.total
            return _DOUBLE if summed in _FLOATING else None
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div() | exp.Mod():
            return _arithmetic_kind(tree, column)
        case exp.If() | exp.Case() | exp.Coalesce():
            values = [branch for branch in _branches_of(tree) if not isinstance(branch, exp.Null)]
            return _widest_kind([_kind_of(value, column) for value in values])
        case _:
            return None


def _text_kind(parts: list[Kind | None]) -> Kind | None:
    """Return the type of a function of texts, such as CONCAT, by the types of its arguments.

    The type is not known where an argument is bytes or an array: CONCAT then returns bytes or an
    array.
    """
    return _STRING if set(parts) <= {_STRING, _INT} else None


def _average_kind(kind: Kind | None) -> Kind | None:
    if isinstance(kind, Exact) and not kind.whole:
        is_short = kind.precision <= _MAX_DIGITS - 4
        return Exact(kind.precision + 4, kind.scale + 4) if is_short else None
    return _DOUBLE if isinstance(kind, Exact) or kind in _FLOATING else None


def _branches_of(tree: exp.If | exp.Case | exp.Coalesce) -> list[exp.Expr]:
    match tree:
        case exp.Coalesce():
            branches = [tree.this, *tree.expressions]
        case exp.If():
            branches = [tree.args.get("true"), tree.args.get("false")]
        case _:
            branches = [
                *(branch.args.get("true") for branch in tree.args["ifs"]),
                tree.args.get("default"),
            ]
    return [branch for branch in branches if branch is not None]


def _literal_kind(written: str) -> Exact | None:
    try:
        _, digits, exponent = Decimal(written).as_tuple()
    except InvalidOperation:
        return None
    if "e" in written.lower() or not isinstance(exponent, int):
        return None
    if "." not in written:
        number = int(written)
        return _INT if number < 1 << 31 else _BIGINT if number < 1 << 63 else None
    return Exact(max(len(digits), -exponent), -exponent)


def _cast_kind(target: exp.DataType) -> Kind | None:
    if target.this in _WHOLE:
        return _WHOLE[target.this]
    if target.this is not exp.DType.DECIMAL:
        name = _NAMES.get(target.this)
        return None if name is None else Primitive(name)
    sizes = [int(size.name) for size in target.expressions]
    precision, scale = (*sizes, *(10, 0)[len(sizes) :])
    return Exact(precision, scale)


def _arithmetic_kind(tree: exp.Binary, column: _OfColumn) -> Kind | None:
    """Return the exact type of an arithmetic result by the rules of Spark, or None."""
    left, right = _kind_of(tree.left, column), _kind_of(tree.right, column)
    if not isinstance(left, Exact) or not isinstance(right, Exact):
        return None
    if left.whole and right.whole:
        # a quotient of whole numbers is a double
        return None if isinstance(tree, exp.Div) else _wider_kind(left, right)
    left, right = _operand_kind(tree.left, left), _operand_kind(tree.right, right)
    if left is None or right is None:
        return None
    before = max(left.precision - left.scale, right.precision - right.scale)
    scale = max(left.scale, right.scale)
    match tree:
        case exp.Mul():
            return _fit_to_limit(left.precision + right.precision + 1, left.scale + right.scale)
        case exp.Div():
            scale = max(_MIN_SCALE, left.scale + right.precision + 1)
            return _fit_to_limit(left.precision - left.scale + right.scale + scale, scale)
        case exp.Mod():
            before = min(left.precision - left.scale, right.precision - right.scale)
            return _fit_to_limit(before + scale, scale)
        case _:
            return _fit_to_limit(before + scale + 1, scale)


def _operand_kind(tree: exp.Expr, kind: Exact) -> Exact | None:
    """Return the digits of an operand of decimal arithmetic.

    A whole number that is written out has as many digits as the text shows.
    """
    plain = tree.unnest()
    if isinstance(plain, exp.Neg) and isinstance(plain.this, exp.Literal):
        plain = plain.this
    if isinstance(plain, exp.Cast) and isinstance(plain.this, exp.Literal):
        # the text may be Spark's for 1L
        return None
    if kind.whole and isinstance(plain, exp.Literal):
        return Exact(len(str(int(plain.name))), 0)
    return kind


def _fit_to_limit(precision: int, scale: int) -> Exact:
    """Return the type of a result, cut to 38 digits as Spark cuts it.

    Digits after the decimal point go first, down to six.
    """
    if precision <= _MAX_DIGITS:
        return Exact(precision, scale)
    before = precision - scale
    return Exact(_MAX_DIGITS, max(_MAX_DIGITS - before, min(scale, _MIN_SCALE)))


def _widest_kind(kinds: Iterable[Kind | None]) -> Kind | None:
    widest: Kind | None = None
    for number, kind in enumerate(kinds):
        if kind is None or (number and widest is None):
            return None
        widest = kind if widest is None else _wider_kind(widest, kind)
    return widest


def _wider_kind(left: Kind, right: Kind) -> Kind | None:
    """Return the type that holds the values of both types, or None where none is known."""
    if not isinstance(left, Exact) or not isinstance(right, Exact):
        return left if left == right else None
    if left.whole and right.whole:
        return max(left, right, key=lambda each: each.precision)
    scale = max(left.scale, right.scale)
    precision = max(left.precision - left.scale, right.precision - right.scale) + scale
    return Exact(precision, scale) if precision <= _MAX_DIGITS else None
