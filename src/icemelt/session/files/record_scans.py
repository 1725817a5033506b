"""The records of files, for external tables: their members, and the whole record as VALUE.

A record of a CSV file is an object of `c1`, `c2`, …, or with PARSE_HEADER of the names in the
file's header; of a JSON file it is the file's value; of other files it is an object of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, DataType, Primitive, spark_type
from icemelt.session.files.csv_records import (
    FIELDS,
    RECORD,
    count_columns,
    group_by_header,
    read_header,
)
from icemelt.session.files.invalid_texts import invalid_values, refuse_invalid
from icemelt.session.files.json_scans import DOCUMENT_TEXT, INVALID_TEXT, NO_VALUE, json_documents
from icemelt.session.files.raw_rows import (
    FilledColumns,
    add_row_index,
    computed_once,
    first_refusal,
    row_refusal,
)
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.scans import read_typed, require_distinct, scan_files
from icemelt.session.files.source_files import SourceFile, require_readable
from icemelt.session.runtime.core import Core
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import (
    PLACE_TYPES,
    FileValue,
    SourceKind,
    json_value,
    member_value,
    read_members,
    record_value,
)
from icemelt.sql.statements import FileFormat

__all__ = ["RecordScan", "WantedRecords", "is_member", "scan_records"]

_CSV_MEMBER = re.compile(r"c([1-9][0-9]{0,3})")
_MEMBERS = "icemelt_members"
_PLAIN_MEMBER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class WantedRecords:
    """What is read of the records of files.

    Attributes:
        owner: what has the records, for errors.
        options: the options of the file format.
        files: the files, at least one.
        members: the members that are read, with the type that each is read for.
        with_value: whether the whole record is read.
        with_places: whether the number of each record in its file is read.
        with_files: whether the file of each record is asked for, or its time. An error asks for it,
            too: files whose values may be refused have it anyway.
    """

    owner: str
    options: ReadOptions
    files: Sequence[SourceFile]
    members: Mapping[str, DataType]
    with_value: bool
    with_places: bool
    with_files: bool = True


@dataclass(frozen=True, slots=True)
class RecordScan:
    """Raw records of files.

    Attributes:
        frame: the records, with their places.
        sources: the members by name; one that the files lack is not among them.
        document: the SQL of the whole record, as a VARIANT.
        broken: SQL for why a record is none of its format, NULL for a good one.
    """

    frame: DataFrame
    sources: Mapping[str, FileValue]
    document: str
    broken: str = "NULL"


def is_member(name: str | None, options: ReadOptions) -> bool:
    """Tell whether a member of a record can be read without the whole record.

    >>> [is_member(name, ReadOptions(FileFormat.CSV)) for name in ("c2", "id")]
    [True, False]
    >>> is_member("id", ReadOptions(FileFormat.CSV, parse_header=True))
    True
    """
    if name is None:
        return False
    match options.format:
        case FileFormat.CSV if not options.parse_header:
            return _CSV_MEMBER.fullmatch(name) is not None
        case FileFormat.JSON:
            return _PLAIN_MEMBER.fullmatch(name) is not None
        case _:
            return True


def scan_records(core: Core, wanted: WantedRecords) -> list[RecordScan]:
    """Return the records of files; files of several schemas make several scans.

    Args:
        core: the session's parts.
        wanted: the files, and what is read of them.

    Raises:
        LoadFailed: a file is none of its format, or claims a size that would exhaust memory.
        Never: a file has a compression whose reader has no memory limit.
    """
    require_readable(find_obstacles(core, wanted.options, wanted.files))
    match wanted.options.format:
        case FileFormat.CSV if wanted.options.parse_header:
            return _scan_by_header(core, wanted)
        case FileFormat.CSV:
            return _scan_csv(core, wanted)
        case FileFormat.JSON:
            return _scan_json(core, wanted)
        case _:
            return _scan_typed(core, wanted)


def _scan_csv(core: Core, wanted: WantedRecords) -> list[RecordScan]:
    """Scan CSV files.

    The whole record has as many members as the widest first record of the files; a longer one is an
    error, unless ERROR_ON_COLUMN_COUNT_MISMATCH is FALSE.
    """
    count = max([int(name[1:]) for name in wanted.members], default=1)
    if wanted.with_value:
        count = max(count, count_columns(core, wanted.options, wanted.files))
    names = [f"c{n}" for n in range(1, count + 1)]
    widest = "as the first records of the files have"
    return _scan_positions(core, wanted, names, wanted.files, widest)


def _scan_by_header(core: Core, wanted: WantedRecords) -> list[RecordScan]:
    """Scan CSV files, each by the names in its own header.

    A longer record than the header is an error where the whole record is read, unless
    ERROR_ON_COLUMN_COUNT_MISMATCH is FALSE.

    Raises:
        LoadFailed: a name stands twice in a header; `id` and `Id` are two names.
    """
    made = []
    for same in group_by_header(core, wanted.options, wanted.files):
        names = read_header(core, wanted.options, same)
        require_distinct(names, same[0], exact=True)
        widest = "as the header has"
        made += _scan_positions(core, wanted, names or ["c1"], same, widest)
    return made


def _scan_positions(
    core: Core,
    wanted: WantedRecords,
    names: Sequence[str],
    files: Sequence[SourceFile],
    widest: str,
) -> list[RecordScan]:
    """Scan CSV files whose columns have names by their positions.

    Args:
        core: the session's parts.
        wanted: what is read.
        names: the names.
        files: the files.
        widest: why a record has no more columns, for errors.
    """
    options, broken = wanted.options, "NULL"
    if wanted.with_value and options.strict_columns:
        broken = _too_long(len(names), widest)
    columns = tuple(Column(name, Primitive("string")) for name in names)
    filled = FilledColumns(wanted.owner, columns, wanted.with_places)
    # columns that a record lacks are NULL
    read = replace(options, strict_columns=False)
    made = []
    for scan in scan_files(core, filled, read, files):
        sources = {
            name: source
            for name, source in zip(names, scan.sources, strict=True)
            if source is not None
        }
        values = {name: source.expression for name, source in sources.items()}
        refused = first_refusal([scan.broken, broken])
        made.append(RecordScan(scan.frame, sources, _csv_record(values), refused))
    return made


def _too_long(count: int, widest: str) -> str:
    """Return the SQL of why a CSV record is refused: it has more columns than VALUE has."""
    said = text_literal(f"the record has more than {count} columns, {widest}: ")
    return row_refusal(f"{FIELDS} > {count}", f"concat({said}, left({RECORD}, 100))")


def _scan_json(core: Core, wanted: WantedRecords) -> list[RecordScan]:
    """Scan JSON files: all members of a document in one pass, and the whole of it apart."""
    members = [Column(name, wanted.members[name]) for name in sorted(wanted.members)]
    texts = json_documents(core, wanted.options, wanted.files, with_places=wanted.with_places)
    formats = wanted.options.formats
    read = f"{read_members(DOCUMENT_TEXT, members, formats, any_case=False)} AS {_MEMBERS}"
    frame = computed_once(select_values(texts, read, DOCUMENT_TEXT, INVALID_TEXT, *PLACE_TYPES))
    sources = {
        member.name: member_value(_MEMBERS, place, member.type, formats)
        for place, member in enumerate(members)
    }
    broken = first_refusal([INVALID_TEXT, row_refusal(f"{_MEMBERS} IS NULL", NO_VALUE)])
    return [RecordScan(frame, sources, json_value(DOCUMENT_TEXT), broken)]


def _scan_typed(core: Core, wanted: WantedRecords) -> list[RecordScan]:
    """Scan files whose columns have types; Spark reads those alone that are needed."""
    file_format, variant = wanted.options.format, Primitive("variant")
    # a column that a file lacks is no JSON null
    is_exact = wanted.with_value or variant in wanted.members.values()
    made = []
    for raw in read_typed(core, wanted.options, wanted.files, is_exact=is_exact):
        fields = {f"`c{index}`": field for index, field in enumerate(raw.schema.fields)}
        given = [f"{quote(field.name)} AS {name}" for name, field in fields.items()]
        sources = {
            field.name: FileValue(name, SourceKind.TYPED, field.dataType.simpleString())
            for name, field in fields.items()
        }
        invalid = invalid_values(
            {
                name: field.dataType
                for name, field in fields.items()
                if wanted.with_value or field.name in wanted.members
            }
        )
        broken = refuse_invalid(wanted.options, invalid)
        # a value of another type than its column may be refused, with the name of its file
        is_checked = broken != "NULL" or any(
            name in sources and sources[name].type != spark_type(kind).lower()
            for name, kind in wanted.members.items()
        )
        frame = add_row_index(
            file_format,
            raw,
            *given,
            with_places=wanted.with_places,
            with_files=wanted.with_files or is_checked,
        )
        values = {name: source.expression for name, source in sources.items()}
        made.append(RecordScan(frame, sources, record_value(values), broken))
    return made


def _csv_record(values: Mapping[str, str]) -> str:
    """Return the SQL of a CSV record as a VARIANT, without the members that the record lacks."""
    entries = ", ".join(
        f"struct({text_literal(name)} AS key, CAST({value} AS VARIANT) AS value)"
        for name, value in values.items()
    )
    short = f"to_variant_object(map_from_entries(slice(array({entries}), 1, {FIELDS})))"
    return f"CASE WHEN {FIELDS} >= {len(values)} THEN {record_value(values)} ELSE {short} END"
