"""Background work: jobs (threads), pools of threads for many jobs, and leases renewed by jobs."""

from __future__ import annotations

from icemelt.jobs.job import UNTIL_WOKEN, Job, do_once, no_threads
from icemelt.jobs.lease import Lease
from icemelt.jobs.pool import JobPool, PooledJob
from icemelt.jobs.thread_pool import ThreadPool

__all__ = [
    "UNTIL_WOKEN",
    "Job",
    "JobPool",
    "Lease",
    "PooledJob",
    "ThreadPool",
    "do_once",
    "no_threads",
]
