"""Sessions whose statements alternate do what a small model of streams and transactions does.

A case is a short script for each session and one order of their statements; all run in one thread,
so that waiting for a lock is an error. ICEMELT_TORTURE_SEED chooses other cases, `make torture`
runs many.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

import pytest
from transactions.model import DEFINING, Model, Outcome, Statement

from conftest import Lake
from icemelt import Session
from icemelt.errors import IcemeltError

SEED = os.environ.get("ICEMELT_TORTURE_SEED", "7")
CASES = 12
TORTURE_CASES = int(os.environ.get("ICEMELT_TORTURE_CASES", "1500"))
TEXTS = {
    "begin": "BEGIN",
    "commit": "COMMIT",
    "rollback": "ROLLBACK",
    "read t": "SELECT id, v FROM t",
    "read sink": "SELECT id, v FROM sink",
    "read s": "SELECT id, v, METADATA$ACTION FROM s",
    "insert t": "INSERT INTO t VALUES ({n}, {n})",
    "insert sink": "INSERT INTO sink VALUES ({n}, {n})",
    "update t 1": "UPDATE t SET v = {n} WHERE id = 1",
    "update t 2": "UPDATE t SET v = {n} WHERE id = 2",
    "delete t 2": "DELETE FROM t WHERE id = 2",
    "count sink": "INSERT INTO sink SELECT {n}, count(*) FROM sink",
    "overwrite sink": "INSERT OVERWRITE INTO sink VALUES ({n}, {n})",
    "copy": "INSERT INTO sink SELECT id, v FROM s WHERE METADATA$ACTION = 'INSERT'",
    "merge": "MERGE INTO sink USING (SELECT id, v FROM s WHERE METADATA$ACTION = 'INSERT') s "
    "ON sink.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v "
    "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)",
    "make": "CREATE TABLE made AS SELECT id, v FROM s WHERE METADATA$ACTION = 'INSERT'",
    "drop t": "DROP TABLE t",
    "replace t": "CREATE OR REPLACE TABLE t (id INT, v INT)",
    "drop s": "DROP STREAM s",
    "replace s": "CREATE OR REPLACE STREAM s ON TABLE t",
}
# how often each is chosen inside a script
WEIGHTS = {
    "copy": 8,
    "merge": 5,
    "make": 2,
    "read s": 4,
    "read t": 2,
    "read sink": 2,
    "insert t": 4,
    "insert sink": 2,
    "update t 1": 4,
    "update t 2": 2,
    "delete t 2": 2,
    "count sink": 2,
    "overwrite sink": 1,
    "drop t": 1,
    "replace t": 1,
    "drop s": 1,
    "replace s": 2,
}


@dataclass
class Play:
    """Sessions beside the model; `told` is what happened in this case, to run it again."""

    lake: Lake
    sessions: dict[str, Session]
    model: Model = field(default_factory=Model)
    told: list[str] = field(default_factory=list)
    number: int = 100
    statements: int = 0
    codes: dict[str, int] = field(default_factory=dict)

    def run(self, actor: str, operation: str) -> None:
        """Run a statement in both, and compare."""
        self.number += 1
        self.statements += 1
        statement: Statement = (operation, self.number)
        text = TEXTS[operation].format(n=self.number)
        expected = self.model.run(actor, statement)
        got = _outcome(self.sessions[actor], text)
        if isinstance(got, list) and not operation.startswith("read"):
            got = None
        self.told.append(f"{actor}: {text} -- {got}")
        if isinstance(got, str):
            self.codes[got] = self.codes.get(got, 0) + 1
        case = "\n".join(self.told)
        assert got == expected, f"the model has {expected}\n{case}"

    def case(self, choose: random.Random) -> None:
        """Play a random case, and compare everything after it."""
        self.told.clear()
        self._make_missing()
        scripts = {actor: _script(choose) for actor in self.sessions}
        while any(scripts.values()):
            actor = choose.choice([each for each, left in scripts.items() if left])
            self.run(actor, scripts[actor].pop(0))
        for name in ("sink", "s", "t"):
            self.run("a", f"read {name}")

    def _make_missing(self) -> None:
        missing = self.model.missing()
        if missing == "t":
            self.run("a", "replace t")
        if missing:
            self.run("a", "replace s")
        for number in (1, 2) if missing == "t" else ():
            self.model.run("a", ("insert t", number))
            self.sessions["a"].sql(TEXTS["insert t"].format(n=number))


@pytest.mark.slow
def test_sessions_do_what_the_model_does(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    _play(lake, CASES, capsys)


@pytest.mark.torture
def test_many_sessions_do_what_the_model_does(
    lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    _play(lake, TORTURE_CASES, capsys)


def _play(lake: Lake, cases: int, capsys: pytest.CaptureFixture[str]) -> None:
    choose = random.Random(SEED)  # noqa: S311 - chance is what is wanted
    play = _start(lake)
    try:
        for _ in range(cases):
            play.case(choose)
    finally:
        with capsys.disabled():
            print(f"\nseed {SEED}: {play.statements} statements, {play.codes}")  # noqa: T201


def _start(lake: Lake) -> Play:
    sessions = {actor: lake.open(user=actor) for actor in ("a", "b", "c")}
    for session in sessions.values():
        session.sql("ALTER SESSION SET LOCK_TIMEOUT = 0")
    play = Play(lake, sessions)
    sessions["a"].sql("CREATE TABLE sink (id INT, v INT)")
    play.model.make_table("sink")
    return play


def _script(choose: random.Random) -> list[str]:
    """Return a transaction of one to three statements, or a statement by itself, or nothing."""
    kind = choose.random()
    if kind < 0.15:
        return []
    body = choose.choices(list(WEIGHTS), list(WEIGHTS.values()), k=choose.randint(1, 3))
    if kind < 0.4:
        return body[:1]
    body = [each for each in body if each not in DEFINING] or ["copy"]
    if kind > 0.97:
        body.append("replace s")
    return ["begin", *body, "rollback" if kind < 0.5 else "commit"]


def _outcome(session: Session, text: str) -> Outcome:
    try:
        return sorted(session.sql(text).fetchall())
    except IcemeltError as error:
        return error.code
