"""What a statement's text may ask about its surroundings: the clock, the session, the last id."""

from __future__ import annotations

import re
import zoneinfo

from icemelt.errors import ParameterError
from icemelt.quoting import text_literal
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.variables import variable_text
from icemelt.session.timeline.system_functions import ask
from icemelt.session.timeline.task_functions import is_task_function
from icemelt.sql.statements import NextValue, Statement, bind_context, context_names
from icemelt.times import as_datetime
from icemelt.version import version

__all__ = ["in_context"]

_NULL = "CAST(NULL AS STRING)"
_CALL = re.compile(r"^([\w$]+)\((.*)\)$", re.DOTALL)


def in_context(core: Core, statement: Statement, now: int) -> Statement:
    """Return the statement with its clock, names and ids filled in.

    The next values of sequences are filled in when the statement runs.
    """
    names = [name for name in context_names(statement) if NextValue.of_context(name) is None]
    if not names:
        return statement
    return bind_context(statement, {name: _value(core, name, now) for name in names})


def _value(core: Core, name: str, now: int) -> str:
    called = _CALL.match(name)
    if called is not None or is_task_function(name):
        function, argument = (name, None) if called is None else called.groups()
        return _called(core, function, argument)
    match name:
        case "CURRENT_TIMESTAMP":
            moment = as_datetime(now).replace(tzinfo=None)
            return f"TIMESTAMP_LTZ '{moment.isoformat(' ', 'milliseconds')}Z'"
        case "CURRENT_DATE":
            zone = zoneinfo.ZoneInfo(core.settings.timezone)
            return f"DATE '{as_datetime(now).astimezone(zone):%Y-%m-%d}'"
        case "CURRENT_VERSION":
            return text_literal(version())
        case _:
            return _text(_session_text(core, name))


def _session_text(core: Core, name: str) -> str | None:
    """Return what a function such as CURRENT_USER tells of the session, None for NULL."""
    settings = core.settings
    match name:
        case "CURRENT_DATABASE":
            return settings.database
        case "CURRENT_SCHEMA":
            return settings.schema
        case "CURRENT_USER" | "CURRENT_ROLE":
            return core.user
        case "CURRENT_SESSION":
            return core.session_id
        case "CURRENT_TRANSACTION":
            return None if settings.transaction is None else settings.transaction.transaction_id
        case "CURRENT_WAREHOUSE":
            return settings.warehouse
        case _:
            raise ParameterError(f"Context value {name!r} is not known.", hint="Leave it out.")


def _called(core: Core, function: str, argument: str | None) -> str:
    if function == "LAST_QUERY_ID":
        return _text(core.settings.find_statement_id(int(argument or -1)))
    if function == "GETVARIABLE":
        return _variable(core, argument or "")
    answer = ask(core, function, argument)
    if answer is None or isinstance(answer, str):
        return _text(answer)
    return str(answer).lower() if isinstance(answer, bool) else f"{answer}L"


def _variable(core: Core, name: str) -> str:
    variable = core.settings.variables.get(name)
    return _text(None if variable is None else variable_text(variable))


def _text(text: str | None) -> str:
    return _NULL if text is None else text_literal(text)
