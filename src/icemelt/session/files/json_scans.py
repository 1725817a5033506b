"""The raw rows of JSON files: a whole record as a VARIANT, or the members named as the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame

from icemelt.errors import DefinitionRefused
from icemelt.quoting import text_literal
from icemelt.schema import Column, Primitive, contains
from icemelt.session.files.invalid_texts import badly_decoded, refuse_invalid
from icemelt.session.files.known_files import read_known, text_columns
from icemelt.session.files.raw_rows import (
    REFUSAL_TYPE,
    FilledColumns,
    Scan,
    add_place,
    computed_once,
    first_refusal,
    row_refusal,
)
from icemelt.session.files.read_options import ColumnMatching, ReadOptions
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import (
    PLACE_TYPES,
    FileValue,
    SourceKind,
    cleaned_value,
    json_value,
    member_value,
    read_members,
)

__all__ = ["DOCUMENT_TEXT", "INVALID_TEXT", "NO_VALUE", "json_documents", "scan_json"]

# the text of a document
DOCUMENT_TEXT = "icemelt_document_text"
# why it is refused, NULL where it is not
INVALID_TEXT = "icemelt_invalid_text"
# why a record is refused
NO_VALUE = text_literal("this is no JSON value of its own")
_NO_OBJECT = text_literal("this is no JSON object of its own")
_READER = "icemelt.spark.JsonFiles"
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
    texts = json_documents(core, options, files, with_places=target.with_places)
    if options.matching is not ColumnMatching.NONE:
        return _match_json(target.columns, texts, options)
    _require_one_variant(target)
    document = f"{json_value(DOCUMENT_TEXT)} AS {_DOCUMENT}"
    read = select_values(texts, document, INVALID_TEXT, *PLACE_TYPES)
    broken = first_refusal([INVALID_TEXT, row_refusal(f"{_DOCUMENT} IS NULL", NO_VALUE)])
    return Scan(computed_once(read), (FileValue(f"`{_DOCUMENT}`", SourceKind.VARIANT),), broken)


def json_documents(
    core: Core, options: ReadOptions, files: Sequence[SourceFile], *, with_places: bool
) -> DataFrame:
    """Return the documents of JSON files as texts, `DOCUMENT_TEXT`, with their places.

    `INVALID_TEXT` is the refusal of a text with bytes that are no UTF-8, as of `row_refusal`.

    A document may take several lines, and a line may have several. With STRIP_OUTER_ARRAY each
    element of an array is one. STRIP_NULL_VALUES leaves members that are null out, ALLOW_DUPLICATE
    all but the last of one name. A text that is no document is a line, at which the reader has
    found that out.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files.
        with_places: whether the numbers of the documents are wanted.
    """
    settings = {"outerArray": "STRIPPED" if options.strip_outer_array else "KEPT"}
    raw = read_known(core, _READER, text_columns(DOCUMENT_TEXT), files, settings)
    invalid = refuse_invalid(options, badly_decoded([DOCUMENT_TEXT]))
    typed = f"CAST({invalid} AS {REFUSAL_TYPE}) AS {INVALID_TEXT}"
    placed = add_place(raw, [DOCUMENT_TEXT, typed], with_places=with_places)
    if not (options.strip_null_values or options.allow_duplicate):
        return placed
    flags = f"{options.strip_null_values}, {options.allow_duplicate}"
    kept = f"icemelt_json_members_kept({DOCUMENT_TEXT}, {flags}) AS {DOCUMENT_TEXT}"
    return select_values(placed, kept, INVALID_TEXT, *PLACE_TYPES)


def _match_json(columns: Sequence[Column], texts: DataFrame, options: ReadOptions) -> Scan:
    """Return the members named as the columns of the JSON objects in texts."""
    any_case = options.matching is ColumnMatching.CASE_INSENSITIVE
    is_cleaned = bool(options.null_if) or options.trim
    if is_cleaned:
        columns = [replace(column, type=Primitive("variant")) for column in columns]
    members = read_members(DOCUMENT_TEXT, columns, options.formats, any_case=any_case)
    named = f"{members} AS {_MEMBERS}"
    read = computed_once(select_values(texts, named, INVALID_TEXT, *PLACE_TYPES))
    sources = [
        member_value(_MEMBERS, place, column.type, options.formats)
        for place, column in enumerate(columns)
    ]
    if is_cleaned:
        sources = [cleaned_value(each, options.null_if, trims=options.trim) for each in sources]
    # NULL where a text is no JSON value
    no_object = row_refusal(f"{_MEMBERS}.is_object IS NOT TRUE", _NO_OBJECT)
    return Scan(read, tuple(sources), first_refusal([INVALID_TEXT, no_object]))


def _require_one_variant(target: FilledColumns) -> None:
    if len(target.columns) != 1 or not contains(target.columns[0].type, "variant"):
        raise DefinitionRefused(
            f"A JSON file fills one VARIANT column, and table {target.owner!r} takes others.",
            hint="MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        )
