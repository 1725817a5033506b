"""The next values of sequences, and of columns that number their rows, for one statement.

A value that a statement computes once is taken before it runs, and written into its text. For the
rows of a table a *supply* is opened: Java gives each row the next number of the ranges that the
supply has, and a job takes the next range when they are used up. So a statement of three rows takes
three numbers, and one of millions a few ranges, without a look at the rows before. The job runs
while the statement does, and while the rows of a query are fetched.

Executors in other Javas have no supply. Their tasks number the rows within one large range; the
rows that Spark computes as it plans, as those of VALUES, have numbers of the supply there, too.
"""

from __future__ import annotations

import contextlib
import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from icemelt.catalog.defined_records import SequenceRecord
from icemelt.catalog.next_values import Counter, ValueRange, give_back, take_values
from icemelt.catalog.records import TableRecord
from icemelt.errors import IcemeltError, NotYet
from icemelt.jobs.job import Job
from icemelt.names import ObjectName
from icemelt.observe.emitting import tolerate
from icemelt.quoting import text_literal
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import telling_death
from icemelt.spark_java import java_class, java_context
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.statements import (
    Explain,
    NextValue,
    Statement,
    bind_context,
    context_names,
    read_identity,
)

__all__ = [
    "Supplies",
    "default_numbers",
    "default_value",
    "find_default_sequence",
    "is_generated",
    "numbered",
]

_SEQUENCE = re.compile(
    r'((?:"(?:[^"]|"")+"|[^\W\d][\w$]*)(?:\.(?:"(?:[^"]|"")+"|[^\W\d][\w$]*)){0,2})\.NEXTVAL'
)
_JAVA = "icemelt.spark.NextValues"
# how many numbers a supply takes at first, and at most at once
_FIRST_RANGE, _LARGEST_RANGE = 1_000, 1_000_000
# of a cluster: the rows of the largest partition, times the partitions
_RANGE_OF_CLUSTER = 2**34
_MILLISECONDS = 250
_SECONDS_TO_STOP = 10.0


@contextlib.contextmanager
def numbered(core: Core, statement: Statement) -> Iterator[tuple[Statement, Supplies | None]]:
    """Give a statement with the next values that it mentions, and the supplies of numbers for them.

    The supplies are closed at the end of the block, unless somebody has taken them over. None
    stands for no supply: the statement numbers no rows. EXPLAIN takes no numbers.

    Args:
        core: the session's parts.
        statement: the parsed statement.

    Raises:
        ObjectNotFound: there is no such sequence.
        WrongObjectKind: the name belongs to an object of another kind.
        ValueRefused: a sequence has no numbers left.
        NotYet: rows are numbered by a sequence in several places, on a cluster.
    """
    mentions = list(filter(None, map(NextValue.of_context, context_names(statement))))
    if not mentions:
        yield statement, None
        return
    supplies = Supplies(core)
    try:
        if isinstance(statement, Explain):
            values = {each.context_name: "0L" for each in mentions}
        else:
            values = _take_next_values(core, mentions, supplies)
        has_supplies = not all(each.is_single for each in mentions)
        with supplies.running():
            yield bind_context(statement, values), supplies if has_supplies else None
    finally:
        if not supplies.is_taken_over:
            supplies.close()


def default_value(core: Core, table: TableRecord, column: Column) -> str:
    """Return the Spark SQL of a column's default, NULL without one.

    A column with a sequence, or that numbers its rows, opens a supply until the end of the
    statement.

    Args:
        core: the session's parts for one statement.
        table: the table.
        column: the column of the table.

    Raises:
        ObjectNotFound: the sequence was dropped or renamed.
    """
    counter = _counter_of_column(core, table, column)
    if counter is None:
        return column.default or "NULL"
    supplies = Supplies(core)
    core.scope.resources.callback(supplies.close)
    call = supplies.open(counter)
    core.scope.resources.enter_context(supplies.running())
    return call


def default_numbers(core: Core, table: TableRecord, column: Column, count: int) -> list[str]:
    """Return the Spark SQL of the next numbers of a column that numbers its rows.

    Args:
        core: the session's parts.
        table: the table.
        column: a column with a sequence, or that numbers its rows.
        count: how many numbers.

    Raises:
        ObjectNotFound: the sequence was dropped or renamed.
        ValueRefused: so many numbers are not left.
    """
    counter = _counter_of_column(core, table, column)
    assert counter is not None  # noqa: S101 - as the caller has asked
    return _write_numbers(take_values(core.database, counter, count, count))


def is_generated(default: str | None) -> bool:
    """Tell whether a default is a new number for each row.

    >>> is_generated("main.public.s.NEXTVAL"), is_generated("uuid()")
    (True, False)
    """
    return read_identity(default) is not None or find_default_sequence(default) is not None


def find_default_sequence(default: str | None) -> ObjectName | None:
    """Return the sequence whose next value a default is; None for another default.

    >>> find_default_sequence('main.public."My s".NEXTVAL')
    ObjectName(parts=('main', 'public', 'My s'))
    """
    found = None if default is None else _SEQUENCE.fullmatch(default)
    return None if found is None else written_name(found[1])


