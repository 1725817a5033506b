"""What is known of changes before anything is computed: whether rows came, and whether any went."""

from __future__ import annotations

import enum

__all__ = ["Format", "Shape"]


class Shape(enum.Flag):
    """Which weights changes can have.

    >>> Shape.INSERTS | Shape.DELETES, Shape.INSERTS.flipped
    (<Shape.BOTH: 3>, <Shape.DELETES: 2>)
    """

    EMPTY = 0
    INSERTS = 1
    DELETES = 2
    BOTH = 3

    @property
    def flipped(self) -> Shape:
        """The shape of the same changes with the opposite weights."""
        match self:
            case Shape.INSERTS:
                return Shape.DELETES
            case Shape.DELETES:
                return Shape.INSERTS
        return self

    @property
    def format(self) -> Format:
        """The format of changes of this shape: weights of one sign cannot cancel."""
        return Format.REDUNDANT_DELTA if self is Shape.BOTH else Format.MIN_DELTA

    @property
    def weight(self) -> str:
        """The only weight that changes of one direction have."""
        return {Shape.INSERTS: "1", Shape.DELETES: "-1"}[self]


class Format(enum.Enum):
    """Whether changes say only what has changed, or may hold rows that cancel each other."""

    MIN_DELTA = "min-delta"
    REDUNDANT_DELTA = "redundant-delta"
