"""The edit that registers what a listing of files has found, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from icemelt.catalog.listing_records import FileChange, ListedFile

__all__ = ["RegisterFiles", "list_changes"]


@dataclass(frozen=True, slots=True)
class RegisterFiles:
    """Register what a listing of files has found.

    The publication requires that no other listing was registered since `base`.

    Args:
        owner_id: the object id of the stage or external table.
        base: the commit number of the listing to which the files were compared, 0 for none.
        added: files at paths without a file in the earlier listing.
        changed: files that differ from the earlier listing, each with the file of that listing.
        removed: files of the earlier listing that are gone.
    """

    owner_id: str
    base: int
    added: tuple[ListedFile, ...] = ()
    changed: tuple[FileChange, ...] = ()
    removed: tuple[ListedFile, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the listing found nothing new, changed or gone."""
        return not (self.added or self.changed or self.removed)

    @property
    def found(self) -> tuple[ListedFile, ...]:
        """The files that are new or changed, as the listing has found them."""
        return (*self.added, *(change.after for change in self.changed if change.after))

    def apply(self, files: Iterable[ListedFile]) -> list[ListedFile]:
        """Return the files of the earlier listing as this one has found them, ordered by path."""
        known = {file.path: file for file in files}
        known |= {file.path: file for file in self.found}
        gone = {file.path for file in self.removed}
        return [known[path] for path in sorted(known) if path not in gone]

    def followed_by(self, later: RegisterFiles) -> RegisterFiles:
        """Return one listing for two of one transaction, of which `later` saw this one's files.

        Each file is compared with the one of the listing before both.
        """
        ends = {file.path: FileChange(None, file) for file in self.added}
        ends |= {change.path: change for change in self.changed}
        ends |= {file.path: FileChange(file, None) for file in self.removed}
        found = [FileChange(None, file) for file in later.added]
        found += [*later.changed, *(FileChange(file, None) for file in later.removed)]
        for change in found:
            first = ends.get(change.path, change).before
            ends[change.path] = FileChange(first, change.after)
        return list_changes(self.owner_id, self.base, ends.values())


def list_changes(owner_id: str, base: int, changes: Iterable[FileChange]) -> RegisterFiles:
    """Return the listing of some changes; a change between files that are the same is left out.

    Args:
        owner_id: the object id of the stage or external table.
        base: the commit number of the listing before the changes.
        changes: the paths whose files may differ.
    """
    added, changed, removed = [], [], []
    for change in changes:
        if not change.is_change:
            continue
        if change.before is None and change.after is not None:
            added.append(replace(change.after, added_in=0))
        elif change.before is not None and change.after is not None:
            kept = replace(change.after, added_in=change.before.added_in)
            changed.append(FileChange(change.before, kept))
        elif change.before is not None:
            removed.append(change.before)
    return RegisterFiles(owner_id, base, tuple(added), tuple(changed), tuple(removed))
