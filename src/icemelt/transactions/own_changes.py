"""What an open transaction's own statements change in a listing of objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.catalog.edits import AddLoads, Edit, ForgetLoads, MakeTable
from icemelt.catalog.queries.listing import LOAD
from icemelt.catalog.queries.reading import DEFAULT_RETENTION_DAYS
from icemelt.catalog.records import (
    ContainerRecord,
    ListedLoad,
    ListedTable,
    Listing,
    TableRecord,
    Wanted,
)
from icemelt.names import fold
from icemelt.transactions.pending import TableWrite

__all__ = ["OwnChanges"]


@dataclass(frozen=True, slots=True)
class OwnChanges:
    """The tables and loads that an open transaction has made, written or dropped.

    Args:
        began_at: when the transaction began: the time of all of its changes until the COMMIT.
        dropped: the ids of the dropped tables.
        written: the writes by table id.
        made: the made tables, each with its edit.
        edits: all edits, in order.
    """

    began_at: int
    dropped: frozenset[str]
    written: Mapping[str, TableWrite]
    made: Sequence[tuple[TableRecord, MakeTable]]
    edits: Sequence[Edit]

    def added_to(self, listing: Listing) -> Listing:
        """Return a listing of the transaction's beginning with the changes."""
        tables, loads = listing.tables, listing.loads
        wanted = listing.wanted
        if TableRecord.kind in wanted.kinds:
            kept = [each for each in tables if each.table.object_id not in self.dropped]
            found = [*map(self._as_written, kept), *self._made_within(listing)]
            tables = tuple(sorted(found, key=_place))
        if LOAD in wanted.kinds:
            loads = tuple(self._with_loads(loads, wanted))
        return replace(listing, now=self.began_at, tables=tables, loads=loads)

    def _as_written(self, listed: ListedTable) -> ListedTable:
        write = self.written.get(listed.table.object_id)
        if write is None:
            return listed
        location = write.mine.location
        table = replace(listed.table, pointer=location, known_location=location)
        stats = write.stats
        return replace(
            listed,
            table=table,
            total_rows=stats.total_rows,
            total_bytes=stats.total_bytes,
            altered_at=self.began_at,
        )

    def _made_within(self, listing: Listing) -> Iterable[ListedTable]:
        for table, edit in self.made:
            if _is_within(table, listing.wanted):
                days = edit.options.retention_days
                record = replace(
                    table,
                    created_at=self.began_at,
                    pointer=edit.location,
                    known_location=edit.location,
                    retention_days=_inherited(listing, edit.parent_id) if days is None else days,
                )
                stats = edit.stats
                yield ListedTable(
                    record, stats.total_rows, stats.total_bytes, self.began_at, edit.tracked
                )

    def _with_loads(self, loads: Iterable[ListedLoad], wanted: Wanted) -> list[ListedLoad]:
        found = {
            (each.table.object_id, each.load.path): each
            for each in loads
            if each.table.object_id not in self.dropped
        }
        tables = {table.object_id: table for table, _ in self.made}
        tables |= {object_id: write.table for object_id, write in self.written.items()}
        for edit in self.edits:
            match edit:
                case ForgetLoads():
                    found = {key: each for key, each in found.items() if key[0] != edit.table_id}
                case AddLoads() if _is_within(tables[edit.table_id], wanted):
                    self._replace_loads(found, tables[edit.table_id], edit)
        return list(found.values())

    def _replace_loads(
        self, found: dict[tuple[str, str], ListedLoad], table: TableRecord, edit: AddLoads
    ) -> None:
        """Put the loads of an edit in the place of earlier ones, at the end."""
        for load in edit.loads:
            key = edit.table_id, load.path
            known = found.get(key)
            if not load.is_hidden_by(None if known is None else known.load):
                found.pop(key, None)
                found[key] = ListedLoad(table, load, self.began_at)


def _is_within(table: TableRecord, wanted: Wanted) -> bool:
    place = (table.name.database, table.name.schema)
    return all(
        name is None or fold(name) == fold(part)
        for name, part in zip(wanted.within, place, strict=True)
    )


def _inherited(listing: Listing, schema_id: str) -> int:
    """Return the retention, in days, of a table without one of its own."""
    days: int | None = None
    schema = next((each for each in listing.schemas if each.object_id == schema_id), None)
    if schema is not None:
        days = schema.retention_days
        if days is None:
            days = _named(listing.databases, schema.database_name).retention_days
    return DEFAULT_RETENTION_DAYS if days is None else days


def _named(databases: Iterable[ContainerRecord], name: str | None) -> ContainerRecord:
    return next(each for each in databases if each.name == name and each.dropped_at is None)


def _place(listed: ListedTable) -> tuple[str, str, str, int]:
    name = listed.table.name
    return fold(name.database), fold(name.schema), fold(name.name), listed.table.created_at
