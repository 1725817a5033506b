"""SHOW CHANGE SUPPORT: whether the changes of a view can be told, and how, operator by operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from icemelt.algebra.nodes import Aggregate, Join, JoinKind, Relation
from icemelt.catalog.records import CatalogState, ViewRecord
from icemelt.changes.append_only import find_losing_operator
from icemelt.changes.differentiation import RULES, differentiate_relation
from icemelt.changes.explain import ExplainLine, plan_lines
from icemelt.changes.rule import columns_read
from icemelt.changes.shape import Shape
from icemelt.errors import IcemeltError, UnsupportedError, WrongObjectKind
from icemelt.names import ObjectName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.views.algebra import algebra_of
from icemelt.session.views.changes import require_source_states
from icemelt.session.views.expansion import expand
from icemelt.session.views.explain import name_tables

__all__ = ["show_change_support"]

_COLUMNS = (
    "operator",
    "rule",
    "format",
    "linear",
    "reads",
    "incremental",
    "append_only",
    "reason",
    "hint",
)
_ROWS = "INFORMATION => DEFAULT, WHERE METADATA$ACTION = 'INSERT'."
_Row = tuple[Any, ...]


def show_change_support(core: Core, name: ObjectName) -> LocalRows:
    """Return a row for a view, and one for each operator of its query, in the order of the plan.

    Raises:
        WrongObjectKind: the name is of a table or a stream.
        ObjectNotFound: there is no such view, or no such table as it reads.
    """
    full = core.full(name)
    state = core.find([full])
    view = state.views.get(full)
    if view is None:
        if full not in state.tables and full not in state.streams:
            raise core.not_found("View", full)
        kind = "table" if full in state.tables else "stream"
        raise WrongObjectKind(
            f"{str(full)!r} is a {kind}, not a view: it has no query to tell of.",
            hint=f"EXPLAIN SELECT * FROM {full} … shows how the changes of a {kind} are read.",
        )
    return LocalRows(_COLUMNS, tuple(_rows(core, state, view)))


def _rows(core: Core, state: CatalogState, view: ViewRecord) -> Iterator[_Row]:
    try:
        require_source_states(state, view)
        relation = algebra_of(core, expand(core, state, view))
    except (UnsupportedError, WrongObjectKind) as error:
        yield _refused(view, error)
        return
    names = {table.object_id: str(table.name) for table in state.tables.values()}
    relation = name_tables(relation, names)
    losing = find_losing_operator(relation)
    reason = hint = ""
    if losing is not None:
        reason, hint = f"not append-only: {losing.operator} can lose rows", _ROWS
    title = f"View {view.name}"
    yield (title, "", "min-delta", None, "", True, losing is None, reason, hint)
    shapes = dict.fromkeys(columns_read(relation), Shape.BOTH)
    for line in plan_lines(differentiate_relation(relation, relation.width, shapes).explanation):
        yield _row(line)


def _refused(view: ViewRecord, error: IcemeltError) -> _Row:
    code = error.reason if isinstance(error, UnsupportedError) and error.reason else error.code
    reason = f"{code}: {error.message}"
    return (f"View {view.name}", "", "", None, "", False, False, reason, error.hint)


def _row(line: ExplainLine) -> _Row:
    node = line.node.relation
    rule = RULES[type(node)]
    losing = find_losing_operator(node)
    return (
        f"{'  ' * (line.depth + 1)}{line.operator}",
        line.node.rule,
        rule.format.value,
        rule.linear,
        _reads(node, line),
        True,
        losing is None,
        "" if losing is None or losing.node is not node else f"{losing.operator} can lose rows",
        "",
    )


def _reads(node: Relation, line: ExplainLine) -> str:
    if line.keys is None:
        return "changes"
    return f"changes, {_ends(node)}: {', '.join(line.keys) or 'everything'}"


def _ends(node: Relation) -> str:
    match node:
        case Join(kind=JoinKind.INNER):
            return "one end of each side"
        case Aggregate() if node.sums:
            return "one end"
        case _:
            return "both ends"
