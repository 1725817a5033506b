"""CREATE … CLONE, and ALTER TABLE … SWAP WITH."""

from __future__ import annotations

from icemelt.errors import Never
from icemelt.names import ObjectName
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import CreateClone, Existing, ObjectKind, SwapTables

__all__ = ["read_clone", "read_swap"]


def read_clone(
    reader: StatementReader,
    kind: ObjectKind,
    name: ObjectName,
    existing: Existing,
    *,
    temporary: bool = False,
) -> CreateClone:
    """Read `CLONE source [AT | BEFORE (…)] [COPY GRANTS]`; there are no grants to copy.

    Args:
        reader: stands at CLONE.
        kind: TABLE, TASK, SCHEMA or DATABASE.
        name: the name of the clone.
        existing: says how CREATE treats an object of the same name.
        temporary: whether TEMPORARY is written.
    """
    reader.need("CLONE")
    source = reader.read_object_name(kind.value)
    if existing is Existing.ALTERED:
        word = kind.value.upper()
        raise Never(
            f"CREATE OR ALTER {word} says what the {kind.value} is like; it takes no CLONE.",
            hint=f"CREATE OR REPLACE {word} {name} CLONE {source}",
        )
    point = None
    if reader.is_at("AT") or reader.is_at("BEFORE"):
        point = reader.composer.compose_point(reader.read_point())
    reader.take("COPY", "GRANTS")
    context = reader.composer.slots.context
    return CreateClone(kind, name, source, point, existing, temporary, context)


def read_swap(reader: StatementReader, name: ObjectName, *, if_exists: bool) -> SwapTables:
    """Read `WITH other`, behind SWAP.

    Args:
        reader: stands at WITH.
        name: the table's name.
        if_exists: whether IF EXISTS is written.
    """
    reader.need("WITH")
    return SwapTables(name, reader.read_object_name(), if_exists)
