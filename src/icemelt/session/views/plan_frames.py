"""Relations of the algebra as data frames of Spark."""

from __future__ import annotations

from pyspark.sql import DataFrame

from icemelt.algebra.nodes import BothEndsScan, Delta, Relation, Scan, Shared
from icemelt.algebra.plan_parts import split_plan
from icemelt.engine.kept_rows import keep_rows
from icemelt.engine.resources import StatementResources
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.spark_java import assemble_parts
from icemelt.spark_sql.column_barriers import put_barriers
from icemelt.spark_sql.rendering import Read, render_relation
from icemelt.sql.effort import check_cancellation

__all__ = ["frame_of_relation"]


def frame_of_relation(
    core: Core, relation: Relation, read: Read, resources: StatementResources
) -> DataFrame:
    """Return a relation as a data frame with the columns c0, c1, …, analysed and not run.

    Each part of a large relation is analysed once, and put together with the others at the end.

    Args:
        core: the session's parts.
        relation: the relation.
        read: returns the relation of a leaf, in Spark SQL.
        resources: gains the names of parts.
    """
    parts, rest = split_plan(relation)
    if not parts:
        return run_sql(core, render_relation(relation, read))
    parts, rest = split_plan(put_barriers(relation))
    views: dict[str, str] = {}

    def read_part(leaf: Scan | Delta | BothEndsScan | Shared) -> str:
        if isinstance(leaf, Shared) and leaf.name in views:
            return views[leaf.name]
        return read(leaf)

    for part in parts:
        check_cancellation()
        frame = run_sql(core, render_relation(part.relation, read_part))
        if part.is_kept:
            kept = keep_rows(assemble_parts(frame), resources)
            views[part.name] = resources.create_view(kept)
        else:
            views[part.name] = resources.create_part(frame)
    return assemble_parts(run_sql(core, render_relation(rest, read_part)))
