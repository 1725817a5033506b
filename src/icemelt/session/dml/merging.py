"""How UPDATE, DELETE and MERGE find rows: by the keys of a small source, or by Spark's join."""

from __future__ import annotations

from typing import NamedTuple

from icemelt.engine.change_plans import ChangePlan
from icemelt.session.queries.binding import BoundQuery
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_sql import explain_by_keys, run_by_keys, run_sql
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["explain_statement", "run_statement"]

# Spark's join with fewer rows takes less time than to keep the source and to ask for its keys
_FEWEST_TARGET_ROWS = 200_000
# so many keys are broadcast: each process has a hash table of them
_MOST_SOURCE_ROWS = 500_000
# of a source with more of the target's rows than one in so many
_MOST_SHARE = 4
# a source that Spark expects to be larger is not kept; how large changes are it does not know
_MOST_SOURCE_BYTES = 256 << 20
_ANY_SIZE = 2**63 - 1
# of a larger target any file that the range of the keys leaves out is worth a filter
_LARGE_TARGET_ROWS = 10_000_000


class _Limits(NamedTuple):
    """What a source may have at most, to be kept, and for its keys to be broadcast."""

    bytes: int
    rows: int


def run_statement(core: Core, text: str, target: TableMetadata, bound: BoundQuery) -> None:
    """Run the Spark SQL of an UPDATE, DELETE or MERGE.

    Args:
        core: the session's parts.
        text: the statement in Spark SQL, with relations and values in its slots.
        target: the table that is written.
        bound: what the statement reads, with the plans of changes.
    """
    limits = _find_limits(core, target, bound)
    if limits is None:
        run_sql(core, text)
    else:
        is_large = _count_rows(target) >= _LARGE_TARGET_ROWS
        run_by_keys(core, text, limits.bytes, limits.rows, is_large=is_large)


def explain_statement(
    core: Core, text: str, target: TableMetadata, bound: BoundQuery
) -> tuple[list[str], list[str]]:
    """Return how `run_statement` would find the rows, and Spark's plan, both as lines."""
    limits = _find_limits(core, target, bound)
    keys, plan = explain_by_keys(core, text)
    way = "Spark's join, or one pass over the table"
    if not keys:
        reason = "no equality tells keys, or rows without a match are wanted"
    elif limits is None and core.settings.merge_strategy == "JOIN":
        reason = "MERGE_STRATEGY = JOIN"
    elif limits is None:
        reason = f"the table has {_count_rows(target):,} rows, {_FEWEST_TARGET_ROWS:,} are many"
    else:
        way = f"the keys of the source, {keys}"
        reason = f"if it has at most {limits.rows:,} rows; otherwise Spark's join"
    return [f"  rows found by: {way}", f"    chosen: {reason}"], plan


def _find_limits(core: Core, target: TableMetadata, bound: BoundQuery) -> _Limits | None:
    """Return up to which source rows are found by keys, None for none."""
    rows = _count_rows(target)
    match core.settings.merge_strategy:
        case "KEYS":
            return _Limits(_ANY_SIZE, _MOST_SOURCE_ROWS)
        case "AUTO" if rows >= _FEWEST_TARGET_ROWS:
            most = min(_MOST_SOURCE_ROWS, rows // _MOST_SHARE)
            is_few = _reads_few_changes(bound, most)
            return _Limits(_ANY_SIZE if is_few else _MOST_SOURCE_BYTES, most)
        case _:
            return None


def _count_rows(target: TableMetadata) -> int:
    """Return the number of rows in a table's files, with those that deletion vectors hide."""
    return 0 if target.current is None else target.current.count("total-records")


def _reads_few_changes(bound: BoundQuery, most: int) -> bool:
    """Whether a statement reads changes, and as far as is known not of many rows."""
    plans = [*bound.plans.values()]
    known = [plan.rows for plan in plans if isinstance(plan, ChangePlan)]
    return bool(plans) and sum(known) <= most
