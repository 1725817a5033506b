"""The life of an object in a schema, whatever its kind: made, replaced, renamed, dropped, restored.

What is of one kind alone (what CREATE writes, what else ALTER does) is given as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol, TypeVar

from icemelt.catalog.edits import DropObject, Edit, MoveObject, Options, RestoreObject
from icemelt.catalog.edits import SetOptions as OptionsEdit
from icemelt.catalog.model import BY_ID, BY_NAME
from icemelt.catalog.queries.dependencies import readers_of
from icemelt.catalog.queries.reading import (
    DEFAULT_RETENTION_DAYS,
    container,
    dropped_object,
    table_by_id,
)
from icemelt.catalog.records import ContainerRecord, SchemaObject, TableRecord
from icemelt.errors import ObjectExists, ObjectNotFound
from icemelt.names import ObjectName, TableName, refuse_bad
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.kinds import KINDS, SchemaKind
from icemelt.session.runtime.options import table_options, without
from icemelt.sql.statements import Drop, Existing, SetOptions, Undrop, UnsetOptions
from icemelt.times import written_time
from icemelt.transactions.pending import Attempt, Pending, TableWrite

__all__ = [
    "DONE",
    "Altered",
    "Made",
    "Place",
    "alter_object",
    "altered_comment",
    "altered_or_same",
    "changed_options",
    "create_object",
    "drop_object",
    "refuse_expired",
    "refuse_other_kind",
    "renamed_object",
    "undrop_object",
]

Record = TypeVar("Record", bound=SchemaObject)
DONE = "Statement executed successfully."
_DAY = 86_400_000
# readers named in a message
_MOST_TOLD = 3
# how often others may be first to make what CREATE would keep, replace or alter
_ATTEMPTS = 8


class Creation(Protocol):
    """A CREATE statement, as far as all kinds have it in common."""

    @property
    def name(self) -> ObjectName:
        """The name of the object to be."""

    @property
    def existing(self) -> Existing:
        """What becomes of an object that has the name."""

    @property
    def temporary(self) -> bool:
        """Whether the object is the session's own."""

    @property
    def runs_alone(self) -> bool:
        """Whether it is published at once, also while a transaction is open."""


class Alteration(Protocol):
    """An ALTER statement, as far as all kinds have it in common."""

    @property
    def name(self) -> ObjectName:
        """The name of the object."""

    @property
    def if_exists(self) -> bool:
        """Whether nothing is to be done where there is none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where CREATE puts an object: its full name, its schema's id, and the object it replaces."""

    name: TableName
    schema_id: str
    replaced: SchemaObject | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """What makes an object.

    Args:
        edits: the changes of the registry, in order.
        rows: how many rows the object begins with.
        version_read: the version at which the replaced table was read for it, None where it was
            not: then the table may have changed since.
    """

    edits: tuple[Edit, ...]
    rows: int = 0
    version_read: int | None = None


@dataclass(frozen=True, slots=True)
class Altered:
    """What an ALTER does: what is said of it, changes of the registry, changes of tables."""

    said: str
    edits: tuple[Edit, ...] = ()
    writes: tuple[TableWrite, ...] = ()


@dataclass(frozen=True, slots=True)
class _Created:
    """What CREATE says, and the object whose place the new one took."""

    said: str
    replaced: SchemaObject | None = None


