"""The life of every kind of object in a schema: create, replace, alter, rename, drop, restore.

The kind's own module passes functions for the rest: the edits of CREATE, further actions of ALTER.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from icemelt.catalog.defined_records import DefinedRecord, StageRecord
from icemelt.catalog.edits import (
    DropObject,
    Edit,
    MakeDefined,
    MoveObject,
    Options,
    RedefineObject,
    RestoreObject,
    SetObjectOptions,
)
from icemelt.catalog.queries.reading import (
    DEFAULT_RETENTION_DAYS,
    container,
    dropped_object,
    table_by_id,
)
from icemelt.catalog.records import ContainerRecord, SchemaObject, TableRecord, is_temporary
from icemelt.errors import ObjectExists, ObjectNotFound
from icemelt.names import ObjectName, QualifiedName, validate_name
from icemelt.session.ddl.readers import describe_readers, describe_readers_of_name
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.kinds import KINDS, SchemaKind
from icemelt.session.runtime.options import table_options, unset_options
from icemelt.sql.statements import Drop, Existing, SetOptions, Undrop, UnsetOptions
from icemelt.times import format_time
from icemelt.transactions.pauses import retry_lost_races
from icemelt.transactions.pending import Attempt, Pending, TableWrite

__all__ = [
    "DONE",
    "AlterPlan",
    "CreatePlace",
    "CreatePlan",
    "alter_comment",
    "alter_object",
    "change_options",
    "create_object",
    "describe_alteration",
    "drop_object",
    "make_defined",
    "plan_alteration",
    "plan_rename",
    "redefine_object",
    "rename_object",
    "undrop_object",
    "validate_kind",
    "validate_retention",
]

Record = TypeVar("Record", bound=SchemaObject)
DONE = "Statement executed successfully."
_DAY_MILLISECONDS = 86_400_000
# how often other sessions may be first to create the object that CREATE keeps, replaces or alters
_ATTEMPTS = 21


class CreateStatement(Protocol):
    """The common part of the CREATE statements of all kinds."""

    @property
    def name(self) -> ObjectName:
        """The name of the new object."""

    @property
    def existing(self) -> Existing:
        """What happens to an existing object with the name."""

    @property
    def temporary(self) -> bool:
        """Whether the object belongs to the session alone."""

    @property
    def runs_alone(self) -> bool:
        """Whether the object is published at once, even while a transaction is open."""


class AlterStatement(Protocol):
    """The common part of the ALTER statements of all kinds."""

    @property
    def name(self) -> ObjectName:
        """The name of the object."""

    @property
    def if_exists(self) -> bool:
        """Whether a missing object is no error."""


@dataclass(frozen=True, slots=True)
class CreatePlace:
    """Where CREATE puts an object: the full name, the schema's id, and the object to replace."""

    name: QualifiedName
    schema_id: str
    replaced: SchemaObject | None = None


@dataclass(frozen=True, slots=True)
class CreatePlan:
    """The plan of a CREATE.

    Args:
        edits: the edits of the registry, in order.
        rows: how many rows the object begins with.
        version_read: the version of the replaced table that the new rows were read from, None where
            they were read elsewhere: then the replaced table may have changed since.
        first: the edits that come before the replaced object is dropped.
    """

    edits: tuple[Edit, ...]
    rows: int = 0
    version_read: int | None = None
    first: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterPlan:
    """The plan of an ALTER: a sentence, the edits of the registry, and the writes of tables."""

    said: str
    edits: tuple[Edit, ...] = ()
    writes: tuple[TableWrite, ...] = ()


@dataclass(frozen=True, slots=True)
class _CreateOutcome:
    """The outcome of a CREATE: a sentence, and the replaced object."""

    said: str
    replaced: SchemaObject | None = None


