"""SHOW PARAMETERS: the parameters of the session, with their values."""

from __future__ import annotations

from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.session_parameters import PARAMETERS, parameter_value
from icemelt.session.show.show_scope import choose_records
from icemelt.sql.statements import Show

__all__ = ["show_parameters"]

_COLUMNS = ("key", "value", "default", "level", "description", "type")


def show_parameters(core: Core, statement: Show) -> LocalRows:
    """Run SHOW PARAMETERS: Snowflake's columns; the level is SESSION where the session set one."""
    rows = []
    for name, parameter in choose_records(
        sorted(PARAMETERS.items()), statement, lambda entry: entry[0]
    ):
        value = parameter_value(core, name)
        level = "" if value == parameter.default else "SESSION"
        description = parameter.description
        rows.append((name, value, parameter.default, level, description, parameter.type))
    return LocalRows(_COLUMNS, tuple(rows))
