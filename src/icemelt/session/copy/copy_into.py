"""COPY INTO a table: load new files, and publish the rows of all files in one commit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame

from icemelt.catalog.edits import AddLoads, Edit
from icemelt.catalog.queries.reading import load_history
from icemelt.catalog.records import LoadRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import FileDamaged, LoadFailed, SparkDied
from icemelt.session.copy.load_counts import FileCount, count_rows
from icemelt.session.copy.load_rows import CopyQuery, LoadTarget, read_query_rows, read_rows
from icemelt.session.copy.load_writing import (
    LoadRows,
    write_accepted,
    write_all,
    write_and_count_accepted,
)
from icemelt.session.copy.on_error import OnErrorKind, OnErrorOption, read_on_error
from icemelt.session.dml.writing import WriteTarget, finish_write, open_target
from icemelt.session.files.file_places import find_place
from icemelt.session.files.named_formats import resolve_load_format
from icemelt.session.files.parquet import validate_parquet_sizes
from icemelt.session.files.read_options import ReadOptions, read_options, validate_compression
from icemelt.session.files.source_files import (
    SourceFile,
    find_files,
    remove_files,
    validate_unchanged,
)
from icemelt.session.runtime.columns import require_column
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.result import LocalRows
from icemelt.sql.statements import CopyInto, FileFormat, StagePath
from icemelt.tables.iceberg import Iceberg
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["copy_into_table"]

_RESULT_COLUMNS = (
    "file",
    "status",
    "rows_parsed",
    "rows_loaded",
    "error_limit",
    "errors_seen",
    "first_error",
    "first_error_line",
    "first_error_character",
    "first_error_column_name",
)
_STATUS_LOADED, _STATUS_PARTIAL, _STATUS_FAILED = "LOADED", "PARTIALLY_LOADED", "LOAD_FAILED"
_MAX_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the statement did with a file: a row of the result.

    Attributes:
        file: the file.
        status: LOADED, PARTIALLY_LOADED, LOAD_FAILED or LOAD_SKIPPED.
        count: the rows read and refused, None for a file that was loaded before.
        loaded: how many rows of the file were written.
        error_limit: how many refused rows ON_ERROR lets the file have.
    """

    file: SourceFile
    status: str
    count: FileCount | None
    loaded: int
    error_limit: int


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of a COPY INTO: of its file format, and ON_ERROR."""

    read: ReadOptions
    on_error: OnErrorOption


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
        LoadFailed: the path names no file, or a row is refused and ON_ERROR is ABORT_STATEMENT.
        DefinitionRefused: an option is unknown, or does not fit the others.
    """

    def work(attempt: Attempt) -> Pending[list[_Outcome]]:
        resolved = resolve_load_format(core, statement)
        read = read_options(
            resolved.format, resolved.format_options, statement.match_by_column_name
        )
        if statement.query is not None:
            # the query names the columns that it needs
            read = replace(read, strict_columns=False)
        options = _Options(read, read_on_error(statement.on_error))
        target = open_target(core, attempt, core.table(statement.target))
        where = find_place(core, statement.path)
        files = find_files(
            core.iceberg, where, statement.files, statement.pattern, core.jobs.raise_if_cancelled
        )
        validate_compression(options.read, [file.name for file in files])
        records = {} if statement.force else _find_load_records(core, target, files)
        fresh = [file for file in files if not _is_unchanged_since(file, records.get(file.path))]
        outcomes = _skip_files(files, fresh)
        if fresh:
            _require_no_suspects(core, fresh)
            try:
                outcomes.extend(_load(core, target, statement, options, fresh))
                core.suspects.clear(map(_identity, fresh))
            except SparkDied:
                core.suspects.record_death(map(_identity, fresh), core.spark.sparkContext)
                raise
            finally:
                # also after an error: its text may have values of another file at the same path
                validate_unchanged(fresh)
        written = finish_write(attempt, target, "COPY", needs_phantom_check=not statement.force)
        loads = tuple(_to_load_record(outcome) for outcome in outcomes if _is_loaded(outcome))
        edits: tuple[Edit, ...] = (AddLoads(target.table.object_id, loads),) if loads else ()
        purged = tuple(outcome.file for outcome in outcomes if outcome.status == _STATUS_LOADED)
        effects = (_Purge(core.iceberg, purged),) if statement.purge else ()
        rows = _rows_loaded(outcomes)
        return Pending(outcomes, lambda: history(rows), (written,), edits, effects)

    outcomes = core.outcome(work, history)
    return _result(outcomes), _rows_loaded(outcomes)


@dataclass(frozen=True, slots=True)
class _Purge:
    """Loaded files that PURGE removes once their rows are published, and not before."""

    iceberg: Iceberg
    files: tuple[SourceFile, ...]

    def commit(self) -> None:
        """Remove the files: their rows are published."""
        remove_files(self.iceberg, self.files)

    def rollback(self) -> None:
        """Leave the files: their rows were not published."""


