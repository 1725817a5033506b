"""The actions of ALTER TABLE on columns: add, drop, rename and alter."""

from __future__ import annotations

from icemelt.errors import DefinitionRefused, ValueRefused
from icemelt.names import identifier, validate_name
from icemelt.schema import Column, DataType, DecimalType, Primitive, sql_type
from icemelt.session.ddl.alteration import Alteration
from icemelt.session.ddl.defaults import evaluate_default, evaluate_new_default
from icemelt.session.ddl.generated_columns import settle_column, settle_default
from icemelt.sql.statements import AddColumn, AlterColumn, DropColumns, RenameColumn
from icemelt.tables.metadata.document import DEFAULT_PREFIX, LENGTH_PREFIX
from icemelt.tables.writes import definition
from icemelt.tables.writes.definition import column_properties

__all__ = ["add_column", "alter_column", "drop_columns", "rename_column"]

_WIDER_TYPES = {"int": ("long",), "float": ("double",)}


def add_column(alteration: Alteration, action: AddColumn) -> str:
    """Add a column; existing rows read the default, which must be constant."""
    column = action.column
    validate_name("column", column.name)
    twin = alteration.twin(column.name)
    if twin is not None:
        if action.if_not_exists:
            return f"Column {twin.name!r} already exists, statement succeeded."
        alteration.core.refuse_clash("Column", column.name, twin.name)
        raise DefinitionRefused(
            f"Column {column.name!r} of table {alteration.name!r} already exists.",
            hint=f"ALTER TABLE {alteration.name} ADD COLUMN IF NOT EXISTS …",
        )
    column = settle_column(alteration.core, column)
    default = evaluate_new_default(alteration.core, column, has_rows=alteration.has_had_rows())
    if default is None and not column.nullable and alteration.has_had_rows():
        raise DefinitionRefused(
            f"Column {column.name!r} is NOT NULL without a DEFAULT, and table "
            f"{alteration.name!r} has or had rows.",
            hint=f"ADD COLUMN {column.name} {sql_type(column.type)} DEFAULT … NOT NULL",
        )
    definition.add_column(alteration.core.iceberg, alteration.java, column, default)
    field_id = alteration.column(column.name).field_id or 0
    alteration.set_properties(dict(column_properties(field_id, column)))
    return ""


def drop_columns(alteration: Alteration, action: DropColumns) -> str:
    """Drop columns, except the last column and the columns of the key and the partitions."""
    dropped = {}
    for name in action.columns:
        if action.if_exists and alteration.find(name) is None:
            continue
        column = alteration.column(name)
        dropped[column.field_id] = column
    metadata = alteration.state()
    if dropped and len(dropped) == len(metadata.columns):
        raise DefinitionRefused(
            f"Table {alteration.name!r} would have no column left.",
            hint=f"DROP TABLE {alteration.name}",
        )
    for column in dropped.values():
        _require_droppable(alteration, column)
        alteration.java.updateSchema().deleteColumn(column.name).commit()
        properties = (f"{DEFAULT_PREFIX}{column.field_id}", f"{LENGTH_PREFIX}{column.field_id}")
        alteration.set_properties(dict.fromkeys(properties))
    return ""


def rename_column(alteration: Alteration, action: RenameColumn) -> str:
    """Rename a column; a new name may differ from the old name by case only."""
    column = alteration.column(action.column)
    validate_name("column", action.to)
    twin = alteration.twin(action.to)
    if twin is not None and twin.field_id != column.field_id:
        alteration.core.refuse_clash("Column", action.to, twin.name)
        raise DefinitionRefused(
            f"Column {action.to!r} of table {alteration.name!r} already exists.",
            hint="Choose another name, or rename that column first.",
        )
    if action.to != column.name:
        alteration.java.updateSchema().renameColumn(column.name, action.to).commit()
    return ""


def alter_column(alteration: Alteration, action: AlterColumn) -> str:
    """Change a column's type, nullability, default or comment."""
    column = alteration.column(action.column)
    if action.type is not None:
        _widen(alteration, column, action.type)
        column = alteration.column(action.column)
    if action.default is not None:
        name, kind, wanted = column.name, column.type, action.default or None
        _set_default(alteration, column, settle_default(alteration.core, name, kind, wanted))
    if action.nullable is not None and action.nullable != column.nullable:
        _set_nullable(alteration, column, nullable=action.nullable)
    if action.comment is not None:
        update = alteration.java.updateSchema()
        update.updateColumnDoc(column.name, action.comment or None).commit()
    return ""


