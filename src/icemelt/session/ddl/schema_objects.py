"""DROP and UNDROP of what lives in a schema and has no files: streams and views."""

from __future__ import annotations

from icemelt.catalog.edits import DropObject, RestoreObject
from icemelt.catalog.queries.reading import dropped_object
from icemelt.catalog.records import StreamRecord, TableRecord, ViewRecord
from icemelt.errors import ObjectExists, ObjectNotFound
from icemelt.names import TableName
from icemelt.session.runtime.core import Core, History
from icemelt.sql.statements import Drop, ObjectKind, Undrop
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["drop_object", "undrop_object"]

_MADE_ANEW = {
    ObjectKind.STREAM: "CREATE STREAM {name} ON TABLE … AT (…) makes another from a point.",
    ObjectKind.VIEW: "CREATE VIEW {name} AS … makes it anew.",
}


def drop_object(core: Core, statement: Drop, history: History) -> str:
    """Run DROP STREAM or DROP VIEW; UNDROP brings it back.

    Raises:
        ObjectNotFound: there is none of that name.
    """
    word = statement.kind.value.capitalize()
    find = core.stream if statement.kind is ObjectKind.STREAM else core.view
    try:
        found = find(statement.name)
    except ObjectNotFound:
        if not statement.if_exists:
            raise
        core.record(history(0))
        return f"{word} {str(core.full(statement.name))!r} does not exist; nothing to do."

    def work(_attempt: Attempt) -> Pending[str]:
        said = f"{word} {str(found.name)!r} successfully dropped."
        return Pending(said, lambda: history(0), edits=(DropObject(found.object_id),))

    return core.outcome(work, history)


def undrop_object(core: Core, statement: Undrop, history: History) -> str:
    """Run UNDROP STREAM or UNDROP VIEW: bring back the last one dropped under that name.

    Raises:
        ObjectExists: the name is taken again.
        ObjectNotFound: none of that name was dropped, or maintenance has removed it.
    """
    kind = statement.kind.value
    full = core.full(statement.name)
    schema = core.schema_of(full.database, full.schema)
    name = TableName(schema.database_name or full.database, schema.name, full.name)
    existing = core.occupant(name)
    if existing is not None:
        raise ObjectExists(
            f"{str(name)!r} exists; a dropped {kind} cannot take its name.",
            hint=f"{_out_of_the_way(name, existing)}, then UNDROP {kind.upper()} {name}",
        )
    with core.database.read() as connection:
        object_id = dropped_object(connection, kind, schema.object_id, name.name)
    if object_id is None:
        raise ObjectNotFound(
            f"{kind.capitalize()} {str(name)!r} is not among the dropped ones.",
            hint=_MADE_ANEW[statement.kind].format(name=name),
        )

    def work(_attempt: Attempt) -> Pending[str]:
        said = f"{kind.capitalize()} {str(name)!r} successfully restored."
        return Pending(said, lambda: history(0), edits=(RestoreObject(object_id),))

    return core.outcome(work, history)


def _out_of_the_way(name: TableName, existing: TableRecord | StreamRecord | ViewRecord) -> str:
    """Return the statement that frees a name."""
    if isinstance(existing, StreamRecord):
        return f"DROP STREAM {name}"
    kind = "TABLE" if isinstance(existing, TableRecord) else "VIEW"
    return f"ALTER {kind} {name} RENAME TO another_name"
