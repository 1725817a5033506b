"""The session that the examples in docstrings use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import icemelt

# it runs inside Alembic only
collect_ignore = ["icemelt/catalog/migrations/env.py"]


@pytest.fixture(scope="session")
def example_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[icemelt.Session]:
    folder = tmp_path_factory.mktemp("examples")
    with icemelt.connect(folder, master="local[2]", maintain_every=None) as session:
        yield session


@pytest.fixture(autouse=True)
def _session_in_examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if "session" in request.node.path.parts:
        doctest_namespace["session"] = request.getfixturevalue("example_session")
