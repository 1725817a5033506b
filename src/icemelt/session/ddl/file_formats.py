"""CREATE FILE FORMAT and ALTER FILE FORMAT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from icemelt.catalog.defined_records import FileFormatRecord
from icemelt.catalog.edits import (
    Edit,
    MakeDefined,
    Options,
)
from icemelt.errors import DefinitionRefused
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_object,
    create_object,
    plan_alteration,
    plan_rename,
    redefine_object,
)
from icemelt.session.files.named_formats import validate_format_options
from icemelt.session.files.read_options import validate_option_name
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.sql import statements as s
from icemelt.transactions.pending import Attempt

__all__ = ["alter_file_format", "create_file_format"]


def create_file_format(core: Core, statement: s.CreateFileFormat, history: History) -> str:
    """Run CREATE FILE FORMAT.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        DefinitionRefused: an option is unknown, has a bad value, or does not fit the others.
        NotYet: Snowflake has the option, icemelt does not yet.
    """
    validate_format_options(statement.file_type, statement.options)

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        edit = MakeDefined(
            new_id(),
            place.schema_id,
            FileFormatRecord.kind,
            place.name.name,
            {"file_type": statement.file_type.value, "options": dict(statement.options)},
            Options(comment=statement.comment),
        )
        return CreatePlan((edit,))

    def alter(_attempt: Attempt, found: FileFormatRecord) -> AlterPlan:
        _require_type(found, statement.file_type)
        edits = _edits(found, statement.options, statement.comment)
        return plan_alteration(found, edits)

    return create_object(core, statement, history, FileFormatRecord, make, alter)


def alter_file_format(core: Core, statement: s.AlterFileFormat, history: History) -> str:
    """Run ALTER FILE FORMAT: change the name, the options or the comment.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such file format.
        ObjectExists: the new name is taken.
        DefinitionRefused: the type is another, or an option is unknown, has a bad value, or does
            not fit the others.
    """

    def alter(_attempt: Attempt, found: FileFormatRecord) -> AlterPlan:
        match statement.action:
            case s.RenameTable(to):
                return plan_rename(core, found, to)
            case s.SetFormatOptions(options, file_type, comment):
                _require_type(found, file_type)
                comment = found.comment if comment is None else comment
                options = {**found.options, **options}
                validate_format_options(s.FileFormat[found.file_type], options)
                return AlterPlan(DONE, _edits(found, options, comment))
            case s.UnsetOptions(names):
                return AlterPlan(DONE, _unset(found, names))

    return alter_object(core, statement, history, FileFormatRecord, alter)


def _unset(found: FileFormatRecord, names: tuple[str, ...]) -> tuple[Edit, ...]:
    """Return the edits that give options their defaults again, and remove the comment."""
    for name in names:
        if name != "COMMENT":
            validate_option_name(s.FileFormat[found.file_type], name)
    kept = {name: value for name, value in found.options.items() if name not in names}
    validate_format_options(s.FileFormat[found.file_type], kept)
    return _edits(found, kept, None if "COMMENT" in names else found.comment)


def _edits(
    found: FileFormatRecord, options: Mapping[str, str], comment: str | None
) -> tuple[Edit, ...]:
    """Return the edits that give a file format its options and its comment; none without change.

    Args:
        found: the file format.
        options: the options, which are valid for its type.
        comment: the comment, None for none.
    """
    return redefine_object(found, replace(found, options=options, comment=comment))


def _require_type(found: FileFormatRecord, wanted: s.FileFormat | None) -> None:
    """Refuse to change the type: the options belong to it.

    Raises:
        DefinitionRefused: the file format is of another type.
    """
    if wanted is not None and wanted.value != found.file_type:
        raise DefinitionRefused(
            f"File format {str(found.name)!r} is of the type {found.file_type}, which stays.",
            hint=f"CREATE OR REPLACE FILE FORMAT {found.name} TYPE = {wanted.value} …",
        )
