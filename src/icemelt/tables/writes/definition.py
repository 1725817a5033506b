"""A table's definition as Iceberg's JSON, and changes of it by Iceberg's operations."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from icemelt.schema import (
    Column,
    DataType,
    DecimalType,
    ListType,
    MapType,
    Primitive,
    StructType,
    contains,
)
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import (
    DEFAULT_PREFIX,
    KEPT_PROPERTY,
    KEPT_SNAPSHOTS,
    KEY_PROPERTY,
    LENGTH_PREFIX,
)

__all__ = [
    "add_column",
    "column_properties",
    "fields_from_spark",
    "iceberg_type",
    "partition_table",
    "schema_document",
    "table_properties",
]

_FORMAT = {
    "format-version": "3",
    "write.delete.mode": "merge-on-read",
    "write.update.mode": "merge-on-read",
    "write.merge.mode": "merge-on-read",
    "write.metadata.delete-after-commit.enabled": "false",
    # for the main branch as soon as there is one: see tables/maintenance/retention.py
    KEPT_PROPERTY: str(KEPT_SNAPSHOTS),
}
_TRANSFORM = re.compile(r"^(\w+)\((?:(\d+),\s*)?`?(.+?)`?(?:,\s*(\d+))?\)$")
_WIDENED = {"int": "long", "float": "double"}


def schema_document(columns: Sequence[Column]) -> dict[str, Any]:
    """Return Iceberg's schema of columns; top-level fields are numbered from 1.

    >>> schema_document([Column("id", Primitive("long"), nullable=False)])["fields"]
    [{'id': 1, 'name': 'id', 'required': True, 'type': 'long'}]
    """
    ids = itertools.count(len(columns) + 1)
    fields = []
    for number, column in enumerate(columns, start=1):
        field = {
            "id": number,
            "name": column.name,
            "required": not column.nullable,
            "type": iceberg_type(column.type, ids),
        }
        if column.comment is not None:
            field["doc"] = column.comment
        fields.append(field)
    return {"type": "struct", "schema-id": 0, "fields": fields}


def iceberg_type(data_type: DataType, ids: Iterator[int]) -> Any:
    """Return a type as Iceberg's JSON; `ids` yields the field ids of inner fields.

    >>> iceberg_type(ListType(Primitive("long")), itertools.count(2))
    {'type': 'list', 'element-id': 2, 'element': 'long', 'element-required': False}
    """
    match data_type:
        case Primitive(name):
            return name
        case DecimalType(precision, scale):
            return f"decimal({precision}, {scale})"
        case ListType(element):
            return {
                "type": "list",
                "element-id": next(ids),
                "element": iceberg_type(element, ids),
                "element-required": False,
            }
        case MapType(key, value):
            return {
                "type": "map",
                "key-id": next(ids),
                "key": iceberg_type(key, ids),
                "value-id": next(ids),
                "value": iceberg_type(value, ids),
                "value-required": False,
            }
        case StructType(fields):
            numbered = [(next(ids), field) for field in fields]
            inner = [
                {
                    "id": number,
                    "name": field.name,
                    "required": not field.nullable,
                    "type": iceberg_type(field.type, ids),
                }
                for number, field in numbered
            ]
            return {"type": "struct", "fields": inner}
        case _:
            assert_never(data_type)


def table_properties(
    columns: Sequence[Column], key: tuple[Sequence[str], bool] | None
) -> dict[str, str]:
    """Return a new table's properties: the format, and what Iceberg has no field for.

    `columns` are in the order of their field ids, from 1. `key` is the names of the columns of a
    declared key, and whether the key is RELY.
    """
    properties = dict(_FORMAT)
    for number, column in enumerate(columns, start=1):
        properties |= column_properties(number, column)
    if key is not None:
        numbers = {column.name: number for number, column in enumerate(columns, start=1)}
        document = {"columns": [numbers[name] for name in key[0]], "rely": key[1]}
        properties[KEY_PROPERTY] = json.dumps(document)
    return properties


def column_properties(field_id: int, column: Column) -> dict[str, str]:
    """Return the properties with a column's default and length, and settings for its type.

    >>> column_properties(1, Column("a", Primitive("string", 20), default="'x'"))
    {'icemelt.default.1': "'x'", 'icemelt.length.1': '20'}
    """
    properties = {}
    if column.default is not None:
        properties[f"{DEFAULT_PREFIX}{field_id}"] = column.default
    if isinstance(column.type, Primitive) and column.type.length is not None:
        properties[f"{LENGTH_PREFIX}{field_id}"] = str(column.type.length)
    if column.type != Primitive("variant") and contains(column.type, "variant"):
        # Iceberg's vectorized reader stumbles over such a column even where it is not asked for
        properties["read.parquet.vectorization.enabled"] = "false"
    return properties


def fields_from_spark(iceberg: Iceberg, java_schema: Any) -> list[dict[str, Any]]:
    """Return a Spark schema as Iceberg fields (JSON): all integers longs, all floats doubles."""
    schema = iceberg.java_class("spark.SparkSchemaUtil").convert(java_schema)
    text = iceberg.java_class("SchemaParser").toJson(schema)
    document: list[dict[str, Any]] = json.loads(text)["fields"]
    return [_widen_numbers(field) for field in document]


def add_column(iceberg: Iceberg, table: Any, column: Column, default: Any = None) -> None:
    """Add a column to a table.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        column: the column.
        default: the value of the column in old rows, as Iceberg's single-value JSON; None for NULL.
    """
    field: dict[str, Any] = {
        "id": 1,
        "name": column.name,
        "required": False,
        "type": iceberg_type(column.type, itertools.count(2)),
    }
    if default is not None:
        field |= {"initial-default": default, "write-default": default}
    parser = iceberg.java_class("SchemaParser")
    parsed = parser.fromJson(
        json.dumps({"type": "struct", "schema-id": 0, "fields": [field]})
    ).findField(1)
    update = table.updateSchema().allowIncompatibleChanges()
    if default is None:
        update.addColumn(None, column.name, parsed.type(), column.comment)
    else:
        literal = parsed.initialDefaultLiteral()
        update.addColumn(None, column.name, parsed.type(), column.comment, literal)
    if not column.nullable:
        update.requireColumn(column.name)
    update.commit()


def partition_table(iceberg: Iceberg, table: Any, transforms: Sequence[str]) -> None:
    """Partition a new table by Spark's transforms.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        transforms: the transforms: `days(ts)`, `bucket(4, id)`, `id`.
    """
    expressions = iceberg.java_class("expressions.Expressions")
    update = table.updateSpec()
    for text in transforms:
        found = _TRANSFORM.match(text)
        if found is None:
            update.addField(text.strip("`").replace("``", "`"))
            continue
        name, before, column, after = found.groups()
        width = before or after
        if name in {"bucket", "truncate"}:
            update.addField(getattr(expressions, name)(column, int(width or 1)))
        else:
            update.addField(getattr(expressions, name.removesuffix("s"))(column))
    update.commit()


def _widen_numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field, element or value with wider numbers, optional throughout."""
    result = dict(document)
    for part in ("type", "element", "key", "value"):
        inner = result.get(part)
        if isinstance(inner, str):
            result[part] = _WIDENED.get(inner, inner)
        elif isinstance(inner, Mapping):
            result[part] = _widen_numbers(inner)
    if "fields" in result:
        result["fields"] = [_widen_numbers(field) for field in result["fields"]]
    for flag in ("element-required", "value-required", "required"):
        if flag in result:
            result[flag] = False
    return result
