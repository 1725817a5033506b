"""A call with arguments of any number and kind is translated, or refused in icemelt's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from sqlglot import exp

from icemelt.errors import IcemeltError
from icemelt.names import ObjectName
from icemelt.schema import DataType, DecimalType, ListType, Primitive
from icemelt.sql.parse import parse_statement
from icemelt.sql.spark.functions import FUNCTIONS

pytestmark = pytest.mark.turns(4)

COLUMNS: Mapping[str, DataType] = {
    "n": Primitive("long"),
    "d": DecimalType(10, 2),
    "v": Primitive("string"),
    "b": Primitive("binary"),
    "j": Primitive("variant"),
    "a": ListType(Primitive("long")),
    "day": Primitive("date"),
    "ts": Primitive("timestamp"),
}
# sqlglot has nodes of their own for many, which the table then never sees
KNOWN = sorted({*FUNCTIONS, *(name.upper() for name in exp.FUNCTION_BY_NAME)})
ARGUMENTS = (
    *COLUMNS,
    "1",
    "-1.5",
    "'x'",
    "NULL",
    "TRUE",
    "X'00'",
    "''",
    "*",
    "(SELECT 1)",
    "x -> x",
)
MOST = 8


def calls(name: str) -> Iterator[str]:
    yield f"{name}()"
    for argument in ARGUMENTS:
        yield from (f"{name}({', '.join([argument] * count)})" for count in (1, 2, 4))
    for count in range(1, MOST):
        mixed = ", ".join((*COLUMNS, *COLUMNS)[count : 2 * count])
        literals = ", ".join((*ARGUMENTS[9:], *ARGUMENTS[8:])[count : 2 * count])
        yield from (f"{name}({mixed})", f"{name}({literals})", f"{name}(n, {literals})")
        yield from (f"{name}(DISTINCT {mixed})", f"{name}(v, {literals}) OVER (ORDER BY n)")
    yield from (f"{name}() OVER ()", f"{name}(n => 1)", f"{name}(n) WITHIN GROUP (ORDER BY v)")
    yield from (name, f"{name} OVER ()", f"{name}(n) FILTER (WHERE n > 1)", f"{name}(n ORDER BY v)")


@pytest.mark.parametrize("name", KNOWN)
def test_a_call_is_translated_or_refused(name: str) -> None:
    for number, call in enumerate(calls(name)):
        query = f"SELECT {call} FROM t"
        try:
            parse_statement(query, None, _columns if number % 2 else _no_columns)
        except IcemeltError:
            continue
        except Exception as error:
            raise AssertionError(query) from error


def _columns(_: ObjectName) -> Mapping[str, DataType] | None:
    return COLUMNS


def _no_columns(_: ObjectName) -> Mapping[str, DataType] | None:
    return None
