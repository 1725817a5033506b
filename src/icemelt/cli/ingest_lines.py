"""Append lines of JSON to a channel in batches, and find the lines that are no rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from icemelt.cli.formats import OnBadLine
from icemelt.cli.terminal import complain
from icemelt.values import visible

if TYPE_CHECKING:
    from icemelt.ingest import Channel, RowError
    from icemelt.ingest.errors import MalformedRows

__all__ = ["TOKEN_PREFIX", "Batch", "split_batches"]

TOKEN_PREFIX = "line:"  # noqa: S105 - an offset token
_MOST_LINES, _MOST_BYTES = 10_000, 4 << 20
_SHOWN_ERRORS = 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Batch:
    """Some non-empty lines of a file.

    Args:
        lines: the lines.
        numbers: the lines' numbers in the file, from 1.
        last: the number of the last line read, empty lines included.
    """

    lines: list[bytes]
    numbers: list[int]
    last: int

    def append(self, channel: Channel, on_bad_line: OnBadLine) -> Iterator[tuple[int, int]]:
        """Append the lines; yield the numbers of good and bad lines of every part.

        Args:
            channel: the channel.
            on_bad_line: whether a bad line ends the ingestion, or is left out.

        Raises:
            RowsRefused: a line is no row of the table, and bad lines end the ingestion.
            MalformedRows: a line is no JSON object, and bad lines end the ingestion.
        """
        from icemelt.ingest.errors import MalformedRows  # noqa: PLC0415 - --help needs none of it

        try:
            yield self._append(channel)
        except MalformedRows as error:
            yield from self._append_good_lines(channel, on_bad_line, error)

    def _append(self, channel: Channel) -> tuple[int, int]:
        """Append all lines at once; return the numbers of good and bad rows."""
        from icemelt.ingest import RowsRefused  # noqa: PLC0415 - --help needs none of it
        from icemelt.ingest.rows.rows import read_json  # noqa: PLC0415

        if _is_array(self.lines[0] if self.lines else b""):
            # all lines together might be one array
            raise _make_malformed_error(self.numbers[0], " is no JSON object.")
        token = f"{TOKEN_PREFIX}{self.last}"
        try:
            rows = read_json(b"".join(self.lines), defaulted=channel.columns_with_default)
            answer = channel.append_rows(rows, end_offset_token=token)
        except RowsRefused as refused:
            self._show(refused.errors)
            raise
        self._show(answer.errors)
        return answer.rows, answer.bad_rows

    def _append_good_lines(
        self, channel: Channel, on_bad_line: OnBadLine, error: MalformedRows
    ) -> Iterator[tuple[int, int]]:
        """Append the good lines only, after an error of the whole batch.

        Args:
            channel: the channel.
            on_bad_line: whether a bad line ends the ingestion, or is left out.
            error: the error of the whole batch.
        """
        faults = zip(self.numbers, map(_find_fault, self.lines), strict=True)
        bad = {number: wrong for number, wrong in faults if wrong}
        if not bad and len(self.lines) > 1:
            # every line is good, but not all in one append: too many lines, or too many keys
            for part in self._halves():
                yield from part.append(channel, on_bad_line)
            return
        if not bad:
            bad = {self.numbers[0]: f": {error.message}"}
        if on_bad_line is OnBadLine.ABORT:
            raise _make_malformed_error(*next(iter(bad.items()))) from error
        _complain(f"Line {number}{wrong}" for number, wrong in bad.items())
        yield 0, len(bad)
        yield from self._drop_lines(bad).append(channel, on_bad_line)

    def _halves(self) -> tuple[Batch, Batch]:
        half = len(self.lines) // 2
        first = Batch(self.lines[:half], self.numbers[:half], self.numbers[half - 1])
        return first, Batch(self.lines[half:], self.numbers[half:], self.last)

    def _drop_lines(self, bad: dict[int, str]) -> Batch:
        lines = zip(self.lines, self.numbers, strict=True)
        good = [(line, number) for line, number in lines if number not in bad]
        return Batch([line for line, _ in good], [number for _, number in good], self.last)

    def _show(self, errors: Iterable[RowError]) -> None:
        _complain(
            f"Line {self.numbers[error.row]}"
            f"{'' if error.column is None else f', column {error.column!r}'}: {error.reason}"
            for error in errors
        )


def split_batches(lines: Iterable[bytes], done: int) -> Iterator[Batch]:
    """Yield the lines of a file in batches of a size for one append.

    Args:
        lines: the lines of the file.
        done: the number of lines to skip at the beginning.

    >>> [each.numbers for each in split_batches([b'{"a": 1}', b"", b'{"a": 3}', b'{"a": 4}'], 1)]
    [[3, 4]]
    """
    some: list[bytes] = []
    numbers: list[int] = []
    size = last = 0
    for last, line in enumerate(lines, 1):
        if last <= done:
            continue
        if line.strip():
            some.append(line if line.endswith(b"\n") else line + b"\n")
            numbers.append(last)
            size += len(line)
        if len(some) == _MOST_LINES or size >= _MOST_BYTES:
            yield Batch(some, numbers, last)
            some, numbers, size = [], [], 0
    if some:
        yield Batch(some, numbers, last)


def _find_fault(line: bytes) -> str:
    """Return why a line is no JSON object, to follow the line's number; empty for a JSON object."""
    from icemelt.ingest.errors import MalformedRows  # noqa: PLC0415 - --help needs none of it
    from icemelt.ingest.rows.json_rows import slow_rows  # noqa: PLC0415

    if _is_array(line):
        return " is no JSON object."
    try:
        slow_rows(line)
    except MalformedRows as error:
        return error.message.removeprefix("Line 1")
    return ""


def _is_array(line: bytes) -> bool:
    return line.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"[")


def _make_malformed_error(number: int, wrong: str) -> MalformedRows:
    from icemelt.ingest.errors import MalformedRows  # noqa: PLC0415 - --help needs none of it

    return MalformedRows(
        f"Line {number}{wrong}",
        hint="Each line is a JSON object in UTF-8; --on-error continue leaves out those that are "
        "none. Of an array: jq -c '.[]' FILE | icemelt ingest --table NAME",
    )


def _complain(complaints: Iterable[str]) -> None:
    lines = list(complaints)
    for line in lines[:_SHOWN_ERRORS]:
        complain(visible(line))
    if len(lines) > _SHOWN_ERRORS:
        complain(f"… and {len(lines) - _SHOWN_ERRORS:,} more.")
