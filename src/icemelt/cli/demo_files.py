"""The fourth act of the demonstration: files arrive, change and vanish; a table follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from icemelt.errors import FileGone

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from icemelt.cli.demo_steps import Demo

__all__ = ["show_files"]

_COLUMNS = "file, line, carrier, flight, dep_delay"
_EXTERNAL = """\
CREATE EXTERNAL TABLE dropped (
  file VARCHAR AS (METADATA$FILENAME), line INT AS (METADATA$FILE_ROW_NUMBER),
  carrier VARCHAR AS (VALUE:c10::VARCHAR), flight INT AS (VALUE:c11::INT),
  dep_delay INT AS (VALUE:c6::INT))
LOCATION = @folder FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)"""
_TABLE = """\
CREATE TABLE read_once (file VARCHAR, line INT, carrier VARCHAR, flight INT, dep_delay INT)"""
_STREAM = """\
CREATE STREAM unread ON EXTERNAL TABLE dropped INSERT_ONLY = TRUE SHOW_INITIAL_ROWS = TRUE"""
_REFRESH = "ALTER EXTERNAL TABLE dropped REFRESH"
_REPLACE = "DELETE FROM read_once WHERE file IN (SELECT file FROM unread)"
_INSERT = f"INSERT INTO read_once SELECT {_COLUMNS} FROM unread"
_PIPE = (
    "CREATE PIPE load_folder AS COPY INTO loaded FROM (\n"
    "  SELECT METADATA$FILENAME, METADATA$FILE_ROW_NUMBER FROM @folder)\n"
    "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1)"
)
_RUN = "ALTER PIPE load_folder REFRESH"
# in the files of the flights, which line has what
_DELAY = 5


@dataclass(frozen=True)
class _Folder:
    """The folder into which others drop files of the days of December.

    Args:
        path: the folder.
        days: a file for each day, named `2013-12-01.csv` and so on.
    """

    path: Path
    days: Path

    def drop(self, *days: int) -> None:
        """Write the whole files of days."""
        for day in days:
            self.write(day, self.lines(day))

    def write(self, day: int, lines: Iterable[str]) -> None:
        """Write lines as the file of a day, in place of what is there."""
        (self.path / _name(day)).write_text("".join(lines))

    def append(self, day: int, lines: Iterable[str]) -> None:
        """Append lines to the file of a day."""
        with (self.path / _name(day)).open("a") as file:
            file.writelines(lines)

    def remove(self, day: int) -> None:
        """Remove the file of a day."""
        (self.path / _name(day)).unlink()

    def lines(self, day: int) -> list[str]:
        """Return the lines of the flights of a day, the header among them."""
        return (self.days / _name(day)).read_text().splitlines(keepends=True)


def show_files(demo: Demo) -> None:
    """Show an external table, and a stream on it that keeps a table, whatever files undergo."""
    folder = _Folder(demo.staged.parent / "dropped", demo.staged)
    folder.path.mkdir()
    _make(demo, folder)
    _rewrite(demo, folder)
    _vanish(demo, folder)
    _load(demo)
    _prove(demo)


def _make(demo: Demo, folder: _Folder) -> None:
    """Let the first files arrive, the last of them half written, and read them."""
    folder.drop(1, 2, 3, 4)
    folder.write(5, _half(folder.lines(5)))
    demo.session.sql(f"CREATE STAGE folder URL = '{folder.path}'")
    demo.step("An external table reads the files of a folder as rows", _EXTERNAL)
    demo.step("A table has each row of each file once", _TABLE)
    demo.step("An insert-only stream feeds it with what was not read", _STREAM)
    demo.step("It begins with the files that are there", _INSERT)


def _rewrite(demo: Demo, folder: _Folder) -> None:
    """Let files arrive, one be overwritten and one grow, and read what differs."""
    folder.drop(6, 7)
    folder.write(3, _corrected(folder.lines(3)))
    folder.append(5, folder.lines(5)[len(_half(folder.lines(5))) :])
    demo.console.print("\n[bold]Two files arrive, one is overwritten, one is appended to …[/bold]")
    demo.rows(demo.step("A listing finds them, and opens none", _REFRESH), ("file", "status"))
    with demo.session.transaction():
        demo.step("In one transaction what was read of these files before goes …", _REPLACE)
        demo.step("… and all their rows come; a kill leaves both undone", _INSERT)


def _vanish(demo: Demo, folder: _Folder) -> None:
    """Remove a file that was read, and one that was not; pass over the latter."""
    folder.remove(1)
    folder.drop(8, 9)
    demo.step("A file that was read is removed, two arrive", _REFRESH)
    folder.remove(8)
    demo.console.print("\n[bold]One of them vanishes before it is read …[/bold]")
    try:
        demo.session.sql(_INSERT)
    except FileGone as error:
        demo.console.print(error.message, style="red", highlight=False)
    demo.step(
        "The loss was heard of; now it is passed over, and counted",
        "ALTER STREAM unread SET ON_MISSING = SKIP",
    )
    demo.step("The other file is new: an INSERT is enough", _INSERT)
    folder.drop(8)
    demo.step("The lost file comes again", _REFRESH)
    demo.step("It is read, too", _INSERT)


def _load(demo: Demo) -> None:
    """Load the same folder by a pipe, twice: the second time there is nothing to load."""
    demo.session.sql("CREATE TABLE loaded (file VARCHAR, line INT)")
    demo.step("A pipe loads each file of the folder once, by itself", _PIPE)
    demo.rows(demo.step("It has loaded the files that are there …", _RUN), ("file", "status"))
    demo.step("… and another run finds none that is new", _RUN)


def _prove(demo: Demo) -> None:
    """Show that the table has each row of the files once, and those of the removed file."""
    result = demo.step(
        "The proof: each row of each file landed once, in its newest state; what was removed stays",
        "SELECT count(*) AS rows_read, count(*) - count(DISTINCT file || ':' || line) AS doubled,\n"
        f"  (SELECT count(*) FROM (SELECT {_COLUMNS} FROM dropped EXCEPT\n"
        f"    SELECT {_COLUMNS} FROM read_once)) AS lost,\n"
        f"  (SELECT count(*) FROM (SELECT {_COLUMNS} FROM read_once EXCEPT\n"
        f"    SELECT {_COLUMNS} FROM dropped)) AS of_removed_files,\n"
        "  (SELECT count(*) - count(DISTINCT file || ':' || line) FROM loaded) AS doubled_by_pipe\n"
        "FROM read_once",
    )
    demo.rows(result, ("rows_read", "doubled", "lost", "of_removed_files", "doubled_by_pipe"))


def _half(lines: Sequence[str]) -> Sequence[str]:
    """Return the first half of the lines of a file."""
    return lines[: len(lines) // 2]


def _corrected(lines: Sequence[str]) -> list[str]:
    """Return lines whose departure delays are a minute shorter."""
    header, *flights = lines
    corrected = [header]
    for flight in flights:
        values = flight.split(",")
        if values[_DELAY]:
            values[_DELAY] = str(int(values[_DELAY]) - 1)
        corrected.append(",".join(values))
    return corrected


def _name(day: int) -> str:
    return f"2013-12-{day:02d}.csv"
