"""Columns whose default is a new number for each row: `s.NEXTVAL`, and AUTOINCREMENT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from icemelt.catalog.defined_records import SequenceRecord
from icemelt.errors import DefinitionRefused
from icemelt.names import QualifiedName
from icemelt.schema import Column, DataType, DecimalType, Primitive, sql_type
from icemelt.session.ddl.sequences import validate_numbers
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.next_values import find_default_sequence
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import read_identity
from icemelt.tables.metadata.document import DEFAULT_PREFIX, TableMetadata

__all__ = ["map_sequences", "refuse_rows", "settle_column", "settle_default"]


def settle_column(core: Core, column: Column) -> Column:
    """Return a column with the full name of the sequence in its default, if it has one.

    Args:
        core: the session's parts.
        column: the column of a statement.

    Raises:
        ObjectNotFound: there is no such sequence.
        WrongObjectKind: the name belongs to an object of another kind.
        DefinitionRefused: the column's type has no numbers, or the numbers have no 64 bits.
    """
    return replace(column, default=settle_default(core, column.name, column.type, column.default))


def settle_default(core: Core, name: str, data_type: DataType, default: str | None) -> str | None:
    """Return a default with the full name of the sequence in it, as `settle_column`.

    Args:
        core: the session's parts.
        name: the column's name.
        data_type: the column's type.
        default: the text of the default, None for no default.
    """
    identity, sequence = read_identity(default), find_default_sequence(default)
    if identity is None and sequence is None:
        return default
    has_numbers = isinstance(data_type, DecimalType) or data_type in _NUMBERS
    if not has_numbers:
        raise DefinitionRefused(
            f"Column {name!r} is {sql_type(data_type)}, and numbers of rows are whole numbers.",
            hint=f"{name} INT",
        )
    if identity is not None:
        validate_numbers(identity.start, identity.increment)
        return default
    assert sequence is not None  # noqa: S101 - one of the two is there
    return f"{full_name(core.object_of(SequenceRecord, sequence).name)}.NEXTVAL"


def map_sequences(
    metadata: TableMetadata, map_name: Callable[[QualifiedName], QualifiedName]
) -> TableMetadata:
    """Return a table's metadata with other names of sequences in the defaults of its columns.

    Args:
        metadata: the metadata.
        map_name: returns the full name of a sequence to write instead of a full name.
    """
    properties = dict(metadata.properties)
    for name, default in metadata.properties.items():
        sequence = find_default_sequence(default) if name.startswith(DEFAULT_PREFIX) else None
        if sequence is not None:
            properties[name] = f"{full_name(map_name(QualifiedName(*sequence.parts)))}.NEXTVAL"
    return replace(metadata, properties=properties)


def refuse_rows(column: Column) -> DefinitionRefused:
    """Return the error for a new column that numbers rows, of a table that has or had rows."""
    return DefinitionRefused(
        f"New column {column.name!r} numbers rows, and rows that are there would have no number.",
        hint="CREATE TABLE … with the column, then INSERT INTO … SELECT the other columns.",
    )


_NUMBERS = frozenset(map(Primitive, ("int", "long", "float", "double")))
