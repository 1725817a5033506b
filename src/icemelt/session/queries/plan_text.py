"""Spark's plan of a query in few words: a line for each operator, tables by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["shorten_plan"]

_LONGEST = 110
# the number that tells columns of one name apart, and the plan's number of an exchange
_NUMBERS = re.compile(r"#\d+L?|, \[plan_id=\d+\]|, ENSURE_REQUIREMENTS|\[codegen id : \d+\]\s*")
_WHOLE = re.compile(r"== Physical Plan ==|AdaptiveSparkPlan\b")
# a scan of a pinned table: its folder, the columns, and the conditions that leave files out
_SCAN = re.compile(
    r"BatchScan icemelt\.pins\.(?P<folder>[\w-]{36})-[\w-]+\[(?P<columns>.*?)\] \w+\(.*?"
    r"filters=(?P<filters>.*?), runtimeFilters=.*"
)
_BRANCH = "+- "


def shorten_plan(lines: Iterable[str], tables: Mapping[str, str]) -> list[str]:
    """Return the lines of Spark's plan without what only Spark needs.

    Args:
        lines: the lines of the plan.
        tables: the names of the tables, by the last 36 characters of their folders.

    >>> folder = "a7af0b7f-f35e-4e15-9f74-d63ab6dd7dbb"
    >>> scan = f"BatchScan icemelt.pins.{folder}-00001[id#8L] IcebergScan(branch=null, "
    >>> scan += "filters=id > 5, runtimeFilters=, groupedBy=) RuntimeFilters: []"
    >>> for line in shorten_plan(
    ...     ["== Physical Plan ==", "Filter (id#8L > 5)", f"+- {scan}"], {folder: "main.public.t"}
    ... ):
    ...     print(line)
    Filter (id > 5)
    +- Read main.public.t (id) where id > 5
    """
    kept = [line for line in lines if line.strip() and not _WHOLE.search(line)]
    named = [_SCAN.sub(lambda found: _read(found, tables), line) for line in kept]
    shown = [_NUMBERS.sub("", line).rstrip() for line in named]
    if shown and shown[0].startswith(_BRANCH):
        # the plan's own line is gone, below which the others were
        width = len(_BRANCH)
        shown = [line[width:] for line in shown]
    return [line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…" for line in shown]


def _read(found: re.Match[str], tables: Mapping[str, str]) -> str:
    table = tables.get(found["folder"], "a table")
    condition = f" where {found['filters']}" if found["filters"] else ""
    return f"Read {table} ({found['columns']}){condition}"
