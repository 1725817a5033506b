"""Statements that change rows or write files: INSERT, UPDATE, DELETE, MERGE, COPY INTO."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from icemelt.names import ObjectName
from icemelt.schema import DataType
from icemelt.sql.statements.file_formats import FileFormat
from icemelt.sql.statements.places import StagePath
from icemelt.sql.statements.reads import (
    ContextReference,
    Query,
    TableReference,
    context_values,
    fill,
    unfilled,
)

__all__ = [
    "Assignment",
    "Branch",
    "CopyInto",
    "Effect",
    "Insert",
    "InsertAll",
    "RepeatedKeyQuery",
    "RowLevel",
    "RowLevelKind",
    "Unload",
    "UnnamedColumns",
]


@dataclass(frozen=True, slots=True)
class Insert:
    """`INSERT [OVERWRITE] INTO target [(columns)] query`.

    `defaults` are the slots for the word DEFAULT in the query's text, with the column's position in
    the row. `from_values` says that the query is VALUES.
    """

    target: ObjectName
    query: Query
    columns: tuple[str, ...] | None = None
    overwrite: bool = False
    defaults: tuple[tuple[str, int], ...] = ()
    from_values: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """An INTO of a multi-table INSERT.

    Attributes:
        target: the written table.
        columns: the named columns; None for all.
        values: expressions over the source's columns; None takes all columns. A value None is the
            word DEFAULT.
        condition: the expression of the WHEN; None for ELSE, or without WHEN.
        group: the number of the WHEN or ELSE, shared by several INTO; None without WHEN.
    """

    target: ObjectName
    columns: tuple[str, ...] | None = None
    values: tuple[str | None, ...] | None = None
    condition: str | None = None
    group: int | None = None

    def with_context(self, filled: Mapping[str, str]) -> Branch:
        """Return the branch with context slots replaced, by slot."""
        condition = None if self.condition is None else fill(self.condition, filled)
        return replace(self, condition=condition, values=_fill_all(self.values, filled))


@dataclass(frozen=True, slots=True)
class InsertAll:
    """`INSERT [OVERWRITE] {ALL | FIRST} branches query`."""

    branches: tuple[Branch, ...]
    query: Query
    first: bool = False
    overwrite: bool = False

    def bind_context(self, values: Mapping[str, str]) -> InsertAll:
        """Return the statement with context slots of the query and the branches replaced."""
        filled = context_values(self.query.context, values)
        branches = tuple(branch.with_context(filled) for branch in self.branches)
        return replace(self, branches=branches, query=self.query.bind_context(values))


class RowLevelKind(enum.Enum):
    """The statements that change rows in place."""

    UPDATE = "UPDATE"
    DELETE = "DELETE"
    MERGE = "MERGE"


class Effect(enum.Enum):
    """Changes that a statement may make to a row, in the order of the counts shown to the user."""

    INSERTED = "inserted"
    UPDATED = "updated"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class UnnamedColumns:
    """The columns that an INSERT of a MERGE does not name, and that get the default.

    `names_slot` in the text is for the columns' names and `values_slot` for the defaults; the SQL
    for both slots begins every item with a comma. `named` are the columns that the INSERT names.
    """

    names_slot: str
    values_slot: str
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value written to a column.

    Attributes:
        slot: the identifier in the statement's text for the value.
        column: the column's name, or `#0`, `#1`, … where a MERGE inserts by position.
        value: the expression; None is the word DEFAULT.
        name_slot: the identifier for the column's quoted name, if `column` is a position.
        kind: the value's type; None if unknown.
    """

    slot: str
    column: str
    value: str | None
    name_slot: str = ""
    kind: DataType | None = None

    def with_context(self, filled: Mapping[str, str]) -> Assignment:
        """Return the assignment with context slots replaced, by slot."""
        return self if self.value is None else replace(self, value=fill(self.value, filled))


@dataclass(frozen=True, slots=True)
class RepeatedKeyQuery:
    """A query for an example of source rows of a MERGE that clash over a target row.

    The text returns a row with the values of `columns`, which are columns of the source. The
    session shows the values in the error.
    """

    text: str
    columns: tuple[str, ...]

    def with_context(self, filled: Mapping[str, str]) -> RepeatedKeyQuery:
        """Return the query with slots replaced, by slot."""
        return replace(self, text=fill(self.text, filled))


