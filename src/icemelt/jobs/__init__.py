"""Background work: jobs (threads), and leases (rights renewed by jobs)."""

from __future__ import annotations

from icemelt.jobs.job import UNTIL_WOKEN, Job, do_once
from icemelt.jobs.lease import Lease

__all__ = ["UNTIL_WOKEN", "Job", "Lease", "do_once"]
