"""REDO_LOG of a table: the changes of every version, with the number and time of the version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.catalog.records import TableRecord, VersionSequence
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.redo_log import RedoLog
from icemelt.engine.relations import BaseDelta
from icemelt.engine.resources import StatementResources
from icemelt.errors import VersionExpired
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.commits import by_number
from icemelt.session.timeline.points import TableInterval
from icemelt.spark_sql.commit_columns import Commits, redo_log
from icemelt.tables.scans.redo_scan import RedoStep
from icemelt.times import format_time

__all__ = ["redo_delta", "redone", "redone_since_empty"]


def redone(
    core: Core,
    table: TableRecord,
    interval: TableInterval,
    resources: StatementResources,
    *,
    raw: bool = False,
) -> tuple[str, ChangePlan]:
    """Return the relation of the changes of every version inside an interval, and its plan.

    A `raw` one has what the versions wrote and took away, rows that were only moved too.

    Raises:
        VersionExpired: a version inside is past retention, and gone.
    """
    steps, sequences = _steps(interval)
    _refuse_expired(table, interval, steps)
    commits = by_number(sequences)
    log = RedoLog(core.relations, interval.scanned, steps, resources, raw)
    relation, plan = log.changes()
    return redo_log(relation, interval.metadata.columns, commits), plan


def redone_since_empty(
    core: Core, table: TableRecord, interval: TableInterval, resources: StatementResources
) -> tuple[str, ChangePlan]:
    """Return a redo log that begins with the rows at the start, as inserts of that version."""
    start = interval.start
    first = core.relations.read_as_inserts(interval.metadata, start.snapshot_id, carried="0")
    commits = Commits(0, [start.version], [start.moment.time])
    later, plan = redone(core, table, interval, resources)
    first = redo_log(first, interval.metadata.columns, commits)
    return f"(SELECT * FROM {first} UNION ALL SELECT * FROM {later})", plan


def redo_delta(
    core: Core, table: TableRecord, interval: TableInterval, resources: StatementResources
) -> BaseDelta:
    """Return the rows that every version inside an interval added and removed, beside the commit.

    That is a structure of `number`, the lake's commit number, and `time`.

    Raises:
        VersionExpired: a version inside is past retention, and gone.
    """
    steps, sequences = _steps(interval)
    _refuse_expired(table, interval, steps)
    numbers = {version.version: version.moment.commit_number for version in interval.inside}
    commits = by_number(
        [replace(sequence, version=numbers[sequence.version]) for sequence in sequences]
    )

    def commit_of(number: str) -> str:
        time = commits.time_of(number)
        return f"named_struct('number', {commits.version_of(number)}, 'time', {time})"

    return RedoLog(core.relations, interval.scanned, steps, resources).delta(commit_of)


def _refuse_expired(table: TableRecord, interval: TableInterval, steps: Sequence[RedoStep]) -> None:
    snapshots = interval.metadata.snapshots
    for step in steps:
        if any(end is not None and end not in snapshots for end in (step.start, step.end)):
            time = format_time(interval.start.moment.time)
            raise VersionExpired(
                f"A version of table {str(table.name)!r} after {time} is past retention and its "
                "files are gone: REDO_LOG shows every version.",
                hint="Give a later start; or INFORMATION => DEFAULT, which needs only the ends.",
            )


def _steps(interval: TableInterval) -> tuple[list[RedoStep], list[VersionSequence]]:
    """Return steps for the versions that may have changed rows, and the numbers of the versions.

    The number of a version is its last sequence number. A version without a snapshot, as RESTORE
    makes, gets a number after all sequence numbers.
    """
    last = max((s.sequence_number for v in interval.inside for s in v.snapshots), default=0)
    steps: list[RedoStep] = []
    sequences: list[VersionSequence] = []
    for before, version in interval.changing:
        last += 0 if version.snapshots else 1
        number = version.snapshots[-1].sequence_number if version.snapshots else last
        own = frozenset(snapshot.snapshot_id for snapshot in version.snapshots)
        steps.append(RedoStep(before, version.snapshot_id, number, own))
        sequences.append(VersionSequence(number, version.version, version.moment.time))
    return steps, sorted(sequences, key=lambda sequence: sequence.last_sequence)
