"""Options: `NAME = value` lists of objects, sessions and file formats."""

from __future__ import annotations

from icemelt.errors import Never
from icemelt.sql.reader import StatementReader

__all__ = ["read_choice", "read_flag", "read_option_names", "read_options", "read_value"]


def read_options(reader: StatementReader, stop: tuple[str, ...] = ()) -> dict[str, str]:
    """Read options up to a word in `stop`; names in upper case, values without quotes."""
    options: dict[str, str] = {}
    while not reader.is_at_end and not reader.is_at(")") and reader.word not in stop:
        if reader.take(","):
            continue
        name = reader.word
        if name in {"WITH", "TAG"}:
            hint = "Leave them out; COMMENT = '…' keeps a note."
            raise Never("Policies and tags are not supported.", hint=hint)
        if not name.replace("_", "").isalnum():
            reader.fail(
                f"Expected an option, found {reader.next_text}.", hint="Write NAME = value."
            )
        reader.skip()
        if not reader.take("=") and name != "COMMENT":
            reader.fail(
                f"Expected = after {name}, found {reader.next_text}.", hint=f"Write {name} = …."
            )
        if name in options:
            reader.fail(f"{name} is there twice.", hint="Write it once.")
        options[name] = reader.read_comment() if name == "COMMENT" else read_value(reader, name)
    return options


def read_option_names(reader: StatementReader) -> tuple[str, ...]:
    """Read the names after UNSET."""
    names = []
    while True:
        if not reader.word.replace("_", "").isalnum():
            reader.fail(f"Expected an option, found {reader.next_text}.", hint="Write UNSET NAME.")
        names.append(reader.skip().upper())
        if not reader.take(","):
            return tuple(names)


def read_choice(reader: StatementReader, name: str, choices: tuple[str, ...]) -> str:
    """Read the value of an option with a fixed set of words; return the word in upper case.

    Args:
        reader: stands at the value.
        name: the option's name, for the error.
        choices: the allowed words, in upper case.
    """
    start = reader.mark()
    value = read_value(reader, name).upper()
    if value not in choices:
        reader.back(start)
        reader.fail(f"{name} is one of {', '.join(choices)}.", hint=f"{name} = {choices[0]}")
    return value


def read_flag(reader: StatementReader, name: str) -> bool:
    """Read an option's value that is TRUE or FALSE."""
    return read_choice(reader, name, ("TRUE", "FALSE")) == "TRUE"


def read_value(reader: StatementReader, name: str) -> str:
    """Read an option's value as text: a string, a number, or a word in upper case."""
    if reader.is_at_string():
        return reader.read_string(f"the value of {name}")
    sign = "-" if reader.take("-") else ""
    word = reader.word
    if not word or not word.replace("_", "").replace(".", "").isalnum():
        reader.fail(
            f"Expected the value of {name}, found {reader.next_text}.", hint=f"{name} = '…'"
        )
    reader.skip()
    return sign + word
