"""CREATE SEQUENCE and ALTER SEQUENCE."""

from __future__ import annotations

from dataclasses import replace

from icemelt.catalog.defined_records import SequenceRecord
from icemelt.catalog.next_values import LARGEST, LEAST
from icemelt.errors import DefinitionRefused
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_object,
    create_object,
    make_defined,
    plan_alteration,
    plan_rename,
    redefine_object,
)
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.sql import statements as s
from icemelt.transactions.pending import Attempt

__all__ = ["alter_sequence", "create_sequence", "validate_numbers"]


def create_sequence(core: Core, statement: s.CreateSequence, history: History) -> str:
    """Run CREATE SEQUENCE.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        DefinitionRefused: a number has more than 64 bits; or OR ALTER would change the start.
    """
    validate_numbers(statement.start, statement.increment)

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        record = SequenceRecord(
            new_id(),
            place.name,
            core.user,
            statement.comment,
            0,
            statement.start,
            statement.increment,
            statement.is_ordered,
        )
        return CreatePlan((make_defined(record, place.schema_id),))

    def alter(_attempt: Attempt, found: SequenceRecord) -> AlterPlan:
        if found.start != statement.start:
            raise DefinitionRefused(
                f"Sequence {str(found.name)!r} has started with {found.start}, which stays.",
                hint=f"CREATE OR REPLACE SEQUENCE {found.name} START = {statement.start} begins "
                "anew, and gives numbers again that it has given before.",
            )
        wanted = replace(
            found,
            increment=statement.increment,
            is_ordered=statement.is_ordered,
            comment=statement.comment,
        )
        return plan_alteration(found, redefine_object(found, wanted))

    return create_object(core, statement, history, SequenceRecord, make, alter)


def alter_sequence(core: Core, statement: s.AlterSequence, history: History) -> str:
    """Run ALTER SEQUENCE: change the name, the increment, the order or the comment.

    The next number is known before: another increment counts from there on, as in Snowflake.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such sequence.
        ObjectExists: the new name is taken.
        DefinitionRefused: the increment has more than 64 bits.
    """

    def alter(_attempt: Attempt, found: SequenceRecord) -> AlterPlan:
        match statement.action:
            case s.RenameTable(to):
                return plan_rename(core, found, to)
            case s.UnsetOptions():
                return AlterPlan(DONE, redefine_object(found, replace(found, comment=None)))
            case s.SetSequence(increment, is_ordered, comment):
                wanted = replace(
                    found,
                    increment=found.increment if increment is None else increment,
                    is_ordered=found.is_ordered if is_ordered is None else is_ordered,
                    comment=found.comment if comment is None else comment,
                )
                validate_numbers(found.start, wanted.increment)
                return AlterPlan(DONE, redefine_object(found, wanted))

    return alter_object(core, statement, history, SequenceRecord, alter)


def validate_numbers(start: int, increment: int) -> None:
    """Require the start and the increment of a sequence to have 64 bits.

    Raises:
        DefinitionRefused: one of them has more.

    >>> validate_numbers(2**63, 1)
    Traceback (most recent call last):
    icemelt.errors.DefinitionRefused: A sequence has numbers of 64 bits, found 9223372036854775808.
    Hint: Write a number from -9223372036854775808 to 9223372036854775807.
    """
    for number in (start, increment):
        if not LEAST <= number <= LARGEST:
            raise DefinitionRefused(
                f"A sequence has numbers of 64 bits, found {number}.",
                hint=f"Write a number from {LEAST} to {LARGEST}.",
            )
