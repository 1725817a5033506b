"""Conditions of a MERGE: the conjuncts, and the conjuncts over the source alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.trees import replace_node
from icemelt.sql.analysis.volatile import is_volatile
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = [
    "describe_absence",
    "find_compared_columns",
    "is_of_source",
    "join_by_or",
    "split_conjuncts",
    "with_absent_row",
]


def find_compared_columns(on: exp.Expr, source: str) -> list[exp.Column]:
    """Return the source's columns that ON compares for equality."""
    columns = []
    for conjunct in split_conjuncts(on):
        test = conjunct.this
        if isinstance(test, exp.EQ | exp.NullSafeEQ):
            sides = (test.left, test.right)
            columns += [
                side
                for side in sides
                if isinstance(side, exp.Column) and is_of_source(side, source, unqualified=False)
            ]
    return columns


def split_conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """Return the conditions connected by AND, in parentheses.

    >>> import sqlglot
    >>> [test.sql() for test in split_conjuncts(sqlglot.parse_one("a = 1 AND (b = 2 AND c = 3)"))]
    ['(a = 1)', '(b = 2)', '(c = 3)']
    """
    if isinstance(node, exp.Paren):
        return split_conjuncts(node.this)
    if isinstance(node, exp.And):
        return split_conjuncts(node.left) + split_conjuncts(node.right)
    return [exp.Paren(this=node.copy())]


def is_of_source(node: exp.Expr, source: str, *, unqualified: bool) -> bool:
    """Tell whether a condition reads the source alone, and gives the same answer at every run.

    Args:
        node: a condition of ON or WHEN.
        source: the alias of the source.
        unqualified: whether a column without a table name is a column of the source.
    """
    for part in node.walk():
        if is_volatile(part):
            return False
        if not isinstance(part, exp.Column):
            continue
        if not part.table and not unqualified:
            return False
        if part.table and fold(fold_identifier(part.args["table"])) != fold(source):
            return False
    return True


def join_by_or(tests: list[exp.Expr]) -> exp.Expr:
    """Return the disjunction of conditions."""
    wrapped: list[exp.Expr] = [exp.Paren(this=test.copy()) for test in tests]
    return reduce(lambda left, right: exp.Or(this=left, expression=right), wrapped)


def with_absent_row(value: exp.Expr, target: str, absent: list[str]) -> exp.Expr:
    """Return a value for WHEN NOT MATCHED: columns of the target become NULL.

    Args:
        value: an expression of INSERT … VALUES; the function changes the tree in place.
        target: the alias of the target.
        absent: gains the names of the replaced columns, for a notice to the user.
    """
    around = exp.Paren(this=value)
    for column in list(around.find_all(exp.Column)):
        if column.table and fold(fold_identifier(column.args["table"])) == fold(target):
            absent.append(fold_identifier(column.this))
            replace_node(exp.Null(), column)
    inner: exp.Expr = around.this
    return inner


def describe_absence(absent: Sequence[str], target: str, source: str) -> str:
    """Return a notice about columns read from a target row that does not exist; empty for none.

    Args:
        absent: names of the columns, possibly repeated.
        target: the alias of the target.
        source: the alias of the source.

    >>> describe_absence(["id"], "t", "s")
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
