"""Find the record for which a cast of a query over files has failed, by the probe of the query."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from icemelt.errors import IcemeltError, ValueRefused
from icemelt.quoting import quote, text_literal
from icemelt.sql.analysis.failing_casts import CAST_PREFIX

__all__ = ["FailingRecord", "find_failing_record"]

# errors show no more characters of a value
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class FailingRecord:
    """The file of a record, as the probe names it, and the number of the record in it."""

    file: str
    number: int


def find_failing_record(
    rows: DataFrame, file: str, number: str, error: IcemeltError
) -> FailingRecord | None:
    """Return the first record whose text an error tells of, None where there is none.

    A cast that a CASE has not reached may fail in the probe alone: the text has to be the error's.

    Args:
        rows: the rows of the probe.
        file: the SQL of a row's file.
        number: the SQL of a row's number.
        error: the error of the statement.
    """
    casts = [name for name in rows.columns if name.startswith(CAST_PREFIX)]
    if not isinstance(error, ValueRefused) or not casts:
        return None
    said = text_literal(error.message)
    is_told = " OR ".join(
        f"contains({said}, concat(chr(39), left({quote(cast)}, {_SHOWN}), chr(39)))"
        for cast in casts
    )
    placed = rows.selectExpr(f"{is_told} AS is_told", f"{file} AS file", f"{number} AS number")
    found = placed.where("is_told").orderBy("file", "number").select("file", "number").first()
    return None if found is None else FailingRecord(found[0], found[1])
