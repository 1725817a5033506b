"""Stages: CREATE and ALTER STAGE, LIST, REMOVE, and places in a stage: `@stage/path`."""

from __future__ import annotations

import re
from typing import Any

from icemelt.errors import Never, NotYet
from icemelt.names import find_nearest
from icemelt.sql.dialect.written_names import written_name
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.options import read_flag, read_option_names
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterStage,
    CreateStage,
    Existing,
    FileFormat,
    ListFiles,
    RemoveFiles,
    RenameTable,
    SetStage,
    StageAction,
    StagePath,
    StageProperties,
    UnsetOptions,
)

__all__ = [
    "read_alter_stage",
    "read_create_stage",
    "read_list",
    "read_location",
    "read_remove",
    "read_stage_path",
]

_PROPERTIES = ("COMMENT", "DIRECTORY", "FILE_FORMAT", "URL")
_CREDENTIALS = ("CREDENTIALS", "ENCRYPTION", "ENDPOINT", "STORAGE_INTEGRATION", "USE_PRIVATELINK")
_ENABLE, _REFRESH = "ENABLE", ("AUTO_REFRESH", "REFRESH_ON_CREATE", "NOTIFICATION_INTEGRATION")
_NAME_AND_PATH = re.compile(r'((?:"(?:[^"]|"")*"|[^"/])*)(?:/(.*))?', re.DOTALL)
# what would be a comment, or a text, if it were read as SQL
_NOT_BARE = ("--", "//", "/*", "'", '"')


def read_create_stage(
    reader: StatementReader, existing: Existing, *, temporary: bool
) -> CreateStage:
    """Read the rest of `CREATE [OR REPLACE] [TEMPORARY] STAGE [IF NOT EXISTS]`."""
    name = reader.read_object_name("stage")
    return CreateStage(name, _read_properties(reader), existing, temporary)


