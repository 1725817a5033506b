"""QUERY_HISTORY: the statements of the history that the session may see, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.queries.query_history import WantedStatements, find_ended_statements
from icemelt.engine.resources import StatementResources
from icemelt.errors import NotYet
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.information_columns import QUERY_HISTORY, columns_of_relation
from icemelt.session.runtime.local_relation import local_relation
from icemelt.session.timeline.constants import evaluate_text, evaluate_time
from icemelt.sql.statements import Point, StatementFilter
from icemelt.times import as_datetime

__all__ = ["history_relation"]

# the texts of a result, in characters: each holds memory of Python's and of Spark's
_MOST_CHARACTERS = 32 << 20


def history_relation(core: Core, statements: StatementFilter, resources: StatementResources) -> str:
    """Return the relation of the statements that QUERY_HISTORY returns.

    A server's client sees the statements of its own key, and no others.

    Args:
        core: the session's parts.
        statements: which statements.
        resources: gain the relation's view.

    Raises:
        NotYet: the texts of the statements are too long for one result.
    """
    rows = [_row(record) for record in _find(core, statements)]
    return local_relation(resources, columns_of_relation(QUERY_HISTORY), rows)


def _find(core: Core, statements: StatementFilter) -> Iterator[StatementRecord]:
    def time(point: Point | None, argument: str) -> int | None:
        return None if point is None else evaluate_time(core, point.expression, argument)

    def text(expression: str | None, argument: str) -> str | None:
        return None if expression is None else evaluate_text(core, expression, argument)

    wanted = WantedStatements(
        statements.limit,
        time(statements.start, "END_TIME_RANGE_START"),
        time(statements.end, "END_TIME_RANGE_END"),
        session_id=text(statements.session, "SESSION_ID"),
        user=text(statements.user, "USER_NAME"),
        key_id=core.key_id if core.is_guest else None,
    )
    if core.is_guest and core.key_id is None:
        # nobody else is known to be the same client
        wanted = replace(wanted, session_id=core.session_id)
    left = _MOST_CHARACTERS
    with core.database.read() as connection:
        for record in find_ended_statements(connection, wanted):
            left -= len(record.text) + len(record.error_message or "")
            if left < 0:
                raise NotYet(
                    f"The texts of these statements have more than {_MOST_CHARACTERS >> 20} "
                    "million characters, as many as a result may have.",
                    hint="Ask for fewer: RESULT_LIMIT => 100, END_TIME_RANGE_START => '2024-05-01'",
                )
            yield record


def _row(record: StatementRecord) -> tuple[Any, ...]:
    has_failed = record.status in {"failed", "cancelled"}
    return (
        record.statement_id,
        record.text,
        record.database_name,
        record.schema_name,
        record.kind,
        record.session_id,
        record.user,
        "FAILED_WITH_ERROR" if has_failed else "SUCCESS",
        record.error_code,
        record.error_message,
        as_datetime(record.started_at),
        as_datetime(record.ended_at),
        record.ended_at - record.started_at,
        record.transaction_id,
        record.status,
        record.rowcount,
        record.commit_number,
        record.files_skipped,
    )
