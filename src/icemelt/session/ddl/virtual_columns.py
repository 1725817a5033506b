"""ALTER EXTERNAL TABLE … ADD, DROP and RENAME COLUMN."""

from __future__ import annotations

from dataclasses import replace

from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.errors import ColumnNotFound, DefinitionRefused
from icemelt.names import find_nearest, fold_column
from icemelt.schema import VirtualColumn
from icemelt.session.runtime.core import Core
from icemelt.sql.statements import AddVirtualColumns, DropColumns, RenameColumn

__all__ = ["alter_virtual_columns"]


def alter_virtual_columns(
    core: Core, table: ExternalTableRecord, action: AddVirtualColumns | DropColumns | RenameColumn
) -> tuple[ExternalTableRecord, str]:
    """Return an external table with other columns, and what to say; empty for the usual words.

    The names and expressions of new columns are not looked at.

    Args:
        core: the session's parts.
        table: the external table as it is.
        action: what the statement asks for.

    Raises:
        ColumnNotFound: there is no column of a name in the statement.
        NameClash: a new name differs from an existing name by case only.
        DefinitionRefused: a new column is there already, or a column to be dropped is one of the
            partitions or VALUE.
    """
    match action:
        case AddVirtualColumns(columns, if_not_exists):
            return _add(core, table, columns, if_not_exists=if_not_exists)
        case DropColumns(names, if_exists):
            return _drop(table, names, if_exists=if_exists), ""
        case RenameColumn(name, wanted):
            return _rename(core, table, name, wanted), ""


def _add(
    core: Core,
    table: ExternalTableRecord,
    columns: tuple[VirtualColumn, ...],
    *,
    if_not_exists: bool,
) -> tuple[ExternalTableRecord, str]:
    added, said = [], ""
    for virtual in columns:
        twin = _find(table, virtual.column.name)
        if twin is not None and if_not_exists:
            said = f"Column {twin.column.name!r} already exists, statement succeeded."
            continue
        if twin is not None:
            _refuse_twin(core, table, virtual.column.name, twin)
        added.append(virtual)
    return replace(table, virtual_columns=(*table.virtual_columns, *added)), said


def _drop(
    table: ExternalTableRecord, names: tuple[str, ...], *, if_exists: bool
) -> ExternalTableRecord:
    dropped = set()
    for name in names:
        if if_exists and _find(table, name) is None:
            continue
        column = _require(table, name).column.name
        if fold_column(column) in map(fold_column, table.partition_by):
            raise DefinitionRefused(
                f"Column {column!r} is a partition of external table {str(table.name)!r}.",
                hint="CREATE OR ALTER EXTERNAL TABLE … with another PARTITION BY, or without.",
            )
        dropped.add(column)
    kept = (each for each in table.virtual_columns if each.column.name not in dropped)
    return replace(table, virtual_columns=tuple(kept))


def _rename(core: Core, table: ExternalTableRecord, name: str, wanted: str) -> ExternalTableRecord:
    virtual = _require(table, name)
    twin = _find(table, wanted)
    if twin is not None and twin is not virtual:
        _refuse_twin(core, table, wanted, twin)
    renamed = replace(virtual, column=replace(virtual.column, name=wanted))
    old = fold_column(virtual.column.name)
    return replace(
        table,
        virtual_columns=tuple(
            renamed if each is virtual else each for each in table.virtual_columns
        ),
        partition_by=tuple(
            wanted if fold_column(each) == old else each for each in table.partition_by
        ),
    )


def _find(table: ExternalTableRecord, name: str) -> VirtualColumn | None:
    wanted = fold_column(name)
    for each in table.virtual_columns:
        if fold_column(each.column.name) == wanted:
            return each
    return None


def _require(table: ExternalTableRecord, name: str) -> VirtualColumn:
    if fold_column(name) == "value":
        raise DefinitionRefused(
            "VALUE is a column of each external table.", hint="A view can leave it out."
        )
    found = _find(table, name)
    if found is not None:
        return found
    guess = find_nearest(name, [each.column.name for each in table.virtual_columns])
    raise ColumnNotFound(
        f"Column {name!r} does not exist.",
        hint=f"Did you mean {guess!r}?" if guess else f"DESC EXTERNAL TABLE {table.name}",
    )


def _refuse_twin(core: Core, table: ExternalTableRecord, wanted: str, twin: VirtualColumn) -> None:
    core.refuse_clash("Column", wanted, twin.column.name)
    raise DefinitionRefused(
        f"Column {wanted!r} of external table {str(table.name)!r} already exists.",
        hint="Choose another name; ADD COLUMN IF NOT EXISTS leaves the column as it is.",
    )
