"""Explain a MERGE from a stream that fails because a key was deleted and inserted again.

In the stream the key has two changes, and both match one row of the target. For example, after
`DELETE … WHERE id = 1` and `INSERT … VALUES (1, 'b')` on a table without a declared key:

    id | v | METADATA$ACTION | METADATA$ISUPDATE
    1  | a | DELETE          | false
    1  | b | INSERT          | false
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from icemelt.catalog.records import FileOwner, TableRecord, ViewRecord
from icemelt.errors import DuplicateMatch
from icemelt.session.queries.binding import BoundQuery, reads
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.sql.statements import RowLevel

__all__ = ["require_distinct_keys"]

_MAX_CHARACTERS_SHOWN = 100


def require_distinct_keys(
    core: Core, statement: RowLevel, bound: BoundQuery, relations: Mapping[str, str]
) -> None:
    """Refuse a MERGE with two changes for the same row of the target, and name the key.

    A MERGE that reads no changes of a table passes, and so does a table with a declared key.

    Args:
        core: the session's parts.
        statement: the parsed MERGE.
        bound: the bound names of the statement.
        relations: the relation for each slot of the statement's text.

    Raises:
        DuplicateMatch: a key has two changes.
    """
    repeats = statement.repeats
    sources = [
        source for source in _find_sources(core, statement, bound) if not _has_key(core, source)
    ]
    if repeats is None or not sources:
        return
    query = replace(statement, text=repeats.text, assignments=(), unnamed=())
    with translated(core.spark):
        key_values = run_sql(core, query.bind(relations, {})).first()
    if key_values is None:
        return
    names = repeats.columns
    shown = ", ".join(
        f"{name} = {str(value)[:_MAX_CHARACTERS_SHOWN]!r}"
        if isinstance(value, str)
        else f"{name} = {value}"
        for name, value in zip(names, key_values, strict=True)
    )
    raise DuplicateMatch(
        f"Two changes of the MERGE's source are for one target row, {shown}: it was deleted and "
        "inserted anew, or has two rows.",
        hint=_find_remedy(sources[0], names),
    )


def _find_remedy(source: TableRecord | ViewRecord, names: Sequence[str]) -> str:
    if isinstance(source, ViewRecord):
        return (
            "In one transaction, DELETE what the changes delete, then INSERT what they insert: "
            "both read the same changes."
        )
    return (
        "With a declared key they are one update: "
        f"ALTER TABLE {source.name} ADD PRIMARY KEY ({', '.join(names)}) RELY"
    )


def _find_sources(
    core: Core, statement: RowLevel, bound: BoundQuery
) -> list[TableRecord | ViewRecord]:
    """Return the tables and views whose changes are read, by a stream or by CHANGES."""
    read = reads(core, bound.state, statement.references)
    streams = bound.state.streams.items()
    by_stream = [
        stream.source
        for name, stream in streams
        # a file of a directory table is known by its path, and a row of a file is inserted once
        if name.folded in read and not isinstance(stream.source, FileOwner)
    ]
    by_changes = [
        core.full(reference.name)
        for reference in statement.references
        if reference.changes is not None and reference.files is None
    ]
    state = bound.state
    return by_stream + [state.tables.get(name) or state.views[name] for name in by_changes]


def _has_key(core: Core, source: TableRecord | ViewRecord) -> bool:
    if isinstance(source, ViewRecord):
        return False
    key = core.metadata(core.pinned(source)).key
    return key is not None and key.rely
