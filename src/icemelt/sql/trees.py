"""Changing a tree in place."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["put"]


def put(new: exp.Expr, old: exp.Expr) -> None:
    """Put an expression where another one is; nothing happens at the root of a tree.

    `Expr.replace` reads all of a list to change one item of it: a SELECT of a hundred thousand
    columns would take minutes.

    >>> tree = exp.select("a", "b")
    >>> put(exp.column("c"), tree.expressions[1])
    >>> tree.sql()
    'SELECT a, c'
    """
    parent, key, index = old.parent, old.arg_key, old.index
    if parent is None or key is None:
        return
    if index is None:
        parent.set(key, new)
    else:
        parent.args[key][index] = new
        _forget_hashes(parent)
        new.parent, new.arg_key, new.index = parent, key, index
    old.parent = old.arg_key = old.index = None


def _forget_hashes(node: exp.Expr) -> None:
    """Have hashes made anew where they are kept: by them trees are compared."""
    around: exp.Expr | None = node
    while around is not None and around._hash is not None:
        around._hash = None
        around = around.parent
