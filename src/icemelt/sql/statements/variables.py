"""Session variables: SET, UNSET, and the values that a session keeps for `$name`."""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.sql.statements.reads import Query

__all__ = ["SetVariables", "UnsetVariables", "Variable"]


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a session variable.

    Attributes:
        value: the value in Python, None for NULL.
        type: the type of the value, as DESCRIBE shows it: `BIGINT`, `NUMBER(10,2)`.
        created_at: when the variable was first set, in milliseconds since 1970.
        updated_at: when it was set last, in milliseconds since 1970.
    """

    value: object
    type: str
    created_at: int = 0
    updated_at: int = 0


@dataclass(frozen=True, slots=True)
class SetVariables:
    """`SET name = e`, `SET (a, b) = (e, f)`, or `SELECT SETVARIABLE('name', e)`.

    Attributes:
        names: the folded names of the variables.
        query: gives the values in one row, a column for each variable.
        column: the name of the answer's column, of SETVARIABLE alone.
    """

    names: tuple[str, ...]
    query: Query
    column: str | None = None


@dataclass(frozen=True, slots=True)
class UnsetVariables:
    """`UNSET name`, `UNSET (a, b)`; folded names."""

    names: tuple[str, ...]
