"""Decide which keys get a strike when Spark dies.

The server's statements are connected with the ingestor's appends and the host's suspect files.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.database import Database
from icemelt.catalog.keys import find_key
from icemelt.errors import CatalogError
from icemelt.ingest.writer.concurrent_statements import ConcurrentStatements
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.observe.emitting import tolerate
from icemelt.server.failures import Busy
from icemelt.server.running import Statements
from icemelt.server.strikes import Strikes
from icemelt.session import Session
from icemelt.session.hosting import blame_files_alone
from icemelt.session.runtime.maintenance_runs import RUNS

__all__ = ["connect_strikes"]


def connect_strikes(statements: Statements, ingestor: Ingestor, host: Session) -> None:
    """Connect statements and appends, for the strikes when a Spark that runs both dies.

    Args:
        statements: the server's statements.
        ingestor: the ingestor in the same Spark.
        host: the session whose suspect files are told by their names.
    """

    def ran_alone() -> bool:
        has_others = statements.had_statements_at_death(beside=1) or ingestor.had_flush_at_death()
        return not (has_others or RUNS.is_accused)

    def has_statements() -> bool:
        # maintenance is statements of the server's own
        return statements.had_statements_at_death() or RUNS.is_accused

    owners = _RowOwners(statements.strikes, statements.database)
    ingestor.flushes.concurrent = ConcurrentStatements(
        has_statements=has_statements,
        hold_statements=statements.hold,
        hold_suspects=statements.hold_suspects,
        is_suspect=statements.strikes.is_suspect,
        blame=owners.blame,
        accuse=owners.accuse,
        require_allowed=statements.strikes.require_allowed,
        why_given_up=owners.why_given_up,
    )
    blame_files_alone(host, ran_alone)


@dataclass(frozen=True, slots=True)
class _RowOwners:
    """The keys that own rows, and their strikes; no key owns rows of a session's channel."""

    strikes: Strikes
    database: Database

    def blame(self, owner: str) -> None:
        """Record the owner of an append whose rows alone were in Spark when Spark died."""
        for key in self._keys([owner]):
            self.strikes.record_sole_writer_at_death(key)

    def accuse(self, owners: Collection[str]) -> None:
        """Record the owners of all rows that Spark was writing when Spark died."""
        for key in self._keys(owners):
            self.strikes.record_writer_at_death(key)

    def why_given_up(self, owner: str) -> str:
        """Return why Spark writes no waiting rows of an owner; an empty text if it does."""
        try:
            self.strikes.require_allowed(owner)
        except Busy as error:
            return error.message.rstrip(".")
        # of a key without strikes, what was taken before the key was revoked is written
        if self.strikes.has_strikes(owner):
            for key in self._keys([owner]):
                if key.revoked_at is not None:
                    return "Spark has ended while its rows were written, and its key was revoked"
        return ""

    def _keys(self, owners: Collection[str]) -> list[KeyRecord]:
        purpose = "find whose rows Spark wrote"
        keys: list[KeyRecord | None] = []
        with tolerate(CatalogError, to=purpose), self.database.read() as connection:
            keys = [find_key(connection, owner) for owner in owners]
        return [key for key in keys if key is not None]
