"""ALTER TABLE … SWAP WITH: two tables exchange their names at one moment."""

from __future__ import annotations

from icemelt.catalog.clone_edits import SwapObjects
from icemelt.catalog.edits import Edit, MoveObject
from icemelt.catalog.records import TableRecord
from icemelt.errors import DefinitionRefused, ObjectExists
from icemelt.names import add_error_suffix
from icemelt.session.ddl.lifecycle import AlterPlan, alter_object
from icemelt.session.runtime.core import Core, History
from icemelt.sql.statements import SwapTables
from icemelt.tables.error_log import error_table_name, has_error_columns
from icemelt.transactions.pending import Attempt

__all__ = ["swap_tables"]


def swap_tables(core: Core, statement: SwapTables, history: History) -> str:
    """Run ALTER TABLE … SWAP WITH; return a sentence about what happened.

    Streams stay with their tables. Views read the table that has the name now.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such table.
        WrongObjectKind: a name belongs to an object of another kind.
        ObjectExists: the name that an error table is to get belongs to another table.
        DefinitionRefused: both names are of one table, or one table is temporary.
    """

    def alter(_attempt: Attempt, first: TableRecord) -> AlterPlan:
        second = core.object_of(TableRecord, statement.other)
        _require_alike(first, second)
        said = f"Tables {str(first.name)!r} and {str(second.name)!r} have exchanged their names."
        swap = SwapObjects(first.object_id, second.object_id)
        return AlterPlan(said, (swap, *_swap_error_tables(core, first, second)))

    return alter_object(core, statement, history, TableRecord, alter)


def _require_alike(first: TableRecord, second: TableRecord) -> None:
    if first.object_id == second.object_id:
        raise DefinitionRefused(
            f"Table {str(first.name)!r} cannot exchange its name with itself.",
            hint=f"ALTER TABLE {first.name} SWAP WITH another_table",
        )
    for table, other in ((first, second), (second, first)):
        if table.session_id is not None and other.session_id is None:
            raise DefinitionRefused(
                f"Table {str(table.name)!r} is temporary, and {str(other.name)!r} is not.",
                hint=f"CREATE TABLE … AS SELECT * FROM {table.name} makes a permanent one to swap.",
            )


def _swap_error_tables(core: Core, first: TableRecord, second: TableRecord) -> tuple[Edit, ...]:
    """Return the edits by which the error tables follow their tables."""
    errors = [_find_error_table(core, each) for each in (first, second)]
    if errors[0] is not None and errors[1] is not None:
        return (SwapObjects(errors[0].object_id, errors[1].object_id),)
    edits: list[Edit] = []
    for table, target in zip(errors, (second, first), strict=True):
        if table is not None:
            schema = core.schema_of(target.name.database, target.name.schema)
            name = add_error_suffix(target.name.name)
            namespace = target.name.namespace
            if core.find_permanent_object(error_table_name(target.name)) is not None:
                raise ObjectExists(
                    f"{str(error_table_name(target.name))!r}, which error table "
                    f"{str(table.name)!r} is to be called, is there already.",
                    hint="Rename that object first.",
                )
            edits.append(MoveObject(table.object_id, schema.object_id, name, namespace))
    return tuple(edits)


def _find_error_table(core: Core, table: TableRecord) -> TableRecord | None:
    """Return the error table of a table, which stays where errors are logged no more."""
    if table.session_id is not None:
        return None
    found = core.find_permanent_object(error_table_name(table.name))
    if not isinstance(found, TableRecord) or not has_error_columns(core.metadata(found).columns):
        return None
    return found
