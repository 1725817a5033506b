"""UNSUPPORTED: the parts of queries that have no changes, with code, reason and way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.errors import Never, NotYet, UnsupportedError

__all__ = ["SPARKS_VOLATILE", "UNSUPPORTED", "Unsupported", "unsupported_error"]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A part of a query whose changes icemelt does not compute.

    Attributes:
        part: the words for the part.
        reason: why the part has no changes.
        hint: what the user can write instead.
        never: whether no definition could give the part changes; else the part is not built yet.
    """

    part: str
    reason: str
    hint: str
    never: bool = False


UNSUPPORTED: Mapping[str, Unsupported] = {
    "limit": Unsupported(
        "LIMIT, TOP, FETCH and OFFSET without an ORDER BY that surely tells all rows apart",
        "which of equal rows they take is left open",
        "ORDER BY …, id, with all columns of a PRIMARY KEY … RELY or of GROUP BY behind; or number "
        "the rows: QUALIFY ROW_NUMBER() OVER (ORDER BY …) <= 10.",
    ),
    "sample": Unsupported(
        "SAMPLE",
        "it takes other rows each time",
        "Filter by a column, as in WHERE MOD(id, 10) = 0.",
        never=True,
    ),
    "volatile": Unsupported(
        "A function of the clock, of chance or of the session",
        "it gives another value each time, and no table changes by it",
        "Filter by CURRENT_DATE where the view is read; or store the value in a column of a table.",
        never=True,
    ),
    "function": Unsupported(
        "A function of the user's",
        "nothing says that it gives the same value each time",
        "Write it with functions of SQL, or store its value when the row is written.",
        never=True,
    ),
    "recursion": Unsupported(
        "WITH RECURSIVE", "a round may change all later ones", "Join the levels one by one."
    ),
    "lateral": Unsupported(
        "A LATERAL join from the right, by USING or NATURAL, or with a subquery in LEFT JOIN's ON "
        "or FLATTEN; a LEFT JOIN of FLATTEN with a condition",
        "Spark does not run it",
        "Write the condition into WHERE, and the subquery into one in FROM.",
    ),
    "unpivot": Unsupported(
        "UNPIVOT with several columns of values",
        "it is not built",
        "Write a SELECT for each row that is made of one, with UNION ALL.",
    ),
    "pivot": Unsupported(
        "PIVOT whose columns are not known before it is run",
        "each value that comes or goes would be another column",
        "List texts or whole numbers, and name each of several aggregates: "
        "PIVOT (SUM(v) AS total, COUNT(v) AS n FOR k IN ('a', 'b')).",
    ),
    "correlation": Unsupported(
        "A subquery that depends through WITH on a row further out than the one around it",
        "Spark does not run it",
        "Join the tables of the inner queries, and compare with the row around them.",
    ),
    "subquery-in-join": Unsupported(
        "In an outer join's ON, NOT IN, IN as a value, or a subquery of both sides; in an inner "
        "join's, IN as a value beside columns of both sides",
        "Spark tests the one without SQL's rules for NULL, and does not run the other",
        "Write NOT EXISTS, or put it into a subquery in FROM or into WHERE.",
    ),
    "values": Unsupported(
        "VALUES with a subquery in a row", "it is not built", "Write SELECT … UNION ALL SELECT …."
    ),
    "sequence": Unsupported(
        "The column SEQ of FLATTEN and SPLIT_TO_TABLE over rows of a table (`*` has it)",
        "the rows are numbered anew each time",
        "List the columns without SEQ; a key of the table brings the elements of a row together.",
        never=True,
    ),
    "generator": Unsupported(
        "TABLE(GENERATOR(…))", "it is not built", "Keep the numbers in a table."
    ),
}


# Spark's own functions whose values depend on when, where and for whom they are computed
SPARKS_VOLATILE = frozenset(
    {"current_catalog", "current_timezone", "curdate", "localtimestamp", "now", "unix_timestamp"}
    | {"input_file_block_length", "input_file_block_start", "input_file_name"}
    | {"java_method", "reflect", "try_reflect", "session_user", "user", "version"}
    | {"approx_top_k", "hll_sketch_agg", "sample", "spark_partition_id"}
)


def unsupported_error(code: str) -> UnsupportedError:
    """Return the error for a part of a query, by the part's code in `UNSUPPORTED`.

    >>> print(unsupported_error("sample"))
    SAMPLE has no change query (sample): it takes other rows each time.
    Hint: Filter by a column, as in WHERE MOD(id, 10) = 0.
    """
    unsupported = UNSUPPORTED[code]
    verb = (
        "has"
        if unsupported.part.split()[0] in {"A", "PIVOT", "SAMPLE", "The", "UNPIVOT", "WITH"}
        else "have"
    )
    kind = Never if unsupported.never else NotYet
    message = f"{unsupported.part} {verb} no change query ({code}): {unsupported.reason}."
    error = kind(message, hint=unsupported.hint)
    error.reason = code
    return error
