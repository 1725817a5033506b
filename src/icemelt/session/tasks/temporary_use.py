"""Temporary objects of a task's body: which statements write them, by the names in the text.

A body runs in a session of its own, so that a name is a temporary object's if a statement of the
body has made it:

| statement                              | written | dropped |
|----------------------------------------|---------|---------|
| CREATE TEMPORARY TABLE b AS SELECT …   | b       |         |
| INSERT INTO b SELECT …                 | b       |         |
| INSERT INTO u SELECT … FROM b          |         |         |
| DROP TABLE b                           |         | b       |
"""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.names import ObjectName, QualifiedName
from icemelt.session.runtime.transacting import may_define
from icemelt.sql import statements as s

__all__ = ["TemporaryNames", "TemporaryUse", "is_published_at_once"]

_PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class TemporaryUse:
    """What a statement does with temporary objects.

    Attributes:
        written: the folded names of the temporary tables and stages that the statement makes,
            alters, or writes to.
        dropped: those that it drops.
        renewed: those of `written` that it makes without reading an earlier object of the name.
    """

    written: frozenset[QualifiedName] = frozenset()
    dropped: frozenset[QualifiedName] = frozenset()
    renewed: frozenset[QualifiedName] = frozenset()


@dataclass(slots=True)
class TemporaryNames:
    """The names of the temporary objects that the statements of a body have made so far.

    Attributes:
        database: the current database.
        schema: the current schema.
        is_open: whether a BEGIN TRANSACTION has begun a transaction that is not ended.
    """

    database: str
    schema: str
    is_open: bool = False
    _alive: set[QualifiedName] = field(default_factory=set)
    _made_in_transaction: set[QualifiedName] = field(default_factory=set)

    def follow(self, statement: s.Statement) -> TemporaryUse:
        """Return what the next statement does with temporary objects, and note its effect.

        >>> names = TemporaryNames("main", "public")
        >>> made = s.CreateTable(ObjectName(("b",)), temporary=True)
        >>> [str(name) for name in names.follow(made).written]
        ['main.public.b']
        >>> names.follow(s.Truncate(ObjectName(("other",)))).written
        frozenset()
        """
        dropped = self._find_dropped(statement)
        self._alive -= dropped
        self._follow_transaction(statement, is_temporary_drop=bool(dropped))
        if isinstance(statement, s.Use):
            self._use(statement)
        targets, renewed = self._full(*_find_targets(statement)), frozenset[QualifiedName]()
        if getattr(statement, "temporary", False):
            self._make(statement, targets)
            renewed = self._find_renewed(statement, targets)
        written = targets & self._alive
        if written and isinstance(statement, s.AlterTable):
            written |= self._rename(statement)
        return TemporaryUse(written, dropped, renewed)

    def _find_dropped(self, statement: s.Statement) -> frozenset[QualifiedName]:
        match statement:
            case s.Drop(kind=s.ObjectKind.TABLE | s.ObjectKind.STAGE):
                return self._full(statement.name) & self._alive
            case _:
                return frozenset()

    def _follow_transaction(self, statement: s.Statement, *, is_temporary_drop: bool) -> None:
        """Note where a transaction begins and ends; the DROP of a temporary table ends none."""
        if isinstance(statement, s.Rollback):
            self._alive -= self._made_in_transaction
        defines = may_define(statement)
        if isinstance(statement, s.Drop) and statement.kind is s.ObjectKind.TABLE:
            defines = not is_temporary_drop
        if defines or isinstance(statement, s.Commit | s.Rollback):
            self.is_open = False
        elif isinstance(statement, s.Begin):
            self.is_open = True
        if not self.is_open:
            self._made_in_transaction.clear()

    def _use(self, statement: s.Use) -> None:
        *databases, last = statement.name.parts
        is_schema = statement.kind is s.ObjectKind.SCHEMA or (databases and statement.kind is None)
        if is_schema:
            self.database, self.schema = (*databases, self.database)[0], last
        else:
            self.database, self.schema = last, _PUBLIC

    def _make(self, statement: s.Statement, targets: frozenset[QualifiedName]) -> None:
        self._alive |= targets
        if self.is_open and not is_published_at_once(statement):
            self._made_in_transaction |= targets

    def _find_renewed(
        self, statement: s.Statement, targets: frozenset[QualifiedName]
    ) -> frozenset[QualifiedName]:
        existing = getattr(statement, "existing", s.Existing.REFUSED)
        if existing in {s.Existing.KEPT, s.Existing.ALTERED}:
            return frozenset()
        return targets - self._full(*_find_sources(statement))

    def _rename(self, statement: s.AlterTable) -> frozenset[QualifiedName]:
        """Note the new name of a temporary table; return it, or nothing."""
        renamed = [action.to for action in statement.actions if isinstance(action, s.RenameTable)]
        if renamed:
            self._alive -= self._full(statement.name)
            self._alive |= self._full(*renamed)
        return self._full(*renamed)

    def _full(self, *names: ObjectName) -> frozenset[QualifiedName]:
        return frozenset(name.within(self.database, self.schema).folded for name in names)


def is_published_at_once(statement: s.Statement) -> bool:
    """Tell whether a statement about temporary objects is published before the transaction's end.

    An empty table, a clone and a stage are: a ROLLBACK leaves them. Rows are not.
    """
    if isinstance(statement, s.CreateTable):
        return statement.runs_alone
    return isinstance(statement, s.CreateClone | s.CreateStage | s.AlterTable | s.AlterStage)


def _find_targets(statement: s.Statement) -> tuple[ObjectName, ...]:
    """Return the names of the tables and stages that a statement makes, alters, or writes to."""
    match statement:
        case s.Insert() | s.CopyInto():
            return (statement.target,)
        case s.InsertAll():
            return tuple(branch.target for branch in statement.branches)
        case s.RowLevel():
            return (statement.target.name,)
        case s.Unload(location=s.StagePath() as place):
            return (place.stage,)
        case s.PutFiles() | s.RemoveFiles():
            return (statement.place.stage,)
        case s.SwapTables():
            return (statement.name, statement.other)
        case (
            s.CreateTable()
            | s.CreateClone()
            | s.CreateStage()
            | s.AlterTable()
            | s.AlterStage()
            | s.RefreshStage()
            | s.Truncate()
            | s.Restore()
            | s.Optimize()
        ):
            return (statement.name,)
        case _:
            return ()


def _find_sources(statement: s.Statement) -> tuple[ObjectName, ...]:
    """Return the names of what a statement makes a table of."""
    match statement:
        case s.CreateClone():
            return (statement.source,)
        case s.CreateTable():
            queries = [query for query in (statement.query, statement.template) if query]
            read = [reference.name for query in queries for reference in query.references]
            return (*read, *filter(None, [statement.like]))
        case _:
            return ()
