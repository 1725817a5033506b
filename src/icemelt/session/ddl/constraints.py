"""UNIQUE and FOREIGN KEY of tables: checked when declared, kept with the table, never enforced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.catalog.records import TableRecord, Wanted
from icemelt.errors import ColumnNotFound, DefinitionRefused
from icemelt.names import QualifiedName, fold
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.sql.statements import DropConstraint, ForeignKey, UniqueKey
from icemelt.tables.metadata.document import (
    CONSTRAINTS_PROPERTY,
    Constraint,
    TableMetadata,
    constraint_document,
)

__all__ = [
    "DeclaredTable",
    "add_constraint",
    "drop_constraint",
    "find_referenced",
    "find_unique_columns",
    "map_references",
    "renumber",
]


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table that gets constraints.

    Attributes:
        name: the full name.
        columns: the columns, with their field ids.
        key: the field ids of the primary key, empty for none.
        constraints: the constraints that it has.
    """

    name: QualifiedName
    columns: Sequence[Column]
    key: tuple[int, ...]
    constraints: tuple[Constraint, ...] = ()


def add_constraint(
    core: Core, table: DeclaredTable, declared: UniqueKey | ForeignKey
) -> tuple[Constraint, ...]:
    """Return a table's constraints with one more.

    Args:
        core: the session's parts.
        table: the table.
        declared: the constraint of the statement.

    Raises:
        ColumnNotFound: the constraint names a column that the table lacks.
        DefinitionRefused: the constraint is there already, or references no key.
        ObjectNotFound: the referenced table does not exist.
    """
    ids = _field_ids(table, declared.columns)
    name = fold(declared.name) if declared.name else _free_name(table.constraints)
    if any(present.name == name for present in table.constraints):
        raise DefinitionRefused(
            f"Table {str(table.name)!r} has a constraint {name!r} already.",
            hint="Choose another name, or leave CONSTRAINT and the name out.",
        )
    if isinstance(declared, UniqueKey):
        made = Constraint(name, ids, declared.rely)
    else:
        table_id, references = _find_referenced(core, table, declared, ids)
        made = Constraint(name, ids, declared.rely, table_id, references)
    return (*table.constraints, made)


def drop_constraint(table: DeclaredTable, dropped: DropConstraint) -> tuple[Constraint, ...]:
    """Return a table's constraints without one.

    Raises:
        DefinitionRefused: the table has no such constraint.
    """
    ids = _field_ids(table, dropped.columns)
    of_unique = dropped.kind == "UNIQUE"
    kept = tuple(
        each
        for each in table.constraints
        if (
            each.name != fold(dropped.name)
            if dropped.name is not None
            else each.field_ids != ids or of_unique == bool(each.references)
        )
    )
    if len(kept) == len(table.constraints):
        names = ", ".join(each.name for each in kept)
        raise DefinitionRefused(
            f"Table {str(table.name)!r} has no such constraint.",
            hint=f"It has {names}." if names else "It has none but perhaps a primary key.",
        )
    return kept


def renumber(constraint: Constraint, numbers: Mapping[int | None, int]) -> Constraint:
    """Return a constraint of a table for another one with the same columns.

    Args:
        constraint: the constraint.
        numbers: the field ids of the other table, by those of the table.
    """
    is_own = constraint.table_id is None
    references = tuple(numbers[i] for i in constraint.references) if is_own else None
    return replace(
        constraint,
        field_ids=tuple(numbers[i] for i in constraint.field_ids),
        references=constraint.references if references is None else references,
    )


def map_references(metadata: TableMetadata, ids: Mapping[str, str]) -> TableMetadata:
    """Return a table's metadata whose foreign keys reference other tables.

    Args:
        metadata: the metadata.
        ids: the ids of tables to reference instead, by the ids that are referenced.
    """
    constraints = [
        replace(each, table_id=ids.get(each.table_id or "", each.table_id))
        for each in metadata.constraints
    ]
    kept = constraint_document(constraints)
    if kept is None:
        return metadata
    return replace(metadata, properties={**metadata.properties, CONSTRAINTS_PROPERTY: kept})


