"""A lease as its holder keeps it: renewals, failures, loss."""

from __future__ import annotations

import time

from waiting import wait_until

from icemelt.errors import CatalogUnavailable
from icemelt.jobs import Lease

PATIENCE_SECONDS = 10


GIVEN, REFUSED = True, False


class Renewals:
    """Renewals that give what they are told to, and True in the end."""

    def __init__(self, *answers: bool | Exception) -> None:
        self.answers = list(answers)
        self.at: list[float] = []

    def __call__(self) -> bool:
        self.at.append(time.monotonic())
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_lease_is_renewed_well_before_it_expires() -> None:
    renewals, began = Renewals(), time.monotonic()
    lease = Lease("kept", renewals, 0.6).keep()
    wait_until(lambda: len(renewals.at) == 3, PATIENCE_SECONDS)
    lease.stop()
    assert renewals.at[0] - began >= 0.2
    assert not lease.is_lost
    count = len(renewals.at)
    time.sleep(0.3)
    assert len(renewals.at) == count


def test_a_renewal_that_fails_is_tried_again_before_the_next_is_due() -> None:
    away = CatalogUnavailable("The catalog is away.", hint="Wait.")
    renewals = Renewals(away, away, OSError("no socket"))
    lease = Lease("tried", renewals, 60)
    lease._job.delay = 0
    lease.keep()
    wait_until(lambda: len(renewals.at) == 4, PATIENCE_SECONDS)
    assert renewals.at[3] - renewals.at[0] < 5
    lease.stop()
    assert not lease.is_lost


def test_a_lease_that_is_refused_is_lost_and_its_holder_is_told() -> None:
    told: list[str] = []
    renewals = Renewals(GIVEN, REFUSED)
    lease = Lease("lost", renewals, 0.06, on_lost=lambda: told.append("lost")).keep()
    lease.join(PATIENCE_SECONDS)
    assert lease.is_lost
    assert lease.is_ended
    assert told == ["lost"]
    assert len(renewals.at) == 2


def test_a_lease_that_its_holder_gave_back_is_not_lost() -> None:
    told: list[str] = []

    def renew() -> bool:
        # given back while the renewal is under way, which finds nothing any more
        lease.end()
        return False

    lease = Lease("given back", renew, 0.06, on_lost=lambda: told.append("lost")).keep()
    lease.join(PATIENCE_SECONDS)
    assert not lease.is_lost
    assert told == []
