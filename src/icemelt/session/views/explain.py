"""EXPLAIN of the changes of a view: how they are made of its tables', node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.nodes import Relation, Scan
from icemelt.changes.append_only import append_only_changes
from icemelt.changes.choice import PlanChoice, choose_plan
from icemelt.changes.differentiation import Derivative, differentiate_relation
from icemelt.changes.explain import format_plan
from icemelt.changes.pin import replace_scans
from icemelt.changes.shape import DeltaFormat, Shape
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.relations import BaseDelta
from icemelt.engine.resources import StatementResources
from icemelt.session.runtime.core import Core
from icemelt.session.views.algebra import algebra_of
from icemelt.session.views.changes import BaseInterval, ViewLog, ViewPlan
from icemelt.session.views.differentiation import SHAPES, correct_choice, size_of, types_of

__all__ = ["change_lines", "name_tables", "view_lines"]

_BOTH_ENDS = "  plan: the rows of both ends, in one pass"
_ORIGINAL = "  plan: the original query at both ends, subtracted"


def view_lines(core: Core, name: str, plan: ViewPlan) -> list[str]:
    """Return how the changes of a view are computed, and the same of each table under it."""
    if plan.log is not None:
        return _log_lines(name, plan, plan.log)
    resources = StatementResources(core.iceberg, collects=False)
    try:
        deltas = [core.relations.plan_delta(base.scanned, resources) for base in plan.bases]
    finally:
        resources.release()
    lines = [f"Changes of {name}", *_way(core, plan, deltas)]
    for base, delta in zip(plan.bases, deltas, strict=True):
        lines += [f"  {line}" for line in change_lines(str(base.table.name), delta.plan)]
    return lines


def _log_lines(name: str, plan: ViewPlan, log: ViewLog) -> list[str]:
    lines = [f"Changes of {name}", f"  versions: {log.versions}"]
    if log.tables is None:
        return [*lines, "  plan: of each version the changes of the query, by itself"]
    lines.append("  plan: all versions of its tables, in one pass")
    for base, of_table in zip(plan.bases, log.tables, strict=True):
        lines += [f"  {line}" for line in change_lines(str(base.table.name), of_table)]
    return lines


def change_lines(name: str, plan: ChangePlan) -> list[str]:
    """Return how a table's changes are found."""
    return [
        f"Changes of {name}",
        f"  shape: {plan.shape}",
        f"  added: {plan.files_added} files, {plan.rows_added} rows",
        f"  removed: {plan.files_removed} files, {plan.rows_removed} rows",
        f"  planned by: {plan.way}, {plan.steps} snapshots and {plan.manifests} manifests read",
        f"  identity: {plan.identity} ({plan.reason})",
    ]


def name_tables(relation: Relation, names: Mapping[str, str]) -> Relation:
    """Return a query with its tables' names in the place of their ids."""
    return replace_scans(relation, lambda scan: _name_table(scan, names))


def _name_table(scan: Scan, names: Mapping[str, str]) -> Scan:
    return replace(scan, source=names[scan.source])


def _way(core: Core, plan: ViewPlan, deltas: Sequence[BaseDelta]) -> list[str]:
    names = [str(base.table.name) for base in plan.bases]
    shapes = {name: SHAPES[delta.plan.shape] for name, delta in zip(names, deltas, strict=True)}
    if not plan.has_changes or (
        all(delta.usable for delta in deltas) and set(shapes.values()) <= {Shape.EMPTY}
    ):
        return ["  plan: no table has changed"]
    way = core.scope.strategy
    chosen = [] if way == "AUTO" else [f"    chosen: VIEW_CHANGES = {way}"]
    if way in {"BOTH_ENDS", "ORIGINAL"} and not plan.append_only:
        return [_ORIGINAL if way == "ORIGINAL" else _BOTH_ENDS, *chosen]
    lost = [
        f"{name} ({delta.plan.reason})"
        for name, delta in zip(names, deltas, strict=True)
        if not delta.usable
    ]
    if lost and not plan.append_only:
        return [_ORIGINAL, f"    rows without ids: {', '.join(lost)}"]
    relation = prune_columns(algebra_of(core, plan.expanded))
    relation = name_tables(relation, {b.table.object_id: str(b.table.name) for b in plan.bases})
    notes = {
        name: _rows(base, delta)
        for name, base, delta in zip(names, plan.bases, deltas, strict=True)
    }
    if plan.append_only:
        gained = append_only_changes(relation, shapes)
        return ["  plan: what the query gained", *_lines(gained, notes)]
    sizes = {
        name: size_of(core, base.scanned, delta)
        for name, base, delta in zip(names, plan.bases, deltas, strict=True)
    }
    types = types_of({str(base.table.name): base.metadata.columns for base in plan.bases})
    found = choose_plan(relation, shapes, sizes, types.is_whole)
    found = correct_choice(core, plan.view.object_id, found)
    if found.fallback.is_too_large:
        return [_BOTH_ENDS, "    the derivative would take longer to plan"]
    if way == "AUTO" and not found.is_derivative:
        return [_BOTH_ENDS, *_estimates(found)]
    explanation = differentiate_relation(relation, relation.width, shapes).explanation
    lines = _lines(replace(found.derived, explanation=explanation), notes)
    return ["  plan: the query's derivative", *chosen, *_estimates(found), *lines]


def _estimates(found: PlanChoice) -> list[str]:
    """Return what each plan is expected to cost."""
    return [
        f"    derivative: {found.cost}{_learnt(found.correction, found.seconds)}",
        f"    both ends: {found.cost_of_both_ends}"
        + _learnt(found.correction_of_both_ends, found.seconds_of_both_ends),
    ]


def _learnt(correction: float, seconds: float) -> str:
    """Return what the session has learnt of a plan; nothing where that changes nothing."""
    return "" if correction == 1.0 else f"; as it was before, × {correction:.2f}: {seconds:,.2f} s"


def _lines(derived: Derivative, notes: Mapping[str, str]) -> list[str]:
    redundant = derived.shape.format is DeltaFormat.REDUNDANT_DELTA
    return [
        *(f"    {line}" for line in format_plan(derived.explanation, notes)),
        f"  shared: {len(derived.shared)}",
        "  last: "
        + ("rows of one identity that are equal cancel" if redundant else "nothing can cancel"),
    ]


def _rows(base: BaseInterval, delta: BaseDelta) -> str:
    end = base.versions.end.snapshot_id
    rows = 0
    if end is not None:
        snapshot = base.metadata.snapshots[end]
        rows = snapshot.count("total-records") - snapshot.count("total-position-deletes")
    return f"{delta.plan.rows} changed rows, {rows} in all"
