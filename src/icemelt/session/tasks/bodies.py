"""The body of a task as steps: which statements are one transaction, and where a retry begins."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from icemelt.catalog.activity_records import StatementRecord
from icemelt.names import fold
from icemelt.session.runtime.task_context import SuccessCarrier, TaskContext
from icemelt.session.tasks.temporary_use import TemporaryNames, TemporaryUse, is_published_at_once
from icemelt.sql import statements as s
from icemelt.sql.analysis.system_calls import PYTHON_TASK, SET_RETURN_VALUE
from icemelt.sql.parse import parse_body

__all__ = ["Body", "BodyStep", "find_steps", "name_statement"]

_NAMESPACE = uuid.UUID("6f1c2a52-5f0e-4b5c-9d1c-0a1f3f3b7a55")


@dataclass(frozen=True, slots=True)
class BodyStep:
    """A statement of a body.

    Attributes:
        text: the text of the statement.
        statement: the parsed statement; names of tables are not looked up.
        unit: the position of the unit that the statement belongs to: a statement that is published
            by itself, or all from a BEGIN TRANSACTION to its COMMIT or ROLLBACK, or to a statement
            that defines objects, which commits the transaction.
        temporary: what the statement does with temporary objects of the body.
    """

    text: str
    statement: s.Statement
    unit: int
    temporary: TemporaryUse

    @property
    def python_task(self) -> str | None:
        """The name of the task whose function of Python the statement runs, None for others."""
        if isinstance(self.statement, s.Ask) and self.statement.function == PYTHON_TASK:
            return self.statement.argument
        return None

    @property
    def is_replayed(self) -> bool:
        """Whether a retry runs the statement again, for its effect on the session alone."""
        if isinstance(self.statement, s.Ask):
            return self.statement.function == SET_RETURN_VALUE
        return isinstance(self.statement, s.Use | s.AlterSession | s.SetReturnValue)


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a task.

    For example, three units; the second has three statements, the third is not ended:

        INSERT INTO a SELECT * FROM s;                                          unit 0
        BEGIN TRANSACTION; DELETE FROM b; INSERT INTO b SELECT * FROM a; COMMIT; unit 1
        BEGIN TRANSACTION; DELETE FROM a                                        unit 2

    Attributes:
        steps: the statements in order.
    """

    steps: tuple[BodyStep, ...]

    @property
    def is_exactly_once(self) -> bool:
        """Whether the body is one statement or one transaction that ends with COMMIT."""
        return len({step.unit for step in self.steps}) == 1

    def carrier(self, position: int) -> SuccessCarrier:
        """Return which publication of a statement carries the success of the run.

        No statement of a function of Python is known to be its last.
        """
        step = self.steps[position]
        if position + 1 < len(self.steps) or step.python_task is not None:
            return SuccessCarrier.NOTHING
        is_commit = isinstance(step.statement, s.Commit)
        return SuccessCarrier.COMMIT if is_commit else SuccessCarrier.STATEMENT

    def unit_start(self, position: int) -> int:
        """Return the position of the first statement of a statement's unit."""
        unit = self.steps[position].unit
        return next(at for at, step in enumerate(self.steps) if step.unit == unit)

    def retry_start(self, unfinished: int) -> int:
        """Return where a retry begins: with the first unfinished statement.

        Queries right before it are run again: the history has them before their rows are computed.

        Args:
            unfinished: the position of the first statement that is not finished.
        """
        start = unfinished
        while start and self._is_query(start - 1):
            start -= 1
        return start

    def find_unfinished(self, records: Mapping[int, list[StatementRecord]]) -> int:
        """Return the position of the first statement that no earlier attempt has finished.

        A statement is finished if it has succeeded. The statements of a transaction are finished if
        one of them was published, or if what ends the transaction has succeeded: nothing is
        published of a transaction that is rolled back, or that only reads.

        Args:
            records: the statements of earlier attempts in the history, by position.
        """
        units: dict[int, list[int]] = {}
        for at, step in enumerate(self.steps):
            units.setdefault(step.unit, []).append(at)
        for positions in units.values():
            found = [record for at in positions for record in records.get(at, ())]
            done = [record for record in found if record.status == "succeeded"]
            if len(positions) > 1:
                done = [record for record in done if record.wrote]
                ending = records.get(self._end_of_transaction(positions[-1]), ())
                done += [record for record in ending if record.status == "succeeded"]
            if not done:
                return positions[0]
        return len(self.steps)

    def _end_of_transaction(self, last: int) -> int:
        """Return the position of what ends a transaction, by the last statement of its unit.

        That is the COMMIT or ROLLBACK, or the next statement, which defines objects.
        """
        return last if isinstance(self.steps[last].statement, s.Commit | s.Rollback) else last + 1

    def is_rolled_back(self, position: int) -> bool:
        """Tell whether a ROLLBACK takes back what a statement has written."""
        step = self.steps[position]
        last = [other for other in self.steps if other.unit == step.unit][-1]
        is_kept = is_published_at_once(step.statement) or not isinstance(last.statement, s.Rollback)
        return not is_kept

    def _is_query(self, position: int) -> bool:
        """Tell whether a statement is a query by itself, in no transaction."""
        step = self.steps[position]
        alone = [other for other in self.steps if other.unit == step.unit]
        return isinstance(step.statement, s.Select) and len(alone) == 1


def find_steps(text: str, database: str = "main", schema: str = "public") -> Body:
    """Return the body of a task by its text.

    Args:
        text: the text of the body.
        database: the current database where the body begins: that of the task.
        schema: the current schema.

    Raises:
        SqlSyntaxError: the text is no body.
        UnsupportedError: icemelt does not run a statement of the body any more.

    >>> body = find_steps("BEGIN DELETE FROM a; BEGIN TRANSACTION; DELETE FROM b; COMMIT; END")
    >>> [step.unit for step in body.steps], body.is_exactly_once
    ([0, 1, 1, 1], False)
    >>> find_steps("INSERT INTO a SELECT * FROM s").is_exactly_once
    True
    """
    return Body(tuple(_find_units(text, TemporaryNames(database, schema))))


def name_statement(context: TaskContext, attempt: int, position: int) -> str:
    """Return the id of a statement of a run: the same for the same statement of the same attempt.

    The history accepts an id once. So it tells a later attempt which statements were published,
    whatever became of the process that ran them.

    Args:
        context: the run.
        attempt: the number of the attempt.
        position: the position of the statement in the body.
    """
    task = context.task
    key = (context.root_id, context.run_id, fold(task.name.name), attempt, position, task.body)
    return str(uuid.uuid5(_NAMESPACE, repr(key)))


def _find_units(text: str, names: TemporaryNames) -> Iterator[BodyStep]:
    unit = -1
    for written, statement in parse_body(text):
        was_open = names.is_open
        temporary = names.follow(statement)
        is_end = isinstance(statement, s.Commit | s.Rollback)
        if not was_open or not (names.is_open or is_end):
            unit += 1
        yield BodyStep(written, statement, unit, temporary)
