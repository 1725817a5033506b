"""Tasks: CREATE and ALTER TASK."""

from __future__ import annotations

from dataclasses import dataclass, field

from icemelt.errors import DefinitionRefused, Never, NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.dialect.written_names import write_name, written_name
from icemelt.sql.grammar.clones import read_clone
from icemelt.sql.grammar.immediate import read_execute_immediate
from icemelt.sql.grammar.kept_texts import refuse_given_values
from icemelt.sql.grammar.options import read_choice, read_flag, read_option_names, read_value
from icemelt.sql.grammar.refusals import refuse_statement
from icemelt.sql.grammar.task_bodies import read_body
from icemelt.sql.grammar.task_conditions import lower_condition
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AddPredecessors,
    AlterTask,
    CreateClone,
    CreateTask,
    ExecuteImmediate,
    ExecuteTask,
    Existing,
    ModifyBody,
    ModifyCondition,
    ObjectKind,
    RemovePredecessors,
    ResumeTask,
    SetFinalize,
    SetTask,
    SuspendTask,
    TaskAction,
    UnsetTask,
)
from icemelt.tasks.states import OverlapPolicy

__all__ = ["read_alter_task", "read_create_task", "read_execute"]

_NUMBERS = (
    "SUSPEND_TASK_AFTER_NUM_FAILURES",
    "TASK_AUTO_RETRY_ATTEMPTS",
    "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS",
    "USER_TASK_TIMEOUT_MS",
)
_WEBHOOKS = ("ERROR_INTEGRATION", "SUCCESS_INTEGRATION")
_TEXTS = ("CONFIG", "ERROR_INTEGRATION", "SCHEDULE", "SUCCESS_INTEGRATION")
_OVERLAP, _OVERLAPS = "OVERLAP_POLICY", "ALLOW_OVERLAPPING_EXECUTION"
_POLICIES = tuple(policy.value for policy in OverlapPolicy)
# read, shown and not heeded: there are no warehouses
_COMPUTE = (
    "SERVERLESS_TASK_MAX_STATEMENT_SIZE",
    "SERVERLESS_TASK_MIN_STATEMENT_SIZE",
    "TARGET_COMPLETION_INTERVAL",
    "USER_TASK_MANAGED_INITIAL_WAREHOUSE_SIZE",
    "WAREHOUSE",
)
_PARAMETERS = ("LEARN_COSTS", "LOCK_TIMEOUT", "MERGE_STRATEGY", "TIMEZONE", "VIEW_CHANGES")
_OPTIONS = (*_NUMBERS, *_TEXTS, _OVERLAP, _OVERLAPS, *_COMPUTE, *_PARAMETERS, "COMMENT")
_CLAUSES = ("AFTER", "AS", "FINALIZE", "WHEN")
_ACTIONS = ("RESUME", "SUSPEND", "ADD", "REMOVE", "SET", "UNSET", "MODIFY")


@dataclass(slots=True)
class _Options:
    """The options of a CREATE or of a SET; the comment is None where none is written."""

    values: dict[str, str] = field(default_factory=dict)
    comment: str | None = None


def read_create_task(reader: StatementReader, existing: Existing) -> CreateTask | CreateClone:
    """Read the rest of `CREATE [OR REPLACE | OR ALTER] TASK [IF NOT EXISTS]`."""
    name = reader.read_object_name("task")
    if reader.is_at("CLONE"):
        return read_clone(reader, ObjectKind.TASK, name, existing)
    options = _Options()
    after: tuple[ObjectName, ...] = ()
    finalizes = condition = None
    while not reader.is_at_end and not reader.is_at("AS"):
        if reader.take(","):
            continue
        if reader.take("AFTER"):
            after = _read_tasks(reader)
        elif reader.take("FINALIZE"):
            reader.need("=")
            finalizes = _read_task(reader)
        elif reader.take("WHEN"):
            condition = _read_condition(reader)
        else:
            _read_option(reader, options)
    body = read_body(reader, f"CREATE TASK {write_name(name)} … AS INSERT INTO …")
    return CreateTask(
        name, body, options.values, options.comment, after, finalizes, condition, existing
    )


