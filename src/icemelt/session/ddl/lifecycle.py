"""The life of an object in a schema, whatever its kind: made, replaced, renamed, dropped, restored.

What is of one kind alone (what CREATE writes, what else ALTER does) is given as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from icemelt.catalog.edits import DropObject, Edit, MoveObject, Options, RestoreObject
from icemelt.catalog.edits import SetOptions as OptionsEdit
from icemelt.catalog.queries.reading import dropped_object
from icemelt.catalog.records import SchemaObject, StreamRecord, ViewRecord
from icemelt.errors import ObjectExists, ObjectNotFound
from icemelt.names import ObjectName, TableName, refuse_bad
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.kinds import KINDS, SchemaKind
from icemelt.sql.statements import Drop, SetOptions, Undrop, UnsetOptions
from icemelt.transactions.pending import Attempt, Pending

__all__ = [
    "DONE",
    "alter_object",
    "altered_comment",
    "create_object",
    "drop_object",
    "renamed_object",
    "undrop_object",
]

Record = TypeVar("Record", StreamRecord, ViewRecord)
DONE = "Statement executed successfully."


class Creation(Protocol):
    """A CREATE statement, as far as all kinds have it in common."""

    @property
    def name(self) -> ObjectName:
        """The name of the object to be."""

    @property
    def replace(self) -> bool:
        """Whether it takes the place of one that is there."""

    @property
    def if_not_exists(self) -> bool:
        """Whether one that is there stays."""


class Alteration(Protocol):
    """An ALTER statement, as far as all kinds have it in common."""

    @property
    def name(self) -> ObjectName:
        """The name of the object."""

    @property
    def if_exists(self) -> bool:
        """Whether nothing is to be done where there is none."""


def create_object(
    core: Core,
    statement: Creation,
    history: History,
    kind: type[Record],
    make: Callable[[TableName, str], Iterable[Edit]],
) -> str:
    """Run a CREATE statement and return the word that says what happened.

    Args:
        core: the session's parts.
        statement: the name, and what becomes of an object that has it.
        history: the statement's record in the making.
        kind: the record of the kind of object.
        make: returns the edits that make it, of its full name and its schema's id.

    Raises:
        ObjectExists: the name is taken.
        NameClash: a name differs from it by case only.
    """
    of_kind = KINDS[kind.kind]
    wanted = core.full(statement.name)
    refuse_bad(of_kind.name, wanted.name)
    schema, name = core.place_of(wanted)

    def work(_attempt: Attempt) -> Pending[str]:
        edits: list[Edit] = []
        existing = core.occupant(name)
        if existing is not None:
            if statement.if_not_exists and isinstance(existing, kind):
                said = f"{of_kind.word} {str(name)!r} already exists, statement succeeded."
                return Pending(said, lambda: history(0))
            _refuse_taken(core, of_kind, name, existing, replace=statement.replace)
            edits.append(DropObject(existing.object_id))
        edits += make(name, schema.object_id)
        said = f"{of_kind.word} {str(name)!r} successfully created."
        return Pending(said, lambda: history(0), edits=tuple(edits))

    return core.outcome(work, history)


def alter_object(
    core: Core,
    statement: Alteration,
    history: History,
    kind: type[Record],
    alter: Callable[[Record], tuple[Edit, str]],
) -> str:
    """Run an ALTER statement and return the word that says what happened.

    Args:
        core: the session's parts.
        statement: the object's name.
        history: the statement's record in the making.
        kind: the record of the kind of object.
        alter: returns the edit of the object as it is found, and what is said of it.

    Raises:
        ObjectNotFound: there is no such object.
    """
    full = core.full(statement.name)
    if statement.if_exists and full not in core.resolver.resolve([full]).of(kind):
        core.record(history(0))
        return f"{KINDS[kind.kind].word} {str(full)!r} does not exist; nothing to do."

    def work(_attempt: Attempt) -> Pending[str]:
        edit, said = alter(core.object_of(kind, statement.name))
        return Pending(said, lambda: history(0), edits=(edit,))

    return core.outcome(work, history)


def altered_comment(found: SchemaObject, action: SetOptions | UnsetOptions) -> tuple[Edit, str]:
    """Return the edit of SET COMMENT or UNSET COMMENT, and what is said of it."""
    comment = None
    if isinstance(action, SetOptions):
        comment = action.options.get("COMMENT", found.comment)
    return OptionsEdit(found.object_id, Options(comment=comment)), DONE


def renamed_object(core: Core, found: SchemaObject, to: ObjectName) -> tuple[MoveObject, str]:
    """Return the edit that gives an object another name or schema, and what is said of it.

    Raises:
        ObjectExists: the new name is taken.
        ObjectNotFound: there is no such schema.
    """
    of_kind = KINDS[found.kind]
    wanted = to.within(found.name.database, found.name.schema)
    refuse_bad(of_kind.name, wanted.name)
    schema, name = core.place_of(wanted)
    existing = core.occupant(name)
    if existing is not None and existing.object_id != found.object_id:
        raise ObjectExists(f"{str(name)!r} already exists.", hint="Choose another name.")
    edit = MoveObject(found.object_id, schema.object_id, name.name, name.namespace)
    return edit, f"{of_kind.word} {str(found.name)!r} is {str(name)!r} now."


def drop_object(core: Core, statement: Drop, history: History) -> str:
    """Run DROP of a stream or a view; UNDROP brings it back.

    Raises:
        ObjectNotFound: there is none of that name.
    """
    of_kind = KINDS[statement.kind.value]
    try:
        found = core.object_of(of_kind.record, statement.name)
    except ObjectNotFound:
        if not statement.if_exists:
            raise
        core.record(history(0))
        full = str(core.full(statement.name))
        return f"{of_kind.word} {full!r} does not exist; nothing to do."

    def work(_attempt: Attempt) -> Pending[str]:
        said = f"{of_kind.word} {str(found.name)!r} successfully dropped."
        return Pending(said, lambda: history(0), edits=(DropObject(found.object_id),))

    return core.outcome(work, history)


def undrop_object(core: Core, statement: Undrop, history: History) -> str:
    """Run UNDROP of a stream or a view: bring back the last one dropped under that name.

    Raises:
        ObjectExists: the name is taken again.
        ObjectNotFound: none of that name was dropped, or maintenance has removed it.
    """
    of_kind = KINDS[statement.kind.value]
    schema, name = core.place_of(core.full(statement.name))
    existing = core.occupant(name)
    if existing is not None:
        freed = KINDS[existing.kind].freed(name)
        raise ObjectExists(
            f"{str(name)!r} exists; a dropped {of_kind.name} cannot take its name.",
            hint=f"{freed}, then UNDROP {of_kind.keyword} {name}",
        )
    with core.database.read() as connection:
        object_id = dropped_object(connection, of_kind.name, schema.object_id, name.name)
    if object_id is None:
        raise ObjectNotFound(
            f"{of_kind.word} {str(name)!r} is not among the dropped ones.",
            hint=of_kind.made_anew(name),
        )

    def work(_attempt: Attempt) -> Pending[str]:
        said = f"{of_kind.word} {str(name)!r} successfully restored."
        return Pending(said, lambda: history(0), edits=(RestoreObject(object_id),))

    return core.outcome(work, history)


def _refuse_taken(
    core: Core, of_kind: SchemaKind, name: TableName, existing: SchemaObject, *, replace: bool
) -> None:
    """Let a CREATE take the place of an object of its kind alone, and where it says so.

    Raises:
        ObjectExists: it does not.
    """
    if existing.kind != of_kind.name:
        raise ObjectExists(
            f"{str(name)!r} is a {existing.kind}; {of_kind.name}s share the names of "
            f"{existing.kind}s.",
            hint=f"Choose another name for the {of_kind.name}.",
        )
    core.refuse_clash(of_kind.word, name.name, existing.name.name)
    if not replace:
        keyword = of_kind.keyword
        raise ObjectExists(
            f"{of_kind.word} {str(name)!r} already exists.",
            hint=f"CREATE OR REPLACE {keyword} replaces it, IF NOT EXISTS keeps it.",
        )
