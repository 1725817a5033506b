"""The conditions of a MERGE: their parts, and what they ask of the source alone."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.dialect import folded
from icemelt.sql.points import VOLATILE

__all__ = ["any_of", "compared_of_source", "conjuncts", "is_of_source"]


def compared_of_source(on: exp.Expr, source: str) -> list[exp.Column]:
    """Return the source's columns that ON compares for equality."""
    found = []
    for conjunct in conjuncts(on):
        test = conjunct.this
        if isinstance(test, exp.EQ | exp.NullSafeEQ):
            sides = (test.left, test.right)
            found += [
                side
                for side in sides
                if isinstance(side, exp.Column) and is_of_source(side, source, unqualified=False)
            ]
    return found


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that AND connects, each in parentheses."""
    if isinstance(node, exp.Paren):
        return conjuncts(node.this)
    if isinstance(node, exp.And):
        return conjuncts(node.left) + conjuncts(node.right)
    return [exp.Paren(this=node.copy())]


def is_of_source(node: exp.Expr, source: str, *, unqualified: bool) -> bool:
    """Tell whether a condition asks of the source alone, and always gives the same answer.

    `unqualified` says that a column without a table is the source's.
    """
    for part in node.walk():
        if isinstance(part, exp.Anonymous) and part.name.upper() in VOLATILE:
            return False
        if not isinstance(part, exp.Column):
            continue
        if not part.table and not unqualified:
            return False
        if part.table and fold(folded(part.args["table"])) != fold(source):
            return False
    return True


def any_of(tests: list[exp.Expr]) -> exp.Expr:
    """Return the disjunction of conditions."""
    wrapped: list[exp.Expr] = [exp.Paren(this=test.copy()) for test in tests]
    return reduce(lambda left, right: exp.Or(this=left, expression=right), wrapped)
