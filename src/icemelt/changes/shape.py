"""The shape of changes, known before any row is read: whether rows came, and whether rows went."""

from __future__ import annotations

import enum

__all__ = ["DeltaFormat", "Shape"]


class Shape(enum.Flag):
    """The signs of the weights that changes can have.

    >>> Shape.INSERTS | Shape.DELETES, Shape.INSERTS.opposite
    (<Shape.BOTH: 3>, <Shape.DELETES: 2>)
    """

    EMPTY = 0
    INSERTS = 1
    DELETES = 2
    BOTH = 3

    @property
    def opposite(self) -> Shape:
        """The shape of the same changes with opposite weights."""
        match self:
            case Shape.INSERTS:
                return Shape.DELETES
            case Shape.DELETES:
                return Shape.INSERTS
        return self

    @property
    def format(self) -> DeltaFormat:
        """The format of changes of this shape: weights of one sign cannot cancel."""
        return DeltaFormat.REDUNDANT_DELTA if self is Shape.BOTH else DeltaFormat.MIN_DELTA

    @property
    def weight(self) -> str:
        """The only weight of changes of one direction, as a literal."""
        return {Shape.INSERTS: "1", Shape.DELETES: "-1"}[self]


class DeltaFormat(enum.Enum):
    """How exact changes are: minimal, or possibly with rows that cancel."""

    MIN_DELTA = "min-delta"
    REDUNDANT_DELTA = "redundant-delta"
