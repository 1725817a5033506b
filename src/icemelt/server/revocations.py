"""The channels of revoked keys: the rows taken before are committed, then the channels end.

A revoked key is refused at the door, and closes no channel any more. Otherwise its channels would
keep their tables' writers, and memory, until the server ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.catalog.database import Database
from icemelt.catalog.keys import find_revoked_keys
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.jobs import Job

__all__ = ["Revocations"]

_LOOK_SECONDS = 5.0
_REASON = "its key was revoked"


@dataclass(slots=True)
class Revocations:
    """Looks every few seconds whether keys with open channels were revoked, and ends the channels.

    What Spark does not write any more of a key with strikes is given up by the writers themselves.
    """

    database: Database
    ingestor: Ingestor
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        self._job = Job(
            "icemelt-revocations",
            self._look,
            every=_LOOK_SECONDS,
            delay=_LOOK_SECONDS,
            consequence="channels of revoked keys stay open until the next look",
            longest_pause=_LOOK_SECONDS,
        ).start()

    def close(self) -> None:
        """Look no more."""
        self._job.stop()

    def _look(self) -> None:
        owners = self.ingestor.owners()
        if not owners:
            return
        with self.database.read() as connection:
            revoked = find_revoked_keys(connection, owners)
        for key_id in revoked:
            self.ingestor.end_owner(key_id, _REASON)
