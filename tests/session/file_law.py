"""The law of external tables, directory tables and their streams, against a model of the files.

Files are added, appended to, overwritten, touched, renamed and removed, several within a
millisecond, and listed at random moments. The external table has the rows of the listed files; its
insert-only stream gives the rows of each file that is new or was written again, once; consumers
that roll back get them again. A copy of the directory table that its stream keeps is the listing.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Protocol

import pytest

from icemelt.errors import FileChanged, FileGone

__all__ = ["MAKE", "Files", "Folder", "LocalFiles", "Rows", "compare_streams"]

# of a file: a number of what was written, and the rows
Written = tuple[int, tuple[int, ...]]
Rows = list[tuple[Any, ...]]
Ask = Callable[[str], Rows]
MAKE = (
    "CREATE EXTERNAL TABLE e (n INT AS (VALUE:n::INT), day VARCHAR AS "
    "(SPLIT_PART(METADATA$FILENAME, '/', 1))) PARTITION BY (day) LOCATION = @s "
    "FILE_FORMAT = (TYPE = JSON)"
)
KEEP_PATHS = (
    "DELETE FROM paths USING ds WHERE path = ds.relative_path AND METADATA$ACTION = 'DELETE'",
    "INSERT INTO paths SELECT relative_path, size FROM ds WHERE METADATA$ACTION = 'INSERT'",
)


class Files(Protocol):
    """Where the files are."""

    def write(self, path: str, text: str, clock: int) -> None:
        """Write a file, which can be told from the one before; the clock is in milliseconds."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file."""
        ...


@dataclass(frozen=True)
class LocalFiles:
    """Files in a folder."""

    root: Path

    def write(self, path: str, text: str, clock: int) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        before = target.stat() if target.exists() else None
        target.write_text(text)
        # nothing tells that a file was written where size and time stay the same
        moment = clock * 1_000_000
        if before is not None and (before.st_size, before.st_mtime_ns) == (len(text), moment):
            moment += 1
        os.utime(target, ns=(moment, moment))

    def remove(self, path: str) -> None:
        (self.root / path).unlink()


@dataclass
class Folder:
    """JSON files whose rows no other file has, and the listings that were registered.

    A file has `least` rows or more.
    """

    place: Files
    random: Random
    least: int = 0
    files: dict[str, Written] = field(default_factory=dict)
    listings: list[dict[str, Written]] = field(default_factory=list)
    clock: int = 1_700_000_000_000
    last: int = 0

    def change(self) -> None:
        """Add, append to, overwrite, touch, rename or remove a file; the time may stay."""
        self.clock += self.random.choice([0, 0, 1, 1_000])
        path = self.random.choice(["d1/a", "d1/b", "d2/a", "d2/ü x%", "d2/f/c"])
        word = self.random.choice(["write", "write", "append", "touch", "remove", "rename"])
        _, rows = self.files.get(path, (0, ()))
        if word == "remove" and path in self.files:
            self.place.remove(path)
            del self.files[path]
            return
        if word == "rename" and path in self.files:
            self.place.remove(path)
            del self.files[path]
            path = f"{path}.renamed"
        elif word == "write" or path not in self.files:
            rows = tuple(range(self.last + 1, self.last + 1 + self.random.randrange(self.least, 4)))
        elif word == "append":
            rows = (*rows, self.last + 1)
        self.last = max([self.last, *rows])
        self.write(path, rows)

    def write(self, path: str, rows: tuple[int, ...]) -> None:
        text = "".join(json.dumps({"n": n}) + "\n" for n in rows)
        self.place.write(path, text, self.clock)
        stamp, _ = self.files.get(path, (0, ()))
        self.files[path] = (stamp + 1 + self.last * 1_000, rows)

    def unread(self, since: int) -> tuple[dict[str, Written], set[str]]:
        """Return the files that a stream gives, and those that were lost before it read them."""
        given: dict[str, Written] = {}
        lost: set[str] = set()
        paths = {path for listing in self.listings[since:] for path in listing}
        for path in paths:
            found = [listing.get(path) for listing in self.listings[since:]]
            if found[-1] is not None and found[-1] != found[0]:
                given[path] = found[-1]
            was_there = found[0] is not None
            for before, after in itertools.pairwise(found[1:]):
                was_there = was_there and before is not None
                is_unread = before is not None and before != found[0]
                if is_unread and after != before and not (was_there and after is not None):
                    lost.add(path)
        return given, lost


def rows_of(files: dict[str, Written]) -> Counter[tuple[int, str]]:
    return Counter((n, path.split("/")[0]) for path, (_, rows) in files.items() for n in rows)


