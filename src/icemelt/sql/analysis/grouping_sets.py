"""Grouping sets: write the sets in the same form, and limit their number."""

from __future__ import annotations

import math

from sqlglot import exp

from icemelt.errors import NotYet

__all__ = ["settle_grouping_sets"]

# the limit of sets, each of which repeats all rows; Snowflake allows 128
_MAX_SETS = 512
# counts of up to so many bits are shown in full, larger ones as 2 ** n
_MAX_BITS_SHOWN = 64
_KINDS_BY_WORD = {"cube": exp.Cube, "rollup": exp.Rollup}


def settle_grouping_sets(group: exp.Group) -> None:
    """Write `GROUP BY a, b WITH CUBE` as CUBE (a, b), and limit the number of grouping sets.

    Raises:
        NotYet: the GROUP BY has too many sets; a CUBE has twice as many with each more key.

    >>> from sqlglot import parse_one
    >>> group = parse_one("SELECT 1 GROUP BY a, b WITH CUBE").args["group"]
    >>> settle_grouping_sets(group)
    >>> group.sql().strip()
    'GROUP BY CUBE (a, b)'
    """
    if group.args.get("totals"):
        raise NotYet("WITH TOTALS is not supported.", hint="Write GROUP BY ROLLUP (a, b).")
    for word, kind in _KINDS_BY_WORD.items():
        if group.args.get(word):
            group.set("expressions", [kind(expressions=group.expressions)])
            group.set(word, None)
    count = math.prod(map(_count_sets, group.expressions))
    if count > _MAX_SETS:
        shown_count = (
            f"{count:,}"
            if count.bit_length() <= _MAX_BITS_SHOWN
            else f"2 ** {count.bit_length() - 1}"
        )
        raise NotYet(
            f"GROUP BY stands for {shown_count} sets of keys; {_MAX_SETS} are as many as may be.",
            hint="List those that are needed: GROUP BY GROUPING SETS ((a, b), (a), ()).",
        )


def _count_sets(element: exp.Expr) -> int:
    match element:
        case exp.Cube():
            return 1 << len(element.expressions)
        case exp.Rollup():
            return len(element.expressions) + 1
        case exp.GroupingSets():
            return sum(map(_count_sets, element.expressions))
        case _:
            return 1
