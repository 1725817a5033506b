"""Stages: CREATE and ALTER STAGE, LIST, REMOVE, PUT, GET, and places in a stage."""

from __future__ import annotations

from typing import Any

from icemelt.errors import DefinitionRefused, Never
from icemelt.names import find_nearest
from icemelt.sql.analysis.stage_places import read_stage_place
from icemelt.sql.analysis.written_paths import path_of_place
from icemelt.sql.dialect.parser import has_comment
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.options import read_choice, read_flag, read_option_names
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    AlterStage,
    CreateStage,
    Existing,
    FileFormat,
    GetFiles,
    ListFiles,
    PutFiles,
    RefreshStage,
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
    "read_get",
    "read_list",
    "read_location",
    "read_put",
    "read_remove",
    "read_stage_path",
]

_PROPERTIES = ("COMMENT", "DIRECTORY", "FILE_FORMAT", "URL")
_CREDENTIALS = ("CREDENTIALS", "ENCRYPTION", "ENDPOINT", "STORAGE_INTEGRATION", "USE_PRIVATELINK")
_PUT_OPTIONS = ("AUTO_COMPRESS", "OVERWRITE", "PARALLEL", "SOURCE_COMPRESSION")
_GET_OPTIONS = ("PARALLEL", "PATTERN")
_COMPRESSIONS = (
    "AUTO_DETECT",
    "GZIP",
    "BZ2",
    "BROTLI",
    "ZSTD",
    "DEFLATE",
    "RAW_DEFLATE",
    "NONE",
)
_FILE, _MOST_PARALLEL = "file://", 99
# the options of DIRECTORY, by their names in `StageProperties`
_DIRECTORY = {
    "ENABLE": "has_directory",
    "AUTO_REFRESH": "refreshes_itself",
    "REFRESH_ON_CREATE": "refreshes_on_create",
    "NOTIFICATION_INTEGRATION": "",
}


def read_create_stage(
    reader: StatementReader, existing: Existing, *, temporary: bool
) -> CreateStage:
    """Read the rest of `CREATE [OR REPLACE] [TEMPORARY] STAGE [IF NOT EXISTS]`."""
    name = reader.read_object_name("stage")
    return CreateStage(name, _read_properties(reader), existing, temporary)


def read_alter_stage(reader: StatementReader) -> AlterStage | RefreshStage:
    """Read the rest of `ALTER STAGE`: `[IF EXISTS] name {RENAME TO | SET | UNSET | REFRESH} …`."""
    if_exists = reader.take("IF", "EXISTS")
    name = reader.read_object_name("stage")
    if reader.take("REFRESH"):
        return RefreshStage(name, _read_subpath(reader), if_exists)
    return AlterStage(name, _read_action(reader), if_exists)


def read_list(reader: StatementReader) -> ListFiles:
    """Read `LIST @stage/path [PATTERN = '…']`."""
    reader.need_one("LIST", "LS")
    return ListFiles(*_read_place_and_pattern(reader))


def read_remove(reader: StatementReader) -> RemoveFiles:
    """Read `REMOVE @stage/path [PATTERN = '…']`."""
    reader.need_one("REMOVE", "RM")
    return RemoveFiles(*_read_place_and_pattern(reader))


def read_put(reader: StatementReader) -> PutFiles:
    """Read `PUT 'file:///path' @stage/path [option = value …]`."""
    reader.need("PUT")
    source = _read_local_path(reader, "'file:///tmp/a.csv'")
    place = read_stage_path(reader)
    options = _read_copy_options(reader, _PUT_OPTIONS)
    return PutFiles(source, place, **options)


def read_get(reader: StatementReader) -> GetFiles:
    """Read `GET @stage/path 'file:///folder/' [option = value …]`."""
    reader.need("GET")
    place = read_stage_path(reader)
    target = _read_local_path(reader, "'file:///tmp/folder/'")
    return GetFiles(place, target, **_read_copy_options(reader, _GET_OPTIONS))


