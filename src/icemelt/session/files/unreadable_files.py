"""Find the files of an external table that cannot be read, for ON_ERROR = SKIP_FILE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.engine.resources import StatementResources
from icemelt.errors import DataError, FileRefused, IcemeltError, QueryError
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.session.files.dividing import divide, find_lasting_fault
from icemelt.session.files.external_files import RegisteredFile
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.virtual_rows import VirtualRows, virtual_rows
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import is_about_value, translated
from icemelt.session.runtime.spark_sql import run_sql

__all__ = ["find_readable"]


def find_readable(core: Core, wanted: VirtualRows) -> VirtualRows:
    """Return what is wanted, of those files alone whose every record can be read.

    All columns count, whichever a query asks for: its rows are the same. Files are read together,
    and in halves where a record cannot be read.
    """
    columns = frozenset(fold(column.name) for column in wanted.table.columns)
    all_files = replace(wanted, names=columns, is_apart=False)
    sources = find_obstacles(core, wanted.options, [file.source for file in wanted.files])
    to_read = [
        file for file, source in zip(wanted.files, sources, strict=True) if source.obstacle is None
    ]
    readable = {file.listed.path for file in _readable(core, all_files, to_read)}
    partitions = [
        [file for file in partition if file.listed.path in readable]
        for partition in wanted.partitions
    ]
    return replace(wanted, partitions=partitions)


def _readable(
    core: Core, wanted: VirtualRows, files: Sequence[RegisteredFile]
) -> list[RegisteredFile]:
    """Return the files whose every record can be read.

    Raises:
        FileRefused: the storage does not give a file.
    """
    readable: list[RegisteredFile] = []

    def read(chosen: Sequence[RegisteredFile]) -> IcemeltError | None:
        fault = _find_fault(core, replace(wanted, partitions=[chosen]))
        if fault is None:
            readable.extend(chosen)
        return fault

    def read_alone(file: RegisteredFile, fault: IcemeltError) -> None:
        lasting = find_lasting_fault(core, file.source, fault, lambda: read([file]))
        if isinstance(lasting, FileRefused):
            raise lasting

    divide(files, read, read_alone)
    return readable


def _find_fault(core: Core, wanted: VirtualRows) -> IcemeltError | None:
    """Return why a value of a record cannot be read, None where each can.

    Raises:
        FileRefused: the file cannot be opened now: the rights are missing, or the storage is away.
        QueryError: Spark has not enough memory, or the query fails for another reason than a value.
    """
    counts = ", ".join(f"count({quote(column.name)})" for column in wanted.table.columns)
    resources = StatementResources(core.iceberg)
    try:
        with translated(core.spark):
            # a guest's rows are read here
            relation = virtual_rows(core, wanted, resources)
            run_sql(core, f"SELECT {counts} FROM {relation}").collect()
    except FileRefused:
        # no fault of the file, which a stream would never come back to
        raise
    except DataError as error:
        return error
    except QueryError as error:
        if not is_about_value(error):
            raise
        return error
    finally:
        resources.release()
    return None
