"""Load chosen files into the workspace of a table, for COPY INTO and for pipes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from icemelt.catalog.load_records import LOAD_FAILED, LoadRecord
from icemelt.catalog.queries.loads import load_history
from icemelt.catalog.records import TableRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed, SparkDied
from icemelt.schema import Column
from icemelt.session.copy.load_counts import FileCount, count_rows
from icemelt.session.copy.load_rows import (
    CopyQuery,
    LoadTarget,
    locate_record,
    read_query_rows,
    read_rows,
)
from icemelt.session.copy.load_writing import (
    LoadRows,
    RowRefused,
    write_accepted,
    write_all,
    write_and_count_accepted,
)
from icemelt.session.copy.on_error import OnErrorKind, OnErrorOption, read_on_error
from icemelt.session.dml.writing import WriteTarget
from icemelt.session.files.dividing import divide, find_lasting_fault
from icemelt.session.files.file_places import find_place
from icemelt.session.files.named_formats import resolve_load_format
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.read_options import ReadOptions, read_options
from icemelt.session.files.source_files import (
    SourceFile,
    distinct_files,
    find_files,
    require_readable,
    validate_unchanged,
)
from icemelt.session.runtime.columns import require_column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.next_values import default_value
from icemelt.session.runtime.result import LocalRows
from icemelt.sql.statements import CopyInto, StagePath

__all__ = [
    "LOADED",
    "NO_FILES",
    "FileLoad",
    "LoadOptions",
    "fail_file",
    "find_load_records",
    "find_named_files",
    "find_safe_count",
    "has_loaded",
    "load_files",
    "load_result",
    "load_target",
    "match_records",
    "paths_in_history",
    "read_load_options",
    "refusal_error",
    "rows_loaded",
    "to_load_record",
    "validate_load",
]

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
# the result of a load of no files
NO_FILES = LocalRows(("status",), (("Copy executed with 0 files processed.",),))
LOADED, _PARTIAL = "LOADED", "PARTIALLY_LOADED"
_MAX_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class FileLoad:
    """What became of a file: a row of the result.

    Attributes:
        file: the file.
        status: LOADED, PARTIALLY_LOADED, LOAD_FAILED, LOAD_SKIPPED or QUEUED.
        count: the rows read and refused.
        loaded: how many rows of the file were written.
        error_limit: how many refused rows ON_ERROR lets the file have.
    """

    file: SourceFile
    status: str
    count: FileCount = field(default_factory=FileCount)
    loaded: int = 0
    error_limit: int = 1

    @property
    def is_loaded(self) -> bool:
        """Whether rows of the file were written, or the file has none."""
        return self.status in {LOADED, _PARTIAL}


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """The options of a COPY INTO: of its file format, and ON_ERROR."""

    read: ReadOptions
    on_error: OnErrorOption


def read_load_options(core: Core, statement: CopyInto) -> LoadOptions:
    """Return the options of a COPY INTO.

    Raises:
        ObjectNotFound: there is no file format, or no stage, with the name.
        DefinitionRefused: an option is unknown, or does not fit the others.
    """
    resolved = resolve_load_format(core, statement)
    read = read_options(resolved.format, resolved.format_options, statement.match_by_column_name)
    if statement.query is not None:
        # the query names the columns that it needs
        read = replace(read, strict_columns=False)
    return LoadOptions(read, read_on_error(statement.on_error))


def find_named_files(core: Core, statement: CopyInto) -> list[SourceFile]:
    """Return the files that a COPY INTO names, each once.

    Raises:
        LoadFailed: the path names no file.
    """
    where, check = find_place(core, statement.path), core.jobs.raise_if_cancelled
    found = find_files(core.iceberg, where, statement.files, statement.pattern, check)
    return list(distinct_files(found))


def find_load_records(
    core: Core, table: TableRecord, files: Sequence[SourceFile]
) -> dict[str, LoadRecord]:
    """Return what the load history has of files, by their keys; with a transaction's own loads."""
    with core.database.read() as connection:
        records = load_history(connection, table.object_id, paths_in_history(files))
    transaction = core.settings.transaction
    if transaction is not None:
        records = transaction.loads(table.object_id, records)
    return match_records(files, records)


