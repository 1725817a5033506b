"""The documents say what is true: their examples run, and print what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from readme_examples import run_examples

_DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sql.md", "streams.md"])
def test_examples_print_what_the_document_shows(spark: SparkSession, name: str) -> None:
    assert run_examples(_DOCS / name, complete=False) == []
