"""What a statement's text may ask about its surroundings: the clock, the session, the last id."""

from __future__ import annotations

import re
import zoneinfo

from icemelt.errors import ParameterError
from icemelt.quoting import text_literal
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.system_functions import ask
from icemelt.session.timeline.task_functions import is_task_function
from icemelt.sql.statements import Statement, bind_context, context_names
from icemelt.times import as_datetime
from icemelt.version import version

__all__ = ["in_context"]

_NULL = "CAST(NULL AS STRING)"
_CALL = re.compile(r"^([\w$]+)\((.*)\)$", re.DOTALL)


def in_context(core: Core, statement: Statement, now: int) -> Statement:
    """Return the statement with its clock, names and ids filled in."""
    names = context_names(statement)
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
        case "CURRENT_DATABASE":
            return text_literal(core.settings.database)
        case "CURRENT_SCHEMA":
            return text_literal(core.settings.schema)
        case "CURRENT_USER" | "CURRENT_ROLE":
            return text_literal(core.user)
        case "CURRENT_SESSION":
            return text_literal(core.session_id)
        case "CURRENT_TRANSACTION":
            return _transaction_id(core)
        case "CURRENT_VERSION":
            return text_literal(version())
        case _:
            raise ParameterError(f"Context value {name!r} is not known.", hint="Leave it out.")


def _called(core: Core, function: str, argument: str | None) -> str:
    if function == "LAST_QUERY_ID":
        return _last_id(core, int(argument or -1))
    answer = ask(core, function, argument)
    if answer is None:
        return _NULL
    if isinstance(answer, str):
        return text_literal(answer)
    return str(answer).lower() if isinstance(answer, bool) else f"{answer}L"


def _transaction_id(core: Core) -> str:
    transaction = core.settings.transaction
    return _NULL if transaction is None else text_literal(transaction.transaction_id)


def _last_id(core: Core, position: int) -> str:
    statement_id = core.settings.find_statement_id(position)
    return _NULL if statement_id is None else text_literal(statement_id)
