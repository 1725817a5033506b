"""The functions of Python that are the bodies of tasks, in the process that has them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from icemelt.catalog.database import Database
from icemelt.names import QualifiedName

__all__ = ["TaskFunction", "find_function", "register_function"]

# takes the session in which the task runs; what it returns is ignored
TaskFunction = Callable[[Any], object]

# A function belongs to the process in which it was defined, and so does this state: the sessions of
# a process have nothing else in common, and a scheduler is a session of its own.
_LOCK = threading.Lock()
_FUNCTIONS: dict[tuple[str, ...], TaskFunction] = {}


def register_function(database: Database, task: QualifiedName, function: TaskFunction) -> None:
    """Let a task of a lake run a function in this process; a later one replaces an earlier one.

    Args:
        database: the catalog's database of the lake.
        task: the full name of the task.
        function: takes a session.
    """
    with _LOCK:
        _FUNCTIONS[_key(database, task)] = function


def find_function(database: Database, task: QualifiedName) -> TaskFunction | None:
    """Return the function of a task of a lake; None where this process has none.

    Args:
        database: the catalog's database of the lake.
        task: the full name of the task.
    """
    with _LOCK:
        return _FUNCTIONS.get(_key(database, task))


def _key(database: Database, task: QualifiedName) -> tuple[str, ...]:
    folded = task.folded
    return database.lake_id, folded.database, folded.schema, folded.name
