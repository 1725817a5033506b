"""Refreshes of directory tables and of external tables: by statements, and by themselves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.queries.finding import find_refreshing
from icemelt.catalog.records import FileOwner
from icemelt.errors import Conflict, FileRefused, LoadFailed, NotYet, ObjectNotFound
from icemelt.observe.emitting import tolerate
from icemelt.session.files.external_files import find_stage_of, listed_place
from icemelt.session.files.stage_listing import FoundListing, directory_of, find_listing
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.guest_places import narrow_kept
from icemelt.session.runtime.result import LocalRows
from icemelt.sql.dialect.written_names import full_name
from icemelt.transactions.pending import Attempt, Pending
from icemelt.transactions.transaction import hold_reservation

__all__ = ["FORGOTTEN", "GONE", "nothing_refreshed", "refresh_files", "register", "tell_unlisted"]

_COLUMNS = ("file", "status", "description")
_NEW = ("REGISTERED_NEW", "The file is new.")
_UPDATED = ("REGISTERED_UPDATE", "The file has changed.")
_SKIPPED = "REGISTER_SKIPPED"
GONE = ("UNREGISTERED", "The file is gone.")
FORGOTTEN = ("UNREGISTERED", "The file is registered no more.")


def register(
    core: Core,
    owner_id: str,
    history: History,
    find: Callable[[], FoundListing],
    removed: tuple[str, str] = GONE,
) -> LocalRows:
    """Register what a listing finds, in one commit; one that finds no difference publishes nothing.

    Args:
        core: the session's parts.
        owner_id: the object id of the stage or external table; one of its listings runs at a time.
        history: makes the statement's record in the history.
        find: lists the files, in each attempt of the statement.
        removed: the status and the description of a file that is not registered any more.

    Returns:
        The files that differ from the last listing, in Snowflake's columns, and those that are left
        out.
    """

    def work(_attempt: Attempt) -> Pending[LocalRows]:
        found = find()
        listing = found.edit
        files = [
            *((file.path, *_NEW) for file in listing.added),
            *((change.path, *_UPDATED) for change in listing.changed),
            *((file.path, *removed) for file in listing.removed),
            *((file.path, _SKIPPED, file.reason) for file in found.unlisted),
        ]
        edits = () if listing.is_empty else (listing,)
        record = partial(history, len(files) - len(found.unlisted))
        return Pending(LocalRows(_COLUMNS, tuple(files)), record, edits=edits)

    with _one_at_a_time(core, owner_id):
        return core.outcome(work, history)


def nothing_refreshed(core: Core, history: History) -> LocalRows:
    """Return the rows of a refresh of nothing, after ALTER … IF EXISTS."""
    core.record(history.record("succeeded"))
    return LocalRows(_COLUMNS, ())


def refresh_files(core: Core) -> dict[str, int]:
    """Register what listings find of stages and external tables with AUTO_REFRESH.

    The history gets no statements. One whose files cannot be listed is left for the next time, and
    an event tells why. Places are those of the session that has chosen the folder.

    Returns:
        how many files were found new, changed or gone, by the name of the stage or external table.
    """
    counts = {}
    with core.database.read() as connection:
        owners = find_refreshing(connection)
    for owner in owners:
        to = f"refresh the files of {owner.kind} {owner.name}"
        with tolerate(Conflict, FileRefused, LoadFailed, NotYet, ObjectNotFound, to=to):
            counts[str(owner.name)] = _refresh(core, owner)
    return counts


def _refresh(core: Core, owner: FileOwner) -> int:
    kept = owner.refresh_within
    within = core if kept is None else replace(core, reach=narrow_kept(core, kept))

    def work(_attempt: Attempt) -> Pending[int]:
        if isinstance(owner, StageRecord):
            place = directory_of(owner)
        else:
            place = listed_place(owner, find_stage_of(within, owner))
        listing = tell_unlisted(owner, find_listing(within, place))
        count = len(listing.added) + len(listing.changed) + len(listing.removed)
        return Pending(count, None, edits=() if listing.is_empty else (listing,))

    with _one_at_a_time(core, owner.object_id):
        return within.run(work).outcome


def tell_unlisted(owner: FileOwner, found: FoundListing) -> RegisterFiles:
    """Return the edit of a listing, after an event on the files that it leaves out."""
    for file in found.unlisted[:1]:
        with tolerate(NotYet, to=f"register all files of {owner.kind} {owner.name}"):
            raise NotYet(
                f"{len(found.unlisted)} files are left out, as {file.path!r}: {file.reason}",
                hint=f"ALTER {owner.kind.upper()} {full_name(owner.name)} REFRESH lists them.",
            )
    return found.edit


def _one_at_a_time(core: Core, owner_id: str) -> AbstractContextManager[None]:
    """Wait until nobody else lists the files: of two listings at once one would be for nothing."""
    return hold_reservation(core.database, [owner_id], new_id(), core.author)