def find_referenced(
    core: Core, table: TableRecord, metadata: TableMetadata, constraint: Constraint
) -> tuple[QualifiedName, tuple[str, ...]] | None:
    """Return the name and the columns that a foreign key references.

    None for a dropped table, and where the columns are no key of the table any more.

    Args:
        core: the session's parts.
        table: the table with the foreign key.
        metadata: its metadata.
        constraint: the foreign key.
    """
    other, found = table, metadata
    if constraint.table_id is not None:
        listing = core.resolver.list_objects(Wanted(frozenset({TableRecord.kind})))
        tables = {listed.table.object_id: listed.table for listed in listing.tables}
        if constraint.table_id not in tables:
            return None
        other = tables[constraint.table_id]
        found = core.metadata(other)
    if found.find_key(constraint.references) is None:
        return None
    names = {column.field_id: column.name for column in found.columns}
    return other.name, tuple(names[each] for each in constraint.references)


def find_unique_columns(metadata: TableMetadata) -> set[str]:
    """Return the names of the columns that are in a UNIQUE key of a table."""
    ids = {each for key in metadata.constraints if not key.references for each in key.field_ids}
    return {column.name for column in metadata.columns if column.field_id in ids}


def _find_referenced(
    core: Core, table: DeclaredTable, declared: ForeignKey, ids: tuple[int, ...]
) -> tuple[str | None, tuple[int, ...]]:
    """Return the table that a foreign key references, None for its own, and the columns there.

    Args:
        core: the session's parts.
        table: the table with the foreign key.
        declared: the foreign key of the statement.
        ids: the field ids of its columns.
    """
    full = core.full(declared.table)
    if full.folded == table.name.folded:
        referenced, table_id = table, None
    else:
        record = core.table(declared.table)
        metadata = core.metadata(record)
        key = () if metadata.key is None else metadata.key.field_ids
        referenced = DeclaredTable(record.name, metadata.columns, key, metadata.constraints)
        table_id = record.object_id
    wanted = _field_ids(referenced, declared.references) or referenced.key
    _require_key(referenced, wanted, len(ids))
    _require_types(table, ids, referenced, wanted)
    return table_id, wanted


def _require_key(referenced: DeclaredTable, wanted: tuple[int, ...], count: int) -> None:
    """Refuse to reference columns that are no key, as Snowflake does."""
    keys = [referenced.key, *(each.field_ids for each in referenced.constraints)]
    unique = [set(key) for key in keys if key]
    if len(wanted) == count and set(wanted) in unique:
        return
    raise DefinitionRefused(
        f"The columns of table {str(referenced.name)!r} that the foreign key references are no "
        "key of it.",
        hint=f"ALTER TABLE {referenced.name} ADD PRIMARY KEY (…), or ADD UNIQUE (…).",
    )


def _require_types(
    table: DeclaredTable,
    ids: tuple[int, ...],
    referenced: DeclaredTable,
    wanted: tuple[int, ...],
) -> None:
    """Refuse columns of other types than the referenced ones.

    Args:
        table: the table with the foreign key.
        ids: the field ids of its columns.
        referenced: the referenced table.
        wanted: the field ids of the referenced columns.
    """
    own = {column.field_id: column for column in table.columns}
    others = {column.field_id: column for column in referenced.columns}
    for column, other in ((own[i], others[j]) for i, j in zip(ids, wanted, strict=True)):
        if type(column.type) is not type(other.type) or _word(column) != _word(other):
            raise DefinitionRefused(
                f"Column {column.name!r} has another type than {other.name!r} of table "
                f"{str(referenced.name)!r}.",
                hint="Give both columns the same type.",
            )


def _word(column: Column) -> str:
    """Return the type of a column without its length."""
    return str(getattr(column.type, "name", column.type))


def _field_ids(table: DeclaredTable, names: Sequence[str]) -> tuple[int, ...]:
    by_name = {fold(column.name): column for column in table.columns}
    ids: list[int] = []
    for name in names:
        column = by_name.get(fold(name))
        if column is None:
            raise ColumnNotFound(
                f"Column {name!r} of the key does not exist in table {str(table.name)!r}.",
                hint=f"The columns are {', '.join(each.name for each in table.columns)}.",
            )
        if column.field_id in ids:
            raise DefinitionRefused(
                f"A key of table {str(table.name)!r} names column {name!r} twice.",
                hint="Name each column once.",
            )
        ids.append(column.field_id or 0)
    return tuple(ids)


def _free_name(constraints: tuple[Constraint, ...]) -> str:
    taken = {constraint.name for constraint in constraints}
    names = (f"sys_constraint_{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
