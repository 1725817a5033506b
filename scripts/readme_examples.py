"""Runs the examples of Markdown files, each file in order and in an empty folder of its own.

A fenced block marked `python` is run; what it leaves undefined or raises fails the check. The
statements of a block marked `sql` are run in one session of the lake `./lake`; a block marked
`text` right below has to be what they print. There `…` stands for anything, as a last line for all
further ones; `<id 1>` for the first id of the block; and the order of lines does not matter. In a
statement `<id 1>` is the first id that the last DESC HISTORY printed. The clock of that session
stands at 2024-05-01 09:00:00 UTC and moves on a minute with each block.

A block right below `<!-- not run -->` is not run. Before a block of SQL right below
`<!-- 15 days later -->` the clock is moved on by so many days, and below
`<!-- 15 days later, maintained -->` the lake is maintained then, too.

Where tasks run, `<!-- the clock runs -->` at the head of a document gives its session the clock of
the database. A block of SQL right below `<!-- when tasks have run -->` waits until no task is left.
What a block of Python has started by `subprocess.Popen` is ended with the document.

`--complete` writes what the statements printed into the files: review the difference.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import itertools
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from icemelt import Session
from icemelt.catalog.database import Connection, open_database, sqlite_url
from icemelt.catalog.queries.task_overview import find_task_overviews
from icemelt.catalog.task_states import read_root_state
from icemelt.cli.formats import OutputFormat
from icemelt.cli.outcome import Outcome, run
from icemelt.cli.render import write_outcome
from icemelt.engine.start.launch import launch_spark
from icemelt.errors import IcemeltError
from icemelt.session.opening import open_session
from icemelt.session.session import core_of
from icemelt.sql.parse import split_statements

_BLOCK = re.compile(
    r"(?:^<!-- (?P<days>[0-9]+) days? later(?P<maintained>, maintained)? -->\n)?"
    r"(?P<waits>^<!-- when tasks have run -->\n)?"
    r"(?<!<!-- not run -->\n)^```(?P<kind>python|sql)\n(?P<code>.*?)^```\n"
    r"(?:\n?```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_ID = re.compile(r"\b([0-9A-F]{40}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
_NINE = int(datetime.datetime(2024, 5, 1, 9, tzinfo=datetime.UTC).timestamp() * 1000)
_MINUTE = 60_000
_DAY = 86_400_000
_HOME = "/home/ada"
_CLOCK_RUNS = "<!-- the clock runs -->\n"
_PATIENCE = 120


@dataclass
class _Document:
    """A document that is being run: its Python names, and its SQL session once it has one.

    Attributes:
        path: the document.
        folder: where it runs.
        is_clock_running: whether its session has the time of the day.
    """

    path: Path
    folder: Path
    is_clock_running: bool = False
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    session: Session | None = None
    history: dict[str, str] = field(default_factory=dict)
    time: int = _NINE
    ticks: Iterator[int] = field(default_factory=itertools.count)

    def run_python(self, code: str, line: int) -> None:
        """Run a block; empty lines in front make errors name the right line."""
        exec(compile("\n" * line + code, str(self.path), "exec"), self.names)  # noqa: S102

    def run_sql(self, code: str) -> str:
        """Return what the statements of a block print."""
        self.time, self.ticks = self.time + _MINUTE, itertools.count()
        if self.session is None:
            self.session = self._open()
        printed = io.StringIO()
        ids: dict[str, str] = {}
        for statement in split_statements(code):
            try:
                outcome = run(self.session, self._filled(statement), None)
            except IcemeltError as error:
                printed.write(f"{error}\n")
                continue
            if outcome.notice is not None:
                printed.write(f"{outcome.notice}\n")
            write_outcome(self._steady(outcome, ids), OutputFormat.TABLE, printed)
            if "statement_id" in outcome.columns:
                self.history = dict(ids)
        return self._without_ids(printed.getvalue(), ids)

    def pass_days(self, days: int, *, maintained: bool) -> None:
        """Move the clock of the SQL session on; run maintenance then where that is asked for."""
        self.time, self.ticks = self.time + days * _DAY, itertools.count()
        if maintained and self.session is not None:
            self.session.maintain()

    def wait_for_tasks(self) -> None:
        """Wait until no task runs or is asked for, and no started task's condition is true.

        Raises:
            TimeoutError: a task is left after two minutes.
        """
        end = time.monotonic() + _PATIENCE
        while self.session is not None and is_task_left(self.session):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.path}: tasks still run")
            time.sleep(0.1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the session, if it was opened, and end the programs of the document."""
        for program in self.names.values():
            if isinstance(program, subprocess.Popen):
                program.kill()
                program.wait()
        if self.session is not None:
            self.session.close()

    def _filled(self, statement: str) -> str:
        for value, name in self.history.items():
            statement = statement.replace(name, value)
        return statement

    def _steady(self, outcome: Outcome, ids: dict[str, str]) -> Outcome:
        """Take out what differs from run to run, before the columns get their widths."""

        def steady(value: Any) -> Any:
            return self._without_ids(value, ids) if isinstance(value, str) else value

        return replace(
            outcome, rows=[tuple(steady(value) for value in row) for row in outcome.rows]
        )

    def _without_ids(self, text: str, ids: dict[str, str]) -> str:
        shown = text.replace(str(self.folder), _HOME)
        return _ID.sub(lambda found: ids.setdefault(found[0], f"<id {len(ids) + 1}>"), shown)

    def _open(self) -> Session:
        folder = self.folder / "lake"
        warehouse = folder / "warehouse"
        warehouse.mkdir(parents=True, exist_ok=True)
        url, place = sqlite_url(folder / "catalog.db"), str(warehouse)
        if self.is_clock_running:
            database = open_database(url, place)
        else:
            database = open_database(url, place, clock=self._still_clock)
        session = open_session(launch_spark(), database, user="ada")
        # EXPLAIN shows the same however long this machine takes
        core_of(session).settings.learn_costs = False
        return session

    def _still_clock(self, _connection: Connection) -> int:
        return self.time + next(self.ticks)


