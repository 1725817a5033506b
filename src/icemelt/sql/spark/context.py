"""Functions about the session: CURRENT_USER, LAST_QUERY_ID, CURRENT_WAREHOUSE and the like."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.errors import Never
from icemelt.names import fold
from icemelt.quoting import is_plain_word
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["CONTEXT"]

_ANSWERED = (
    "CURRENT_DATABASE",
    "CURRENT_SCHEMA",
    "CURRENT_USER",
    "CURRENT_ROLE",
    "CURRENT_SESSION",
    "CURRENT_TRANSACTION",
    "CURRENT_VERSION",
    "CURRENT_WAREHOUSE",
)


def _context(call: Call) -> str:
    call.need(0)
    return call.context(call.name)


def _last_query_id(call: Call) -> str:
    call.need(0, 1)
    number = call.whole(0) if call.arguments else -1
    if number is None:
        call.refuse("the number is not a literal.", "Write LAST_QUERY_ID(-1).")
    return call.context(f"LAST_QUERY_ID({number})")


def _get_variable(call: Call) -> str:
    """Return the value of a session variable as text; NULL for a variable that is not set."""
    call.need(1)
    name = call.text(0)
    if name is None:
        call.refuse("the name is not a literal.", "Write GETVARIABLE('name').")
    if not is_plain_word(name):
        return "CAST(NULL AS STRING)"
    return call.context(f"GETVARIABLE({fold(name)})")


def _set_variable(call: Call) -> str:
    call.refuse(
        "it stands alone in a SELECT.", "SELECT SETVARIABLE('name', value), or SET name = value."
    )


def _client(call: Call) -> str:
    call.need(0)
    return f"concat('icemelt ', {call.context('CURRENT_VERSION')})"


def _schemas(call: Call) -> str:
    call.need(0)
    path = f"{call.context('CURRENT_DATABASE')}, '.', {call.context('CURRENT_SCHEMA')}"
    return f"concat('[\"', {path}, '\"]')"


def _role(call: Call) -> str:
    call.need(0)
    return call.context("CURRENT_ROLE")


def _is_role(call: Call) -> str:
    """Return whether a role is the session's only role; names ignore case."""
    call.need(1)
    return f"(lower({call.sql(0)}) = lower({call.context('CURRENT_ROLE')}))"


def _never(hint: str) -> Entry:
    def build(call: Call) -> str:
        raise Never(f"The function {call.name} is not supported.", hint=hint)

    return build


CONTEXT: Mapping[str, Entry] = {
    **dict.fromkeys(_ANSWERED, _context),
    "LAST_QUERY_ID": _last_query_id,
    "CURRENT_CLIENT": _client,
    "GETVARIABLE": _get_variable,
    "SETVARIABLE": _set_variable,
    "CURRENT_SCHEMAS": _schemas,
    "INVOKER_ROLE": _role,
    "IS_ROLE_IN_SESSION": _is_role,
    **dict.fromkeys(
        ("CURRENT_ACCOUNT", "CURRENT_ACCOUNT_NAME", "CURRENT_ORGANIZATION_NAME", "CURRENT_REGION"),
        _never("A lake has no account: CURRENT_DATABASE() and CURRENT_USER() tell where it is."),
    ),
    "CURRENT_STATEMENT": _never("TABLE(INFORMATION_SCHEMA.QUERY_HISTORY()) has the texts."),
    "CURRENT_IP_ADDRESS": _never("CURRENT_USER() and CURRENT_SESSION() tell who asks."),
    **dict.fromkeys(
        ("CURRENT_AVAILABLE_ROLES", "CURRENT_SECONDARY_ROLES", "CURRENT_ROLE_TYPE"),
        _never("A session has one role: CURRENT_ROLE()."),
    ),
    "INVOKER_SHARE": _never("There are no shares: CURRENT_ROLE() tells who asks."),
    "SYSTEM$TYPEOF": _never("TYPEOF(x::VARIANT) tells a value's type, DESC TABLE a column's."),
}
