"""FILE_FORMAT = (…): the form of files that COPY INTO reads and writes."""

from __future__ import annotations

from icemelt.errors import NotYet
from icemelt.names import find_nearest
from icemelt.sql.grammar.options import read_options
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import FileFormat

__all__ = ["read_file_format"]

_LATER_FORMATS = ("AVRO", "ORC", "XML")


def read_file_format(reader: StatementReader) -> tuple[FileFormat, dict[str, str]]:
    """Read `(TYPE = CSV …)`; return the format, and its options by upper-case name."""
    if not reader.take("("):
        hint = "Write FILE_FORMAT = (TYPE = CSV …)."
        raise NotYet("File formats as objects are planned.", hint=hint)
    start = reader.mark()
    options_read = _options(reader)
    kind = options_read.pop("TYPE", "CSV").upper()
    if kind in _LATER_FORMATS:
        raise NotYet(f"Files of the type {kind} are planned.", hint="Use CSV, JSON or PARQUET.")
    if kind not in FileFormat.__members__:
        reader.back(start)
        guess = find_nearest(kind, FileFormat.__members__)
        hint = f"Did you mean {guess}?" if guess else "TYPE = CSV, JSON or PARQUET"
        reader.fail(f"There is no file format {kind}.", hint=hint)
    return FileFormat[kind], options_read


def _options(reader: StatementReader) -> dict[str, str]:
    """Read options up to `)`. NULL_IF is a list, stored as items joined by line ends."""
    options_read: dict[str, str] = {}
    while not reader.take(")"):
        if reader.take(","):
            continue
        if reader.take("NULL_IF", "="):
            reader.need("(")
            items = (
                [] if reader.is_at(")") else reader.read_list(lambda: reader.read_string("a text"))
            )
            options_read["NULL_IF"] = "\n".join(items)
            reader.need(")")
            continue
        options = read_options(reader, ("NULL_IF",))
        if not options:
            hint = "Write NAME = value, and close FILE_FORMAT with )."
            reader.fail(f"Expected an option or ), found {reader.next_text}.", hint=hint)
        options_read |= options
    return options_read