def is_task_left(session: Session) -> bool:
    """Tell whether a task runs or is asked for, or the condition of a started task is true."""
    database = core_of(session).database
    with database.read() as connection:
        tasks = [overview.task for overview in find_task_overviews(connection)]
    # conditions first: the run that has made one false is under way still, or over
    for task in tasks:
        is_triggered = task.is_started and task.condition is not None
        if is_triggered and session.sql(f"SELECT {task.condition}").fetchall() == [(True,)]:
            return True
    with database.read() as connection:
        states = [read_root_state(connection, task.object_id) for task in tasks]
    return any(state is not None and (state.active or state.queued) for state in states)


def run_examples(path: Path, *, complete: bool) -> list[str]:
    """Run the examples of a document; return what is wrong with it."""
    text = path.read_text(encoding="utf-8")
    wrong: list[str] = []
    outputs: list[tuple[int, int, str]] = []
    found = list(_BLOCK.finditer(text))
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(contextlib.chdir(name))
        is_clock_running = text.startswith(_CLOCK_RUNS)
        document = stack.enter_context(_Document(path, Path(name).resolve(), is_clock_running))
        for block in found:
            line = text.count("\n", 0, block.start("code"))
            if block["kind"] == "python":
                document.run_python(block["code"], line)
                continue
            printed = _run_block(document, block)
            if block["output"] is None:
                wrong += _failures(printed, f"{path}:{line + 1}")
            elif not _is_like(block["output"], printed):
                outputs.append((*block.span("output"), printed))
                wrong.append(f"{path}:{line + 1}: printed\n{printed}")
    if complete and outputs:
        _complete(path, text, outputs)
    return wrong if found else [f"{path}: no example marked python or sql"]


def _run_block(document: _Document, block: re.Match[str]) -> str:
    """Return what the statements of a block print, at the time that the line above it asks for."""
    if block["days"] is not None:
        document.pass_days(int(block["days"]), maintained=bool(block["maintained"]))
    if block["waits"] is not None:
        document.wait_for_tasks()
    return document.run_sql(block["code"])


def _failures(printed: str, place: str) -> list[str]:
    return [f"{place}: {printed}"] if "\nHint: " in printed else []


def _is_like(expected: str, printed: str) -> bool:
    # the width of columns is of no matter
    wanted, lines = (re.sub(" +", " ", text).splitlines() for text in (expected, printed))
    goes_on = wanted[-1:] == ["…"]
    for line in wanted[: len(wanted) - goes_on]:
        pattern = re.escape(line).replace("…", ".*")
        match = next((each for each in lines if re.fullmatch(pattern, each)), None)
        if match is None:
            return False
        lines.remove(match)
    return goes_on or not lines


def _complete(path: Path, text: str, outputs: list[tuple[int, int, str]]) -> None:
    for start, end, printed in reversed(outputs):
        text = text[:start] + printed + text[end:]
    path.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run each document's examples; return 1 if one is wrong."""
    complete = "--complete" in arguments
    wrong: list[str] = []
    launch_spark()  # here: Java stays in the folder that it was started in, and a document's goes
    for name in arguments:
        if name.startswith("--"):
            continue
        try:
            wrong += run_examples(Path(name).resolve(), complete=complete)
        except Exception:  # noqa: BLE001 - an example may raise anything
            wrong.append(f"{name}: {traceback.format_exc()}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
