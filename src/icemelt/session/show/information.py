"""The rows of INFORMATION_SCHEMA: what SHOW tells of objects, and what else is known of them.

A relation's rows are made of the rows of SHOW, or of the same parts. An empty text of SHOW is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from icemelt.catalog.defined_records import (
    FileFormatRecord,
    FunctionRecord,
    PipeRecord,
    SequenceRecord,
    StageRecord,
    TaskRecord,
)
from icemelt.catalog.records import InformationRecord, Listing
from icemelt.errors import FileDamaged
from icemelt.schema import DataType, DecimalType, Primitive
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.information_columns import (
    INFORMATION_COLUMNS,
    TASK_DEPENDENTS,
    InformationColumn,
)
from icemelt.session.runtime.task_webhooks import shorten_webhook
from icemelt.session.show.containers import (
    DATABASE_COLUMNS,
    SCHEMA_COLUMNS,
    database_row,
    live_by_name,
    schema_row,
)
from icemelt.session.show.file_formats import (
    FILE_FORMAT_COLUMNS,
    file_format_row,
    format_properties,
)
from icemelt.session.show.functions import FUNCTION_COLUMNS, function_row
from icemelt.session.show.loads import LOAD_COLUMNS, load_rows
from icemelt.session.show.pipes import PIPE_COLUMNS, pipe_row
from icemelt.session.show.sequences import SEQUENCE_COLUMNS, next_values_of, sequence_row
from icemelt.session.show.stages import STAGE_COLUMNS, stage_row
from icemelt.session.show.streams import STREAM_COLUMNS, stream_row
from icemelt.session.show.tables import (
    COLUMN_COLUMNS,
    OBJECT_COLUMNS,
    TABLE_COLUMNS,
    column_row,
    columns_by_name,
    object_row,
    table_row,
    views_and_external_tables,
)
from icemelt.session.show.tasks import TASK_COLUMNS, finalizers, task_row
from icemelt.session.show.views import VIEW_COLUMNS, view_row
from icemelt.sql.statements import FileFormat
from icemelt.times import as_datetime

__all__ = ["information_rows"]

# the values of one object, by the names of SHOW's columns and further names
ObjectValues = Mapping[str, Any]
_TABLE_TYPES = {
    "EXTERNAL TABLE": "EXTERNAL TABLE",
    "TABLE": "BASE TABLE",
    "TEMPORARY": "TEMPORARY TABLE",
    "VIEW": "VIEW",
}
_NUMBER = Primitive("long")


def information_rows(core: Core, record: InformationRecord) -> Sequence[tuple[Any, ...]]:
    """Return the rows of a relation of INFORMATION_SCHEMA, with the relation's columns in order."""
    relation = record.name.name
    columns = INFORMATION_COLUMNS[relation]
    objects = _VALUES[relation](core, record.listing)
    return [tuple(_value(values, column) for column in columns) for values in objects]


def _value(values: ObjectValues, column: InformationColumn) -> Any:
    value = values.get(column.value)
    if value is None or value == "":
        return None
    return int(value) if column.type == _NUMBER else value


