"""What a statement's names meant when its text was analysed: all of one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from icemelt.catalog.records import ReadState
from icemelt.names import TableName
from icemelt.schema import Column

__all__ = ["Lookup", "StatementOutdated"]


class StatementOutdated(Exception):
    """A table or a view has other columns than those with which the statement was analysed."""

    def __init__(self, name: TableName) -> None:
        """Name the object that was altered."""
        super().__init__(f"{name} has other columns now")
        self.name = name


@dataclass(slots=True)
class Lookup:
    """The names that a statement was analysed with.

    Args:
        names: all names that were looked up, also those that no object has.
        state: the objects of those names at one moment; None where the statement has to look them
            up again.
        columns: of each name that the analysis asked for, the columns; None where no object has it.
        missing: names that the analysis asked for and that were not looked up.
    """

    names: frozenset[TableName] = frozenset()
    state: ReadState | None = None
    columns: dict[TableName, Sequence[Column] | None] = field(default_factory=dict)
    missing: dict[TableName, None] = field(default_factory=dict)

    def reuse(self, names: Iterable[TableName]) -> ReadState | None:
        """Return the state if all the names were looked up; else forget the state.

        A statement that asks for more names reads all of them anew: two moments do not mix.
        """
        if not self.names.issuperset(names):
            self.state = None
        return self.state

    def refuse_altered(self, now: Mapping[TableName, Sequence[Column] | None]) -> None:
        """Refuse objects whose columns differ from those that the statement was analysed with.

        Raises:
            StatementOutdated: an object was altered, dropped or made since.
        """
        for name, columns in now.items():
            if name in self.columns and self.columns[name] != columns:
                raise StatementOutdated(name)