@dataclass(slots=True)
class Supplies:
    """The supplies of numbers for the rows of a statement.

    Attributes:
        core: the session's parts.
        is_taken_over: whether they outlive the statement, whose rows are fetched later.
    """

    core: Core
    is_taken_over: bool = False
    _all: list[_Supply] = field(default_factory=list)

    def open(self, counter: Counter) -> str:
        """Open a supply of numbers; return Spark SQL that gives each row one.

        Args:
            counter: who gives the numbers out.
        """
        supply = _Supply(self.core, counter)
        self._all.append(supply)
        return supply.open()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Take numbers for rows that lack them, while the block computes the rows."""
        with contextlib.ExitStack() as running:
            for supply in self._all:
                running.enter_context(supply.running())
            yield

    def close(self) -> None:
        """Close the supplies, and give back the numbers that no row has."""
        for supply in self._all:
            supply.close()


@dataclass(slots=True)
class _Supply:
    """Numbers for the rows of a statement, taken as the rows need them.

    Attributes:
        core: the session's parts.
        counter: who gives the numbers out.
        key: the key of the supply in Java.
        range: the range that was taken last.
        error: why there are no more numbers.
    """

    core: Core
    counter: Counter
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    range: ValueRange | None = None
    error: IcemeltError | None = None

    def open(self) -> str:
        """Open the supply; return Spark SQL that gives each row a number."""
        self._java().open(self.key, self.counter.increment)
        self._add(_FIRST_RANGE)
        if java_context(self.core.spark).isLocal():
            return self._call(0, 0)
        taken = take_values(self.core.database, self.counter, _RANGE_OF_CLUSTER)
        return self._call(taken.first, taken.count)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Take ranges for rows that lack numbers during a block, in a job."""
        job = Job("icemelt-sequence", self._turn, every=0.0).start()
        try:
            yield
        finally:
            job.end()
            with self._tolerating("end the wait for rows that lack numbers"):
                self._java().wake(self.key)
            job.stop(_SECONDS_TO_STOP)

    def close(self) -> None:
        """Close the supply, and give back the numbers that no row has."""
        taken, self.range = self.range, None
        if taken is None:
            return
        with self._tolerating("give back unused numbers of a sequence"):
            left = self._java().close(self.key)
            give_back(self.core.database, self.counter, taken, left)

    @contextlib.contextmanager
    def _tolerating(self, action: str) -> Iterator[None]:
        """Go on where Spark is gone, or the catalog cannot be reached."""
        with tolerate(IcemeltError, to=action), telling_death(self.core.spark):
            yield

    def _call(self, first: int, count: int) -> str:
        key, step = text_literal(self.key), self.counter.increment
        numbers = ", ".join(f"CAST('{number}' AS BIGINT)" for number in (first, step, count))
        return f"icemelt_next_value({key}, {numbers})"

    def _turn(self) -> None:
        """Wait for rows that lack numbers, and take the next range for them."""
        if self._java().awaitDemand(self.key, _MILLISECONDS):
            last = _FIRST_RANGE if self.range is None else self.range.count
            try:
                self._add(min(2 * last, _LARGEST_RANGE))
            except IcemeltError as error:
                self.error = error
                self._java().fail(self.key, error.message)

    def _add(self, count: int) -> None:
        taken = take_values(self.core.database, self.counter, count)
        if self._java().add(self.key, taken.first, taken.count):
            self.range = taken
        else:
            give_back(self.core.database, self.counter, taken, taken.count)

    def _java(self) -> Any:
        return java_class(self.core.spark, _JAVA)


def _take_next_values(
    core: Core, mentions: Iterable[NextValue], supplies: Supplies
) -> dict[str, str]:
    """Return the Spark SQL of mentions of NEXTVAL by the names of their context values.

    Args:
        core: the session's parts.
        mentions: the mentions.
        supplies: gain those for rows of tables.
    """
    by_sequence = defaultdict(list)
    for mention in sorted(mentions, key=lambda each: each.number):
        by_sequence[core.object_of(SequenceRecord, mention.sequence).object_id].append(mention)
    values: dict[str, str] = {}
    for own in by_sequence.values():
        counter = _counter_of(core.object_of(SequenceRecord, own[0].sequence))
        single = [each for each in own if each.is_single]
        if single:
            taken = take_values(core.database, counter, len(single), len(single))
            names = (each.context_name for each in single)
            values |= zip(names, _write_numbers(taken), strict=True)
        if len(own) - len(single) > 1 and not java_context(core.spark).isLocal():
            raise NotYet(
                f"NEXTVAL of {str(own[0].sequence)!r} stands several times in a statement that "
                "runs on a cluster.",
                hint="Number the rows in one statement, and read these in the next one.",
            )
        if len(single) < len(own):
            call = supplies.open(counter)
            values |= {each.context_name: call for each in own if not each.is_single}
    return values


def _counter_of(sequence: SequenceRecord) -> Counter:
    """Return who gives out the numbers of a sequence."""
    title = f"Sequence {str(sequence.name)!r}"
    return Counter(sequence.object_id, 0, sequence.start, sequence.increment, title)


def _counter_of_column(core: Core, table: TableRecord, column: Column) -> Counter | None:
    """Return who gives out the numbers of a column; None for a column without numbers."""
    identity, sequence = read_identity(column.default), find_default_sequence(column.default)
    if identity is not None:
        title = f"Column {column.name!r} of table {str(table.name)!r}"
        start, increment = identity.start, identity.increment
        return Counter(table.object_id, column.field_id or 0, start, increment, title)
    if sequence is None:
        return None
    return _counter_of(core.object_of(SequenceRecord, sequence))


def _write_numbers(taken: ValueRange) -> list[str]:
    """Return the numbers of a range as Spark SQL."""
    numbers = (taken.first + at * taken.increment for at in range(taken.count))
    return [f"CAST('{number}' AS BIGINT)" for number in numbers]
