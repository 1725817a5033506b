"""ALTER TABLE and COMMENT ON; ALTER of another kind of object is in the module of the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from icemelt.errors import Never, NotYet
from icemelt.names import ObjectName
from icemelt.sql.grammar.clones import read_swap
from icemelt.sql.grammar.columns import read_column, read_default
from icemelt.sql.grammar.commands import read_alter_session
from icemelt.sql.grammar.constraints import (
    at_constraint,
    read_cascade,
    read_constraint,
    read_constraint_drop,
)
from icemelt.sql.grammar.containers import read_alter_container
from icemelt.sql.grammar.external_tables import read_alter_external_table, take_external_table
from icemelt.sql.grammar.file_formats import read_alter_file_format, take_file_format
from icemelt.sql.grammar.functions import read_alter_function, read_signature
from icemelt.sql.grammar.options import read_option_names, read_options
from icemelt.sql.grammar.pipes import read_alter_pipe
from icemelt.sql.grammar.refusals import require_known_kind
from icemelt.sql.grammar.sequences import read_alter_sequence
from icemelt.sql.grammar.stages import read_alter_stage
from icemelt.sql.grammar.streams import read_alter_stream, read_altered_stream
from icemelt.sql.grammar.table_streams import read_properties, take_table_stream
from icemelt.sql.grammar.tasks import read_alter_task
from icemelt.sql.grammar.views import read_alter_view
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    AlterContainer,
    AlterExternalTable,
    AlterFileFormat,
    AlterFunction,
    AlterPipe,
    AlterSequence,
    AlterSession,
    AlterStage,
    AlterStream,
    AlterTable,
    AlterTask,
    AlterView,
    DropColumns,
    ObjectKind,
    PrimaryKey,
    RefreshExternalTable,
    RefreshPipe,
    RefreshStage,
    RegisterPaths,
    RenameColumn,
    RenameTable,
    SetExternalTable,
    SetFormatOptions,
    SetOptions,
    SetPrimaryKey,
    SetSequence,
    SetStage,
    SetTask,
    StageProperties,
    SwapTables,
    TableAction,
    TableKey,
    UnsetOptions,
)

__all__ = ["read_alter", "read_comment"]

_Alteration = (
    AlterTable
    | AlterContainer
    | AlterSession
    | AlterStream
    | AlterView
    | AlterFileFormat
    | AlterStage
    | RefreshStage
    | AlterExternalTable
    | RefreshExternalTable
    | RegisterPaths
    | AlterPipe
    | RefreshPipe
    | AlterFunction
    | AlterSequence
    | AlterTask
    | SwapTables
)
# Singdata's properties with another name in icemelt
_SINGDATAS = {"DATA_RETENTION_DAYS": "DATA_RETENTION_TIME_IN_DAYS"}
_KINDS_WITH_COMMENT = ("STREAM", "VIEW", "STAGE", "PIPE", "SEQUENCE", "TASK")
_ACTIONS = ("ADD", "ALTER", "DROP", "RENAME", "SET", "UNSET")


def read_alter(reader: StatementReader) -> _Alteration:
    """Read ALTER of an object or of the session."""
    for words, read in _WHOLE.items():
        if reader.is_at("ALTER", *words):
            return read(reader)
    reader.need("ALTER")
    for words, read in _AFTER_KIND.items():
        if reader.take(*words):
            return read(reader)
    if take_table_stream(reader):
        return read_altered_stream(reader)
    is_iceberg = reader.take("ICEBERG")
    require_known_kind(reader, "ALTER")
    if is_iceberg:
        reader.need("TABLE")
    else:
        reader.need_one("TABLE", "SCHEMA", "DATABASE", "SESSION", *_KINDS_WITH_COMMENT)
    return _read_alter_table(reader)


def _read_alter_table(reader: StatementReader) -> AlterTable | SwapTables:
    """Read the rest of `ALTER TABLE [IF EXISTS] name {SWAP WITH other | action, …}`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name()
    if reader.take("SWAP"):
        return read_swap(reader, name, if_exists=if_exists)
    actions: list[TableAction] = []
    while not actions or not reader.is_at_end:
        actions += _read_actions(reader)
        reader.take(",")
    return AlterTable(name, tuple(actions), if_exists)


