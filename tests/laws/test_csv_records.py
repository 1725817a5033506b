"""The law of CSV records: Java's parser finds those of a plain one, in all parts of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from icemelt.session import Session
from icemelt.session.files.csv_records import FIELDS, RECORD, first_records, read_csv
from icemelt.session.files.read_options import ReadOptions, read_options
from icemelt.session.files.source_files import SourceFile
from icemelt.sql.statements import FileFormat

_PIECES = [
    "a",
    "1",
    " ",
    "\t",
    ",",
    ",",
    "\n",
    "\n",
    "\r\n",
    "\r",
    '"',
    '"',
    "\\N",
    "\\",
    "\\",
    "#",
]
_PIECES += ["ü", "\ufeff", "x,y\n", "x,y\r\n", '"x","y"\n', "|", "||", ";", '""', "\\,", "\\\n"]
_FILES = st.lists(st.lists(st.sampled_from(_PIECES), max_size=20).map("".join), max_size=20)
_ODD = [
    *("a,b\n\nc,d\n", "a,b\r\nc,d\ne,f\r\n", "a\rb,c\n", "  \na,b\n", "a,b", "a,\\", "a\\"),
    *("\ufeffa,b\n", "a,b\n  ", "\r\r\n", "", '"', '"a', '"a"b,c\n', '"a" ,b', '"a\\",b\n', '""""'),
    *(
        "\\\r\na,b",
        "\\\\\na,b",
        "a\\\\\\\nb,c\n" * 3,
        '\\"a,b"\n',
        '"a\r\nb",c\r\nd,e',
        "\\N,\\\\N",
    ),
]
_BLANKS = "".join(map(chr, range(33)))
_QUOTED = {"FIELD_OPTIONALLY_ENCLOSED_BY": '"'}
_OPTIONS: list[dict[str, str]] = [
    {},
    {"SKIP_HEADER": "1"},
    {"SKIP_HEADER": "2"},
    {"PARSE_HEADER": "true"},
    {"ESCAPE_UNENCLOSED_FIELD": "NONE"},
    {"ESCAPE_UNENCLOSED_FIELD": "#", "NULL_IF": "a\n"},
    {"EMPTY_FIELD_AS_NULL": "false", "TRIM_SPACE": "true"},
    {"RECORD_DELIMITER": ";", "FIELD_DELIMITER": "||"},
    {"RECORD_DELIMITER": "\r\n", "FIELD_DELIMITER": "\t", "TRIM_SPACE": "true"},
    {**_QUOTED},
    {**_QUOTED, "SKIP_HEADER": "1", "ESCAPE": "\\"},
    {**_QUOTED, "MULTI_LINE": "false", "ESCAPE": "#"},
    {**_QUOTED, "TRIM_SPACE": "true", "PARSE_HEADER": "true"},
    {**_QUOTED, "FIELD_DELIMITER": "||", "MULTI_LINE": "false"},
]


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(files=_FILES, written=st.sampled_from(_OPTIONS), part=st.sampled_from([1, 7, 1000]))
@example(files=_ODD, written=_OPTIONS[0], part=1)
@example(files=_ODD, written=_OPTIONS[1], part=1)
@example(files=_ODD, written=_OPTIONS[9], part=1000)
@example(files=_ODD, written=_OPTIONS[10], part=1000)
@example(files=_ODD, written=_OPTIONS[11], part=3)
def test_the_records_are_those_of_a_plain_parser(
    session: Session, tmp_path: Path, files: list[str], written: dict[str, str], part: int
) -> None:
    options = read_options(FileFormat.CSV, written)
    sources, expected = [], Counter[Any]()
    for number, content in enumerate(files):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(content.encode())
        sources.append(SourceFile(str(path), path.stat().st_size, 0))
        for text, values in _records(content, options):
            shown = [*values, None, None][:2]
            expected[(*shown, None if len(values) == 2 else text, len(values))] += 1
    core = session._core
    spark = core.spark
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(part))
    spark.conf.set("spark.sql.files.openCostInBytes", "1")
    try:
        rows = read_csv(core, options, sources, 2).select("c0", "c1", RECORD, FIELDS).collect()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
        spark.conf.unset("spark.sql.files.openCostInBytes")
    assert Counter(map(tuple, rows)) == expected


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.lists(st.sampled_from(_PIECES), max_size=30).map("".join), end=st.integers(0, 99))
def test_the_first_records_of_a_part_are_those_of_the_file(
    session: Session, content: str, end: int
) -> None:
    options = read_options(FileFormat.CSV, _QUOTED)
    data = content.encode()
    options = replace(options, null_if=())
    whole = first_records(session._core, options, data, 3, is_whole=True)
    assert whole == [[text, *values] for text, values in _records(content, options)][:3]
    part = first_records(session._core, options, data[:end], 3, is_whole=False)
    assert part in (None, whole)


