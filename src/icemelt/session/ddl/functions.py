"""CREATE FUNCTION and ALTER FUNCTION."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.catalog.defined_records import FunctionRecord
from icemelt.errors import DefinitionRefused
from icemelt.names import ObjectName, QualifiedName
from icemelt.schema import DataType, sql_type
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_comment,
    alter_object,
    create_object,
    make_defined,
    plan_rename,
)
from icemelt.session.queries.binding import bind_query, frame
from icemelt.session.runtime.analysing import analyse
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.user_functions import function_text, is_builtin
from icemelt.session.timeline.context import in_context
from icemelt.sql import statements as s
from icemelt.sql.analysis.scopes import ColumnsOf, EntryName
from icemelt.sql.analysis.user_functions import FunctionName, Overloads
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.parse import parse_statement, read_function
from icemelt.transactions.pending import Attempt

__all__ = ["alter_function", "create_function"]


def create_function(core: Core, statement: s.CreateFunction, history: History) -> str:
    """Run CREATE FUNCTION. The expression is analysed, with arguments of the declared types.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: there is a function of the name with these types.
        DefinitionRefused: the name is that of a function of icemelt; or the expression names what
            is no argument, has an aggregate, calls itself, or is not of the declared type.
        FunctionNotFound: the expression calls a function that is not there.
        NotYet: the expression has a query over tables.
    """
    if is_builtin(statement.own_name.last):
        raise DefinitionRefused(
            f"{statement.own_name.last.upper()} is a function already: a call would mean that one.",
            hint="Choose another name.",
        )

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        arguments = tuple(
            (argument.name, sql_type(argument.type), argument.default)
            for argument in statement.arguments
        )
        record = FunctionRecord(
            new_id(),
            place.name,
            core.user,
            statement.comment,
            0,
            arguments,
            sql_type(statement.returns),
            statement.body,
            statement.is_strict,
            statement.is_immutable,
        )
        _validate(core, record, statement)
        return CreatePlan((make_defined(record, place.schema_id),))

    def alter(_attempt: Attempt, found: FunctionRecord) -> AlterPlan:
        raise DefinitionRefused(
            f"CREATE OR ALTER FUNCTION is not there: {found.name.name!r} exists.",
            hint="CREATE OR REPLACE FUNCTION",
        )

    return create_object(core, statement, history, FunctionRecord, make, alter)


def alter_function(core: Core, statement: s.AlterFunction, history: History) -> str:
    """Run ALTER FUNCTION: change the name or the comment.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no function of the name with these types.
        ObjectExists: the new name is taken.
        DefinitionRefused: the new name is that of a function of icemelt.
    """

    def alter(_attempt: Attempt, found: FunctionRecord) -> AlterPlan:
        match statement.action:
            case s.RenameTable(to):
                if is_builtin(to.last):
                    raise DefinitionRefused(
                        f"{to.last.upper()} is a function already.", hint="Choose another name."
                    )
                types = found.name.name.removeprefix(found.own_name)
                signed = ObjectName((*to.parts[:-1], f"{to.last}{types}"))
                return plan_rename(core, found, signed)
            case s.SetOptions() | s.UnsetOptions() as action:
                return AlterPlan(DONE, alter_comment(found, action).edits)

    return alter_object(core, statement, history, FunctionRecord, alter)


def _validate(core: Core, record: FunctionRecord, statement: s.CreateFunction) -> None:
    """Analyse a call of a function that is being made, with a NULL of each argument's type.

    Raises:
        DefinitionRefused: the expression is not as the function says.
    """
    function = read_function(function_text(record))
    place = QualifiedName(record.name.database, record.name.schema, record.own_name)
    arguments = ", ".join(f"CAST(NULL AS {sql_type(each.type)})" for each in statement.arguments)
    call = f"SELECT {full_name(place)}({arguments})"

    def parse(columns_of: ColumnsOf) -> s.Statement:
        def with_function(name: EntryName) -> Mapping[str, DataType] | None:
            if not isinstance(name, FunctionName):
                return columns_of(name)
            home = name.home or (core.settings.database, core.settings.schema)
            if name.name.within(*home).folded != place.folded:
                return columns_of(name)
            found = columns_of(name)
            others = found.functions if isinstance(found, Overloads) else ()
            kept = (other for other in others if other.name.folded != function.name.folded)
            return Overloads((function, *kept))

        parsed = parse_statement(call, None, with_function)
        return in_context(core, parsed, core.now())

    parsed, _ = analyse(core, call, parse)
    if isinstance(parsed, s.Select):
        bound = bind_query(core, parsed.query)
        try:
            frame(core, bound)
        finally:
            bound.resources.release()
