"""The words of tasks and their runs, as Snowflake's SHOW TASKS and TASK_HISTORY have them."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["OverlapPolicy", "RunOrigin", "RunState", "SuspendedReason"]


class RunState(StrEnum):
    """STATE in TASK_HISTORY: where the run of one task is."""

    SCHEDULED = "SCHEDULED"
    EXECUTING = "EXECUTING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    FAILED_AND_AUTO_SUSPENDED = "FAILED_AND_AUTO_SUSPENDED"
    CANCELLED = "CANCELLED"
    SKIPPED = "SKIPPED"

    @property
    def is_open(self) -> bool:
        """Whether the run is still to end."""
        return self in {RunState.SCHEDULED, RunState.EXECUTING}

    @property
    def is_failure(self) -> bool:
        """Whether the run failed, with or without the suspension of its root."""
        return self in {RunState.FAILED, RunState.FAILED_AND_AUTO_SUSPENDED}


class RunOrigin(StrEnum):
    """SCHEDULED_FROM in TASK_HISTORY: why a graph runs."""

    SCHEDULE = "SCHEDULE"
    TRIGGER = "TRIGGER"
    EXECUTE_TASK = "EXECUTE TASK"

    @property
    def is_manual(self) -> bool:
        """Whether a user asked for the run: its failures suspend nothing."""
        return self is RunOrigin.EXECUTE_TASK


class OverlapPolicy(StrEnum):
    """OVERLAP_POLICY of a root: what may begin while an earlier run of the graph goes on."""

    NO_OVERLAP = "NO_OVERLAP"
    """Nothing: the next run begins after all tasks of the last one."""
    ALLOW_CHILD_OVERLAP = "ALLOW_CHILD_OVERLAP"
    """A run whose root begins after the last run's root has ended."""
    ALLOW_ALL_OVERLAP = "ALLOW_ALL_OVERLAP"
    """Any run, the root's included."""


class SuspendedReason(StrEnum):
    """LAST_SUSPENDED_REASON in SHOW TASKS."""

    USER_SUSPENDED = "USER_SUSPENDED"
    SUSPENDED_DUE_TO_ERRORS = "SUSPENDED_DUE_TO_ERRORS"
    CHILD_BECAME_ROOT = "CHILD_BECAME_ROOT"
    FINALIZER_BECAME_ROOT = "FINALIZER_BECAME_ROOT"
