"""CREATE STREAM and ALTER STREAM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from icemelt.errors import DefinitionRefused, Never
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.grammar.options import read_choice, read_flag
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AdvanceStream,
    AlterStream,
    ChangeFormat,
    CreateStream,
    Existing,
    Point,
    RenameTable,
    ResetStream,
    SetOnMissing,
    SetOptions,
    StreamAction,
    UnsetOptions,
)

__all__ = ["read_alter_stream", "read_altered_stream", "read_create_stream"]

_MODES = ("APPEND_ONLY", "INSERT_ONLY", "REDO_LOG")
_FLAGS = (*_MODES, "SHOW_INITIAL_ROWS")
_OPTIONS = ("AT", "BEFORE", *_FLAGS, "ON_MISSING", "COMMENT")
_ON_MISSING = ("ERROR", "SKIP")


@dataclass(slots=True)
class _StreamOptions:
    """The options behind a stream's source: `met` has the words read, `flags` those turned on."""

    point: Point | None = None
    flags: set[str] = field(default_factory=set)
    comment: str | None = None
    on_missing: str = ""
    met: set[str] = field(default_factory=set)


def read_create_stream(reader: StatementReader, existing: Existing) -> CreateStream:
    """Read the rest of `CREATE [OR REPLACE] STREAM [IF NOT EXISTS]`."""
    name = reader.read_object_name("stream")
    if reader.take("CLONE"):
        if existing is Existing.ALTERED:
            hint = "CREATE OR REPLACE STREAM … CLONE …, or CREATE OR ALTER STREAM … ON TABLE …."
            raise Never("CREATE OR ALTER STREAM names the source; it takes no CLONE.", hint=hint)
        model = reader.read_object_name("stream")
        reader.take("COPY", "GRANTS")
        options = _StreamOptions()
        if reader.is_at("COMMENT"):
            _read_option(reader, options)
        return CreateStream(
            name,
            None,
            comment=options.comment,
            existing=existing,
            clone=model,
        )
    _require_no_tags(reader)
    reader.take("COPY", "GRANTS")
    kind, source = _read_source(reader)
    options = _StreamOptions()
    while not reader.is_at_end:
        if not reader.take(","):
            _read_option(reader, options)
    modes = [mode for mode in _MODES if mode in options.flags]
    if len(modes) > 1:
        hint = f"Write one of {' and '.join(f'{mode} = TRUE' for mode in modes)}."
        raise DefinitionRefused(f"Stream {str(name)!r} has two modes.", hint=hint)
    return CreateStream(
        name,
        source,
        kind,
        options.point,
        ChangeFormat[modes[0]] if modes else ChangeFormat.DEFAULT,
        show_initial_rows="SHOW_INITIAL_ROWS" in options.flags,
        comment=options.comment,
        existing=existing,
        on_missing=options.on_missing,
        context=reader.composer.slots.context,
    )


def read_alter_stream(reader: StatementReader) -> AlterStream:
    """Read `ALTER STREAM [IF EXISTS] name {SET | UNSET | ADVANCE | RESET} …`."""
    reader.need("ALTER", "STREAM")
    return read_altered_stream(reader)


def read_altered_stream(reader: StatementReader) -> AlterStream:
    """Read the rest of `ALTER STREAM` or `ALTER TABLE STREAM`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("stream")
    action = _read_action(reader, name)
    return AlterStream(name, action, if_exists, reader.composer.slots.context)


def _read_source(reader: StatementReader) -> tuple[str, ObjectName]:
    if not reader.take("ON"):
        hint = "Write ON TABLE t, or CLONE another stream."
        reader.fail(f"Expected ON, found {reader.next_text}.", hint=hint)
    if reader.is_at("DIRECTORY"):
        reader.fail("A stream is on a stage, and reads its directory table.", hint="ON STAGE s")
    kind = reader.need_one("TABLE", "VIEW", "DYNAMIC", "EXTERNAL", "STAGE")
    if kind in {"DYNAMIC", "EXTERNAL"}:
        reader.need("TABLE")
        kind += " TABLE"
    return kind, reader.read_object_name(kind.lower())


def _read_option(reader: StatementReader, options: _StreamOptions) -> None:
    _require_no_tags(reader)
    word = reader.word
    if word not in _OPTIONS:
        guess = find_nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"CREATE STREAM has no option {reader.next_text}.", hint=hint)
    if word in options.met:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    options.met.add(word)
    if word in {"AT", "BEFORE"}:
        if options.point is not None:
            reader.fail("A stream has one AT or BEFORE.", hint="Write one of them.")
        options.point = _read_point(reader)
        return
    reader.skip()
    if word == "COMMENT":
        reader.take("=")
        options.comment = reader.read_comment()
        return
    reader.need("=")
    if word == "ON_MISSING":
        options.on_missing = read_choice(reader, word, _ON_MISSING)
    elif read_flag(reader, word):
        options.flags.add(word)


def _read_point(reader: StatementReader) -> Point:
    return reader.composer.compose_point(reader.read_point())


def _read_action(reader: StatementReader, name: ObjectName) -> StreamAction:
    match reader.need_one("RENAME", "SET", "UNSET", "ADVANCE", "RESET"):
        case "RENAME":
            reader.need("TO")
            return RenameTable(reader.read_object_name("stream"))
        case "SET" if reader.take("ON_MISSING", "="):
            return SetOnMissing(read_choice(reader, "ON_MISSING", _ON_MISSING))
        case "SET":
            _need_comment(reader, name, "SET COMMENT = '…'")
            reader.take("=")
            return SetOptions({"COMMENT": reader.read_comment()})
        case "UNSET":
            _need_comment(reader, name, "UNSET COMMENT")
            return UnsetOptions(("COMMENT",))
        case "ADVANCE" if reader.is_at_end:
            return AdvanceStream()
        case "ADVANCE":
            reader.need("TO")
            return AdvanceStream(_read_point(reader))
        case _:
            reader.need("TO")
            return ResetStream(_read_point(reader))


def _need_comment(reader: StatementReader, name: ObjectName, example: str) -> None:
    """Step over COMMENT, the only property of a stream with a value that can be altered."""
    _require_no_tags(reader)
    if reader.word in _FLAGS:
        _refuse_mode(reader.word, name)
    if not reader.take("COMMENT"):
        hint = f"ALTER STREAM {name} {example}"
        reader.fail(f"Expected COMMENT, found {reader.next_text}.", hint=hint)


def _refuse_mode(mode: str, name: ObjectName) -> NoReturn:
    raise Never(
        f"A stream's mode is chosen when it is made; {mode} is not altered.",
        hint=f"CREATE OR REPLACE STREAM {name} ON TABLE … {mode} = …",
    )


def _require_no_tags(reader: StatementReader) -> None:
    if reader.is_at("TAG") or reader.is_at("WITH", "TAG"):
        raise Never("Tags are not supported.", hint="COMMENT = '…' keeps a note.")
