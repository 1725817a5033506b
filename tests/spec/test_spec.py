"""Runs every specification script, on SQLite and on PostgreSQL.

What a statement means does not depend on the catalog: in a turn a script runs on one of both, and
`make torture` runs it on the other one, too. In the same way changes of views are planned by cost
in some turns, and by their derivatives in others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rotation import choose
from spec.script import Runner, Step, read_steps

from conftest import MASTER_VARIABLE, Lake, TestClock, postgres_url, sqlite_url

_FOLDER = Path(__file__).parent
_SCRIPTS = sorted(_FOLDER.rglob("*.test"))
_CATALOGS = ("sqlite", "postgres")
_PLANS = ("AUTO", "INCREMENTAL")
_PLAN_VARIABLE = "ICEMELT_TEST_PLAN"


def _cases() -> Iterator[object]:
    for path in _SCRIPTS:
        name = path.relative_to(_FOLDER).with_suffix("").as_posix()
        lines = path.read_text().splitlines()
        if "only local" in lines and MASTER_VARIABLE in os.environ:
            continue
        only = "only sqlite" in lines
        chosen = choose(name, _CATALOGS)
        for catalog in ("sqlite",) if only else _CATALOGS:
            marks = () if only or catalog == chosen else (pytest.mark.torture,)
            yield pytest.param(path, catalog, id=f"{name}-{catalog}", marks=marks)


@pytest.mark.parametrize(("path", "catalog"), list(_cases()))
def test_script(
    path: Path,
    catalog: str,
    spark: SparkSession,
    tmp_path: Path,
    clock: TestClock,
    request: pytest.FixtureRequest,
) -> None:
    if catalog == "sqlite":
        url = sqlite_url(tmp_path)
    else:
        url = postgres_url(request.getfixturevalue("postgres_server"))
    plan = os.environ.get(_PLAN_VARIABLE) or choose(f"plan of {path.name}", _PLANS)
    lake = Lake(spark, url, tmp_path, clock, plan)
    complete = request.config.getoption("--complete")
    try:
        runner = Runner(lake, clock, complete=complete, names={"FOLDER": str(tmp_path / "files")})
        _run(path, runner, complete=complete)
    finally:
        lake.close()


def _run(path: Path, runner: Runner, *, complete: bool) -> None:
    results: list[tuple[Step, list[str]]] = []
    for step in read_steps(path):
        place = f"{path.name}:{step.start + 1}: {step.sql}"
        try:
            got = runner.run(step)
        except Exception as error:
            error.add_note(place)
            raise
        if got is None:
            continue
        results.append((step, got))
        if not complete:
            assert got == (step.expected or []), place
    if complete:
        _write(path, results)


def _write(path: Path, results: list[tuple[Step, list[str]]]) -> None:
    lines = path.read_text().splitlines()
    for step, got in reversed(results):
        lines[step.result_at : step.end] = ["----", *got]
    path.write_text("\n".join(lines) + "\n")
