"""Sequences: CREATE and ALTER SEQUENCE, and columns that number their rows."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing, RenameTable, UnsetOptions

__all__ = [
    "AlterSequence",
    "CreateSequence",
    "Identity",
    "NextValue",
    "SequenceAction",
    "SetSequence",
    "read_identity",
]

_NEXT_VALUE = "NEXTVAL$"
_IDENTITY = re.compile(r"IDENTITY START (-?\d+) INCREMENT (-?\d+) (ORDER|NOORDER)")


@dataclass(frozen=True, slots=True)
class CreateSequence:
    """`CREATE SEQUENCE name [START n] [INCREMENT m] [ORDER | NOORDER] [COMMENT = '…']`."""

    name: ObjectName
    start: int = 1
    increment: int = 1
    is_ordered: bool = False
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SetSequence:
    """`[SET] [INCREMENT m] [ORDER | NOORDER] [COMMENT = '…']`; None for what is not written."""

    increment: int | None = None
    is_ordered: bool | None = None
    comment: str | None = None


SequenceAction = RenameTable | SetSequence | UnsetOptions


@dataclass(frozen=True, slots=True)
class AlterSequence:
    """`ALTER SEQUENCE [IF EXISTS] name action`."""

    name: ObjectName
    action: SequenceAction
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class NextValue:
    """A mention of `sequence.NEXTVAL` in a statement, which has a context slot.

    Attributes:
        sequence: the sequence's name as written.
        number: the position among the mentions of the statement; each has values of its own.
        is_single: whether the mention is computed for one row, and not for each row of a table.
    """

    sequence: ObjectName
    number: int
    is_single: bool

    @property
    def context_name(self) -> str:
        """The name of the context value.

        >>> NextValue(ObjectName(("s",)), 0, True).context_name
        'NEXTVAL$[["s"], 0, true]'
        """
        return _NEXT_VALUE + json.dumps([list(self.sequence.parts), self.number, self.is_single])

    @staticmethod
    def of_context(name: str) -> NextValue | None:
        """Return the mention that a context value stands for, None for another value.

        >>> NextValue.of_context('NEXTVAL$[["s"], 0, true]').sequence
        ObjectName(parts=('s',))
        """
        if not name.startswith(_NEXT_VALUE):
            return None
        parts, number, is_single = json.loads(name.removeprefix(_NEXT_VALUE))
        return NextValue(ObjectName(tuple(parts)), number, is_single)


@dataclass(frozen=True, slots=True)
class Identity:
    """`AUTOINCREMENT START n INCREMENT m`, kept as the text of the column's default.

    >>> str(Identity(1, 10))
    'IDENTITY START 1 INCREMENT 10 NOORDER'
    """

    start: int = 1
    increment: int = 1
    is_ordered: bool = False

    def __str__(self) -> str:
        order = "ORDER" if self.is_ordered else "NOORDER"
        return f"IDENTITY START {self.start} INCREMENT {self.increment} {order}"


def read_identity(default: str | None) -> Identity | None:
    """Return how a column numbers its rows, by the text of its default; None if it does not.

    >>> read_identity("IDENTITY START 1 INCREMENT -2 ORDER")
    Identity(start=1, increment=-2, is_ordered=True)
    """
    found = None if default is None else _IDENTITY.fullmatch(default)
    if found is None:
        return None
    return Identity(int(found[1]), int(found[2]), found[3] == "ORDER")