def create_object(
    core: Core,
    statement: CreateStatement,
    history: History,
    kind: type[Record],
    make: Callable[[Attempt, CreatePlace], CreatePlan],
    alter: Callable[[Attempt, Record], AlterPlan],
) -> str:
    """Run a CREATE statement of any kind; return a sentence about what happened.

    If another session creates an object of the name at the same time, the statement runs again and
    meets that object.

    Args:
        core: the session's parts.
        statement: the name, and what happens to an existing object.
        history: makes the statement's record in the history.
        kind: the record class of the kind.
        make: returns what creates the object at its place.
        alter: returns what changes the existing object as the statement says (OR ALTER).

    Raises:
        ObjectExists: the name is taken.
        NameClash: an existing name differs by case only.
    """
    of_kind = KINDS[kind.kind]
    wanted = core.full(statement.name).in_space_of(of_kind.name)
    validate_name(of_kind.name, wanted.name)
    schema, name = core.place_of(wanted)

    def work(attempt: Attempt) -> Pending[_CreateOutcome]:
        existing = _find_object_in_place(core, kind, name, temporary=statement.temporary)
        if existing is not None:
            _validate_existing(core, of_kind, name, existing, statement.existing)
            if statement.existing is Existing.KEPT:
                said = f"{of_kind.word} {str(name)!r} already exists, statement succeeded."
                return Pending(_CreateOutcome(said), lambda: history(0))
        if isinstance(existing, kind) and statement.existing is Existing.ALTERED:
            altered = alter(attempt, existing)
            changes = (altered.writes, altered.edits)
            return Pending(_CreateOutcome(altered.said), lambda: history(0), *changes)
        plan = make(attempt, CreatePlace(name, schema.object_id, existing))
        dropped = () if existing is None else (DropObject(existing.object_id, plan.version_read),)
        edits = (*plan.first, *dropped, *plan.edits)
        said = f"{of_kind.word} {str(name)!r} successfully created."
        return Pending(_CreateOutcome(said, existing), lambda: history(plan.rows), edits=edits)

    if statement.existing is Existing.REFUSED:
        return _run_creation(core, statement, history, work)
    in_place = core.find_permanent_object(name)

    def is_of_others(error: BaseException) -> bool:
        """Tell whether another session has made the object, and the statement meets it now."""
        nonlocal in_place
        if not isinstance(error, ObjectExists):
            return False
        before, in_place = in_place, core.find_permanent_object(name)
        return in_place is not None and (before is None or before.object_id != in_place.object_id)

    retrying = retry_lost_races(is_of_others, _ATTEMPTS, core.jobs.raise_if_cancelled)
    return retrying(_run_creation, core, statement, history, work)