def compare_streams(ask: Ask, folder: Folder, url: str, steps: int) -> None:
    """Change and list files, read and consume the streams, and compare all with the model.

    Args:
        ask: runs a statement and returns its rows, or raises its error.
        folder: the model, of no files yet.
        url: the location of the files.
        steps: how often files are changed, listed and read.
    """
    folder.change()
    for statement in (
        f"CREATE OR REPLACE STAGE s URL = '{url}' DIRECTORY = (ENABLE = TRUE)",
        MAKE,
        "CREATE STREAM st ON EXTERNAL TABLE e INSERT_ONLY = TRUE",
        "CREATE STREAM ds ON STAGE s SHOW_INITIAL_ROWS = TRUE",
        "CREATE TABLE copied (n INT, day VARCHAR)",
        "CREATE TABLE paths (path VARCHAR, size INT)",
    ):
        ask(statement)
    folder.listings.append(dict(folder.files))
    consumer = Consumer(ask, folder)
    for _ in range(steps):
        for _ in range(folder.random.randrange(4)):
            folder.change()
        list_files(ask, folder)
        consumer.take_step()


def list_files(ask: Ask, folder: Folder) -> None:
    """List the stage and the external table, each perhaps, and compare both."""
    if folder.random.random() < 0.8:
        changed = ask("ALTER EXTERNAL TABLE e REFRESH")
        assert bool(changed) == (folder.files != folder.listings[-1])
        if changed:
            folder.listings.append(dict(folder.files))
        assert Counter(ask("SELECT n, day FROM e")) == rows_of(folder.files)
    if folder.random.random() < 0.8:
        ask("ALTER STAGE s REFRESH")
        assert {path for (path,) in ask("SELECT relative_path FROM DIRECTORY(@s)")} == {
            *folder.files
        }


@dataclass
class Consumer:
    """Who consumes both streams into copies, and rolls back at times.

    Attributes:
        since: the listing that the insert-only stream was read up to.
        skips: whether the stream passes over files that are gone.
        expected: the rows of the copy.
    """

    ask: Ask
    folder: Folder
    since: int = 0
    skips: bool = False
    expected: Counter[tuple[int, str]] = field(default_factory=Counter)

    def take_step(self) -> None:
        """Read the streams, and perhaps consume them."""
        choose, last = self.folder.random, len(self.folder.listings) - 1
        word = choose.choice(["wait", "ROLLBACK", "COMMIT", "COMMIT"])
        if not self.expect_stream():
            if choose.random() < 0.5:
                self.skips = not self.skips
                self.ask(f"ALTER STREAM st SET ON_MISSING = {'SKIP' if self.skips else 'ERROR'}")
            else:
                self.ask("ALTER STREAM st ADVANCE")
                self.since = last
        elif word != "wait":
            self.consume(word)
            if word == "COMMIT":
                given, _ = self.folder.unread(self.since)
                there = {path: file for path, file in given.items() if path in self.folder.files}
                self.expected += rows_of(there)
                self.since = last
                listed = "SELECT relative_path, size FROM DIRECTORY(@s)"
                assert Counter(self.ask("SELECT * FROM paths")) == Counter(self.ask(listed))
        assert Counter(self.ask("SELECT * FROM copied")) == self.expected

    def consume(self, end: str) -> None:
        """Consume both streams in a transaction that ends with COMMIT or ROLLBACK."""
        self.ask("BEGIN")
        self.ask("INSERT INTO copied SELECT n, day FROM st")
        for statement in KEEP_PATHS:
            self.ask(statement)
        self.ask(end)

    def expect_stream(self) -> bool:
        """Compare the insert-only stream with the model; return whether it can be read."""
        files = self.folder.files
        given, lost = self.folder.unread(self.since)
        assert self.ask("SELECT SYSTEM$STREAM_HAS_DATA('st')") == [(bool(given or lost),)]
        gone = given.keys() - files.keys()
        if (lost or gone) and not self.skips:
            with pytest.raises(FileGone, match="ON_MISSING"):
                self.ask("SELECT n FROM st")
            return False
        there = {path: file for path, file in given.items() if path not in gone}
        if any(files[path] != file for path, file in there.items()):
            with pytest.raises(FileChanged):
                self.ask("SELECT n FROM st")
            return False
        found = self.ask("SELECT n, day, METADATA$ACTION, METADATA$ROW_ID FROM st")
        assert Counter(row[:2] for row in found) == rows_of(there)
        assert {row[2] for row in found} <= {"INSERT"}
        assert len({row[3] for row in found}) == len(found)
        return True
