"""Tables fit a terminal, and are whole and plain elsewhere."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from icemelt.cli.formats import OutputFormat
from icemelt.cli.outcome import Outcome
from icemelt.cli.render import footer, write_outcome, write_terminal

WIDE = "word " * 60


def on_terminal(outcome: Outcome, width: int = 60) -> str:
    file = io.StringIO()
    write_terminal(outcome, Console(file=file, width=width, force_terminal=True))
    return file.getvalue()


def in_pipe(outcome: Outcome, format_: OutputFormat) -> str:
    file = io.StringIO()
    write_outcome(outcome, format_, file)
    return file.getvalue()


def rows(*values: tuple[Any, ...]) -> Outcome:
    names = tuple(f"column {place}" for place in range(len(values[0])))
    return Outcome(names, list(values), 0.25)


def test_no_line_is_wider_than_the_terminal() -> None:
    plain = io.StringIO()
    outcome = rows((1, WIDE, "日本語" * 20), (2, "b", None))
    write_terminal(outcome, Console(file=plain, width=60))

    assert max(cell_len(line) for line in plain.getvalue().splitlines()) <= 60


def test_rows_of_many_columns_stand_one_below_the_other() -> None:
    shown = on_terminal(rows(tuple(range(30)), tuple(range(30))))

    assert "── row 1 ─" in shown
    assert "── row 2 ─" in shown
    assert len(shown.splitlines()) == 63


def test_null_is_dim_and_the_word_null_is_not() -> None:
    shown = on_terminal(rows((None, "NULL")))

    assert "\x1b[2mNULL" in shown
    assert shown.count("\x1b[2mNULL") == 1


def test_numbers_stand_to_the_right() -> None:
    shown = in_pipe(rows((1, "a"), (1000, "b"), (None, None)), OutputFormat.TABLE)

    assert shown.splitlines()[2:] == [
        "        1 | a",
        "     1000 | b",
        "     NULL | NULL",
    ]


@pytest.mark.parametrize("format_", list(OutputFormat))
def test_in_a_pipe_nothing_is_wrapped_cut_or_coloured(format_: OutputFormat) -> None:
    value = "word " * 10_000
    lines = in_pipe(rows((value, 1), ("b", None)), format_).splitlines()

    assert len(lines) == {OutputFormat.TABLE: 4, OutputFormat.JSON: 2, OutputFormat.CSV: 3}[format_]
    assert any(value.strip() in line for line in lines)
    assert not any("\x1b" in line for line in lines)


def test_markup_in_values_is_text() -> None:
    assert "[bold]x[/bold]" in on_terminal(rows(("[bold]x[/bold]",)))


def test_data_cannot_clear_the_screen() -> None:
    outcome = Outcome(("\x1b[2J",), [("\x1b]0;title\x07",)], 0.1)

    for shown in (on_terminal(outcome), in_pipe(outcome, OutputFormat.TABLE)):
        assert "\x1b[2J" not in shown
        assert "\x1b]0" not in shown
        assert "\x07" not in shown


def test_columns_of_one_name_stay_apart_in_json() -> None:
    outcome = Outcome(("id", "id"), [(1, 2)], 0.1)

    assert json.loads(in_pipe(outcome, OutputFormat.JSON)) == {"id": 1, "id_2": 2}


def test_a_result_without_rows_shows_its_columns() -> None:
    outcome = Outcome(("id", "name"), [], 0.1)

    assert "id │ name" in on_terminal(outcome)
    assert in_pipe(outcome, OutputFormat.TABLE).splitlines() == [" id | name", "----+------"]
    assert in_pipe(outcome, OutputFormat.CSV) == "id,name\n"
    assert in_pipe(outcome, OutputFormat.JSON) == ""


def test_a_statement_that_gives_no_rows_says_what_it_did() -> None:
    outcome = Outcome(("status",), [("Table 't' successfully created.",)], 0.5, word="Done [x].")

    assert on_terminal(outcome) == "Done [x].  \x1b[2m0.50 s\x1b[0m\n"
    assert footer(outcome, timing=True) == "0.50 s"
    assert json.loads(in_pipe(outcome, OutputFormat.JSON))["status"].endswith("created.")


def test_the_footer_tells_of_rows_that_are_not_shown() -> None:
    outcome = Outcome(("id",), [(1,), (2,)], 0.5, more=True)

    assert footer(outcome, timing=False).startswith("the first 2 rows: ")
    assert footer(Outcome(("file",), [("a",)], 1.0, rowcount=12), timing=False).endswith(
        "12 rows changed"
    )


def test_a_plan_is_text_and_no_table_as_wide_as_its_longest_line() -> None:
    outcome = Outcome(("plan",), [("Changes of t",), ("  shape: EMPTY",)], 0.25)
    assert in_pipe(outcome, OutputFormat.TABLE) == "Changes of t\n  shape: EMPTY\n"
    assert on_terminal(outcome).splitlines()[:2] == ["Changes of t", "  shape: EMPTY"]
    assert footer(outcome, timing=True) == "0.25 s"


@pytest.mark.parametrize("format_", OutputFormat)
def test_data_steer_no_terminal_that_shows_lines_for_programs(format_: OutputFormat) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    file = Terminal()
    write_outcome(rows(("\x1b]0;title\x07", "\u202eright to left")), format_, file)

    assert not set("\x1b\x07\u202e") & set(file.getvalue())
