"""Tasks whose body is a function of Python: the statement that makes one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import Never, ParameterError
from icemelt.names import QualifiedName
from icemelt.quoting import is_plain_word
from icemelt.session.ddl.definitions import define_task
from icemelt.session.ddl.task_graphs import require_one_schema
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.python_tasks import TaskFunction
from icemelt.sql.analysis.system_calls import PYTHON_TASK
from icemelt.sql.dialect.written_names import full_name, written_name
from icemelt.sql.parse import parse_condition

__all__ = ["PythonTask", "write_python_task"]

_COMMENT, _FINALIZE = "COMMENT", "FINALIZE"


@dataclass(frozen=True, slots=True)
class PythonTask:
    """A task that `session.task` makes.

    Attributes:
        name: the name of the task, as written.
        function: the function of Python, which takes a session.
        after: the names of the predecessors, as written.
        condition: the text of WHEN, None without a condition.
        options: the values by the options' names in any case, as CREATE TASK has them; COMMENT and
            FINALIZE are among them, and None is an option that the task does not have.
    """

    name: str
    function: TaskFunction
    after: str | Sequence[str] = ()
    condition: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)


def write_python_task(core: Core, wanted: PythonTask) -> tuple[QualifiedName, str]:
    """Return the full name of a task, and the statement that makes or alters the task.

    Args:
        core: the session's parts.
        wanted: the task.

    Raises:
        Never: a client of a server asks.
        ParameterError: there is no function, or an option has no name of an option.
        DefinitionRefused: a predecessor is in another schema, or the condition is none.
        ObjectNotFound: the schema does not exist.
    """
    if core.is_guest:
        raise Never(
            "A client of the server has no task that runs a function of Python.",
            hint="CREATE TASK … AS BEGIN …; END",
        )
    if not callable(wanted.function):
        raise ParameterError(
            f"A task runs a function of Python, found {type(wanted.function).__name__}.",
            hint="session.task(name, function): the function takes a session.",
        )
    if wanted.condition is not None:
        parse_condition(wanted.condition)
    _, place = core.place_of(core.full(written_name(wanted.name)).in_space_of(TaskRecord.kind))
    after = (wanted.after,) if isinstance(wanted.after, str) else tuple(wanted.after)
    options = _texts(wanted.options)
    comment, root = options.pop(_COMMENT, None), options.pop(_FINALIZE, None)
    finalized = () if root is None else (written_name(root),)
    task = TaskRecord(
        "",
        place,
        core.user,
        comment,
        0,
        _write_body(place),
        options,
        require_one_schema(place, tuple(map(written_name, after))),
        next(iter(require_one_schema(place, finalized)), None),
        wanted.condition,
    )
    return place, define_task(task, "CREATE OR ALTER")


def _write_body(place: QualifiedName) -> str:
    name = full_name(place).replace("\\", "\\\\").replace("'", "''")
    return f"CALL {PYTHON_TASK}('{name}')"


def _texts(options: Mapping[str, object]) -> dict[str, str]:
    """Return the options that are given, as text by upper-case name; a mapping is a JSON object."""
    for name in options:
        if not is_plain_word(name):
            raise ParameterError(
                f"{name!r} is no option of a task.", hint="session.task(…, comment='…')"
            )
    return {
        name.upper(): json.dumps(value) if isinstance(value, Mapping) else str(value)
        for name, value in options.items()
        if value is not None
    }
