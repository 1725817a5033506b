"""Functions of users: the ones that a call may mean, with their expressions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, MutableMapping, Sequence

from icemelt.catalog.defined_records import FunctionRecord
from icemelt.catalog.records import ViewSourceRecord, Wanted
from icemelt.engine.functions import HARMLESS, HARMLESS_IN_FROM
from icemelt.names import ObjectName, QualifiedName, fold
from icemelt.schema import Column, DataType
from icemelt.session.runtime.core import Core
from icemelt.sql.analysis.user_functions import (
    FunctionName,
    Overloads,
    UserFunction,
    find_called_names,
)
from icemelt.sql.parse import FunctionText, parse_type, read_function
from icemelt.sql.spark.functions import FUNCTIONS
from icemelt.sql.statements import Argument

__all__ = [
    "find_called",
    "find_overloads",
    "function_source",
    "function_text",
    "is_builtin",
    "is_function",
    "overloads_of",
    "result_column",
]

_BUILTIN = FUNCTIONS.keys() | {name.upper() for name in HARMLESS | HARMLESS_IN_FROM}
_READ = 1_000
# the column that stands for the result of a function
_RESULT = "returns"

Place = tuple[str, str]


def is_builtin(name: str) -> bool:
    """Tell whether a name without a schema is that of a function of icemelt or of Spark.

    >>> is_builtin("nvl"), is_builtin("area")
    (True, False)
    """
    return name.upper() in _BUILTIN


def find_overloads(
    core: Core,
    name: FunctionName,
    full: Callable[[ObjectName], QualifiedName],
    known: MutableMapping[Place, tuple[FunctionRecord, ...]],
) -> Overloads | None:
    """Return the functions of users that a call may mean; None where there are none.

    A name without a schema that icemelt or Spark has a function for means that one. In the
    expression of a function there are no others: it may be a guest's, and run by the host.

    Args:
        core: the session's parts.
        name: the name in the call.
        full: returns the full name of a name in the statement.
        known: the functions of schemas that were looked up; those of another one are added.
    """
    if len(name.name.parts) == 1 and is_builtin(name.name.last):
        return None
    meant = full(name.name) if name.home is None else name.name.within(*name.home)
    found = overloads_of(_functions_beside(core, meant, known), meant)
    return Overloads(()) if found is None and name.home is not None else found


def find_called(core: Core, functions: Sequence[FunctionRecord]) -> tuple[FunctionRecord, ...]:
    """Return the functions that some functions may call, directly or not, but for these themselves.

    They are all functions of the names in the calls, whatever their types.

    Args:
        core: the session's parts.
        functions: the functions.
    """
    known: dict[Place, tuple[FunctionRecord, ...]] = {}
    found: list[FunctionRecord] = []
    pending = list(functions)
    while pending:
        for meant in _names_called(pending.pop()):
            named = _choose_named(_functions_beside(core, meant, known), meant)
            further = [each for each in named if each not in found and each not in functions]
            found += further
            pending += further
    return tuple(found)


def overloads_of(records: Iterable[FunctionRecord], meant: QualifiedName) -> Overloads | None:
    """Return the functions of a name, whatever their types; None where there are none.

    Args:
        records: functions of any names.
        meant: the full name without types.
    """
    found = [_read_record(record) for record in _choose_named(records, meant)]
    return Overloads(found) if found else None


def _choose_named(records: Iterable[FunctionRecord], meant: QualifiedName) -> list[FunctionRecord]:
    """Return the functions of a full name without types."""
    return [
        record
        for record in records
        if QualifiedName(record.name.database, record.name.schema, record.own_name).folded
        == meant.folded
    ]


def _functions_beside(
    core: Core, name: QualifiedName, known: MutableMapping[Place, tuple[FunctionRecord, ...]]
) -> tuple[FunctionRecord, ...]:
    """Return the functions in the schema of a name; those of schemas looked up are known."""
    place = (fold(name.database), fold(name.schema))
    if place not in known:
        wanted = Wanted(frozenset({FunctionRecord.kind}), (name.database, name.schema))
        known[place] = tuple(core.resolver.list_objects(wanted).of(FunctionRecord))
    return known[place]


@functools.lru_cache(_READ)
def _names_called(record: FunctionRecord) -> tuple[QualifiedName, ...]:
    """Return the full names of the functions of users that a function may call, without types."""
    names = find_called_names(_read_record(record))
    meant = (each for each in names if len(each.parts) > 1 or not is_builtin(each.last))
    return tuple(each.within(record.name.database, record.name.schema) for each in meant)


@functools.lru_cache(_READ)
def _read_record(record: FunctionRecord) -> UserFunction:
    """Return a function with its expression as a tree."""
    return read_function(function_text(record))


def is_function(source: ViewSourceRecord) -> bool:
    """Tell whether a source of a view is a function, unless the view reads rows of the name."""
    return source.name.name.endswith(")") and [c.name for c in source.columns] == [_RESULT]


def result_column(record: FunctionRecord) -> Column:
    """Return the column that stands for the result of a function among the sources of a view."""
    return Column(_RESULT, parse_type(record.returns))


def function_source(record: FunctionRecord) -> ViewSourceRecord:
    """Return a function as a source of a view."""
    result = result_column(record)
    return ViewSourceRecord(record.name, (result,), frozenset({result.name}), record)


def function_text(record: FunctionRecord) -> FunctionText:
    """Return a function with its types as data, and its expression as text."""
    arguments = tuple(
        Argument(name, parse_type(kind), default) for name, kind, default in record.arguments
    )
    returns: DataType = parse_type(record.returns)
    return FunctionText(record.name, arguments, returns, record.body, record.is_strict)
