"""Pairs of SQL: what a user writes, and below it what Spark is given.

A file holds blocks parted by blank lines. A block is a title after `--`, the input, and its
outputs, each on one line that ends with a semicolon. `pytest --complete` writes the outputs anew,
for review.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass
class Pair:
    title: str
    text: str
    outputs: list[str]

    def __str__(self) -> str:
        lines = [f"-- {self.title}"] if self.title else []
        return "\n".join([*lines, *(f"{line};" for line in (self.text, *self.outputs))])


def read_pairs(name: str) -> list[Pair]:
    return [_pair(block) for block in _blocks(FIXTURES / name)]


def write_pairs(name: str, pairs: list[Pair]) -> None:
    text = "\n\n".join(str(pair) for pair in pairs)
    (FIXTURES / name).write_text(f"{text}\n", encoding="utf-8")


def _blocks(path: Path) -> list[str]:
    return [block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]


def _pair(block: str) -> Pair:
    lines = block.strip("\n").split("\n")
    title = lines.pop(0).removeprefix("-- ") if lines[0].startswith("--") else ""
    text, *outputs = (line.removesuffix(";") for line in lines)
    return Pair(title, text, outputs)
