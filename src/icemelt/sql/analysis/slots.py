"""Slots: the identifiers in Spark SQL for tables, written values and the clock.

Slots are found again by their text alone. So all slots of one statement begin with a prefix that is
nowhere in the statement's text, strings and parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from icemelt.names import INFORMATION_SCHEMA, ObjectName, QualifiedName, fold
from icemelt.sql.statements import (
    Changes,
    ContextReference,
    FileSchema,
    LoadInterval,
    NextValue,
    Point,
    ResultScan,
    StageDirectory,
    StageFiles,
    StatementFilter,
    TableReference,
    TaskDependents,
    TaskRunFilter,
)

__all__ = ["StatementSlots", "free_prefix"]


def free_prefix(texts: Iterable[str]) -> str:
    """Return the first prefix that is in none of the texts, in upper or lower case.

    >>> free_prefix(["SELECT 1"]), free_prefix(["SELECT '__ICEMELT_0__'"])
    ('__icemelt_', '__icemelt1_')
    """
    haystack = "\n".join(texts).lower()
    prefix, attempt = "__icemelt_", 0
    while prefix in haystack:
        attempt += 1
        prefix = f"__icemelt{attempt}_"
    return prefix


class StatementSlots:
    """The slots of one statement.

    >>> slots = StatementSlots("__x_")
    >>> slots.add_table(ObjectName(("orders",)))
    '__x_0__'
    >>> slots.references[0].slot, slots.references[0].name
    ('__x_0__', ObjectName(parts=('orders',)))
    """

    def __init__(self, prefix: str) -> None:
        """Start without slots; `prefix` begins the name of all slots."""
        self.prefix = prefix
        self._references: list[TableReference] = []
        self._context: dict[str, str] = {}
        self._values = 0
        self._parts = 0
        # the functions of users that the statement calls
        self.user_functions: dict[QualifiedName, None] = {}
        self._entries = 0
        self._shown: dict[int, str] = {}
        self._columns: dict[str, set[str]] = {}
        self._conditions: dict[str, list[exp.Expr]] = {}

    @property
    def references(self) -> tuple[TableReference, ...]:
        """The tables that the statement reads, in order of appearance."""
        return tuple(
            replace(reference, columns=self.columns_of(reference.slot))
            for reference in self._references
        )

    def note_columns(self, slot: str, columns: Iterable[str]) -> None:
        """Note columns of the table in a slot; the statement may use these columns."""
        self._columns.setdefault(slot, set()).update(map(fold, columns))

    def columns_of(self, slot: str) -> frozenset[str]:
        """Return the folded names of the columns that the statement may use of a slot's table."""
        return frozenset(self._columns.get(slot, ()))

    def note_condition(self, slot: str, condition: exp.Expr) -> None:
        """Note a condition that every row of the table in a slot has to meet."""
        self._conditions.setdefault(slot, []).append(condition)

    def conditions_of(self, slot: str) -> list[exp.Expr]:
        """Return the conditions that every row of the table in a slot has to meet."""
        return self._conditions.get(slot, [])

    @property
    def context(self) -> tuple[ContextReference, ...]:
        """The context values of the statement, as the clock, in order of appearance."""
        return tuple(ContextReference(slot, name) for name, slot in self._context.items())

    def add_table(
        self, name: ObjectName, point: Point | None = None, changes: Changes | None = None
    ) -> str:
        """Return a new slot for a place where the statement reads a table.

        Args:
            name: the name of the table.
            point: the point of AT or BEFORE, if the place has one.
            changes: the interval of CHANGES, if the place has one.
        """
        return self._add(TableReference("", name, point, changes))

    def add_backlog(self, stream: ObjectName) -> str:
        """Return a new slot for a place where the statement reads a stream's unread versions."""
        return self._add(TableReference("", stream, backlog=True))

    def add_directory(
        self,
        directory: StageDirectory,
        point: Point | None = None,
        changes: Changes | None = None,
    ) -> str:
        """Return a new slot for a place where the statement reads a directory table.

        Args:
            directory: the directory table.
            point: the point of AT or BEFORE, if the place has one.
            changes: the interval of CHANGES, if the place has one.
        """
        return self._add(TableReference("", directory.stage, point, changes, files=directory))

    def add_loads(self, relation: ObjectName, loads: LoadInterval) -> str:
        """Return a new slot for a place where the statement reads the files loaded into a table.

        Args:
            relation: the name of INFORMATION_SCHEMA's LOAD_HISTORY.
            loads: the table and the times.
        """
        return self._add(TableReference("", relation, loads=loads))

    def add_statements(self, database: tuple[str, ...], statements: StatementFilter) -> str:
        """Return a new slot for a place where the statement reads the history of statements.

        Args:
            database: the database before INFORMATION_SCHEMA, none or one part.
            statements: which statements.
        """
        return self._add(TableReference("", _any_relation(database), statements=statements))

    def add_tasks(self, relation: ObjectName, tasks: TaskDependents) -> str:
        """Return a new slot for a place where the statement reads a task and its dependents.

        Args:
            relation: the name of INFORMATION_SCHEMA's TASKS.
            tasks: the task.
        """
        return self._add(TableReference("", relation, tasks=tasks))

    def add_runs(self, database: tuple[str, ...], runs: TaskRunFilter) -> str:
        """Return a new slot for a place where the statement reads runs of tasks.

        Args:
            database: the database before INFORMATION_SCHEMA, none or one part.
            runs: which runs.
        """
        return self._add(TableReference("", _any_relation(database), runs=runs))

    def add_result(self, result: ResultScan) -> str:
        """Return a new slot for a place where the statement reads the rows of a result."""
        return self._add(TableReference("", _any_relation(()), result=result))

    def add_files(self, files: StageFiles | FileSchema) -> str:
        """Return a new slot for a place where the statement reads files, or their columns."""
        place = files.place if isinstance(files, StageFiles) else files.files.place
        return self._add(TableReference("", place.stage, files=files))

    def _add(self, reference: TableReference) -> str:
        """Give a reference a new slot, keep the reference, and return the slot."""
        slot = f"{self.prefix}{len(self._references)}__"
        self._references.append(replace(reference, slot=slot))
        return slot

    def target_reference(self, name: ObjectName) -> TableReference:
        """Return a reference to the target of a write, which is no part of `references`."""
        return TableReference(f"{self.prefix}target__", name)

    def context_slot(self, name: str) -> str:
        """Return the slot of a context value, for example of the clock."""
        if name not in self._context:
            self._context[name] = f"{self.prefix}{self._context_word(name)}__"
        return self._context[name]

    def next_value_slot(self, sequence: ObjectName, is_single: bool) -> str:  # noqa: FBT001
        """Return a new slot for a mention of `sequence.NEXTVAL`.

        Args:
            sequence: the name of the sequence.
            is_single: whether the value is computed once, not for each row.
        """
        return self.context_slot(NextValue(sequence, len(self._context), is_single).context_name)

    def add_value(self) -> str:
        """Return a new slot for a value that the statement writes."""
        self._values += 1
        return f"{self.prefix}v{self._values - 1}__"

    def add_part(self) -> str:
        """Return a new slot for a query of WITH."""
        self._parts += 1
        return f"{self.prefix}w{self._parts - 1}__"

    def new_entry_key(self) -> int:
        """Return a new key for an entry of FROM."""
        self._entries += 1
        return self._entries

    def hide_entry(self, entry: int) -> None:
        """Give an entry of FROM an alias different from all names of columns."""
        self._shown[entry] = self.hidden_name(f"s{entry}")

    def alias_of_entry(self, entry: int, name: str) -> str:
        """Return the alias of an entry in Spark SQL: `name`, or the alias that hides the name."""
        return self._shown.get(entry, name)

    def hidden_name(self, name: str) -> str:
        """Return a name for a column from rewriting; no user column has the name."""
        return f"{self.prefix}{name}"

    def _context_word(self, name: str) -> str:
        """Return a word like a context value's name, or a number for a name with a user's text."""
        if "$" in name:
            return f"ask{len(self._context)}"
        word = "".join(character if character.isalnum() else "_" for character in name)
        return f"ctx_{word.lower()}"


def _any_relation(database: tuple[str, ...]) -> ObjectName:
    """Return a name that each database has, for rows that belong to no object."""
    return ObjectName((*database, INFORMATION_SCHEMA, "databases"))
