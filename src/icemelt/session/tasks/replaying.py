"""Which statements of a body run: of a retry those that are not finished, and what these need.

Temporary objects end with the session of an attempt, so a retry makes those again that a statement
to come names. The body, of which statement 4 has failed:

| statement                                     | in the retry                                |
|-----------------------------------------------|---------------------------------------------|
| 1. ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'  | runs again: a setting of the session        |
| 2. CREATE TEMPORARY TABLE b AS SELECT … FROM t | runs again: statement 4 names b            |
| 3. INSERT INTO u SELECT * FROM b              | is finished                                 |
| 4. INSERT INTO v SELECT * FROM b              | runs                                        |
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from icemelt.names import QualifiedName
from icemelt.session.runtime.task_context import ConsumptionRefused
from icemelt.session.runtime.transacting import may_define
from icemelt.session.tasks.bodies import Body, BodyStep
from icemelt.sql import statements as s
from icemelt.sql.mentioned_names import may_mention
from icemelt.transactions.consumption import Consumption

__all__ = ["BodyPlan", "plan_body", "validate_consumption"]

_SHORT = 60


@dataclass(frozen=True, slots=True)
class BodyPlan:
    """What an attempt at a body runs.

    Attributes:
        start: the position of the first statement that is not finished, and that runs.
        positions: the positions of the statements that run, in order.
        remade: those of them before `start` that make temporary objects again, and fill them.
    """

    start: int
    positions: tuple[int, ...]
    remade: frozenset[int]


def plan_body(body: Body, unfinished: int) -> BodyPlan:
    """Return what an attempt runs.

    A statement that writes both a temporary object and a table is run again where the object is
    needed. A DROP of a temporary object that the attempt does not have is left out: the name may be
    a table's that the object has hidden.

    Args:
        body: the body.
        unfinished: the position of the first statement that no earlier attempt has finished.
    """
    start = body.retry_start(unfinished)
    remade = _find_remade(body, start)
    positions, alive = [], set[QualifiedName]()
    for position, step in enumerate(body.steps):
        temporary = step.temporary
        if temporary.dropped:
            runs = bool(temporary.dropped & alive)
        else:
            runs = position >= start or position in remade or step.is_replayed
        if runs:
            alive |= temporary.written
            alive -= temporary.dropped
            positions.append(position)
    return BodyPlan(start, tuple(positions), remade)


def validate_consumption(body: Body, position: int, consumption: Consumption) -> None:
    """Refuse what a statement is about to publish, if a retry would miss the consumed rows.

    Of a function of Python nobody knows what it reads later: there a consumption is refused that
    writes nothing but temporary objects.

    Args:
        body: the body.
        position: the position of the statement, which is a COMMIT for a transaction.
        consumption: what the publication consumes.

    Raises:
        ConsumptionRefused: the rows are in temporary objects that later statements read.
    """
    names = ", ".join(sorted(repr(str(name)) for name in consumption.temporary))
    if body.steps[position].python_task is not None:
        if consumption.temporary and not consumption.lasts:
            raise ConsumptionRefused(
                f"The consumed rows would be in the temporary {names} alone: a retry of the task "
                "would find neither.",
                hint="with session.transaction(): around the statement and all that read its rows.",
            )
        return
    first = _find_first(body, position)
    reader = _find_last_reader(body, first, position, consumption.temporary)
    if reader is not None:
        raise ConsumptionRefused(
            f"Statement {reader + 1} reads the consumed rows from the temporary {names}: if the "
            "body failed in between, a retry would find neither.",
            hint=_write_transaction(body, first, reader),
        )


def _find_first(body: Body, position: int) -> int:
    """Return where the transaction of a publication begins; a definition publishes one before."""
    is_definition = may_define(body.steps[position].statement)
    return body.unit_start(position - 1 if position and is_definition else position)


def _write_transaction(body: Body, first: int, reader: int) -> str:
    """Return what to type: the statements from a consumption to its last reader as one."""
    steps = body.steps[first : reader + 1]
    statements = [
        step for step in steps if not isinstance(step.statement, s.Begin | s.Commit | s.Rollback)
    ]
    texts = [" ".join(step.text.split()) for step in statements]
    shown = [text if len(text) <= _SHORT else f"{text[:_SHORT]} …" for text in texts]
    hint = f"BEGIN TRANSACTION; {'; '.join(shown)}; COMMIT;"
    if any(may_define(step.statement) and not step.temporary.dropped for step in statements):
        hint += " Move before it what defines other objects, which would commit it."
    return hint


def _find_last_reader(
    body: Body, first: int, position: int, objects: Collection[QualifiedName]
) -> int | None:
    """Return the position of the last statement that reads temporary objects; None without any.

    Temporary objects that are made of them count as they do.

    Args:
        body: the body.
        first: where the transaction begins that has written the objects.
        position: the position of the statement after which readers are looked for.
        objects: the folded names of the objects.
    """
    reached, last = set(objects), None
    for step in body.steps[first : position + 1]:
        if _find_read(step, reached):
            reached |= step.temporary.written
    for at in range(position + 1, len(body.steps)):
        temporary = body.steps[at].temporary
        is_reader = _find_read(body.steps[at], reached)
        reached -= temporary.renewed
        if is_reader:
            last = at
            reached |= temporary.written
    return last


def _find_remade(body: Body, start: int) -> frozenset[int]:
    """Return the finished statements that write temporary objects which later ones name."""
    objects = {name for step in body.steps[:start] for name in step.temporary.written}
    needed, remade = set[QualifiedName](), set[int]()
    for position in reversed(range(len(body.steps))):
        step = body.steps[position]
        runs = position >= start
        if not runs and step.temporary.written & needed and not body.is_rolled_back(position):
            remade.add(position)
            runs = True
        needed -= step.temporary.dropped
        if runs:
            needed -= step.temporary.renewed
            needed |= _find_read(step, objects)
    return frozenset(remade)


def _find_read(step: BodyStep, objects: Collection[QualifiedName]) -> set[QualifiedName]:
    """Return which temporary objects a statement may read, or change as they are.

    A function of Python may read all.
    """
    if isinstance(step.statement, s.Drop):
        return set()
    is_python = step.python_task is not None
    named = {name for name in objects if is_python or may_mention(step.text, name.name)}
    return named - step.temporary.renewed
