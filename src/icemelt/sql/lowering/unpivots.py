"""Lower UNPIVOT: a row becomes a row for every listed column, with the column's name and value.

A function makes these rows out of a single row, so the changes are computed row by row:

    id  jan  feb        id  month  amount
    1   2    3    ->    1   jan    2
                        1   feb    3
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from icemelt.algebra.expressions import Expression, column
from icemelt.algebra.nodes import Filter, Generate, Project, Relation
from icemelt.quoting import text_literal
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.lowering.context import Context, NamedRelation, number_of
from icemelt.sql.lowering.exact import Exact
from icemelt.sql.lowering.expressions import settle
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import unsupported_error

__all__ = ["lower_unpivot", "unpivot_function"]


def lower_unpivot(
    query: NamedRelation, pivot: exp.Pivot, names: SelectNames, context: Context
) -> NamedRelation:
    """Return the rows of an UNPIVOT: columns that stay, a listed column's name, and its value.

    A row whose value is NULL is left out, except with INCLUDE NULLS. The position of the listed
    column distinguishes the rows that one row becomes.

    Args:
        query: the rows to unpivot.
        pivot: the UNPIVOT.
        names: the names of the columns of the rows.
        context: the context of the statement.

    Raises:
        UnsupportedError: the UNPIVOT has more than one column of values.
    """
    field, (value,) = pivot.args["fields"][0], pivot.expressions
    if not isinstance(value, exp.Identifier):
        raise unsupported_error("unpivot")
    titles, numbers = [], []
    for item in field.expressions:
        listed = item.this if isinstance(item, exp.PivotAlias) else item
        number = number_of(settle(listed, names, context))
        if number is None:
            raise unsupported_error("unpivot")
        numbers.append(number)
        named = item.args["alias"] if isinstance(item, exp.PivotAlias) else listed.this
        titles.append(fold_identifier(named))
    start = len(query.names)
    relation: Relation = Generate(query.relation, unpivot_function(numbers), 2)
    if not pivot.args.get("include_nulls"):
        relation = Filter(relation, Expression((start + 1, " IS NOT NULL")))
    unlisted = [at for at in range(start) if at not in numbers]
    title = Expression((f"array({', '.join(map(text_literal, titles))})[", start, "]"))
    values = (
        *map(column, unlisted),
        title,
        _cast_values(start + 1, query.relation, numbers, context),
    )
    unlisted_names = tuple(query.names[at] for at in unlisted)
    return NamedRelation(
        Project(relation, values),
        (*unlisted_names, fold_identifier(field.this), fold_identifier(value)),
    )


def unpivot_function(numbers: Sequence[int]) -> Expression:
    """Return the function that makes rows of listed columns: a column's position and value.

    >>> str(unpivot_function([2, 0]))
    'SELECT posexplode(array(#2, #0))'
    """
    parts: list[str | int] = []
    for number in numbers:
        parts += [", ", number] if parts else [number]
    return Expression(("SELECT posexplode(array(", *parts, "))"))


def _cast_values(
    value: int, relation: Relation, numbers: Sequence[int], context: Context
) -> Expression:
    """Return the column of values, with its type written out where the type is known to be exact.

    Changes of sums over an exact column are computed from the changes of the rows alone.
    """
    kinds = {context.types.kind(column(number), relation) for number in numbers}
    kind = kinds.pop()
    if kinds or not isinstance(kind, Exact):
        return column(value)
    return Expression(("CAST(", value, f" AS {kind})"))