def _records(content: str, options: ReadOptions) -> Iterator[tuple[str, list[str | None]]]:
    """Yield the text and the values of each record of a file, blank lines left out."""
    content = content.removeprefix("\ufeff")
    at = 0
    for _ in range(options.skip_header):
        while at < len(content) and not _end_at(content, at, options):
            at += 1
        at += _end_at(content, at, options)
    skipped = not options.parse_header
    while at < len(content):
        begin, values, is_quoted = at, list[str | None](), False
        while True:
            value, is_quoted, at = _value(content, at, options)
            values.append(value)
            if not (content.startswith(options.delimiter, at)):
                break
            at += len(options.delimiter)
        text = content[begin:at]
        at += _end_at(content, at, options)
        keeps = options.in_quotes and not options.trim
        blank = not text if keeps else not text.strip(_BLANKS)
        if len(values) == 1 and not is_quoted and blank:
            continue
        if skipped:
            yield text, values
        skipped = True


def _value(content: str, begin: int, options: ReadOptions) -> tuple[str | None, bool, int]:
    """Return a value, whether it is in quotes, and where it ends."""
    at = _behind_blanks(content, begin, options) if options.trim else begin
    end = begin
    if options.quote is not None and content.startswith(options.quote, at):
        value, at = _quoted(content, at + 1, options)
        end = _behind_blanks(content, at, options)
        if end == len(content) or _is_end(content, end, options):
            return _null(value, options), True, end
    while end < len(content) and not _is_end(content, end, options):
        end += 1 + _escaped(content, end, options)
    raw = content[begin:end]
    if options.trim:
        raw = raw.lstrip(_BLANKS)
        while raw and raw[-1] in _BLANKS and not _is_escaped(raw, options):
            raw = raw[:-1]
    if (not raw and options.empty_as_null) or raw in options.null_if:
        return None, False, end
    return _unescaped(raw, options), False, end


def _is_end(content: str, at: int, options: ReadOptions) -> bool:
    return content.startswith(options.delimiter, at) or _end_at(content, at, options) > 0


def _escaped(content: str, at: int, options: ReadOptions) -> int:
    """Return the length of the sign behind an escape character at a place."""
    is_escape = content[at] == options.plain_escape
    return _sign_at(content, at + 1, options) if is_escape else 0


def _is_escaped(raw: str, options: ReadOptions) -> bool:
    """Tell whether an escape character is before the last character."""
    body = raw[:-1]
    escape = options.plain_escape or "\0"
    return (len(body) - len(body.rstrip(escape))) % 2 == 1


def _unescaped(raw: str, options: ReadOptions) -> str:
    value, at = "", 0
    while at < len(raw):
        sign = _escaped(raw, at, options)
        value += raw[at + 1 : at + 1 + sign] if sign else raw[at]
        at += 1 + sign
    return value


def _quoted(content: str, at: int, options: ReadOptions) -> tuple[str, int]:
    value = ""
    while at < len(content):
        if content[at] == options.quoted_escape:
            sign = _sign_at(content, at + 1, options)
            value += content[at + 1 : at + 1 + sign] if sign else content[at]
            at += 1 + sign
        elif content.startswith('""', at):
            value += '"'
            at += 2
        elif content[at] == '"':
            return value, at + 1
        elif not options.multi_line and _end_at(content, at, options):
            return value, at
        else:
            value += content[at]
            at += 1
    return value, at


def _null(value: str, options: ReadOptions) -> str | None:
    return None if value in options.null_if else value


def _behind_blanks(content: str, at: int, options: ReadOptions) -> int:
    while at < len(content) and content[at] <= " ":
        if content[at] == options.delimiter[0] or _end_at(content, at, options):
            break
        at += 1
    return at


def _sign_at(content: str, at: int, options: ReadOptions) -> int:
    """Return the length of the sign that an escape character takes the meaning from."""
    signs = (options.plain_escape, options.quoted_escape, options.delimiter, options.quote)
    found = next((sign for sign in signs if sign and content.startswith(sign, at)), "")
    return len(found) or _end_at(content, at, options)


def _end_at(content: str, at: int, options: ReadOptions) -> int:
    """Return the length of the end of a record at a place, 0 for none."""
    if options.ends_at_newlines:
        return 2 if content.startswith("\r\n", at) else int(content[at : at + 1] in ("\r", "\n"))
    return 1 if content.startswith(str(options.record_delimiter), at) else 0
