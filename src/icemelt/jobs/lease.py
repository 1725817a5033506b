"""A lease on the holder's side: a job renews the lease until the holder ends or loses the lease."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from icemelt.jobs.job import Job

__all__ = ["Lease"]

# a failed renewal is tried twice more before the lease expires
_PARTS = 3
_LOGGER = logging.getLogger("icemelt.jobs")


@dataclass(slots=True, eq=False)
class Lease:
    """The right to a resource for `seconds` from every renewal, by the clock of the lender.

    A failed renewal is tried again soon. A refused renewal has lost the lease for good. A holder
    may overlook `is_lost`, and is refused at publication: the fencing token of a lost lease is not
    in force.

    Attributes:
        name: the name of the job, and of the lease in logs.
        renew: asks for the next `seconds`; returns False for a lost lease.
        seconds: the lease's life. The lease is renewed after a third of its life.
        on_lost: called in the job's thread when the lease is lost, and still not ended by its
            holder a third of its life later.
        is_lost: whether the lease is known to be lost.

    >>> answers = iter((True, True, False))
    >>> lease = Lease("example", lambda: next(answers), 0.03).keep()
    >>> lease.join(5)
    >>> lease.is_lost
    True
    """

    name: str
    renew: Callable[[], bool]
    seconds: float
    on_lost: Callable[[], object] = lambda: None
    is_lost: bool = field(default=False, init=False)
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        period = self.seconds / _PARTS
        self._job = Job(
            self.name,
            self._renew,
            every=period,
            delay=period,
            consequence=f"the lease expires {self.seconds:g} s after its last renewal",
            longest_pause=period,
        )

    def keep(self) -> Self:
        """Begin to renew the lease; the caller has taken the lease just now."""
        self._job.start()
        return self

    def end(self) -> None:
        """Renew the lease no more, without waiting for a renewal under way."""
        self._job.end()

    def stop(self) -> None:
        """Renew the lease no more, and wait for a renewal under way."""
        self._job.stop()

    def join(self, seconds: float | None = None) -> None:
        """Wait for the end of the renewals, at most for `seconds`."""
        self._job.join(seconds)

    @property
    def is_ended(self) -> bool:
        """Whether the renewals have ended."""
        return self._job.is_ending

    def _renew(self) -> None:
        """Renew the lease; a turn after a refusal, call `on_lost` and end."""
        if not self.is_lost:
            self.is_lost = not self.renew() and not self._job.is_ending
            return
        # a holder that has just published ends the lease meanwhile, and `on_lost` is not called
        self._job.end()
        _LOGGER.info("Lease %s is lost: it has expired, or was taken away.", self.name)
        self.on_lost()
