"""Evaluates expressions: a small fixed set, written as Spark would.

A column, a number, NULL, `false`, `(…)`, `-#0`, `#0 + #1`, one of `> < = <> <=>`, `if(#0, #1, #2)`,
`#0 IS NOT NULL`, `CAST(#0 AS BIGINT)`, `#0 & #1`, `… AND …`, `coalesce(#0, #1)`, and the aggregates
`sum(#0)`, `count(#0)`, `count(1)`, `max(#0)` and `bit_or(#0)`, each with a FILTER if it has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from icemelt.algebra.expressions import Expression

Row = tuple[Any, ...]
_Evaluate = Callable[[Row], Any]
_AGGREGATE = re.compile(r"(sum|count|max|bit_or)\((.*?)\)(?: FILTER \(WHERE (.*)\))?")
_TOKEN = re.compile(
    r"#\d+|-?\d+|NULL|false|IS NOT NULL|AND|if\(|coalesce\(|CAST\(|AS BIGINT|<=>|<>|[()+\-<>=,&]"
)
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "&": lambda a, b: a & b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
}


def value(expression: Expression, row: Row) -> Any:
    """Return an expression's value; NULL in, NULL out, but for `<=>` and `IS NOT NULL`."""
    number = expression.as_column
    return row[number] if number is not None else _read(expression)(row)


@lru_cache(maxsize=4096)
def function(written: str) -> tuple[str, _Evaluate]:
    """Return the name of an aggregate and what it is of."""
    found = _AGGREGATE.fullmatch(written)
    if found is None:
        raise AssertionError(written)
    argument = _parsed(found[2])
    if found[3] is None:
        return found[1], argument
    condition = _parsed(found[3])
    return found[1], lambda row: argument(row) if condition(row) is True else None


@lru_cache(maxsize=4096)
def _read(expression: Expression) -> _Evaluate:
    return _parsed(str(expression))


def _parsed(written: str) -> _Evaluate:
    tokens = _TOKEN.findall(written)
    if "".join(tokens).replace(" ", "") != written.replace(" ", ""):
        raise AssertionError(written)
    found = _all(tokens)
    if tokens:
        raise AssertionError(written)
    return found


def _all(tokens: list[str]) -> _Evaluate:
    """Read comparisons with AND between them."""
    found = _compared(tokens)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        found = _both(found, _compared(tokens))
    return found


def _both(one: _Evaluate, other: _Evaluate) -> _Evaluate:
    return lambda row: one(row) is True and other(row) is True


def _compared(tokens: list[str]) -> _Evaluate:
    """Read a comparison: sums with one sign at most between them."""
    left = _summed(tokens)
    if tokens and tokens[0] == "IS NOT NULL":
        tokens.pop(0)
        return lambda row: left(row) is not None
    if tokens and tokens[0] in {">", "<", "=", "<>", "<=>"}:
        sign = tokens.pop(0)
        return _binary(sign, left, _summed(tokens))
    return left


def _summed(tokens: list[str]) -> _Evaluate:
    found = _single(tokens)
    while tokens and tokens[0] in {"+", "&"}:
        found = _binary(tokens.pop(0), found, _single(tokens))
    return found


def _single(tokens: list[str]) -> _Evaluate:
    word = tokens.pop(0)
    if word == "(":
        return _up_to(")", tokens)
    if word == "-":
        negated = _single(tokens)
        return lambda row: None if (found := negated(row)) is None else -found
    if word == "if(":
        condition, yes, no = (_up_to(end, tokens) for end in (",", ",", ")"))
        return lambda row: yes(row) if condition(row) is True else no(row)
    if word == "coalesce(":
        first, second = (_up_to(end, tokens) for end in (",", ")"))
        return lambda row: second(row) if (found := first(row)) is None else found
    if word == "CAST(":
        cast = _up_to("AS BIGINT", tokens)
        tokens.pop(0)
        return cast
    if word.startswith("#"):
        number = int(word[1:])
        return lambda row: row[number]
    constant = {"NULL": None, "false": False}[word] if word in {"NULL", "false"} else int(word)
    return lambda _: constant


def _up_to(end: str, tokens: list[str]) -> _Evaluate:
    found = _all(tokens)
    if tokens.pop(0) != end:
        raise AssertionError(tokens)
    return found


def _binary(sign: str, left: _Evaluate, right: _Evaluate) -> _Evaluate:
    if sign == "<=>":
        return lambda row: left(row) == right(row)
    operation = _BINARY[sign]

    def evaluate(row: Row) -> Any:
        a, b = left(row), right(row)
        return None if a is None or b is None else operation(a, b)

    return evaluate
