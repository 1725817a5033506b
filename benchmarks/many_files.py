"""Tables of many small files, written by Arrow and committed through Iceberg in one snapshot."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from icemelt import Session
from icemelt.names import ObjectName
from icemelt.session.dml.writing import finish_write, open_target
from icemelt.session.runtime.core import History, new_id
from icemelt.storage.locations import local_path
from icemelt.tables.iceberg import Iceberg
from icemelt.transactions.pending import Attempt, Pending
from icemelt.transactions.transaction import run_statement

__all__ = ["commit_files", "commit_unwritten", "inserted_rows", "new_rows", "rewritten_rows"]

_COLUMNS = [("id", 1), ("v", 2)]
_ROW_ID = ("_row_id", 2147483540)
_UNWRITTEN_ROWS, _UNWRITTEN_BYTES = 100_000, 1 << 20


def new_rows(number: int, rows: int) -> pa.Table:
    """Return the rows of one file of a table `(id INT, v INT)`: ids go on from file to file."""
    first = number * rows
    return _table(_COLUMNS, [range(first, first + rows), [0] * rows])


def inserted_rows(number: int, rows: int) -> pa.Table:
    """Return the same rows as MERGE writes them: the column of row ids is there, and empty."""
    first = number * rows
    columns = [range(first, first + rows), [0] * rows, [None] * rows]
    return _table([*_COLUMNS, _ROW_ID], columns)


def rewritten_rows(number: int, rows: int, every: int) -> pa.Table:
    """Return a file's rows as copy-on-write leaves them: ids kept, every so many updated."""
    ids = range(number * rows, (number + 1) * rows)
    values = [int(position % every == 0) for position in range(rows)]
    return _table([*_COLUMNS, _ROW_ID], [ids, values, ids])


def commit_files(
    session: Session, table: str, files: Iterable[pa.Table], removed: Sequence[Any] = ()
) -> list[Any]:
    """Commit files to a table and remove others; return the new ones, which Iceberg knows."""

    def write(folder: Path) -> list[dict[str, Any]]:
        folder.mkdir(exist_ok=True)
        return [_write(folder, each) for each in files]

    return _commit(session, table, write, removed)


def commit_unwritten(
    session: Session, table: str, numbers: Iterable[int], removed: Sequence[Any] = ()
) -> list[Any]:
    """Commit data files that are in metadata alone, of 100,000 rows each; their ids go on."""
    return _commit(
        session, table, lambda folder: [_unwritten(folder, each) for each in numbers], removed
    )


def _commit(
    session: Session,
    table: str,
    make_entries: Callable[[Path], list[dict[str, Any]]],
    removed: Sequence[Any],
) -> list[Any]:
    core = session._core
    history = History(core, new_id(), "commit files", "INSERT", core.now())
    made: list[Any] = []

    def work(attempt: Attempt) -> Pending[None]:
        target = open_target(core, attempt, core.table(ObjectName((table,))))
        java = core.iceberg.table(attempt.workspace.namespace, target.table.object_id)
        folder = Path(local_path(java.location()) or "") / "data"
        change = java.newOverwrite() if removed else java.newAppend()
        for file in removed:
            change.deleteFile(file)
        made[:] = _data_files(core.iceberg, java, make_entries(folder))
        for file in made:
            change.addFile(file) if removed else change.appendFile(file)
        change.commit()
        return Pending(None, lambda: history(0), (finish_write(attempt, target, "INSERT"),))

    run_statement(core.newest, core.author, work)
    return made


def _table(fields: Sequence[tuple[str, int]], columns: Sequence[Iterable[int | None]]) -> pa.Table:
    schema = pa.schema(
        [
            pa.field(name, pa.int64(), metadata={"PARQUET:field_id": str(field_id)})
            for name, field_id in fields
        ]
    )
    return pa.Table.from_arrays([pa.array(column, pa.int64()) for column in columns], schema=schema)


def _write(folder: Path, rows: pa.Table) -> dict[str, Any]:
    path = folder / f"{uuid.uuid4()}.parquet"
    pq.write_table(rows, path)
    nulls = {
        "keys": [int(field.metadata[b"PARQUET:field_id"]) for field in rows.schema],
        "values": [column.null_count for column in rows.columns],
    }
    return _entry(path, path.stat().st_size, rows.num_rows, {"null-value-counts": nulls})


def _unwritten(folder: Path, number: int) -> dict[str, Any]:
    path = folder / f"{uuid.uuid4()}.parquet"
    first = number * _UNWRITTEN_ROWS
    keys = [field_id for _, field_id in _COLUMNS]
    measures = {
        "column-sizes": [_UNWRITTEN_BYTES // 2] * 2,
        "value-counts": [_UNWRITTEN_ROWS] * 2,
        "null-value-counts": [0, 0],
        "lower-bounds": [_bound(first), _bound(0)],
        "upper-bounds": [_bound(first + _UNWRITTEN_ROWS - 1), _bound(number)],
    }
    lists = {name: {"keys": keys, "values": values} for name, values in measures.items()}
    return _entry(path, _UNWRITTEN_BYTES, _UNWRITTEN_ROWS, lists)


def _bound(value: int) -> str:
    """Return a bound of a column of longs as Iceberg's JSON has it (spec, *Binary Serialization*).

    >>> _bound(1)
    '0100000000000000'
    """
    return value.to_bytes(8, "little", signed=True).hex()


def _entry(path: Path, size: int, rows: int, measures: dict[str, Any]) -> dict[str, Any]:
    file = {
        "spec-id": 0,
        "content": "data",
        "file-path": str(path),
        "file-format": "parquet",
        "partition": [],
        "file-size-in-bytes": size,
        "record-count": rows,
        **measures,
    }
    return {"data-file": file, "residual-filter": True}


def _data_files(iceberg: Iceberg, table: Any, entries: list[dict[str, Any]]) -> list[Any]:
    """Return Iceberg's data files, all in one call to its parser."""
    node = (
        iceberg.java_class("util.JsonUtil")
        .mapper()
        .readTree(json.dumps({"delete-files": [], "file-scan-tasks": entries}))
    )
    parser = iceberg.java_class("rest.TableScanResponseParser")
    nothing = iceberg.functions.to_list(parser.parseDeleteFiles(node, table.specs()))
    case_sensitive = True
    tasks = parser.parseFileScanTasks(node, nothing, table.specs(), case_sensitive)
    return [task.file() for task in iceberg.functions.elements(tasks)]
