"""Give joins and pivots Snowflake's meaning where Spark has another meaning."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.names import fold
from icemelt.schema import Primitive
from icemelt.sql.analysis.scopes import RelationColumns
from icemelt.sql.analysis.table_functions import Flatten, SplitRows
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["quote_aliases", "refuse_variants", "settle_lateral", "validate_join"]

_OUTER = ("LEFT", "RIGHT", "FULL")
_ONE_SIDED = ("SEMI", "ANTI")


def validate_join(join: exp.Join) -> None:
    """Refuse ASOF JOIN, and an outer join without a condition.

    Raises:
        NotYet: the join is an ASOF JOIN.
        SqlSyntaxError: the condition is missing.
    """
    method, side = join.args.get("method"), join.text("side").upper()
    if method == "ASOF":
        hint = "Join on a range and keep the nearest row with QUALIFY."
        raise NotYet("ASOF JOIN is not supported.", hint=hint)
    is_outer = side in _OUTER and join.text("kind").upper() not in _ONE_SIDED
    has_condition = method == "NATURAL" or join.args.get("on") or join.args.get("using")
    if is_outer and not has_condition and not _is_lateral(join.this):
        raise SqlSyntaxError(
            f"A {side} JOIN needs a condition.",
            hint="Write ON a.id = b.id or USING (id); CROSS JOIN joins each row with each.",
        )


def refuse_variants(
    join: exp.Join, left: Sequence[RelationColumns], right: RelationColumns
) -> None:
    """Refuse USING and NATURAL JOIN of a VARIANT, which Spark does not compare there.

    Args:
        join: the join.
        left: the columns of the entries of FROM before the join.
        right: the columns of the joined entry.

    Raises:
        NotYet: a column of both sides is a VARIANT.
    """
    names = {fold(fold_identifier(each)) for each in join.args.get("using") or ()}
    own = right.named or {}
    if join.args.get("method") == "NATURAL":
        names = {fold(name) for side in left for name in side.named or ()} & set(map(fold, own))
    for side in (*left, right):
        for name, kind in (side.named or {}).items():
            if fold(name) in names and kind == Primitive("variant"):
                raise NotYet(
                    f"Column {name!r} is a VARIANT, which USING and NATURAL JOIN do not compare.",
                    hint=f"Write ON a.{name} = b.{name}.",
                )


def settle_lateral(join: exp.Join) -> None:
    """Give `LEFT JOIN LATERAL …` without a condition a form with all rows of the left side.

    `LEFT JOIN LATERAL FLATTEN(…)` becomes a FLATTEN that adds the row itself.
    """
    condition = join.args.get("on")
    if join.text("side").upper() != "LEFT" or condition not in (None, exp.true()):
        return
    if isinstance(join.this, (Flatten, SplitRows)):
        join.this.args["left"] = True
        join.set("side", None)
        join.set("kind", "CROSS")
        join.set("on", None)
    elif isinstance(join.this, exp.Lateral):
        join.set("on", exp.true())


def quote_aliases(pivot: exp.Pivot) -> None:
    """Read `'January'` behind AS in PIVOT and UNPIVOT as a quoted name, in its own case."""
    for item in pivot.find_all(exp.PivotAlias):
        alias = item.args["alias"]
        if isinstance(alias, exp.Literal):
            item.set("alias", exp.to_identifier(alias.name, quoted=True))


def _is_lateral(node: exp.Expr) -> bool:
    """Tell whether an entry of FROM is computed for every row on the left."""
    return isinstance(node, exp.Lateral) or isinstance(node.this, exp.Func)
