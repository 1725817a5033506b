"""CREATE OR ALTER TABLE: find the actions of ALTER TABLE that lead to the definition.

Columns are matched by name. Columns that the statement does not name are dropped, new columns are
added at the end. Parameters that the statement does not name are unset, except CHANGE_TRACKING. For
example:

    table      t (id INT, v INT, old INT)
    statement  CREATE OR ALTER TABLE t (id BIGINT, v INT, note VARCHAR)
    actions    DROP COLUMN old; ALTER COLUMN id SET DATA TYPE BIGINT; ADD COLUMN note VARCHAR
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from icemelt.catalog.edits import Options
from icemelt.catalog.parameters import find_own_options
from icemelt.catalog.queries.reading import tracking_spans
from icemelt.catalog.records import TableRecord
from icemelt.errors import DefinitionRefused, NotYet
from icemelt.names import fold, fold_column
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.session.ddl.constraints import DeclaredTable, add_constraint
from icemelt.session.ddl.tables import validate_distinct_names
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.options import (
    COMMENT,
    DAYS,
    PROPERTIES,
    property_options,
    table_options,
    tracking_option,
)
from icemelt.sql import statements as s
from icemelt.tables.metadata.document import TableMetadata, transform_function

__all__ = ["find_actions"]


def find_actions(
    core: Core, statement: s.CreateTable, table: TableRecord
) -> tuple[s.TableAction, ...]:
    """Return the actions that give a table the definition of a statement, in order.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        table: the table as it is.

    Raises:
        DefinitionRefused: a column would change its place, or a new one be added before the end.
        NameClash: a column's name differs from a column of the table by case only.
        NotYet: the table would have other partitions.
    """
    difference = _Difference(core, statement, table, core.metadata(table))
    difference.validate_column_order()
    difference.validate_partitions()
    key_before, key_after = difference.key_actions()
    before, after = difference.constraint_actions()
    return (
        *before,
        *key_before,
        *difference.column_actions(),
        *key_after,
        *after,
        *difference.option_actions(),
    )


@dataclass(frozen=True, slots=True)
class _Difference:
    """A table, and the statement with the wanted definition."""

    core: Core
    statement: s.CreateTable
    table: TableRecord
    metadata: TableMetadata

    def validate_column_order(self) -> None:
        """Refuse to move a column, to add a column before the end, or to name a column twice."""
        validate_distinct_names([column.name for column in self.statement.columns])
        present = {fold_column(column.name): column for column in self.metadata.columns}
        wanted = [fold_column(column.name) for column in self.statement.columns]
        for column in self.statement.columns:
            if fold_column(column.name) in present:
                existing = present[fold_column(column.name)].name
                self.core.refuse_clash("Column", column.name, existing)
        order = {name: index for index, name in enumerate(present)}
        for before, after in itertools.pairwise(wanted):
            if order.get(before, len(order)) > order.get(after, len(order)):
                raise DefinitionRefused(
                    f"Column {before!r} stands before {after!r}, which table "
                    f"{str(self.table.name)!r} has in another order: columns keep their places, "
                    "and new ones are added at the end.",
                    hint=f"Write {before!r} behind the others; SELECT has columns in any order.",
                )

    def validate_partitions(self) -> None:
        """Refuse a statement with other partitions."""
        wanted = [fold(transform) for transform in self.statement.partition_by]
        if wanted != [fold(transform) for transform in _transforms(self.metadata)]:
            raise NotYet(
                f"CREATE OR ALTER TABLE leaves table {str(self.table.name)!r} partitioned as it "
                "is: the clustering of a table is not altered.",
                hint="Write its PARTITION BY, which GET_DDL tells; or CREATE OR REPLACE TABLE.",
            )

    def key_actions(self) -> tuple[list[s.TableAction], list[s.TableAction]]:
        """Return the primary key's actions before and after the column actions."""
        key, wanted = self.metadata.key, self.statement.primary_key
        names = () if key is None else tuple(map(fold, self.metadata.key_columns(key)))
        present = None if key is None else (names, key.rely)
        after = None if wanted is None else (tuple(map(fold, wanted.columns)), wanted.rely)
        if present == after:
            return [], []
        return (
            [s.SetPrimaryKey(None)] if present is not None else [],
            [s.SetPrimaryKey(wanted)] if wanted is not None else [],
        )

    def constraint_actions(self) -> tuple[list[s.TableAction], list[s.TableAction]]:
        """Return the actions on UNIQUE and foreign keys before and after the column actions.

        All are dropped and declared again where one of them differs.
        """
        key = self.metadata.key
        ids = () if key is None else key.field_ids
        present = DeclaredTable(self.table.name, self.metadata.columns, ids)
        names = {fold(column.name) for column in self.metadata.columns}
        wanted = self.statement.constraints
        if all(fold(name) in names for declared in wanted for name in declared.columns):
            for declared in wanted:
                constraints = add_constraint(self.core, present, declared)
                present = replace(present, constraints=constraints)
            if present.constraints == self.metadata.constraints:
                return [], []
        return (
            [s.DropConstraint(each.name) for each in self.metadata.constraints[::-1]],
            [s.AddConstraint(declared) for declared in wanted],
        )

    def column_actions(self) -> Iterator[s.TableAction]:
        """Yield the actions on columns: drop, alter, add."""
        wanted = {fold_column(column.name): column for column in self.statement.columns}
        present = {fold_column(column.name): column for column in self.metadata.columns}
        added = [s.AddColumn(column) for name, column in wanted.items() if name not in present]
        dropped = tuple(column.name for name, column in present.items() if name not in wanted)
        if len(dropped) == len(present):
            # add first: a table must never be without columns
            yield from added
            added = []
        if dropped:
            yield s.DropColumns(dropped)
        for name, column in present.items():
            if name in wanted:
                yield from _column_changes(column, wanted[name])
        yield from added

    def option_actions(self) -> Iterator[s.TableAction]:
        """Yield the actions on parameters: set the statement's parameters, unset the rest."""
        options = self.statement.options
        with self.core.database.read() as connection:
            own = find_own_options(connection, self.table.object_id)
            spans = tracking_spans(connection, self.table.object_id)
        held = self.metadata.properties
        present = {name for name, key in PROPERTIES.items() if key in held}
        present |= {name for name, field in DAYS.items() if getattr(own, field) is not None}
        present |= {COMMENT} if own.comment is not None else set()
        is_tracked = any(span.until_commit is None for span in spans)
        properties = property_options(options)
        is_same = (
            table_options(options, Options()) == own
            and all(held.get(key) == properties.get(key) for key in PROPERTIES.values())
            and tracking_option(options) in {None, is_tracked}
        )
        unset = tuple(sorted(present - options.keys()))
        if unset:
            yield s.UnsetOptions(unset)
        if options and not is_same:
            yield s.SetOptions(options)


def _column_changes(present: Column, wanted: Column) -> Sequence[s.TableAction]:
    """Return the actions that give a column another definition."""
    is_same = (present.type, present.nullable, present.default, present.comment) == (
        wanted.type,
        wanted.nullable,
        wanted.default,
        wanted.comment,
    )
    if is_same:
        return ()
    return (
        s.AlterColumn(
            present.name,
            type=None if wanted.type == present.type else wanted.type,
            nullable=None if wanted.nullable == present.nullable else wanted.nullable,
            default=None if wanted.default == present.default else wanted.default or "",
            comment=None if wanted.comment == present.comment else wanted.comment or "",
        ),
    )


def _transforms(metadata: TableMetadata) -> Iterator[str]:
    """Yield the partition transforms of a table, spelled as in `CreateTable.partition_by`."""
    for field in metadata.partition_fields:
        if field.transform == "identity":
            yield quote(field.column)
        else:
            yield f"{transform_function(field.transform)}({field.width}{quote(field.column)})"