def read_alter_task(reader: StatementReader) -> AlterTask:
    """Read the rest of `ALTER TASK`: `[IF EXISTS] name action`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("task")
    if reader.is_at("RENAME"):
        written = write_name(name)
        hint = f"CREATE TASK another_name CLONE {written}, then DROP TASK {written}."
        raise NotYet("A task is not renamed.", hint=hint)
    if reader.is_at("SET", "AFTER"):
        reader.skip()
        hint = f"ALTER TASK {write_name(name)} ADD AFTER …"
        reader.fail("AFTER is no option that is set.", hint=hint)
    return AlterTask(name, _read_action(reader), if_exists)


def read_execute(reader: StatementReader) -> ExecuteTask | ExecuteImmediate:
    """Read `EXECUTE TASK name [USING CONFIG = 'json' | RETRY LAST]`, or `EXECUTE IMMEDIATE …`."""
    start = reader.mark()
    reader.need("EXECUTE")
    if reader.take("IMMEDIATE"):
        return read_execute_immediate(reader)
    if not reader.take("TASK"):
        reader.back(start)
        refuse_statement(reader)
    name = reader.read_object_name("task")
    if reader.take("RETRY", "LAST"):
        return ExecuteTask(name, is_retry=True)
    if reader.is_at("RETRY"):
        raise NotYet(
            "Only the last run of a graph is tried again.",
            hint=f"EXECUTE TASK {write_name(name)} RETRY LAST",
        )
    config = None
    if reader.take("USING"):
        reader.need("CONFIG")
        reader.need("=")
        config = reader.read_string("the value of CONFIG")
    if reader.is_at("AWAIT"):
        raise NotYet(
            "EXECUTE TASK does not wait for the run.",
            hint="Leave AWAIT out, and ask TABLE(INFORMATION_SCHEMA.TASK_HISTORY("
            f"TASK_NAME => '{name.last}')) for the state.",
        )
    return ExecuteTask(name, config)


def _read_action(reader: StatementReader) -> TaskAction:
    match reader.need_one(*_ACTIONS):
        case "RESUME":
            return ResumeTask()
        case "SUSPEND":
            return SuspendTask()
        case "ADD":
            reader.need("AFTER")
            return AddPredecessors(_read_tasks(reader))
        case "REMOVE":
            if reader.need_one("AFTER", "WHEN") == "WHEN":
                return ModifyCondition(None)
            return RemovePredecessors(_read_tasks(reader))
        case "MODIFY":
            if reader.is_at("AS"):
                return ModifyBody(read_body(reader, "MODIFY AS INSERT INTO …"))
            reader.need("WHEN")
            return ModifyCondition(_read_condition(reader))
        case "SET":
            return _read_set(reader)
        case _:
            return _read_unset(reader)


def _read_set(reader: StatementReader) -> SetTask | SetFinalize:
    if reader.take("FINALIZE"):
        reader.need("=")
        return SetFinalize(_read_task(reader))
    options = _Options()
    while not reader.is_at_end:
        if not reader.take(","):
            _read_option(reader, options)
    if not options.values and options.comment is None:
        hint = "SET SCHEDULE = '1 HOUR', or SET COMMENT = '…'"
        reader.fail("Expected an option, found the end.", hint=hint)
    return SetTask(options.values, options.comment)


def _read_unset(reader: StatementReader) -> UnsetTask | SetFinalize:
    if reader.take("FINALIZE"):
        return SetFinalize(None)
    names = read_option_names(reader)
    for name in names:
        if name not in _OPTIONS:
            raise DefinitionRefused(
                f"A task has no option {name} to unset.", hint=_guess_option(name)
            )
    return UnsetTask(tuple(_OVERLAP if name == _OVERLAPS else name for name in names))


def _read_option(reader: StatementReader, options: _Options) -> None:
    """Read `NAME = value` into the options."""
    word = reader.word
    if reader.is_at("WITH", "TAG") or word == "TAG":
        raise Never("Tags are not supported.", hint="COMMENT = '…' keeps a note.")
    if reader.is_at("COPY", "GRANTS"):
        raise NotYet("There are no grants to copy.", hint="Leave COPY GRANTS out.")
    if word not in _OPTIONS:
        reader.fail(f"A task has no option {reader.next_text} here.", hint=_guess_option(word))
    key = _OVERLAP if word == _OVERLAPS else word
    if key in options.values or (key == "COMMENT" and options.comment is not None):
        reader.fail(f"{key} is there twice.", hint="Write it once.")
    reader.skip()
    reader.need("=")
    if word == "COMMENT":
        options.comment = reader.read_comment()
    else:
        options.values[key] = _read_option_value(reader, word)


def _guess_option(word: str) -> str:
    guess = find_nearest(word, (*_OPTIONS, *_CLAUSES)) if word else None
    return f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."


def _read_option_value(reader: StatementReader, word: str) -> str:
    if word in _NUMBERS:
        return str(reader.read_integer(f"the value of {word}"))
    if word in _TEXTS:
        if word in _WEBHOOKS and not reader.is_at_string():
            raise reader.error(
                f"{word} is the URL of a webhook as a string, found {reader.next_text}.",
                hint=f"{word} = 'https://…'",
            )
        return reader.read_string(f"the value of {word}")
    if word == _OVERLAP:
        return read_choice(reader, word, _POLICIES)
    if word == _OVERLAPS:
        # Snowflake, "New OVERLAP_POLICY parameter for task graphs"
        is_child = read_flag(reader, word)
        return (OverlapPolicy.ALLOW_CHILD_OVERLAP if is_child else OverlapPolicy.NO_OVERLAP).value
    if word in _COMPUTE and not reader.is_at_string():
        return reader.read_name("name")
    return read_value(reader, word)


def _read_tasks(reader: StatementReader) -> tuple[ObjectName, ...]:
    return tuple(reader.read_list(lambda: _read_task(reader)))


def _read_task(reader: StatementReader) -> ObjectName:
    """Read the name of a task, which may be in quotes as a text."""
    if reader.is_at_string():
        return written_name(reader.read_string("the task"))
    return reader.read_object_name("task")


def _read_condition(reader: StatementReader) -> str:
    """Read the condition after WHEN; return its text.

    Raises:
        DefinitionRefused: the condition has a placeholder, a query, a column or an aggregate.
        NotYet: the condition cannot be evaluated without Spark.
    """
    start = reader.mark()
    condition = reader.read_expression("the condition")
    tokens = reader.tokens_since(start)
    refuse_given_values(reader, tokens, "The condition of a task")
    text = reader.text[tokens[0].start : tokens[-1].end + 1]
    lower_condition(condition, text)
    return text
