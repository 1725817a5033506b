"""Find the relations of INFORMATION_SCHEMA: objects of a database that a query reads as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from icemelt.catalog.defined_records import (
    ExternalTableRecord,
    FileFormatRecord,
    FunctionRecord,
    PipeRecord,
    SequenceRecord,
    StageRecord,
    TaskRecord,
)
from icemelt.catalog.queries.listing import LOAD, SCHEMA, list_objects
from icemelt.catalog.queries.look_ups import LookUp
from icemelt.catalog.records import (
    InformationRecord,
    StreamRecord,
    TableRecord,
    ViewRecord,
    Wanted,
)
from icemelt.names import INFORMATION_SCHEMA, QualifiedName, fold

__all__ = ["RELATIONS", "find_relations", "is_relation"]

_WITH_COLUMNS = frozenset({TableRecord.kind, ViewRecord.kind, ExternalTableRecord.kind})
# the kinds of objects that the rows of each relation are made of; all databases are in each listing
RELATIONS: Mapping[str, frozenset[str]] = {
    "columns": _WITH_COLUMNS,
    "databases": frozenset(),
    "file_formats": frozenset({FileFormatRecord.kind}),
    "functions": frozenset({FunctionRecord.kind}),
    "load_history": frozenset({LOAD, StageRecord.kind, TableRecord.kind}),
    "pipes": frozenset({PipeRecord.kind}),
    "schemata": frozenset({SCHEMA}),
    "sequences": frozenset({SequenceRecord.kind}),
    "stages": frozenset({StageRecord.kind}),
    "streams": frozenset({StreamRecord.kind}),
    "table_constraints": frozenset({TableRecord.kind}),
    # schemas for the retention that a table of an open transaction inherits
    "tables": _WITH_COLUMNS | {SCHEMA},
    "tasks": frozenset({TaskRecord.kind}),
    "views": frozenset({ViewRecord.kind}),
}


def is_relation(name: QualifiedName) -> bool:
    """Tell whether a full name is of a relation of INFORMATION_SCHEMA.

    >>> is_relation(QualifiedName("main", "Information_Schema", "TABLES"))
    True
    """
    is_named = fold(name.schema) == INFORMATION_SCHEMA and fold(name.name) in RELATIONS
    return is_named and not name.space


def find_relations(
    at: LookUp, names: Iterable[QualifiedName]
) -> dict[QualifiedName, InformationRecord]:
    """Return the relations of INFORMATION_SCHEMA among some names, by name.

    A relation of a database that does not exist is left out.

    Args:
        at: the connection, the session and the moment.
        names: full names.
    """
    found: dict[QualifiedName, InformationRecord] = {}
    for name in filter(is_relation, names):
        relation = fold(name.name)
        listing = list_objects(at, Wanted(RELATIONS[relation], (name.database, None)))
        for database in listing.databases:
            if fold(database.name) == fold(name.database):
                full = QualifiedName(database.name, INFORMATION_SCHEMA, relation)
                found[name] = InformationRecord(full, listing)
    return found
