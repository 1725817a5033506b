"""Statements and kinds of objects known to icemelt and not supported, with an alternative."""

from __future__ import annotations

from typing import NoReturn

from icemelt.errors import Never, NotYet
from icemelt.names import find_nearest
from icemelt.sql.reader import StatementReader

__all__ = [
    "FIRST_WORDS",
    "refuse_secure",
    "refuse_sharing",
    "refuse_statement",
    "require_known_kind",
]

_EXECUTE = (
    "EXECUTE runs tasks, and the statement in a text.",
    "EXECUTE TASK name, or EXECUTE IMMEDIATE '…'.",
)
_DYNAMIC = ("Dynamic tables are planned.", "Use CREATE OR REPLACE TABLE … AS SELECT ….")
_ROUTINES = (
    "Procedures and aggregates of users are planned.",
    "A task for statements; CREATE FUNCTION for an expression.",
)
_CHANNELS = (
    "Channels are opened and dropped by the ingest client.",
    "client.open_channel(…), client.drop_channel(…); SHOW CHANNELS lists them.",
)
_ACCESS = (
    "Roles and grants are not supported.",
    "Grant on the catalog's database and on the storage.",
)
_SHARING = (
    "Shares are not supported: who opens a lake's catalog reads all of the lake.",
    "Give the readers a lake of their own with what they may see, or a key of icemelt serve.",
)
_SECURE = (
    "Secure objects are not supported: who opens a lake's catalog reads every definition.",
    "Leave SECURE out; what some may not see belongs in a lake of its own.",
)
_REPLICATION = (
    "Replication is not supported: a lake is one database and its files.",
    "Replicate both by their own means, or restore a backup elsewhere: docs/production.md.",
)
_COMPUTE = ("There are no warehouses to define.", "Choose Spark's resources when connecting.")
_POLICIES = ("Policies and tags are not supported.", "Select what may be seen in a query of yours.")
_SCRIPTING = ("Scripting is not supported.", "Write the loop in Python over session.sql.")

# The word after CREATE, ALTER, DROP or UNDROP: whether the kind is planned, and message and hint.
_KINDS: dict[str, tuple[bool, tuple[str, str]]] = {
    "MATERIALIZED": (True, _DYNAMIC),
    "SECURE": (False, _SECURE),
    "RECURSIVE": (True, ("Recursive views are not built.", "WITH … UNION ALL in a query.")),
    "DYNAMIC": (True, _DYNAMIC),
    "AGGREGATE": (True, _ROUTINES),
    "PROCEDURE": (True, _ROUTINES),
    "CHANNEL": (False, _CHANNELS),
    "INDEX": (False, ("Tables have no indexes.", "Use CLUSTER BY or PARTITION BY.")),
    "ROLE": (False, _ACCESS),
    "USER": (False, _ACCESS),
    "SHARE": (False, _SHARING),
    "REPLICATION": (False, _REPLICATION),
    "FAILOVER": (False, _REPLICATION),
    "WAREHOUSE": (False, _COMPUTE),
    "COMPUTE": (False, _COMPUTE),
    "MASKING": (False, _POLICIES),
    "ROW": (False, _POLICIES),
    "TAG": (False, _POLICIES),
    "NETWORK": (False, _POLICIES),
}
_STATEMENTS: dict[str, tuple[bool, tuple[str, str]]] = {
    "GRANT": (False, _ACCESS),
    "REVOKE": (False, _ACCESS),
    "CALL": (True, _ROUTINES),
    "EXECUTE": (True, _EXECUTE),
    "DECLARE": (False, _SCRIPTING),
    "LET": (False, _SCRIPTING),
    "IF": (False, _SCRIPTING),
    "FOR": (False, _SCRIPTING),
    "LOOP": (False, _SCRIPTING),
    "VACUUM": (
        False,
        ("Versions past retention go by themselves.", "icemelt maintain does it now."),
    ),
    "SAVEPOINT": (True, ("Savepoints are planned.", "COMMIT after each step.")),
    "RELEASE": (True, ("Savepoints are planned.", "COMMIT after each step.")),
    "ANALYZE": (False, ("Statistics are kept with the files.", "Leave it out.")),
    "LOCK": (False, ("Tables are not locked by hand.", "Use BEGIN … COMMIT.")),
    "PREPARE": (False, ("Statements are not prepared.", "Pass parameters: :name or ?.")),
}
FIRST_WORDS = (
    "ALTER",
    "BEGIN",
    "COMMENT",
    "COMMIT",
    "COPY",
    "CREATE",
    "DELETE",
    "DESC",
    "DESCRIBE",
    "DROP",
    "EXECUTE",
    "EXPLAIN",
    "INSERT",
    "LIST",
    "MERGE",
    "OPTIMIZE",
    "REMOVE",
    "RESTORE",
    "ROLLBACK",
    "SELECT",
    "SET",
    "SHOW",
    "START",
    "TRUNCATE",
    "UNDROP",
    "UNSET",
    "UPDATE",
    "USE",
    "VALUES",
    "WITH",
)


def require_known_kind(reader: StatementReader, verb: str) -> None:
    """Raise if the next word is a kind of object unknown to icemelt, as TASK or ROLE."""
    refusal = _KINDS.get(reader.word)
    if refusal is not None:
        _refuse(f"{verb} {reader.word}", planned=refusal[0], words=refusal[1])


def refuse_secure(reader: StatementReader) -> None:
    """Raise if the next word is SECURE."""
    if reader.is_at("SECURE"):
        raise Never(_SECURE[0], hint=_SECURE[1])


def refuse_sharing(reader: StatementReader, *words: str) -> None:
    """Raise if the next words are about shares or replicas: `words`, or what comes for both.

    Args:
        reader: stands where an option or an object may be.
        words: further words of replication at this place.
    """
    for word in ("SHARE", "SHARES"):
        if reader.is_at(word) or reader.is_at("FROM", word):
            raise Never(_SHARING[0], hint=_SHARING[1])
    for word in ("REPLICATION", "FAILOVER", *words):
        if any(reader.is_at(*before, word) for before in ((), ("AS",), ("ENABLE",), ("DISABLE",))):
            raise Never(_REPLICATION[0], hint=_REPLICATION[1])


def refuse_statement(reader: StatementReader) -> NoReturn:
    """Raise for a statement whose first word icemelt does not carry out."""
    refusal = _STATEMENTS.get(reader.word)
    if refusal is not None:
        _refuse(reader.word, planned=refusal[0], words=refusal[1])
    guess = find_nearest(reader.word, FIRST_WORDS) if reader.word else None
    hint = f"Did you mean {guess}?" if guess else "Begin with SELECT, INSERT, CREATE, SHOW, …."
    reader.fail(f"A statement does not begin with {reader.next_text}.", hint=hint)


def _refuse(verb: str, *, planned: bool, words: tuple[str, str]) -> NoReturn:
    message, hint = words
    raise (NotYet if planned else Never)(f"{verb}: {message}", hint=hint)