def has_loaded(file: SourceFile, record: LoadRecord | None) -> bool:
    """Tell whether a file was loaded, and has not changed since."""
    return record is not None and record.is_loaded and record.is_of(file.size, file.modified_at)


def paths_in_history(files: Iterable[SourceFile]) -> list[str]:
    """Return the paths under which the load history may have files.

    An older icemelt has recorded a file by the path that a statement has led to, links and all.
    """
    return list(dict.fromkeys(path for file in files for path in (file.key, file.path)))


def match_records(
    files: Iterable[SourceFile], records: Mapping[str, LoadRecord]
) -> dict[str, LoadRecord]:
    """Return the record of each file by its key, of several the one that tells of its rows.

    Args:
        files: the files.
        records: the records by `paths_in_history`.
    """
    matched = {}
    for file in files:
        known = [records[path] for path in (file.key, file.path) if path in records]
        for record in known:
            if record.is_loaded and record.is_of(file.size, file.modified_at):
                matched[file.key] = record
                break
        else:
            matched |= {file.key: known[0]} if known else {}
    return matched


def load_files(
    core: Core,
    target: WriteTarget,
    statement: CopyInto,
    options: LoadOptions,
    files: Sequence[SourceFile],
) -> list[FileLoad]:
    """Write the rows of the files into the workspace as ON_ERROR asks.

    Unless ON_ERROR is ABORT_STATEMENT, a file that cannot be read fails, and costs no other file.
    None of its rows is written, with CONTINUE neither: how many there are nobody knows.

    Args:
        core: the session's parts.
        target: the table in the workspace.
        statement: the COPY INTO.
        options: the options of the statement.
        files: the files, at least one.

    Returns:
        what became of each file.

    Raises:
        LoadFailed: ON_ERROR is ABORT_STATEMENT, and a row is refused, or a file is damaged or ended
            Spark twice; or a file has changed meanwhile.
        FileRefused: the storage does not give a file now.
        Never: ON_ERROR is ABORT_STATEMENT, and a file has a compression that is not read.
    """
    files = find_obstacles(core, options.read, files)
    if options.on_error.kind is OnErrorKind.ABORT:
        require_readable(files)
    failed = [fail_file(file, file.obstacle) for file in files if file.obstacle is not None]
    files = [file for file in files if file.obstacle is None]
    if not files:
        return failed
    try:
        if options.on_error.kind is OnErrorKind.ABORT:
            loads = _load_watched(core, target, statement, options, files)
        else:
            loads = _load_apart(core, target, statement, options, files)
    finally:
        # also after an error: its text may have values of another file at the same path
        validate_unchanged(files)
    return [*failed, *loads]


def _load_apart(
    core: Core,
    target: WriteTarget,
    statement: CopyInto,
    options: LoadOptions,
    files: Sequence[SourceFile],
) -> list[FileLoad]:
    """Load files, of which a damaged one fails as a whole and costs no other file.

    Raises:
        FileRefused: the storage does not give a file now.
    """
    loads: list[FileLoad] = []

    def load(chosen: Sequence[SourceFile]) -> IcemeltError | None:
        try:
            loads.extend(_load_watched(core, target, statement, options, chosen))
        except LoadFailed as error:
            return error
        return None

    def load_alone(file: SourceFile, error: IcemeltError) -> None:
        fault = find_lasting_fault(core, file, error, lambda: load([file]))
        if isinstance(fault, FileRefused):
            raise fault
        if fault is not None:
            loads.append(fail_file(file, fault))

    divide(files, load, load_alone)
    return loads


