"""COPY INTO a table: load new files, and publish the rows of all files in one commit."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from icemelt.catalog.edits import AddLoads, Edit
from icemelt.session.copy.file_loads import (
    LOADED,
    NO_FILES,
    FileLoad,
    find_load_records,
    find_named_files,
    has_loaded,
    load_files,
    load_result,
    read_load_options,
    rows_loaded,
    to_load_record,
)
from icemelt.session.copy.load_counts import FileCount
from icemelt.session.copy.on_error import OnErrorKind
from icemelt.session.dml.writing import finish_write, open_target
from icemelt.session.files.source_files import (
    SourceFile,
    remove_files,
    require_readable,
)
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.result import LocalRows
from icemelt.sql.statements import CopyInto
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["copy_into_table"]

# the key of the notice about the files that stay
_PURGE = "PURGE"


def copy_into_table(core: Core, statement: CopyInto, history: History) -> tuple[LocalRows, int]:
    """Run COPY INTO a table; return a result row for each file, and the number of loaded rows.

    A file that was loaded into the table before, and has not changed since, is skipped (FORCE loads
    the file again). Rows, and the record that their files were loaded, are published together. The
    first run of `COPY INTO t FROM '/in'` below loads both files, the second run only the file that
    changed:

        /in/a.csv  2 rows  LOADED    |  unchanged        LOAD_SKIPPED
        /in/b.csv  3 rows  LOADED    |  now has 4 rows   LOADED

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no table or no file format with the name.
        LoadFailed: the path names no file; or a row is refused, or a file cannot be read, and
            ON_ERROR is ABORT_STATEMENT.
        DefinitionRefused: an option is unknown, or does not fit the others.
    """

    def work(attempt: Attempt) -> Pending[list[FileLoad]]:
        options = read_load_options(core, statement)
        target = open_target(core, attempt, core.table(statement.target))
        files = find_named_files(core, statement)
        if options.on_error.kind is OnErrorKind.ABORT:
            require_readable(files)
        records = {} if statement.force else find_load_records(core, target.table, files)
        fresh = [file for file in files if not has_loaded(file, records.get(file.key))]
        loads = _skip_files(files, fresh)
        fresh = _within_limit(fresh, statement.size_limit)
        if fresh:
            loads.extend(load_files(core, target, statement, options, fresh))
        written = finish_write(attempt, target, "COPY", needs_phantom_check=not statement.force)
        read = {file.key for file in fresh}
        noted = tuple(to_load_record(load) for load in loads if load.file.key in read)
        edits: tuple[Edit, ...] = (AddLoads(target.table.object_id, noted),) if noted else ()
        purged = tuple(load.file for load in loads if load.status == LOADED)
        effects = (_Purge(core, purged),) if statement.purge else ()
        rows = rows_loaded(loads)
        return Pending(loads, lambda: history(rows), (written,), edits, effects)

    loads = core.outcome(work, history)
    if not loads:
        return NO_FILES, 0
    shown = [load for load in loads if load.count.errors] if statement.return_failed_only else loads
    return load_result(shown), rows_loaded(loads)


@dataclass(frozen=True, slots=True)
class _Purge:
    """Loaded files that PURGE removes once their rows are published, and not before."""

    core: Core
    files: tuple[SourceFile, ...]
    takes_files: ClassVar[bool] = True
    temporary_stage: ClassVar[None] = None

    def commit(self) -> None:
        """Remove the files, whose rows are published; one that was written again since stays."""
        kept = remove_files(self.core.iceberg, self.files)
        if kept:
            is_one = len(kept) == 1
            self.core.scope.notices[_PURGE] = (
                f"PURGE has left {len(kept)} {'file that was' if is_one else 'files that were'} "
                f"written again after {'it was' if is_one else 'they were'} loaded, as "
                f"{kept[0].name!r}: COPY INTO loads {'it' if is_one else 'them'} anew."
            )

    def rollback(self) -> None:
        """Leave the files: their rows were not published."""


def _within_limit(files: Sequence[SourceFile], limit: int | None) -> list[SourceFile]:
    """Return the first files, up to the one with which they have more bytes than a limit.

    >>> files = [SourceFile(f"/in/{name}", 10, 0) for name in "abcd"]
    >>> [file.path for file in _within_limit(files, 25)]
    ['/in/a', '/in/b', '/in/c']
    """
    if limit is None:
        return list(files)
    before = itertools.accumulate((file.size for file in files), initial=0)
    return [file for file, size in zip(files, before, strict=False) if size <= limit]


def _skip_files(files: Sequence[SourceFile], fresh: Sequence[SourceFile]) -> list[FileLoad]:
    loading = {file.key for file in fresh}
    before = FileCount(first_error="File was loaded before.")
    return [FileLoad(file, "LOAD_SKIPPED", before) for file in files if file.key not in loading]
