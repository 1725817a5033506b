"""Streams and transactions as a few lists in memory: what the interleavings are compared with.

It knows nothing of icemelt. A table is its states by commit number, a stream its positions by
commit number, a transaction a pinned commit number and what it wrote. Rows have an identity, which
an update keeps, and a file: rows of one statement share one, and conflicts are about files.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TypeVar

__all__ = ["DEFINING", "Model", "Outcome", "Statement"]

# an operation and its number, which is unique in a run and serves as id and value of new rows
Statement = tuple[str, int]
# rows of a query, or an error's code; None where a statement has only succeeded
Outcome = list[tuple[object, ...]] | str | None

CONSUMING = frozenset({"copy", "merge", "make"})
DEFINING = frozenset({"drop t", "replace t", "drop s", "replace s"})


@dataclass(frozen=True)
class Row:
    """A row: `identity` stays when it is updated, `file` does not."""

    identity: int
    id: int
    v: int
    file: int


@dataclass(frozen=True)
class Version:
    """What a commit made of a table: its rows, whether it added some, which files it marked."""

    commit: int
    rows: tuple[Row, ...] = ()
    added: bool = False
    touched: frozenset[int] = frozenset()


@dataclass
class Table:
    """A table from its CREATE to its DROP."""

    name: str
    created: int
    versions: list[Version]
    dropped: int | None = None

    def at(self, commit: int) -> tuple[Row, ...]:
        """Return the rows at a commit."""
        return [each for each in self.versions if each.commit <= commit][-1].rows


@dataclass
class Stream:
    """A stream on a table; `moves` are (in which commit, up to which commit it was read)."""

    source: Table
    created: int
    moves: list[tuple[int, int]]
    dropped: int | None = None
    holder: Transaction | None = None

    def seen(self, commit: int) -> list[tuple[int, int]]:
        """Return the moves until a commit."""
        return [each for each in self.moves if each[0] <= commit]

    def changes(self, commit: int) -> list[tuple[object, ...]]:
        """Return the rows at a commit minus those up to which it was read: (id, v, action)."""
        start = self.seen(commit)[-1][1]
        old = {row.identity: row for row in self.source.at(start)}
        new = {row.identity: row for row in self.source.at(commit)}
        changed = [
            identity
            for identity in old.keys() | new.keys()
            if identity not in old or identity not in new or old[identity].v != new[identity].v
        ]
        rows = [
            (side[i], action)
            for i in changed
            for side, action in ((old, "DELETE"), (new, "INSERT"))
            if i in side
        ]
        return sorted((row.id, row.v, action) for row, action in rows)


@dataclass
class Write:
    """What a transaction has made of a table."""

    rows: tuple[Row, ...]
    touched: frozenset[int] = frozenset()
    added: bool = False
    needs_phantom_check: bool = False
    requires_whole_table: bool = False


@dataclass(eq=False)
class Transaction:
    """An open transaction, or the one of a lone statement."""

    pin: int
    is_lone: bool = False
    used: bool = False
    writes: dict[str, tuple[Table, Write]] = field(default_factory=dict)
    consumed: list[tuple[Stream, int]] = field(default_factory=list)
    made: tuple[Row, ...] | None = None


Kind = TypeVar("Kind", Table, Stream)


class RefusedError(Exception):
    """A statement fails with a code."""


@dataclass
class Model:
    """The lake with a source `t`, a stream `s` on it, a table `sink`, and perhaps `made`."""

    commit: int = 0
    tables: list[Table] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    open: dict[str, Transaction] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def run(self, actor: str, statement: Statement) -> Outcome:
        """Run an actor's statement."""
        operation, number = statement
        try:
            match operation:
                case "begin":
                    self.open.setdefault(actor, Transaction(self.commit))
                case "commit":
                    self._commit_open(actor)
                case "rollback":
                    self._release(self.open.pop(actor, None))
                case _ if operation in DEFINING:
                    self._commit_open(actor)
                    self._define(operation)
                case _ if operation.startswith("read "):
                    return self._read(actor, operation.removeprefix("read "))
                case _:
                    self._write(actor, operation, number)
        except RefusedError as refused:
            return str(refused)
        return None

    def make_table(self, name: str) -> None:
        """Make an empty table."""
        self.commit += 1
        self.tables.append(Table(name, self.commit, [Version(self.commit)]))

    def missing(self) -> str:
        """Return what has to be made again before anything can be consumed: t, s or nothing."""
        if self._table("t", self.commit) is None:
            return "t"
        stream = self._stream(self.commit)
        return "s" if stream is None or stream.source.dropped is not None else ""

    def _table(self, name: str, commit: int) -> Table | None:
        return _visible([each for each in self.tables if each.name == name], commit)

    def _stream(self, commit: int) -> Stream | None:
        return _visible(self.streams, commit)

    def _define(self, operation: str) -> None:
        self.commit += 1
        verb, name = operation.split()
        past = self.commit - 1
        old = self._table(name, past) if name == "t" else self._stream(past)
        source = self._table("t", past)
        if (verb == "drop" and old is None) or (name == "s" and verb != "drop" and source is None):
            raise RefusedError("object-not-found")
        if old is not None:
            old.dropped = self.commit
        if verb == "replace" and name == "t":
            self.tables.append(Table("t", self.commit, [Version(self.commit)]))
        elif verb == "replace" and source is not None:
            self.streams.append(Stream(source, self.commit, [(self.commit, past)]))

    def _read(self, actor: str, name: str) -> Outcome:
        transaction = self.open.get(actor, Transaction(self.commit))
        transaction.used = True
        if name == "s":
            return self._readable(transaction).changes(transaction.pin)
        return sorted((row.id, row.v) for row in self._view(transaction, name)[1].rows)

    def _view(self, transaction: Transaction, name: str) -> tuple[Table, Write]:
        """Return a table and its rows as the transaction sees them."""
        if name in transaction.writes:
            return transaction.writes[name]
        table = self._table(name, transaction.pin)
        if table is None:
            raise RefusedError("object-not-found")
        return table, Write(table.at(transaction.pin))

    def _readable(self, transaction: Transaction) -> Stream:
        stream = self._stream(transaction.pin)
        if stream is None:
            raise RefusedError("object-not-found")
        dropped = stream.source.dropped
        if dropped is not None and dropped <= transaction.pin:
            raise RefusedError("stream-broken")
        return stream

    def _write(self, actor: str, operation: str, number: int) -> None:
        transaction = self.open.get(actor, Transaction(self.commit, is_lone=True))
        if operation == "make" and (
            transaction.made is not None or self._table("made", self.commit) is not None
        ):
            raise RefusedError("object-exists")
        if operation in CONSUMING:
            self._lock(transaction)
        transaction.used = True
        if operation in CONSUMING:
            self._consume(transaction, operation)
        else:
            self._change(transaction, operation, number)
        if transaction.is_lone:
            self._commit(transaction)

    def _lock(self, transaction: Transaction) -> None:
        """Lock what will be consumed; begin anew where nothing was done and it was consumed."""
        while True:
            stream = self._stream(transaction.pin)
            if stream is None or stream.holder is transaction:
                return
            if transaction.is_lone:
                self._readable(transaction)
            if stream.holder is not None:
                raise RefusedError("lock-timeout")
            if transaction.is_lone:
                return
            is_newest = stream.dropped is None and stream.seen(transaction.pin) == stream.moves
            if not is_newest and transaction.used:
                raise RefusedError("conflict")
            stream.holder = transaction
            if not is_newest:
                transaction.pin = self.commit

    def _consume(self, transaction: Transaction, operation: str) -> None:
        if operation != "make":
            self._view(transaction, "sink")
        stream = self._readable(transaction)
        changes = stream.changes(transaction.pin)
        rows = [(row_id, v) for row_id, v, action in changes if action == "INSERT"]
        new = self._rows(rows)
        if operation == "make":
            transaction.made = new
        elif operation == "copy" and rows:
            self._add(transaction, "sink", new)
        elif operation == "merge" and rows:
            table, write = self._view(transaction, "sink")
            values = dict(rows)
            touched = frozenset(row.file for row in write.rows if row.id in values)
            file = next(self.numbers)
            kept = tuple(
                replace(row, v=values[row.id], file=file) if row.id in values else row
                for row in write.rows
            )
            there = {row.id for row in write.rows}
            new = tuple(row for row in new if row.id not in there)
            changed = replace(
                write,
                rows=kept + new,
                touched=write.touched | touched,
                added=True,
                needs_phantom_check=True,
            )
            transaction.writes["sink"] = table, changed
        if all(each is not stream for each, _ in transaction.consumed):
            transaction.consumed.append((stream, len(stream.seen(transaction.pin))))

    def _change(self, transaction: Transaction, operation: str, number: int) -> None:
        match operation.split():
            case ["insert", name]:
                self._add(transaction, name, self._rows([(number, number)]))
            case ["count", name]:
                count = len(self._view(transaction, name)[1].rows)
                self._add(transaction, name, self._rows([(number, count)]))
                transaction.writes[name][1].needs_phantom_check = True
            case ["overwrite", name]:
                table, _ = self._view(transaction, name)
                new = self._rows([(number, number)])
                transaction.writes[name] = table, Write(new, added=True, requires_whole_table=True)
            case [verb, name, wanted]:
                self._change_row(transaction, verb, name, (int(wanted), number))

    def _change_row(
        self, transaction: Transaction, verb: str, name: str, values: tuple[int, int]
    ) -> None:
        table, write = self._view(transaction, name)
        found = [row for row in write.rows if row.id == values[0]]
        if not found:
            return
        rows = tuple(row for row in write.rows if row not in found)
        if verb == "update":
            file = next(self.numbers)
            rows += tuple(replace(row, v=values[1], file=file) for row in found)
        touched = write.touched | {row.file for row in found}
        added = write.added or verb == "update"
        transaction.writes[name] = table, replace(write, rows=rows, touched=touched, added=added)

    def _add(self, transaction: Transaction, name: str, rows: tuple[Row, ...]) -> None:
        table, write = self._view(transaction, name)
        transaction.writes[name] = table, replace(write, rows=write.rows + rows, added=True)

    def _rows(self, rows: list[tuple[object, object]]) -> tuple[Row, ...]:
        file = next(self.numbers)
        return tuple(Row(next(self.numbers), int(str(i)), int(str(v)), file) for i, v in rows)

    def _commit_open(self, actor: str) -> None:
        transaction = self.open.pop(actor, None)
        if transaction is not None:
            try:
                self._commit(transaction)
            finally:
                self._release(transaction)

    def _release(self, transaction: Transaction | None) -> None:
        for stream in self.streams:
            if stream.holder is transaction:
                stream.holder = None

    def _commit(self, transaction: Transaction) -> None:
        for table, write in transaction.writes.values():
            later = [each for each in table.versions if each.commit > transaction.pin]
            if table.dropped is not None or any(_conflict(write, each) for each in later):
                raise RefusedError("conflict")
        if transaction.made is not None and self._table("made", self.commit) is not None:
            raise RefusedError("object-exists")
        for stream, move in transaction.consumed:
            if stream.dropped is not None or len(stream.moves) != move:
                raise RefusedError("conflict")
        self.commit += 1
        for table, write in transaction.writes.values():
            base = {row.identity: row for row in table.at(transaction.pin)}
            mine = {row.identity: row for row in write.rows}
            rows = {row.identity: row for row in table.versions[-1].rows}
            rows = {i: row for i, row in rows.items() if i not in base or i in mine}
            rows |= {i: row for i, row in mine.items() if base.get(i) != row}
            touched = (
                frozenset(row.file for row in base.values())
                if write.requires_whole_table
                else frozenset()
            )
            table.versions.append(
                Version(self.commit, tuple(rows.values()), write.added, write.touched | touched)
            )
        if transaction.made is not None:
            version = Version(self.commit, transaction.made)
            self.tables.append(Table("made", self.commit, [version]))
        for stream, _ in transaction.consumed:
            stream.moves.append((self.commit, transaction.pin))


def _conflict(write: Write, theirs: Version) -> bool:
    """Tell whether a write cannot be re-applied after a version of others.

    A row that was updated is new to a decision on what was not there, as one that was added.
    """
    if write.requires_whole_table or (write.needs_phantom_check and theirs.added):
        return True
    return bool(write.touched & theirs.touched)


def _visible(found: list[Kind], commit: int) -> Kind | None:
    for each in found:
        if each.created <= commit and (each.dropped is None or each.dropped > commit):
            return each
    return None
