"""What changes rows or writes files: INSERT, UPDATE, DELETE, MERGE, COPY INTO."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from icemelt.names import ObjectName
from icemelt.schema import DataType
from icemelt.sql.statements.reads import (
    ContextReference,
    Query,
    TableReference,
    context_values,
    fill,
)

__all__ = [
    "Assignment",
    "Branch",
    "CopyInto",
    "Effect",
    "FileFormat",
    "Insert",
    "InsertAll",
    "Repeats",
    "RowLevel",
    "RowLevelKind",
    "Unload",
    "Unnamed",
]


@dataclass(frozen=True, slots=True)
class Insert:
    """`INSERT [OVERWRITE] INTO target [(columns)] query`.

    `defaults` are the slots in the query's text that stand for the word DEFAULT, each with the
    position of its column in the row.
    """

    target: ObjectName
    query: Query
    columns: tuple[str, ...] | None = None
    overwrite: bool = False
    defaults: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """One INTO of a multi-table INSERT.

    `condition` and `values` are expressions over the source's columns; `values` None takes them
    all, a value None is the word DEFAULT. `group` numbers the WHEN it belongs to (INTOs that share
    a WHEN share it), None where there is no WHEN; the ELSE has `condition` None and a group.
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
    """What a statement may do to a row, in the order in which its counts are shown."""

    INSERTED = "inserted"
    UPDATED = "updated"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Unnamed:
    """The columns that an INSERT of a MERGE does not name: they get their defaults.

    `names_slot` stands in the text for their names, `values_slot` for their values, each with a
    comma before it; `named` are the other columns.
    """

    names_slot: str
    values_slot: str
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value written to a column: `slot` stands for it in the text, None is the word DEFAULT.

    Where a MERGE inserts by position, `column` is the position as `#0`, and `name_slot` stands in
    the text for the column's quoted name. `kind` is the value's type, where it is known.
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
class Repeats:
    """A query for the values of `columns` that several source rows of a MERGE have.

    They are for one target row, of which each is to make something else.
    """

    text: str
    columns: tuple[str, ...]

    def with_context(self, filled: Mapping[str, str]) -> Repeats:
        """Return the query with slots replaced, by slot."""
        return replace(self, text=fill(self.text, filled))


@dataclass(frozen=True, slots=True)
class RowLevel:
    """An UPDATE, DELETE or MERGE in Spark SQL.

    `target` is the slot of the written table; `references` are the tables read (the target again
    where a subquery reads it).
    A MERGE may insert all columns by position: then `assignments` names the position as `#0`.
    `effects` are the kinds of change its clauses make.

    Spark refuses two source rows for one target row before it looks at the clauses' conditions.
    `exact` is a text for that refusal only: a slower form of the same statement that leaves out
    each pair of rows no clause takes and, in an UPDATE, keeps one source row per target row.
    `repeats` asks for an example, where the refusal is to be explained.

    `unsettled` are columns that may be the written table's or another's; with one the statement
    must not run, for its text may mean the wrong one. `notice` is what its writer should know.
    """

    kind: RowLevelKind
    text: str
    target: TableReference
    references: tuple[TableReference, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    effects: tuple[Effect, ...] = ()
    unnamed: tuple[Unnamed, ...] = ()
    context: tuple[ContextReference, ...] = ()
    exact: str | None = None
    repeats: Repeats | None = None
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
        slots = {each.slot: relations[each.slot] for each in (self.target, *self.references)}
        names = {slot for each in self.assignments for slot in (each.slot, each.name_slot) if slot}
        names |= {slot for each in self.unnamed for slot in (each.names_slot, each.values_slot)}
        return fill(self.text, slots | {name: values[name] for name in names})

    def value_of(self, assignment: Assignment, relations: Mapping[str, str]) -> str | None:
        """Return the value of an assignment with tables in its slots, None for the default."""
        if assignment.value is None:
            return None
        references = (self.target, *self.references)
        return fill(assignment.value, {each.slot: relations[each.slot] for each in references})

    def with_relation(self, name: ObjectName, relation: str) -> RowLevel:
        """Return the statement with a relation in the place of the tables of a name."""
        slots = {each.slot: relation for each in self.references if each.name == name}
        return replace(
            self,
            text=fill(self.text, slots),
            exact=None if self.exact is None else fill(self.exact, slots),
            repeats=None if self.repeats is None else self.repeats.with_context(slots),
            references=tuple(each for each in self.references if each.slot not in slots),
            assignments=tuple(each.with_context(slots) for each in self.assignments),
        )

    def in_exact_form(self) -> RowLevel:
        """Return the statement with its exact text as its text."""
        return self if self.exact is None else replace(self, text=self.exact, exact=None)

    def bind_context(self, values: Mapping[str, str]) -> RowLevel:
        """Return the statement with context slots of all its parts replaced."""
        filled = context_values(self.context, values)
        return replace(
            self,
            text=fill(self.text, filled),
            exact=None if self.exact is None else fill(self.exact, filled),
            repeats=None if self.repeats is None else self.repeats.with_context(filled),
            references=tuple(each.with_context(filled) for each in self.references),
            assignments=tuple(each.with_context(filled) for each in self.assignments),
            context=(),
        )


class FileFormat(enum.Enum):
    """What COPY INTO reads and writes."""

    CSV = "CSV"
    JSON = "JSON"
    PARQUET = "PARQUET"


@dataclass(frozen=True, slots=True)
class CopyInto:
    """`COPY INTO target FROM 'path'`; option names are upper case, values as written."""

    target: ObjectName
    path: str
    columns: tuple[str, ...] | None = None
    files: tuple[str, ...] = ()
    pattern: str | None = None
    format: FileFormat = FileFormat.CSV
    format_options: Mapping[str, str] = field(default_factory=dict)
    on_error: str = "ABORT_STATEMENT"
    match_by_column_name: str = "NONE"
    force: bool = False
    purge: bool = False


@dataclass(frozen=True, slots=True)
class Unload:
    """`COPY INTO 'location' FROM {table | (query)}`: the query's rows become files.

    `format_options` are as those of `CopyInto`; `max_file_size` is in bytes.
    """

    location: str
    query: Query
    file_format: FileFormat = FileFormat.CSV
    format_options: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    single: bool = False
    header: bool = False
    detailed_output: bool = False
    max_file_size: int | None = None


def _fill_all(
    values: tuple[str | None, ...] | None, filled: Mapping[str, str]
) -> tuple[str | None, ...] | None:
    if values is None:
        return None
    return tuple(None if value is None else fill(value, filled) for value in values)
