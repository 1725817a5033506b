"""Stages in the query of a view: files and directory tables, whose columns no object keeps.

A view over files depends on the type that the files have, text or VARIANT. So the stage, or the
file format that the query names, is a source of the view with the one column `$1`. A stage that is
read for its directory table alone is a source without columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from icemelt.catalog.defined_records import FileFormatRecord, StageRecord
from icemelt.catalog.records import SchemaObject
from icemelt.errors import Never, WrongObjectKind
from icemelt.names import ObjectName, QualifiedName
from icemelt.schema import Column
from icemelt.session.files.named_formats import find_format
from icemelt.session.runtime.core import Core
from icemelt.sql.analysis.stage_places import first_column_type
from icemelt.sql.statements import (
    FileSchema,
    ResultScan,
    StageDirectory,
    StageFiles,
    StagePath,
    TableReference,
)

__all__ = [
    "FIRST_COLUMN",
    "columns_of_files",
    "find_typed_names",
    "name_files_in_full",
    "refuse_unreadable",
    "type_giver",
]

# the column of files whose type is that of all their columns
FIRST_COLUMN = "$1"


def refuse_unreadable(read: FileSchema | ResultScan) -> NoReturn:
    """Refuse what is no source of a view: a result, and the columns of files.

    Raises:
        Never: the rows are of the moment.
    """
    if isinstance(read, ResultScan):
        raise Never(
            "A view cannot read a result: it is of one session, and ends with it.",
            hint="CREATE TABLE t AS SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))",
        )
    raise Never(
        "A view cannot read INFER_SCHEMA, which samples the files of the moment.",
        hint="CREATE TABLE t AS SELECT * FROM TABLE(INFER_SCHEMA(…))",
    )


def find_typed_names(
    references: Iterable[TableReference], place: QualifiedName
) -> frozenset[QualifiedName]:
    """Return the names of the stages and file formats that give files of a query their type.

    Args:
        references: the places in the query that read.
        place: the view's name; short names belong to the view's schema.
    """
    files = (each.files for each in references if isinstance(each.files, StageFiles))
    return frozenset(type_giver(each).within(place.database, place.schema) for each in files)


def type_giver(files: StageFiles) -> ObjectName:
    """Return the name of the stage or file format that gives files their type."""
    return files.format_name or files.place.stage


def columns_of_files(core: Core, record: SchemaObject) -> tuple[Column, ...]:
    """Return the column `$1` of files of a stage or a file format; none for another object.

    Raises:
        WrongObjectKind: the stage is temporary.
        ObjectNotFound: the stage's file format was dropped.
    """
    if isinstance(record, FileFormatRecord):
        return (Column(FIRST_COLUMN, first_column_type(record.file_type)),)
    if not isinstance(record, StageRecord):
        return ()
    if record.session_id is not None:
        raise WrongObjectKind(
            f"Stage {str(record.name)!r} is temporary: it ends with its session, a view does not.",
            hint="Make the view over a permanent stage.",
        )
    found = find_format(core, StagePath(record.name.as_written), None)
    assert found is not None  # noqa: S101 - a stage has a file format
    return (Column(FIRST_COLUMN, first_column_type(found.file_type)),)


def name_files_in_full(reference: TableReference, place: QualifiedName) -> TableReference:
    """Return a reference to files or a directory table with the full names of stage and format.

    Args:
        reference: a place in a view's query.
        place: the view's name; short names belong to the view's schema.
    """

    def full(name: ObjectName) -> ObjectName:
        return name.within(place.database, place.schema).as_written

    match reference.files:
        case StageDirectory(stage):
            return replace(reference, name=full(stage), files=StageDirectory(full(stage)))
        case StageFiles(files_place, format_name):
            files = replace(
                reference.files,
                place=StagePath(full(files_place.stage), files_place.path),
                format_name=None if format_name is None else full(format_name),
            )
            return replace(reference, name=full(files_place.stage), files=files)
    return reference
