"""The raw rows of JSON files: a whole record as a VARIANT, or the members named as the columns."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from icemelt.errors import DefinitionRefused
from icemelt.quoting import text_literal
from icemelt.schema import Column, contains
from icemelt.session.files.known_files import read_known, text_columns
from icemelt.session.files.raw_rows import (
    FilledColumns,
    Scan,
    add_place,
    computed_once,
    row_number,
    row_refusal,
)
from icemelt.session.files.read_options import ColumnMatching, ReadOptions
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import (
    BLOCK,
    FILE,
    MODIFIED,
    PLACE,
    PLACE_TYPES,
    FileValue,
    SourceKind,
    find_member,
    json_value,
    member_value,
    object_members,
    outer_array,
    read_members,
)

__all__ = ["LINE", "NO_VALUE", "json_lines", "scan_json"]

# the text of a record
LINE = "icemelt_line"
# why a record is refused
NO_VALUE = text_literal("this is no JSON value of its own")
_NO_OBJECT = text_literal("this is no JSON object of its own")
_BYTE_ORDER_MARK = "\ufeff"
_DOCUMENT, _MEMBERS = "icemelt_document", "icemelt_members"


def scan_json(
    core: Core, target: FilledColumns, options: ReadOptions, files: Sequence[SourceFile]
) -> Scan:
    """Return the raw rows of JSON files.

    Args:
        core: the session's parts.
        target: the columns that the files fill: one VARIANT, or members by their names.
        options: the options of the file format.
        files: the files.

    Raises:
        DefinitionRefused: the columns are neither one VARIANT nor matched by name.
    """
    any_case = options.matching is ColumnMatching.CASE_INSENSITIVE
    if options.strip_outer_array:
        raw = read_known(core, "text", text_columns(LINE), files, {"wholetext": "true"})
        element = f"explode({outer_array(LINE)}) AS {_DOCUMENT}"
        # Spark leaves the mark out of lines, and not out of whole files
        text = f"trim(LEADING {text_literal(_BYTE_ORDER_MARK)} FROM {LINE}) AS {LINE}"
        arrays = add_place(raw, [text], with_places=False).where(f"trim({LINE}) <> ''")
        elements = select_values(arrays, element, FILE, MODIFIED)
        frame = select_values(
            elements,
            _DOCUMENT,
            FILE,
            f"0L AS {BLOCK}",
            f"{row_number(with_places=target.with_places)} AS {PLACE}",
            MODIFIED,
        )
    else:
        lines = json_lines(core, files, with_places=target.with_places)
        if options.matching is not ColumnMatching.NONE:
            return _match_json(target.columns, lines, any_case=any_case)
        read = select_values(lines, f"{json_value(LINE)} AS {_DOCUMENT}", *PLACE_TYPES)
        frame = computed_once(read)
    if options.matching is ColumnMatching.NONE:
        _require_one_variant(target)
        broken = row_refusal(f"{_DOCUMENT} IS NULL", NO_VALUE)
        return Scan(frame, (FileValue(f"`{_DOCUMENT}`", SourceKind.VARIANT),), broken)
    split = select_values(frame, "*", f"{object_members(_DOCUMENT)} AS {_MEMBERS}")
    values = (find_member(_MEMBERS, column.name, any_case=any_case) for column in target.columns)
    named = select_values(
        split, "*", *(f"{value} AS `c{index}`" for index, value in enumerate(values))
    )
    sources = tuple(FileValue(f"`c{i}`", SourceKind.VARIANT) for i in range(len(target.columns)))
    return Scan(named, sources, row_refusal(f"{_MEMBERS} IS NULL", _NO_OBJECT))


def json_lines(core: Core, files: Sequence[SourceFile], *, with_places: bool) -> DataFrame:
    """Return the lines of JSON files as `LINE`, with their places; blank lines are left out."""
    raw = read_known(core, "text", text_columns(LINE), files)
    return add_place(raw, [LINE], with_places=with_places).where(f"trim({LINE}) <> ''")


def _match_json(columns: Sequence[Column], lines: DataFrame, *, any_case: bool) -> Scan:
    """Return the members named as the columns of the JSON objects in lines."""
    members = read_members(LINE, columns, any_case=any_case)
    read = computed_once(select_values(lines, f"{members} AS {_MEMBERS}", *PLACE_TYPES))
    sources = (member_value(_MEMBERS, place, each.type) for place, each in enumerate(columns))
    # NULL where a line has no JSON value
    is_broken = f"{_MEMBERS}.is_object IS NOT TRUE"
    return Scan(read, tuple(sources), row_refusal(is_broken, _NO_OBJECT))


def _require_one_variant(target: FilledColumns) -> None:
    if len(target.columns) != 1 or not contains(target.columns[0].type, "variant"):
        raise DefinitionRefused(
            f"A JSON file fills one VARIANT column, and table {target.owner!r} takes others.",
            hint="MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        )
