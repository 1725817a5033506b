"""BEGIN, COMMIT and ROLLBACK, and the statements that begin or commit a transaction implicitly."""

from __future__ import annotations

from icemelt.errors import QueryError, TransactionEnded
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.sql import statements as s
from icemelt.transactions.open import OpenTransaction

__all__ = ["begin", "commit", "may_define", "prepare", "rollback"]

_DML = (s.Insert, s.InsertAll, s.RowLevel, s.CopyInto, s.Unload, s.Truncate, s.RefreshStage)
_DDL = (
    s.AlterContainer,
    s.AlterFileFormat,
    s.AlterFunction,
    s.AlterPipe,
    s.AlterSequence,
    s.AlterStage,
    s.AlterStream,
    s.AlterTable,
    s.AlterTask,
    s.AlterView,
    s.CancelRuns,
    s.CreateContainer,
    s.CreateFileFormat,
    s.CreateFunction,
    s.CreatePipe,
    s.CreateSequence,
    s.CreateStage,
    s.CreateStream,
    s.CreateTask,
    s.CreateView,
    s.EnableTasks,
    s.ExecuteTask,
    s.Optimize,
    s.RefreshPipe,
    s.SwapTables,
    s.Undrop,
)


def begin(core: Core, name: str | None = None) -> str:
    """Begin a transaction; return a sentence. Inside a transaction this does nothing."""
    current = core.settings.transaction
    if current is not None:
        return f"Transaction {current.transaction_id} is open already; nothing to do."
    with translated(core.spark):
        core.settings.transaction = OpenTransaction(core.newest, core.author, name)
    return f"Transaction {core.settings.transaction.transaction_id} has begun."


def commit(core: Core) -> str:
    """Publish the open transaction; return a sentence. Without a transaction this does nothing.

    Raises:
        ConsumptionRefused: the body of a task would lose rows; the transaction stays open.
        Conflict: another transaction was first; this transaction is rolled back.
        TransactionEnded: the transaction was aborted, or its lease has expired.
    """
    transaction = core.settings.transaction
    if transaction is None:
        return "No transaction is open; nothing to do."
    task = core.settings.running_task
    if task is not None:
        task.validate(transaction.find_consumption())
    core.jobs.begin_publishing()
    core.settings.transaction = None
    try:
        with translated(core.spark):
            moment = transaction.commit(() if task is None else task.commit_edits())
    except TransactionEnded as error:
        hint = "BEGIN, and run its statements again."
        raise TransactionEnded(error.message, hint=hint) from error
    if task is not None:
        task.note_publication(moment)
    return f"Transaction {transaction.transaction_id} is committed."


def rollback(core: Core) -> str:
    """Discard the open transaction; return a sentence. Without a transaction this does nothing."""
    transaction = core.settings.transaction
    if transaction is None:
        return "No transaction is open; nothing to do."
    core.settings.transaction = None
    transaction.rollback()
    return f"Transaction {transaction.transaction_id} is rolled back."


def may_define(statement: s.Statement) -> bool:
    """Tell whether a statement defines objects, and so commits the open transaction.

    A DROP TABLE is said to, whether or not the table is temporary.

    >>> from icemelt.names import ObjectName
    >>> may_define(s.Optimize(ObjectName(("t",)))), may_define(s.Truncate(ObjectName(("t",))))
    (True, False)
    """
    match statement:
        case s.CreateTable():
            is_altered = statement.existing is s.Existing.ALTERED
            return is_altered or (not statement.temporary and statement.query is None)
        case s.CreateClone():
            return not statement.temporary
        case s.Drop():
            return True
        case _:
            return isinstance(statement, _DDL)


def prepare(core: Core, statement: s.Statement) -> str | None:
    """Begin or commit a transaction where a statement implies this; return a sentence, or None.

    A statement that defines objects commits the open transaction, and runs alone. With AUTOCOMMIT
    off, the first statement that reads or writes a table begins a transaction.

    Raises:
        QueryError: the statement defines objects inside a block of `session.transaction()`.
    """
    transaction = core.settings.transaction
    if transaction is not None and _defines(core, statement):
        if core.settings.in_block:
            raise QueryError(
                "The statement would commit the transaction of this block half-way.",
                hint="Run it before the block, or BEGIN and COMMIT by statements instead.",
            )
        said = commit(core)
        return f"{said.rstrip('.')}, as this statement cannot be a part of it."
    if transaction is None and not core.settings.autocommit and _is_in_transactions(statement):
        return begin(core)
    return None


def _defines(core: Core, statement: s.Statement) -> bool:
    """Tell whether a statement commits the open transaction; DROP of a temporary table does not."""
    if isinstance(statement, s.Drop) and statement.kind is s.ObjectKind.TABLE:
        full = core.full(statement.name)
        table = core.find([full]).tables.get(full)
        return table is None or table.session_id is None
    return may_define(statement)


def _is_in_transactions(statement: s.Statement) -> bool:
    match statement:
        case s.Select() | s.SetReturnValue() | s.SetVariables():
            return bool(statement.query.references)
        case s.CreateTable():
            return statement.query is not None
        case _:
            return isinstance(statement, _DML)
