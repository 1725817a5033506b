"""Listings of files as points: `AT (VERSION => n)` of a directory table or an external table."""

from __future__ import annotations

from icemelt.catalog.database import Connection
from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.queries.listings import listings_between
from icemelt.catalog.records import FileOwner
from icemelt.errors import BeforeTableExisted, PointError, PointInFuture
from icemelt.sql.dialect.written_names import full_name

__all__ = ["require_listing"]


def require_listing(connection: Connection, owner: FileOwner, number: float, until: int) -> int:
    """Return the number of a listing, which is the number of the listing's commit.

    Args:
        connection: a connection to the catalog's database.
        owner: the stage or the external table.
        number: the number of the point.
        until: the commit number of the statement's moment.

    Raises:
        BeforeTableExisted: the number is before the first listing.
        PointInFuture: the number is after the last listing.
        PointError: no listing in between has the number.
    """
    numbers = [each.version for each in listings_between(connection, owner.object_id, 0, until)]
    if number in numbers:
        return int(number)
    what = owner.kind if not isinstance(owner, StageRecord) else "directory table of stage"
    missing = f"{what.capitalize()} {str(owner.name)!r} has no listing {number:g}"
    hint = f"DESC HISTORY {full_name(owner.name)} lists the listings."
    if not numbers or number > numbers[-1]:
        last = f"its last is {numbers[-1]}" if numbers else "no listing has found a file yet"
        raise PointInFuture(f"{missing}: {last}.", hint=hint)
    if number < numbers[0]:
        raise BeforeTableExisted(f"{missing}: its first is {numbers[0]}.", hint=hint)
    before = max(each for each in numbers if each < number)
    after = min(each for each in numbers if each > number)
    raise PointError(f"{missing}: those around it are {before} and {after}.", hint=hint)
