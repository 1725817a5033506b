"""The conditions of a MERGE: their parts, and what they ask of the source alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.trees import replace_node
from icemelt.sql.analysis.volatile import is_volatile
from icemelt.sql.dialect.parser import folded

__all__ = [
    "absence",
    "any_of",
    "compared_of_source",
    "conjuncts",
    "is_of_source",
    "without_row",
]


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
        if is_volatile(part):
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


def without_row(value: exp.Expr, target: str, absent: list[str]) -> exp.Expr:
    """Return a value where the target has no row: its columns are NULL, and added to `absent`."""
    around = exp.Paren(this=value)
    for column in list(around.find_all(exp.Column)):
        if column.table and fold(folded(column.args["table"])) == fold(target):
            absent.append(folded(column.this))
            replace_node(exp.Null(), column)
    inner: exp.Expr = around.this
    return inner


def absence(absent: Sequence[str], target: str, source: str) -> str:
    """Return what to say of columns that are NULL because the target has no row.

    >>> absence(["id"], "t", "s")
    't.id is NULL in WHEN NOT MATCHED: t has no row there. Did you mean s.id?'
    """
    names = list(dict.fromkeys(absent))
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    nulls, meant = (", ".join(f"{side}.{name}" for name in names) for side in (target, source))
    return (
        f"{nulls} {verb} NULL in WHEN NOT MATCHED: {target} has no row there. Did you mean {meant}?"
    )
