"""What has a new value at each computation: functions, and the next values of sequences."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import ClassVar

from sqlglot import exp

__all__ = ["SEQUENCES", "VOLATILE", "NextValueSlot", "is_volatile"]


class NextValueSlot(exp.Expression):
    """The slot of a `sequence.NEXTVAL`; `single` says that it is computed once, as a constant."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "single": False}


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
    if isinstance(node, NextValueSlot):
        return not node.args.get("single")
    return isinstance(node, exp.Anonymous) and node.name.upper() in names
