"""ALTER TABLE: publish all actions of a statement together, or none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from icemelt.catalog.edits import Edit, SetObjectOptions, SetTracking
from icemelt.catalog.parameters import find_own_options
from icemelt.catalog.records import TableRecord
from icemelt.errors import DefinitionRefused
from icemelt.names import add_error_suffix, fold
from icemelt.session.ddl.alter_columns import add_column, alter_column, drop_columns, rename_column
from icemelt.session.ddl.alteration import Alteration
from icemelt.session.ddl.constraints import DeclaredTable, add_constraint, drop_constraint
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    alter_object,
    change_options,
    rename_object,
)
from icemelt.session.ddl.sizes import schema_size, validate_schema_size
from icemelt.session.ddl.tables import make_error_table
from icemelt.session.dml.writing import open_target
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.options import (
    PROPERTIES,
    error_option,
    property_options,
    tracking_option,
)
from icemelt.session.runtime.spark_errors import translated
from icemelt.sql import statements as s
from icemelt.tables.error_log import error_table_name
from icemelt.tables.metadata.document import (
    CONSTRAINTS_PROPERTY,
    KEY_PROPERTY,
    constraint_document,
)
from icemelt.tables.writes.definition import table_properties
from icemelt.transactions.pending import Attempt, TableWrite

__all__ = ["alter_table", "apply_actions"]

_TRACKING = "CHANGE_TRACKING"


def alter_table(core: Core, statement: s.AlterTable, history: History) -> str:
    """Run ALTER TABLE; return a sentence about what happened.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such table.
        ColumnNotFound: an action names a missing column.
        DefinitionRefused: an action does not fit the table's definition.
        ValueRefused: an action does not fit the table's rows.
    """

    def alter(attempt: Attempt, table: TableRecord) -> AlterPlan:
        return apply_actions(core, attempt, table, statement.actions)

    return alter_object(core, statement, history, TableRecord, alter)


def apply_actions(
    core: Core, attempt: Attempt, table: TableRecord, actions: Sequence[s.TableAction]
) -> AlterPlan:
    """Apply actions to a table in one Iceberg transaction; return the plan of the ALTER.

    Args:
        core: the session's parts.
        attempt: the attempt, whose workspace gets the table's private copy.
        table: the table as it is found.
        actions: the actions, in order.

    Raises:
        ColumnNotFound: an action names a missing column.
        DefinitionRefused: an action does not fit the table's definition.
        ValueRefused: an action does not fit the table's rows.
    """
    target = open_target(core, attempt, table)
    namespace, object_id = attempt.workspace.namespace, table.object_id
    edits: list[Edit] = []
    if any(isinstance(action, s.SetOptions) and error_option(action.options) for action in actions):
        temporary = table.session_id is not None
        edits += make_error_table(core, attempt, table.name, temporary=temporary)
    with translated(core.spark):
        java = core.iceberg.table(namespace, object_id).newTransaction()
        alteration = Alteration(core, target, java, edits)
        words = [_apply_and_check(alteration, action) for action in actions]
        java.commitTransaction()
    mine = attempt.workspace.current(object_id)
    if alteration.options is not None:
        alteration.edits.append(SetObjectOptions(object_id, alteration.options))
    written = TableWrite(target.table, target.base, mine, "ALTER", requires_whole_table=True)
    said = " ".join(filter(None, words)) or DONE
    return AlterPlan(said, tuple(alteration.edits), (written,))


def _apply_and_check(alteration: Alteration, action: s.TableAction) -> str:
    """Apply an action; refuse metadata that has become too large."""
    said = _apply(alteration, action)
    before = schema_size(alteration.target.base.document.get("schemas", ()))
    validate_schema_size(alteration.name, alteration.state().document.get("schemas", ()), before)
    return said


def _apply(alteration: Alteration, action: s.TableAction) -> str:
    """Apply an action; return a sentence, empty if there is nothing to say."""
    match action:
        case s.AddColumn():
            return add_column(alteration, action)
        case s.DropColumns():
            return drop_columns(alteration, action)
        case s.RenameColumn():
            return rename_column(alteration, action)
        case s.AlterColumn():
            return alter_column(alteration, action)
        case s.RenameTable():
            return _rename(alteration, action)
        case s.SetOptions():
            return _set_options(alteration, action)
        case s.UnsetOptions():
            return _unset_options(alteration, action.options)
        case s.SetPrimaryKey():
            return _set_key(alteration, action.key)
        case s.AddConstraint() | s.DropConstraint():
            return _change_constraints(alteration, action)
        case _:
            assert_never(action)


def _rename(alteration: Alteration, action: s.RenameTable) -> str:
    """Rename or move a table; a new name without a schema is in the current schema."""
    core, table = alteration.core, alteration.target.table
    move, said = rename_object(core, table, core.full(action.to))
    alteration.edits.append(move)
    errors = (
        core.find_permanent_object(error_table_name(table.name))
        if alteration.state().logs_errors
        else None
    )
    if errors is not None:
        name = add_error_suffix(move.name)
        alteration.edits.append(replace(move, object_id=errors.object_id, name=name))
    return said


def _set_options(alteration: Alteration, action: s.SetOptions) -> str:
    _change_options(alteration, action)
    tracking, properties = tracking_option(action.options), property_options(action.options)
    if tracking is not None:
        _track(alteration, on=tracking)
    if properties:
        alteration.set_properties(properties)
    return ""


def _unset_options(alteration: Alteration, names: tuple[str, ...]) -> str:
    own = {_TRACKING, *PROPERTIES}
    _change_options(alteration, s.UnsetOptions(tuple(name for name in names if name not in own)))
    if _TRACKING in names:
        _track(alteration, on=True)
    properties = {PROPERTIES[name]: None for name in names if name in PROPERTIES}
    if properties:
        alteration.set_properties(properties)
    return ""


def _change_options(alteration: Alteration, action: s.SetOptions | s.UnsetOptions) -> None:
    if alteration.options is None:
        with alteration.core.database.read() as connection:
            before = find_own_options(connection, alteration.object_id)
    else:
        before = alteration.options
    after = change_options(action, before)
    if after != before:
        alteration.options = after


def _track(alteration: Alteration, *, on: bool) -> None:
    """Switch change tracking on or off; a table without row ids is upgraded first.

    Existing rows have their ids from the first commit in format version 3, which may be empty.
    """
    metadata = alteration.state()
    if on:
        if not metadata.has_row_ids:
            alteration.set_properties(dict(table_properties((), None)))
        current = metadata.current
        if current is not None and current.first_row_id is None:
            alteration.java.newFastAppend().commit()
    alteration.edits.append(SetTracking(alteration.object_id, on))


def _change_constraints(alteration: Alteration, action: s.AddConstraint | s.DropConstraint) -> str:
    """Add or drop a UNIQUE key or a foreign key; the primary key may be dropped by its name."""
    state, core = alteration.state(), alteration.core
    if isinstance(action, s.DropConstraint) and action.name is not None:
        key = state.key
        if key is not None and key.name == fold(action.name):
            return _set_key(alteration, None)
    key_ids = () if state.key is None else state.key.field_ids
    name = alteration.target.table.name
    table = DeclaredTable(name, state.columns, key_ids, state.constraints)
    constraints = (
        add_constraint(core, table, action.constraint)
        if isinstance(action, s.AddConstraint)
        else drop_constraint(table, action)
    )
    alteration.set_properties({CONSTRAINTS_PROPERTY: constraint_document(constraints)})
    return ""


def _set_key(alteration: Alteration, key: s.PrimaryKey | None) -> str:
    present = alteration.state().key
    if key is None:
        if present is None:
            raise DefinitionRefused(
                f"Table {alteration.name!r} has no primary key.",
                hint=f"ALTER TABLE {alteration.name} ADD PRIMARY KEY (column) RELY",
            )
        alteration.set_properties({KEY_PROPERTY: None})
        return ""
    if present is not None:
        names = ", ".join(alteration.state().key_columns(present))
        raise DefinitionRefused(
            f"Table {alteration.name!r} has the primary key ({names}) already.",
            hint=f"ALTER TABLE {alteration.name} DROP PRIMARY KEY",
        )
    columns = [alteration.column(name) for name in key.columns]
    if len({fold(column.name) for column in columns}) != len(columns):
        raise DefinitionRefused(
            f"The primary key of table {alteration.name!r} names a column twice.",
            hint="Name each column once.",
        )
    document = {"columns": [column.field_id for column in columns], "rely": key.rely}
    if key.name is not None:
        document["name"] = fold(key.name)
    alteration.set_properties({KEY_PROPERTY: json.dumps(document)})
    return ""
