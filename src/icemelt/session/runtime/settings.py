"""The state of a session that the session's own statements change."""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.session.runtime.task_context import RunningTask
from icemelt.sql.statements import Variable
from icemelt.transactions.open import OpenTransaction

__all__ = ["Settings"]


@dataclass(slots=True)
class Settings:
    """The state of a session that the session's own statements change.

    For example:

        USE DATABASE sales                         database = "sales", schema = "public"
        ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'  timezone = "Asia/Tokyo"
        BEGIN                                      transaction = the open transaction
        COMMIT                                     transaction = None

        SET day = '2024-01-31'                     variables = {"day": Variable("2024-01-31", …)}

    Attributes:
        database: the current database; names without a database are in it.
        schema: the current schema of the current database.
        timezone: the time zone in which TIMESTAMP_LTZ values are read and shown.
        lock_timeout: how many seconds a statement waits for a stream's lock or a reserved table.
        autocommit: whether a statement outside of a transaction is published by itself; if not, the
            first statement that reads or writes a table begins a transaction.
        view_changes: how changes of views are read: AUTO, INCREMENTAL, BOTH_ENDS or ORIGINAL.
        merge_strategy: how MERGE finds the rows of its target: AUTO, KEYS or JOIN.
        learn_costs: whether what plans have taken mends what is expected of the next.
        parameters: the values of Snowflake's parameters that change nothing, by name.
        warehouse: the name that USE WAREHOUSE gave last, None before.
        variables: the session variables by folded name.
        statement_ids: the ids of the statements that succeeded, in order, for LAST_QUERY_ID.
        transaction: the open transaction, None outside of one.
        in_block: whether the transaction belongs to a block of `session.transaction()`.
        running_task: the run of a task whose body the session executes, None for other sessions.
    """

    database: str = "main"
    schema: str = "public"
    timezone: str = "UTC"
    lock_timeout: float = 60.0
    autocommit: bool = True
    view_changes: str = "AUTO"
    merge_strategy: str = "AUTO"
    learn_costs: bool = True
    parameters: dict[str, str] = field(default_factory=dict)
    warehouse: str | None = None
    variables: dict[str, Variable] = field(default_factory=dict)
    statement_ids: list[str] = field(default_factory=list)
    transaction: OpenTransaction | None = None
    in_block: bool = False
    running_task: RunningTask | None = None

    def find_statement_id(self, position: int) -> str | None:
        """Return the id of a statement of the session: 1 is the first, -1 the last.

        None where the session had no such statement.

        >>> settings = Settings(statement_ids=["a", "b"])
        >>> settings.find_statement_id(1), settings.find_statement_id(-1)
        ('a', 'b')
        """
        ids = self.statement_ids
        if position == 0 or abs(position) > len(ids):
            return None
        return ids[position if position < 0 else position - 1]
