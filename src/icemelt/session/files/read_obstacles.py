"""Why a file is not to be read, as far as its name and its headers tell: no record is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.errors import IcemeltError, Never, NotYet
from icemelt.session.files.parquet import find_parquet_faults
from icemelt.session.files.read_options import ENDING_OF_COMPRESSION, ReadOptions
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.sql.statements import FileFormat

__all__ = ["find_obstacles"]

# Hadoop's framed formats: a reader allocates as many bytes as the file claims
_REFUSED_ENDINGS = (".snappy", ".lz4")


def find_obstacles(
    core: Core, options: ReadOptions, files: Sequence[SourceFile]
) -> list[SourceFile]:
    """Return the files, each that is not to be read with its obstacle.

    An obstacle is `Never` for a compression whose reader has no memory limit, `NotYet` for an
    ending that contradicts COMPRESSION, and `LoadFailed` for a Parquet file whose columns or pages
    claim sizes that would exhaust memory.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files; one that has an obstacle keeps it.
    """
    open_files = [file for file in files if file.obstacle is None]
    if options.format is FileFormat.PARQUET:
        faults = find_parquet_faults(core, open_files)
    else:
        faults = [_packed_fault(options, file.name) for file in open_files]
    found = {
        file.path: replace(file, obstacle=fault)
        for file, fault in zip(open_files, faults, strict=True)
        if fault is not None
    }
    return [found.get(file.path, file) for file in files] if found else list(files)


def _packed_fault(options: ReadOptions, path: str) -> IcemeltError | None:
    """Return why the compression of a file is not read, told by its ending, which Spark goes by."""
    if options.format.has_types:
        return None
    if path.endswith(_REFUSED_ENDINGS):
        return Never(
            f"File {path!r} is packed in frames of Hadoop's, whose reader makes arrays as large as "
            "the file says.",
            hint="Pack it with gzip or bzip2. If it is not packed, rename it.",
        )
    if options.compression == "AUTO":
        return None
    wanted = ENDING_OF_COMPRESSION.get(options.compression)
    endings = ENDING_OF_COMPRESSION.values()
    ending = next((ending for ending in endings if path.endswith(ending)), None)
    if ending == wanted:
        return None
    return NotYet(
        f"File {path!r} is read as its name ends, not as {options.compression}.",
        hint="COMPRESSION = AUTO" if wanted is None else f"Let its name end in {wanted}.",
    )