def _read_local_path(reader: StatementReader, example: str) -> str:
    """Read `file:///path` or `'file:///path'`; return the path."""
    start = reader.mark()
    hint = f"Write {example}, with the whole path."
    if reader.is_at_string():
        written = reader.read_string("a file")
    elif reader.is_at_file:
        written = reader.read_bare_text()
    else:
        reader.fail(f"Expected a file of this machine, found {reader.next_text}.", hint=hint)
    path = written[len(_FILE) :]
    if not written.lower().startswith(_FILE) or not path.startswith("/"):
        reader.back(start)
        reader.fail("A file of this machine begins with file:///.", hint=hint)
    return path


def _read_copy_options(reader: StatementReader, known: tuple[str, ...]) -> dict[str, Any]:
    """Read the options of PUT or GET, by the names of the statement's attributes."""
    options: dict[str, Any] = {}
    while not reader.is_at_end:
        if reader.take(","):
            continue
        word = reader.word
        if word not in known:
            guess = find_nearest(word, known) if word else None
            hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(known)}."
            reader.fail(f"There is no option {reader.next_text}.", hint=hint)
        if word.lower() in options:
            reader.fail(f"{word} is there twice.", hint="Write it once.")
        reader.skip()
        reader.need("=")
        match word:
            case "PARALLEL":
                value: Any = reader.read_integer("a number of files")
                if not 1 <= value <= _MOST_PARALLEL:
                    raise DefinitionRefused(
                        f"PARALLEL = {value} is not possible.",
                        hint=f"Write a number from 1 to {_MOST_PARALLEL}.",
                    )
            case "PATTERN":
                value = reader.read_string("a pattern")
            case "SOURCE_COMPRESSION":
                value = read_choice(reader, word, _COMPRESSIONS)
            case _:
                value = read_flag(reader, word)
        options[word.lower()] = value
    return options


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
    begin, is_quoted = reader.next_start, reader.is_at_string()
    if is_quoted:
        written = reader.read_string("a stage")
        if not written.startswith("@"):
            reader.back(start)
            _fail_for_stage(reader)
    elif reader.is_at("@"):
        written = reader.read_bare_text()
        if has_comment(written):
            reader.back(start)
            hint = "Write the place as a string: '@stage/path'."
            reader.fail("A path with --, //, ? or quotes stands in quotes.", hint=hint)
    else:
        _fail_for_stage(reader)
    end = reader.last_span[1] if is_quoted else begin + len(written)
    reader.note_path(path_of_place(written, (begin, end), is_quoted=is_quoted))
    return read_stage_place(written)


def _fail_for_stage(reader: StatementReader) -> None:
    hint = "Write @ and the stage's name: @my_stage/path."
    reader.fail(f"Expected a stage, found {reader.next_text}.", hint=hint)


def _read_place_and_pattern(reader: StatementReader) -> tuple[StagePath, str | None]:
    place = read_stage_path(reader)
    pattern = None
    if reader.take("PATTERN"):
        reader.need("=")
        pattern = reader.read_string("a pattern")
    return place, pattern


def _read_action(reader: StatementReader) -> StageAction:
    match reader.need_one("RENAME", "SET", "UNSET", "REFRESH"):
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
                values |= _read_directory(reader)
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


def _read_directory(reader: StatementReader) -> dict[str, bool]:
    """Read `(ENABLE = TRUE, AUTO_REFRESH = TRUE, REFRESH_ON_CREATE = FALSE)`."""
    values: dict[str, bool] = {}
    reader.need("(")
    while not reader.take(")"):
        if reader.take(","):
            continue
        word = reader.need_one(*_DIRECTORY)
        if word == "NOTIFICATION_INTEGRATION":
            raise Never(
                "A directory table needs no notifications: AUTO_REFRESH lists the files.",
                hint="DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)",
            )
        if _DIRECTORY[word] in values:
            reader.fail(f"{word} is there twice.", hint="Write it once.")
        reader.need("=")
        values[_DIRECTORY[word]] = read_flag(reader, word)
    return values


def _read_subpath(reader: StatementReader) -> str:
    """Read `[SUBPATH = 'path']`; the path is relative to the stage."""
    if reader.is_at_end:
        return ""
    if not reader.take("SUBPATH"):
        hint = "ALTER STAGE s REFRESH SUBPATH = '2024/' lists a part of the files."
        reader.fail(f"REFRESH takes SUBPATH, found {reader.next_text}.", hint=hint)
    reader.need("=")
    return reader.read_string("a path in the stage").lstrip("/")
