"""A lease as its holder keeps it: a job renews it while the holder lives, until it is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from icemelt.jobs.job import Job

__all__ = ["Lease"]

# a renewal that fails may be tried again twice before the lease expires
_PARTS = 3
_LOGGER = logging.getLogger("icemelt.jobs")


@dataclass(slots=True, eq=False)
class Lease:
    """The right to something for `seconds` from each renewal, by the clock of whoever gives it.

    A renewal that fails is tried again soon; one that is refused has lost the lease for good. A
    holder that does not look at `is_lost` is refused all the same when it publishes: the fencing
    token of a lost lease is not in force.

    Attributes:
        name: the name of the job, and of the lease in logs.
        renew: asks for the next `seconds`; False where the lease is lost.
        seconds: the lease's life. It is renewed after a third of it.
        on_lost: told, in the job's thread, of a lease that is lost and that nobody has ended a
            third of its life later.
        is_lost: whether it is known to be lost.

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
        """Begin to renew the lease, which was taken just now."""
        self._job.start()
        return self

    def end(self) -> None:
        """Renew the lease no more, without waiting for a renewal under way."""
        self._job.end()

    def stop(self) -> None:
        """Renew the lease no more, and wait for a renewal under way."""
        self._job.stop()

    def join(self, seconds: float | None = None) -> None:
        """Wait, at most for so many seconds, until the lease is renewed no more."""
        self._job.join(seconds)

    @property
    def is_ended(self) -> bool:
        """Whether nobody renews the lease any more."""
        return self._job.is_ending

    def _renew(self) -> None:
        if not self.is_lost:
            self.is_lost = not self.renew() and not self._job.is_ending
            return
        # a holder that published just now has ended its lease meanwhile, and is told nothing
        self._job.end()
        _LOGGER.info("Lease %s is lost: it has expired, or was taken away.", self.name)
        self.on_lost()
