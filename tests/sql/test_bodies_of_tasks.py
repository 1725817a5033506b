"""Bodies of tasks: what of a body is parsed when the task is made."""

from __future__ import annotations

import pytest

from icemelt.errors import SqlSyntaxError
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import CreateTask


def test_the_body_of_a_task_that_a_task_makes_is_parsed_when_the_task_runs() -> None:
    levels = 1_000  # if each level parsed those within it, Python's stack would end
    statement = parse_statement("CREATE TASK t AS " * levels + "no statement")
    assert isinstance(statement, CreateTask)
    [inner] = statement.body.statements
    assert inner.text.count("CREATE TASK") == levels - 1


def test_a_task_that_a_task_makes_has_options_that_parse() -> None:
    with pytest.raises(SqlSyntaxError, match="SCHEDUEL"):
        parse_statement("CREATE TASK t AS CREATE TASK u SCHEDUEL = '1 HOUR' AS SELECT 1")
