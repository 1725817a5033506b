"""Analyse the text of a statement: look its names up once, and run it on that moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from icemelt.catalog.defined_records import FileFormatRecord, StageRecord
from icemelt.errors import Conflict, IcemeltError, NotYet
from icemelt.names import ObjectName, QualifiedName
from icemelt.schema import DataType
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.kinds import find_external_table
from icemelt.session.runtime.lookup import Lookup, StatementOutdated
from icemelt.session.runtime.result_scan import result_columns
from icemelt.session.runtime.user_functions import find_overloads
from icemelt.spark_sql.own_columns import DIRECTORY_COLUMNS, FILENAME
from icemelt.sql.analysis.dynamic_pivots import FoundValues
from icemelt.sql.analysis.scopes import ColumnsOf, EntryName, FileColumns
from icemelt.sql.analysis.stage_places import first_column_type
from icemelt.sql.analysis.user_functions import FunctionName
from icemelt.sql.mentioned_names import find_mentioned_names
from icemelt.sql.parse import wait_for_turn
from icemelt.sql.statements import PivotValues, ResultScan, StageDirectory, StageFiles

__all__ = ["FindValues", "analyse", "run_analysed"]

_ATTEMPTS = 8
# the words of a text give nearly all names, and one analysis gives all names that it asks for
_PASSES = 3

# finds the values in the rows of a query, on the objects that were looked up
FindValues = Callable[[Lookup, PivotValues], FoundValues | None]
Statement = TypeVar("Statement")
Outcome = TypeVar("Outcome")


def run_analysed(
    core: Core,
    text: str,
    parse: Callable[[ColumnsOf], Statement],
    run: Callable[[Statement, Lookup], Outcome],
    find_values: FindValues | None = None,
) -> Outcome:
    """Analyse and run a statement; do both again if a table was altered in between.

    Args:
        core: the session's parts.
        text: the statement.
        parse: parses the text, given a function that returns the columns of a name.
        run: runs the parsed statement on the objects that were looked up.
        find_values: as in `analyse`.

    Raises:
        Conflict: tables of the statement were altered again and again.
    """
    for _ in range(_ATTEMPTS):
        statement, lookup = analyse(core, text, parse, find_values=find_values)
        try:
            return run(statement, lookup)
        except StatementOutdated as error:
            altered = error.name
    raise Conflict(
        f"{str(altered)!r} was altered by others {_ATTEMPTS} times while the statement ran.",
        hint="Nothing was changed. Run the statement again.",
    )


def analyse(
    core: Core,
    text: str,
    parse: Callable[[ColumnsOf], Statement],
    full: Callable[[ObjectName], QualifiedName] | None = None,
    find_values: FindValues | None = None,
) -> tuple[Statement, Lookup]:
    """Return the parsed text, and the objects of its names at one moment.

    The names are first taken from the words of the text. If the parser asks for further names, all
    names are looked up again at one moment, and the text is parsed again. Parsing itself reads no
    catalog.

    Args:
        core: the session's parts.
        text: a statement or a query.
        parse: parses the text, given a function that returns the columns of a name.
        full: returns the full name of a name; None for the current database and schema.
        find_values: finds the values of a PIVOT over ANY or the rows of a query; None where such a
            PIVOT is refused.
    """
    full = full or core.full
    with wait_for_turn(text):
        names = dict.fromkeys(map(full, find_mentioned_names(text)))
    for number in range(1, _PASSES + 1):
        lookup = Lookup(frozenset(names))
        if names:
            lookup.state = core.find(names)
        try:
            statement = parse(_columns_of(core, lookup, full, find_values))
        except IcemeltError:
            if not lookup.missing or number == _PASSES:
                raise
        else:
            if not lookup.missing or number == _PASSES:
                break
        names |= lookup.missing
    return statement, lookup


def _file_type(
    lookup: Lookup, files: StageFiles, full: Callable[[ObjectName], QualifiedName]
) -> str | None:
    """Return the type of files, None while stage or format are not looked up, or do not exist."""
    if files.file_type is not None:
        return files.file_type
    name = full(files.place.stage)
    stage = lookup.find(name)
    if not isinstance(stage, StageRecord):
        return None
    if files.format_name is not None:
        found = lookup.find(full(files.format_name))
    elif stage.format_name is not None:
        found = lookup.find(full(ObjectName(stage.format_name)))
    else:
        found = stage
    if not isinstance(found, FileFormatRecord | StageRecord):
        return None
    lookup.file_types[files] = found.file_type
    return found.file_type


def _values_of(
    lookup: Lookup, wanted: PivotValues, find_values: FindValues | None
) -> FoundValues | None:
    """Return the values of a PIVOT; None as long as names are to be looked up before.

    Raises:
        NotYet: the text is kept, and is not for this moment.
    """
    if find_values is None:
        raise NotYet(
            "A view, function or pipe has no PIVOT over ANY or the rows of a query: its columns "
            "would change with the rows.",
            hint="List the values: PIVOT (SUM(v) FOR k IN ('a', 'b')).",
        )
    return None if lookup.missing else find_values(lookup, wanted)


def _columns_of(
    core: Core,
    lookup: Lookup,
    full: Callable[[ObjectName], QualifiedName],
    find_values: FindValues | None,
) -> ColumnsOf:
    """Return a function for the column types of a name, which notes the missing names."""

    def types(name: EntryName) -> Mapping[str, DataType] | None:
        if isinstance(name, ResultScan):
            return result_columns(core, name)
        if isinstance(name, PivotValues):
            return _values_of(lookup, name, find_values)
        if isinstance(name, FunctionName):
            return find_overloads(core, name, full, lookup.functions)
        if isinstance(name, StageFiles):
            file_type = _file_type(lookup, name, full)
            return None if file_type is None else {"$1": first_column_type(file_type)}
        if isinstance(name, StageDirectory):
            lookup.find(full(name.stage))
            return DIRECTORY_COLUMNS
        full_name = full(name)
        state = lookup.state_with(full_name)
        if state is None:
            return None
        if full_name not in lookup.columns:
            lookup.columns[full_name] = core.columns_in(state, full_name)
        columns = lookup.columns[full_name]
        if columns is None:
            return None
        found = {column.name: column.type for column in columns}
        table = find_external_table(state.objects[full_name])
        return found if table is None else FileColumns(found, (*table.partition_by, FILENAME))

    return types