def _load_watched(
    core: Core,
    target: WriteTarget,
    statement: CopyInto,
    options: LoadOptions,
    files: Sequence[SourceFile],
) -> list[FileLoad]:
    """Load files together; after a death of Spark they are suspected of it."""
    _require_no_suspects(core, files)
    try:
        loads = _load(core, target, statement, options, files)
    except SparkDied:
        core.suspects.record_death(map(_identity, files), core.spark.sparkContext)
        raise
    core.suspects.clear(map(_identity, files))
    return loads


def load_target(
    core: Core, table: TableRecord, columns: Sequence[Column], statement: CopyInto
) -> LoadTarget:
    """Return what a COPY INTO fills, with defaults that number the rows where a column has such.

    Args:
        core: the session's parts.
        table: the table.
        columns: the table's columns.
        statement: the COPY INTO.

    Raises:
        ColumnNotFound: the table has no column of a name in the statement.
    """
    load = _load_target(table, columns, statement)
    numbered = (
        column
        if column in load.given
        else replace(column, default=default_value(core, table, column))
        for column in load.columns
    )
    return replace(load, columns=tuple(numbered))


def find_safe_count(core: Core, files: Sequence[SourceFile]) -> int:
    """Return how many of the files to read at once: all, or few after Spark died under some.

    Each death makes the batches a sixteenth as large, until the file stands alone.
    """
    together = core.suspects.count_read_together(map(_identity, files))
    return len(files) if together is None else max(1, together // 16)


def validate_load(
    core: Core, target: WriteTarget, statement: CopyInto, options: LoadOptions
) -> None:
    """Refuse a COPY INTO whose columns or whose query do not fit the table; no file is read.

    Args:
        core: the session's parts.
        target: the table.
        statement: the COPY INTO.
        options: the options of the statement.

    Raises:
        ColumnNotFound: the table has no column of a name in the statement.
        FunctionNotFound: the session has no function of a name in the query.
        DefinitionRefused: the query has more or fewer columns than the statement fills.
    """
    load = _load_target(target.table, target.base.columns, statement)
    if statement.query is None:
        return
    assert isinstance(statement.path, StagePath)  # noqa: S101 - as a query's files are
    resources = StatementResources(core.iceberg)
    try:
        query = CopyQuery(statement.query, statement.probe, statement.path, resources)
        read_query_rows(core, load, options.read, (), query)
    finally:
        resources.release()


def fail_file(file: SourceFile, error: IcemeltError) -> FileLoad:
    """Return the load of a file of which nothing is loaded, with the reason."""
    return FileLoad(file, LOAD_FAILED, FileCount(errors=1, first_error=error.message))


def to_load_record(load: FileLoad, pipe_id: str | None = None) -> LoadRecord:
    """Return the record of a file for the load history."""
    file, count = load.file, load.count
    return LoadRecord(
        file.key,
        file.size,
        file.modified_at,
        load.loaded,
        count.errors,
        load.status,
        count.parsed,
        pipe_id,
        count.first_error,
        count.first_line,
        count.first_column,
    )


def rows_loaded(loads: Sequence[FileLoad]) -> int:
    """Return how many rows were written of some files."""
    return sum(load.loaded for load in loads)


def load_result(loads: Sequence[FileLoad]) -> LocalRows:
    """Return a result row for each file, in the order of the names."""
    ordered = sorted(loads, key=lambda load: load.file.name)
    return LocalRows(_RESULT_COLUMNS, tuple(map(_row, ordered)))


def _load(
    core: Core,
    target: WriteTarget,
    statement: CopyInto,
    options: LoadOptions,
    files: Sequence[SourceFile],
) -> list[FileLoad]:
    load = load_target(core, target.table, target.base.columns, statement)
    resources = StatementResources(core.iceberg)

    def read(chosen: Sequence[SourceFile]) -> LoadRows:
        if statement.query is None:
            frame = read_rows(core, load, options.read, chosen)
            return LoadRows(frame, chosen, options.read.header_lines)
        assert isinstance(statement.path, StagePath)  # noqa: S101 - as a query's files are
        query = CopyQuery(statement.query, statement.probe, statement.path, resources)
        frame = read_query_rows(core, load, options.read, chosen, query)
        core.scope.locators.append(partial(locate_record, core, options.read, chosen, query))
        return LoadRows(frame, chosen, options.read.header_lines)

    try:
        counts, written = _write(core, target, options.on_error, files, read)
    except FileDamaged as error:
        named = [file for file in files if repr(file.path) in error.message]
        raise _unreadable_error(options, named or files) from error
    finally:
        resources.release()
    return [
        _file_load(file, counts[file.path], options, is_written=file.path in written)
        for file in files
    ]


def _write(
    core: Core,
    target: WriteTarget,
    on_error: OnErrorOption,
    files: Sequence[SourceFile],
    read: Callable[[Sequence[SourceFile]], LoadRows],
) -> tuple[dict[str, FileCount], set[str]]:
    """Write the rows of the files; return the counts, and the paths of the written files.

    SKIP_FILE hopes that no row is refused, and writes in one Spark job. The first refused row ends
    that job with nothing written. Then all files are counted, and those are written that pass.
    """
    paths = {file.path for file in files}
    if on_error.kind is OnErrorKind.CONTINUE:
        return write_and_count_accepted(core, read(files), target), paths
    try:
        return write_all(core, read(files), target), paths
    except RowRefused:
        rows = read(files)
        counts = count_rows(core, rows.frame, files, rows.header_lines)
        # a query may give other values the second time
        is_refused = any(count.errors for count in counts.values())
        if is_refused and on_error.kind is OnErrorKind.ABORT:
            raise refusal_error(files, counts) from None
    passed = [
        file
        for file in files
        if not on_error.skips(counts[file.path].errors, counts[file.path].parsed)
    ]
    if passed:
        write_accepted(core, read(passed), target)
    return counts, {file.path for file in passed}


def _load_target(table: TableRecord, columns: Sequence[Column], statement: CopyInto) -> LoadTarget:
    name = str(table.name)
    given = tuple(columns)
    if statement.columns is not None:
        given = tuple(require_column(columns, column, name) for column in statement.columns)
    return LoadTarget(name, tuple(columns), given, statement.truncates)


def refusal_error(files: Sequence[SourceFile], counts: dict[str, FileCount]) -> LoadFailed:
    """Return the error of a load for the first refused row of some files, by their `counts`."""
    """Return the error of a load for the first refused row of some files, by their `counts`."""
    file, count = next((file, counts[file.path]) for file in files if counts[file.path].errors)
    errors = sum(each.errors for each in counts.values())
    parsed = sum(each.parsed for each in counts.values())
    return LoadFailed(
        f"File {file.name!r}, line {count.first_line}: {count.first_error}. "
        f"In all {errors} of {parsed} rows are refused; none was loaded.",
        hint="Mend the file, or ON_ERROR = CONTINUE loads the other rows, SKIP_FILE other files.",
    )


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
    return (file.key, file.size, file.modified_at)


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_MAX_NAMES_SHOWN])) + (
        " …" if len(names) > _MAX_NAMES_SHOWN else ""
    )


def _unreadable_error(options: LoadOptions, files: Sequence[SourceFile]) -> LoadFailed:
    named = _list_names([file.name for file in files])
    which = "The file is" if len(files) == 1 else "One of the files is"
    return LoadFailed(
        f"{which} damaged, or no {options.read.format.value} file: {named}.",
        hint="Mend it, or leave it out with PATTERN or FILES.",
    )


def _file_load(
    file: SourceFile, count: FileCount, options: LoadOptions, *, is_written: bool
) -> FileLoad:
    loaded = count.parsed - count.errors if is_written else 0
    status = LOADED if not count.errors else _PARTIAL if loaded else LOAD_FAILED
    return FileLoad(file, status, count, loaded, options.on_error.error_limit(count.parsed))


def _row(load: FileLoad) -> tuple[Any, ...]:
    count = load.count
    return (
        load.file.name,
        load.status,
        count.parsed,
        load.loaded,
        load.error_limit,
        count.errors,
        count.first_error,
        count.first_line,
        None,
        count.first_column,
    )
