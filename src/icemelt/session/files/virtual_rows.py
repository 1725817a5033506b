"""The rows of an external table: records of files, and columns computed of them.

A column that is a member of VALUE, as `VALUE:id::INT`, is read by the rules of COPY INTO, without
VALUE being made. Other expressions are icemelt's SQL over VALUE and the columns of metadata.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import DefinitionRefused
from icemelt.names import fold, identifier
from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, DataType, Primitive, VirtualColumn, spark_type, sql_type
from icemelt.session.files.external_files import RegisteredFile
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.record_scans import RecordScan, WantedRecords, is_member, scan_records
from icemelt.session.files.source_files import SourceFile, spark_name
from icemelt.session.files.stage_rows import filename_sql, row_number_sql
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import frame_of_nothing, frame_of_rows
from icemelt.session.runtime.spark_sql import select
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import (
    EXTERNAL_VALUE_ERROR,
    FILE,
    MODIFIED,
    PLACE_TYPES,
    FileValue,
    SourceKind,
    loaded_value,
    refusal,
    refusal_reasons,
    value_of_record,
)
from icemelt.spark_sql.moments import wall_clock
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS, FILENAME
from icemelt.sql.analysis.scopes import ColumnsOf, EntryName
from icemelt.sql.lowering.reasons import SPARKS_VOLATILE
from icemelt.sql.parse import parse_cast_probe, parse_statement
from icemelt.sql.reader import tokenize
from icemelt.sql.statements import FileFormat, Query, Select

__all__ = [
    "ROW_ID",
    "ROW_NUMBER",
    "VirtualRows",
    "loaded_member",
    "partition_query",
    "probe_rows",
    "record_query",
    "refused_member",
    "virtual_rows",
]

VALUE, ROW_NUMBER = "value", "metadata$file_row_number"
LAST_MODIFIED = "metadata$file_last_modified"
# the identity of a row: a hash of the file, its tag and the number of the row
ROW_ID = "metadata$row_id"
# the name of any file of a row's partition, of which partition columns are computed
_PARTITION = "icemelt_partition"
# more partitions are read together, and their columns are computed of each row's own file
_MOST_PARTITIONS = 8
_VARIANT = Primitive("variant")
# what an expression of a column may name
_RECORD_TYPES: Mapping[str, DataType] = {
    VALUE: Primitive("variant"),
    **FILE_METADATA_COLUMNS,
}
_PARSED = 1_000
_ETAG = "icemelt_etag"


@dataclass(frozen=True, slots=True)
class VirtualRows:
    """What is read of an external table.

    Attributes:
        table: the external table.
        options: the options of its file format.
        partitions: the files, those of each partition apart; or all files together.
        names: the folded names of the columns, pseudo columns included; `ROW_ID` among them for
            the identity of the rows.
        is_apart: whether all files of one of `partitions` have the same partition columns.
    """

    table: ExternalTableRecord
    options: ReadOptions
    partitions: Sequence[Sequence[RegisteredFile]]
    names: Collection[str]
    is_apart: bool = True

    @property
    def files(self) -> list[RegisteredFile]:
        """All files."""
        return [file for partition in self.partitions for file in partition]

    @property
    def columns(self) -> list[VirtualColumn]:
        """The columns that are computed."""
        return [each for each in self.table.virtual_columns if fold(each.column.name) in self.names]

    @property
    def members(self) -> list[VirtualColumn]:
        """The columns that are read of the files without VALUE."""
        return [each for each in self.columns if _is_apart(each, self.options)]

    @property
    def member_types(self) -> dict[str, DataType]:
        """The members of `members`, with their column's type; VARIANT for columns of two types."""
        types: dict[str, DataType] = {}
        for each in self.members:
            assert each.member is not None  # noqa: S101 - as `members` says
            known = types.setdefault(each.member, each.column.type)
            if known != each.column.type:
                types[each.member] = Primitive("variant")
        return types


def virtual_rows(core: Core, wanted: VirtualRows, resources: StatementResources) -> str:
    """Return the relation of the rows of an external table in some of its columns.

    Args:
        core: the session's parts.
        wanted: the files and the columns.
        resources: get the relation's view.

    Raises:
        LoadFailed: a Parquet file is damaged.
    """
    return f"({_bound_rows(core, wanted, _parsed(*_row_query(wanted)), resources)})"


