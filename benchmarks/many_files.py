"""A table of many small files, written by Arrow and committed through Iceberg in one append."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from icemelt import Session
from icemelt.tables.iceberg import local_path
from icemelt.transactions.transaction import Attempt, Pending, run_statement

__all__ = ["add_files"]

_SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"}),
        pa.field("v", pa.int64(), metadata={"PARQUET:field_id": "2"}),
    ]
)


def add_files(session: Session, table: str, files: int, rows: int) -> None:
    """Append `files` files of `rows` rows each to a table `(id INT, v INT)`."""
    from icemelt.names import ObjectName
    from icemelt.session.core import History, new_id
    from icemelt.session.dml import finished, open_target

    core = session._core
    history = History(core, new_id(), "add files", "INSERT", core.now()[1])

    def work(attempt: Attempt) -> Pending:
        target = open_target(core, attempt, ObjectName((table,)))
        java = core.iceberg.table(attempt.workspace.namespace, target.table.object_id)
        folder = Path(local_path(java.location()) or "") / "data"
        folder.mkdir(exist_ok=True)
        append = java.newAppend()
        for file in _data_files(core.iceberg, java, _write(folder, files, rows)):
            append.appendFile(file)
        append.commit()
        return Pending((finished(attempt, target, "INSERT"),), lambda: history(files * rows))

    run_statement(core.resolver, core.author, work)


def _write(folder: Path, files: int, rows: int) -> list[dict[str, Any]]:
    entries = []
    for number in range(files):
        first = number * rows
        columns = [pa.array(range(first, first + rows)), pa.array([0] * rows)]
        path = folder / f"{uuid.uuid4()}.parquet"
        pq.write_table(pa.Table.from_arrays(columns, schema=_SCHEMA), path)
        entries.append(
            {
                "data-file": {
                    "spec-id": 0,
                    "content": "data",
                    "file-path": str(path),
                    "file-format": "parquet",
                    "partition": [],
                    "file-size-in-bytes": path.stat().st_size,
                    "record-count": rows,
                },
                "residual-filter": True,
            }
        )
    return entries


def _data_files(iceberg: Any, table: Any, entries: list[dict[str, Any]]) -> list[Any]:
    node = (
        iceberg.named("util.JsonUtil")
        .mapper()
        .readTree(json.dumps({"delete-files": [], "file-scan-tasks": entries}))
    )
    parser = iceberg.named("rest.TableScanResponseParser")
    nothing = iceberg.functions.to_list(parser.parseDeleteFiles(node, table.specs()))
    case_sensitive = True
    tasks = parser.parseFileScanTasks(node, nothing, table.specs(), case_sensitive)
    return [task.file() for task in iceberg.functions.elements(tasks)]
