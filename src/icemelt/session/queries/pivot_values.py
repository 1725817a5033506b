"""The values of a PIVOT over ANY or the rows of a query, which are read before the statement."""

from __future__ import annotations

from icemelt.engine.spark_types import type_of
from icemelt.errors import NotYet, QueryError
from icemelt.schema import DataType, DecimalType, Primitive, sql_type
from icemelt.session.queries.binding import bind_query, frame
from icemelt.session.runtime.collecting import collect
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.lookup import Lookup
from icemelt.session.runtime.python_rows import to_python_rows
from icemelt.session.timeline.context import in_context
from icemelt.sql.analysis.dynamic_pivots import FoundValues
from icemelt.sql.statements import PivotValues, Select

__all__ = ["find_pivot_values"]

_MOST_BYTES = 16 << 20
# without FLOAT: Spark's PIVOT finds no rows of NaN
_LISTED = frozenset({"boolean", "date", "int", "long", "string", "timestamp", "timestamptz"})


def find_pivot_values(
    core: Core, lookup: Lookup, wanted: PivotValues, now: int
) -> FoundValues | None:
    """Return the values in the rows of a query, as of the moment of the statement's analysis.

    Args:
        core: the session's parts.
        lookup: the objects of the statement's names; it notes those that are read.
        wanted: the query.
        now: the time of the statement, in milliseconds since 1970.

    Raises:
        QueryError: the query has several columns.
        NotYet: the values have a type that has no text, as VARIANT.
    """
    asked = in_context(core, Select(wanted.query), now)
    assert isinstance(asked, Select)  # noqa: S101 - a context changes no statement's kind
    with core.statement(lookup=lookup) as own:
        bound = bind_query(own, asked.query)
        try:
            rows = frame(own, bound)
            [field, *others] = rows.schema.fields
            if others:
                hint = "PIVOT (SUM(v) FOR k IN (SELECT DISTINCT k FROM t))"
                raise QueryError("A query in a PIVOT gives one column.", hint=hint)
            kind = _listed_type(type_of(field.dataType))
            texts = rows.toDF("value").selectExpr("CAST(value AS STRING)")
            lookup.read.update(bound.state.objects)
            values = to_python_rows(collect(texts, _MOST_BYTES))
        finally:
            bound.resources.release()
    return FoundValues([text for (text,) in values], kind)


def _listed_type(kind: DataType | None) -> DataType:
    """Return the type in which values are listed, of the type of a column.

    >>> _listed_type(Primitive("unknown"))
    Primitive(name='string', length=None)
    """
    if isinstance(kind, Primitive) and kind.name == "unknown":
        return Primitive("string")
    if isinstance(kind, DecimalType) or (isinstance(kind, Primitive) and kind.name in _LISTED):
        return kind
    found = "this type" if kind is None else sql_type(kind)
    raise NotYet(
        f"PIVOT over ANY or the rows of a query takes no values of {found}.",
        hint="Pivot a column that is a text: FROM (SELECT k::VARCHAR AS k, v FROM t) PIVOT (…).",
    )
