"""CREATE VIEW and ALTER VIEW."""

from __future__ import annotations

from icemelt.errors import Never, NotYet
from icemelt.names import ObjectName
from icemelt.sql.grammar.kept_texts import refuse_given_values
from icemelt.sql.grammar.options import read_flag
from icemelt.sql.grammar.refusals import refuse_secure
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterView,
    CreateView,
    Existing,
    RenameTable,
    SetOptions,
    UnsetOptions,
    ViewAction,
    ViewColumn,
)

__all__ = ["read_alter_view", "read_create_view"]


def read_create_view(reader: StatementReader, existing: Existing) -> CreateView:
    """Read the rest of `CREATE [OR REPLACE] VIEW [IF NOT EXISTS]`."""
    name = reader.read_object_name("view")
    columns = _read_columns(reader) if reader.is_at("(") else ()
    comment = _read_options(reader)
    if not reader.take("AS"):
        hint = f"CREATE VIEW {name} AS SELECT …"
        reader.fail(f"Expected AS, found {reader.next_text}.", hint=hint)
    refuse_given_values(reader, reader.tokens_left(), f"View {str(name)!r}")
    start = reader.mark()
    reader.read_query()
    tokens = reader.tokens_since(start)
    query = reader.text[tokens[0].start : tokens[-1].end + 1]
    return CreateView(name, query, columns, comment, existing)


def read_alter_view(reader: StatementReader) -> AlterView:
    """Read `ALTER VIEW [IF EXISTS] name {RENAME TO | SET | UNSET} …`."""
    reader.need("ALTER", "VIEW")
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("view")
    return AlterView(name, _read_action(reader, name), if_exists)


def _read_columns(reader: StatementReader) -> tuple[ViewColumn, ...]:
    reader.need("(")
    columns = reader.read_list(lambda: _read_column(reader))
    if not reader.take(")"):
        hint = "A view's columns have a name and perhaps a COMMENT; the query gives their types."
        reader.fail(f"Expected , or ), found {reader.next_text}.", hint=hint)
    return tuple(columns)


def _read_column(reader: StatementReader) -> ViewColumn:
    name = reader.read_name("column name")
    _require_no_policies(reader)
    return ViewColumn(name, reader.read_comment() if reader.take("COMMENT") else None)


def _read_options(reader: StatementReader) -> str | None:
    """Read the clauses before AS; return the comment."""
    comment = None
    while not reader.is_at_end and not reader.is_at("AS"):
        _require_no_policies(reader)
        if reader.take("COPY", "GRANTS"):
            continue
        if reader.take("CHANGE_TRACKING"):
            # accepted without an effect: a view's changes come from its tables, which are tracked
            reader.need("=")
            read_flag(reader, "CHANGE_TRACKING")
        elif comment is None and reader.take("COMMENT"):
            reader.take("=")
            comment = reader.read_comment()
        else:
            hint = "CREATE VIEW name [(columns)] [COMMENT = '…'] AS SELECT …"
            reader.fail(f"Expected AS, found {reader.next_text}.", hint=hint)
    return comment


def _read_action(reader: StatementReader, name: ObjectName) -> ViewAction:
    match reader.need_one("RENAME", "SET", "UNSET"):
        case "RENAME":
            reader.need("TO")
            return RenameTable(reader.read_object_name("view"))
        case "SET":
            _require_no_policies(reader)
            if reader.take("CHANGE_TRACKING"):
                reader.need("=")
                read_flag(reader, "CHANGE_TRACKING")
                return SetOptions({})
            _need_comment(reader, name, "SET COMMENT = '…'")
            reader.take("=")
            return SetOptions({"COMMENT": reader.read_comment()})
        case _:
            _require_no_policies(reader)
            _need_comment(reader, name, "UNSET COMMENT")
            return UnsetOptions(("COMMENT",))


def _need_comment(reader: StatementReader, name: ObjectName, example: str) -> None:
    if not reader.take("COMMENT"):
        hint = f"ALTER VIEW {name} {example}; another query: CREATE OR REPLACE VIEW {name} AS …."
        reader.fail(f"Expected COMMENT, found {reader.next_text}.", hint=hint)


def _require_no_policies(reader: StatementReader) -> None:
    reader.take("WITH")
    if reader.word in {"TAG", "MASKING", "ROW", "AGGREGATION", "PROJECTION"}:
        raise Never(
            "Policies and tags are not supported.", hint="Select in the view what may be seen."
        )
    refuse_secure(reader)
    if reader.is_at("RECURSIVE"):
        raise NotYet("Recursive views are not built.", hint="WITH … UNION ALL in a query.")
