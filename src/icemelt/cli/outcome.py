"""The outcome of a statement on the command line: rows and time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from icemelt.cli.script import first_word

if TYPE_CHECKING:
    from icemelt.session import Session

__all__ = ["Outcome", "is_definition", "run"]

_QUERIES = {"SELECT", "WITH", "VALUES", "("}
_DEFINITIONS = {"CREATE", "DROP", "UNDROP", "ALTER", "USE"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows of a statement, and how long they took.

    Args:
        columns: the columns' names.
        rows: the rows' values.
        seconds: how long the statement and the fetch took.
        rowcount: the number of rows changed, None for a query.
        word: a sentence on what the statement did, None for a statement with rows.
        more: whether there are further rows.
        notice: a further effect of the statement, such as a commit of the open transaction.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    seconds: float
    rowcount: int | None = None
    word: str | None = None
    more: bool = False
    notice: str | None = None


def run(session: Session, text: str, limit: int | None) -> Outcome:
    """Run a statement and fetch the rows.

    Args:
        session: the session.
        text: the statement.
        limit: the greatest number of rows fetched of a query, None for all.

    Raises:
        IcemeltError: the statement was refused, failed or was cancelled.
    """
    begin = time.perf_counter()
    result = session.sql(text)
    is_query = first_word(text) in _QUERIES and result.rowcount is None
    if is_query and limit is not None:
        rows = result.head(limit + 1)
        result.close()
    else:
        rows = result.fetchall()
    seconds = time.perf_counter() - begin
    word = None if is_query else _word(result.columns, rows)
    if limit is None or len(rows) <= limit:
        return Outcome(result.columns, rows, seconds, result.rowcount, word, notice=result.notice)
    return Outcome(
        result.columns,
        rows[:limit],
        seconds,
        result.rowcount,
        word,
        more=True,
        notice=result.notice,
    )


def is_definition(text: str) -> bool:
    """Return whether a statement may change the set of names.

    >>> is_definition("/* new */ create table t (id int)"), is_definition("SELECT 1")
    (True, False)
    """
    return first_word(text) in _DEFINITIONS


def _word(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str | None:
    """Return the sentence for a statement's single row; None for rows of data.

    >>> _word(("number of rows inserted", "number of rows deleted"), [(2, 1)])
    '2 rows inserted, 1 row deleted.'
    """
    if len(rows) != 1:
        return None
    if columns == ("status",):
        return str(rows[0][0])
    prefix = "number of rows "
    if not all(column.startswith(prefix) for column in columns):
        return None
    counts = zip(columns, rows[0], strict=True)
    parts = [
        f"{'?' if count is None else f'{count:,}'} row{'' if count == 1 else 's'} "
        f"{column.removeprefix(prefix)}"
        for column, count in counts
    ]
    return ", ".join(parts) + "."
