"""SHOW SEQUENCES and DESCRIBE SEQUENCE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from icemelt.catalog.defined_records import SequenceRecord
from icemelt.catalog.next_values import find_next_values
from icemelt.names import ObjectName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import find_defined, list_tersely
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = [
    "SEQUENCE_COLUMNS",
    "describe_sequence",
    "next_values_of",
    "sequence_row",
    "show_sequences",
]

SEQUENCE_COLUMNS = (
    "name",
    "database_name",
    "schema_name",
    "next_value",
    "interval",
    "created_on",
    "owner",
    "comment",
    "owner_role_type",
    "ordered",
)


def show_sequences(core: Core, statement: Show) -> LocalRows:
    """Run SHOW SEQUENCES: Snowflake's columns; `next_value` is NULL where no number is left."""
    listed = find_defined(core, statement, SequenceRecord)
    if statement.terse:
        return list_tersely(listed)
    values = next_values_of(core, listed)
    return LocalRows(SEQUENCE_COLUMNS, tuple(sequence_row(each, values) for each in listed))


def describe_sequence(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE SEQUENCE: the sequence's row of SHOW SEQUENCES."""
    found = core.object_of(SequenceRecord, name)
    return LocalRows(SEQUENCE_COLUMNS, (sequence_row(found, next_values_of(core, [found])),))


def next_values_of(core: Core, sequences: Sequence[SequenceRecord]) -> Mapping[str, int | None]:
    """Return the next numbers of sequences, by object id."""
    ids = [sequence.object_id for sequence in sequences]
    with core.database.read() as connection:
        found = find_next_values(connection, ids)
    return {each.object_id: found.get((each.object_id, 0), each.start) for each in sequences}


def sequence_row(sequence: SequenceRecord, values: Mapping[str, int | None]) -> tuple[Any, ...]:
    """Return a sequence's row of SHOW SEQUENCES.

    Args:
        sequence: the sequence.
        values: the next numbers of sequences, by object id.
    """
    return (
        sequence.name.name,
        sequence.name.database,
        sequence.name.schema,
        values[sequence.object_id],
        sequence.increment,
        as_datetime(sequence.created_at),
        sequence.owner,
        sequence.comment or "",
        "ROLE",
        "Y" if sequence.is_ordered else "N",
    )