def _databases(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for database in listing.databases:
        yield _named(DATABASE_COLUMNS, database_row(core, database))


def _schemas(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    databases = live_by_name(listing.databases)
    for schema in listing.schemas:
        yield _named(SCHEMA_COLUMNS, schema_row(core, schema, databases))


def _tables(_core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for listed in listing.tables:
        values = _named(TABLE_COLUMNS, table_row(listed))
        altered_at = listed.altered_at
        yield {
            **values,
            "table_type": _TABLE_TYPES[values["kind"]],
            "is_temporary": _yes(values["kind"] == "TEMPORARY"),
            "altered_on": None if altered_at is None else as_datetime(altered_at),
        }
    for found in views_and_external_tables(listing):
        values = _named(OBJECT_COLUMNS, object_row(found))
        yield {
            **values,
            "table_type": _TABLE_TYPES[values["kind"]],
            "is_temporary": _yes(value=False),
        }


def _columns(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for name, columns in columns_by_name(core, listing):
        for position, column in enumerate(columns, start=1):
            yield {
                **_named(COLUMN_COLUMNS, column_row(name, column)),
                **_sizes(column.type),
                "position": position,
                "is_nullable": _yes(column.nullable),
            }


def _sizes(data_type: DataType) -> ObjectValues:
    """Return the length of a string's type, precision and scale of a decimal's."""
    match data_type:
        case Primitive(length=length):
            return {"length": length}
        case DecimalType(precision=precision, scale=scale):
            return {"precision": precision, "scale": scale}
        case _:
            return {}


def _views(_core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for view in listing.views:
        yield _named(VIEW_COLUMNS, view_row(view))


def _streams(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for stream in listing.streams:
        yield _named(STREAM_COLUMNS, stream_row(core, listing.now, stream))


def _stages(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for stage in listing.of(StageRecord):
        values = _named(STAGE_COLUMNS, stage_row(core, stage))
        yield {**values, "stage_type": "Internal Named" if stage.url is None else "External Named"}


def _pipes(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for pipe in listing.of(PipeRecord):
        values = _named(PIPE_COLUMNS, pipe_row(core, pipe, {}))
        yield {**values, "ingests_itself": _yes(pipe.ingests_itself)}


def _file_formats(_core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for file_format in listing.of(FileFormatRecord):
        options = format_properties(FileFormat[file_format.file_type], file_format.options)
        yield {
            **{option: value for option, _, value, _ in options},
            **_named(FILE_FORMAT_COLUMNS, file_format_row(file_format)),
        }


def _functions(_core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for function in listing.of(FunctionRecord):
        arguments = ", ".join(f"{argument} {kind}" for argument, kind, _ in function.arguments)
        yield {
            **_named(FUNCTION_COLUMNS, function_row(function)),
            "owner": function.owner,
            "argument_signature": f"({arguments})",
            "data_type": function.returns,
            "body": function.body,
            "volatility": "IMMUTABLE" if function.is_immutable else "VOLATILE",
            "is_null_call": _yes(not function.is_strict),
            "is_secure_function": _yes(value=False),
            "comment": function.comment or "",
        }


def _sequences(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    sequences = listing.of(SequenceRecord)
    values = next_values_of(core, sequences)
    for sequence in sequences:
        next_value = values[sequence.object_id]
        yield {
            **_named(SEQUENCE_COLUMNS, sequence_row(sequence, values)),
            **_NUMBERS_OF_SEQUENCE,
            "start_value": str(sequence.start),
            "next_text": None if next_value is None else str(next_value),
            "increment_text": str(sequence.increment),
            "is_ordered": _yes(sequence.is_ordered),
        }


def _constraints(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for listed in listing.tables:
        try:
            metadata = core.metadata(listed.table)
        except FileDamaged:
            continue
        keys = [] if metadata.key is None else [("PRIMARY KEY", metadata.key.rely)]
        keys += [
            ("FOREIGN KEY" if each.references else "UNIQUE", each.rely)
            for each in metadata.constraints
        ]
        for kind, rely in keys:
            yield {
                **_named(TABLE_COLUMNS, table_row(listed)),
                "constraint_type": kind,
                "enforced": _yes(value=False),
                "rely": _yes(rely),
            }


def _tasks(_core: Core, listing: Listing) -> Iterator[ObjectValues]:
    tasks = listing.of(TaskRecord)
    last = finalizers(tasks)
    for task in tasks:
        # shortened for everybody: a guest's view may be read by another's statement
        yield _named(TASK_COLUMNS, task_row(task, last, shorten_webhook))


def _loads(core: Core, listing: Listing) -> Iterator[ObjectValues]:
    for row in load_rows(core, listing):
        values = _named(LOAD_COLUMNS, row)
        yield {**values, "outcome": values["status"].capitalize()}


def _named(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(columns, row, strict=True))


def _yes(value: object) -> str:
    return "YES" if value else "NO"


# Snowflake shows the numbers of a sequence as NUMBER
_NUMBERS_OF_SEQUENCE = {
    "data_type": "NUMBER",
    "numeric_precision": 38,
    "numeric_precision_radix": 10,
    "numeric_scale": 0,
}
_VALUES: Mapping[str, Callable[[Core, Listing], Iterator[ObjectValues]]] = {
    "columns": _columns,
    "copy_history": _loads,
    "databases": _databases,
    "file_formats": _file_formats,
    "functions": _functions,
    "load_history": _loads,
    "pipes": _pipes,
    "schemata": _schemas,
    "sequences": _sequences,
    "stages": _stages,
    "streams": _streams,
    "table_constraints": _constraints,
    "tables": _tables,
    TASK_DEPENDENTS: _tasks,
    "tasks": _tasks,
    "views": _views,
}