def read_comment(
    reader: StatementReader,
) -> (
    AlterTable
    | AlterContainer
    | AlterStream
    | AlterView
    | AlterFileFormat
    | AlterStage
    | AlterExternalTable
    | AlterPipe
    | AlterFunction
    | AlterSequence
    | AlterTask
):
    """Read `COMMENT ON kind name IS '…'`, of each `ObjectKind`, and of a COLUMN."""
    reader.need("COMMENT")
    if_exists = reader.take("IF", "EXISTS")
    reader.need("ON")
    require_known_kind(reader, "COMMENT ON")
    if take_file_format(reader):
        name = reader.read_object_name("file format")
        reader.need("IS")
        return AlterFileFormat(name, SetFormatOptions({}, comment=reader.read_comment()), if_exists)
    if take_external_table(reader):
        name = reader.read_object_name("external table")
        reader.need("IS")
        return AlterExternalTable(name, SetExternalTable(comment=reader.read_comment()), if_exists)
    if reader.take("FUNCTION"):
        signature = read_signature(reader)
        reader.need("IS")
        return AlterFunction(signature, SetOptions({"COMMENT": reader.read_comment()}), if_exists)
    word = reader.need_one("TABLE", "COLUMN", "SCHEMA", "DATABASE", *_KINDS_WITH_COMMENT)
    name = reader.read_object_name(word.lower())
    reader.need("IS")
    comment = reader.read_comment()
    if word == "COLUMN":
        if len(name.parts) == 1:
            reader.fail("A column is named with its table.", hint=f"COMMENT ON COLUMN t.{name}")
        table = type(name)(name.parts[:-1])
        return AlterTable(table, (AlterColumn(name.last, comment=comment),), if_exists)
    action = SetOptions({"COMMENT": comment})
    if word == "TABLE":
        return AlterTable(name, (action,), if_exists)
    if word in _KINDS_WITH_COMMENT:
        return _comment_on(word, name, comment, if_exists=if_exists)
    return AlterContainer(ObjectKind[word], name, action, if_exists)


def _comment_on(
    word: str, name: ObjectName, comment: str, *, if_exists: bool
) -> AlterStream | AlterView | AlterStage | AlterPipe | AlterSequence | AlterTask:
    """Return the statement that gives a comment to an object of one of `_KINDS_WITH_COMMENT`."""
    action = SetOptions({"COMMENT": comment})
    match word:
        case "STREAM":
            return AlterStream(name, action, if_exists)
        case "STAGE":
            return AlterStage(name, SetStage(StageProperties(comment=comment)), if_exists)
        case "PIPE":
            return AlterPipe(name, comment=comment, if_exists=if_exists)
        case "SEQUENCE":
            return AlterSequence(name, SetSequence(comment=comment), if_exists)
        case "TASK":
            return AlterTask(name, SetTask({}, comment), if_exists)
        case _:
            return AlterView(name, action, if_exists)


def _read_actions(reader: StatementReader) -> list[TableAction]:
    if reader.is_at("CHANGE_TRACKING", "="):
        return [SetOptions(read_options(reader, _ACTIONS))]
    if reader.take("CLUSTER", "BY") or reader.take("SUSPEND") or reader.take("RESUME"):
        hint = "Write CREATE OR REPLACE TABLE … CLUSTER BY (…) AS SELECT …."
        raise NotYet("The clustering of a table is not altered.", hint=hint)
    match reader.need_one(*_ACTIONS, "MODIFY"):
        case "ADD":
            return _read_add(reader)
        case "DROP":
            return [_read_drop(reader)]
        case "RENAME":
            return [_read_rename(reader)]
        case "SET":
            return [_read_set(reader)]
        case "UNSET":
            return [UnsetOptions(read_option_names(reader))]
        case _:
            return _read_changes(reader)


def _read_add(reader: StatementReader) -> list[TableAction]:
    if at_constraint(reader):
        return [_add_key(read_constraint(reader))]
    wrapped = reader.take("(")
    actions: list[TableAction] = []
    while True:
        reader.take("COLUMN")
        if_not_exists = reader.take("IF", "NOT", "EXISTS")
        read = read_column(reader)
        actions.append(AddColumn(read.column, if_not_exists))
        actions += map(_add_key, read.keys)
        if not _takes_comma(reader):
            break
        reader.take("ADD")
    if wrapped:
        reader.need(")")
    return actions


def _add_key(key: TableKey) -> TableAction:
    return SetPrimaryKey(key) if isinstance(key, PrimaryKey) else AddConstraint(key)