def alter_object(
    core: Core,
    statement: AlterStatement,
    history: History,
    kind: type[Record],
    alter: Callable[[Attempt, Record], AlterPlan],
) -> str:
    """Run an ALTER statement of any kind; return a sentence about what happened.

    Args:
        core: the session's parts.
        statement: the object's name, and IF EXISTS.
        history: makes the statement's record in the history.
        kind: the record class of the kind.
        alter: returns what changes the object as it is found.

    Raises:
        ObjectNotFound: there is no such object.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    full = core.full(statement.name).in_space_of(kind.kind)
    if statement.if_exists and full not in core.find([full]).objects:
        core.record(history(0))
        return f"{KINDS[kind.kind].word} {str(full)!r} does not exist; nothing to do."

    def work(attempt: Attempt) -> Pending[str]:
        altered = alter(attempt, core.object_of(kind, statement.name))
        return Pending(altered.said, lambda: history(0), altered.writes, altered.edits)

    return core.outcome(work, history)


def describe_alteration(name: QualifiedName, kind: str, *, is_altered: bool) -> str:
    """Return the sentence of CREATE OR ALTER about an existing object.

    Args:
        name: the object's name.
        kind: the name of the kind.
        is_altered: whether the statement changed the object.
    """
    word = KINDS[kind].word
    if is_altered:
        return f"{word} {str(name)!r} successfully altered."
    return f"{word} {str(name)!r} is as the statement says already; nothing to do."


def plan_alteration(found: SchemaObject, edits: tuple[Edit, ...]) -> AlterPlan:
    """Return the plan of CREATE OR ALTER that publishes edits of an existing object, or says none.

    Args:
        found: the object.
        edits: what is to be altered.
    """
    return AlterPlan(describe_alteration(found.name, found.kind, is_altered=bool(edits)), edits)


def change_options(action: SetOptions | UnsetOptions, before: Options) -> Options:
    """Return an object's parameters after SET or UNSET.

    Raises:
        DefinitionRefused: there is no such parameter, or its value is out of bounds.
    """
    if isinstance(action, SetOptions):
        return table_options(action.options, before)
    return unset_options(action.options, before)


def alter_comment(found: SchemaObject, action: SetOptions | UnsetOptions) -> AlterPlan:
    """Return the plan to set or unset the comment of an object without other parameters."""
    after = change_options(action, Options(comment=found.comment))
    return AlterPlan(DONE, (SetObjectOptions(found.object_id, after),))


def make_defined(
    record: DefinedRecord, schema_id: str, session_id: str | None = None
) -> MakeDefined:
    """Return the edit that makes an object of a kind with a definition.

    Args:
        record: the object as it will be.
        schema_id: the id of its schema.
        session_id: the session of a temporary object, None for a permanent object.
    """
    return MakeDefined(
        record.object_id,
        schema_id,
        record.kind,
        record.name.name,
        record.definition,
        Options(comment=record.comment),
        session_id,
    )


def redefine_object(before: DefinedRecord, after: DefinedRecord) -> tuple[Edit, ...]:
    """Return the edits that give an object another definition and comment; none without change.

    Args:
        before: the object, of a kind with a definition.
        after: the object as it will be.
    """
    edits: list[Edit] = []
    if after.definition != before.definition:
        edits.append(RedefineObject(before.object_id, before.definition, after.definition))
    if after.comment != before.comment:
        edits.append(SetObjectOptions(before.object_id, Options(comment=after.comment)))
    return tuple(edits)


def plan_rename(core: Core, found: SchemaObject, to: ObjectName) -> AlterPlan:
    """Return the plan to rename or move an object; a name without a schema is in the object's.

    Args:
        core: the session's parts.
        found: the object.
        to: the new name, as written.

    Raises:
        ObjectExists: the new name is taken.
        NameClash: an existing name of the kind differs by case only.
        ObjectNotFound: there is no such schema.
    """
    edit, said = rename_object(core, found, to.within(found.name.database, found.name.schema))
    return AlterPlan(said, (edit,))


def rename_object(core: Core, found: SchemaObject, wanted: QualifiedName) -> tuple[MoveObject, str]:
    """Return the edit to rename or move an object, and a sentence about the new name.

    Args:
        core: the session's parts.
        found: the object.
        wanted: the new full name.

    Raises:
        ObjectExists: the new name is taken.
        NameClash: an existing name of the kind differs by case only.
        ObjectNotFound: there is no such schema.
    """
    of_kind = KINDS[found.kind]
    validate_name(of_kind.name, wanted.name)
    schema, name = core.place_of(wanted)
    existing = _find_object_in_the_way(core, found, name)
    if existing is not None and existing.object_id != found.object_id:
        if existing.kind == found.kind:
            core.refuse_clash(of_kind.word, name.name, existing.name.name)
        raise ObjectExists(
            f"{KINDS[existing.kind].word} {str(name)!r} already exists.",
            hint=f"Choose another name, or drop that {existing.kind}.",
        )
    edit = MoveObject(found.object_id, schema.object_id, name.name, name.namespace)
    said = f"{of_kind.word} {str(found.name)!r} is {str(name)!r} now."
    return edit, said + describe_readers_of_name(core, found)


def drop_object(
    core: Core,
    statement: Drop,
    history: History,
    plan: Callable[[SchemaObject], tuple[Edit, ...]] = lambda found: (DropObject(found.object_id),),
) -> str:
    """Run DROP of an object in a schema; UNDROP can restore the object.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.
        plan: returns the edits that drop the object.

    Raises:
        ObjectNotFound: there is no such object.
        WrongObjectKind: the name belongs to an object of another kind.
    """
    of_kind = KINDS[statement.kind.value]
    try:
        record = core.object_of(of_kind.record, statement.name)
    except ObjectNotFound:
        if not statement.if_exists:
            raise
        core.record(history(0))
        return f"{of_kind.word} {str(core.full(statement.name))!r} does not exist; nothing to do."

    def work(_: Attempt) -> Pending[None]:
        return Pending(None, lambda: history(0), edits=plan(record))

    readers = describe_readers(core, record)
    transaction = core.settings.transaction  # if open, the object is a temporary table
    if transaction is None or not transaction.forget(record.object_id):
        core.run_alone(work)
    return f"{of_kind.word} {str(record.name)!r} successfully dropped.{readers}"


def undrop_object(
    core: Core,
    statement: Undrop,
    history: History,
    plan: Callable[[CreatePlace, str], tuple[Edit, ...]] = lambda _, found: (RestoreObject(found),),
) -> str:
    """Run UNDROP of an object in a schema: restore the object that was dropped last under a name.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.
        plan: returns the edits that restore the object of an id at a place.

    Raises:
        ObjectExists: the name is taken again.
        ObjectNotFound: no object of the name was dropped, its schema was dropped itself, its
            retention has ended, or maintenance has removed it.
    """
    of_kind = KINDS[statement.kind.value]
    schema, name = _find_place_to_restore(core, of_kind, core.full(statement.name))
    existing = core.find_permanent_object(name)
    if existing is not None:
        in_place = KINDS[existing.kind]
        raise ObjectExists(
            f"{in_place.word} {str(name)!r} exists; a dropped {of_kind.name} cannot take its name.",
            hint=f"{in_place.free_name(name)}, then UNDROP {of_kind.keyword} {name}",
        )
    with core.database.read() as connection:
        object_id = dropped_object(connection, of_kind.name, schema.object_id, name.name)
    if object_id is None:
        raise ObjectNotFound(
            f"{of_kind.word} {str(name)!r} is not among the dropped ones.",
            hint=of_kind.create_again(name),
        )
    if of_kind.record is TableRecord:
        with core.database.read() as connection:
            table = table_by_id(connection, core.database, object_id)
        validate_retention(core, f"Table {str(name)!r}", table, None)

    def work(_: Attempt) -> Pending[None]:
        edits = plan(CreatePlace(name, schema.object_id), object_id)
        return Pending(None, lambda: history(0), edits=edits)

    core.outcome(work, history)
    return f"{of_kind.word} {str(name)!r} successfully restored."


def validate_retention(
    core: Core, what: str, record: ContainerRecord | TableRecord, inherited: int | None
) -> None:
    """Refuse to restore an object dropped longer ago than the retention.

    Args:
        core: the session's parts.
        what: the object's kind and name, for the error.
        record: the dropped object.
        inherited: the days of retention of the schema or database around it, None for the default.

    Raises:
        ObjectNotFound: the retention has ended.
    """
    days = record.retention_days
    if days is None:
        days = DEFAULT_RETENTION_DAYS if inherited is None else inherited
    dropped_at = record.dropped_at or 0
    if core.now() - dropped_at <= days * _DAY_MILLISECONDS:
        return
    when = format_time(dropped_at, "seconds")
    raise ObjectNotFound(
        f"{what} was dropped at {when}, and its retention of {days} days has ended.",
        hint="Create it anew; a longer DATA_RETENTION_TIME_IN_DAYS keeps the next one longer.",
    )


def validate_kind(of_kind: SchemaKind, name: QualifiedName, existing: SchemaObject) -> None:
    """Refuse to put an object in the place of an object of another kind.

    Args:
        of_kind: the kind of the new object.
        name: the name of both.
        existing: the object in place.

    Raises:
        ObjectExists: the object in place is of another kind.
    """
    if existing.kind == of_kind.name:
        return
    # the message names tables last: other kinds share the names of tables
    kinds = (of_kind.name, existing.kind)
    sharing, shared = kinds if of_kind.record is not TableRecord else reversed(kinds)
    what = KINDS[existing.kind].with_article
    raise ObjectExists(
        f"{str(name)!r} is {what}; {sharing}s share the names of {shared}s.",
        hint=f"Choose another name for the {of_kind.name}.",
    )


def _run_creation(
    core: Core,
    statement: CreateStatement,
    history: History,
    work: Callable[[Attempt], Pending[_CreateOutcome]],
) -> str:
    """Run a CREATE, in a transaction of its own if the statement runs alone."""
    if not statement.runs_alone:
        return core.outcome(work, history).said
    written = core.run_alone(work)
    if written.did_nothing:
        core.record(history(0))
    replaced, transaction = written.outcome.replaced, core.settings.transaction
    if replaced is not None and transaction is not None:
        transaction.forget(replaced.object_id)
    return written.outcome.said


def _find_object_in_place(
    core: Core, kind: type[Record], name: QualifiedName, *, temporary: bool
) -> SchemaObject | None:
    """Return the object that a new object meets.

    A temporary object hides a permanent object of its kind, and a temporary table any object.
    """
    if not temporary:
        return core.find_permanent_object(name)
    found = core.find([name]).objects.get(name)
    if found is None or is_temporary(found):
        return found
    return None if kind is TableRecord or isinstance(found, kind) else found


def _find_object_in_the_way(
    core: Core, found: SchemaObject, name: QualifiedName
) -> SchemaObject | None:
    """Return the object that already has the new name of an object.

    For an object of a kind that may be temporary, this may be a temporary object of the session.
    """
    if isinstance(found, TableRecord | StageRecord):
        visible = core.find([name]).objects.get(name)
        if visible is not None and (visible.kind == found.kind or is_temporary(visible)):
            return visible
        if is_temporary(found):
            return None
    return core.find_permanent_object(name)


def _validate_existing(
    core: Core, of_kind: SchemaKind, name: QualifiedName, existing: SchemaObject, wanted: Existing
) -> None:
    """Refuse a CREATE that may not meet the object in place.

    Raises:
        ObjectExists: the object is of another kind, or the statement says nothing about it.
        NameClash: the names differ by case only.
    """
    validate_kind(of_kind, name, existing)
    core.refuse_clash(of_kind.word, name.name, existing.name.name)
    if wanted is Existing.REFUSED:
        keyword = of_kind.keyword
        raise ObjectExists(
            f"{of_kind.word} {str(name)!r} already exists.",
            hint=f"CREATE OR REPLACE {keyword} replaces it, IF NOT EXISTS keeps it.",
        )


def _find_place_to_restore(
    core: Core, of_kind: SchemaKind, name: QualifiedName
) -> tuple[ContainerRecord, QualifiedName]:
    """Return the schema and the full name of an object to restore.

    Raises:
        ObjectNotFound: there is no such schema; if the schema was dropped too, the hint is to
            restore the schema first.
    """
    try:
        return core.place_of(name.in_space_of(of_kind.name))
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