def create_object(
    core: Core,
    statement: Creation,
    history: History,
    kind: type[Record],
    make: Callable[[Attempt, Place], Made],
    alter: Callable[[Attempt, Record], Altered],
) -> str:
    """Run a CREATE statement and return the word that says what happened.

    Where others make an object of that name at the same time, it meets theirs.

    Args:
        core: the session's parts.
        statement: the name, and what becomes of an object that has it.
        history: the statement's record in the making.
        kind: the record of the kind of object.
        make: returns what makes the object at its place.
        alter: returns what makes of the object in place one as the statement says (OR ALTER).

    Raises:
        ObjectExists: the name is taken.
        NameClash: a name differs from it by case only.
    """
    of_kind = KINDS[kind.kind]
    wanted = core.full(statement.name)
    refuse_bad(of_kind.name, wanted.name)
    schema, name = core.place_of(wanted)

    def work(attempt: Attempt) -> Pending[_Created]:
        existing = _object_in_place(core, name, temporary=statement.temporary)
        if existing is not None:
            _refuse_taken(core, of_kind, name, existing, statement.existing)
            if statement.existing is Existing.KEPT:
                said = f"{of_kind.word} {str(name)!r} already exists, statement succeeded."
                return Pending(_Created(said), lambda: history(0))
        if isinstance(existing, kind) and statement.existing is Existing.ALTERED:
            altered = alter(attempt, existing)
            changes = (altered.writes, altered.edits)
            return Pending(_Created(altered.said), lambda: history(0), *changes)
        made = make(attempt, Place(name, schema.object_id, existing))
        edits = made.edits
        if existing is not None:
            edits = (DropObject(existing.object_id, made.version_read), *edits)
        said = f"{of_kind.word} {str(name)!r} successfully created."
        return Pending(_Created(said, existing), lambda: history(made.rows), edits=edits)

    if statement.existing is Existing.REFUSED:
        return _run_creation(core, statement, history, work)
    in_place = core.find_permanent_object(name)
    for _ in range(_ATTEMPTS):
        try:
            return _run_creation(core, statement, history, work)
        except ObjectExists:
            before, in_place = in_place, core.find_permanent_object(name)
            if in_place is None or (before and before.object_id == in_place.object_id):
                raise
            # another session made it meanwhile: it is what the statement meets now
    return _run_creation(core, statement, history, work)


def alter_object(
    core: Core,
    statement: Alteration,
    history: History,
    kind: type[Record],
    alter: Callable[[Attempt, Record], Altered],
) -> str:
    """Run an ALTER statement and return the word that says what happened.

    Args:
        core: the session's parts.
        statement: the object's name.
        history: the statement's record in the making.
        kind: the record of the kind of object.
        alter: returns what is done to the object as it is found.

    Raises:
        ObjectNotFound: there is no such object.
        WrongObjectKind: an object of another kind has the name.
    """
    full = core.full(statement.name)
    if statement.if_exists and full not in core.find([full]).objects:
        core.record(history(0))
        return f"{KINDS[kind.kind].word} {str(full)!r} does not exist; nothing to do."

    def work(attempt: Attempt) -> Pending[str]:
        altered = alter(attempt, core.object_of(kind, statement.name))
        return Pending(altered.said, lambda: history(0), altered.writes, altered.edits)

    return core.outcome(work, history)


def altered_or_same(name: TableName, kind: str, *, is_altered: bool) -> str:
    """Return what CREATE OR ALTER says of an object that it met."""
    word = KINDS[kind].word
    if is_altered:
        return f"{word} {str(name)!r} successfully altered."
    return f"{word} {str(name)!r} is as the statement says already; nothing to do."


def changed_options(action: SetOptions | UnsetOptions, before: Options) -> Options:
    """Return an object's parameters after SET or UNSET of some.

    Raises:
        DefinitionRefused: a parameter is not known, or its value out of bounds.
    """
    if isinstance(action, SetOptions):
        return table_options(action.options, before)
    return without(action.options, before)


def altered_comment(found: SchemaObject, action: SetOptions | UnsetOptions) -> Altered:
    """Return what SET COMMENT or UNSET COMMENT does to an object without other parameters."""
    options = changed_options(action, Options(comment=found.comment))
    return Altered(DONE, (OptionsEdit(found.object_id, options),))