@dataclass(frozen=True, slots=True)
class RowLevel:
    """An UPDATE, DELETE or MERGE in Spark SQL.

    Spark refuses two source rows for one target row before looking at the clauses' conditions; the
    session then runs `exact`.

    Attributes:
        target: the slot of the written table.
        references: the tables read; the target again where a subquery reads the target.
        assignments: written values. A MERGE may insert all columns by position: `#0`, `#1`, ….
        effects: the kinds of change that the clauses make.
        unnamed: the columns that an INSERT of a MERGE does not name.
        exact: a slower text of the same statement for the refusal above: without row pairs that no
            clause takes and, in an UPDATE, with one source row for a target row.
        repeats: asks for an example of clashing rows, if the refusal is to be explained.
        unsettled: columns that may be the written table's or a source's. A statement with such
            columns must not run: the text may mean the wrong column.
        notice: a warning for the author of the statement.
    """

    kind: RowLevelKind
    text: str
    target: TableReference
    references: tuple[TableReference, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    effects: tuple[Effect, ...] = ()
    unnamed: tuple[UnnamedColumns, ...] = ()
    context: tuple[ContextReference, ...] = ()
    exact: str | None = None
    repeats: RepeatedKeyQuery | None = None
    functions: frozenset[str] = frozenset()
    unsettled: tuple[str, ...] = ()
    notice: str = ""

    def bind(self, relations: Mapping[str, str], values: Mapping[str, str]) -> str:
        """Return the text with tables, written values and names in their slots.

        >>> target = TableReference("__t0__", ObjectName(("t",)))
        >>> assignment = Assignment("__v0__", "a", "1 + 1")
        >>> text = "UPDATE __t0__ SET `a` = __v0__"
        >>> update = RowLevel(RowLevelKind.UPDATE, text, target, assignments=(assignment,))
        >>> update.bind({"__t0__": "`t`"}, {"__v0__": "CAST(1 + 1 AS BIGINT)"})
        'UPDATE `t` SET `a` = CAST(1 + 1 AS BIGINT)'
        """
        slots = {
            reference.slot: relations[reference.slot]
            for reference in (self.target, *self.references)
        }
        names = {
            slot
            for assignment in self.assignments
            for slot in (assignment.slot, assignment.name_slot)
            if slot
        }
        names |= {
            slot for columns in self.unnamed for slot in (columns.names_slot, columns.values_slot)
        }
        return fill(self.text, slots | {name: values[name] for name in names})

    def value_of(self, assignment: Assignment, relations: Mapping[str, str]) -> str | None:
        """Return the value of an assignment with relations in the slots, None for the default."""
        if assignment.value is None:
            return None
        references = (self.target, *self.references)
        return fill(
            assignment.value,
            {reference.slot: relations[reference.slot] for reference in references},
        )

    def with_relation(self, name: ObjectName, relation: str) -> RowLevel:
        """Return the statement with a relation in place of all tables of a name."""
        slots = {
            reference.slot: relation for reference in self.references if reference.name == name
        }
        return replace(
            self,
            text=fill(self.text, slots),
            exact=None if self.exact is None else fill(self.exact, slots),
            repeats=None if self.repeats is None else self.repeats.with_context(slots),
            references=tuple(
                reference for reference in self.references if reference.slot not in slots
            ),
            assignments=tuple(assignment.with_context(slots) for assignment in self.assignments),
        )

    def in_exact_form(self) -> RowLevel:
        """Return the statement with the exact text as text."""
        return self if self.exact is None else replace(self, text=self.exact, exact=None)

    def bind_context(self, values: Mapping[str, str]) -> RowLevel:
        """Return the statement with context slots of all parts replaced."""
        filled = context_values(self.context, values)
        return replace(
            self,
            text=fill(self.text, filled),
            exact=None if self.exact is None else fill(self.exact, filled),
            repeats=None if self.repeats is None else self.repeats.with_context(filled),
            references=tuple(reference.with_context(filled) for reference in self.references),
            assignments=tuple(assignment.with_context(filled) for assignment in self.assignments),
            context=unfilled(self.context, values),
        )


@dataclass(frozen=True, slots=True)
class CopyInto:
    """`COPY INTO target FROM 'path'`; option names are upper case, values as written.

    Where `format_name` is given, `format` and `format_options` are the named file format's; where
    `has_format` is false, they are the stage's. `COPY INTO target FROM (SELECT … FROM @s)` has a
    query of one table reference, the files at `path`; `probe` tells which record one of its casts
    fails for, as `failing_casts` has it. The file with which `size_limit` bytes are exceeded is the
    last one. `truncates` is TRUNCATECOLUMNS, or not ENFORCE_LENGTH.
    """

    target: ObjectName
    path: str | StagePath
    columns: tuple[str, ...] | None = None
    files: tuple[str, ...] = ()
    pattern: str | None = None
    format: FileFormat = FileFormat.CSV
    format_options: Mapping[str, str] = field(default_factory=dict)
    on_error: str = "ABORT_STATEMENT"
    match_by_column_name: str = "NONE"
    force: bool = False
    purge: bool = False
    format_name: ObjectName | None = None
    has_format: bool = True
    query: Query | None = None
    probe: Query | None = None
    validation_mode: str | None = None
    size_limit: int | None = None
    return_failed_only: bool = False
    truncates: bool = False


@dataclass(frozen=True, slots=True)
class Unload:
    """`COPY INTO 'location' FROM {table | (query)}`: the query's rows become files.

    The format is as in `CopyInto`; `max_file_size` is in bytes. With `is_partitioned` the last
    column of the query is the text of each row's partition, and is in no file.
    """

    location: str | StagePath
    query: Query
    file_format: FileFormat = FileFormat.CSV
    format_options: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    single: bool = False
    header: bool = False
    detailed_output: bool = False
    max_file_size: int | None = None
    format_name: ObjectName | None = None
    has_format: bool = True
    is_partitioned: bool = False


def _fill_all(
    values: tuple[str | None, ...] | None, filled: Mapping[str, str]
) -> tuple[str | None, ...] | None:
    if values is None:
        return None
    return tuple(None if value is None else fill(value, filled) for value in values)
