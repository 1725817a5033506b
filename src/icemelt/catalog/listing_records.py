"""Files as listings of a stage found them, for directory tables and external tables."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FileChange", "ListedFile", "UnreadFiles"]


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as a listing found it.

    Args:
        path: the path below the folder that was listed, without a leading slash.
        size: the size in bytes.
        modified_at: when the file was last modified.
        etag: the store's tag of the content; of a file of this machine its size and its time in
            nanoseconds. Empty where the store has none.
        added_in: the commit number of the listing that found the path first, or again after its
            removal; 0 before that listing is published.
        since: the commit number of the listing that found the file as it is here.
        until: the commit number of the listing that found the file changed or removed, None for a
            file of the newest listing.
    """

    path: str
    size: int
    modified_at: int
    etag: str
    added_in: int = 0
    since: int = 0
    until: int | None = None

    @property
    def stamp(self) -> tuple[int, int, str]:
        """Size, time and tag: where they are the same, nothing tells that the file was written."""
        return self.size, self.modified_at, self.etag


@dataclass(frozen=True, slots=True)
class FileChange:
    """A path at two commits: the file `before` and the file `after`, None for no file."""

    before: ListedFile | None
    after: ListedFile | None

    @property
    def path(self) -> str:
        """The path of the file, which is its identity."""
        found = self.after or self.before
        assert found is not None, "a change has a file at one end"  # noqa: S101
        return found.path

    @property
    def is_change(self) -> bool:
        """Whether the files differ; not of a path without a file at both commits."""
        if self.before is None or self.after is None:
            return self.before is not self.after
        return self.before.stamp != self.after.stamp


@dataclass(frozen=True, slots=True)
class UnreadFiles:
    """The files of an external table that an insert-only stream has not given yet.

    Args:
        given: the files of the newest listing whose records are unread, ordered by path.
        lost: files that a listing found, and a later one found gone or overwritten, before they
            were read; ordered by path.
    """

    given: tuple[ListedFile, ...]
    lost: tuple[ListedFile, ...]
