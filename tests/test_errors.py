"""Every error has a code, a number and an SQLSTATE, and the reference tells them as they are."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import icemelt.ingest.errors
import icemelt.server.failures
import icemelt.server.run
import icemelt.session.tasks.python_bodies  # noqa: F401 - all that define errors
from icemelt.errors import IcemeltError

_PAGE = Path(__file__).parents[1] / "docs" / "reference" / "errors.md"
_ROW = re.compile(r"^\| `([a-z-]+)` \| (\d+) \| `([0-9A-Z]{5})` \| `(\w+)` \|", re.MULTILINE)
# numbers of errors that there are no more, with their codes: none is given again
RETIRED: dict[int, str] = {}


def kinds() -> list[type[IcemeltError]]:
    found: list[type[IcemeltError]] = [IcemeltError]
    for kind in found:
        found += kind.__subclasses__()
    return [kind for kind in found if kind.__module__.startswith("icemelt.")]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_an_error_has_a_code_a_number_and_an_sqlstate_of_its_own(kind: type[IcemeltError]) -> None:
    own = vars(kind)
    assert {"code", "errno", "sqlstate"} <= set(own), f"{kind.__name__} has its parent's"
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code)
    assert re.fullmatch(r"[0-9A-Z]{5}", kind.sqlstate)
    # the classes of success and of warnings
    assert kind.sqlstate[:2] not in {"00", "01"}
    assert kind.errno > 0
    assert kind.errno not in RETIRED


def test_no_two_errors_have_one_code_or_one_number() -> None:
    for found in (Counter(kind.code for kind in kinds()), Counter(kind.errno for kind in kinds())):
        assert [each for each, times in found.items() if times > 1] == []


def test_numbers_are_grouped_by_families() -> None:
    for kind in kinds():
        parent = kind.__base__
        if parent is not None and parent not in (IcemeltError, Exception):
            assert kind.errno // 100 == parent.errno // 100, kind.__name__


def test_the_reference_tells_each_error_as_it_is() -> None:
    """The page is what programs rely on: a number that is there is not changed, but retired."""
    told = _ROW.findall(_PAGE.read_text(encoding="utf-8"))
    there = [(kind.code, str(kind.errno), kind.sqlstate, kind.__name__) for kind in kinds()]
    lines = [f"| `{c}` | {n} | `{s}` | `{k}` |" for c, n, s, k in set(there) - set(told)]
    assert not lines, "\n".join(["docs/reference/errors.md lacks", *lines])
    assert set(told) - set(there) == set()
    assert [int(number) for _, number, _, _ in told] == sorted(int(n) for _, n, _, _ in told)


def test_an_error_of_a_value_has_the_sqlstate_of_its_reason() -> None:
    error = IcemeltError("Division by zero.", hint="").with_sqlstate("22012")
    assert (error.sqlstate, IcemeltError.sqlstate) == ("22012", "HY000")
    assert error.told() == {
        "code": "error",
        "errno": 1,
        "sqlstate": "22012",
        "message": "Division by zero.",
        "hint": "",
    }
