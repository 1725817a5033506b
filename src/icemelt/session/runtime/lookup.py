"""The objects that a statement's text names, read at one moment when the text is analysed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from icemelt.catalog.defined_records import FunctionRecord
from icemelt.catalog.records import CatalogState, SchemaObject
from icemelt.names import QualifiedName
from icemelt.schema import Column
from icemelt.sql.statements import StageFiles

__all__ = ["Lookup", "StatementOutdated"]


class StatementOutdated(Exception):
    """The columns of a table or view have changed since a statement was analysed with them."""

    def __init__(self, name: QualifiedName) -> None:
        """Name the object that was altered."""
        super().__init__(f"{name} has other columns now")
        self.name = name


@dataclass(slots=True)
class Lookup:
    """The names of a statement's text, and their objects at the moment of the analysis.

    For example, the analysis of `INSERT INTO t SELECT * FROM s` looks up `t` and `s` together. The
    run of the statement reuses `state`, so `s` is read as of the same moment in which `*` was
    expanded.

    Args:
        names: all names that were looked up, with or without an object.
        state: the objects of the names at one moment; None if the statement must look the names up
            again.
        columns: the columns of the names that the analysis asked for; None for a name without an
            object.
        missing: the names that the analysis asked for before they were looked up.
        file_types: the types of files that the analysis asked for.
        functions: the functions of users, of the databases and schemas that the analysis asked for.
        read: the objects whose rows the analysis has read, as they were then.
    """

    names: frozenset[QualifiedName] = frozenset()
    state: CatalogState | None = None
    columns: dict[QualifiedName, Sequence[Column] | None] = field(default_factory=dict)
    missing: dict[QualifiedName, None] = field(default_factory=dict)
    file_types: dict[StageFiles, str] = field(default_factory=dict)
    functions: dict[tuple[str, str], tuple[FunctionRecord, ...]] = field(default_factory=dict)
    read: dict[QualifiedName, SchemaObject] = field(default_factory=dict)

    def state_with(self, name: QualifiedName) -> CatalogState | None:
        """Return the state if a name was looked up; if not, note the name as missing."""
        if name in self.names and self.state is not None:
            return self.state
        self.missing[name] = None
        return None

    def find(self, name: QualifiedName) -> SchemaObject | None:
        """Return the object of a name, None where there is none or the name is missing."""
        state = self.state_with(name)
        return None if state is None else state.objects.get(name)

    def reuse(self, names: Iterable[QualifiedName]) -> CatalogState | None:
        """Return the state if all the names were looked up; if not, forget the state.

        A statement with more names reads all its names again: two moments must not mix.
        """
        if not self.names.issuperset(names):
            self.state = None
        return self.state

    def require_unaltered(self, now: Mapping[QualifiedName, Sequence[Column] | None]) -> None:
        """Require that the columns of objects are those of the analysis.

        Raises:
            StatementOutdated: an object was altered, dropped or created since.
        """
        for name, columns in now.items():
            if name in self.columns and self.columns[name] != columns:
                raise StatementOutdated(name)

    def require_unwritten(self, state: CatalogState) -> None:
        """Require that a state has the objects whose rows the analysis has read, as they were.

        Raises:
            StatementOutdated: an object was written since.
        """
        for name, record in self.read.items():
            if state.objects.get(name, record) != record:
                raise StatementOutdated(name)
