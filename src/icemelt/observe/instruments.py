"""The metrics counted from events: one table for Prometheus and OpenTelemetry."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from icemelt.observe import events as e

__all__ = ["INSTRUMENTS", "Instrument", "Measure"]


class Measure(Enum):
    """How an instrument combines the values of its events."""

    SUM = "counter"
    SPREAD = "histogram"


@dataclass(frozen=True, slots=True)
class Instrument:
    """A metric fed by events of one class.

    Args:
        name: the metric's name, after `icemelt_` for Prometheus and after `icemelt.` for
            OpenTelemetry.
        event: the class of the events.
        text: the metric's meaning, in a sentence.
        value: the event's field to add, None to count events.
        labels: the fields that make a series of the metric; a field has few values, whatever users
            do.
        measure: whether the metric is a sum, or the distribution of the values.
    """

    name: str
    event: type[e.Event]
    text: str
    value: str | None = None
    labels: tuple[str, ...] = ()
    measure: Measure = Measure.SUM

    def value_of(self, event: e.Event) -> float:
        """Return the value to add for an event.

        >>> INSTRUMENTS[0].value_of(e.StatementEnded("4f", "b0", "SELECT", 0.5))
        1.0
        """
        return 1.0 if self.value is None else float(getattr(event, self.value))

    def labels_of(self, event: e.Event) -> dict[str, str]:
        """Return the labels of an event's series.

        >>> INSTRUMENTS[0].labels_of(e.StatementEnded("4f", "b0", "SELECT", 0.5))
        {'kind': 'SELECT', 'status': 'succeeded'}
        """
        values = {name: getattr(event, name) for name in self.labels}
        return {name: "none" if value is None else str(value) for name, value in values.items()}


INSTRUMENTS = (
    Instrument(
        "statements_ended",
        e.StatementEnded,
        "Statements by kind, and how they ended.",
        labels=("kind", "status"),
    ),
    Instrument(
        "statement_seconds",
        e.StatementEnded,
        "How long statements took, fetching of rows left out.",
        "seconds",
        labels=("kind",),
        measure=Measure.SPREAD,
    ),
    Instrument(
        "fetch_seconds",
        e.RowsFetched,
        "How long it took to run queries and fetch their rows.",
        "seconds",
        measure=Measure.SPREAD,
    ),
    Instrument(
        "publish_attempts",
        e.PublishAttempted,
        "Attempts to publish a transaction, by outcome.",
        labels=("outcome",),
    ),
    Instrument(
        "publish_seconds",
        e.TransactionPublished,
        "How long it took to publish a transaction, with waits and rebases.",
        "seconds",
        measure=Measure.SPREAD,
    ),
    Instrument("rebases", e.TableRebased, "Writes re-applied to the state that another left."),
    Instrument("reruns", e.StatementRerun, "Statements that lost a race and ran again."),
    Instrument(
        "reservation_wait_seconds",
        e.ReservationAwaited,
        "How long transactions waited for reserved tables.",
        "seconds",
    ),
    Instrument(
        "lock_waits",
        e.LockAwaited,
        "Waits for a stream's lock, by the code of the error that ended them.",
        labels=("error_code",),
    ),
    Instrument(
        "lock_wait_seconds", e.LockAwaited, "How long transactions waited for locks.", "seconds"
    ),
    Instrument("leases_lapsed", e.LeaseLapsed, "Open transactions of this process that lapsed."),
    Instrument(
        "lapsed_leases_removed",
        e.LapsedLeasesRemoved,
        "Transactions and reservations of dead processes that were removed.",
        "count",
    ),
    Instrument(
        "foreign_versions",
        e.ForeignCommitsAdopted,
        "Versions that other engines committed.",
        "versions",
    ),
    Instrument(
        "foreign_tables",
        e.ForeignTableAdopted,
        "Tables that other engines created, renamed, replaced or dropped.",
        labels=("change",),
    ),
    Instrument(
        "catalog_errors_tolerated",
        e.CatalogErrorTolerated,
        "Errors of the catalog's database that a statement got over.",
        labels=("error_code",),
    ),
    Instrument(
        "snapshots_collapsed",
        e.LogCollapsed,
        "Snapshots that left the log of a table.",
        "snapshots",
    ),
    Instrument(
        "versions_expired", e.VersionsExpired, "Versions past retention that went.", "versions"
    ),
    Instrument("files_expired", e.VersionsExpired, "Files that went with them.", "files"),
    Instrument("compactions", e.TableCompacted, "Compactions of a table."),
    Instrument("files_compacted", e.TableCompacted, "Files that they rewrote.", "files_rewritten"),
    Instrument("ingest_rows_appended", e.RowsAppended, "Rows that channels took.", "rows"),
    Instrument("ingest_rows_refused", e.RowsAppended, "Rows that were bad.", "refused"),
    Instrument("ingest_rows_committed", e.RowsFlushed, "Rows that are in their tables.", "rows"),
    Instrument("ingest_commits", e.RowsFlushed, "Commits of rows."),
    Instrument("ingest_commit_seconds", e.RowsFlushed, "How long commits took, in all.", "seconds"),
    Instrument(
        "ingest_failures",
        e.FlushFailed,
        "Commits of rows that failed, and are tried again or given up.",
    ),
    Instrument(
        "task_runs_ended", e.TaskRunEnded, "Runs of tasks, by how they ended.", labels=("state",)
    ),
    Instrument(
        "task_run_seconds",
        e.TaskRunEnded,
        "How long runs of tasks took.",
        "seconds",
        measure=Measure.SPREAD,
    ),
    Instrument(
        "task_run_lateness_seconds",
        e.TaskRunEnded,
        "How long after their scheduled times runs of tasks began.",
        "lateness",
        measure=Measure.SPREAD,
    ),
    Instrument(
        "task_runs_skipped",
        e.TaskRunSkipped,
        "Runs of tasks that were skipped, by reason.",
        labels=("reason",),
    ),
    Instrument(
        "webhooks_ended",
        e.WebhookEnded,
        "Webhooks of tasks that were delivered, or given up.",
        labels=("outcome",),
    ),
    Instrument("spark_restarts", e.SparkReplaced, "Sparks that died and were replaced."),
)
