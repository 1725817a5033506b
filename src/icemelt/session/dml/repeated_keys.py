"""A key that was deleted and inserted anew: two changes of a stream for one row of a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from icemelt.catalog.records import TableRecord, ViewRecord
from icemelt.errors import DuplicateMatch
from icemelt.session.queries.binding import BoundQuery, reads
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.sql.statements import RowLevel

__all__ = ["refuse_repeated_key"]

_SHOWN = 100


def refuse_repeated_key(
    core: Core, statement: RowLevel, bound: BoundQuery, relations: Mapping[str, str]
) -> None:
    """Refuse a MERGE from changes in which two rows are for one target row, and name their key.

    Nothing is refused where the source has no changes of a table, or its table has a key.

    Raises:
        DuplicateMatch: there is such a key.
    """
    repeats = statement.repeats
    sources = [each for each in _sources(core, statement, bound) if not _has_key(core, each)]
    if repeats is None or not sources:
        return
    query = replace(statement, text=repeats.text, assignments=(), unnamed=())
    with translated(core.spark):
        found = run_sql(core, query.bind(relations, {})).first()
    if found is None:
        return
    names = repeats.columns
    shown = ", ".join(
        f"{name} = {str(value)[:_SHOWN]!r}" if isinstance(value, str) else f"{name} = {value}"
        for name, value in zip(names, found, strict=True)
    )
    raise DuplicateMatch(
        f"Two changes of the MERGE's source are for one target row, {shown}: it was deleted and "
        "inserted anew, or has two rows.",
        hint=_remedy(sources[0], names),
    )


def _remedy(source: TableRecord | ViewRecord, names: Sequence[str]) -> str:
    if isinstance(source, ViewRecord):
        return (
            "In one transaction, DELETE what the changes delete, then INSERT what they insert: "
            "both read the same changes."
        )
    return (
        "With a declared key they are one update: "
        f"ALTER TABLE {source.name} ADD PRIMARY KEY ({', '.join(names)}) RELY"
    )


def _sources(core: Core, statement: RowLevel, bound: BoundQuery) -> list[TableRecord | ViewRecord]:
    """Return the tables and views whose changes the statement reads, by a stream or by CHANGES."""
    read = reads(core, bound.state, statement.references)
    streams = bound.state.streams.items()
    found = [stream.source for name, stream in streams if name.folded in read]
    asked = [core.full(each.name) for each in statement.references if each.changes is not None]
    state = bound.state
    return found + [state.tables.get(name) or state.views[name] for name in asked]


def _has_key(core: Core, source: TableRecord | ViewRecord) -> bool:
    if isinstance(source, ViewRecord):
        return False
    key = core.metadata(core.pinned(source)).key
    return key is not None and key.rely
