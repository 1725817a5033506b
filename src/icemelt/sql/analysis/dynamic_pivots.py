"""PIVOT over ANY and over the rows of a query: a query gives the values before the statement runs.

    SELECT * FROM sales PIVOT (SUM(v) FOR k IN (ANY ORDER BY k))

asks for the rows of

    SELECT k FROM sales GROUP BY k ORDER BY k LIMIT 1001

and becomes, for the values 'a' and 'b',

    SELECT * FROM sales PIVOT (SUM(v) FOR k IN ('a' AS "'a'", 'b' AS "'b'"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

from icemelt.errors import NotYet, QueryError
from icemelt.names import fold
from icemelt.schema import DataType, DecimalType, Primitive, sql_type
from icemelt.sql.analysis.trees import copy_expression
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["MOST_PIVOT_VALUES", "FindValues", "FoundValues", "write_out_pivots"]

# a pivoted value is a column for each aggregate
MOST_PIVOT_VALUES = 1_000


class FoundValues(dict[str, DataType]):
    """The values in the rows of a query: the type of each by its text.

    Attributes:
        texts: the values as texts, in order; None is NULL.
        kind: the type of all of them.
    """

    def __init__(self, texts: Iterable[str | None], kind: DataType) -> None:
        self.texts = tuple(dict.fromkeys(texts))
        self.kind = kind
        super().__init__({text: kind for text in self.texts if text is not None})


# returns the values in the rows of a query, None where they are not known yet
FindValues = Callable[[exp.Expr], FoundValues | None]


def write_out_pivots(node: exp.Expr, find_values: FindValues) -> None:
    """Write the values into each PIVOT of a query that has ANY or a query in their place.

    Args:
        node: the query, or an entry of FROM.
        find_values: returns the values of the rows of a query.

    Raises:
        QueryError: there are too many values, or the query is ordered and may give one twice.
        NotYet: values have a type that PIVOT does not take, or the PIVOT is in LATERAL.

    >>> from sqlglot import parse_one
    >>> from icemelt.schema import Primitive
    >>> query = parse_one("SELECT * FROM t PIVOT (SUM(v) FOR k IN (ANY))", read="snowflake")
    >>> def find_values(query):
    ...     print(query.sql("snowflake"))
    ...     return FoundValues(["a", None], Primitive("string"))
    >>> write_out_pivots(query, find_values)
    SELECT k FROM t GROUP BY k ORDER BY k LIMIT 1001
    >>> print(query.sql("snowflake"))
    SELECT * FROM t PIVOT(SUM(v) FOR k IN ('a' AS "'a'", NULL AS "NULL"))
    """
    for source, pivot in list(_dynamic_pivots(node)):
        field = pivot.args["fields"][0]
        found = find_values(_values_query(source, pivot))
        if found is None or not found.texts:
            # no column is made, as there are no values, or they are not known and need not be
            field.set("expressions", [exp.Null()])
            pivot.set("columns", [])
            continue
        if len(found.texts) > MOST_PIVOT_VALUES:
            raise QueryError(
                f"PIVOT finds more than {MOST_PIVOT_VALUES:,} values, and makes a column of each.",
                hint="Choose some: PIVOT (SUM(v) FOR k IN (SELECT DISTINCT k FROM t WHERE …)).",
            )
        titles = [_title(text, found.kind) for text in found.texts]
        literals = [_literal(text, found.kind) for text in found.texts]
        aliases = [exp.to_identifier(title, quoted=True) for title in titles]
        pairs = zip(literals, aliases, strict=True)
        field.set("expressions", [exp.PivotAlias(this=value, alias=name) for value, name in pairs])
        pivot.set("columns", _titles(pivot, titles))


def _dynamic_pivots(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Pivot]]:
    """Yield the PIVOTs with ANY or a query, each after those that its rows may come from."""
    pending = [node]
    while pending:
        found = pending.pop()
        if isinstance(found, exp.Pivot):
            fields: list[exp.Expr] = found.args.get("fields") or []
            if len(fields) == 1 and not found.args.get("unpivot") and _is_dynamic(fields[0]):
                assert found.parent is not None  # noqa: S101 - an entry of FROM has it
                yield found.parent, found
        parts = sorted(found.iter_expressions(), key=_reading_order)
        pending.extend(reversed(parts))


def _reading_order(part: exp.Expr) -> int:
    """Return when a part is read: the queries of WITH first, a PIVOT after the rows it is of."""
    if part.arg_key == "with_":
        return 0
    return 2 if part.arg_key == "pivots" else 1


def _is_dynamic(field: exp.Expr) -> bool:
    return any(isinstance(each, (exp.Query, exp.PivotAny)) for each in field.expressions)


def _values_query(source: exp.Expr, pivot: exp.Pivot) -> exp.Expr:
    """Return the query whose rows are the values of a PIVOT, with the queries of WITH around it.

    Raises:
        QueryError: the query in the PIVOT is ordered, and may give a value twice.
        NotYet: the PIVOT is in LATERAL, or queries of WITH within each other have one name.
    """
    field = pivot.args["fields"][0]
    given = field.expressions[0]
    if isinstance(given, exp.PivotAny):
        query = _distinct_values(field.this, _rows_before(source, pivot), given.this)
    elif given.args.get("order") is None:
        alias = exp.TableAlias(
            this=exp.to_identifier("pivoted"), columns=[exp.to_identifier("value")]
        )
        rows = exp.Subquery(this=copy_expression(given), alias=alias)
        query = _distinct_values(exp.column("value"), rows, None)
    elif isinstance(given, exp.Select) and given.args.get("distinct") is None:
        hint = "PIVOT (SUM(v) FOR k IN (SELECT DISTINCT k FROM t ORDER BY k))"
        raise QueryError("A query with ORDER BY in a PIVOT needs DISTINCT.", hint=hint)
    else:
        query = copy_expression(given)
    if query.args.get("limit") is None:
        limit = exp.Literal.number(MOST_PIVOT_VALUES + 1)
        query.set("limit", exp.Limit(expression=limit))
    _add_queries_of_with(query, source)
    return query


def _distinct_values(value: exp.Expr, rows: exp.Expr, order: exp.Expr | None) -> exp.Expr:
    """Return the query of the values that a column has in some rows, in their own order by default.

    Args:
        value: the column.
        rows: the rows, as an entry of FROM.
        order: the ORDER BY behind ANY.
    """
    if order is None:
        order = exp.Order(expressions=[exp.Ordered(this=copy_expression(value), nulls_first=False)])
    return exp.Select(
        expressions=[copy_expression(value)],
        from_=exp.From(this=rows),
        group=exp.Group(expressions=[copy_expression(value)]),
        order=copy_expression(order),
    )


def _rows_before(source: exp.Expr, pivot: exp.Pivot) -> exp.Expr:
    """Return a copy of an entry of FROM as it is before one of its PIVOTs."""
    rows = copy_expression(source)
    before = next(at for at, each in enumerate(source.args["pivots"]) if each is pivot)
    rows.set("pivots", rows.args["pivots"][:before])
    rows.set("joins", None)
    return rows


def _add_queries_of_with(query: exp.Expr, source: exp.Expr) -> None:
    """Give a query the queries of WITH that can be named where an entry of FROM stands."""
    clause = query.args.get("with_")
    found = list(clause.expressions) if clause is not None else []
    is_recursive = clause is not None and bool(clause.args.get("recursive"))
    child, around = source, source.parent
    while around is not None:
        if isinstance(around, exp.Lateral):
            hint = "List the values: PIVOT (SUM(v) FOR k IN ('a', 'b'))."
            raise NotYet("LATERAL has no PIVOT over ANY or the rows of a query.", hint=hint)
        outer = around.args.get("with_")
        if outer is not None and outer is not child:
            found = [copy_expression(each) for each in outer.expressions] + found
        if isinstance(around, exp.With):
            at = next(at for at, each in enumerate(around.expressions) if each is child)
            found = [copy_expression(each) for each in around.expressions[:at]] + found
            is_recursive = is_recursive or bool(around.args.get("recursive"))
        child, around = around, around.parent
    names = [fold(fold_identifier(each.args["alias"].this)) for each in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NotYet(
            f"Two queries of WITH around a PIVOT over ANY or the rows of a query are {twice!r}.",
            hint="Give one of them another name.",
        )
    if found:
        query.set("with_", exp.With(expressions=found, recursive=is_recursive))


def _literal(text: str | None, kind: DataType) -> exp.Expr:
    """Return a value as it may be listed in a PIVOT."""
    if text is None:
        return exp.Null()
    match kind:
        case Primitive("string"):
            return exp.Literal.string(text)
        case Primitive("int" | "long"):
            return exp.Literal.number(text)
        case Primitive("boolean"):
            return exp.Boolean(this=text == "true")
        case _:
            return exp.cast(exp.Literal.string(text), sql_type(kind), dialect="snowflake")


def _title(text: str | None, kind: DataType) -> str:
    """Return the name of a value's column: the value as it would be listed."""
    if text is None:
        return "NULL"
    match kind:
        case Primitive("int" | "long") | DecimalType():
            return text
        case Primitive("boolean"):
            return text.upper()
        case _:
            return f"'{text}'"


def _titles(pivot: exp.Expr, values: list[str]) -> list[exp.Expr]:
    """Return the names of a PIVOT's columns: those of the values, with the aggregates' aliases."""
    names = [each.alias for each in pivot.expressions if each.alias]
    titles = [f"{value}_{name}" for value in values for name in names] if names else values
    return [exp.to_identifier(title, quoted=True) for title in titles]
