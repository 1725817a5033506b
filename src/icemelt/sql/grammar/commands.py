"""USE, SHOW, DESCRIBE, TRUNCATE, OPTIMIZE, RESTORE, ALTER SESSION."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.sql.grammar.containers import read_name_of, take_kind
from icemelt.sql.grammar.options import read_option_names, read_options
from icemelt.sql.grammar.refusals import refuse_sharing
from icemelt.sql.grammar.table_streams import take_table_stream
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterSession,
    Describe,
    DescribeHistory,
    ObjectKind,
    Optimize,
    Restore,
    SetOptions,
    Show,
    ShowChangeSupport,
    Truncate,
    UnsetOptions,
    Use,
    UseNamed,
)

__all__ = [
    "read_alter_session",
    "read_describe",
    "read_optimize",
    "read_restore",
    "read_show",
    "read_truncate",
    "read_use",
]

_SHOWN = (
    "DATABASES",
    "SCHEMAS",
    "TABLES",
    "OBJECTS",
    "COLUMNS",
    "STREAMS",
    "VIEWS",
    "STAGES",
    "PIPES",
    "SEQUENCES",
    "TASKS",
    "CHANNELS",
    "FUNCTIONS",
)
_KEYS = ("PRIMARY", "UNIQUE", "IMPORTED", "EXPORTED")
_SHOWN_BY_TWO_WORDS = ("FILE FORMATS", "EXTERNAL TABLES", "USER FUNCTIONS", "BUILTIN FUNCTIONS")
_SHOWN_OF_ALL = ("LOCKS", "TRANSACTIONS")
_VARIABLES, _PARAMETERS = "VARIABLES", "PARAMETERS"
_TABLE_STREAMS = "TABLE STREAMS"
_SHOWN_WITH_HISTORY = ("DATABASES", "SCHEMAS", "TABLES")
_SHOWN_LATER = (("DYNAMIC", "Dynamic tables are planned."),)
# objects besides a database or a schema whose columns or channels SHOW lists
_SHOWN_OF_ONE = {
    "COLUMNS": ("TABLE", "VIEW"),
    "CHANNELS": ("TABLE",),
    **{f"{kind} KEYS": ("TABLE",) for kind in _KEYS},
}
# the kind of a name after IN without a kind; for tables and streams the name is a schema, or
# else a database
_SCOPES = {
    "DATABASES": ObjectKind.DATABASE,
    "SCHEMAS": ObjectKind.DATABASE,
    "COLUMNS": ObjectKind.TABLE,
    **{f"{kind} KEYS": ObjectKind.TABLE for kind in _KEYS},
}


def read_use(reader: StatementReader) -> Use | UseNamed:
    """Read `USE [DATABASE | SCHEMA] name`, and of warehouses and roles."""
    reader.need("USE")
    if reader.take("SECONDARY"):
        reader.need("ROLES")
        reader.read_list(lambda: reader.read_name("ALL, NONE or the name of a role"))
        return UseNamed("ROLE", None)
    named = _read_named(reader)
    if named is not None:
        return named
    word = reader.take_one("DATABASE", "SCHEMA")
    kind = None if word is None else ObjectKind[word]
    return Use(kind, reader.read_object_name("schema" if word is None else word.lower()))


def _read_named(reader: StatementReader) -> UseNamed | None:
    """Read `{WAREHOUSE | ROLE} name`; None where USE names a schema, which may be called so."""
    start = reader.mark()
    word = reader.take_one("WAREHOUSE", "ROLE")
    if word is None:
        return None
    if reader.is_at_end or reader.is_at("."):
        reader.back(start)
        return None
    return UseNamed(word, reader.read_name(word.lower()))


def read_truncate(reader: StatementReader) -> Truncate:
    """Read `TRUNCATE [TABLE] [IF EXISTS] name`."""
    reader.need("TRUNCATE")
    reader.take("TABLE")
    if_exists = reader.take("IF", "EXISTS")
    return Truncate(reader.read_object_name(), if_exists)


def read_optimize(reader: StatementReader) -> Optimize:
    """Read `OPTIMIZE [TABLE] name`."""
    reader.need("OPTIMIZE")
    reader.take("TABLE")
    return Optimize(reader.read_object_name())


def read_describe(reader: StatementReader) -> Describe | DescribeHistory:
    """Read `DESC[RIBE] [kind] name`, of each `ObjectKind`, or `DESC HISTORY name`."""
    reader.need_one("DESC", "DESCRIBE")
    start = reader.mark()
    if reader.take("HISTORY"):
        if not reader.is_at_end and not reader.is_at("."):
            name = reader.read_object_name()
            return DescribeHistory(name, _limit(reader))
        reader.back(start)
    if take_table_stream(reader):
        return Describe(ObjectKind.STREAM, reader.read_object_name("stream"), is_table_stream=True)
    for word in ("DYNAMIC", "SHARE"):
        if reader.take(word):
            if not reader.is_at_end and not reader.is_at("."):
                reader.back(start)
                refuse_sharing(reader)
                raise NotYet(f"DESC {word} is planned.", hint="DESC TABLE describes a table.")
            reader.back(start)
    kind = take_kind(reader)
    if kind is not None and (reader.is_at_end or reader.is_at(".")):
        reader.back(start)
        kind = None
    name = read_name_of(reader, kind or ObjectKind.TABLE)
    if reader.take("TYPE", "="):
        reader.need("COLUMNS")
    return Describe(kind or ObjectKind.TABLE, name)


def read_show(reader: StatementReader) -> Show | ShowChangeSupport:
    """Read `SHOW [TERSE] objects [HISTORY] [LIKE] [IN] [STARTS WITH] [LIMIT [FROM]]`.

    LOCKS and TRANSACTIONS have IN ACCOUNT alone; CHANGE SUPPORT is FOR VIEW name.
    """
    reader.need("SHOW")
    if reader.take("CHANGE"):
        for word in ("SUPPORT", "FOR", "VIEW"):
            reader.need(word)
        return ShowChangeSupport(reader.read_object_name("view"))
    return _read_show_objects(reader)


def _read_show_objects(reader: StatementReader) -> Show:
    word = reader.take_one(*_SHOWN_OF_ALL)
    if word is not None:
        return Show(word, account=reader.take("IN", "ACCOUNT"))
    if reader.take("TABLE", "STREAMS"):
        return _table_streams(reader)
    if reader.take(_VARIABLES):
        return Show(_VARIABLES, _read_like(reader))
    for kind in _KEYS:
        if reader.take(kind, "KEYS"):
            return _scope(reader, f"{kind} KEYS")
    if reader.take(_PARAMETERS):
        return _read_show_parameters(reader)
    terse = reader.take("TERSE")
    refuse_sharing(reader)
    for word, message in _SHOWN_LATER:
        if reader.is_at(word):
            raise NotYet(message, hint="SHOW TABLES lists the tables.")
    what = _read_shown(reader, terse=terse)
    history = what in _SHOWN_WITH_HISTORY and reader.take("HISTORY")
    like = _read_like(reader)
    show = _scope(reader, what)
    starts_with = reader.read_string("a beginning") if reader.take("STARTS", "WITH") else None
    roots_only = what == "TASKS" and reader.take("ROOT", "ONLY")
    limit = _limit(reader)
    limit_from = None
    if limit is not None and reader.take("FROM"):
        limit_from = reader.read_string("a name")
    return Show(
        what,
        like,
        show.scope_kind,
        show.scope,
        show.account,
        starts_with,
        limit,
        limit_from,
        history,
        terse,
        roots_only=roots_only,
    )


def _read_show_parameters(reader: StatementReader) -> Show:
    """Read the rest of `SHOW PARAMETERS [LIKE '…'] [{IN | FOR} SESSION]`."""
    like = _read_like(reader)
    if reader.take_one("IN", "FOR") and not reader.take("SESSION"):
        word = reader.next_text
        raise NotYet(
            f"SHOW PARAMETERS lists those of the session, found {word}.",
            hint="SHOW PARAMETERS; GET_DDL('TABLE', 't') has those of a table, SHOW SCHEMAS "
            "and SHOW DATABASES have retention_time.",
        )
    return Show(_PARAMETERS, like)


def _read_shown(reader: StatementReader, *, terse: bool) -> str:
    """Read what SHOW lists: `STREAMS`, `FILE FORMATS`."""
    for what in _SHOWN_BY_TWO_WORDS:
        words = what.split()
        if reader.is_at(words[0]):
            reader.need(*words)
            return what
    of_all = () if terse else _SHOWN_OF_ALL
    return reader.need_one(*_SHOWN, *_SHOWN_BY_TWO_WORDS, *of_all)


def _table_streams(reader: StatementReader) -> Show:
    """Read the rest of `SHOW TABLE STREAMS`: [IN] [LIKE | WHERE] [LIMIT]."""
    show = _scope(reader, _TABLE_STREAMS)
    like = _read_like(reader)
    if like is not None and show == Show(_TABLE_STREAMS):
        show = _scope(reader, _TABLE_STREAMS)
    where, has_like = None, False
    if like is None and reader.take("WHERE"):
        written = reader.read_expression("a condition")
        _refuse_query(written)
        # the parser takes WHERE name = 's' LIKE 's%' as one condition
        has_like = any(isinstance(node.this, exp.Literal) for node in written.find_all(exp.Like))
        where = reader.composer.finish_query(reader.composer.compose_expression(written))
    if has_like or reader.word in {"LIKE", "WHERE"}:
        hint = "Write WHERE name LIKE '…' AND …."
        reader.fail("SHOW TABLE STREAMS takes LIKE or WHERE, not both.", hint=hint)
    return replace(show, like=like, where=where, limit=_limit(reader))


def _refuse_query(condition: exp.Expr) -> None:
    """Refuse a query within the condition of a SHOW, whose rows are no table."""
    if condition.find(exp.Query) is not None:
        raise NotYet(
            "A query within the condition of SHOW TABLE STREAMS is not supported.",
            hint="Run the query before, and write its values: WHERE table_name IN ('a', 'b').",
        )


def read_restore(reader: StatementReader) -> Restore:
    """Read `RESTORE TABLE name TO {TIMESTAMP | VERSION} AS OF e`."""
    reader.need("RESTORE", "TABLE")
    name = reader.read_object_name()
    reader.need("TO")
    point = reader.composer.compose_point(reader.read_as_of())
    return Restore(name, point, reader.composer.slots.context)


def read_alter_session(reader: StatementReader) -> AlterSession:
    """Read `ALTER SESSION {SET | UNSET} …`."""
    reader.need("ALTER", "SESSION")
    if reader.need_one("SET", "UNSET") == "SET":
        options = read_options(reader)
        if not options:
            reader.fail("Expected an option, found the end.", hint="SET TIMEZONE = 'UTC'")
        return AlterSession(SetOptions(options))
    return AlterSession(UnsetOptions(read_option_names(reader)))


def _scope(reader: StatementReader, what: str) -> Show:
    if not reader.take("IN"):
        return Show(what)
    if reader.take("ACCOUNT"):
        return Show(what, account=True)
    words = ("DATABASE", "SCHEMA", *_SHOWN_OF_ONE.get(what, ()))
    word = reader.take_one(*words)
    kind = _SCOPES.get(what) if word is None else ObjectKind[word]
    if word is not None and (
        reader.is_at_end or reader.word in {"STARTS", "LIMIT", "LIKE", "WHERE"}
    ):
        return Show(what, scope_kind=kind)
    return Show(
        what, scope_kind=kind, scope=reader.read_object_name((kind or ObjectKind.SCHEMA).value)
    )


def _read_like(reader: StatementReader) -> str | None:
    return reader.read_string("a pattern") if reader.take("LIKE") else None


def _limit(reader: StatementReader) -> int | None:
    return reader.read_integer("a number of rows") if reader.take("LIMIT") else None
