"""Clones, changes and maintains tables until it kills itself: `clone_victim.py FOLDER SEED STEP`.

It dies by SIGKILL at the given step: before or after an SQL statement of a write transaction, an
edit, a file that a clone writes, a file that maintenance writes or removes. Tables `c…` are clones
of `t` and of each other, and never change; tables `w…` do.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from typing import Any

from transactions.failpoints import around, at_edits, at_sql

import icemelt
from icemelt.catalog.queries import retention
from icemelt.errors import IcemeltError
from icemelt.session import maintenance, sweeping
from icemelt.session.ddl import clones
from icemelt.transactions import expiry

GRACE = 0
OPERATIONS = (
    *["CREATE TABLE {new} CLONE {table}"] * 6,
    "CREATE TEMPORARY TABLE {new} CLONE {table}",
    "CREATE OR REPLACE TABLE {table} CLONE {table}",
    "CREATE SCHEMA s{number} CLONE main.public",
    "DROP SCHEMA IF EXISTS s{earlier}",
    *["DROP TABLE {table}"] * 2,
    "UNDROP TABLE {table}",
    "ALTER TABLE {table} SWAP WITH {other}",
    "INSERT INTO w VALUES ({number})",
    "DELETE FROM w WHERE id % 3 = 1",
    *["maintain"] * 4,
)
PLACES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (clones, ("write_clone", "write_kept_files")),
    (sweeping, ("find_unnamed_files", "remove_files", "write_metadata")),
    (maintenance, ("remove_folder", "expire_versions")),
    (expiry, ("write_expired_metadata", "remove_files")),
)


class Steps:
    """Counts steps, and dies at one of them."""

    def __init__(self, last: int) -> None:
        self.left = last

    def __call__(self, place: str) -> None:
        self.left -= 1
        if self.left <= 0:
            tell({"killed_at": place})
            os.kill(os.getpid(), signal.SIGKILL)


def tell(value: dict[str, Any]) -> None:
    print(json.dumps(value), flush=True)  # noqa: T201 - to the test


def main(folder: str, seed: str, step: str) -> None:
    retention.GRACE = GRACE
    choose = random.Random(seed)  # noqa: S311 - chance is what is wanted
    session = icemelt.connect(folder, user="victim", master="local[2]", maintain_every=None)
    steps = Steps(int(step))
    at_sql(session._core.database.engine, steps)
    at_edits(steps)
    for owner, names in PLACES:
        for name in names:
            around(owner, name, steps)
    number = 0
    while True:
        number += 1
        tables = ["t", *(f"c{each}" for each in range(number))]
        table, other = choose.choice(tables[1:]), choose.choice(tables)
        operation = choose.choice(OPERATIONS)
        if "{new}" in operation and choose.random() < 0.5:
            table = "t"
        names = {"table": table, "other": other, "number": number, "new": f"c{number}"}
        text = operation.format(**names, earlier=choose.randrange(number))
        try:
            if text == "maintain":
                session.maintain(safe_age=0)
            else:
                session.sql("USE SCHEMA main.public")
                session.sql(text)
            tell({"done": text})
        except IcemeltError as error:
            tell({"refused": text, "code": error.code})


if __name__ == "__main__":
    main(*sys.argv[1:])