def _widen(alteration: Alteration, column: Column, wanted: DataType) -> None:
    """Change a column's type to a wider type: INT to BIGINT, VARCHAR(5) to VARCHAR(9)."""
    if wanted == column.type:
        return
    length_key = f"{LENGTH_PREFIX}{column.field_id}"
    match column.type, wanted:
        case Primitive("string", int(before)), Primitive("string", after) if (
            after is None or after >= before
        ):
            alteration.set_properties({length_key: None if after is None else str(after)})
            return
        case Primitive(before), Primitive(after) if after in _WIDER_TYPES.get(before, ()):
            text = after
        case DecimalType(before, scale), DecimalType(after, same) if (
            after >= before and scale == same
        ):
            text = f"decimal({after}, {scale})"
        case _:
            raise DefinitionRefused(
                f"Column {column.name!r} is {sql_type(column.type)} and cannot become "
                f"{sql_type(wanted)}: a type can only be widened.",
                hint="Add a column of the new type, UPDATE it from the old one, drop and rename.",
            )
    new_type = alteration.core.iceberg.java_class("types.Types").fromPrimitiveString(text)
    alteration.java.updateSchema().updateColumn(column.name, new_type).commit()


def _set_nullable(alteration: Alteration, column: Column, *, nullable: bool) -> None:
    update = alteration.java.updateSchema()
    if nullable:
        update.makeColumnOptional(column.name).commit()
        return
    count = alteration.nulls(column)
    if count:
        raise ValueRefused(
            f"Column {column.name!r} of table {alteration.name!r} is NULL in {count} rows, so it "
            "cannot become NOT NULL.",
            hint=f"UPDATE {alteration.name} SET {column.name} = … WHERE {column.name} IS NULL",
        )
    update.allowIncompatibleChanges().requireColumn(column.name).commit()


def _set_default(alteration: Alteration, column: Column, default: str | None) -> None:
    """Set the default for later rows; a constant is also set as Iceberg's write default."""
    if default is None and column.default is None:
        raise DefinitionRefused(
            f"Column {column.name!r} of table {alteration.name!r} has no default.",
            hint=f"DESCRIBE TABLE {alteration.name}",
        )
    value = None if default is None else evaluate_default(alteration.core, column, default)
    literal = None if value is None else alteration.literal(column.type, value)
    update = alteration.java.updateSchema()
    update.updateColumnDefault(column.name, literal).commit()
    alteration.set_properties({f"{DEFAULT_PREFIX}{column.field_id}": default})


def _require_droppable(alteration: Alteration, column: Column) -> None:
    """Refuse to drop a column of a key or of the partitions."""
    metadata = alteration.state()
    key = metadata.key
    if key is not None and column.field_id in key.field_ids:
        raise DefinitionRefused(
            f"Column {column.name!r} is in the primary key of table {alteration.name!r}.",
            hint=f"ALTER TABLE {alteration.name} DROP PRIMARY KEY",
        )
    for constraint in metadata.constraints:
        own = constraint.references if constraint.table_id is None else ()
        if column.field_id in (*constraint.field_ids, *own):
            raise DefinitionRefused(
                f"Column {column.name!r} is in constraint {constraint.name!r} of table "
                f"{alteration.name!r}.",
                hint=f"ALTER TABLE {alteration.name} DROP CONSTRAINT {identifier(constraint.name)}",
            )
    fields = [
        field
        for spec in metadata.document.get("partition-specs", ())
        for field in spec["fields"]
        if field["transform"] != "void"
    ]
    if any(field.get("source-id") == column.field_id for field in fields):
        raise DefinitionRefused(
            f"Table {alteration.name!r} is partitioned by column {column.name!r}.",
            hint="Make a new table without it: CREATE TABLE … AS SELECT * EXCLUDE "
            f"({column.name}) FROM {alteration.name}",
        )
