"""CREATE TABLE, with OR REPLACE, OR ALTER and IF NOT EXISTS."""

from __future__ import annotations

from dataclasses import replace

from icemelt.catalog.edits import Edit
from icemelt.catalog.records import TableRecord
from icemelt.session.ddl.alter_table import apply_actions
from icemelt.session.ddl.generated_columns import settle_column
from icemelt.session.ddl.lifecycle import (
    AlterPlan,
    CreatePlace,
    CreatePlan,
    create_object,
    describe_alteration,
)
from icemelt.session.ddl.table_difference import find_actions
from icemelt.session.ddl.tables import creation_edit, make_error_table, make_table
from icemelt.session.ddl.templates import read_template
from icemelt.session.queries.binding import lock_streams, reads, resolve_all
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.options import error_option
from icemelt.sql.statements import CreateTable, Query
from icemelt.transactions.pending import Attempt

__all__ = ["create_table"]


def create_table(core: Core, statement: CreateTable, history: History) -> str:
    """Run CREATE TABLE; return a sentence about what happened.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        NameClash: an existing name differs by case only.
        DefinitionRefused: no table can have this definition.
    """
    columns = tuple(settle_column(core, column) for column in statement.columns)
    statement = replace(statement, columns=columns)

    def make(attempt: Attempt, place: CreatePlace) -> CreatePlan:
        edits: tuple[Edit, ...] = ()
        if error_option(statement.options):
            edits = make_error_table(core, attempt, place.name, temporary=statement.temporary)
        version_read, defined = None, statement
        if statement.template is not None:
            columns = read_template(core, statement.template)
            defined = replace(statement, columns=columns, template=None)
        if statement.query is not None:
            lock_streams(core, statement.query.references)
            version_read = _version_read(core, statement.query, place)
        table = make_table(core, attempt, defined, place.name)
        edits += (creation_edit(core, defined, table, place.schema_id), *table.moves)
        return CreatePlan(edits, table.rows, version_read)

    def alter(attempt: Attempt, table: TableRecord) -> AlterPlan:
        actions = find_actions(core, statement, table)
        said = describe_alteration(table.name, table.kind, is_altered=bool(actions))
        if not actions:
            return AlterPlan(said)
        return replace(apply_actions(core, attempt, table, actions), said=said)

    return create_object(core, statement, history, TableRecord, make, alter)


def _version_read(core: Core, query: Query, place: CreatePlace) -> int | None:
    """Return the version in which the query reads the table to replace, or None."""
    if place.replaced is None:
        return None
    state = resolve_all(core, query.references, ())
    read = core.find([place.name]).tables.get(place.name)
    is_read = place.name.folded in reads(core, state, query.references)
    if is_read and read is not None and read.object_id == place.replaced.object_id:
        return read.version
    return None
