"""A consumer in a separate process, killed by the demonstration half-way."""

from __future__ import annotations

import sys

import icemelt

__all__ = ["main"]


def main(lake: str, statement: str) -> None:
    """Open the lake, wait for a line, and run a statement in a transaction without a commit."""
    with icemelt.connect(lake, user="killed consumer", memory="1g") as session:
        _say("ready")
        sys.stdin.readline()
        session.sql("BEGIN NAME half_done")
        changed = session.sql(statement).rowcount
        _say(f"{changed}")
        sys.stdin.readline()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
