"""Functions with a new value at each computation."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from sqlglot import exp

__all__ = ["SEQUENCES", "VOLATILE", "is_volatile"]

SEQUENCES = frozenset({"SEQ1", "SEQ2", "SEQ4", "SEQ8"})
VOLATILE = SEQUENCES | {
    *("RANDOM", "RAND", "UUID_STRING", "UUID", "UNIFORM", "NORMAL", "RANDSTR", "ZIPF"),
    # Spark's own
    *("AES_ENCRYPT", "MONOTONICALLY_INCREASING_ID", "RANDN", "SHUFFLE"),
}


def is_volatile(node: exp.Expr, names: AbstractSet[str] = VOLATILE) -> bool:
    """Tell whether a node is a call of a volatile function, by default one of VOLATILE.

    >>> is_volatile(exp.Anonymous(this="uuid")), is_volatile(exp.Anonymous(this="abs"))
    (True, False)
    """
    return isinstance(node, exp.Anonymous) and node.name.upper() in names