def probe_rows(core: Core, wanted: VirtualRows, resources: StatementResources) -> str | None:
    """Return the query for the records that the columns' casts fail for, None where none is cast.

    Its columns are those of the probe (`failing_casts`), METADATA$FILENAME and
    METADATA$FILE_ROW_NUMBER. Columns that are read of the files without VALUE are left out.

    Args:
        core: the session's parts.
        wanted: the files and the columns.
        resources: get the view of the records.
    """
    columns = [each for each in wanted.columns if not _is_apart(each, wanted.options)]
    if not columns or not wanted.files:
        return None
    listed = ", ".join([*map(_computed, columns), FILENAME, ROW_NUMBER])
    probe = parse_cast_probe(f"SELECT {listed} FROM icemelt_records", 2, _columns_of(()))
    if probe is None:
        return None
    no_members = replace(wanted, names=[fold(each.column.name) for each in columns])
    return _bound_rows(core, no_members, probe, resources)


def _bound_rows(
    core: Core, wanted: VirtualRows, query: Query, resources: StatementResources
) -> str:
    """Return a query over the records of files, bound to a view of the records."""
    (reference,) = query.references
    needed = {*(reference.columns or ())}
    frame = _records(core, wanted, needed) if wanted.files else _nothing(core, wanted)
    if resources.collects and any(file.source.mark for file in wanted.files):
        # a guest's rows are read before anybody sees them: another file may take a checked path
        frame = frame.localCheckpoint()
    view = quote(resources.create_view(frame))
    return query.bind({reference.slot: view})


def record_query(columns: tuple[VirtualColumn, ...]) -> Query:
    """Return the query of columns over a record, as it is checked when a table is made.

    Raises:
        ColumnNotFound: an expression names something else than VALUE and the columns of metadata.
        DefinitionRefused: an expression asks for something of the session.
    """
    listed = ", ".join(_computed(each) for each in columns)
    query = _parsed(f"SELECT {listed or '1'} FROM icemelt_records", ())
    asked = [each.name for each in query.context] + sorted(query.functions & SPARKS_VOLATILE)
    if asked:
        raise DefinitionRefused(
            f"A column of an external table asks {asked[0].upper()}, which is about who reads it, "
            "or when.",
            hint="Ask it in the query that reads the external table.",
        )
    return query


def partition_query(table: ExternalTableRecord) -> Query:
    """Return the query of the partition columns over METADATA$FILENAME, after the name itself."""
    partitions = {fold(name) for name in table.partition_by}
    columns = [each for each in table.virtual_columns if fold(each.column.name) in partitions]
    listed = ", ".join([FILENAME, *map(_computed, columns)])
    return _parsed(f"SELECT {listed} FROM icemelt_records", ())


def _row_query(wanted: VirtualRows) -> tuple[str, tuple[tuple[str, DataType], ...]]:
    """Return the text of the query of the wanted columns, and what members the records have."""
    listed, members = [], [(_PARTITION, _RECORD_TYPES[FILENAME])]
    if VALUE in wanted.names:
        listed.append(VALUE)
    partitions = {fold(name) for name in wanted.table.partition_by}
    for each in wanted.columns:
        if _is_apart(each, wanted.options):
            name = _member_name(each)
            members.append((name, each.column.type))
            listed.append(f"{identifier(name)} AS {identifier(each.column.name)}")
        elif fold(each.column.name) in partitions:
            listed.append(_computed(replace(each, expression=_of_partition(each.expression))))
        else:
            listed.append(_computed(each))
    listed += [name for name in FILE_METADATA_COLUMNS if name in wanted.names]
    if ROW_ID in wanted.names:
        members.append((ROW_ID, Primitive("string")))
        listed.append(ROW_ID)
    return f"SELECT {', '.join(listed) or '1'} FROM icemelt_records", tuple(members)


def _computed(virtual: VirtualColumn) -> str:
    column = virtual.column
    return f"CAST(({virtual.expression}) AS {sql_type(column.type)}) AS {identifier(column.name)}"


def _of_partition(expression: str) -> str:
    """Return an expression over the name of any file of the partition, for that of a row's own.

    >>> _of_partition("SPLIT_PART(METADATA$FILENAME, '/', 1)")
    "SPLIT_PART(icemelt_partition, '/', 1)"
    """
    for token in reversed(tokenize(expression)):
        if token.text.lower() == FILENAME and expression[token.start] not in "'$":
            expression = expression[: token.start] + _PARTITION + expression[token.end + 1 :]
    return expression