def read_alter_stage(reader: StatementReader) -> AlterStage:
    """Read the rest of `ALTER STAGE`: `[IF EXISTS] name {RENAME TO | SET | UNSET} …`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("stage")
    return AlterStage(name, _read_action(reader), if_exists)


def read_list(reader: StatementReader) -> ListFiles:
    """Read `LIST @stage/path [PATTERN = '…']`."""
    reader.need_one("LIST", "LS")
    return ListFiles(*_read_place_and_pattern(reader))


def read_remove(reader: StatementReader) -> RemoveFiles:
    """Read `REMOVE @stage/path [PATTERN = '…']`."""
    reader.need_one("REMOVE", "RM")
    return RemoveFiles(*_read_place_and_pattern(reader))


def read_location(reader: StatementReader, purpose: str) -> str | StagePath:
    """Read a place of files: `@stage/path`, `'@stage/path'` or `'/path'`.

    Args:
        reader: stands at the place.
        purpose: what the place is, for the error: `a path`.
    """
    if reader.is_at("@"):
        return read_stage_path(reader)
    start = reader.mark()
    location = reader.read_string(purpose)
    if not location.startswith("@"):
        return location
    reader.back(start)
    return read_stage_path(reader)


def read_stage_path(reader: StatementReader) -> StagePath:
    """Read `@stage/path`; a path with spaces or signs of SQL is in quotes: `'@stage/a b'`."""
    start = reader.mark()
    if reader.is_at_string():
        written = reader.read_string("a stage")
        if not written.startswith("@"):
            reader.back(start)
            _fail_for_stage(reader)
    elif reader.is_at("@"):
        written = reader.read_bare_text()
        if any(sign in written.rpartition('"')[2] for sign in _NOT_BARE):
            reader.back(start)
            hint = "Write the place as a string: '@stage/path'."
            reader.fail("A path with -- or // or quotes stands in quotes.", hint=hint)
    else:
        _fail_for_stage(reader)
    return _stage_path(written[1:])


def _fail_for_stage(reader: StatementReader) -> None:
    hint = "Write @ and the stage's name: @my_stage/path."
    reader.fail(f"Expected a stage, found {reader.next_text}.", hint=hint)


def _stage_path(written: str) -> StagePath:
    """Return the stage and the path of a text without the `@`."""
    if written.startswith("~"):
        raise Never(
            "@~ is a user's own stage, and there are no users.",
            hint="CREATE STAGE my_files makes a stage with a name: @my_files.",
        )
    if written.startswith("%"):
        raise Never(
            f"@{written} is the stage of a table, and tables have no stages.",
            hint="CREATE STAGE my_files makes a stage with a name: @my_files.",
        )
    parts = _NAME_AND_PATH.fullmatch(written)
    name, path = (parts[1], parts[2]) if parts else (written, None)
    return StagePath(written_name(name), (path or "").lstrip("/"))


def _read_place_and_pattern(reader: StatementReader) -> tuple[StagePath, str | None]:
    place = read_stage_path(reader)
    pattern = None
    if reader.take("PATTERN"):
        reader.need("=")
        pattern = reader.read_string("a pattern")
    return place, pattern


def _read_action(reader: StatementReader) -> StageAction:
    if reader.is_at("REFRESH"):
        raise _directory_tables()
    match reader.need_one("RENAME", "SET", "UNSET"):
        case "RENAME":
            reader.need("TO")
            return RenameTable(reader.read_object_name("stage"))
        case "SET":
            properties = _read_properties(reader)
            if properties == StageProperties():
                hint = "SET URL = '…', or SET COMMENT = '…'"
                reader.fail(f"Expected a property, found {reader.next_text}.", hint=hint)
            return SetStage(properties)
        case _:
            return UnsetOptions(read_option_names(reader))


def _read_properties(reader: StatementReader) -> StageProperties:
    values: dict[str, Any] = {}
    met: set[str] = set()
    while not reader.is_at_end:
        if reader.take(","):
            continue
        word = reader.word
        _require_property(reader, word)
        if word in met:
            reader.fail(f"{word} is there twice.", hint="Write it once.")
        met.add(word)
        reader.skip()
        if not reader.take("=") and word != "COMMENT":
            reader.fail(
                f"Expected = after {word}, found {reader.next_text}.", hint=f"Write {word} = …."
            )
        match word:
            case "URL":
                values["url"] = reader.read_string("a location")
            case "COMMENT":
                values["comment"] = reader.read_comment()
            case "DIRECTORY":
                _read_directory(reader)
            case _:
                file_type, options, name = read_file_format(reader)
                values |= {"options": options, "format_name": name}
                values["file_type"] = FileFormat.CSV if name is not None else file_type
    return StageProperties(**values)


def _require_property(reader: StatementReader, word: str) -> None:
    """Refuse what is no property of a stage.

    Raises:
        Never: the word gives credentials, which Spark's settings have.
        SqlSyntaxError: there is no such property.
    """
    if word in _CREDENTIALS:
        raise Never(
            f"A stage has no {word}: Spark opens its files.",
            hint="Give Spark the store's credentials: icemelt.connect(conf={'spark.hadoop.…': …}).",
        )
    if word == "COPY_OPTIONS":
        raise Never("A stage has no COPY_OPTIONS.", hint="Write the options in COPY INTO.")
    if word not in _PROPERTIES:
        guess = find_nearest(word, _PROPERTIES) if word else None
        hint = f"Did you mean {guess}?" if guess else f"They are {', '.join(_PROPERTIES)}."
        reader.fail(f"A stage has no property {reader.next_text}.", hint=hint)


def _read_directory(reader: StatementReader) -> None:
    """Read `(ENABLE = FALSE)`; a directory table is not built yet."""
    reader.need("(")
    while not reader.take(")"):
        if reader.take(","):
            continue
        name = reader.need_one(_ENABLE, *_REFRESH)
        reader.need("=")
        if read_flag(reader, name):
            raise _directory_tables()


def _directory_tables() -> NotYet:
    return NotYet("Directory tables of stages are planned.", hint="LIST @stage lists its files.")