def renamed_object(core: Core, found: SchemaObject, wanted: TableName) -> tuple[MoveObject, str]:
    """Return the edit that gives an object another name or schema, and what is said of it.

    Raises:
        ObjectExists: the new name is taken.
        NameClash: a name of its kind differs from the new one by case only.
        ObjectNotFound: there is no such schema.
    """
    of_kind = KINDS[found.kind]
    refuse_bad(of_kind.name, wanted.name)
    schema, name = core.place_of(wanted)
    existing = _object_in_the_way(core, found, name)
    if existing is not None and existing.object_id != found.object_id:
        if existing.kind == found.kind:
            core.refuse_clash(of_kind.word, name.name, existing.name.name)
        raise ObjectExists(
            f"{KINDS[existing.kind].word} {str(name)!r} already exists.",
            hint=f"Choose another name, or drop that {existing.kind}.",
        )
    edit = MoveObject(found.object_id, schema.object_id, name.name, name.namespace)
    said = f"{of_kind.word} {str(found.name)!r} is {str(name)!r} now."
    return edit, said + _readers_told(core, found, "By its old name it is read by", {BY_NAME})


def drop_object(core: Core, statement: Drop, history: History) -> str:
    """Run DROP of what stands in a schema; UNDROP brings it back.

    Raises:
        ObjectNotFound: there is none of that name.
        WrongObjectKind: an object of another kind has the name.
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

    def work(_attempt: Attempt) -> Pending[None]:
        return Pending(None, lambda: history(0), edits=(DropObject(found.object_id),))

    told = _readers_told(core, found, "It is read by", {BY_NAME, BY_ID})
    transaction = core.settings.transaction  # open: then the object is a temporary table
    if transaction is None or not transaction.forget(found.object_id):
        core.run_alone(work)
    return f"{of_kind.word} {str(found.name)!r} successfully dropped.{told}"


def undrop_object(core: Core, statement: Undrop, history: History) -> str:
    """Run UNDROP of what stood in a schema: bring back the last one dropped under that name.

    Raises:
        ObjectExists: the name is taken again.
        ObjectNotFound: none of that name was dropped, its schema was dropped itself, its
            retention has ended, or maintenance has removed it.
    """
    of_kind = KINDS[statement.kind.value]
    schema, name = _place_to_undrop_at(core, of_kind, core.full(statement.name))
    existing = core.find_permanent_object(name)
    if existing is not None:
        in_place = KINDS[existing.kind]
        raise ObjectExists(
            f"{in_place.word} {str(name)!r} exists; a dropped {of_kind.name} cannot take its name.",
            hint=f"{in_place.freed(name)}, then UNDROP {of_kind.keyword} {name}",
        )
    with core.database.read() as connection:
        object_id = dropped_object(connection, of_kind.name, schema.object_id, name.name)
    if object_id is None:
        raise ObjectNotFound(
            f"{of_kind.word} {str(name)!r} is not among the dropped ones.",
            hint=of_kind.made_anew(name),
        )
    if of_kind.record is TableRecord:
        with core.database.read() as connection:
            table = table_by_id(connection, core.database, object_id)
        refuse_expired(core, f"Table {str(name)!r}", table, None)

    def work(_attempt: Attempt) -> Pending[str]:
        said = f"{of_kind.word} {str(name)!r} successfully restored."
        return Pending(said, lambda: history(0), edits=(RestoreObject(object_id),))

    return core.outcome(work, history)


def refuse_expired(
    core: Core, what: str, record: ContainerRecord | TableRecord, inherited: int | None
) -> None:
    """Let only what was dropped within its retention be restored.

    Args:
        core: the session's parts.
        what: the object's kind and name, as an error calls it.
        record: the dropped object.
        inherited: the days of retention of what is around it, None for the default.

    Raises:
        ObjectNotFound: its retention has ended.
    """
    days = record.retention_days
    if days is None:
        days = DEFAULT_RETENTION_DAYS if inherited is None else inherited
    dropped_at = record.dropped_at or 0
    if core.now() - dropped_at <= days * _DAY:
        return
    when = written_time(dropped_at, "seconds")
    raise ObjectNotFound(
        f"{what} was dropped at {when}, and its retention of {days} days has ended.",
        hint="Create it anew; a longer DATA_RETENTION_TIME_IN_DAYS keeps the next one longer.",
    )


def refuse_other_kind(of_kind: SchemaKind, name: TableName, existing: SchemaObject) -> None:
    """Let an object take the place of one of its own kind alone.

    Raises:
        ObjectExists: the object in place is of another kind.
    """
    if existing.kind == of_kind.name:
        return
    # tables had the names first
    kinds = (of_kind.name, existing.kind)
    sharing, shared = kinds if of_kind.record is not TableRecord else reversed(kinds)
    raise ObjectExists(
        f"{str(name)!r} is a {existing.kind}; {sharing}s share the names of {shared}s.",
        hint=f"Choose another name for the {of_kind.name}.",
    )


def _run_creation(
    core: Core,
    statement: Creation,
    history: History,
    work: Callable[[Attempt], Pending[_Created]],
) -> str:
    """Run a CREATE, beside the open transaction where it runs alone."""
    if not statement.runs_alone:
        return core.outcome(work, history).said
    written = core.run_alone(work)
    if written.did_nothing:
        core.record(history(0))
    replaced, transaction = written.outcome.replaced, core.settings.transaction
    if replaced is not None and transaction is not None:
        transaction.forget(replaced.object_id)
    return written.outcome.said


def _readers_told(core: Core, found: SchemaObject, words: str, bindings: Collection[str]) -> str:
    """Return a sentence on what reads an object by some bindings; "" where nothing does."""
    if isinstance(found, TableRecord) and found.session_id is not None:
        return ""
    with core.database.read() as connection:
        readers = [
            f"{reader.kind} {str(reader.name)!r}"
            for reader in readers_of(connection, found.object_id, found.name)
            if reader.binding in bindings and reader.dropped_at is None
        ]
    if not readers:
        return ""
    more = len(readers) - _MOST_TOLD
    if more > 0:
        readers = [*readers[:_MOST_TOLD], f"{more} more"]
    *others, last = readers
    return f" {words} {', '.join(others)}{' and ' if others else ''}{last}."


def _object_in_place(core: Core, name: TableName, *, temporary: bool) -> SchemaObject | None:
    """Return what a new object meets: a temporary table stands beside what others see."""
    if not temporary:
        return core.find_permanent_object(name)
    found = core.find([name]).tables.get(name)
    return None if found is None or found.session_id is None else found


def _object_in_the_way(core: Core, found: SchemaObject, name: TableName) -> SchemaObject | None:
    """Return what has a name that an object is to get; of tables also what the session sees."""
    if isinstance(found, TableRecord):
        visible = core.find([name]).tables.get(name)
        if visible is not None or found.session_id is not None:
            return visible
    return core.find_permanent_object(name)


def _refuse_taken(
    core: Core, of_kind: SchemaKind, name: TableName, existing: SchemaObject, wanted: Existing
) -> None:
    """Let a CREATE meet an object of its kind alone, and where it says what becomes of it.

    Raises:
        ObjectExists: it does not.
        NameClash: the names differ by case only.
    """
    refuse_other_kind(of_kind, name, existing)
    core.refuse_clash(of_kind.word, name.name, existing.name.name)
    if wanted is Existing.REFUSED:
        keyword = of_kind.keyword
        raise ObjectExists(
            f"{of_kind.word} {str(name)!r} already exists.",
            hint=f"CREATE OR REPLACE {keyword} replaces it, IF NOT EXISTS keeps it.",
        )


def _place_to_undrop_at(
    core: Core, of_kind: SchemaKind, name: TableName
) -> tuple[ContainerRecord, TableName]:
    """Return the schema and the name of what is to be restored.

    Raises:
        ObjectNotFound: there is no such schema; where it was dropped too, the error says to
            restore it first.
    """
    try:
        return core.place_of(name)
    except ObjectNotFound as error:
        with core.database.read() as connection:
            database = container(connection, name.database)
            parent_id = None if database is None else database.object_id
            kind = "database" if database is None else "schema"
            missing = name.database if database is None else name.schema
            if dropped_object(connection, kind, parent_id, missing) is None:
                raise
        gone = name.database if database is None else f"{name.database}.{name.schema}"
        raise ObjectNotFound(
            f"{kind.capitalize()} {gone!r} of {of_kind.name} {str(name)!r} was dropped itself.",
            hint=f"UNDROP {kind.upper()} {gone}",
        ) from error