def _columns_of(members: tuple[tuple[str, DataType], ...]) -> ColumnsOf:
    def columns_of(_name: EntryName) -> Mapping[str, DataType]:
        return {**_RECORD_TYPES, **dict(members)}

    return columns_of


@functools.lru_cache(_PARSED)
def _parsed(text: str, members: tuple[tuple[str, DataType], ...]) -> Query:
    statement = parse_statement(text, None, _columns_of(members))
    assert isinstance(statement, Select)  # noqa: S101 - as the text begins
    return statement.query


def _member_name(virtual: VirtualColumn) -> str:
    return f"icemelt_{fold(virtual.column.name)}"


def _nothing(core: Core, wanted: VirtualRows) -> DataFrame:
    """Return no records."""
    columns = {name: spark_type(kind) for name, kind in _RECORD_TYPES.items()}
    columns |= {_member_name(each): spark_type(each.column.type) for each in wanted.columns}
    columns |= dict.fromkeys((ROW_ID, _PARTITION), "STRING")
    return frame_of_nothing(core.spark, columns)


def _records(core: Core, wanted: VirtualRows, needed: Collection[str]) -> DataFrame:
    """Return the records of files, with the columns that are needed.

    A record that is none of its format, or has a member that does not fit its column, is an error.
    """
    partitions = [partition for partition in wanted.partitions if partition]
    if len(partitions) > _MOST_PARTITIONS or _PARTITION not in needed:
        partitions = [wanted.files]
    is_apart = wanted.is_apart and len(partitions) == len(wanted.partitions)
    with_names = not {FILENAME, ROW_ID}.isdisjoint(needed)
    asked = {*needed, FILENAME} if _PARTITION in needed and not is_apart else needed
    parts = []
    for partition in partitions:
        sources = [file.source for file in partition]
        below = {file.source.path: file.listed.path for file in partition}
        name = filename_sql(sources, below)
        rows = _records_of(core, wanted, sources, name, asked)
        columns = [quote(_member_name(each)) for each in wanted.members]
        if VALUE in needed:
            columns.append(quote(VALUE))
        if _PARTITION in needed:
            one = text_literal(partition[0].listed.path) if is_apart else name
            columns.append(f"{one} AS {quote(_PARTITION)}")
        if with_names:
            columns.append(f"{name} AS {quote(FILENAME)}")
        if not {ROW_NUMBER, ROW_ID}.isdisjoint(needed):
            columns.append(f"{row_number_sql(wanted.options.format)} AS {quote(ROW_NUMBER)}")
        if LAST_MODIFIED in needed:
            columns.append(f"{wall_clock(MODIFIED)} AS {quote(LAST_MODIFIED)}")
        if ROW_ID in needed:
            columns.append(FILE)
        # whoever reads the view names its columns
        has_all = len(columns) == len(wanted.members) and columns
        parts.append(rows if has_all else select_values(rows, *columns))
    rows = functools.reduce(DataFrame.unionAll, parts)
    if ROW_ID not in needed:
        return rows
    tagged = _with_tags(core, rows, wanted.files)
    identity = f"concat_ws('/', {quote(FILENAME)}, {_ETAG}, {quote(ROW_NUMBER)})"
    return select_values(tagged, "*", f"upper(sha1({identity})) AS {quote(ROW_ID)}").drop(
        FILE, _ETAG
    )


def _records_of(
    core: Core,
    wanted: VirtualRows,
    sources: Sequence[SourceFile],
    name: str,
    needed: Collection[str],
) -> DataFrame:
    """Return the members and the places of the records of some files; `name` is the file's, as SQL.

    VALUE is with them where it is needed.
    """
    members = wanted.members
    records = WantedRecords(
        str(wanted.table.name),
        wanted.options,
        sources,
        wanted.member_types,
        with_value=VALUE in needed,
        with_places=not {ROW_NUMBER, ROW_ID}.isdisjoint(needed),
        with_files=not {FILENAME, ROW_ID, LAST_MODIFIED}.isdisjoint(needed)
        or not all(map(_fits_by_type, members)),
    )
    parts = []
    for scan in scan_records(core, records):
        frame = scan.frame
        if scan.broken != "NULL":
            said = _error(f"({scan.broken}).text", name)
            frame = frame.where(f"CASE WHEN ({scan.broken}) IS NULL THEN true ELSE {said} END")
        values = [loaded_member(each, scan, wanted.options) for each in members]
        if VALUE in needed:
            values.append(f"{scan.document} AS {quote(VALUE)}")
        loaded = select(core, frame, ["*", *values])
        checked = [_checked(each, scan, name) for each in members]
        kept = [quote(VALUE)] if VALUE in needed else []
        parts.append(select_values(loaded, *checked, *kept, *PLACE_TYPES))
    return functools.reduce(DataFrame.unionAll, parts)


