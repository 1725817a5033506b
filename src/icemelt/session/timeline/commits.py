"""Which versions wrote a table's rows, for queries that show it."""

from __future__ import annotations

from collections.abc import Iterable

from icemelt.catalog.queries.versions import version_sequences
from icemelt.catalog.records import TableRecord, VersionSequence
from icemelt.session.runtime.core import Core
from icemelt.spark_sql.commit_columns import Commits

__all__ = ["by_number", "commits_of"]


def commits_of(core: Core, table: TableRecord) -> Commits:
    """Return the versions of a table, and their times, by the sequence numbers of its rows."""
    with core.database.read() as connection:
        return by_number(version_sequences(connection, table.object_id))


def by_number(sequences: Iterable[VersionSequence]) -> Commits:
    """Return versions by sequence number: one that no version gave out is of the next version.

    >>> by_number([VersionSequence(3, 2, 70), VersionSequence(5, 4, 90)])
    Commits(first=3, versions=[2, 4, 4], times=[70, 90, 90])
    """
    first = None
    versions: list[int] = []
    times: list[int] = []
    for sequence in sequences:
        first = sequence.last_sequence if first is None else first
        new = sequence.last_sequence - first + 1 - len(versions)
        versions += [sequence.version] * new
        times += [sequence.time] * new
    return Commits(first or 0, versions, times)
