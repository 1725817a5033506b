"""Next values: the numbers that sequences, and columns that number their rows, give out.

A statement takes a range of numbers before it gives them to rows, by one compare-and-swap. So no
number is given twice, whoever dies when. Numbers that a statement has taken and not used are a gap,
unless nobody has taken numbers since: then they go back.

    next value   statement                        next value after
    1            a: takes 1,000 for its 3 rows    1001
    1001         a: gives back 997                4
    4            b: takes 1,000, and is killed    1004
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import next_values
from icemelt.errors import ValueRefused

__all__ = [
    "LARGEST",
    "LEAST",
    "Counter",
    "ValueRange",
    "copy_next_values",
    "find_next_values",
    "give_back",
    "take_values",
]

LEAST, LARGEST = -(2**63), 2**63 - 1
_OF_OWNER = sa.and_(
    next_values.c.owner_id == sa.bindparam("owner"), next_values.c.field_id == sa.bindparam("field")
)
_NEXT = sa.select(next_values.c.next_value).where(_OF_OWNER)
_MOVE = next_values.update().where(_OF_OWNER).values(next_value=sa.bindparam("wanted"))
_IS_STILL = next_values.c.next_value == sa.bindparam("before")


@dataclass(frozen=True, slots=True)
class Counter:
    """Who gives numbers out: a sequence, or a column of a table.

    Attributes:
        owner_id: the object id of the sequence, or of the table.
        field_id: the field id of the column in Iceberg's schema, 0 for a sequence.
        start: the first number.
        increment: the difference between two numbers, not 0.
        title: how errors call it: `Sequence 'main.public.s'`.
    """

    owner_id: str
    field_id: int
    start: int
    increment: int
    title: str


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Numbers that were taken: the first, how many, and the increment between them."""

    first: int
    count: int
    increment: int

    @property
    def end(self) -> int | None:
        """The number behind the last, None where 64 bits do not hold it."""
        end = self.first + self.count * self.increment
        return end if LEAST <= end <= LARGEST else None


def take_values(database: Database, counter: Counter, count: int, least: int = 1) -> ValueRange:
    """Take numbers, which nobody else gets from now on.

    Args:
        database: the catalog's database.
        counter: who gives them out.
        count: how many numbers are wanted.
        least: how many numbers are taken at least, where 64 bits hold no more.

    Raises:
        ValueRefused: so many numbers are not left within 64 bits.
    """
    while True:
        with database.read() as connection:
            row = connection.execute(_NEXT, _key(counter)).first()
        first = counter.start if row is None else row.next_value
        taken = ValueRange(0, 0, counter.increment)
        if first is not None:
            limit = LARGEST if counter.increment > 0 else LEAST
            left = (limit - first) // counter.increment + 1
            taken = ValueRange(first, min(count, left), counter.increment)
        if taken.count < least:
            raise ValueRefused(
                f"{counter.title} has no numbers left: they have 64 bits.",
                hint="CREATE OR REPLACE SEQUENCE starts anew; a NUMBER holds larger ones.",
            )
        if _swap(database, counter, first, taken.end, is_new=row is None):
            return taken


def give_back(database: Database, counter: Counter, taken: ValueRange, count: int) -> bool:
    """Give back the last numbers of a range; return False where others were taken since.

    Args:
        database: the catalog's database.
        counter: who has given them out.
        taken: the range.
        count: how many of the last numbers of the range were given to no row.
    """
    if count <= 0 or taken.end is None:
        return False
    unused = taken.end - count * taken.increment
    return _swap(database, counter, taken.end, unused, is_new=False)


def find_next_values(
    connection: sa.Connection, owner_ids: Collection[str]
) -> dict[tuple[str, int], int | None]:
    """Return the next numbers of some objects, by object id and field id.

    An object that has given out none is left out; None stands for no number left.
    """
    rows = connection.execute(sa.select(next_values).where(next_values.c.owner_id.in_(owner_ids)))
    return {(row.owner_id, row.field_id): row.next_value for row in rows}


def copy_next_values(connection: sa.Connection, source_id: str, clone_id: str) -> None:
    """Let a cloned sequence, or the columns of a cloned table, go on where the source is.

    Args:
        connection: a connection in a write transaction.
        source_id: the object id of the source.
        clone_id: the object id of the clone.
    """
    rows = [
        {"owner_id": clone_id, "field_id": field_id, "next_value": value}
        for (_, field_id), value in find_next_values(connection, [source_id]).items()
    ]
    if rows:
        connection.execute(next_values.insert(), rows)


def _swap(
    database: Database, counter: Counter, before: int | None, wanted: int | None, *, is_new: bool
) -> bool:
    """Move the next number on; return False where another has moved it.

    Args:
        database: the catalog's database.
        counter: who gives the numbers out.
        before: the next number as it was read.
        wanted: the next number from now on.
        is_new: whether no number was ever given out.
    """
    values = {**_key(counter), "before": before, "wanted": wanted}
    if not is_new:
        with database.write_unordered() as connection:
            return bool(connection.execute(_MOVE.where(_IS_STILL), values).rowcount)
    row = {"owner_id": counter.owner_id, "field_id": counter.field_id, "next_value": wanted}
    try:
        with database.write_unordered() as connection:
            connection.execute(next_values.insert(), row)
    except sa.exc.IntegrityError:
        return False
    return True


def _key(counter: Counter) -> dict[str, object]:
    return {"owner": counter.owner_id, "field": counter.field_id}