def _takes_comma(reader: StatementReader) -> bool:
    """Step over a comma, unless the next word begins an action other than ADD."""
    start = reader.mark()
    if not reader.take(","):
        return False
    if reader.word in _ACTIONS and not reader.is_at("ADD"):
        reader.back(start)
        return False
    return True


def _read_drop(reader: StatementReader) -> TableAction:
    if reader.take("PRIMARY", "KEY"):
        read_cascade(reader)
        return SetPrimaryKey(None)
    constraint = read_constraint_drop(reader)
    if constraint is not None:
        return constraint
    if reader.is_at("CLUSTERING"):
        hint = "Write CREATE OR REPLACE TABLE … AS SELECT …."
        raise NotYet("The clustering of a table is not altered.", hint=hint)
    reader.take("COLUMN")
    if_exists = reader.take("IF", "EXISTS")
    names = [reader.read_name("column name")]
    while _takes_comma(reader):
        reader.take("COLUMN")
        names.append(reader.read_name("column name"))
    return DropColumns(tuple(names), if_exists)


def _read_rename(reader: StatementReader) -> TableAction:
    if reader.take("TO"):
        return RenameTable(reader.read_object_name())
    reader.take("COLUMN")
    column = reader.read_name("column name")
    reader.need("TO")
    return RenameColumn(column, reader.read_name("column name"))


def _read_set(reader: StatementReader) -> TableAction:
    if reader.is_at("TAG"):
        raise Never("Tags are not supported.", hint="SET COMMENT = '…' keeps a note.")
    if reader.take("PROPERTIES"):
        return SetOptions(
            {_SINGDATAS.get(name, name): value for name, value in read_properties(reader).items()}
        )
    options = read_options(reader, tuple(word for word in _ACTIONS))
    if not options:
        reader.fail("Expected an option, found the end.", hint="SET COMMENT = '…'")
    return SetOptions(options)


def _read_changes(reader: StatementReader) -> list[TableAction]:
    """Read `ALTER [COLUMN] a …, [COLUMN] b …`, with or without parentheses."""
    if reader.is_at("CONSTRAINT") or reader.is_at("PRIMARY", "KEY"):
        hint = "DROP PRIMARY KEY, then ADD PRIMARY KEY (…) RELY."
        raise NotYet("A constraint is not altered.", hint=hint)
    wrapped = reader.take("(")
    actions: list[TableAction] = []
    while True:
        reader.take("COLUMN")
        actions.append(_read_change(reader, reader.read_name("column name")))
        if not _takes_comma(reader):
            break
    if wrapped:
        reader.need(")")
    return actions


def _read_change(reader: StatementReader, column: str) -> AlterColumn:
    if reader.take("SET", "NOT", "NULL"):
        return AlterColumn(column, nullable=False)
    if reader.take("DROP", "NOT", "NULL"):
        return AlterColumn(column, nullable=True)
    if reader.take("SET", "DEFAULT"):
        return AlterColumn(column, default=read_default(reader))
    if reader.take("DROP", "DEFAULT"):
        return AlterColumn(column, default="")
    if reader.take("UNSET", "COMMENT"):
        return AlterColumn(column, comment="")
    if reader.take("COMMENT"):
        reader.take("=")
        return AlterColumn(column, comment=reader.read_comment())
    reader.take("SET", "DATA")
    if reader.take("TYPE") or reader.is_at_type:
        return AlterColumn(column, type=reader.read_type())
    hint = "Write SET NOT NULL, DROP NOT NULL, SET DEFAULT …, DROP DEFAULT, TYPE …, COMMENT '…'."
    raise reader.error(f"A column is not altered by {reader.next_text}.", hint=hint)


# ALTER of kinds whose module reads the words of the kind, and of those that begin behind them
_WHOLE: Mapping[tuple[str, ...], Callable[[StatementReader], _Alteration]] = {
    ("SESSION",): read_alter_session,
    ("SCHEMA",): read_alter_container,
    ("DATABASE",): read_alter_container,
    ("STREAM",): read_alter_stream,
    ("VIEW",): read_alter_view,
}
_AFTER_KIND: Mapping[tuple[str, ...], Callable[[StatementReader], _Alteration]] = {
    ("FILE", "FORMAT"): read_alter_file_format,
    ("EXTERNAL", "TABLE"): read_alter_external_table,
    ("STAGE",): read_alter_stage,
    ("PIPE",): read_alter_pipe,
    ("SEQUENCE",): read_alter_sequence,
    ("FUNCTION",): read_alter_function,
    ("TASK",): read_alter_task,
}
