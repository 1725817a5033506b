"""A query that tells which record a failed cast is about.

`SELECT VALUE:c1::VARCHAR(1) FROM records` fails as a whole where a text is longer, and Spark does
not tell for which record. Its probe gives the text of each record that cannot be cast, else NULL:

    SELECT CASE WHEN VALUE:c1 IS NOT NULL AND TRY_CAST(VALUE:c1 AS VARCHAR(1)) IS NULL
      THEN CAST(VALUE:c1 AS VARCHAR) END AS icemelt_cast_0 FROM records
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["CAST_PREFIX", "probe_casts"]

# how the columns of a probe are named, before their numbers
CAST_PREFIX = "icemelt_cast_"


def probe_casts(select: exp.Select, kept: int) -> exp.Select | None:
    """Return the probe of a query whose names are not resolved, None for a query without casts.

    Casts in subqueries and lambda functions are left out.

    Args:
        select: the query.
        kept: how many columns at the end of the query the probe has at its end, too.
    """
    probe = select.copy()
    expressions = probe.expressions
    values = expressions[: len(expressions) - kept]
    casts = [
        cast
        for value in values
        for cast in value.find_all(exp.Cast)
        if not isinstance(cast, exp.TryCast)
        and cast.find_ancestor(exp.Lambda, exp.Query) in {None, probe}
    ]
    if not casts:
        return None
    failing = [
        exp.Alias(this=_failing_text(cast), alias=exp.to_identifier(f"{CAST_PREFIX}{number}"))
        for number, cast in enumerate(casts)
    ]
    probe.set("expressions", [*failing, *expressions[len(values) :]])
    return probe


def _failing_text(cast: exp.Cast) -> exp.Expr:
    """Return the text that a cast fails for, NULL where it does not fail."""
    operand = _without_errors(cast.this.copy())
    tried = exp.TryCast(this=operand.copy(), to=cast.to.copy())
    given = exp.Not(this=exp.Is(this=exp.Paren(this=operand.copy()), expression=exp.Null()))
    lost = exp.Is(this=tried, expression=exp.Null())
    text = exp.TryCast(this=operand, to=exp.DataType(this=exp.DType.VARCHAR, expressions=[]))
    return exp.Case(ifs=[exp.If(this=exp.And(this=given, expression=lost), true=text)])


def _without_errors(node: exp.Expr) -> exp.Expr:
    """Return an expression with TRY_CAST for each CAST, in place."""

    def tried(each: exp.Expr) -> exp.Expr:
        if isinstance(each, exp.Cast) and not isinstance(each, exp.TryCast):
            return exp.TryCast(this=each.this, to=each.to)
        return each

    return node.transform(tried, copy=False)
