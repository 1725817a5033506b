"""Find the function for a statement, and make a `Result` of the function's answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, assert_never

from pyspark.sql import DataFrame

from icemelt.errors import DataError, NotYet, QueryError
from icemelt.session.copy.copy_into import copy_into_table
from icemelt.session.copy.put_get import get_files, put_files
from icemelt.session.copy.stage_files import list_files, remove_files_of_stage
from icemelt.session.copy.unload import copy_into_location
from icemelt.session.copy.validation import validate_copy
from icemelt.session.ddl.alter_table import alter_table
from icemelt.session.ddl.clones import clone_table
from icemelt.session.ddl.container_clones import clone_container
from icemelt.session.ddl.containers import alter_container, create_container, drop, undrop
from icemelt.session.ddl.create_table import create_table
from icemelt.session.ddl.definitions import find_definition
from icemelt.session.ddl.external_tables import (
    alter_external_table,
    create_external_table,
    refresh_external_table,
    register_paths,
)
from icemelt.session.ddl.file_formats import alter_file_format, create_file_format
from icemelt.session.ddl.functions import alter_function, create_function
from icemelt.session.ddl.lifecycle import drop_object, undrop_object
from icemelt.session.ddl.pipes import alter_pipe, create_pipe, refresh_pipe
from icemelt.session.ddl.sequences import alter_sequence, create_sequence
from icemelt.session.ddl.stages import alter_stage, create_stage, refresh_stage
from icemelt.session.ddl.streams import alter_stream, create_stream
from icemelt.session.ddl.swaps import swap_tables
from icemelt.session.ddl.task_execution import cancel_runs, execute_task
from icemelt.session.ddl.tasks import (
    alter_task,
    clone_task,
    create_task,
    drop_task,
    enable_tasks,
    undrop_task,
)
from icemelt.session.ddl.views import alter_view, create_view
from icemelt.session.dml.explain import explain
from icemelt.session.dml.restore import restore_table
from icemelt.session.dml.row_level import run_row_level
from icemelt.session.dml.writing import RowCounts, insert, insert_all, optimize, truncate
from icemelt.session.queries.binding import bind_query, frame
from icemelt.session.queries.pivot_values import find_pivot_values
from icemelt.session.runtime.analysing import run_analysed
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.current import use, use_named
from icemelt.session.runtime.fetching import Fallback
from icemelt.session.runtime.kinds import KINDS
from icemelt.session.runtime.lookup import Lookup
from icemelt.session.runtime.next_values import numbered
from icemelt.session.runtime.query_note import QueryNote
from icemelt.session.runtime.result import LocalRows, Result
from icemelt.session.runtime.scope import StatementScope
from icemelt.session.runtime.session_parameters import alter_session
from icemelt.session.runtime.transacting import begin, commit, prepare, rollback
from icemelt.session.runtime.variables import set_variables, unset_variables
from icemelt.session.show.listing import describe, describe_history, show
from icemelt.session.timeline.context import in_context
from icemelt.session.timeline.system_functions import ask
from icemelt.session.timeline.task_functions import require_running_task, set_return_value
from icemelt.session.views.change_support import show_change_support
from icemelt.sql import statements as s
from icemelt.sql.analysis.scopes import ColumnsOf
from icemelt.sql.analysis.system_calls import SET_RETURN_VALUE
from icemelt.sql.flow import Link
from icemelt.sql.parse import parse_statement

__all__ = ["run"]

# the statements that define an object in a schema
_DEFINITIONS: Mapping[type, Callable[[Core, Any, History], str]] = {
    s.CreateTable: create_table,
    s.AlterTable: alter_table,
    s.CreateClone: clone_table,
    s.SwapTables: swap_tables,
    s.CreateView: create_view,
    s.AlterView: alter_view,
    s.CreateStream: create_stream,
    s.AlterStream: alter_stream,
    s.CreateFileFormat: create_file_format,
    s.AlterFileFormat: alter_file_format,
    s.CreateStage: create_stage,
    s.AlterStage: alter_stage,
    s.CreateExternalTable: create_external_table,
    s.AlterExternalTable: alter_external_table,
    s.CreatePipe: create_pipe,
    s.AlterPipe: alter_pipe,
    s.CreateFunction: create_function,
    s.AlterFunction: alter_function,
    s.CreateSequence: create_sequence,
    s.AlterSequence: alter_sequence,
    s.CreateTask: create_task,
    s.AlterTask: alter_task,
    s.ExecuteTask: execute_task,
    s.Drop: drop_object,
    s.Undrop: undrop_object,
}
# the statements that publish what they find, and answer with rows: files, or started tasks
_REGISTERS: Mapping[type, Callable[[Core, Any, History], LocalRows]] = {
    s.RefreshStage: refresh_stage,
    s.RefreshExternalTable: refresh_external_table,
    s.RegisterPaths: register_paths,
    s.RefreshPipe: refresh_pipe,
    s.EnableTasks: enable_tasks,
    s.CancelRuns: cancel_runs,
}
# the statements whose rows need no Spark, and that publish nothing
_READS: Mapping[type[Any], Callable[[Core, Any], LocalRows]] = {
    s.Describe: describe,
    s.DescribeHistory: describe_history,
    s.Show: show,
    s.ListFiles: list_files,
    s.RemoveFiles: remove_files_of_stage,
    s.PutFiles: put_files,
    s.GetFiles: get_files,
    s.Explain: explain,
}
# the statements about the session itself, which answer with a sentence
_OF_SESSION: Mapping[type[Any], Callable[[Core, Any], str]] = {
    s.AlterSession: alter_session,
    s.Begin: lambda core, statement: begin(core, statement.name),
    s.Commit: lambda core, _: commit(core),
    s.Rollback: lambda core, _: rollback(core),
    s.UnsetVariables: unset_variables,
    s.Use: use,
    s.UseNamed: use_named,
}
_OVERWRITE_EFFECTS = (s.Effect.INSERTED, s.Effect.DELETED)


def run(core: Core, link: Link, history: History, *, is_immediate: bool = False) -> Result:
    """Run a statement and return its result.

    Args:
        core: the session's parts.
        link: the statement, with the values of its placeholders.
        history: makes the statement's record in the history.
        is_immediate: whether EXECUTE IMMEDIATE has the text.

    Raises:
        NotYet: an EXECUTE IMMEDIATE has an EXECUTE IMMEDIATE.
    """
    notices: list[str] = []

    def parse(columns_of: ColumnsOf) -> s.Statement:
        variables = core.settings.variables
        statement = parse_statement(
            link.text, link.parameters, columns_of, variables, results=link.results
        )
        return in_context(core, statement, history.started_at)

    def run_parsed(statement: s.Statement, lookup: Lookup) -> Result:
        if isinstance(statement, s.ExecuteImmediate):
            if is_immediate:
                hint = "Execute the inner text itself."
                raise NotYet("EXECUTE IMMEDIATE executes no EXECUTE IMMEDIATE.", hint=hint)
            inner = Link(statement.text, statement.values or None)
            return run(core, inner, history, is_immediate=True)
        notices.extend(filter(None, [prepare(core, statement)]))
        with numbered(core, statement) as (filled, supplies):
            result = _run_with_fallback(core, filled, history, lookup)
            if isinstance(filled, s.Select) and supplies is not None:
                result.number_rows(supplies)
        if isinstance(statement, s.RowLevel) and statement.notice:
            notices.append(statement.notice)
        return result

    find_values = partial(find_pivot_values, core, now=history.started_at)
    result = run_analysed(core, link.text, parse, run_parsed, find_values)
    result.notice = " ".join([*notices, *filter(None, [result.notice])]) or None
    return result


def _run_with_fallback(
    core: Core,
    statement: s.Statement,
    history: History,
    lookup: Lookup,
    strategy: str | None = None,
) -> Result:
    """Run a statement; after a failure on a value, run again with the other way to read changes."""
    with core.statement(strategy, lookup) as run_core:
        try:
            result = _run(run_core, statement, replace(history, core=run_core))
        except (DataError, QueryError) as error:
            fallback = run_core.scope.fallback_strategy
            if not fallback:
                run_core.scope.locate(error)
                raise
            core.plans.forget()
        else:
            result.notice = " ".join(run_core.scope.notices.values()) or None
            return result
    return _run_with_fallback(core, statement, history, lookup, fallback)


def _run(core: Core, statement: s.Statement, history: History) -> Result:
    match statement:
        case s.Select():
            return _run_select(core, statement, history)
        case s.Insert():
            effects = _OVERWRITE_EFFECTS if statement.overwrite else _OVERWRITE_EFFECTS[:1]
            return _counts_result(core, history, insert(core, statement, history), effects)
        case s.InsertAll():
            effects = _OVERWRITE_EFFECTS if statement.overwrite else _OVERWRITE_EFFECTS[:1]
            return _counts_result(core, history, insert_all(core, statement, history), effects)
        case s.RowLevel():
            change = run_row_level(core, statement, history)
            return _counts_result(core, history, change, statement.effects)
        case s.CopyInto():
            return _run_copy(core, statement, history)
        case s.Unload():
            files, written = copy_into_location(core, statement, history)
            return _result(core, history, files, rowcount=written)
        case s.Truncate():
            return _run_truncate(core, statement, history)
        case s.Restore():
            return _sentence_result(core, history, restore_table(core, statement, history))
        case s.Optimize():
            return _run_optimize(core, statement, history)
        case _:
            return _run_other(core, statement, history)


def _run_copy(core: Core, statement: s.CopyInto, history: History) -> Result:
    if statement.validation_mode is not None:
        return _recorded_result(core, history, validate_copy(core, statement))
    files, loaded = copy_into_table(core, statement, history)
    return _result(core, history, files, rowcount=loaded)


def _run_other(core: Core, statement: s.Statement, history: History) -> Result:
    if isinstance(statement, s.CreateClone) and statement.kind.value not in KINDS:
        return _result(core, history, clone_container(core, statement, history))
    word = _run_definition(core, statement, history)
    if word is not None:
        return _sentence_result(core, history, word)
    register = _REGISTERS.get(type(statement))
    if register is not None:
        return _result(core, history, register(core, statement, history))
    change = _OF_SESSION.get(type(statement))
    if change is not None:
        return _recorded_result(core, history, _sentence_rows(change(core, statement)))
    return _run_read(core, statement, history)


def _run_definition(core: Core, statement: s.Statement, history: History) -> str | None:
    """Run a statement that defines an object.

    Return a sentence, or None for a different statement.
    """
    match statement:
        case s.CreateContainer():
            return create_container(core, statement, history)
        case s.AlterContainer():
            return alter_container(core, statement, history)
        case s.CreateClone(kind=s.ObjectKind.TASK):
            return clone_task(core, statement, history)
        case s.Drop(kind=s.ObjectKind.TASK):
            return drop_task(core, statement, history)
        case s.Undrop(kind=s.ObjectKind.TASK):
            return undrop_task(core, statement, history)
        case s.Drop(kind=kind) if kind.value not in KINDS:
            return drop(core, statement, history)
        case s.Undrop(kind=kind) if kind.value not in KINDS:
            return undrop(core, statement, history)
    run_definition = _DEFINITIONS.get(type(statement))
    return None if run_definition is None else run_definition(core, statement, history)


def _run_read(core: Core, statement: Any, history: History) -> Result:
    read = _READS.get(type(statement))
    if read is not None:
        return _recorded_result(core, history, read(core, statement))
    match statement:
        case s.ShowChangeSupport():
            return _recorded_result(core, history, show_change_support(core, statement.name))
        case s.Ask():
            answer = (
                ask(core, statement.function, statement.argument)
                if statement.kind is None
                else find_definition(core, statement.kind, statement.argument or "")
            )
            return _recorded_result(core, history, LocalRows((statement.column,), ((answer,),)))
        case s.SetReturnValue():
            return _run_return_value(core, statement, history)
        case s.SetVariables():
            return _run_set(core, statement, history)
        case _:
            assert_never(statement)


def _run_select(core: Core, statement: s.Select, history: History) -> Result:
    """Plan a query and return its result; the query runs when its rows are asked for."""
    bound = bind_query(core, statement.query)
    query = frame(core, bound)
    note = QueryNote(history, bound.state.moment.commit_number)
    note.note_planned()

    def run_again(strategy: str) -> tuple[DataFrame, Fallback | None]:
        core.plans.forget()
        with core.statement(strategy) as other_core:
            other = bind_query(other_core, statement.query, bound.state)
            bound.resources.adopt(other.resources)
            return frame(other_core, other), fallback_of(other_core.scope)

    def fallback_of(scope: StatementScope) -> Fallback | None:
        if not scope.fallback_strategy:
            return None
        return Fallback(partial(run_again, scope.fallback_strategy), once=scope.disable_aqe)

    fallback = fallback_of(core.scope)
    result = _result(
        core, history, query, on_done=bound.resources.release, fallback=fallback, note=note
    )
    result.locate_errors(core.scope.locate)
    result.check_files(bound.resources.validate_read)
    return result


def _run_return_value(core: Core, statement: s.SetReturnValue, history: History) -> Result:
    """Compute the return value of the running task, and set it."""
    running = require_running_task(core.settings, SET_RETURN_VALUE)
    with _run_select(core, s.Select(statement.query), history) as result:
        [(value,)] = result.fetchall()
    answer = set_return_value(running, value)
    return _result(core, history, LocalRows((statement.column,), ((answer,),)))


def _run_set(core: Core, statement: s.SetVariables, history: History) -> Result:
    """Compute the values of session variables, and keep them."""
    with _run_select(core, s.Select(statement.query), history) as result:
        value = set_variables(core, statement, result, history.started_at)
    if statement.column is None:
        return _sentence_result(core, history, "Statement executed successfully.")
    return _result(core, history, LocalRows((statement.column,), ((value,),)))


def _counts_result(
    core: Core, history: History, change: RowCounts, effects: Sequence[s.Effect]
) -> Result:
    counts = {
        s.Effect.INSERTED: change.inserted,
        s.Effect.UPDATED: change.updated,
        s.Effect.DELETED: change.deleted,
    }
    names = tuple(f"number of rows {effect.value}" for effect in effects)
    row = tuple(counts[effect] for effect in effects)
    return _result(core, history, LocalRows(names, (row,)), rowcount=change.total)


def _run_truncate(core: Core, statement: s.Truncate, history: History) -> Result:
    full = core.full(statement.name)
    if statement.if_exists and not core.find([full]).tables:
        return _recorded_result(
            core, history, _sentence_rows(f"Table {str(full)!r} does not exist; nothing to do.")
        )
    change = truncate(core, statement.name, history)
    return _counts_result(core, history, change, (s.Effect.DELETED,))


def _run_optimize(core: Core, statement: s.Optimize, history: History) -> Result:
    counts = optimize(core, statement.name, history)
    rows = LocalRows(("files rewritten", "files written"), (counts,))
    return _result(core, history, rows, rowcount=0)


def _sentence_result(core: Core, history: History, word: str) -> Result:
    return _result(core, history, _sentence_rows(word))


def _sentence_rows(word: str) -> LocalRows:
    return LocalRows(("status",), ((word,),))


def _recorded_result(core: Core, history: History, rows: LocalRows) -> Result:
    core.record(history.record("succeeded"))
    return _result(core, history, rows)


def _result(
    core: Core,
    history: History,
    source: DataFrame | LocalRows,
    *,
    rowcount: int | None = None,
    **more: Any,
) -> Result:
    result = Result(source, statement_id=history.statement_id, jobs=core.jobs, **more)
    result.rowcount, result.zone = rowcount, core.settings.timezone
    core.results.add(result)
    return result
