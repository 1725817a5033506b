"""COPY INTO a location: write the rows of a query as files, and consume the streams it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from icemelt.session.copy.unload_files import UnloadedFile, UnloadFolder, open_folder
from icemelt.session.copy.unload_options import UnloadOptions, read_unload_options
from icemelt.session.copy.unload_partitions import PartitionFolders
from icemelt.session.copy.unload_writing import UnloadColumn, columns_to_unload, write_files
from icemelt.session.files.named_formats import resolve_unload_format
from icemelt.session.queries.binding import bind_query, consumed, frame, lock_streams
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.result import LocalRows
from icemelt.sql.statements import Unload
from icemelt.transactions.pending import Attempt, Pending

__all__ = ["copy_into_location"]

_TOTALS_COLUMNS = ("rows_unloaded", "input_bytes", "output_bytes")
_DETAILED_COLUMNS = ("file_name", "file_size", "row_count")


@dataclass(frozen=True, slots=True)
class _Unloaded:
    """The files of an attempt; `input_bytes` is the size of the rows before compression.

    The names of files are their paths below `folder`, with PARTITION BY below the location.
    """

    folder: UnloadFolder
    columns: Sequence[UnloadColumn]
    files: Sequence[UnloadedFile]
    input_bytes: int

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


def copy_into_location(core: Core, statement: Unload, history: History) -> tuple[LocalRows, int]:
    """Run COPY INTO a location; return the result, and the number of written rows.

    Every statement writes a folder of its own, with PARTITION BY one in each partition. The files
    are complete before the streams of the query are consumed. The files are removed where the
    consumption is not published: the statement fails, loses a race and runs again, or the
    transaction is rolled back.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        DefinitionRefused: an option is unknown, or does not fit the others.
        FileRefused: the location cannot be written.
        ValueRefused: a value in the file would be read back as another value.
    """

    def work(attempt: Attempt) -> Pending[_Unloaded]:
        options = read_unload_options(resolve_unload_format(core, statement))
        lock_streams(core, statement.query.references)
        again = "" if attempt.number == 1 else f"_{attempt.number}"
        name = f"data_{history.statement_id}{again}"
        folder = open_folder(core, statement.location, name, overwrite=statement.overwrite)
        partitions = None
        if statement.is_partitioned:
            partitions = PartitionFolders(folder, core.jobs.raise_if_cancelled)
        effect = partitions or folder
        bound = bind_query(core, statement.query)
        try:
            moves = consumed(core, attempt, bound)
            rows = frame(core, bound)
            columns = columns_to_unload(rows, options)
            staging = folder if partitions is None else partitions.staging
            files, input_bytes = write_files(core, rows, staging, options)
            bound.resources.validate_read()
            if partitions is not None:
                files = partitions.place_files(files)
            unloaded = _Unloaded(folder, columns, files, input_bytes)
            folder.write_manifest(_manifest(unloaded, options, history, attempt))
            effect.validate_in_place()
            # a cancel comes too late from here on: the files stay
            core.jobs.begin_publishing()
        except BaseException:
            effect.rollback()
            raise
        finally:
            bound.resources.release()
        return Pending(
            unloaded, lambda: history(unloaded.rows), edits=moves, external_effects=(effect,)
        )

    written = core.run(work)
    unloaded = written.outcome
    if written.did_nothing:
        # the files are written: a database that goes away now loses only the record
        core.record(history(unloaded.rows))
    return _result(unloaded, statement), unloaded.rows


def _manifest(
    unloaded: _Unloaded, options: UnloadOptions, history: History, attempt: Attempt
) -> dict[str, Any]:
    return {
        "lake_id": history.core.database.lake_id,
        "statement_id": history.statement_id,
        "transaction_id": attempt.transaction_id,
        "started_at": history.started_at,
        "format": options.format.value,
        "rows": unloaded.rows,
        "files": [
            {"name": file.name, "rows": file.rows, "bytes": file.size} for file in unloaded.files
        ],
        "columns": [{"name": column.name, "type": column.type_name} for column in unloaded.columns],
    }


def _result(unloaded: _Unloaded, statement: Unload) -> LocalRows:
    if statement.detailed_output:
        before = "" if statement.is_partitioned else f"{unloaded.folder.name}/"
        rows = ((f"{before}{file.name}", file.size, file.rows) for file in unloaded.files)
        return LocalRows(_DETAILED_COLUMNS, tuple(rows))
    output_bytes = sum(file.size for file in unloaded.files)
    return LocalRows(_TOTALS_COLUMNS, ((unloaded.rows, unloaded.input_bytes, output_bytes),))
