"""The tests on each Python that icemelt takes: `nox`, or `nox -s unit-3.13` for one of them.

Each session has an environment of its own below `.nox`, with the versions that are locked. `make
test` and `make check` are the whole of it, on one Python; this is what may differ between Pythons.
Arguments behind `--` go to pytest in the place of what is chosen here, as in
`nox -s spec-3.12 -- tests/spec -k "views and sqlite"`.
"""

from __future__ import annotations

import nox

PYTHONS = ("3.11", "3.12", "3.13")
# parsing, derivatives, conversion of rows: what runs in Python alone
UNIT = (
    *("-m", "not spark and not slow and not torture"),
    "tests/changes",
    "tests/cli/test_render.py",
    "tests/ingest/test_neighbours.py",
    "tests/ingest/test_odd_arrays.py",
    "tests/ingest/test_rows.py",
    "tests/laws",
    "tests/sql",
    "tests/test_values.py",
    # every function with arguments of every kind: the same on each Python, and minutes
    "--ignore=tests/sql/test_calls.py",
)
# with Spark: results, types and errors through all of icemelt
SPEC = ("tests/spec", "-k", "sqlite and (changes or streams or values)")

nox.needs_version = ">=2026.10"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.stop_on_first_error = False


@nox.session(python=PYTHONS)
def unit(session: nox.Session) -> None:
    """Run the tests that start no Spark."""
    _install(session)
    session.run("pytest", "-q", *(session.posargs or UNIT))


@nox.session(python=PYTHONS)
def spec(session: nox.Session) -> None:
    """Run a part of the specification, on SQLite."""
    _install(session)
    session.run("pytest", "-q", *(session.posargs or SPEC))


@nox.session(python=PYTHONS)
def lint(session: nox.Session) -> None:
    """Compile all modules with warnings as errors, check types and style."""
    _install(session)
    session.run("python", "-W", "error", "-m", "compileall", "-q", "-f", "src", "scripts")
    session.run("ruff", "check", "--quiet", ".")
    session.run("mypy", "--python-version", str(session.python))


def _install(session: nox.Session) -> None:
    """Install what `make setup` installs, with the versions and hashes of the lock."""
    session.install("--require-hashes", "--requirement", "requirements/dev.txt")
    session.install("--no-deps", "--no-build-isolation", "--editable", ".")
