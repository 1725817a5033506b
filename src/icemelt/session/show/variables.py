"""SHOW VARIABLES: the variables of the session."""

from __future__ import annotations

from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.variables import variable_kind, variable_text
from icemelt.session.show.show_scope import choose_records
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["show_variables"]

_COLUMNS = ("session_id", "created_on", "updated_on", "name", "value", "type", "comment")


def show_variables(core: Core, statement: Show) -> LocalRows:
    """Run SHOW VARIABLES: Snowflake's columns, names in order."""
    listed = choose_records(
        sorted(core.settings.variables.items()), statement, lambda entry: entry[0]
    )
    rows = (
        (
            core.session_id,
            as_datetime(variable.created_at),
            as_datetime(variable.updated_at),
            name,
            variable_text(variable),
            variable_kind(variable),
            "",
        )
        for name, variable in listed
    )
    return LocalRows(_COLUMNS, tuple(rows))
