"""Reads and runs specification scripts; see README.md in this folder."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conftest import DAY, Lake, TestClock
from icemelt import Session
from icemelt.catalog.open_transactions import renew_transaction
from icemelt.errors import IcemeltError

__all__ = ["Runner", "Step", "read_steps"]

_ID = re.compile(r"\b([0-9A-F]{40}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
_HOUR = re.compile(r"^(\d{1,2}):(\d{2})(?::(\d{2}))?$")
_DAYS = re.compile(r"^\+(\d+)d$")
_LAPSE = 60
_SECOND = 1000
_DAY = 86_400 * _SECOND


@dataclass
class Step:
    """One block of a script: `lines` are its place in the file, `expected` what stands below."""

    words: list[str]
    sql: str
    expected: list[str] | None
    start: int
    result_at: int = 0
    end: int = 0


def read_steps(path: Path) -> list[Step]:
    lines = path.read_text().splitlines()
    return list(_steps(lines))


def _steps(lines: Sequence[str]) -> Iterator[Step]:
    number = 0
    while number < len(lines):
        if not lines[number].strip() or lines[number].startswith("#"):
            number += 1
            continue
        start = number
        while number < len(lines) and lines[number].strip():
            number += 1
        block = list(lines[start:number])
        split = block.index("----") if "----" in block else len(block)
        expected = block[split + 1 :] if split < len(block) else None
        sql = "\n".join(block[1:split])
        yield Step(block[0].split(), sql, expected, start, start + split, number)


@dataclass
class Runner:
    """Runs the steps of one script on one lake."""

    lake: Lake
    clock: TestClock
    complete: bool = False
    connections: dict[str, Session] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    last_id: str = ""
    second: int = 0

    def run(self, step: Step) -> list[str] | None:
        """Run a step; return the lines that should stand below it, None where none should."""
        self.second += 1
        self.clock.set(max(self.clock.time, DAY) + _SECOND)
        match step.words:
            case ["statement", "ok", *rest]:
                self._execute(step, rest)
                return None
            case ["statement", "error", code, *rest]:
                return self._refused(step, code, rest)
            case ["query", *rest]:
                ordered = "ordered" in rest
                return self._rows(
                    step, [word for word in rest if word != "ordered"], ordered=ordered
                )
            case ["clock", hour]:
                self._set_clock(self._time(hour))
            case ["maintain", *rest]:
                self._session(rest[0] if rest else "first").maintain()
            case ["let", name]:
                self.names[name] = self.last_id
            case ["foreign", *rest]:
                return self._elsewhere(step, is_refused=rest == ["error"])
            case ["only", _]:
                pass
            case ["file", *_] | ["touch", _] | ["remove", _]:
                self._change_file(step)
            case _:
                raise AssertionError(f"line {step.start + 1}: {' '.join(step.words)}")
        return None

    def _change_file(self, step: Step) -> None:
        """Write, touch or remove a file of the script's folder; its time is the clock's."""
        word, name = step.words
        path = Path(self.names["FOLDER"], name)
        if word == "remove":
            path.unlink()
            return
        if word == "file":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{step.sql}\n")
        os.utime(path, ns=(self.clock.time * 1_000_000,) * 2)

    def _set_clock(self, time: int) -> None:
        """Set the clock; open transactions live on, as they would while the time passes."""
        seconds = max(0, time - self.clock.time) // _SECOND + _LAPSE
        for session in self.connections.values():
            transaction = session._core.settings.transaction
            if transaction is not None:
                renew_transaction(transaction.database, transaction.transaction_id, seconds)
        self.clock.set(time)

    def _execute(self, step: Step, rest: Sequence[str]) -> Any:
        session = self._session(rest[0] if rest else "first")
        result = session.sql(self._filled(step.sql))
        self.last_id = result.statement_id
        return result

    def _rows(self, step: Step, rest: Sequence[str], *, ordered: bool) -> list[str]:
        shown = (_line(row) for row in self._execute(step, rest).fetchall())
        rows = [line.replace(self.names["FOLDER"], "${FOLDER}") for line in shown]
        return rows if ordered else sorted(rows)

    def _refused(self, step: Step, code: str, rest: Sequence[str]) -> list[str] | None:
        with pytest.raises(IcemeltError) as raised:
            self._execute(step, rest).fetchall()
        error = raised.value
        if error.code != code:
            raise error
        if step.expected is None:
            return None
        part = "\n".join(step.expected)
        return step.expected if part in str(error) else [error.message.splitlines()[0]]

    def _elsewhere(self, step: Step, *, is_refused: bool) -> list[str] | None:
        """Run a statement in another engine; one that has to fail has a long message there."""
        if not is_refused:
            self.lake.foreign().sql(self._filled(step.sql)).collect()
            return None
        with pytest.raises(Exception) as raised:  # noqa: PT011 - Spark's and Java's, of all kinds
            self.lake.foreign().sql(self._filled(step.sql)).collect()
        part = "\n".join(step.expected or [])
        return step.expected or [] if part in str(raised.value) else [str(raised.value)]

    def _session(self, name: str) -> Session:
        if name not in self.connections:
            self.connections[name] = self.lake.open(user=name)
        return self.connections[name]

    def _filled(self, sql: str) -> str:
        for name, value in self.names.items():
            sql = sql.replace(f"${{{name}}}", value)
        return sql

    def _time(self, hour: str) -> int:
        """Return the time of `12:05`, or of `+15d`, so many days later than it is."""
        later = _DAYS.match(hour)
        return _time(hour) if later is None else self.clock.time + int(later.group(1)) * _DAY


def _time(hour: str) -> int:
    found = _HOUR.match(hour)
    assert found is not None, hour
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return DAY + ((hours * 60 + minutes) * 60 + seconds) * _SECOND


def _line(row: Sequence[Any]) -> str:
    return "  ".join(_shown(value) for value in row)


def _shown(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime):
        value = value.replace(tzinfo=None).isoformat(sep=" ")
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex()
    return _ID.sub("<id>", str(value)) or "(empty)"
