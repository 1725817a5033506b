"""Statements about clones, and about tables that exchange their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing, ObjectKind
from icemelt.sql.statements.reads import ContextReference, Point, context_values

__all__ = ["CreateClone", "SwapTables"]


@dataclass(frozen=True, slots=True)
class CreateClone:
    """`CREATE {TABLE | SCHEMA | DATABASE} name CLONE source [AT | BEFORE (…)]`.

    Attributes:
        kind: TABLE, SCHEMA or DATABASE.
        name: the name of the clone.
        source: the name of what is cloned.
        point: the point whose content the clone has; None for now.
        existing: how an existing object of the name is treated.
        temporary: whether the clone belongs to the session alone.
        context: the values of the session in the point.
    """

    kind: ObjectKind
    name: ObjectName
    source: ObjectName
    point: Point | None = None
    existing: Existing = Existing.REFUSED
    temporary: bool = False
    context: tuple[ContextReference, ...] = ()

    @property
    def runs_alone(self) -> bool:
        """Whether the clone is published at once: a temporary clone joins no transaction."""
        return self.temporary

    def bind_context(self, values: Mapping[str, str]) -> CreateClone:
        """Return the statement with context slots of the point replaced."""
        filled = context_values(self.context, values)
        point = None if self.point is None else self.point.with_context(filled)
        return replace(self, point=point, context=())


@dataclass(frozen=True, slots=True)
class SwapTables:
    """`ALTER TABLE [IF EXISTS] name SWAP WITH other`."""

    name: ObjectName
    other: ObjectName
    if_exists: bool = False