def _with_tags(core: Core, rows: DataFrame, files: Sequence[RegisteredFile]) -> DataFrame:
    """Return rows with the tag of each row's file."""
    tags = [
        (
            spark_name(file.source),
            file.listed.etag or f"{file.listed.size}-{file.listed.modified_at}",
        )
        for file in files
    ]
    listed = frame_of_rows(core.spark, f"icemelt_tagged STRING, {_ETAG} STRING", tags)
    joined = rows.join(listed.hint("broadcast"), rows[FILE] == listed["icemelt_tagged"])
    return joined.drop("icemelt_tagged")


def loaded_member(virtual: VirtualColumn, scan: RecordScan, options: ReadOptions) -> str:
    """Return a member in its column's type, as COPY INTO loads it; NULL for another value."""
    column, source = virtual.column, scan.sources.get(virtual.member or "")
    value = "NULL" if source is None else loaded_value(column, source, options.formats)
    if source is not None and source.kind is SourceKind.TYPED and column.type == _VARIANT:
        value = value_of_record(source)
    elif source is not None and _is_of_type(column, source):
        value = source.expression
    return f"CAST({value} AS {spark_type(column.type)}) AS {_loaded_name(virtual)}"


def refused_member(virtual: VirtualColumn, scan: RecordScan) -> str:
    """Return the SQL of why a loaded member is refused, as `refusal`; NULL for an accepted one."""
    if _is_accepted(virtual, scan):
        return "NULL"
    source = scan.sources.get(virtual.member or "")
    return refusal(virtual.column, source, _loaded_name(virtual))


def _checked(virtual: VirtualColumn, scan: RecordScan, file: str) -> str:
    """Return a loaded member under its name; a value that does not fit its column is an error."""
    column, value = virtual.column, _loaded_name(virtual)
    reasons = (
        []
        if _is_accepted(virtual, scan)
        else refusal_reasons(column, scan.sources.get(virtual.member or ""), value)
    )
    # each condition stands once: Spark plans what is written again and again
    tests = (
        f"WHEN {condition} THEN "
        + _error(f"concat({text_literal(f'column {column.name} ')}, {said})", file)
        for condition, said in reasons
    )
    checked = f"CASE {' '.join(tests)} ELSE {value} END" if reasons else value
    return f"{checked} AS {quote(_member_name(virtual))}"


def _is_accepted(virtual: VirtualColumn, scan: RecordScan) -> bool:
    """Tell whether no value of a member is refused, as it has just its column's type."""
    source = scan.sources.get(virtual.member or "")
    is_of_type = source is not None and _is_of_type(virtual.column, source)
    return is_of_type and virtual.column.nullable


def _loaded_name(virtual: VirtualColumn) -> str:
    return quote(f"icemelt_v_{fold(virtual.column.name)}")


def _is_apart(virtual: VirtualColumn, options: ReadOptions) -> bool:
    """Tell whether a column is read without VALUE; that of a CSV file as a VARIANT is a text."""
    is_text = options.format is FileFormat.CSV and virtual.column.type == _VARIANT
    return is_member(virtual.member, options) and not is_text


def _is_of_type(column: Column, source: FileValue) -> bool:
    """Tell whether a file has values of just the column's type, which need no check."""
    return source.type == spark_type(column.type).lower() and not _is_limited(column)


def _is_limited(column: Column) -> bool:
    return isinstance(column.type, Primitive) and column.type.length is not None


def _fits_by_type(virtual: VirtualColumn) -> bool:
    """Tell whether no value of the column's type is refused."""
    return virtual.column.nullable and not _is_limited(virtual.column)


def _error(text: str, file: str) -> str:
    """Return the SQL that raises the error of a record: why it is refused, and its file."""
    said = f"concat({text}, ':', {file})"
    return f"raise_error(concat('{EXTERNAL_VALUE_ERROR}', translate({said}, '\n\r', '  ')))"