def _load(
    core: Core,
    target: WriteTarget,
    statement: CopyInto,
    options: _Options,
    files: Sequence[SourceFile],
) -> list[_Outcome]:
    """Write the rows of the files into the workspace as ON_ERROR asks.

    Return the files' outcomes.
    """
    name = str(target.table.name)
    columns = target.base.columns
    given = columns
    if statement.columns is not None:
        given = tuple(
            require_column(columns, column_name, name) for column_name in statement.columns
        )
    load = LoadTarget(name, columns, given)
    if options.read.format is FileFormat.PARQUET and statement.query is None:
        validate_parquet_sizes(core, files)
    resources = StatementResources(core.iceberg)

    def read(chosen: Sequence[SourceFile]) -> DataFrame:
        if statement.query is None:
            return read_rows(core, load, options.read, chosen, resources)
        assert isinstance(statement.path, StagePath)  # noqa: S101 - as a query's files are
        query = CopyQuery(statement.query, statement.path, resources)
        return read_query_rows(core, load, options.read, chosen, query)

    try:
        if options.on_error.kind is OnErrorKind.SKIP_FILE:
            counts, chosen = _choose_files(core, read, options, files)
        else:
            counts, chosen = {}, list(files)
        if chosen:
            rows = LoadRows(read(chosen), chosen, options.read.header_lines)
            if options.on_error.kind is OnErrorKind.ABORT:
                counts = write_all(core, rows, target)
            elif counts:
                write_accepted(core, rows, target)
            else:
                counts = write_and_count_accepted(core, rows, target)
    except FileDamaged as error:
        raise _unreadable_error(options, files) from error
    finally:
        resources.release()
    written = {file.path for file in chosen}
    return [_outcome(file, counts[file.path], options, file.path in written) for file in files]


def _require_no_suspects(core: Core, files: Sequence[SourceFile]) -> None:
    """Refuse files during whose reading Spark died twice.

    Raises:
        LoadFailed: Spark died under some of the files. A file that has changed since is read again.
    """
    names = {_identity(file): file.name for file in files}
    suspects = [names[key] for key in core.suspects.find_suspects(names)]
    if not suspects:
        return
    hint = "Mend it, or leave it out with PATTERN; once it was written anew, it is read again."
    if len(suspects) > 1:
        hint = (
            "Load some of them with FILES to find which; leave that out with PATTERN, or mend it."
        )
    raise LoadFailed(
        f"Spark ended each time that it read {_list_names(suspects)}, as if for lack of memory.",
        hint=hint,
    )


def _identity(file: SourceFile) -> Hashable:
    """Return the path, size and time of a file: a key that changes whenever the file changes."""
    return (file.path, file.size, file.modified_at)


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_MAX_NAMES_SHOWN])) + (
        " …" if len(names) > _MAX_NAMES_SHOWN else ""
    )


def _choose_files(
    core: Core,
    read: Callable[[Sequence[SourceFile]], DataFrame],
    options: _Options,
    files: Sequence[SourceFile],
) -> tuple[dict[str, FileCount], list[SourceFile]]:
    """Count the rows before writing.

    Return the counts, and the files that SKIP_FILE lets through.
    """
    counts = count_rows(core, read(files), files, options.read.header_lines)
    passed = [
        file
        for file in files
        if not options.on_error.skips(counts[file.path].errors, counts[file.path].parsed)
    ]
    return counts, passed


def _unreadable_error(options: _Options, files: Sequence[SourceFile]) -> LoadFailed:
    named = _list_names([file.name for file in files])
    which = "The file is" if len(files) == 1 else "One of the files is"
    return LoadFailed(
        f"{which} damaged, or no {options.read.format.value} file: {named}.",
        hint="Mend it, or leave it out with PATTERN or FILES.",
    )


def _outcome(
    file: SourceFile,
    count: FileCount,
    options: _Options,
    written: bool,  # noqa: FBT001
) -> _Outcome:
    loaded = count.parsed - count.errors if written else 0
    status = _STATUS_LOADED if not count.errors else _STATUS_PARTIAL if loaded else _STATUS_FAILED
    return _Outcome(file, status, count, loaded, options.on_error.error_limit(count.parsed))


def _find_load_records(
    core: Core, target: WriteTarget, files: Sequence[SourceFile]
) -> dict[str, LoadRecord]:
    with core.database.read() as connection:
        paths = [file.path for file in files]
        records = load_history(connection, target.table.object_id, paths)
    transaction = core.settings.transaction
    if transaction is None:
        return records
    return transaction.loads(target.table.object_id, records)


def _is_unchanged_since(file: SourceFile, record: LoadRecord | None) -> bool:
    return record is not None and (record.size, record.modified_at) == (file.size, file.modified_at)


def _skip_files(files: Sequence[SourceFile], fresh: Sequence[SourceFile]) -> list[_Outcome]:
    loading = {file.path for file in fresh}
    return [
        _Outcome(file, "LOAD_SKIPPED", None, 0, 1) for file in files if file.path not in loading
    ]


def _is_loaded(outcome: _Outcome) -> bool:
    return outcome.status in {_STATUS_LOADED, _STATUS_PARTIAL}


def _to_load_record(outcome: _Outcome) -> LoadRecord:
    errors = 0 if outcome.count is None else outcome.count.errors
    file = outcome.file
    return LoadRecord(
        file.path, file.size, file.modified_at, outcome.loaded, errors, outcome.status
    )


def _rows_loaded(outcomes: Sequence[_Outcome]) -> int:
    return sum(outcome.loaded for outcome in outcomes)


def _result(outcomes: Sequence[_Outcome]) -> LocalRows:
    if not outcomes:
        return LocalRows(("status",), (("Copy executed with 0 files processed.",),))
    ordered = sorted(outcomes, key=lambda outcome: outcome.file.name)
    return LocalRows(_RESULT_COLUMNS, tuple(_row(outcome) for outcome in ordered))


def _row(outcome: _Outcome) -> tuple[Any, ...]:
    count = outcome.count
    if count is None:
        before = "File was loaded before."
        return (outcome.file.name, outcome.status, 0, 0, 1, 0, before, None, None, None)
    return (
        outcome.file.name,
        outcome.status,
        count.parsed,
        outcome.loaded,
        outcome.error_limit,
        count.errors,
        count.first_error,
        count.first_line,
        None,
        count.first_column,
    )
